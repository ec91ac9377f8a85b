"""The lessons in notebooks/ run from top to bottom, in a kernel of their own, and show what they talk about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

LESSONS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))
NAMES = ["01-first-process", "02-workers-and-retries", "03-errors-and-status", "04-time-travel-and-what-if"]


def cells_of(lesson: Path, kind: str) -> list[dict[str, Any]]:
    return [cell for cell in json.loads(lesson.read_text())["cells"] if cell["cell_type"] == kind]


def text_of(cell: dict[str, Any]) -> str:
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def test_the_lessons_are_all_there() -> None:
    assert [lesson.stem for lesson in LESSONS] == NAMES


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda p: p.stem)
def test_a_lesson_is_committed_without_outputs(lesson: Path) -> None:
    for cell in cells_of(lesson, "code"):
        assert cell["outputs"] == []
        assert cell["execution_count"] is None


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda p: p.stem)
def test_a_lesson_explains_and_leads_to_the_next(lesson: Path) -> None:
    # given
    texts = [text_of(cell) for cell in cells_of(lesson, "markdown")]
    # then
    assert texts[0].startswith(f"# {int(lesson.stem[:2])} · ")
    assert sum(len(text.split()) for text in texts) > 350
    assert "What you have seen." in texts[-1]
    if lesson is not LESSONS[-1]:
        assert NAMES[NAMES.index(lesson.stem) + 1] in texts[-1]


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda p: p.stem)
def test_a_lesson_runs_from_top_to_bottom_with_plots_and_drawings(lesson: Path, tmp_path: Path) -> None:
    # given
    nbformat = pytest.importorskip("nbformat", reason="the extra notebook is not installed")
    nbclient = pytest.importorskip("nbclient", reason="the extra notebook is not installed")
    notebook = nbformat.read(lesson, as_version=4)
    here = {"metadata": {"path": str(tmp_path)}}
    # a busy machine may take minutes to import what a kernel needs; the limits only end what hangs
    client = nbclient.NotebookClient(notebook, timeout=600, startup_timeout=600, kernel_name="python3", resources=here)
    # when
    client.execute()
    # then
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    shown = {kind for output in outputs for kind in output.get("data", {})}
    assert {"image/png", "image/svg+xml"} <= shown
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []
