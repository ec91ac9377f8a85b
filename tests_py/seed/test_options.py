"""The options of a service and their engine-wide defaults: per service wins, and all is resolved at enqueue (ADR-021 2.2)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from seed_models import AUTHORITATIVE, TOPIC, TRUSTED, ended, fetch, fetch_one, looked_up, straight

import headrace as hr

Outcome = Callable[[hr.Engine, hr.Instance], Any]


def retries(engine: hr.Engine, instance: hr.Instance) -> int:
    """Executions until the incident."""
    executions = 0
    while not instance.incidents:
        for job in fetch(engine):
            job.fail(500)
            executions += 1
        engine.advance(60)
    return executions


def mapped(engine: hr.Engine, instance: hr.Instance) -> list[str]:
    fetch_one(engine).report_raw(409)
    return ended(instance)


def trusted(engine: hr.Engine, instance: hr.Instance) -> bool:
    return not fetch_one(engine).authoritative


def lock(engine: hr.Engine, instance: hr.Instance) -> dt.timedelta:
    return fetch_one(engine).deadline - engine.now()


class Codes(hr.Binding):
    """A protocol whose success is the word OK, and whose bodies are a=1;b=2."""

    def success(self, code: Any) -> bool:
        return bool(code == "OK")

    def body(self, raw: Any) -> Any:
        return dict(part.split("=") for part in raw.split(";")) if isinstance(raw, str) else raw


def bound(engine: hr.Engine, instance: hr.Instance) -> Any:
    fetch_one(engine).report_raw("OK", "name=Ann")
    return instance.variables.get("name", "no success")


def to(code: str) -> list[hr.policy.Rule]:
    return [hr.rule(409).bpmn_error(code)]


class Never(Codes):
    def success(self, code: Any) -> bool:
        return False


LEVELS: list[Any] = [
    pytest.param(retries, [hr.WithWorkerRetryPolicy(hr.FixedDelay(5, 1))], [hr.WithRetryPolicy(hr.NoRetry())], [3, 5, 1], id="retry"),
    pytest.param(
        mapped,
        [hr.WithWorkerErrorMapper(to("ResourceConflict"))],
        [hr.WithErrorMapper(to("ResourceNotFound"))],
        [[], ["conflict"], ["missing"]],
        id="error-mapper",
    ),
    pytest.param(trusted, [hr.WithWorkerTrustDefault(AUTHORITATIVE)], [hr.WithWorkerTrust(TRUSTED)], [True, False, True], id="trust"),
    pytest.param(
        lock,
        [hr.WithWorkerLockDuration(40)],
        [hr.WithLockDuration(20)],
        [dt.timedelta(minutes=5), dt.timedelta(seconds=40), dt.timedelta(seconds=20)],
        id="lock-duration",
    ),
    pytest.param(bound, [hr.WithWorkerBinding(Codes())], [hr.WithBinding(Never())], ["no success", "Ann", "no success"], id="binding"),
]


@pytest.mark.seed("ADR-021 2.2/4")
@pytest.mark.seed("ADR-021 2.6/30")
@pytest.mark.seed("ADR-021 2.7/6")
@pytest.mark.parametrize("level", [0, 1, 2], ids=["built-in", "engine-wide", "per-service"])
@pytest.mark.parametrize(("outcome", "engine_wide", "per_service", "expected"), LEVELS)
def test_an_option_of_the_service_wins_over_the_engine_wide_default_and_that_over_the_built_in_one(
    outcome: Outcome, engine_wide: list[Any], per_service: list[Any], expected: list[Any], level: int
) -> None:
    # given
    with hr.Engine(None, *(engine_wide if level else []), clock=hr.ManualClock(), threads=0) as engine:
        engine.deploy(looked_up(*(per_service if level == 2 else [])))
        # when
        instance = engine.start("order", {"id": 7, "state": ""})
        # then
        assert outcome(engine, instance) == expected[level]


@pytest.mark.seed("ADR-021 2.2/4")
@pytest.mark.parametrize(("engine_wide", "per_service", "most"), [([], [], 86_400), ([50], [], 50), ([50], [9], 9)])
def test_the_cap_is_that_of_the_service_then_of_the_engine(engine_wide: list[int], per_service: list[int], most: int) -> None:
    # given
    options = [hr.WithWorkerMaxLockDuration(d) for d in engine_wide]
    with hr.Engine(None, *options, clock=hr.ManualClock(), threads=0) as engine:
        engine.deploy(straight(*(hr.WithMaxLockDuration(d) for d in per_service)))
        engine.start("order", {"id": 7})
        # when
        with pytest.raises(hr.LockCapExceeded):
            fetch(engine, lock_duration=most + 1)
        # then
        assert len(fetch(engine, lock_duration=most)) == 1


def test_changed_defaults_leave_the_policy_of_queued_jobs_alone_without_a_restart(hand_driven: hr.Engine) -> None:
    # given a queued job of each kind
    hand_driven.deploy(looked_up())
    before = [hand_driven.start("order", {"id": n, "state": ""}) for n in range(2)]
    # when
    hand_driven.set_defaults(
        hr.WithWorkerRetryPolicy(hr.NoRetry()),
        hr.WithWorkerErrorMapper(to("ResourceConflict")),
        hr.WithWorkerTrustDefault(AUTHORITATIVE),
    )
    after = [hand_driven.start("order", {"id": n, "state": ""}) for n in range(2)]
    jobs = fetch(hand_driven, max_jobs=4)
    for number, job in enumerate(jobs):
        job.report_raw(409 if number % 2 else 500)
    # then: the old ones are retried as at their enqueue, with no mapper; the new ones follow the new defaults
    assert [job.authoritative for job in jobs] == [False, False, True, True]
    assert [(ended(i), len(i.incidents)) for i in before] == [([], 0), ([], 0)]
    assert [(ended(i), len(i.incidents)) for i in after] == [([], 1), (["conflict"], 0)]
    hand_driven.advance(60)
    assert [job.authoritative for job in fetch(hand_driven, max_jobs=4)] == [False, False]


XML = """<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
    targetNamespace="t"><process id="order" isExecutable="true">
  <startEvent id="start"/><sequenceFlow id="a" sourceRef="start" targetRef="look"/>
  <serviceTask id="look" implementation="{implementation}" {more}/>
  <sequenceFlow id="b" sourceRef="look" targetRef="end"/><endEvent id="end"/></process></definitions>"""


@pytest.mark.seed("ADR-021 2.2/3")
@pytest.mark.parametrize("implementation", ["##WebService", "##Unspecified", "external", TOPIC])
def test_the_implementation_attribute_never_selects_a_locus(hand_driven: hr.Engine, implementation: str) -> None:
    # given the attribute alone, and beside an explicit topic
    alone = XML.format(implementation=implementation, more="")
    explicit = XML.format(implementation=implementation, more=f'camunda:type="external" camunda:topic="{TOPIC}"')
    # when
    with pytest.raises(hr.ModelError, match="look"):
        hand_driven.deploy(alone)
    hand_driven.deploy(explicit)
    hand_driven.start("order")
    # then
    assert fetch_one(hand_driven).node == "look"


@pytest.mark.seed("ADR-021 2.2/3")
def test_a_message_operation_becomes_no_workers_task_without_with_worker(hand_driven: hr.Engine) -> None:
    # given an operation that could run in either locus
    operation = hr.Operation(
        "o", hr.Message("In", {"id": int}), hr.Message("Out", {"name": str}), implementor=lambda query: {"name": "here"}
    )
    order = hr.Process("order")
    order.start_event("start") >> order.service_task("look", operation) >> order.end_event("end")
    hand_driven.deploy(order)
    # when
    instance = hand_driven.start("order", {"id": 7})
    hand_driven.run_until_idle()
    # then
    assert instance.variables["name"] == "here"
    assert hand_driven.dispatcher.pending() == 0
