"""Under EngineAuthoritative not one byte of the policy reaches what a worker can see (ADR-021 2.5, design 4.8)."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import logging
import pickle
from collections.abc import Iterator
from typing import Any

import pytest
from seed_models import AUTHORITATIVE, QUERY, TRUSTED, fetch_one, straight, work_off

import headrace as hr

CANARY = "canary"
CONTRACT = hr.Operation("look up", QUERY, hr.Message("Answer", {"canary_target": str, "canary_other": hr.Optional(str)}))


class CanaryPolicy(hr.RetryPolicy):
    max_attempts = 5

    def next_delay(self, attempt: int, failure: hr.Failure, jitter: float) -> float | None:
        return 0.001 if attempt < self.max_attempts else None


def policy_of_canaries(trust: hr.WorkerTrust, retry: hr.RetryPolicy) -> list[hr.options.Option]:
    return [
        hr.WithErrorMapper(
            [
                hr.rule("canary-code", body="$.canaryField == 'canary-clause'").bpmn_error("canary-error", message="canary-message"),
                hr.rule(418, body="$.canaryStatus").status("canary-value"),
                hr.rule(419).status(hr.path("$.canaryPath")),
            ]
        ),
        hr.WithStatus("canary_status"),
        hr.WithOutputMapping([hr.out("$.canary.source", "canary_target"), hr.out("$.canaryOptional", "canary_other", optional=True)]),
        hr.WithRetryPolicy(retry),
        hr.WithWorkerTrust(trust),
    ]


def all_that_shows(thing: Any) -> Iterator[str]:
    """What a worker can read of a job: every attribute, its texts, its data, and its forms on a wire."""
    for name in dir(thing):
        if not name.startswith("__"):
            yield f"{name}={getattr(thing, name)!r}"
    yield repr(thing)
    yield str(thing)
    data = thing.data()
    yield repr(data)
    yield json.dumps(dataclasses.asdict(data), default=str)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        yield pickle.dumps(thing, protocol).decode("latin-1")
    yield repr(vars(type(thing)))


def refusals(job: hr.Job) -> Iterator[str]:
    """The messages of all calls of its verbs that are refused, and of those of its module that a worker might try."""
    queue = job.dispatcher
    calls = [
        lambda: queue.complete(job.id, "stranger", {}),
        lambda: queue.fail(job.id, "stranger"),
        lambda: queue.complete("9:9:9:9:look", "w", {}),
        lambda: queue.complete(job.id, job.worker, {}, epoch=99),
        lambda: job.complete({"name": {1, 2}}),
        lambda: job.complete({"name": float("nan")}),
        lambda: job.report_status({1}),
        lambda: job.fail(retries=-1),
        lambda: job.fail(retry_after="soon"),
        lambda: job.report_raw({"a": 1}),
        lambda: job.report_raw(float("nan")),
        lambda: job.extend_lock("P400D"),
        lambda: job.extend_lock(-1),
        lambda: hr._core.judge(job, "x", {}, "", 1, 0.0),
        lambda: hr._core.map_output(job, {"a": 1}),
    ]
    for call in calls:
        with pytest.raises((hr.HeadraceError, TypeError, ValueError)) as refused:
            call()
        yield f"{type(refused.value).__name__}: {refused.value!r} {refused.value}"


def test_the_canaries_are_seen_where_the_worker_may_see_them() -> None:
    # given the same policy for a trusted worker
    with hr.Engine(clock=hr.ManualClock(), threads=0) as engine:
        engine.deploy(straight(*policy_of_canaries(TRUSTED, hr.FixedDelay(5, 0.001)), operation=CONTRACT))
        engine.start("order", {"id": 1})
        # when
        job = fetch_one(engine, runs_policy=True)
        # then: the search below would find them
        assert any(CANARY in text for text in all_that_shows(job))
        assert hr._core.judge(job, 419, {"canaryPath": "x"}, "", 1, 0.0) == ("status", "x", None)


@pytest.mark.seed("ADR-021 2.5/10")
@pytest.mark.seed("ADR-021 2.5/6")
@pytest.mark.parametrize("retry", [hr.FixedDelay(5, 0.001), CanaryPolicy()], ids=["stock", "custom"])
def test_no_byte_of_the_policy_shows_in_a_job_nor_in_a_refusal(retry: hr.RetryPolicy) -> None:
    # given
    seen: list[str] = []
    with hr.Engine(clock=hr.ManualClock(), threads=0) as engine:
        engine.deploy(straight(*policy_of_canaries(AUTHORITATIVE, retry), operation=CONTRACT))
        instance = engine.start("order", {"id": 1})
        # when the job fails in every way that leaves a trace, and is fetched again each time
        ways = [
            lambda job: job.fail("canary-code", {"canaryField": "no"}, "canary-last-error"),
            lambda job: job.complete({"unmapped": 1}),
            lambda job: job.report_raw(500, {"canaryLastBody": 1}),
        ]
        for fail in ways:
            job = fetch_one(engine, runs_policy=True)
            seen += [*all_that_shows(job), *refusals(job)]
            fail(job)
            engine.advance(1)
        job = fetch_one(engine, runs_policy=True)
        seen += [*all_that_shows(job), *refusals(job)]
        # then
        assert [text for text in seen if CANARY in text.lower()] == []
        assert (job.policy, job.attempt, job.retries, job.expiries) == (None, None, None, None)
        # and the policy was at work all the time
        job.report_raw(200, {"canary": {"source": "x"}})
        assert instance.variables == {"id": 1, "canary_target": "x"}


@pytest.mark.parametrize(
    "report",
    [
        hr.Fault("other", {}),
        hr.Fault(418, {"x": 1}),
        hr.BpmnError("x"),
        hr.Status("x"),
        ValueError("x"),
        None,
    ],
    ids=["fault", "status-by-mapper", "bpmn-error", "status", "exception", "mismatch"],
)
def test_no_byte_of_the_policy_shows_in_an_hr_worker_nor_in_its_log(report: Exception | None, caplog: pytest.LogCaptureFixture) -> None:
    # given
    caplog.set_level(logging.DEBUG, "headrace.worker")
    seen: list[str] = []

    def handler(job: hr.Job) -> dict[str, Any]:
        seen.extend(all_that_shows(job))
        if report is not None:
            raise report
        return {"unmapped": 1}

    # when
    with hr.Engine() as engine:
        engine.deploy(straight(*policy_of_canaries(AUTHORITATIVE, hr.FixedDelay(2, 0.001)), operation=CONTRACT))
        instance = work_off(engine, handler, {"id": 1})
    # then
    assert len(instance.incidents) == 1
    assert [text for text in seen if CANARY in text.lower()] == []
    assert [r.getMessage() for r in caplog.records if r.name == "headrace.worker" and CANARY in r.getMessage().lower()] == []


class Listening(hr.WorkerDispatcher):
    """A queue of somebody else: it sees what a job carries, and nothing more."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def enqueue(self, job: hr.JobData) -> None:
        self.seen += [repr(job), repr(dataclasses.asdict(job)), pickle.dumps(job).decode("latin-1")]

    def withdraw(self, id: str) -> None: ...

    def fetch_and_lock(self, *_: Any) -> list[hr.JobData]:
        return []

    def extend_lock(self, *_: Any) -> Any: ...

    def unlock(self, *_: Any) -> None: ...

    def report(self, *_: Any) -> None: ...

    def pending(self, topic: str) -> int:
        return 0


def test_no_byte_of_the_policy_is_in_what_a_queue_of_ones_own_gets() -> None:
    # given
    queue = Listening()
    with contextlib.closing(hr.Engine(None, hr.WithWorkerDispatcher(queue), clock=hr.ManualClock(), threads=0)) as engine:
        engine.deploy(straight(*policy_of_canaries(AUTHORITATIVE, hr.FixedDelay(5, 0.001)), operation=CONTRACT))
        # when
        engine.start("order", {"id": 1})
        engine.run_until_idle()
    # then
    assert len(queue.seen) == 3
    assert [text for text in queue.seen if CANARY in text.lower()] == []


XML = """<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:hr="urn:headrace:bpmn:1" targetNamespace="t">
  <process id="order" isExecutable="true"><startEvent id="start"/><sequenceFlow id="a" sourceRef="start" targetRef="look"/>
  <serviceTask id="look" hr:topic="look-up"><extensionElements><hr:service trust="engineAuthoritative">
    <hr:errorMapper><hr:rule code="404"><hr:status value="canary-value"/></hr:rule></hr:errorMapper>
    <hr:outputMapping><hr:out path="$.canary" target="canary_target"/></hr:outputMapping><hr:status name="canary_status"/>
    <hr:inMessage name="In"><hr:field name="id" type="int"/></hr:inMessage></hr:service></extensionElements></serviceTask>
  <sequenceFlow id="b" sourceRef="look" targetRef="gate"/><exclusiveGateway id="gate"/>
  <sequenceFlow id="c" sourceRef="gate" targetRef="end">
    <conditionExpression>${canary_target &gt; 5 || canary_status == 'x'}</conditionExpression></sequenceFlow>
  <endEvent id="end"/></process></definitions>"""


def reported(job: hr.Job, way: str) -> Exception:
    """The error that a report gets whose step is undone."""
    queue = job.dispatcher
    if way == "complete_many":
        (error,) = queue.complete_many([(job, {"canary": "text"})], "w")
        assert error is not None
        return error
    with pytest.raises(hr.HeadraceError) as refused:
        job.complete({"canary": "text"}) if way == "complete" else job.report_raw(404)
    return refused.value


@pytest.mark.parametrize("way", ["complete", "complete_many", "report_raw"])
def test_a_step_that_is_undone_tells_an_untrusted_worker_no_word_of_the_model_and_the_operators_all(
    clock: hr.ManualClock, way: str
) -> None:
    # given a model of the camunda7 profile, whose gateway names what policy and mapping write and cannot decide
    records: list[hr.Record] = []
    with hr.Engine(clock=clock, threads=0) as engine:
        engine.subscribe(records.append, "warning")
        engine.deploy(XML, profile="camunda7")
        instance = engine.start("order", {"id": 1})
        job = fetch_one(engine)
        before = instance.snapshot()
        # when
        error = reported(job, way)
        # then
        assert CANARY not in f"{error!r} {error}".lower()
        assert "undone" in str(error)
        assert instance.snapshot() == before
        assert job.extend_lock(60)
    told = [r for r in records if r.what == "job-report-refused"]
    assert [("canary" in r.text, r.level) for r in told] == [(True, "warning")]


def test_an_hr_worker_whose_step_is_undone_logs_no_word_of_the_model(hand_driven: hr.Engine, caplog: pytest.LogCaptureFixture) -> None:
    # given
    caplog.set_level(logging.DEBUG, "headrace.worker")
    hand_driven.deploy(XML, profile="camunda7")
    hand_driven.start("order", {"id": 1})
    worker = hr.Worker("w")
    worker.task("look-up")(lambda: {"canary": "text"})
    # when
    worker.run(hand_driven)
    # then
    logged = [r.getMessage() for r in caplog.records if r.name == "headrace.worker"]
    assert len(logged) == 1 and "undone" in logged[0]
    assert CANARY not in logged[0]
