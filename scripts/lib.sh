# shellcheck shell=bash disable=SC2034
# Shared by the scripts of this folder and .ci/run: sourced, not run.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$top" || exit 1
me=${0#"$top"/}
jobs=$(nproc)
venv=$top/.venv
: "${HEADRACE_REFERENCE:=$top/../shared}"
export HEADRACE_REFERENCE

# What a build needs, and what the C++ tests need on top of it (Debian's package names).
build_packages=(g++ cmake ninja-build ccache python3 python3-venv python3-dev nlohmann-json3-dev libspdlog-dev libfmt-dev libpugixml-dev libre2-dev)
test_packages=(libgtest-dev)

say() { printf '== %s: %s\n' "$me" "$*"; }
die() {
  printf '== %s: stopped: %s\n' "$me" "$*" >&2
  exit 1
}

# timed NAME COMMAND…: runs it and notes the seconds for print_times.
times=()
timed() {
  local name=$1 start=$SECONDS code=0
  shift
  "$@" || code=$?
  times+=("$(printf '%5d s  %s' $((SECONDS - start)) "$name")")
  return "$code"
}
print_times() {
  printf 'Seconds by part:\n'
  printf '  %s\n' "${times[@]}"
}

# need_apt PACKAGE…: installs what is missing, when it may.
need_apt() {
  command -v dpkg-query >/dev/null || die "this script sets up Debian or Ubuntu machines; install by hand: $*, then build with 'pip install .'"
  local missing=() package
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || { say "the apt packages are there"; return 0; }
  local root=()
  if [ "$(id -u)" != 0 ]; then
    sudo -n true 2>/dev/null || die "missing packages: ask someone with root for 'apt-get install ${missing[*]}'"
    root=(sudo -n)
  fi
  say "installing with apt: ${missing[*]}"
  local log=${TMPDIR:-/tmp}/headrace-apt.$$.log
  local install=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}")
  # A first try with the lists that are there: a second update of a machine costs more than most installs.
  if ! "${install[@]}" >"$log" 2>&1; then
    "${root[@]}" apt-get update -qq >"$log" 2>&1 || die "apt-get update failed: $(tail -n 1 "$log")"
    "${install[@]}" >"$log" 2>&1 || die "apt-get could not install ${missing[*]}: $(grep -m 1 '^E:' "$log" || tail -n 1 "$log")"
  fi
  rm -f "$log"
}

# need_venv REQUIREMENTS_FILE…: .venv with these packages; nothing is done when they did not change since the last time.
need_venv() {
  local python=python3 stamp=$venv/.headrace-requirements log=${TMPDIR:-/tmp}/headrace-pip.$$.log
  [ -x /usr/bin/python3 ] && python=/usr/bin/python3
  if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -c '' 2>/dev/null; then
    say "making the virtual environment .venv with $("$python" --version)"
    rm -rf "$venv"
    "$python" -m venv "$venv" || die "'$python -m venv' failed: install python3-venv"
  fi
  local file arguments=()
  for file in "$@"; do
    cmp -s "$file" "$stamp-$(basename "$file")" || arguments+=(-r "$file")
  done
  [ ${#arguments[@]} -gt 0 ] || { say "the Python packages of .venv are there"; return 0; }
  say "installing Python packages into .venv (${arguments[*]})"
  "$venv/bin/python" -m pip install -q --disable-pip-version-check "${arguments[@]}" >"$log" 2>&1 ||
    die "pip could not install the packages of $*: $(grep -m 1 '^ERROR' "$log" || tail -n 1 "$log")"
  for file in "$@"; do cp "$file" "$stamp-$(basename "$file")"; done
  rm -f "$log"
}

# Of the build's output only each tenth of the way.
show_progress() {
  local line tenth last=-1
  while IFS= read -r line; do
    [[ $line =~ ^\ *\[([0-9]+)/([0-9]+)\] ]] || continue
    [ "${BASH_REMATCH[2]}" -ge 10 ] || continue  # the build system looking at itself
    tenth=$((BASH_REMATCH[1] * 10 / BASH_REMATCH[2]))
    [ "$tenth" = "$last" ] || printf '   %3d %% of %d steps\n' $((tenth * 10)) "${BASH_REMATCH[2]}"
    last=$tenth
  done
}

# install_package BUILD_FOLDER NAME=VALUE…: builds and installs headrace into .venv (or into the folder $target). The build folder stays, so that a second run compiles
# only what changed; with HEADRACE_TESTS=ON the C++ tests come from the same objects as the extension.
install_package() {
  local folder=$1 define settings=() into=()
  shift
  [ -z "${target:-}" ] || into=(--target "$target" --upgrade)
  for define in "$@"; do
    case $define in
      CMAKE_BUILD_TYPE=*) settings+=("--config-settings=cmake.build-type=${define#*=}") ;;  # the backend sets that one itself
      *) settings+=("--config-settings=cmake.define.$define") ;;
    esac
  done
  mkdir -p "$folder"
  say "building and installing headrace (build folder $folder, $jobs at a time); the compiler's output goes to $folder/build.log"
  CMAKE_BUILD_PARALLEL_LEVEL=$jobs "$venv/bin/python" -m pip install -v --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall \
    "${into[@]}" "--config-settings=build-dir=$folder" "${settings[@]}" . 2>&1 | tee "$folder/build.log" | show_progress || {
    grep -E -m 20 'error:|CMake Error|FAILED|ERROR' "$folder/build.log" >&2 || tail -n 30 "$folder/build.log" >&2
    die "the build failed; the whole output is in $folder/build.log"
  }
}
