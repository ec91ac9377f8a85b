"""Rows H77 and H79 of the hostile inputs, and Python objects in the engine's places: whatever they do, the engine goes on."""

from __future__ import annotations

import gc
import math
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import headrace as hr
from models import in_process, one_task

WAIT = 30


class Unreadable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


class Odd:
    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


def raising(error: BaseException) -> Callable[[], Any]:
    def body() -> Any:
        raise error

    return body


def cyclic() -> dict[str, Any]:
    loop: dict[str, Any] = {}
    loop["again"] = loop
    return loop


def deep() -> dict[str, Any]:
    value: Any = 1
    for _ in range(10_000):
        value = [value]
    return {"x": value}


ODD: dict[str, tuple[Callable[[], Any], str]] = {
    "H77 BaseException": (raising(BaseException("all")), "BaseException"),
    "H77 SystemExit": (raising(SystemExit(3)), "SystemExit"),
    "H77 GeneratorExit": (raising(GeneratorExit()), "GeneratorExit"),
    "H77 an error without text": (raising(Unreadable()), "Unreadable"),
    "H77 RecursionError": (raising(RecursionError("deep")), "RecursionError"),
    "H77 MemoryError": (raising(MemoryError()), "MemoryError"),
    "H77 an error of 10 MB": (raising(ValueError("x" * 10_000_000)), "ValueError"),
    "H77 an error that is no UTF-8": (raising(ValueError("\ud800")), "ValueError"),
    "H77 cyclic dict": (cyclic, "contains itself"),
    "H77 deep dict": (deep, "nesting deeper than 128"),
    "H77 NaN": (lambda: {"x": math.nan}, "NaN"),
    "H77 10**40": (lambda: {"x": 10**40}, "64 bits"),
    "H77 an object without text": (lambda: {"x": Odd()}, "Odd"),
    "H77 a list": (lambda: [1], "list"),
    "H77 10 MB": (lambda: {"x": "x" * 10_000_000}, "4194304 bytes"),
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("place", ["worker", "operation", "local pool"])
def test_h77_what_a_body_does_is_a_technical_fault_with_its_type_and_the_next_one_runs(engine: hr.Engine, name: str, place: str) -> None:
    # given
    odd, text = ODD[name]

    def body(variables: dict[str, Any]) -> Any:
        return {"done": True} if "fine" in variables else odd()

    raised = threading.Event()
    engine.subscribe(lambda r: raised.set() if r.what == "incident-raised" else None, "error")
    if place == "operation":
        engine.deploy(in_process(body, process="order"))
    else:
        engine.deploy(one_task(hr.WithRetryPolicy(hr.NoRetry())))
    worker = hr.Worker("w")
    if place == "worker":
        worker.task("charge-card")(body)
        worker.start(engine)
    if place == "local pool":
        engine.dispatcher.register_handler("charge-card", body)
        engine.dispatcher.start_workers()
    # when
    broken = engine.start("order", {})
    assert raised.wait(WAIT)
    fine = engine.start("order", {"fine": 1})
    fine.wait(WAIT)
    if place == "worker":
        worker.stop()
    # then
    [incident] = broken.incidents
    assert text in incident.message
    assert len(incident.message) <= 11_000
    assert fine.variables["done"] is True


def test_h77_bytes_and_datetimes_are_fine(engine: hr.Engine) -> None:
    # given
    import datetime as dt

    now = dt.datetime(2026, 1, 5, tzinfo=dt.timezone.utc)
    engine.deploy(in_process(lambda: {"raw": b"\x00\xff", "at": now}))
    # when
    instance = engine.start("calc", {})
    instance.wait(WAIT)
    # then
    assert (instance.variables["raw"], instance.variables["at"]) == (b"\x00\xff", now)


def test_h77_what_a_handler_raises_and_returns_is_let_go(engine: hr.Engine) -> None:
    # given
    class Kept(Exception):
        pass

    gone: list[weakref.ref[Kept]] = []

    def body() -> None:
        error = Kept()
        gone.append(weakref.ref(error))
        raise error

    engine.deploy(one_task(hr.WithRetryPolicy(hr.FixedDelay(20, 0))))
    worker = hr.Worker("w")
    worker.task("charge-card")(body)
    raised = threading.Event()
    engine.subscribe(lambda r: raised.set() if r.what == "incident-raised" else None, "error")
    # when
    with engine.worker(worker):
        engine.start("order", {})
        assert raised.wait(WAIT)
    gc.collect()
    # then
    assert len(gone) == 20
    assert [ref() for ref in gone] == [None] * 20


class Text(str):
    pass


@pytest.mark.parametrize("id", [None, 1, b"a", ["a"], "\ud800", "a\udc80b"], ids=repr)
@pytest.mark.parametrize("place", ["process", "start", "task", "topic", "message", "field", "error", "operation"])
def test_h79_a_model_of_names_that_are_no_text_is_refused_and_the_engine_is_as_before(engine: hr.Engine, place: str, id: Any) -> None:
    # given
    def model() -> hr.Process:
        name = {place: id}
        fields: Any = {"x": str} if place != "field" else [(id, str)] if isinstance(id, list) else {id: str}
        charge = hr.Operation(
            name.get("operation", "charge"),
            in_message=hr.Message(name.get("message", "In"), fields),
            errors=[hr.Error(name.get("error", "E"))],
        )
        process = hr.Process(name.get("process", "p"))
        start, end = process.start_event(name.get("start", "s")), process.end_event("e")
        start >> process.service_task(name.get("task", "t"), charge, hr.WithWorker(name.get("topic", "work"))) >> end
        return process

    # then
    with pytest.raises((TypeError, ValueError)) as refused:
        engine.deploy(model())
    assert len(str(refused.value)) < 2_000
    assert engine.definitions() == []


def test_h79_subclasses_of_str_are_plain_text(engine: hr.Engine) -> None:
    # given
    process = hr.Process(Text("p"))
    process.start_event(Text("s")) >> process.service_task(Text("t"), None, hr.WithWorker(Text("work"))) >> process.end_event(Text("e"))
    # when
    definition = engine.deploy(process)
    instance = engine.start(Text("p"), {Text("x"): Text("y")})
    # then
    assert [type(node["id"]) for node in definition.nodes] == [str] * 3
    assert {type(key) for key in instance.variables} == {str}


@pytest.mark.parametrize("place", ["rules", "outputs", "options", "start_many"])
def test_h79_a_generator_that_raises_half_way_leaves_the_engine_as_it_was(engine: hr.Engine, place: str) -> None:
    # given
    engine.deploy(one_task())

    def half() -> Iterator[Any]:
        yield {"rules": hr.rule(1).technical(), "outputs": hr.out("$.a", "a"), "options": hr.WithWorker("w"), "start_many": {}}[place]
        raise RuntimeError("half way")

    calls: dict[str, Callable[[], object]] = {
        "rules": lambda: engine.deploy(one_task(hr.WithErrorMapper(half()), process="other")),  # type: ignore[arg-type]
        "outputs": lambda: engine.deploy(one_task(hr.WithOutputMapping(half()), process="other")),  # type: ignore[arg-type]
        "options": lambda: engine.deploy(one_task(*half(), process="other")),
        "start_many": lambda: engine.start_many("order", half()),  # type: ignore[arg-type]
    }
    # then
    with pytest.raises((RuntimeError, TypeError, ValueError)):
        calls[place]()
    assert [d.id for d in engine.definitions()] == ["order"]
    assert engine.instances() == []
    assert engine.metrics()["instances_started"] == 0


class Policy(hr.RetryPolicy):
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def next_delay(self, attempt: int, failure: hr.Failure, jitter: float) -> Any:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer() if callable(self.answer) else self.answer


ANSWERS = [-1, -0.001, math.inf, math.nan, 1e300, "soon", "-PT1S", "P1M", object(), [], ValueError("no idea"), SystemExit(1), Unreadable()]


@pytest.mark.parametrize(
    "answer", ANSWERS, ids=lambda a: type(a).__name__ if isinstance(a, (BaseException, list)) or type(a) is object else repr(a)
)
@pytest.mark.parametrize("place", ["worker's task", "in the process"])
def test_a_policy_with_an_impossible_delay_ends_in_one_incident_and_loses_nothing(hand_driven: hr.Engine, place: str, answer: Any) -> None:
    # given
    option = hr.WithRetryPolicy(Policy(answer))
    fails = [True]

    def body() -> dict[str, Any]:
        if fails:
            raise ValueError("down")
        return {"result": 1}

    hand_driven.deploy(one_task(option) if place == "worker's task" else in_process(body, option, process="order"))
    instance = hand_driven.start("order", {})
    # when
    if place == "worker's task":
        [job] = hand_driven.dispatcher.fetch_and_lock("w", ["charge-card"])
        job.fail("x", None, "down")
    hand_driven.run_until_idle()
    # then
    [incident] = instance.incidents
    assert "policy" in incident.message
    # when
    fails.clear()
    incident.resolve({"result": 1})
    # then
    assert instance.state is hr.InstanceState.COMPLETED


class Mapper(hr.ErrorMapper):
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def classify(self, failure: hr.Failure) -> Any:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer(failure) if callable(self.answer) else self.answer


VERDICTS = [
    RuntimeError("broken"),
    SystemExit(2),
    Unreadable(),
    7,
    "BPMN",
    hr.BpmnError(""),
    hr.BpmnError(3),  # type: ignore[arg-type]
    hr.BpmnError("x" * 10_000),
    hr.Status({1}),
    hr.Status(math.nan),
    hr.Status("no WithStatus"),
]


@pytest.mark.parametrize("answer", VERDICTS, ids=lambda a: f"{type(a).__name__}-{VERDICTS.index(a)}")
@pytest.mark.parametrize("place", ["worker's task", "in the process"])
def test_a_mapper_that_raises_or_answers_nonsense_makes_a_technical_fault(hand_driven: hr.Engine, place: str, answer: Any) -> None:
    # given
    options = (hr.WithErrorMapper(Mapper(answer)), hr.WithRetryPolicy(hr.NoRetry()))

    def body() -> dict[str, Any]:
        raise hr.Fault(409, {"a": 1}, "declined")

    hand_driven.deploy(one_task(*options) if place == "worker's task" else in_process(body, *options, process="order"))
    instance = hand_driven.start("order", {})
    # when
    if place == "worker's task":
        [job] = hand_driven.dispatcher.fetch_and_lock("w", ["charge-card"])
        job.report_raw(409, {"a": 1})
    hand_driven.run_until_idle()
    # then
    assert instance.state is hr.InstanceState.ACTIVE
    [incident] = instance.incidents
    assert incident.code == 409
    # when
    incident.resolve({})
    # then
    assert instance.state is hr.InstanceState.COMPLETED


def calls_of(engine: hr.Engine, job: hr.Job) -> dict[str, Callable[[], object]]:
    """What a callback may try, on its own instance and on others."""
    own = engine.instance(job.instance_id)
    return {
        "its own report": lambda: job.complete({}),
        "its own lock": lambda: job.extend_lock(60),
        "its own variables": lambda: own.set_variables({"seen": 1}),
        "its own state": lambda: own.snapshot(),
        "a start": lambda: engine.start("other", {}),
        "a fetch": lambda: engine.dispatcher.fetch_and_lock("x", ["elsewhere"]),
        "incidents": lambda: engine.incidents(),
        "a deploy": lambda: engine.deploy(one_task(process="new")),
        "metrics": lambda: engine.metrics(),
    }


CALLS = ["its own report", "its own lock", "its own variables", "its own state", "a start", "a fetch", "incidents", "a deploy", "metrics"]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", ["mapper", "policy", "schema"])
@pytest.mark.parametrize("threads", [0, 2])
def test_a_callback_that_calls_the_engine_gets_an_answer_or_an_error_and_blocks_nobody(
    clock: hr.ManualClock, threads: int, kind: str, call: str
) -> None:
    # given
    told: list[str] = []

    def nosy(*_: Any) -> Any:
        try:
            calls_of(engine, job)[call]()
            told.append("answered")
        except hr.HeadraceError as error:
            told.append(type(error).__name__)
        return None

    option: hr.options.Option = {
        "mapper": hr.WithErrorMapper(Mapper(nosy)),
        "policy": hr.WithRetryPolicy(Policy(nosy)),
        "schema": hr.WithOutputSchema(nosy),
    }[kind]
    with hr.Engine(clock=clock, threads=threads) if threads == 0 else hr.Engine(threads=threads) as engine:
        engine.deploy(one_task(topic="elsewhere", process="other"))
        engine.deploy(one_task(option))
        instance = engine.start("order", {})
        [job] = engine.dispatcher.fetch_and_lock("w", ["charge-card"])
        answers: list[str] = []

        def report() -> None:
            job.complete({}) if kind == "schema" else job.report_raw(409, {})
            answers.append("taken")

        thread = threading.Thread(target=report, daemon=True)
        # when
        thread.start()
        thread.join(WAIT)
        # then
        assert not thread.is_alive(), "the report waits for itself"
        assert answers == ["taken"]
        assert told
        assert set(told) <= {"answered", "ConflictError", "WouldDeadlock"}
        if call == "its own report":
            assert told == ["ConflictError"]
        assert instance.state is (hr.InstanceState.COMPLETED if kind == "schema" else hr.InstanceState.ACTIVE)


@pytest.mark.parametrize("wrong", [None, 3, "x", [1], hr.rule(1), object()], ids=lambda w: type(w).__name__)
@pytest.mark.parametrize(
    "option",
    [
        hr.WithRetryPolicy,
        hr.WithErrorMapper,
        hr.WithTimeout,
        hr.WithJobTimeout,
        hr.WithLockDuration,
        hr.WithMaxLockDuration,
        hr.WithStatus,
        hr.WithWorkerTrust,
        hr.WithExpiryAsAttempt,
        hr.WithOnExhausted,
        hr.WithOnMismatch,
        hr.WithOnUncaughtError,
        hr.WithOutputSchema,
        hr.WithWorker,
    ],
    ids=lambda o: o.__name__,
)
def test_an_option_of_a_wrong_type_is_a_fault_of_its_task_that_names_it(engine: hr.Engine, option: Any, wrong: Any) -> None:
    # given: what fits by chance is no mistake
    if (option, type(wrong)) in {(hr.WithStatus, str), (hr.WithWorker, str)}:
        return
    if isinstance(wrong, int) and option in (hr.WithTimeout, hr.WithJobTimeout, hr.WithLockDuration, hr.WithMaxLockDuration):
        return
    process = hr.Process("p")
    options = [option(wrong)] if option is hr.WithWorker else [hr.WithWorker("t"), option(wrong)]
    process.start_event("s") >> process.service_task("pay", None, *options) >> process.end_event("e")
    # then
    with pytest.raises((hr.ModelError, TypeError, ValueError)) as refused:
        engine.deploy(process)
    if isinstance(refused.value, hr.ModelError):
        assert {fault.element for fault in refused.value.faults} == {"pay"}
    assert engine.definitions() == []


def test_the_thread_of_a_callback_is_never_one_that_the_engine_needs(engine: hr.Engine) -> None:
    """A callback that sleeps holds up its own report alone."""
    # given
    inside, leave = threading.Event(), threading.Event()

    def slow(_: hr.Failure) -> None:
        inside.set()
        assert leave.wait(WAIT)

    engine.deploy(one_task(hr.WithErrorMapper(Mapper(slow)), hr.WithRetryPolicy(hr.NoRetry())))
    engine.deploy(one_task(topic="elsewhere", process="other"))
    engine.start("order", {})
    [job] = engine.dispatcher.fetch_and_lock("w", ["charge-card"])
    reporter = threading.Thread(target=lambda: job.report_raw(409, {}))
    reporter.start()
    assert inside.wait(WAIT)
    # when
    others = [engine.start("other", {}) for _ in range(50)]
    for other in engine.dispatcher.fetch_and_lock("w", ["elsewhere"], max_jobs=50):
        other.complete({})
    # then
    assert {other.state for other in others} == {hr.InstanceState.COMPLETED}
    leave.set()
    reporter.join()


def test_a_recursion_limit_is_no_danger_to_values_at_the_border() -> None:
    # given
    value: Any = 1
    for _ in range(126):
        value = [value]
    before = sys.getrecursionlimit()
    # then
    with hr.Engine() as engine:
        engine.deploy(one_task())
        assert engine.start("order", {"x": value}).variables["x"] == value
    assert sys.getrecursionlimit() == before
