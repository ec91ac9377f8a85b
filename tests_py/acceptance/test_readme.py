"""The README is true: its Python example runs as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def python_blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)


def test_the_readme_example_runs_and_both_orders_complete(tmp_path: Path) -> None:
    # given
    example = python_blocks()[0]
    script = tmp_path / "example.py"
    script.write_text(example, encoding="utf-8")
    # when
    ran = subprocess.run([sys.executable, "-W", "error", str(script)], capture_output=True, text=True, timeout=60, check=False)
    # then
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    assert len(lines) == 2
    assert "COMPLETED" in lines[0] and "'receiptId': 'r-1'" in lines[0]
    assert "COMPLETED" in lines[1] and "'receiptId': 'r-2'" in lines[1]


def test_the_test_of_the_readme_passes_on_its_model(tmp_path: Path) -> None:
    # given
    example, in_a_test = python_blocks()
    model = example[: example.index("with hr.Engine()")]
    (tmp_path / "test_order.py").write_text(model + in_a_test, encoding="utf-8")
    # when
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)
    # then
    assert ran.returncode == 0, ran.stdout
    assert "1 passed" in ran.stdout


def test_every_file_the_readme_points_at_is_there() -> None:
    # given
    text = README.read_text(encoding="utf-8")
    # when
    targets = re.findall(r"\]\(([^)]+)\)", text) + re.findall(r"^(scripts/\w+)", text, flags=re.MULTILINE)
    # then
    assert targets
    assert [t for t in targets if not (README.parent / t).exists()] == []
