"""Locks: expiry, extension, the cap, and where both durations come from (ADR-021 2.4)."""

from __future__ import annotations

import datetime as dt
import threading
from typing import Any

import pytest
from seed_models import TOPIC, fetch, fetch_one, straight, work_off

import headrace as hr


def seconds(n: float) -> dt.timedelta:
    return dt.timedelta(seconds=n)


def started(engine: hr.Engine, *options: hr.options.Option) -> hr.Instance:
    engine.deploy(straight(*options))
    return engine.start("order", {"id": 7})


@pytest.mark.seed("ADR-021 2.5/8")
def test_a_fetched_job_tells_its_deadline_and_its_worker(hand_driven: hr.Engine, clock: hr.ManualClock) -> None:
    # given
    started(hand_driven)
    # when
    job = fetch_one(hand_driven, worker="ann", lock_duration=30)
    # then
    assert (job.worker, job.deadline) == ("ann", clock.now() + seconds(30))
    assert (job.topic, job.variables) == (TOPIC, {"id": 7})


@pytest.mark.seed("ADR-021 2.4/8")
def test_a_lock_without_a_report_makes_the_job_fetchable_again_and_the_vanished_worker_changes_nothing(hand_driven: hr.Engine) -> None:
    # given
    instance = started(hand_driven)
    vanished = fetch_one(hand_driven, worker="ann", lock_duration=30)
    hand_driven.advance("PT29.999999S")
    assert fetch(hand_driven, worker="bea") == []
    # when
    hand_driven.advance("PT0.000001S")
    again = fetch_one(hand_driven, worker="bea", lock_duration=30)
    # then
    assert (again.id, again.epoch) == (vanished.id, 2)
    with pytest.raises(hr.NotLockHolder):
        vanished.complete({"name": "late"})
    again.complete({"name": "Ann"})
    assert instance.variables["name"] == "Ann"


@pytest.mark.seed("ADR-021 2.4/9")
def test_an_extension_counts_from_now(hand_driven: hr.Engine, clock: hr.ManualClock) -> None:
    # given
    started(hand_driven)
    job = fetch_one(hand_driven, lock_duration=30)
    hand_driven.advance(20)
    # when
    until = job.extend_lock(25)
    # then: 25 s from now, neither added to the 10 that were left nor from the first lock
    assert until == clock.now() + seconds(25)
    hand_driven.advance("PT24.999999S")
    assert fetch(hand_driven, worker="other") == []
    hand_driven.advance("PT0.000001S")
    assert len(fetch(hand_driven, worker="other")) == 1


@pytest.mark.seed("ADR-021 2.4/10")
def test_only_the_holder_of_a_live_lock_extends_it(hand_driven: hr.Engine) -> None:
    # given
    started(hand_driven)
    job = fetch_one(hand_driven, worker="ann", lock_duration=30)
    # when
    with pytest.raises(hr.NotLockHolder):
        hand_driven.dispatcher.extend_lock(job.id, "bea", 1000)
    hand_driven.advance(30)
    with pytest.raises(hr.LockExpired):
        job.extend_lock(1000)
    # then: neither kept it locked
    other = fetch_one(hand_driven, worker="bea", lock_duration=30)
    with pytest.raises(hr.NotLockHolder):
        job.extend_lock(1000)
    hand_driven.advance(30)
    assert other.deadline == hand_driven.now()


@pytest.mark.seed("ADR-021 2.4/11")
def test_the_cap_counts_from_the_first_lock_of_a_fetch_and_refuses_what_passes_it(hand_driven: hr.Engine) -> None:
    # given
    started(hand_driven, hr.WithMaxLockDuration(100))
    job = fetch_one(hand_driven, lock_duration=60)
    hand_driven.advance(50)
    # when: up to the cap, and beyond
    job.extend_lock(50)
    with pytest.raises(hr.LockCapExceeded):
        job.extend_lock("PT50.000001S")
    # then: the refused one changed nothing, and a new fetch has a cap of its own
    hand_driven.advance(50)
    again = fetch_one(hand_driven, worker="other", lock_duration=60)
    hand_driven.advance(50)
    assert again.extend_lock(50) == hand_driven.now() + seconds(50)


@pytest.mark.parametrize("worker", ["a-waiting-one", "a-bare-one"])
def test_a_first_lock_above_the_cap_is_refused_and_locks_nothing(hand_driven: hr.Engine, worker: str) -> None:
    # given
    started(hand_driven, hr.WithMaxLockDuration(100))
    # when
    with pytest.raises(hr.LockCapExceeded, match=TOPIC):
        fetch(hand_driven, worker, lock_duration=101, wait=5 if worker == "a-waiting-one" else 0)
    # then
    assert fetch_one(hand_driven, lock_duration=100).epoch == 1


def extend_for_ever(engine: hr.Engine, job: hr.Job) -> None:
    while True:
        engine.advance(20)
        job.extend_lock(30)


@pytest.mark.seed("ADR-021 2.4/12")
def test_a_worker_that_extends_for_ever_is_capped_expires_is_exhausted_and_an_operators_retry_finishes_the_instance(
    hand_driven: hr.Engine,
) -> None:
    # given a worker that hangs on to each lock as long as it can, and never reports
    instance = started(hand_driven, hr.WithMaxLockDuration(100), hr.WithRetryPolicy(hr.FixedDelay(3, 10)))
    began = hand_driven.now()
    epochs = []
    while not instance.incidents:
        for job in fetch(hand_driven, worker="hung", lock_duration=30):
            epochs.append(job.epoch)
            locked = hand_driven.now()
            with pytest.raises(hr.LockCapExceeded):
                extend_for_ever(hand_driven, job)
            assert hand_driven.now() - locked <= seconds(100)
        hand_driven.advance(10)
        assert hand_driven.now() - began < dt.timedelta(hours=1), "the system is not live"
    # then: three epochs, then an operator's work
    (incident,) = instance.incidents
    assert epochs == [1, 2, 3]
    assert (incident.attempts, incident.expiries, incident.topic) == (0, 3, TOPIC)
    assert "lock expired" in incident.message
    assert instance.state is hr.InstanceState.ACTIVE
    # when
    incident.retry()
    fetch_one(hand_driven, worker="sound").complete({"name": "Ann"})
    # then
    assert instance.state is hr.InstanceState.COMPLETED
    assert instance.incidents == ()


@pytest.mark.seed("ADR-021 2.4/12")
def test_with_on_exhausted_fail_lock_expiries_end_the_instance_failed(hand_driven: hr.Engine) -> None:
    # given
    instance = started(hand_driven, hr.WithRetryPolicy(hr.NoRetry()), hr.WithOnExhausted("fail"))
    fetch_one(hand_driven, lock_duration=30)
    # when
    hand_driven.advance(30)
    # then
    assert instance.state is hr.InstanceState.FAILED
    assert "lock expired" in (instance.snapshot().reason or "")


DEFAULTS = [hr.WithWorkerLockDuration(40), hr.WithWorkerMaxLockDuration(400)]


@pytest.mark.seed("ADR-021 2.4/13")
@pytest.mark.parametrize(
    ("engine_wide", "per_topic", "lock", "cap"),
    [
        ([], [], 300, 86_400),
        (DEFAULTS, [], 40, 400),
        (DEFAULTS, [hr.WithLockDuration(20)], 20, 400),
        (DEFAULTS, [hr.WithMaxLockDuration(200)], 40, 200),
        (DEFAULTS, [hr.WithLockDuration(20), hr.WithMaxLockDuration(200)], 20, 200),
    ],
    ids=["built-in", "engine-wide", "lock-of-the-topic", "cap-of-the-topic", "both-of-the-topic"],
)
def test_lock_and_cap_are_those_of_the_topic_then_of_the_engine(engine_wide: list[Any], per_topic: list[Any], lock: int, cap: int) -> None:
    with hr.Engine(None, *engine_wide, clock=hr.ManualClock(), threads=0) as engine:
        # given
        started(engine, *per_topic)
        # when
        job = fetch_one(engine)
        # then
        assert job.deadline == engine.now() + seconds(lock)
        with pytest.raises(hr.LockCapExceeded):
            job.extend_lock(cap + 1)
        assert job.extend_lock(cap) == engine.now() + seconds(cap)


@pytest.mark.seed("ADR-021 2.4/14")
def test_the_default_cap_is_a_day_and_may_be_lifted(hand_driven: hr.Engine) -> None:
    # given
    started(hand_driven)
    hand_driven.deploy(straight(hr.WithMaxLockDuration(hr.UNBOUNDED), topic="unbounded"))
    hand_driven.start("order", {"id": 8})
    # when
    capped, free = fetch_one(hand_driven), fetch_one(hand_driven, topic="unbounded")
    # then
    capped.extend_lock("P1D")
    with pytest.raises(hr.LockCapExceeded):
        capped.extend_lock("P1DT0.000001S")
    assert free.extend_lock("P3650D") == hand_driven.now() + dt.timedelta(days=3650)


@pytest.mark.seed("ADR-021 6/6")
def test_a_heartbeat_keeps_the_job_of_a_long_handler_that_a_short_lock_alone_would_deliver_again() -> None:
    # given a worker whose lock is 30 s, and a handler that takes 100 s of the engine's time
    clock, epochs = hr.ManualClock(), []
    beaten = threading.Condition()
    beats: list[dt.datetime] = []

    def heard(record: hr.Record) -> None:
        if record.what == "lock-extended":
            with beaten:
                beats.append(record.at)
                beaten.notify_all()

    with hr.Engine(clock=clock) as engine:
        engine.deploy(straight())
        engine.subscribe(heard, "debug")

        def handler(job: hr.Job) -> dict[str, str]:
            epochs.append(job.epoch)
            for _ in range(5):
                clock.set(clock.now() + seconds(20))
                with beaten:
                    assert beaten.wait_for(lambda: beats and beats[-1] >= clock.now(), 30)
            assert fetch(engine, worker="other") == []
            return {"name": "Ann"}

        # when
        instance = work_off(engine, handler, {"id": 7}, lock_duration=30, heartbeat=0.001)
        (topic,) = engine.metrics()["topics"]
    # then
    assert instance.variables["name"] == "Ann"
    assert (epochs, topic["expiries"]) == ([1], 0)
