"""The local worker pool: handlers registered per topic in Python (SRD-036 FR-2)."""

from __future__ import annotations

from typing import Any

import pytest

import headrace as hr
from models import one_task


def test_the_pool_runs_jobs_of_its_topics(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task())
    engine.dispatcher.register_handler("charge-card", lambda amount: {"double": amount * 2}, parallelism=2)
    engine.dispatcher.start_workers()
    # when
    instances = [engine.start("order", {"amount": n}) for n in range(10)]
    for instance in instances:
        instance.wait(30)
    # then
    assert [i.variables["double"] for i in instances] == [n * 2 for n in range(10)]


def raising(error: BaseException) -> Any:
    def handler(job: hr.Job) -> None:
        raise error

    return handler


@pytest.mark.parametrize(
    ("error", "end", "status"),
    [
        (hr.BpmnError("DECLINED"), "refused", None),
        (hr.Fault(409, {"type": "DECLINED"}), "refused", None),
        (hr.Fault(404, {"type": "NOT_FOUND"}), "end", "NOT_FOUND"),
        (hr.Status("ELSEWHERE"), "end", "ELSEWHERE"),
        (ValueError("odd"), None, None),
    ],
)
def test_a_handler_of_the_pool_ends_a_job_in_each_way(
    hand_driven: hr.Engine, error: Exception, end: str | None, status: str | None
) -> None:
    # given
    rules = [hr.rule(409).bpmn_error("DECLINED"), hr.rule(404).status("NOT_FOUND")]
    order = one_task(hr.WithErrorMapper(rules), hr.WithStatus("payStatus"), hr.WithRetryPolicy(hr.NoRetry()))
    order.boundary_error(order.elements[0], "DECLINED") >> order.end_event("refused")
    hand_driven.deploy(order)
    instance = hand_driven.start("order", {})
    hand_driven.dispatcher.register_handler("charge-card", raising(error))
    # when
    ran = hand_driven.dispatcher.run_handlers_once()
    # then
    assert ran == 1
    if end is None:
        assert "odd" in instance.incidents[0].message
    else:
        assert instance.counts[end].completed == 1
    assert instance.variables.get("payStatus") == status


def test_a_retry_waits_as_long_as_the_handler_says(hand_driven: hr.Engine) -> None:
    # given
    hand_driven.deploy(one_task())
    hand_driven.start("order", {})
    calls: list[str] = []

    def handler(job: hr.Job) -> None:
        calls.append(job.id)
        raise hr.Retry(after=60)

    hand_driven.dispatcher.register_handler("charge-card", handler)
    hand_driven.dispatcher.run_handlers_once()
    # when
    hand_driven.advance(59)
    # then
    assert len(calls) == 1
    hand_driven.advance(1)
    assert len(calls) == 2
