"""Tables for pandas."""

from __future__ import annotations

import sys

import pytest

import headrace as hr
from headrace import frames
from headrace.testing import Engine


def steps() -> hr.Process:
    process = hr.Process("steps")
    process.start_event("start") >> process.service_task("work", None, hr.WithWorker("work"), name="Work") >> process.end_event("end")
    return process


def test_elements_of_an_instance_are_one_line_each() -> None:
    # given
    pytest.importorskip("pandas", reason="the extra notebook is not installed")
    with Engine() as engine:
        engine.deploy(steps())
        instance = engine.start("steps", {})
        # when
        frame = frames.elements(instance)
    # then
    assert list(frame.columns) == frames.ELEMENTS
    assert frame.set_index("node").loc["work"].to_dict() == {
        "name": "Work",
        "kind": "serviceTask",
        "completed": 0,
        "cancelled": 0,
        "tokens": 1,
        "incidents": 0,
    }
    assert frame.set_index("node").loc["start", "completed"] == 1


def test_instances_are_one_line_each_without_variables() -> None:
    # given
    pytest.importorskip("pandas", reason="the extra notebook is not installed")
    with Engine() as engine:
        engine.deploy(steps())
        many = [engine.start("steps", {"secret": n}) for n in range(3)]
        many[0].cancel()
        # when
        frame = frames.instances(many)
    # then
    assert list(frame.columns) == frames.INSTANCES
    assert list(frame["state"]) == ["cancelled", "active", "active"]
    assert list(frame["tokens"]) == [0, 1, 1]


def test_without_pandas_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    # given
    monkeypatch.setitem(sys.modules, "pandas", None)
    # then
    with pytest.raises(ImportError, match=r"pip install headrace\[notebook\]"):
        frames.instances([])
