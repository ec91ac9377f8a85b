"""Wrong arguments of every other call: refused by name, and nothing is lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from standing import Standing

import headrace as hr
from models import one_task

REFUSALS = (hr.HeadraceError, TypeError, ValueError)
Call = Callable[[Standing, Any], object]

# call -> the wrong arguments
CALLS: dict[str, tuple[Call, list[Any]]] = {
    "start process": (lambda s, x: s.engine.start(x), [None, 3, b"order", "nobody", "\ud800", "x" * 1_000_000]),
    "start business_key": (lambda s, x: s.engine.start("order", {}, business_key=x), [3, b"k", "\ud800", {}]),
    "start version": (lambda s, x: s.engine.start("order", {}, version=x), [0, 7, -1, "1", 1.5, 2**70]),
    "start traceparent": (lambda s, x: s.engine.start("order", {}, traceparent=x), [3, b"00"]),
    "start_many": (lambda s, x: s.engine.start_many("order", x), [None, 3, 7.5]),
    "instance": (lambda s, x: s.engine.instance(x), [None, 3, "", "x", "999", "-1", "1'--", "9" * 100_000]),
    "instances state": (lambda s, x: s.engine.instances(state=x), ["running", 3, []]),
    "instances limit": (lambda s, x: s.engine.instances(limit=x), [-1, "x", 1.5, None, 2**70]),
    "incident": (lambda s, x: s.engine.incident(x), [None, 3, "", "1", "1:1", "x:y", "1:1:1", "9" * 100_000]),
    "definition": (lambda s, x: s.engine.definition(x), [None, 3, "nobody"]),
    "deploy": (lambda s, x: s.engine.deploy(x), [None, 3, [], "no-such-file.bpmn", b"", b"\x00", "<x/>", "<" * 100_000]),
    "deploy profile": (lambda s, x: s.engine.deploy(one_task(process="other"), profile=x), ["camunda8", 3]),
    "advance": (lambda s, x: s.engine.advance(x), [None, -1, "soon", float("nan"), 2**63, []]),
    "subscribe level": (lambda s, x: s.engine.subscribe(print, x), ["loud", None, 3]),
    "set_variables": (lambda s, x: s.instance.set_variables(x), [None, 3, [], {1: 2}]),
    "complete_user_task": (lambda s, x: s.instance.complete_user_task(x), [None, 3, "", "nobody", "pay"]),
    "cancel": (lambda s, x: s.instance.cancel(x), [None, 3, b"x", "\ud800"]),
    "wait timeout": (lambda s, x: s.instance.wait(x), [-1, "soon", float("nan"), []]),
    "wait until": (lambda s, x: s.instance.wait(0, until=x), ["over", None, 3]),
    "epoch": (lambda s, x: s.engine.dispatcher.complete(s.job.id, "w", {}, epoch=x), [-1, "1", 1.5, 2**70, True]),
    "retries": (lambda s, x: s.job.fail(retries=x), [-1, "1", 1.5, 2**31, 2**70, True]),
    "message of fail": (lambda s, x: s.job.fail(message=x), [3, b"x", "\ud800"]),
    "message of bpmn_error": (lambda s, x: s.job.bpmn_error("E", x), [3, b"x", "\ud800"]),
    "code of fail": (lambda s, x: s.job.fail(x), [[], {}, "x" * 1_000_000]),
    "code of report_raw": (lambda s, x: s.job.report_raw(x), [[], {}, "x" * 1_000_000]),
    "complete_many items": (lambda s, x: s.engine.dispatcher.complete_many(x, "w"), [None, 3, [1], [("a",)], [("a", {}, 1)], [(None, {})]]),
    "pending": (lambda s, x: s.engine.dispatcher.pending(x), [3, b"x", "\ud800"]),
    "no such argument": (lambda s, x: s.job.complete({}, **{x: 1}), ["outcome", ""]),
}
ALL = [(name, at) for name, (_, wrong) in CALLS.items() for at in range(len(wrong))]


@pytest.mark.parametrize(("name", "at"), ALL, ids=[f"{name}-{at}" for name, at in ALL])
def test_a_call_with_a_wrong_argument_is_refused_and_nothing_is_lost(standing: Standing, name: str, at: int) -> None:
    # given
    call, wrong = CALLS[name]
    # then
    standing.refuses(lambda: call(standing, wrong[at]), error=(*REFUSALS, OSError))  # type: ignore[arg-type]
    standing.goes_on()
    assert [d.id for d in standing.engine.definitions()] == ["order"]


INCIDENT_CALLS: dict[str, tuple[Callable[[hr.Incident, Any], object], list[Any]]] = {
    "retry": (lambda i, x: i.retry(x), [-1, "1", 1.5, 2**40, True, None]),
    "resolve": (lambda i, x: i.resolve(x), [3, [], {1: 2}, {"x": float("nan")}]),
    "raise_error": (lambda i, x: i.raise_error(x), ["", None, 3, b"E", "\ud800"]),
    "annotate": (lambda i, x: i.annotate(x), [None, 3, b"x", "\ud800", "x" * 1_000_000]),
    "cancel": (lambda i, x: i.cancel(x), [None, 3, "\ud800"]),
}
EACH = [(name, at) for name, (_, wrong) in INCIDENT_CALLS.items() for at in range(len(wrong))]


@pytest.mark.parametrize(("name", "at"), EACH, ids=[f"{name}-{at}" for name, at in EACH])
def test_an_operators_call_with_a_wrong_argument_leaves_the_incident_open(standing: Standing, name: str, at: int) -> None:
    # given
    standing.job.fail(message="broken", retries=0)
    [incident] = standing.instance.incidents
    call, wrong = INCIDENT_CALLS[name]
    # then
    standing.refuses(lambda: call(incident, wrong[at]), error=REFUSALS)  # type: ignore[arg-type]
    incident.resolve({"result": 1})
    assert standing.instance.state is hr.InstanceState.COMPLETED


ENGINES: list[Callable[[], object]] = [
    lambda: hr.Engine(3),  # type: ignore[arg-type]
    lambda: hr.Engine("sqlite:///x"),
    lambda: hr.Engine(None, 7),  # type: ignore[arg-type]
    lambda: hr.Engine(None, hr.WithStatus("x")),  # type: ignore[arg-type]
    lambda: hr.Engine(None, hr.WithWorkerLockDuration(None)),  # type: ignore[arg-type]
    lambda: hr.Engine(None, hr.WithWorkerLockDuration(-1)),
    lambda: hr.Engine(None, hr.WithWorkerMaxLockDuration("soon")),
    lambda: hr.Engine(None, hr.WithWorkerRetryPolicy("often")),  # type: ignore[arg-type]
    lambda: hr.Engine(None, hr.WithWorkerErrorMapper(3)),  # type: ignore[arg-type]
    lambda: hr.Engine(None, hr.WithWorkerTrustDefault("all")),  # type: ignore[arg-type]
    lambda: hr.Engine(None, hr.WithWorkerDispatcher(None)),
    lambda: hr.Engine(threads=-1),
    lambda: hr.Engine(threads=10_000),
    lambda: hr.Engine(threads="2"),  # type: ignore[arg-type]
    lambda: hr.Engine(threads=1.5),  # type: ignore[arg-type]
    lambda: hr.Engine(shards=-1),
    lambda: hr.Engine(shards=10_000),
    lambda: hr.Engine(keep_ended=-1),
    lambda: hr.Engine(max_instances="x"),  # type: ignore[arg-type]
    lambda: hr.Engine(max_stuck_threads=-1),
    lambda: hr.Engine(seed=-1),
    lambda: hr.Engine(seed="x"),  # type: ignore[arg-type]
    lambda: hr.Engine(cores=3),  # type: ignore[call-arg]
    lambda: hr.Engine(clock=object(), threads=2),
]


@pytest.mark.parametrize("make", ENGINES, ids=range(len(ENGINES)))
def test_an_engine_of_wrong_options_is_refused_with_one_clear_error(make: Callable[[], object]) -> None:
    with pytest.raises(REFUSALS) as refused:
        make()
    assert 10 < len(str(refused.value)) < 1_000
