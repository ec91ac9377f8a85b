"""A job queue that is a Python class takes the place of the engine's."""

from __future__ import annotations

import dataclasses
import datetime as dt
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

import headrace as hr
from models import one_task

NOW = dt.datetime(2026, 1, 5, tzinfo=dt.timezone.utc)


class Shelf(hr.WorkerDispatcher):
    """The smallest queue that keeps the contract."""

    def __init__(self) -> None:
        self.jobs: dict[str, hr.JobData] = {}
        self.holders: dict[str, str] = {}
        self.came = threading.Event()
        self.withdrawn = threading.Event()

    def enqueue(self, job: hr.JobData) -> None:
        self.jobs[job.id] = job
        self.came.set()

    def withdraw(self, id: str) -> None:
        self.jobs.pop(id, None)
        self.withdrawn.set()

    def fetch_and_lock(
        self, worker: str, topics: Sequence[str], lock_duration: dt.timedelta, max_jobs: int, wait: dt.timedelta
    ) -> list[hr.JobData]:
        free = [j for j in self.jobs.values() if j.topic in topics and j.id not in self.holders][:max_jobs]
        self.holders.update((j.id, worker) for j in free)
        return [dataclasses.replace(j, worker=worker, epoch=1, deadline=NOW + lock_duration) for j in free]

    def extend_lock(self, id: str, worker: str, duration: dt.timedelta, epoch: int | None) -> dt.datetime:
        self._check(id, worker)
        return NOW + duration

    def unlock(self, id: str, worker: str, epoch: int | None) -> None:
        self._check(id, worker)
        del self.holders[id]

    def report(self, id: str, worker: str, epoch: int | None, kind: str, report: Any) -> None:
        self._check(id, worker)
        if kind == "complete":
            self.sink.complete(id, report["output"])
        else:
            self.sink.exhausted(id, report["code"], report["body"], report["message"])
        del self.jobs[id]

    def pending(self, topic: str) -> int:
        return sum(j.topic == topic or not topic for j in self.jobs.values())

    def _check(self, id: str, worker: str) -> None:
        if self.holders.get(id) != worker:
            raise hr.NotLockHolder(f"expected {id} to be held by {worker}")


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def test_a_round_trip_goes_through_the_queue(shelf: Shelf) -> None:
    with hr.Engine(None, hr.WithWorkerDispatcher(shelf)) as engine:
        # given
        engine.deploy(one_task())
        instance = engine.start("order", {"amount": 7})
        assert shelf.came.wait(30)
        # when
        (job,) = engine.dispatcher.fetch_and_lock("w", ["charge-card"], lock_duration=60)
        assert engine.dispatcher.pending() == 1
        with pytest.raises(hr.NotLockHolder):
            engine.dispatcher.complete(job, "stranger")
        assert job.extend_lock(90) == NOW + dt.timedelta(seconds=90)
        job.complete({"receiptId": "r-1"})
        # then
        assert (job.epoch, job.variables) == (1, {"amount": 7})
        assert job.deadline == NOW + dt.timedelta(seconds=60)
        assert instance.state is hr.InstanceState.COMPLETED
        assert instance.variables == {"amount": 7, "receiptId": "r-1"}


def test_exhaustion_raises_an_incident(shelf: Shelf) -> None:
    with hr.Engine(None, hr.WithWorkerDispatcher(shelf)) as engine:
        # given
        engine.deploy(one_task())
        instance = engine.start("order", {})
        assert shelf.came.wait(30)
        (job,) = engine.dispatcher.fetch_and_lock("w", ["charge-card"])
        # when
        job.fail(503, {"a": 1}, "away")
        # then
        (incident,) = instance.incidents
        assert (incident.code, incident.body, incident.message) == (503, {"a": 1}, "away")


def test_a_cancelled_instance_withdraws_its_job(shelf: Shelf) -> None:
    with hr.Engine(None, hr.WithWorkerDispatcher(shelf)) as engine:
        # given
        engine.deploy(one_task())
        instance = engine.start("order", {})
        assert shelf.came.wait(30)
        # when
        instance.cancel()
        # then
        assert shelf.withdrawn.wait(30)
        assert shelf.jobs == {}


class Refusing(Shelf):
    def enqueue(self, job: hr.JobData) -> None:
        raise RuntimeError("the shelf is full")


def test_a_queue_that_keeps_refusing_is_a_technical_fault_of_the_task() -> None:
    with hr.Engine(None, hr.WithWorkerDispatcher(Refusing())) as engine:
        # given
        engine.deploy(one_task())
        raised = threading.Event()
        engine.subscribe(lambda r: raised.set() if r.what == "incident-raised" else None, "error")
        # when
        instance = engine.start("order", {})
        assert raised.wait(30)
        # then
        assert "the shelf is full" in instance.incidents[0].message


def test_the_sink_of_a_closed_engine_refuses(shelf: Shelf) -> None:
    # given
    with hr.Engine(None, hr.WithWorkerDispatcher(shelf)):
        pass
    # then
    with pytest.raises(hr.EngineError):
        shelf.sink.complete("1:1:1:1:pay")


# What the engine, workers and any queue rely on at each other's border, for the engine's queue and for one of one's own.
OPERATION = hr.Operation("charge", hr.Message("In", {"amount": int}), hr.Message("Out", {"receiptId": str}))


@pytest.fixture(params=["engine's", "own"])
def parked(request: pytest.FixtureRequest, clock: hr.ManualClock) -> Iterator[tuple[hr.Engine, hr.Instance]]:
    options = [hr.WithWorkerDispatcher(Shelf())] if request.param == "own" else []
    with hr.Engine(None, *options, clock=clock, threads=0) as engine:
        engine.deploy(one_task(operation=OPERATION))
        instance = engine.start("order", {"amount": 7, "unasked": 1})
        engine.run_until_idle()
        yield engine, instance


def take(engine: hr.Engine, worker: str = "w", topic: str = "charge-card") -> list[hr.Job]:
    return engine.dispatcher.fetch_and_lock(worker, [topic], lock_duration=60)


@pytest.mark.seed("ADR-021 6/8")
def test_at_the_border_a_job_comes_under_its_topic_with_its_in_message_and_is_locked_for_one(
    parked: tuple[hr.Engine, hr.Instance],
) -> None:
    # given
    engine, instance = parked
    # when
    elsewhere, (job,), second = take(engine, topic="other"), take(engine), take(engine, "another")
    # then
    assert elsewhere == second == []
    assert (job.topic, job.variables, job.worker, job.instance_id) == ("charge-card", {"amount": 7}, "w", instance.id)


@pytest.mark.seed("ADR-021 6/8")
@pytest.mark.parametrize("verb", ["complete", "unlock"])
def test_at_the_border_only_the_holder_is_heard(parked: tuple[hr.Engine, hr.Instance], verb: str) -> None:
    # given
    engine, instance = parked
    (job,) = take(engine)
    # when
    with pytest.raises(hr.NotLockHolder):
        getattr(engine.dispatcher, verb)(job.id, "stranger")
    # then
    assert take(engine) == []
    assert instance.state is hr.InstanceState.ACTIVE


@pytest.mark.seed("ADR-021 6/8")
def test_at_the_border_a_job_that_is_handed_back_comes_again_under_its_id_and_its_output_ends_the_task(
    parked: tuple[hr.Engine, hr.Instance],
) -> None:
    # given
    engine, instance = parked
    (job,) = take(engine)
    # when
    job.unlock()
    (again,) = take(engine, "another")
    again.complete({"receiptId": "r"})
    # then
    assert again.id == job.id
    assert instance.state is hr.InstanceState.COMPLETED
    assert instance.variables == {"amount": 7, "unasked": 1, "receiptId": "r"}


@pytest.mark.seed("ADR-021 6/8")
def test_at_the_border_a_job_goes_with_its_instance(parked: tuple[hr.Engine, hr.Instance]) -> None:
    # given
    engine, instance = parked
    assert engine.dispatcher.pending("charge-card") == 1
    # when
    instance.cancel()
    engine.run_until_idle()
    # then
    assert engine.dispatcher.pending("charge-card") == 0
    assert take(engine) == []
