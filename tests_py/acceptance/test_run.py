"""`headrace run`: the story of one instance, exit codes, --json."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import headrace

EXAMPLES = Path(headrace.__file__).parent / "examples"
ORDER, WORKERS = EXAMPLES / "order.bpmn", EXAMPLES / "workers.py"

ONE_TASK = """<?xml version="1.0"?>
<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
                  targetNamespace="t">
  <bpmn:process id="p" isExecutable="true">
    <bpmn:startEvent id="s"/><bpmn:endEvent id="e" name="Done"/>
    <bpmn:serviceTask id="pay" name="Pay" camunda:type="external" camunda:topic="t"/>
    <bpmn:sequenceFlow id="f" sourceRef="s" targetRef="pay"/><bpmn:sequenceFlow id="g" sourceRef="pay" targetRef="e"/>
  </bpmn:process>
</bpmn:definitions>"""


def headrace_run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-m", "headrace.cli", "run", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.fixture
def one_task(tmp_path: Path) -> Path:
    model = tmp_path / "one.bpmn"
    model.write_text(ONE_TASK)
    return model


def workers(tmp_path: Path, body: str) -> Path:
    script = tmp_path / "workers.py"
    script.write_text(f'import headrace as hr\nworker = hr.Worker("w")\n@worker.task("t")\ndef handler(job):\n    {body}\n')
    return script


def test_a_small_order_is_told_line_by_line_and_ends_with_0() -> None:
    # when
    done = headrace_run(ORDER, "--var", "amount=30", "--var", "item=a book", "--worker", WORKERS)
    # then
    assert done.returncode == 0, done.stderr
    told = done.stdout
    places = [
        told.index(part)
        for part in (
            "started ",
            "'Large amount?' (big)",
            "enqueued   charge-card",
            "locked     charge-card",
            "variable   receiptId",
            "completed at",
        )
    ]
    assert places == sorted(places)
    assert "completed at 'Order paid' (paid)" in told
    assert '  item = "a book"\n' in told
    assert "  amount = 30\n" in told
    assert done.stderr == ""


def test_a_large_order_is_approved_first() -> None:
    # when
    done = headrace_run(ORDER, "--var", "amount=5000", "--worker", WORKERS)
    # then
    assert done.returncode == 0
    assert done.stdout.index("approve-order") < done.stdout.index("charge-card")


def test_json_gives_one_document_and_nothing_else_on_stdout() -> None:
    # when
    done = headrace_run(ORDER, "--var", "amount=30", "--worker", WORKERS, "--json")
    # then
    document = json.loads(done.stdout)
    assert done.returncode == 0
    assert (document["outcome"], document["ends"]) == ("completed", ["paid"])
    assert document["variables"]["charged"] == 30
    assert "job-completed" in [e["what"] for e in document["story"]]


@pytest.mark.parametrize("as_json", [False, True])
def test_an_incident_ends_with_1(one_task: Path, tmp_path: Path, as_json: bool) -> None:
    # given
    script = workers(tmp_path, 'raise ValueError("no money")')
    # when
    done = headrace_run(one_task, "--worker", script, *(["--json"] if as_json else []))
    # then
    assert done.returncode == 1
    assert "ValueError: no money" in done.stdout


def test_waiting_too_long_ends_with_124_and_says_where(one_task: Path) -> None:
    # when
    done = headrace_run(one_task, "--timeout", "0.3")
    # then
    assert done.returncode == 124
    assert "waits at 'Pay' (pay)" in done.stdout


def test_a_bad_model_ends_with_3_and_names_element_and_line(one_task: Path) -> None:
    # given
    one_task.write_text(ONE_TASK.replace('targetRef="e"', 'targetRef="nowhere"'))
    # when
    done = headrace_run(one_task)
    # then
    assert done.returncode == 3
    assert "nowhere" in done.stderr
    assert "line" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["missing.bpmn"],
        [ORDER, "--var", "amount"],
        [ORDER, "--timeout", "soon"],
        [ORDER, "--process", "other"],
        [ORDER, "--worker", "missing.py"],
        [ORDER, "--worker", ORDER],
        [ORDER, "--explode"],
        [ORDER, "--profile", "zeebe"],
    ],
    ids=str,
)
def test_wrong_usage_ends_with_2_and_says_why(arguments: list[object]) -> None:
    # when
    done = headrace_run(*arguments)
    # then
    assert done.returncode == 2
    assert "error" in done.stderr
    assert "Traceback" not in done.stderr


def test_ctrl_c_ends_with_130(one_task: Path) -> None:
    # given
    child = subprocess.Popen(
        [sys.executable, "-m", "headrace.cli", "run", str(one_task)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert any(line.startswith("enqueued") for line in child.stdout)
    # when
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=60)
    # then
    assert child.returncode == 130


def test_term_drains_and_ends_with_143(one_task: Path, tmp_path: Path) -> None:
    # given
    ready = tmp_path / "ready"  # a pipe of its own: on stdout the story may come in between
    os.mkfifo(ready)
    script = workers(tmp_path, f'open({str(ready)!r}, "w").close()\n    while not job.cancelled: pass\n    return {{"drained": True}}')
    child = subprocess.Popen(
        [sys.executable, "-m", "headrace.cli", "run", str(one_task), "--worker", str(script)], stdout=subprocess.PIPE, text=True
    )
    ready.read_text()  # until the handler has come so far
    # when
    child.send_signal(signal.SIGTERM)
    out, _ = child.communicate(timeout=60)
    # then
    assert child.returncode == 143
    assert "drained = true" in out


def test_values_are_json_where_they_parse_and_text_otherwise(one_task: Path) -> None:
    # when
    done = headrace_run(one_task, "--timeout", "0", "--json", *(f"--var={v}" for v in ("a=1", "b=[true]", "c=x=y", "d=NaN", "e=")))
    # then
    assert json.loads(done.stdout)["variables"] == {"a": 1, "b": [True], "c": "x=y", "d": "NaN", "e": ""}


def test_version_is_printed() -> None:
    done = subprocess.run([sys.executable, "-m", "headrace.cli", "--version"], capture_output=True, text=True, timeout=60)
    assert done.stdout == f"headrace {headrace.__version__}\n"


def test_versions_has_what_a_bug_report_needs() -> None:
    done = subprocess.run([sys.executable, "-m", "headrace.cli", "versions", "--json"], capture_output=True, text=True, timeout=60)
    assert {"headrace", "compiler", "python", "platform"} <= json.loads(done.stdout).keys()
