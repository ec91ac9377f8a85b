# shellcheck shell=bash disable=SC2154
# Runs ctest and pytest and counts what they say: sourced after lib.sh. Results stand in the build folder.

run_ctest() {
  ctest --test-dir "$1" -j "$jobs" --output-on-failure --no-tests=error >"$1/ctest.log" 2>&1 && return 0
  grep -vE '^ *(Start +[0-9]+:|[0-9]+/[0-9]+ Test.* Passed )' "$1/ctest.log" | tail -n 200
  return 1
}

run_pytest() {
  "$venv/bin/python" -m pytest tests_py -q -rs --junitxml="$1/pytest.xml" >"$1/pytest.log" 2>&1 && return 0
  tail -n 200 "$1/pytest.log"
  return 1
}

count_ctest_skips() { grep -cE '\*\*\*(Skipped|Not Run)' "$1/ctest.log" || true; }
# Expected failures count as skips: they hide a rule just as well.
count_pytest_skips() {
  tail -n 1 "$1/pytest.log" | { grep -oE '[0-9]+ (skipped|xfailed|xpassed|deselected)' || true; } | awk '{sum += $1} END {print sum + 0}'
}

print_results() {
  local skipped_cpp skipped_python
  skipped_cpp=$(count_ctest_skips "$1")
  skipped_python=$(count_pytest_skips "$1")
  if [ "$skipped_cpp$skipped_python" != 00 ]; then
    printf 'Skipped:\n'
    { grep -E '\*\*\*(Skipped|Not Run)' "$1/ctest.log" || true; grep '^SKIPPED' "$1/pytest.log" || true; } | head -n 40
  fi
  printf 'C++ tests:    %s (%s skipped)\n' "$(grep -E 'tests passed, .* tests? failed out of' "$1/ctest.log" || tail -n 1 "$1/ctest.log")" "$skipped_cpp"
  printf 'Python tests: %s\n' "$(tail -n 1 "$1/pytest.log")"
}

refuse_skips() {
  local skipped=$(($(count_ctest_skips "$1") + $(count_pytest_skips "$1")))
  say "$skipped tests skipped"
  [ "$skipped" = 0 ] || die "$skipped tests were skipped, and here none may be"
}
