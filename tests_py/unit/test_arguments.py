"""Wrong arguments of calls: one sentence that says what was expected and what was found, and never pybind11's own text."""

from __future__ import annotations

import asyncio
import datetime as dt
import math
from collections.abc import Callable
from typing import Any

import pytest

import headrace as hr
from models import one_task

Call = Callable[[hr.Engine], Any]


def incident_of(engine: hr.Engine) -> hr.Incident:
    engine.deploy(one_task(process="broken", topic="broken"))
    instance = engine.start("broken", {})
    [job] = engine.dispatcher.fetch_and_lock("w", ["broken"])
    job.fail(message="down", retries=0)
    [incident] = instance.incidents
    return incident


CALLS: dict[str, tuple[Call, str]] = {
    "limit negative": (lambda e: e.instances(limit=-1), "expected limit to be 0 to"),
    "limit text": (lambda e: e.instances(limit="x"), "expected limit to be an int, but found str"),  # type: ignore[arg-type]
    "process": (lambda e: e.instances(5), "expected process to be a str, but found int"),  # type: ignore[arg-type]
    "business key": (lambda e: e.instances(business_key=None), "expected business_key to be a str"),  # type: ignore[arg-type]
    "state": (lambda e: e.instances(state="foo"), "one of 'active', 'completed', 'failed', 'cancelled', but found 'foo'"),
    "profile": (lambda e: e.deploy(one_task(), profile="foo"), "one of 'headrace', 'camunda7', but found 'foo'"),
    "instance None": (lambda e: e.instance(None), "expected the id of an instance to be a str, but found NoneType"),  # type: ignore[arg-type]
    "instance surrogate": (lambda e: e.instance("\ud800"), "lone surrogate"),
    "incident None": (lambda e: e.incident(None), "expected the id of an incident to be a str"),  # type: ignore[arg-type]
    "definition None": (lambda e: e.definition(None), "expected process to be a str"),  # type: ignore[arg-type]
    "definition version": (lambda e: e.definition("order", -1), "expected version to be 1 to"),
    "retry None": (lambda e: incident_of(e).retry(None), "expected retries to be an int, but found NoneType"),  # type: ignore[arg-type]
    "retry bool": (lambda e: incident_of(e).retry(True), "expected retries to be an int, but found bool"),
    "retry large": (lambda e: incident_of(e).retry(2**40), "expected retries to be 0 to 1000000, but found 1099511627776"),
    "annotate": (lambda e: incident_of(e).annotate("\ud800"), "lone surrogate"),
    "raise_error": (lambda e: incident_of(e).raise_error(5), "expected code to be a str"),  # type: ignore[arg-type]
    "cancel": (lambda e: incident_of(e).cancel(None), "expected reason to be a str"),  # type: ignore[arg-type]
    "fetch": (lambda e: asyncio.run(e.dispatcher.afetch_and_lock("w", ["t"], max_jobs="x")), "expected max_jobs to be an int"),  # type: ignore[arg-type]
    "fetch policy": (lambda e: asyncio.run(e.dispatcher.afetch_and_lock("w", ["t"], runs_policy=1)), "expected runs_policy to be a bool"),  # type: ignore[arg-type]
    "handler topic": (lambda e: e.dispatcher.register_handler(5, lambda job: {}), "expected topic to be a str"),  # type: ignore[arg-type]
    "handler threads": (lambda e: e.dispatcher.register_handler("t", lambda job: {}, parallelism="x"), "expected parallelism to be an int"),  # type: ignore[arg-type]
    "clock": (lambda e: hr.ManualClock(1, 2), "expected at most one argument 'start' for ManualClock()"),  # type: ignore[call-arg, arg-type]
    "clock name": (lambda e: hr.ManualClock(x=2), "unexpected keyword argument 'x'"),  # type: ignore[call-arg]
    "clock set": (lambda e: hr.ManualClock().set(), "expected one argument 'to' for set(), but found 0"),  # type: ignore[call-arg]
    "next_delay": (lambda e: hr.FixedDelay(3, 1).next_delay("x", hr.Failure(), 0.5), "expected attempt to be an int"),  # type: ignore[arg-type]
    "next_delay jitter": (lambda e: hr.FixedDelay(3, 1).next_delay(1, hr.Failure(), "x"), "expected jitter as a number"),  # type: ignore[arg-type]
    "start_many text": (lambda e: e.start_many("order", "ab"), "expected variables to be a sequence of dicts, but found str"),  # type: ignore[arg-type]
    "deploy nothing": (lambda e: e.deploy(""), "expected an hr.Process, the path of a .bpmn file or its XML, but found ''"),
    "deploy NUL": (lambda e: e.deploy("a\0b"), "expected an hr.Process, the path of a .bpmn file or its XML"),
    "deploy class": (lambda e: e.deploy(hr.Process), "but found the class Process"),  # type: ignore[arg-type]
    "deploy surrogate": (lambda e: e.deploy("<\ud800"), "lone surrogate"),
    "default trust": (lambda e: e.set_defaults(hr.WithWorkerTrustDefault("foo")), "one of 'WorkerTrusted', 'EngineAuthoritative'"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", CALLS)
def test_an_argument_that_does_not_fit_is_one_sentence(hand_driven: hr.Engine, name: str) -> None:
    # given
    call, said = CALLS[name]
    # when
    with pytest.raises((hr.ValidationError, TypeError)) as raised:
        call(hand_driven)
    # then
    assert said in str(raised.value)
    assert "Invoked with" not in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1


def test_a_clock_takes_its_time_by_position_and_by_name() -> None:
    # given
    time = dt.datetime(2026, 1, 5, tzinfo=dt.timezone.utc)
    # when
    clocks = [hr.ManualClock(time), hr.ManualClock(start=time), hr.ManualClock()]
    clocks[2].set(to=time + dt.timedelta(days=9))
    # then
    assert [clock.now() - time for clock in clocks] == [dt.timedelta(), dt.timedelta(), dt.timedelta(days=9)]


def test_start_many_answers_per_item_in_order(hand_driven: hr.Engine) -> None:
    # given
    hand_driven.deploy(one_task())
    items: Any = [{"a": math.nan}, {"a": 1}, 5, {"a": 2}]
    # when
    answers = hand_driven.start_many("order", items)
    # then
    assert [type(answer) for answer in answers] == [hr.ValidationError, hr.Instance, hr.ValidationError, hr.Instance]
    assert "variables[0].a" in str(answers[0])
    assert "variables[2]" in str(answers[2])
    assert [i.variables for i in hand_driven.instances()] == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize("there", [1, 3])
def test_a_version_that_is_not_deployed_is_named_with_those_that_are(hand_driven: hr.Engine, there: int) -> None:
    # given
    for _ in range(there):
        hand_driven.deploy(one_task())
    has = "is version 1 alone" if there == 1 else "are versions 1 to 3"
    calls: list[Callable[[], Any]] = [lambda: hand_driven.start("order", {}, version=9), lambda: hand_driven.definition("order", 9)]
    # when
    for call in calls:
        with pytest.raises(hr.NotFoundError, match=f"expected version 9 of process 'order' to be deployed, but there {has}"):
            call()
    [answer] = hand_driven.start_many("order", [{}], version=9)
    # then
    assert has in str(answer)


LONG = "x" * 1_000_000
ECHOES: dict[str, Call] = {
    "process": lambda e: e.start(LONG, {}),
    "definition": lambda e: e.definition(LONG),
    "instance": lambda e: e.instance("1" * 1_000_000),
    "incident": lambda e: e.incident(LONG),
    "job": lambda e: e.dispatcher.complete("1:1:1:1:" + LONG, "w"),
    "duration": lambda e: e.dispatcher.fetch_and_lock("w", ["t"], lock_duration=LONG),
    "variable": lambda e: e.start("order", {LONG: math.nan}),
    "business key": lambda e: e.start("order", {}, business_key="k" * 10_000_000),
    "user task": lambda e: e.start("order", {}).complete_user_task(LONG),
    "state": lambda e: e.instances(state=LONG),
    "store": lambda e: hr.Engine(LONG),
    "path": lambda e: e.deploy(LONG),
    "model": lambda e: hr.Process("a b" * 1_000_000).check(),
}


@pytest.mark.parametrize("name", ECHOES)
def test_what_was_given_is_repeated_only_by_its_beginning(hand_driven: hr.Engine, name: str) -> None:
    # given
    hand_driven.deploy(one_task())
    said = ""
    # when
    try:
        ECHOES[name](hand_driven)
    except hr.HeadraceError as error:
        said = str(error)
    # then
    assert len(said) < 800


def test_a_closed_engine_cannot_be_entered() -> None:
    # given
    engine = hr.Engine()
    engine.close()
    # then
    with pytest.raises(hr.EngineError, match=r"^the engine is closed$"), engine:
        pass


def test_instances_are_found_by_names_of_any_length(hand_driven: hr.Engine) -> None:
    # given
    name, key = "a_process_with_a_long_name_" * 3, "a business key that is long " * 3
    hand_driven.deploy(one_task(process=name))
    one = hand_driven.start(name, {}, business_key=key)
    hand_driven.start(name, {}, business_key=key + "x")
    # when
    found = hand_driven.instances(name, business_key=key)
    # then
    assert found == [one]
