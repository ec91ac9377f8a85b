"""The type information that users see is right: stubtest against the compiled module, mypy --strict on the face and on a user's script."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import headrace

pytest.importorskip("mypy", reason="mypy is needed (the extra `dev`)")
PACKAGE = Path(headrace.__file__).parent

SCRIPT = """
import headrace as hr

order = hr.Process("order")
reveal_type(order.start_event("s") >> order.end_event("e"))
with hr.Engine() as engine:
    reveal_type(engine)
    instance = engine.start("order", {"a": 1})
    reveal_type(instance)
    reveal_type(instance.state)
    reveal_type(engine.dispatcher.fetch_and_lock("w", ["t"], lock_duration="PT1M")[0].variables)
worker = hr.Worker("w")

@worker.task("t")
def handler(amount: float) -> dict[str, float]:
    return {"double": amount * 2}

reveal_type(handler)
engine.start(3)
hr.WithRetryPolicy("often")
"""


def mypy(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, timeout=600, cwd=cwd)


def test_the_stub_fits_the_compiled_module(tmp_path: Path) -> None:
    # given: what cannot be compared: pybind11's metaclass, and its __init__ that refuses
    allowed = tmp_path / "allowed.txt"
    boxes = "Definition|EngineDefaults|ErrorMapper|Fetch|Heartbeat|MessageType|ModelBuilder|Operation|OutputMapping|Records|RetryPolicy"
    allowed.write_text(rf"headrace\._core\.({boxes}|ServiceOptions|Sink|ManualClock)(\.__init__)?" + "\n")
    # when
    done = mypy(
        "mypy.stubtest", "headrace._core", "--ignore-missing-stub", "--allowlist", str(allowed), "--ignore-unused-allowlist", cwd=tmp_path
    )
    # then
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_public_name_of_the_compiled_module_has_a_stub() -> None:
    # given
    stub = (PACKAGE / "_core.pyi").read_text()
    # then
    missing = [n for n in dir(headrace._core) if not n.startswith("_") and f"{n}" not in stub]
    assert missing == []


def test_a_users_script_is_typed(tmp_path: Path) -> None:
    # given
    (tmp_path / "script.py").write_text(SCRIPT)
    # when
    done = mypy("mypy", "--strict", "--no-error-summary", "script.py", cwd=tmp_path)
    # then
    lines = [line.split(": ", 1)[1] for line in done.stdout.splitlines()]
    revealed = [line.removeprefix('note: Revealed type is "').rstrip('"') for line in lines if line.startswith("note: Revealed")]
    assert [r.rsplit(".", 1)[-1] for r in revealed[:4]] == ["EndEvent", "Engine", "Instance", "InstanceState"]
    assert revealed[5] == "def (amount: float) -> dict[str, float]" or "float" in revealed[5]
    errors = [line for line in lines if line.startswith("error")]
    assert len(errors) == 2, done.stdout
