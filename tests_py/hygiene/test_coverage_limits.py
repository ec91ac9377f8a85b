"""scripts/coverage_limits.py: a folder under the limit fails, by name."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

TOP = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def limits() -> ModuleType:
    spec = importlib.util.spec_from_file_location("coverage_limits", TOP / "scripts" / "coverage_limits.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def file(name: str, lines: int, branches: int = 100) -> dict[str, object]:
    return {"filename": name, "line_covered": lines, "line_total": 100, "branch_covered": branches, "branch_total": 100}


def run(limits: ModuleType, folder: Path, files: list[dict[str, object]], python_lines: int = 100) -> int:
    (folder / "cpp.json").write_text(json.dumps({"files": files}))
    (folder / "python.json").write_text(json.dumps({"totals": {"covered_lines": python_lines, "num_statements": 100}}))
    return int(limits.main(str(folder / "cpp.json"), str(folder / "python.json")))


def test_everything_above_the_limits_passes(limits: ModuleType, tmp_path: Path) -> None:
    assert run(limits, tmp_path, [file("cpp/base/a.cpp", 95, 10), file("cpp/core/a.cpp", 95, 90)], 95) == 0


def test_public_headers_count_for_their_module(limits: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [file("cpp/jobs/a.cpp", 100), file("cpp/include/headrace/jobs/a.hpp", 80)]

    assert run(limits, tmp_path, files) == 1
    assert "missed: jobs: lines 90.0 %, expected 95 % at least" in capsys.readouterr().out


def test_branches_count_in_core_and_jobs_only(limits: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(limits, tmp_path, [file("cpp/xml/a.cpp", 100, 10), file("cpp/core/a.cpp", 100, 89)]) == 1
    assert "missed: core: branches 89.0 %, expected 90 % at least" in capsys.readouterr().out


def test_python_has_the_same_limit_for_lines(limits: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(limits, tmp_path, [], 94) == 1
    assert "missed: python/: lines 94.0 %" in capsys.readouterr().out
