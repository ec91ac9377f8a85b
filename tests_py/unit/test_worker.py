"""hr.Worker: handlers for topics, reports, locks kept alive, hand-back."""

from __future__ import annotations

import dataclasses
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import headrace as hr
from models import one_task


def run(engine: hr.Engine, handler: Any, *options: Any, variables: Any = None, operation: Any = None) -> hr.Instance:
    """One instance through one handler, to its end or its incident."""
    engine.deploy(one_task(*options, operation=operation))
    worker = hr.Worker("w")
    worker.task("charge-card")(handler)
    over = threading.Event()
    engine.subscribe(lambda r: over.set() if r.what in ("instance-ended", "incident-raised") else None, "info")
    with engine.worker(worker):
        instance = engine.start("order", variables or {})
        assert over.wait(30)
    return instance


def test_a_handler_completes_by_returning(engine: hr.Engine) -> None:
    # when
    instance = run(engine, lambda job: {"receiptId": job.id})
    # then
    assert instance.state is hr.InstanceState.COMPLETED
    assert instance.variables["receiptId"].endswith(":pay")


def test_parameters_are_filled_by_variable_name(engine: hr.Engine) -> None:
    # given
    def handler(amount: float, job: hr.Job, item: str = "book", **rest: Any) -> dict[str, Any]:
        return {"seen": [type(amount).__name__, job.topic, item, sorted(rest)]}

    # when
    instance = run(engine, handler, variables={"amount": 3, "a": 1, "b": 2})
    # then
    assert instance.variables["seen"] == ["float", "charge-card", "book", ["a", "b"]]


@dataclasses.dataclass
class Address:
    city: str


@dataclasses.dataclass
class Parcel:
    label: str


def test_dataclasses_are_made_from_dicts_and_taken_as_output(engine: hr.Engine) -> None:
    # given
    def handler(address: Address) -> Parcel:
        return Parcel(label=f"to {address.city}")

    # when
    instance = run(engine, handler, variables={"address": {"city": "Oslo"}})
    # then
    assert instance.variables["label"] == "to Oslo"


def test_none_is_no_output(engine: hr.Engine) -> None:
    assert run(engine, lambda: None, variables={"a": 1}).variables == {"a": 1}


def test_async_handlers_run_on_a_loop(engine: hr.Engine) -> None:
    # given
    async def handler(amount: int) -> dict[str, int]:
        import asyncio

        await asyncio.sleep(0)
        return {"double": amount * 2}

    # then
    assert run(engine, handler, variables={"amount": 4}).variables["double"] == 8


def on_other_thread(amount: int) -> dict[str, Any]:
    return {"thread": threading.current_thread().name, "amount": amount}


def test_handlers_run_on_an_executor(engine: hr.Engine) -> None:
    # given
    with ThreadPoolExecutor(1, thread_name_prefix="pool") as pool:
        engine.deploy(one_task())
        worker = hr.Worker("w", executor=pool)
        worker.task("charge-card")(on_other_thread)
        # when
        instance = engine.start("order", {"amount": 1})
        worker.run(engine, until=instance, timeout=30)
    # then
    assert instance.variables["thread"].startswith("pool")


def raising(error: BaseException) -> Any:
    def handler() -> None:
        raise error

    return handler


class Silent(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


def cyclic() -> dict[str, Any]:
    loop: dict[str, Any] = {}
    loop["a"] = loop
    return loop


# Row H77 of reference/hostile-inputs.tsv.
@pytest.mark.parametrize(
    ("handler", "text"),
    [
        (raising(ValueError("no")), "ValueError: no"),
        (raising(SystemExit(3)), "SystemExit: 3"),
        (raising(KeyboardInterrupt()), "KeyboardInterrupt"),
        (raising(GeneratorExit()), "GeneratorExit"),
        (raising(Silent()), "Silent"),
        (raising(hr.Fault(code={1, 2}, message="odd")), "odd"),
        (raising(hr.BpmnError(3)), "TypeError"),  # type: ignore[arg-type]
        (raising(hr.Status({1, 2})), "set"),
        (cyclic, "contains itself"),
        (lambda: {"x": float("nan")}, "NaN"),
        (lambda: {"x": 10**40}, "64 bits"),
        (lambda: [1, 2], "list"),
        (lambda missing: None, "'missing'"),
    ],
)
def test_whatever_a_handler_does_is_a_technical_fault_with_type_and_text_and_the_worker_goes_on(
    engine: hr.Engine, handler: Any, text: str
) -> None:
    # given
    calls: list[int] = []

    def first_odd_then_fine(job: hr.Job, variables: dict[str, Any]) -> Any:
        calls.append(1)
        return {"ok": True} if "fine" in variables else odd(job, variables)

    from headrace.calling import Arguments

    arguments = Arguments(handler, ("job", "variables"))

    def odd(job: hr.Job, variables: dict[str, Any]) -> Any:
        return arguments.call(handler, variables, {"job": job, "variables": variables})

    engine.deploy(one_task(hr.WithRetryPolicy(hr.NoRetry())))
    worker = hr.Worker("w")
    worker.task("charge-card")(first_odd_then_fine)
    raised = threading.Event()
    engine.subscribe(lambda r: raised.set() if r.what == "incident-raised" else None, "error")
    # when
    with engine.worker(worker):
        broken = engine.start("order", {})
        assert raised.wait(30)
        fine = engine.start("order", {"fine": 1})
        fine.wait(30)
    # then
    (incident,) = broken.incidents
    assert text in incident.message
    assert fine.state is hr.InstanceState.COMPLETED


def test_bytes_and_datetimes_are_fine_as_output(engine: hr.Engine) -> None:
    # given
    import datetime as dt

    now = dt.datetime(2026, 1, 5, tzinfo=dt.timezone.utc)
    # then
    assert run(engine, lambda: {"raw": b"\x00", "at": now}).variables == {"raw": b"\x00", "at": now}


def with_refused_path(*options: Any) -> hr.Process:
    order = one_task(*options)
    order.boundary_error(order.elements[0], "DECLINED") >> order.end_event("refused")
    return order


# seed: ADR-021 2.6/19
# seed: ADR-021 2.6/1
@pytest.mark.parametrize(
    ("error", "end", "status"),
    [
        (hr.BpmnError("DECLINED", "no money"), "refused", None),
        (hr.Fault(409, {"type": "DECLINED", "reason": "limit"}), "refused", None),
        (hr.Fault(404, {"type": "NOT_FOUND"}), "end", "NOT_FOUND"),
        (hr.Status("DONE_ELSEWHERE"), "end", "DONE_ELSEWHERE"),
    ],
)
def test_the_trusted_worker_classifies_by_the_mapper(engine: hr.Engine, error: Exception, end: str, status: str | None) -> None:
    # given
    rules = [
        hr.rule(409, body="$.type == 'DECLINED'").bpmn_error("DECLINED", message=hr.path("$.reason")),
        hr.rule(404).status("NOT_FOUND"),
    ]
    engine.deploy(with_refused_path(hr.WithErrorMapper(rules), hr.WithStatus("payStatus")))
    worker = hr.Worker("w")
    worker.task("charge-card")(raising(error))
    # when
    instance = engine.start("order", {})
    worker.run(engine, until=instance, timeout=30)
    # then
    assert instance.counts[end].completed == 1
    assert instance.variables.get("payStatus") == status


# seed: ADR-021 2.6/18
def test_the_trusted_worker_maps_output(engine: hr.Engine) -> None:
    # when
    instance = run(engine, lambda: {"data": {"id": "o-1"}, "noise": 1}, hr.WithOutputMapping([hr.out("$.data.id", "orderId")]))
    # then
    assert instance.variables == {"orderId": "o-1"}


def test_output_that_cannot_be_mapped_ends_in_an_incident_with_the_raw_result(engine: hr.Engine) -> None:
    # when
    instance = run(engine, lambda: {"noise": 1}, hr.WithOutputMapping([hr.out("$.data.id", "orderId")]), hr.WithOnMismatch("incident"))
    # then
    (incident,) = instance.incidents
    assert "output mismatch" in incident.message
    assert incident.body == {"noise": 1}


# seed: ADR-021 2.7/1
def test_the_trusted_worker_retries_inside_its_lock_and_three_attempts_stay_three(engine: hr.Engine) -> None:
    # given
    calls: list[int] = []

    def handler(job: hr.Job) -> None:
        calls.append(job.epoch)
        raise OSError("away")

    # when
    instance = run(engine, handler, hr.WithRetryPolicy(hr.FixedDelay(3, 0.01)))
    # then
    assert calls == [1, 1, 1]
    (incident,) = instance.incidents
    assert "OSError: away" in incident.message


def test_a_fault_that_passes_is_retried_until_it_works(engine: hr.Engine) -> None:
    # given
    calls: list[int] = []

    def handler() -> dict[str, int]:
        calls.append(1)
        if len(calls) < 3:
            raise hr.Retry(after=0.01)
        return {"calls": len(calls)}

    # then
    assert run(engine, handler).variables == {"calls": 3}


# seed: ADR-021 2.5/6
# seed: ADR-021 2.6/4
def test_under_engine_authoritative_the_worker_sees_no_policy_and_the_engine_decides(engine: hr.Engine) -> None:
    # given
    seen: list[Any] = []

    def handler(job: hr.Job) -> None:
        seen.append((job.policy, job.attempt, job.retries, job.expiries, job.variables))
        raise hr.BpmnError("DECLINED")

    operation = hr.Operation("charge", hr.Message("In", {"amount": int}), hr.Message("Out", {"receiptId": str}))
    # when
    instance = run(
        engine,
        handler,
        hr.WithWorkerTrust(hr.WorkerTrust.ENGINE_AUTHORITATIVE),
        hr.WithRetryPolicy(hr.NoRetry()),
        variables={"amount": 1, "secret": "s"},
        operation=operation,
    )
    # then
    assert seen == [(None, None, None, None, {"amount": 1})]
    assert len(instance.incidents) == 1


def test_a_worker_fetches_only_what_it_can_start(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task())
    worker = hr.Worker("w", concurrency=2)
    both, go = threading.Barrier(3), threading.Event()

    @worker.task("charge-card")
    def handler() -> None:
        if not go.is_set():
            both.wait(30)
            go.wait(30)

    for _ in range(5):
        engine.start("order", {})
    # when
    with engine.worker(worker):
        both.wait(30)
        (topic,) = engine.metrics()["topics"]
        go.set()
    # then
    assert (topic["locked"], topic["queued"]) == (2, 3)


def test_a_topic_with_a_concurrency_of_its_own_is_never_run_more_often_at_once(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task())
    worker = hr.Worker("w", concurrency=4)
    running, most, mutex = [0], [0], threading.Lock()

    @worker.task("charge-card", concurrency=1)
    def handler() -> None:
        with mutex:
            running[0] += 1
            most[0] = max(most[0], running[0])
        with mutex:
            running[0] -= 1

    instances = [engine.start("order", {}) for _ in range(20)]
    # when
    with engine.worker(worker):
        for instance in instances:
            instance.wait(30)
    # then
    assert most == [1]


def test_a_lost_lock_shows_as_cancelled(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task())
    worker = hr.Worker("w", lock_duration=30, heartbeat=0.01)
    started, seen = threading.Event(), threading.Event()
    lost: list[bool] = []

    @worker.task("charge-card")
    def handler(job: hr.Job) -> None:
        started.set()
        while not job.cancelled:
            pass
        lost.append(job.lock_lost)
        seen.set()

    # when
    with engine.worker(worker):
        instance = engine.start("order", {})
        assert started.wait(30)
        instance.cancel()
        # then
        assert seen.wait(30)
    assert lost == [True]


def test_stopping_hands_back_what_does_not_end_in_time(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task())
    worker = hr.Worker("w", grace=0.0)
    started, go, told = threading.Event(), threading.Event(), []

    @worker.task("charge-card")
    def handler(job: hr.Job) -> None:
        started.set()
        go.wait(30)
        told.append(job.cancelled)

    instance = engine.start("order", {})
    worker.start(engine)
    assert started.wait(30)
    # when
    worker.stop()
    (job,) = engine.dispatcher.fetch_and_lock("other", ["charge-card"])
    go.set()
    job.complete({"by": "other"})
    # then
    assert job.epoch == 2
    assert job.attempt == 1
    assert instance.variables == {"by": "other"}


def test_alive_tells_whether_it_runs(engine: hr.Engine) -> None:
    # given
    worker = hr.Worker("w")
    worker.task("t")(lambda: None)
    # then
    assert not worker.alive()
    with engine.worker(worker):
        assert worker.alive()
        with pytest.raises(hr.ConflictError):
            worker.start(engine)
    assert not worker.alive()


def test_a_worker_ends_with_its_engine() -> None:
    # given
    worker = hr.Worker("w")
    worker.task("t")(lambda: None)
    engine = hr.Engine()
    worker.start(engine)
    # when
    engine.close()
    worker.stop()
    # then
    assert not worker.alive()


def test_a_hand_driven_engine_is_worked_for_on_the_calling_thread(hand_driven: hr.Engine) -> None:
    # given
    hand_driven.deploy(one_task())
    worker = hr.Worker("w")
    threads: list[str] = []
    worker.task("charge-card")(lambda: threads.append(threading.current_thread().name))
    instance = hand_driven.start("order", {})
    # when
    worker.run(hand_driven, until=instance)
    # then
    assert instance.state is hr.InstanceState.COMPLETED
    assert threads == [threading.current_thread().name]


@pytest.mark.parametrize("wrong", [{"concurrency": 0}, {"concurrency": True}, {"id": 3}])
def test_wrong_options_of_a_worker_are_refused(wrong: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        hr.Worker(**wrong)


def test_mistakes_of_registration_are_refused(engine: hr.Engine) -> None:
    # given
    worker = hr.Worker("w")
    # then
    with pytest.raises(hr.ValidationError, match="handler"):
        worker.start(engine)
    with pytest.raises(hr.ValidationError, match="topic"):
        worker.task("")
    worker.task("t")(lambda: None)
    with pytest.raises(hr.ValidationError, match="one handler"):
        worker.task("t")(lambda: None)
    with pytest.raises(TypeError, match="this build has no client"):
        worker.run("http://127.0.0.1:8080/engine-rest")


def test_keep_alive_extends_and_tells_of_a_lost_lock(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task())
    instance = engine.start("order", {})
    (job,) = engine.dispatcher.fetch_and_lock("w", ["charge-card"], 30)
    extended = threading.Event()
    engine.subscribe(lambda r: extended.set() if r.what == "lock-extended" else None, "debug")
    # then
    with job.keep_alive(every=0.001):
        assert extended.wait(30)
    # when
    instance.cancel()

    def lose() -> None:
        with job.keep_alive(every=0.001):
            other = hr._core.heartbeat(job, 30, 0.01, 60)
            while other.state == "beating":
                pass

    # then
    with pytest.raises(hr.JobNotFound):
        lose()


def test_sigterm_ends_a_worker_and_gives_its_job_back() -> None:
    # given
    script = """
import headrace as hr
order = hr.Process("order")
order.start_event("s") >> order.service_task("pay", None, hr.WithWorker("t")) >> order.end_event("e")
worker = hr.Worker("w", grace=0)
@worker.task("t")
def handler(job):
    print("ready", flush=True)
    import threading; threading.Event().wait()
with hr.Engine() as engine:
    engine.deploy(order)
    engine.start("order")
    worker.run(engine)
    (job,) = engine.dispatcher.fetch_and_lock("other", ["t"])
    print("epoch", job.epoch, flush=True)
"""
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    # when
    child.send_signal(signal.SIGTERM)
    out, _ = child.communicate(timeout=60)
    # then
    assert out == "epoch 2\n"
    assert child.returncode == 0
