"""Time by hand, the life of an engine, and what it refuses."""

from __future__ import annotations

import datetime as dt
import gc
import pickle
import subprocess
import sys
import threading
import warnings
from typing import Any

import pytest

import headrace as hr
from models import one_task


def fetch(engine: hr.Engine, **more: Any) -> list[hr.Job]:
    return engine.dispatcher.fetch_and_lock("w", ["charge-card"], **more)


def test_time_moves_by_hand_from_due_time_to_due_time(hand_driven: hr.Engine, clock: hr.ManualClock) -> None:
    # given
    order = one_task()
    order.boundary_timer(order.elements[0], "P2D") >> order.end_event("late")
    hand_driven.deploy(order)
    instance = hand_driven.start("order", {})
    began = clock.now()
    # when
    hand_driven.advance("P1DT23H")
    assert instance.state is hr.InstanceState.ACTIVE
    hand_driven.advance(dt.timedelta(days=1))
    # then
    assert instance.counts["late"].completed == 1
    assert clock.now() - began == dt.timedelta(days=2, hours=23)
    with pytest.raises(hr.ValidationError):
        clock.set(began)


class Stopped:
    """A clock of one's own."""

    def __init__(self) -> None:
        self.time = dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc)

    def now(self) -> dt.datetime:
        return self.time


def test_a_clock_may_be_a_python_object() -> None:
    # given
    clock = Stopped()
    with hr.Engine(clock=clock, threads=0) as engine:
        engine.deploy(one_task())
        engine.start("order", {})
        (job,) = fetch(engine, lock_duration=60)
        # then
        assert engine.now() == clock.time
        assert job.deadline == clock.time + dt.timedelta(seconds=60)


def test_a_wait_that_ends_without_its_instance_says_where_it_stands(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task())
    instance = engine.start("order", {})
    # then
    with pytest.raises(hr.TimeoutError, match=r"to end within .* waits at 'pay' \(job\)"):
        instance.wait(0.01)


def test_a_closed_engine_refuses_and_closing_twice_is_fine() -> None:
    # given
    engine = hr.Engine()
    engine.deploy(one_task())
    engine.close()
    engine.close()
    # then
    assert engine.closed
    with pytest.raises(hr.EngineError):
        engine.start("order", {})


def test_closing_wakes_a_fetch_that_waits() -> None:
    # given
    engine = hr.Engine()
    engine.deploy(one_task())
    outcome: list[BaseException | list[hr.Job]] = []
    waiting = threading.Event()

    def wait() -> None:
        waiting.set()
        try:
            outcome.append(fetch(engine, wait=3600))
        except hr.EngineError as error:
            outcome.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    waiting.wait()
    # when
    engine.close()
    thread.join(10)
    # then
    assert not thread.is_alive()
    assert isinstance(outcome[0], hr.EngineError)


def test_an_engine_that_is_let_go_open_warns() -> None:
    # given
    engine: hr.Engine | None = hr.Engine()
    # when
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        engine = None
        gc.collect()
    # then
    assert engine is None
    assert [w.category for w in caught] == [ResourceWarning]


def test_engine_handle_dispatcher_and_worker_refuse_to_be_pickled(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task())
    instance = engine.start("order", {})
    # then
    for thing in (engine, instance, engine.dispatcher, hr.Worker("w")):
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(thing)


def test_snapshots_and_jobs_travel_as_data(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task())
    instance = engine.start("order", {"amount": 1})
    (job,) = fetch(engine)
    # when
    snapshot, data = pickle.loads(pickle.dumps((instance.snapshot(), job)))
    # then
    assert snapshot == instance.snapshot()
    assert data == job.data()
    assert (data.id, data.variables) == (job.id, {"amount": 1})


def test_repr_has_ids_and_states_but_no_values(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task())
    instance = engine.start("order", {"card": "4111-secret"})
    (job,) = fetch(engine)
    # then
    for thing in (engine, instance, instance.snapshot(), job, job.data(), engine.dispatcher, engine.definitions()[0]):
        assert "secret" not in repr(thing)
        assert "\n" not in repr(thing)
    assert instance.id in repr(instance)


@pytest.mark.parametrize("make", [hr.Instance, hr.Job, hr.Dispatcher])
def test_handles_come_from_the_engine_alone(make: type) -> None:
    with pytest.raises(TypeError, match="expected"):
        make()


@pytest.mark.parametrize("options", [{"threads": -1}, {"threads": True}, {"max_instances": "many"}, {"seed": -1}])
def test_wrong_options_of_an_engine_are_refused(options: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        hr.Engine(**options)


def test_a_store_that_this_build_has_not_is_refused_by_name() -> None:
    with pytest.raises(hr.ValidationError, match="postgresql"):
        hr.Engine("postgresql://localhost/x")


def test_an_engine_of_before_a_fork_is_refused_in_the_child() -> None:
    # given
    script = """
import os, headrace as hr
engine = hr.Engine()
child = os.fork()
if child == 0:
    try:
        engine.start("order")
    except hr.EngineError as error:
        os._exit(0 if "fork" in str(error) else 1)
    os._exit(2)
_, status = os.waitpid(child, 0)
engine.close()
raise SystemExit(os.waitstatus_to_exitcode(status))
"""
    # then
    assert subprocess.run([sys.executable, "-c", script], timeout=60).returncode == 0


def test_engine_wide_defaults_apply_to_jobs_enqueued_from_then_on(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task())
    before = engine.start("order", {})
    # when
    engine.set_defaults(hr.WithWorkerRetryPolicy(hr.NoRetry()))
    after = engine.start("order", {})
    for job in fetch(engine, max_jobs=2):
        job.fail(503)
    # then
    assert before.incidents == ()
    assert len(after.incidents) == 1


def test_metrics_count_what_happened_also_as_prometheus_text(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task())
    engine.start("order", {})
    fetch(engine)[0].complete()
    # when
    metrics, text = engine.metrics(), engine.metrics_text()
    # then
    assert metrics["instances_started"] == metrics["instances_completed"] == 1
    assert 'headrace_jobs_completed_total{topic="charge-card"} 1' in text


@pytest.mark.parametrize("by", ["P30000D", 86400 * 30000])
def test_the_clock_is_not_moved_beyond_the_last_year_and_nothing_changes(by: Any) -> None:
    # given a timer that would be due on the way
    start = dt.datetime(9950, 1, 1, tzinfo=dt.timezone.utc)
    with hr.Engine(clock=hr.ManualClock(start), threads=0) as engine:
        order = one_task()
        order.boundary_timer(order.elements[0], "PT1H") >> order.end_event("late")
        engine.deploy(order)
        instance = engine.start("order", {})
        # when
        with pytest.raises(
            hr.ValidationError, match=r"expected a duration that ends before the year 10000, found P30000D from 9950-01-01T00:00:00Z"
        ):
            engine.advance(by)
        # then
        assert engine.now() == start
        assert instance.state is hr.InstanceState.ACTIVE
        engine.advance(dt.timedelta(days=49 * 365))
        assert instance.state is hr.InstanceState.COMPLETED
