"""Prints coverage by module folder from gcovr's and coverage.py's summaries; exit 1 when a limit is missed."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

LINES = 95.0
BRANCHES = {"core": 90.0, "jobs": 90.0}


class Count(NamedTuple):
    covered: int = 0
    total: int = 0

    def plus(self, covered: int, total: int) -> Count:
        return Count(self.covered + covered, self.total + total)

    @property
    def percent(self) -> float:
        return 100.0 * self.covered / self.total if self.total else 100.0


def cpp_module(name: str) -> str:
    """cpp/core/x.cpp and cpp/include/headrace/core/x.hpp are both `core`."""
    parts = Path(name).parts
    return parts[3] if parts[1] == "include" else parts[1]


def by_module(summary: dict[str, list[dict[str, object]]]) -> tuple[dict[str, Count], dict[str, Count]]:
    lines: dict[str, Count] = defaultdict(Count)
    branches: dict[str, Count] = defaultdict(Count)
    for file in summary["files"]:
        module = cpp_module(str(file["filename"]))
        lines[module] = lines[module].plus(int(file["line_covered"]), int(file["line_total"]))  # type: ignore[call-overload]
        branches[module] = branches[module].plus(int(file["branch_covered"]), int(file["branch_total"]))  # type: ignore[call-overload]
    return lines, branches


def main(cpp: str, python: str) -> int:
    lines, branches = by_module(json.loads(Path(cpp).read_text()))
    totals = json.loads(Path(python).read_text())["totals"]
    lines["python/"] = Count(totals["covered_lines"], totals["num_statements"])
    missed: list[str] = []
    print(f"{'folder':<12} {'lines':>16} {'branches':>24}")
    for module in sorted(lines):
        line, branch = lines[module], branches.get(module, Count())
        branch_text = f"{branch.percent:6.1f} % of {branch.total}" if branch.total else "-"
        print(f"{module:<12} {line.percent:6.1f} % of {line.total:<6} {branch_text:>21}")
        if line.percent < LINES:
            missed.append(f"{module}: lines {line.percent:.1f} %, expected {LINES:.0f} % at least")
        if module in BRANCHES and branch.percent < BRANCHES[module]:
            missed.append(f"{module}: branches {branch.percent:.1f} %, expected {BRANCHES[module]:.0f} % at least")
    for sentence in missed:
        print(f"missed: {sentence}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
