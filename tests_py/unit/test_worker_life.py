"""The life of hr.Worker: how it is made, how run() ends, what it says of topics that nobody serves."""

from __future__ import annotations

import asyncio
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import headrace as hr
from models import one_task


def made(**options: Any) -> hr.Worker:
    worker = hr.Worker("w", **options)
    worker.task("charge-card")(lambda: None)
    return worker


def in_thread(call: Any) -> tuple[threading.Thread, list[Any]]:
    """A thread, and what its call returned or raised."""
    ended: list[Any] = []

    def work() -> None:
        try:
            ended.append(call())
        except Exception as error:
            ended.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    return thread, ended


LIMITS = [
    ({"id": ""}, hr.ValidationError, "1 to 255 bytes"),
    ({"id": "x" * 300}, hr.ValidationError, "1 to 255 bytes"),
    ({"id": "\ud800"}, hr.ValidationError, "lone surrogate"),
    ({"id": 3}, TypeError, "id of a worker"),
    ({"concurrency": 0}, hr.ValidationError, "concurrency"),
    ({"lock_duration": 0}, hr.ValidationError, "lock_duration"),
    ({"lock_duration": "soon"}, hr.ValidationError, "lock_duration"),
    ({"lock_duration": None}, hr.ValidationError, "lock_duration"),
    ({"heartbeat": 0}, hr.ValidationError, "heartbeat"),
    ({"heartbeat": "soon"}, hr.ValidationError, "heartbeat"),
    ({"grace": -1}, hr.ValidationError, "grace"),
    ({"grace": None}, hr.ValidationError, "grace"),
    ({"executor": 3}, TypeError, "submit"),
]


@pytest.mark.parametrize(("options", "kind", "text"), LIMITS)
def test_a_worker_that_could_never_fetch_is_refused_when_it_is_made(options: dict[str, Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        hr.Worker(**options)


@pytest.mark.parametrize("topic", ["", "x" * 300, "\ud800", 3, None])
def test_a_topic_that_no_queue_takes_is_refused_when_it_is_registered(topic: Any) -> None:
    with pytest.raises(hr.ValidationError, match="topic"):
        hr.Worker("w").task(topic)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"until": 5}, "expected until to be an hr.Instance or None, but found int"),
        ({"until": "1"}, "expected until to be an hr.Instance or None, but found str"),
        ({"timeout": "soon"}, "expected timeout in seconds"),
        ({"timeout": -1}, "expected timeout in seconds"),
    ],
)
def test_wrong_arguments_of_run_are_refused_with_what_is_expected(engine: hr.Engine, options: dict[str, Any], text: str) -> None:
    with pytest.raises((TypeError, hr.ValidationError), match=text):
        made().run(engine, **options)


def test_wrong_arguments_of_start_and_stop_and_engine_worker_are_refused(engine: hr.Engine) -> None:
    # given
    worker = made()
    # then
    for wrong in (5, None, "http://127.0.0.1"):
        with pytest.raises(TypeError, match=r"expected an hr.Engine"):
            worker.start(wrong)  # type: ignore[arg-type]
    with pytest.raises(hr.ValidationError, match="grace"):
        worker.stop("soon")
    with pytest.raises(TypeError, match=r"expected an hr.Worker, but found int"):
        engine.worker(5)  # type: ignore[arg-type]


@pytest.mark.parametrize("threads", [0, 2])
def test_a_closed_engine_is_refused_at_once(threads: int) -> None:
    # given
    engine = hr.Engine(clock=hr.ManualClock() if threads == 0 else None, threads=threads)
    engine.close()
    # then
    for call in (made().run, made().start):
        with pytest.raises(hr.EngineError, match=r"^the engine is closed$"):
            call(engine)


def test_run_returns_when_the_engine_is_closed_meanwhile() -> None:
    # given
    engine = hr.Engine()
    worker = made()
    thread, ended = in_thread(lambda: worker.run(engine))
    while not worker.alive():
        pass
    # when
    engine.close()
    thread.join(30)
    # then
    assert ended == [None]
    assert not worker.alive()


def test_run_until_an_instance_raises_when_the_engine_is_closed_before_its_end() -> None:
    # given
    engine = hr.Engine()
    engine.deploy(one_task())
    worker = hr.Worker("w")
    worker.task("other")(lambda: None)
    instance = engine.start("order", {})
    thread, ended = in_thread(lambda: worker.run(engine, until=instance))
    while not worker.alive():
        pass
    # when
    engine.close()
    thread.join(30)
    # then
    (error,) = ended
    assert isinstance(error, hr.EngineError)
    assert "the engine is closed" in str(error)


@pytest.mark.parametrize("until", [False, True])
def test_stop_from_another_thread_ends_run_when_its_handlers_have_ended(engine: hr.Engine, until: bool) -> None:
    # given a handler that is at work
    engine.deploy(one_task())
    worker = hr.Worker("w")
    started, told = threading.Event(), threading.Event()

    @worker.task("charge-card")
    def handler(job: hr.Job) -> None:
        started.set()
        while not job.cancelled:
            pass
        told.set()

    instance, waits = engine.start("order", {}), engine.start("order", {})
    thread, ended = in_thread(lambda: worker.run(engine, until=waits if until else None))
    assert started.wait(30)
    # when
    worker.stop()
    thread.join(30)
    # then: its job was reported, no other one was begun
    assert ended == [None]
    assert told.is_set()
    assert (instance.state, waits.state) == (hr.InstanceState.COMPLETED, hr.InstanceState.ACTIVE)


@pytest.mark.parametrize("kind", ["plain", "async", "executor"])
def test_stop_inside_a_handler_ends_run_when_the_handler_is_reported(engine: hr.Engine, kind: str) -> None:
    # given
    engine.deploy(one_task())
    with ThreadPoolExecutor(1) as pool:
        worker = hr.Worker("w", executor=pool if kind == "executor" else None)

        def handler() -> dict[str, int]:
            worker.stop()
            return {"a": 1}

        async def async_handler() -> dict[str, int]:
            await asyncio.sleep(0)
            return handler()

        worker.task("charge-card")(async_handler if kind == "async" else handler)
        first, second = engine.start("order", {}), engine.start("order", {})
        # when
        worker.run(engine)
    # then
    assert first.variables == {"a": 1}
    assert second.state is hr.InstanceState.ACTIVE
    assert not worker.alive()


def test_stop_inside_a_handler_ends_a_worker_that_was_started(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task())
    worker = hr.Worker("w")
    worker.task("charge-card")(lambda: worker.stop())
    worker.start(engine)
    # when
    instance = engine.start("order", {})
    instance.wait(30)
    # then
    assert not worker.alive()
    worker.start(engine)
    assert worker.alive()
    worker.stop()


def test_stop_inside_a_handler_of_a_hand_driven_engine_ends_run(hand_driven: hr.Engine) -> None:
    # given
    hand_driven.deploy(one_task())
    worker = hr.Worker("w")
    worker.task("charge-card")(lambda: worker.stop())
    first, second = hand_driven.start("order", {}), hand_driven.start("order", {})
    # when
    worker.run(hand_driven, until=second)
    # then
    assert (first.state, second.state) == (hr.InstanceState.COMPLETED, hr.InstanceState.ACTIVE)


@pytest.mark.parametrize("error", [hr.ValidationError("odd request"), TypeError("odd answer")], ids=["validation", "type"])
def test_an_error_that_no_retry_heals_ends_run_with_that_error(
    engine: hr.Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    # given
    def refused(*_: Any) -> None:
        raise error

    monkeypatch.setattr(hr._core, "start_fetch", refused)
    # then
    with caplog.at_level(logging.WARNING, "headrace.worker"), pytest.raises(type(error), match="odd"):
        made().run(engine)
    assert [r.getMessage() for r in caplog.records if r.name == "headrace.worker"] == [f"worker w ends, since it cannot fetch: {error}"]


def test_an_error_that_may_pass_is_tried_again(engine: hr.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    # given a store that is busy once
    engine.deploy(one_task())
    instance = engine.start("order", {})
    fetch, calls = hr._core.start_fetch, []

    def busy_once(*args: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            raise hr.StoreBusy("busy")
        return fetch(*args)

    monkeypatch.setattr(hr._core, "start_fetch", busy_once)
    # when
    made().run(engine, until=instance)
    # then
    assert instance.state is hr.InstanceState.COMPLETED


def warned(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.name == "headrace.worker"]


def test_jobs_of_a_topic_that_nobody_serves_are_warned_of_once(engine: hr.Engine, caplog: pytest.LogCaptureFixture) -> None:
    # given
    engine.deploy(one_task())
    waiting = [engine.start("order", {}) for _ in range(2)]
    worker = hr.Worker("w")
    worker.task("charge-crad")(lambda: None)
    # when
    with caplog.at_level(logging.WARNING, "headrace.worker"):
        for _ in range(2):
            with pytest.raises(hr.TimeoutError):
                worker.run(engine, until=waiting[0], timeout=0.1)
    # then
    assert warned(caplog) == [
        "2 queued jobs of topic 'charge-card': no worker of this process has a handler for it; worker 'w' has handlers for 'charge-crad'"
    ]


def test_an_idle_worker_warns_of_jobs_that_nobody_serves(engine: hr.Engine, caplog: pytest.LogCaptureFixture) -> None:
    # given
    engine.deploy(one_task())
    engine.start("order", {})
    worker = hr.Worker("w")
    worker.task("charge-crad")(lambda: None)
    # when
    with caplog.at_level(logging.WARNING, "headrace.worker"), engine.worker(worker):
        while not warned(caplog):
            pass
    # then
    assert len(warned(caplog)) == 1


def test_topics_of_other_workers_of_the_process_are_not_warned_of(engine: hr.Engine, caplog: pytest.LogCaptureFixture) -> None:
    # given one topic that another worker serves, and that waits since its one thread is busy with another topic
    engine.deploy(one_task())
    busy, go = threading.Event(), threading.Event()
    other, idle = hr.Worker("other"), hr.Worker("idle")

    @other.task("charge-card")
    def handler() -> None:
        busy.set()
        go.wait(30)

    idle.task("nothing")(lambda: None)
    waits = [engine.start("order", {}) for _ in range(2)]
    # when
    with caplog.at_level(logging.WARNING, "headrace.worker"), engine.worker(other):
        assert busy.wait(30)
        with pytest.raises(hr.TimeoutError):
            idle.run(engine, until=waits[1], timeout=0.1)
        go.set()
    # then
    assert warned(caplog) == []


@pytest.mark.parametrize(("given", "text"), [(0.25, "PT0.25S"), ("PT0.05S", "PT0.05S")])
def test_the_timeout_of_run_is_told_as_it_was_given(engine: hr.Engine, given: Any, text: str) -> None:
    # given
    engine.deploy(one_task())
    worker = hr.Worker("w")
    worker.task("other")(lambda: None)
    instance = engine.start("order", {})
    # then
    with pytest.raises(hr.TimeoutError, match=f"to end within {text}, but it is active"):
        worker.run(engine, until=instance, timeout=given)


def test_closing_an_engine_under_a_worker_is_one_warning_for_each_job_in_hand(caplog: pytest.LogCaptureFixture) -> None:
    # given two jobs in hand
    engine = hr.Engine()
    engine.deploy(one_task())
    worker = hr.Worker("w", concurrency=2)
    both, go = threading.Barrier(3), threading.Event()
    ids = []

    @worker.task("charge-card")
    def handler(job: hr.Job) -> None:
        ids.append(job.id)
        both.wait(30)
        go.wait(30)

    for _ in range(2):
        engine.start("order", {})
    worker.start(engine)
    both.wait(30)
    # when
    with caplog.at_level(logging.WARNING, "headrace.worker"):
        engine.close()
        go.set()
        worker.stop()
    # then
    told = [(r.levelname, r.getMessage(), r.exc_info) for r in caplog.records if r.name == "headrace.worker"]
    assert sorted(told) == sorted(("WARNING", f"the work on job {i} is not reported: the engine is closed", None) for i in ids)


REPORTS = {
    "complete": lambda job: job.complete(),
    "status": lambda job: job.report_status("a"),
    "bpmn error": lambda job: job.bpmn_error("A"),
    "fail": lambda job: job.fail(),
    "raw": lambda job: job.report_raw("a"),
    "extend": lambda job: job.extend_lock(1),
    "unlock": lambda job: job.unlock(),
    "fetch": lambda job: job.dispatcher.fetch_and_lock("w", ["t"]),
    "waiting fetch": lambda job: job.dispatcher.fetch_and_lock("w", ["t"], wait=1),
    "afetch": lambda job: asyncio.run(job.dispatcher.afetch_and_lock("w", ["t"], wait=1)),
    "complete many": lambda job: [raise_(e) for e in job.dispatcher.complete_many([(job.id, {})], "w")],
}


def raise_(error: Exception | None) -> None:
    if error is not None:
        raise error


@pytest.mark.parametrize("call", REPORTS.values(), ids=REPORTS.keys())
def test_each_call_on_a_closed_engine_says_the_same(call: Any) -> None:
    # given
    with hr.Engine() as engine:
        engine.deploy(one_task())
        engine.start("order", {})
        (job,) = engine.dispatcher.fetch_and_lock("w", ["charge-card"])
    # then
    with pytest.raises(hr.EngineError, match=r"^the engine is closed$"):
        call(job)
