"""Rules over every file of the checkout that people write."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
TOP_LEVEL = {
    "CMakeLists.txt",
    "pyproject.toml",
    "cpp",
    "python",
    "tests_cpp",
    "tests_py",
    "notebooks",
    "README.md",
    "scripts",
    "LICENSE",
    "NOTICE",
    ".ci",
}
GENERATED = re.compile(
    r"^(build.*|dist|\.git|\.venv.*|\.cache|\..*_cache|__pycache__|\.hypothesis|\.ipynb_checkpoints|.*\.egg-info|.*\.so)$"
)
# Put together from halves, or this file would find itself.
LEFTOVERS = re.compile(r"\b(" + "|".join(a + b for a, b in [("TO", "DO"), ("FIX", "ME"), ("XX", "X"), ("HA", "CK")]) + r")\b")
MACHINE_PATHS = re.compile("/(?:" + "|".join(["work", "home", "root"]) + r")/\w")


def files_below(folder: Path) -> Iterator[Path]:
    for entry in sorted(os.scandir(folder), key=lambda e: e.name):
        if GENERATED.match(entry.name):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from files_below(Path(entry.path))
        else:
            yield Path(entry.path)


def texts() -> Iterator[tuple[str, str]]:
    for path in files_below(TOP):
        content = path.read_bytes()
        if b"\0" not in content:
            yield str(path.relative_to(TOP)), content.decode()


def found(pattern: re.Pattern[str], name: str, text: str) -> list[str]:
    lines = enumerate(text.splitlines(), 1)
    return [f"{name}:{number}: {line.strip()[:100]}" for number, line in lines if pattern.search(line)]


def test_the_checkout_is_found() -> None:
    names = {name for name, _ in texts()}

    assert {"CMakeLists.txt", "scripts/lib.sh", "python/headrace/examples/order.bpmn"} <= names


def test_the_top_level_has_the_agreed_names_only() -> None:
    names = {entry.name for entry in os.scandir(TOP) if not GENERATED.match(entry.name)}
    dotfiles = {name for name in names if name.startswith(".") and (TOP / name).is_file()}

    assert names - dotfiles - TOP_LEVEL == set()


def test_no_marker_of_unfinished_work_is_left() -> None:
    assert [line for name, text in texts() for line in found(LEFTOVERS, name, text)] == []


def test_no_path_of_one_machine_stands_in_a_file() -> None:
    assert [line for name, text in texts() for line in found(MACHINE_PATHS, name, text)] == []


def test_no_python_file_is_longer_than_six_hundred_lines() -> None:
    lengths = {name: len(text.splitlines()) for name, text in texts() if name.endswith((".py", ".pyi"))}

    assert {name: lines for name, lines in lengths.items() if lines > 600} == {}


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        (LEFTOVERS, "// TO{}: later".format("DO")),
        (MACHINE_PATHS, "see {}/someone/x".format("/home")),
        (MACHINE_PATHS, "'{}/main'".format("/work")),
    ],
)
def test_the_rules_find_a_planted_fault(pattern: re.Pattern[str], line: str) -> None:
    assert found(pattern, "planted", line) == [f"planted:1: {line}"]
