"""The worked contrast of ADR-021 2.6: the code alone does not say what a fault means, code and body do. In both trust modes, through
hr.Worker, through bare calls of the dispatcher and through the local pool."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from seed_models import both_modes, ended, fetch, looked_up, raising, work_off

import headrace as hr

AS_STATUS = hr.rule(404, body="$.type == 'NOT_FOUND'").status("NOT_FOUND")
AS_ERROR = hr.rule(404, body="$.type == 'NOT_FOUND'").bpmn_error("ResourceNotFound")
CONFLICT = hr.rule(409, body="$.type == 'CONFLICT'").bpmn_error("ResourceConflict")
RETRY = hr.WithRetryPolicy(hr.FixedDelay(2, 0.001))

Path = Callable[[hr.Process, int, Any], tuple[hr.Instance, int]]


def through_worker(process: hr.Process, code: int, body: Any) -> tuple[hr.Instance, int]:
    calls: list[int] = []
    with hr.Engine() as engine:
        engine.deploy(process)
        return work_off(engine, raising(hr.Fault(code, body), calls), {"id": 7}), len(calls)


def through_bare_calls(process: hr.Process, code: int, body: Any) -> tuple[hr.Instance, int]:
    calls = 0
    with hr.Engine(clock=hr.ManualClock(), threads=0) as engine:
        engine.deploy(process)
        instance = engine.start("order", {"id": 7})
        while jobs := fetch(engine):
            jobs[0].report_raw(code, body)
            calls += 1
            engine.advance(1)
    return instance, calls


def through_pool(process: hr.Process, code: int, body: Any) -> tuple[hr.Instance, int]:
    calls: list[int] = []
    with hr.Engine(clock=hr.ManualClock(), threads=0) as engine:
        engine.deploy(process)
        engine.dispatcher.register_handler("look-up", raising(hr.Fault(code, body), calls))
        instance = engine.start("order", {"id": 7})
        while engine.dispatcher.run_handlers_once():
            engine.advance(1)
    return instance, len(calls)


each_path = pytest.mark.parametrize("path", [through_worker, through_bare_calls, through_pool], ids=["worker", "bare", "pool"])


@pytest.mark.seed("ADR-021 2.6/11")
@pytest.mark.seed("ADR-021 2.6/2")
@each_path
@both_modes
@pytest.mark.parametrize(
    ("code", "body", "ends", "executions"),
    [
        (404, {"type": "NOT_FOUND"}, ["created"], 1),
        (404, {"type": "WRONG_ROUTE"}, [], 2),
        (409, {"type": "CONFLICT"}, ["conflict"], 1),
        (500, {"type": "BOOM"}, [], 2),
    ],
    ids=["404-not-found", "404-without", "409-conflict", "500"],
)
def test_code_and_body_together_say_what_a_fault_means(
    path: Path, trust: hr.WorkerTrust, code: int, body: Any, ends: list[str], executions: int
) -> None:
    # given
    process = looked_up(RETRY, hr.WithErrorMapper([AS_STATUS, CONFLICT]), hr.WithStatus("state"), hr.WithWorkerTrust(trust))
    # when
    instance, calls = path(process, code, body)
    # then: a business outcome ends the task at once, a technical one is retried and then waits for an operator with code and body
    assert ended(instance) == ends
    assert calls == executions
    assert [(i.code, i.body) for i in instance.incidents] == ([] if ends else [(code, body)])


@pytest.mark.seed("ADR-021 2.6/11")
@each_path
@both_modes
def test_whether_not_found_is_an_error_or_a_status_is_the_modelers_choice(path: Path, trust: hr.WorkerTrust) -> None:
    # given
    process = looked_up(RETRY, hr.WithErrorMapper([AS_ERROR, CONFLICT]), hr.WithWorkerTrust(trust))
    # when
    instance, calls = path(process, 404, {"type": "NOT_FOUND"})
    # then
    assert (ended(instance), calls) == (["missing"], 1)
