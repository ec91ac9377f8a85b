"""Where an instance ended: what its handle, its table and its story say."""

from __future__ import annotations

import pytest

import headrace as hr
from headrace.testing import Engine


def forked() -> hr.Process:
    """start >> two tasks at once >> an end each; a sub-process with an end of its own in front"""
    process = hr.Process("forked")
    inner = process.sub_process("inner")
    inner.start_event("in") >> inner.end_event("out")
    fork = process.parallel_gateway("fork")
    process.start_event("start") >> inner >> fork
    fork >> process.service_task("pay", None, hr.WithWorker("pay")) >> process.end_event("paid")
    fork >> process.service_task("ship", None, hr.WithWorker("ship")) >> process.end_event("shipped")
    return process


@pytest.mark.parametrize(("order", "last"), [(["pay", "ship"], "shipped"), (["ship", "pay"], "paid")])
def test_a_normal_end_names_the_end_event_that_was_reached_last(engine: Engine, order: list[str], last: str) -> None:
    # given
    engine.deploy(forked())
    instance = engine.start("forked", {})
    # when
    for topic in order:
        assert instance.end_node is None
        [job] = engine.dispatcher.fetch_and_lock("w", [topic])
        job.complete({})
    # then
    assert instance.state is hr.InstanceState.COMPLETED
    assert instance.end_node == instance.snapshot().end_node == last


def test_a_failed_instance_names_the_element_that_failed_and_a_cancelled_one_none(engine: Engine) -> None:
    # given
    engine.deploy(forked())
    failed, cancelled = engine.start("forked", {}), engine.start("forked", {})
    # when
    cancelled.cancel("enough")
    [job] = engine.dispatcher.fetch_and_lock("w", ["pay"])
    job.bpmn_error("NOBODY_CATCHES")
    # then
    assert (failed.state, failed.end_node) == (hr.InstanceState.FAILED, "pay")
    assert (cancelled.state, cancelled.end_node) == (hr.InstanceState.CANCELLED, None)


def test_a_terminate_end_event_is_where_its_instance_ended(engine: Engine) -> None:
    # given
    process = hr.Process("given-up")
    fork = process.parallel_gateway("fork")
    process.start_event("start") >> fork
    fork >> process.user_task("wait") >> process.end_event("end")
    fork >> process.user_task("give-up") >> process.terminate_end("stop")
    engine.deploy(process)
    instance = engine.start("given-up", {})
    # when
    instance.complete_user_task("give-up")
    # then
    assert (instance.state, instance.end_node) == (hr.InstanceState.COMPLETED, "stop")
