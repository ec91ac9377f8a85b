"""Technical faults, retry policies, and who owns the retries (ADR-021 2.6, 2.7, 2.9)."""

from __future__ import annotations

import datetime as dt
import threading
from typing import Any

import pytest
from seed_models import AUTHORITATIVE, TOPIC, TRUSTED, both_modes, fetch, fetch_one, raising, straight, work_off

import headrace as hr


def executions(engine: hr.Engine, instance: hr.Instance, **report: Any) -> list[float]:
    """Fails each delivery until the incident; the times of the deliveries since the first, in seconds."""
    times: list[dt.datetime] = []
    while not instance.incidents:
        for job in fetch(engine):
            times.append(engine.now())
            job.fail(500, **report)
        engine.advance("PT0.125S")
    return [(t - times[0]).total_seconds() for t in times]


@pytest.mark.seed("ADR-021 2.6/10")
@both_modes
@pytest.mark.parametrize(
    "fault", [TimeoutError("slow"), ConnectionResetError("reset"), hr.Fault(503, {"a": 1}), hr.Fault(None), hr.Retry(after=0.001)]
)
def test_a_transient_fault_of_whatever_kind_feeds_the_retry_policy(trust: hr.WorkerTrust, fault: Exception) -> None:
    # given
    calls: list[int] = []
    with hr.Engine() as engine:
        engine.deploy(straight(hr.WithRetryPolicy(hr.FixedDelay(3, 0.001)), hr.WithWorkerTrust(trust)))
        # when
        instance = work_off(engine, raising(fault, calls), {"id": 7})
    # then
    assert len(calls) == 3
    assert len(instance.incidents) == 1


@pytest.mark.seed("ADR-021 2.6/10")
@pytest.mark.seed("ADR-021 6/7")
def test_a_topic_that_nobody_serves_is_a_technical_fault_by_the_jobs_timeout_to_the_microsecond(hand_driven: hr.Engine) -> None:
    # given one task with a timeout of its job, and one without
    records: list[hr.Record] = []
    hand_driven.subscribe(records.append, "debug")
    hand_driven.deploy(straight(hr.WithJobTimeout(600)))
    timed = hand_driven.start("order", {"id": 7})
    hand_driven.deploy(straight(topic="other"))
    patient = hand_driven.start("order", {"id": 7})
    # when
    hand_driven.advance("PT9M59.999999S")
    assert timed.incidents == ()
    hand_driven.advance("PT0.000001S")
    # then: it uses up all attempts, and is seen; waiting alone is no fault, but raises the alarm
    (incident,) = timed.incidents
    assert (incident.topic, incident.raised) == (TOPIC, hand_driven.now())
    assert "timeout" in incident.message
    assert fetch(hand_driven) == []
    assert patient.incidents == ()
    assert len(fetch(hand_driven, topic="other")) == 1
    hand_driven.close()
    assert {(r.what, r.topic) for r in records} >= {("topic-stuck", "other"), ("job-exhausted", TOPIC)}


@pytest.mark.seed("ADR-021 6/7")
@pytest.mark.seed("ADR-021 2.6/10")
def test_an_operation_in_the_process_that_takes_too_long_is_a_technical_fault_that_the_policy_retries() -> None:
    # given an operation that takes 10 s of the engine's clock, twice
    clock, calls = hr.ManualClock(), []

    def slow() -> dict[str, Any]:
        calls.append(clock.now())
        clock.set(clock.now() + dt.timedelta(seconds=10 if len(calls) < 3 else 5))
        return {"calls": len(calls)}

    order = hr.Process("order")
    work = order.service_task("work", slow, hr.WithTimeout("PT5.000001S"), hr.WithRetryPolicy(hr.FixedDelay(3, 60)))
    order.start_event("start") >> work >> order.end_event("end")
    with hr.Engine(clock=clock, threads=0) as engine:
        engine.deploy(order)
        instance = engine.start("order")
        # when
        for _ in range(3):
            engine.run_until_idle()
            engine.advance(60)
        metrics = engine.metrics()
    # then
    assert instance.variables == {"calls": 3}
    assert metrics["operations_timed_out"] == 2


class ByAttemptAndError(hr.RetryPolicy):
    """Waits as many seconds as the attempt's number for one error, gives up for another."""

    max_attempts = 4

    def next_delay(self, attempt: int, failure: hr.Failure, jitter: float) -> float | None:
        if failure.code == "fatal" or attempt == self.max_attempts:
            return None
        return float(attempt)


@pytest.mark.seed("ADR-021 2.7/2")
@pytest.mark.seed("ADR-021 2.7/3")
@both_modes
def test_a_policy_of_ones_own_decides_by_attempt_and_error(hand_driven: hr.Engine, trust: hr.WorkerTrust) -> None:
    # given
    hand_driven.deploy(straight(hr.WithRetryPolicy(ByAttemptAndError()), hr.WithWorkerTrust(trust)))
    instance = hand_driven.start("order", {"id": 7})
    # when / then
    assert executions(hand_driven, instance) == [0, 1, 3, 6]
    # and
    other = hand_driven.start("order", {"id": 7})
    fetch_one(hand_driven).fail("fatal")
    assert len(other.incidents) == 1


@pytest.mark.seed("ADR-021 2.7/4")
@both_modes
@pytest.mark.parametrize(
    ("policy", "times"),
    [
        (hr.NoRetry(), [0]),
        (hr.FixedDelay(4, 2), [0, 2, 4, 6]),
        (hr.ExponentialBackoff(5, base=1, max=4, jitter=0.0), [0, 1, 3, 7, 11]),
    ],
    ids=repr,
)
def test_the_stock_policies_run_a_job_as_often_and_as_late_as_they_say(
    hand_driven: hr.Engine, trust: hr.WorkerTrust, policy: hr.RetryPolicy, times: list[float]
) -> None:
    # given
    hand_driven.deploy(straight(hr.WithRetryPolicy(policy), hr.WithWorkerTrust(trust)))
    # when
    instance = hand_driven.start("order", {"id": 7})
    # then
    assert executions(hand_driven, instance) == times


@pytest.mark.seed("ADR-021 2.7/5")
@pytest.mark.parametrize("seed", range(5))
def test_without_a_policy_a_job_runs_three_times_and_its_delays_grow_and_are_jittered(seed: int) -> None:
    # given
    with hr.Engine(clock=hr.ManualClock(), threads=0, seed=seed) as engine:
        engine.deploy(straight())
        instance = engine.start("order", {"id": 7})
        due: list[float] = []
        # when
        while not instance.incidents:
            began = engine.now()
            fetch_one(engine).fail(500)
            while not instance.incidents and not engine.dispatcher.pending(TOPIC):
                engine.advance("PT0.001S")
            due.append((engine.now() - began).total_seconds())
    # then: 500 ms doubling, less up to half of it
    assert len(due) == 3
    assert 0.25 <= due[0] <= 0.502
    assert 0.5 <= due[1] <= 1.002
    assert round(due[0], 3) not in (0.25, 0.5)


@pytest.mark.seed("ADR-021 2.7/8")
def test_a_trusted_worker_holds_and_extends_its_lock_over_its_retries_and_reports_only_the_end() -> None:
    # given
    calls: list[int] = []
    records: list[hr.Record] = []
    with hr.Engine() as engine:
        engine.subscribe(records.append, "debug")
        engine.deploy(straight(hr.WithRetryPolicy(hr.FixedDelay(3, 0.001))))
        # when
        instance = work_off(engine, raising(OSError("away"), calls), {"id": 7})
        (topic,) = engine.metrics()["topics"]
    # then: one fetch, an extension before each wait, one report
    story = [r.what for r in records if r.what in ("job-fetched", "lock-extended", "job-reported", "job-backed-off", "incident-raised")]
    assert [w for w in story if w != "incident-raised"] == ["job-fetched", "lock-extended", "lock-extended", "job-reported"]
    assert calls == [1, 1, 1]
    assert (topic["fetched"], topic["extensions"], topic["reports"], topic["retries"]) == (1, 2, 1, 0)
    assert len(instance.incidents) == 1


@pytest.mark.seed("ADR-021 2.7/9")
@pytest.mark.parametrize(("runs_policy", "deliveries"), [(True, 1), (False, 3)], ids=["owned-by-the-worker", "owned-by-the-engine"])
def test_the_last_fail_of_a_worker_that_owns_its_retries_is_the_end_and_that_of_another_is_a_retry_of_the_engine(
    hand_driven: hr.Engine, runs_policy: bool, deliveries: int
) -> None:
    # given
    hand_driven.deploy(straight(hr.WithRetryPolicy(hr.FixedDelay(3, 10))))
    instance = hand_driven.start("order", {"id": 7})
    count = 0
    # when
    while not instance.incidents:
        fetch_one(hand_driven, runs_policy=runs_policy).fail(500)
        count += 1
        hand_driven.advance(10)
    # then: never both
    assert count == deliveries


@pytest.mark.parametrize("vanished", [0, 1, 2, 3])
def test_three_attempts_stay_three_over_lock_expiries_of_trusted_workers(vanished: int) -> None:
    # given a policy of 3 executions, and workers that die while they own them
    clock, calls = hr.ManualClock(), []
    with hr.Engine(clock=clock) as engine:
        engine.deploy(straight(hr.WithRetryPolicy(hr.FixedDelay(3, 0.001))))
        instance = engine.start("order", {"id": 7})
        raised = threading.Event()
        engine.subscribe(lambda r: raised.set() if r.what == "incident-raised" else None, "error")
        for _ in range(vanished):
            (job,) = fetch(engine, worker="dying", lock_duration=30, runs_policy=True, wait=30)
            assert job.owner == "worker"
            clock.set(clock.now() + dt.timedelta(seconds=30))
            engine.dispatcher.pending()
            clock.set(clock.now() + dt.timedelta(seconds=1))
        # when a worker comes that only fails
        worker = hr.Worker("sound")
        worker.task(TOPIC)(raising(OSError("away"), calls))
        with engine.worker(worker):
            assert raised.wait(30)
    # then each epoch cost one attempt, and what is left is what the last worker had
    (incident,) = instance.incidents
    assert vanished + len(calls) == 3
    assert incident.expiries == vanished


def test_a_worker_that_dies_between_its_retries_costs_one_attempt_and_the_next_one_finishes(hand_driven: hr.Engine) -> None:
    # given a trusted worker that failed inside its lock, extended it for its wait, and died there
    hand_driven.deploy(straight(hr.WithRetryPolicy(hr.FixedDelay(3, 10))))
    instance = hand_driven.start("order", {"id": 7})
    dying = fetch_one(hand_driven, worker="dying", lock_duration=30, runs_policy=True)
    assert hr._core.judge(dying, 500, None, "away", 1, 0.0)[::2] == ("retry", 2)
    dying.extend_lock(40)
    # when
    hand_driven.advance(40)
    again = fetch_one(hand_driven, worker="next", lock_duration=30, runs_policy=True)
    # then: what it had tried by itself nobody knows; its epoch is one attempt
    assert (again.epoch, again.expiries, again.retries, again.attempt) == (2, 1, 2, 2)
    assert hr._core.judge(again, 500, None, "away", 2, 0.0)[0] == "exhausted"
    with pytest.raises(hr.NotLockHolder):
        dying.complete({"name": "late"})
    again.complete({"name": "Ann"})
    assert instance.variables["name"] == "Ann"


def test_a_trusted_worker_hands_its_job_back_when_the_wait_would_pass_the_cap_and_three_stay_three() -> None:
    # given waits of 60 s under a cap of 50 s
    clock, calls = hr.ManualClock(), []
    handed_back, raised = threading.Semaphore(0), threading.Event()

    def heard(record: hr.Record) -> None:
        if record.what == "job-backed-off":
            handed_back.release()
        if record.what == "incident-raised":
            raised.set()

    with hr.Engine(clock=clock) as engine:
        engine.subscribe(heard, "debug")
        engine.deploy(straight(hr.WithRetryPolicy(hr.FixedDelay(3, 60)), hr.WithMaxLockDuration(50)))
        worker = hr.Worker("w", lock_duration=30)
        worker.task(TOPIC)(raising(OSError("away"), calls))
        # when
        with engine.worker(worker):
            instance = engine.start("order", {"id": 7})
            for _ in range(2):
                assert handed_back.acquire(timeout=30)
                clock.set(clock.now() + dt.timedelta(seconds=60))
                engine.dispatcher.fetch_and_lock("clock", ["nobody"])
            assert raised.wait(30)
    # then
    assert calls == [1, 2, 3]
    assert len(instance.incidents) == 1


@pytest.mark.seed("ADR-021 2.9/7")
def test_only_what_an_operation_returns_takes_effect(hand_driven: hr.Engine) -> None:
    # given operations that change what they were given
    def careless(variables: dict[str, Any]) -> dict[str, Any]:
        variables["amount"] = 99
        variables["lines"].append("planted")
        variables["planted"] = 1
        return {"returned": 1}

    order = hr.Process("order")
    late = order.service_task("late", careless)
    order.start_event("start") >> late >> order.end_event("end")
    hand_driven.deploy(order)
    # when
    instance = hand_driven.start("order", {"amount": 1, "lines": ["a"]})
    hand_driven.run_until_idle()
    # then
    assert instance.variables == {"amount": 1, "lines": ["a"], "returned": 1}
    assert "Effects belong in the return value" in (hr.Operation.__doc__ or "")


@pytest.mark.parametrize("trust", [TRUSTED, AUTHORITATIVE], ids=["trusted", "authoritative"])
def test_an_exhausted_job_is_no_error_that_the_model_could_catch(hand_driven: hr.Engine, trust: hr.WorkerTrust) -> None:
    # given a catch-all around the task
    order = straight(hr.WithRetryPolicy(hr.NoRetry()), hr.WithWorkerTrust(trust))
    order.boundary_error(order.elements[0]) >> order.end_event("caught")
    hand_driven.deploy(order)
    instance = hand_driven.start("order", {"id": 7})
    # when
    fetch_one(hand_driven).fail("ResourceConflict", {"a": 1}, "away")
    # then
    assert "caught" not in instance.counts
    assert instance.state is hr.InstanceState.ACTIVE
    (incident,) = instance.incidents
    assert (incident.topic, incident.attempts, incident.message) == (TOPIC, 1, "away")
