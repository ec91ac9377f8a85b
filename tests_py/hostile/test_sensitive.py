"""Row H73 of the hostile inputs for marked fields: a canary in a sensitive field goes wherever it can, and is to be seen nowhere."""

from __future__ import annotations

import contextlib
import logging
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import headrace as hr
from headrace import cli, drawing, drawing_html, frames
from headrace.testing import assert_that

CANARY = "4111-canary-1111"
WAIT = 30
SCHEMA = {"properties": {"token": {"type": "string", "maxLength": 3}}}
CHARGE = hr.Operation(
    "charge",
    in_message=hr.Message("In", {"card": hr.Sensitive(str), "amount": hr.Optional(float)}),
    out_message=hr.Message("Out", {"token": hr.Optional(hr.Sensitive(str)), "fee": hr.Optional(float)}),
)
INPUT = {"card": CANARY, "amount": 1.0}


class Surfaces:
    """Everything that people may get to see."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []

    def add(self, where: str, text: object) -> None:
        self.seen.append((where, str(text)))

    def refused(self, call: Callable[[], object]) -> None:
        try:
            call()
        except Exception as error:
            self.add("error", "".join(traceback.format_exception_only(error)))
            self.add("repr of error", repr(error))
        else:
            raise AssertionError("expected an error")

    def look(self, engine: hr.Engine) -> None:
        self.add("repr of engine", repr(engine))
        self.add("html of engine", drawing_html.engine_table(engine))
        self.add("metrics", engine.metrics())
        self.add("metrics text", engine.metrics_text())
        for definition in engine.definitions():
            self.add("definition", (repr(definition), definition.nodes, drawing.to_svg(definition)))
        instances = engine.instances()
        self.add("html of instances", drawing_html.instances_table(instances))
        self.add("table of instances", frames.instances(instances).to_csv())
        for instance in instances:
            snapshot = instance.snapshot()
            self.add("instance", (repr(instance), repr(snapshot), snapshot.reason, snapshot.error_code))
            self.add("svg of instance", instance._repr_svg_())
            self.add("table of instance", instance.to_dataframe().to_csv())
            for activity in (*snapshot.activities, *snapshot.timers):
                self.add("activity", repr(activity))
        for incident in engine.incidents():
            everything = (repr(incident), incident.message, incident.code, incident.body, incident.notes, incident._repr_html_())
            self.add("incident", everything)

    def leaks(self) -> list[tuple[str, str]]:
        return [(where, text[:400]) for where, text in self.seen if CANARY in text]


@pytest.fixture
def surfaces(caplog: pytest.LogCaptureFixture) -> Iterator[Surfaces]:
    caplog.set_level(logging.DEBUG)
    surfaces = Surfaces()
    yield surfaces
    surfaces.add("log", caplog.text)
    surfaces.add("log records", [record.__dict__ for record in caplog.records])
    assert len(surfaces.seen) > 2
    assert surfaces.leaks() == []


def charging(*options: hr.options.Option, operation: hr.Operation = CHARGE, process: str = "p") -> hr.Process:
    model = hr.Process(process)
    task = model.service_task("pay", operation, hr.WithWorker("charge"), *options)
    model.start_event("start") >> task >> model.end_event("end")
    model.boundary_error(task, "E") >> model.end_event("refused")
    return model


def fetched(
    engine: hr.Engine, model: hr.Process, surfaces: Surfaces, variables: dict[str, Any] | None = None
) -> tuple[hr.Instance, hr.Job]:
    engine.deploy(model)
    instance = engine.start(model.id, INPUT if variables is None else variables)
    [job] = engine.dispatcher.fetch_and_lock("w", ["charge"])
    assert job.variables["card"] == CANARY  # the worker does get it
    surfaces.add("job", (repr(job), str(job), repr(job.data()), job.policy))
    surfaces.look(engine)
    return instance, job


def test_h73_a_normal_round_trip(hand_driven: hr.Engine, surfaces: Surfaces) -> None:
    # given
    instance, job = fetched(hand_driven, charging(), surfaces)
    # when
    job.extend_lock(60)
    job.complete({"token": CANARY})
    # then
    assert instance.variables["token"] == CANARY
    surfaces.look(hand_driven)


MISMATCHES: dict[str, tuple[tuple[hr.options.Option, ...], dict[str, Any]]] = {
    "a wrong type": ((), {"token": [CANARY]}),
    "a nested value": ((), {"fee": {"a": CANARY}, "token": 3}),
    "an unknown field": ((), {"other": CANARY}),
    "a schema": ((hr.WithOutputSchema(SCHEMA),), {"token": CANARY}),
    "a mapping": ((hr.WithOutputMapping([hr.out("$.a.b", "token")]),), {"token": CANARY}),
    "a mapping to a wrong type": ((hr.WithOutputMapping([hr.out("$.a", "fee")]),), {"a": CANARY}),
}


@pytest.mark.parametrize("name", MISMATCHES)
@pytest.mark.parametrize("raw", [False, True], ids=["complete", "report_raw"])
def test_h73_output_that_does_not_fit(hand_driven: hr.Engine, surfaces: Surfaces, name: str, raw: bool) -> None:
    # given
    options, output = MISMATCHES[name]
    instance, job = fetched(hand_driven, charging(hr.WithOnMismatch("incident"), *options), surfaces)
    # when
    job.report_raw(200, output) if raw else job.complete(output)
    # then
    [incident] = instance.incidents
    surfaces.look(hand_driven)
    surfaces.refused(incident.remap)
    incident.annotate("looked at")
    incident.retry()
    surfaces.look(hand_driven)


@pytest.mark.parametrize("card", [[CANARY], {"number": CANARY}, CANARY.encode(), None], ids=["list", "map", "bytes", "absent"])
def test_h73_input_that_cannot_be_bound(hand_driven: hr.Engine, surfaces: Surfaces, card: Any) -> None:
    # given
    hand_driven.deploy(charging())
    # when
    instance = hand_driven.start("p", {"card": card, "amount": CANARY})
    # then
    [incident] = instance.incidents
    assert "card" in incident.message
    surfaces.look(hand_driven)


@pytest.mark.parametrize("trust", list(hr.WorkerTrust))
def test_h73_faults_with_bodies(hand_driven: hr.Engine, surfaces: Surfaces, trust: hr.WorkerTrust) -> None:
    # given: a policy that looks at the fault
    class Policy(hr.RetryPolicy):
        def next_delay(self, attempt: int, failure: hr.Failure, jitter: float) -> float | None:
            surfaces.add("failure", (repr(failure), str(failure)))
            return 1 if attempt < 3 else None

    mapper = hr.WithErrorMapper([hr.rule(500, body="$.card > 3").technical()])
    instance, job = fetched(hand_driven, charging(hr.WithWorkerTrust(trust), mapper, hr.WithRetryPolicy(Policy())), surfaces)
    # when
    job.report_raw(500, {"card": CANARY})
    for _ in range(2):
        hand_driven.advance(2)
        [job] = hand_driven.dispatcher.fetch_and_lock("w", ["charge"])
        job.fail(500, {"card": CANARY}, "declined", variables=None)
    # then
    [incident] = instance.incidents
    assert incident.body == "***"
    surfaces.look(hand_driven)
    incident.raise_error("E", "by hand")
    surfaces.look(hand_driven)


def test_h73_reports_that_are_refused(hand_driven: hr.Engine, surfaces: Surfaces) -> None:
    # given
    _, job = fetched(hand_driven, charging(), surfaces)
    bad = {"token": CANARY, "x": {1}}
    # then
    surfaces.refused(lambda: job.complete(bad))
    surfaces.refused(lambda: job.complete({"token": CANARY, "fee": float("nan")}))
    surfaces.refused(lambda: job.fail(500, bad))
    surfaces.refused(lambda: job.bpmn_error("", None, {"token": CANARY}))
    surfaces.refused(lambda: job.report_status(CANARY))
    surfaces.refused(lambda: hand_driven.dispatcher.complete(job.id, "stranger", {"token": CANARY}))
    surfaces.refused(lambda: hand_driven.start("p", {"card": CANARY, "x": object()}))
    surfaces.add("answers", repr(hand_driven.dispatcher.complete_many([(job, bad), ("no id", {"token": CANARY})], "w")))
    hand_driven.advance(3600)
    surfaces.look(hand_driven)


def test_h73_a_status_that_would_overwrite_it(hand_driven: hr.Engine, surfaces: Surfaces) -> None:
    # given
    instance, job = fetched(hand_driven, charging(hr.WithStatus("card")), surfaces)
    # when
    job.report_status(CANARY)
    # then
    assert len(instance.incidents) == 1
    surfaces.look(hand_driven)


EXPRESSIONS = [
    "${card}",
    "${card > 5}",
    "${card + 1 == 2}",
    "${card.x == 1}",
    "${!card}",
    "${card && true}",
    "${-card == 1}",
    "${list[card] == 1}",
    "${card < list}",
    "${card ? 1 : 2}",
    "${big * 3 == 1}",
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_h73_conditions_over_it(hand_driven: hr.Engine, surfaces: Surfaces, expression: str) -> None:
    # given
    hand_driven.deploy(branched(expression))
    # when
    instance = hand_driven.start("q", {**INPUT, "list": [CANARY], "big": 4_111_000_000_000_000_000})
    # then
    [incident] = instance.incidents
    assert "4111000000000000000" not in incident.message
    surfaces.look(hand_driven)


def branched(expression: str) -> hr.Process:
    model = hr.Process("q")
    gateway = model.exclusive_gateway("which")
    model.start_event("start") >> gateway
    gateway.when(expression) >> model.service_task("pay", CHARGE, hr.WithWorker("charge")) >> model.end_event("yes")
    gateway.default() >> model.end_event("no")
    return model


@pytest.mark.parametrize("kind", ["duration", "date"])
def test_h73_timers_over_it(hand_driven: hr.Engine, surfaces: Surfaces, kind: str) -> None:
    # given
    hand_driven.deploy(timed(kind))
    # when
    instance = hand_driven.start("timed", INPUT)
    # then
    [incident] = instance.incidents
    assert "ISO 8601" in incident.message
    surfaces.look(hand_driven)


def timed(kind: str) -> str:
    element = "timeDuration" if kind == "duration" else "timeDate"
    return f"""<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:hr="urn:headrace:bpmn:1" targetNamespace="t">
<process id="timed" isExecutable="true"><startEvent id="s"/>
<serviceTask id="pay" hr:topic="charge"><extensionElements><hr:service>
  <hr:inMessage name="In"><hr:field name="card" type="string" sensitive="true"/></hr:inMessage>
</hr:service></extensionElements></serviceTask>
<endEvent id="e"/><boundaryEvent id="b" attachedToRef="pay"><timerEventDefinition><{element}>${{card}}</{element}></timerEventDefinition>
</boundaryEvent><endEvent id="late"/><sequenceFlow id="f1" sourceRef="s" targetRef="pay"/>
<sequenceFlow id="f2" sourceRef="pay" targetRef="e"/>
<sequenceFlow id="f3" sourceRef="b" targetRef="late"/></process></definitions>"""


HANDLERS: dict[str, Callable[[str], Any]] = {
    "fine": lambda card: {"token": card},
    "no fit": lambda card: {"token": [card]},
    "no JSON": lambda card: {"token": card, "x": {1}},
    "no dict": lambda card: [card],
    "too large": lambda card: {"token": card * 500_000},
}


def faulty(card: str) -> None:
    raise hr.Fault(500, {"card": card}, "declined")


@pytest.mark.parametrize("name", [*HANDLERS, "fault"])
@pytest.mark.parametrize("place", ["worker", "local pool", "in the process"])
def test_h73_handlers_and_operations(surfaces: Surfaces, name: str, place: str) -> None:
    # given
    handler = faulty if name == "fault" else HANDLERS[name]
    done = threading.Event()
    with hr.Engine() as engine:
        engine.subscribe(lambda record: done.set() if record.what in ("incident-raised", "instance-ended") else None, "debug")
        if place == "in the process":
            operation = hr.Operation("charge", CHARGE.in_message, CHARGE.out_message, implementor=lambda v: handler(v["card"]))
            model = hr.Process("p")
            model.start_event("start") >> model.service_task("pay", operation) >> model.end_event("end")
        else:
            model = charging(hr.WithRetryPolicy(hr.NoRetry()))
        engine.deploy(model)
        worker = hr.Worker("w")
        worker.task("charge")(handler)
        if place == "local pool":
            engine.dispatcher.register_handler("charge", lambda job: handler(job.variables["card"]))
            engine.dispatcher.start_workers()
        # when
        with engine.worker(worker) if place == "worker" else contextlib.nullcontext():
            engine.start("p", INPUT)
            assert done.wait(WAIT)
        surfaces.add("worker", repr(worker))
        # then
        surfaces.look(engine)


def test_h73_a_job_whose_worker_disappears_and_an_instance_that_is_cancelled(hand_driven: hr.Engine, surfaces: Surfaces) -> None:
    # given
    instance, _ = fetched(hand_driven, charging(hr.WithRetryPolicy(hr.NoRetry())), surfaces)
    # when
    instance.suspend()
    instance.resume()
    hand_driven.advance(3600)
    surfaces.look(hand_driven)
    instance.cancel("enough")
    # then
    surfaces.look(hand_driven)


def test_h73_what_users_hold_has_no_values_in_its_repr(surfaces: Surfaces) -> None:
    for thing in (
        hr.Fault(500, {"card": CANARY}, "declined"),
        hr.BpmnError("E", "declined", {"card": CANARY}),
        hr.Failure(500, {"card": CANARY}, "declined"),
        hr.JobData("1:1:1:1:pay", "charge", {"card": CANARY}),
        CHARGE,
        charging(),
    ):
        surfaces.add(type(thing).__name__, (repr(thing), str(thing)))
    surfaces.add("process", drawing.to_svg(charging()))


def test_h73_assertions_that_fail(surfaces: Surfaces) -> None:
    # given
    from headrace.testing import Engine

    for model in (charging(), timed("duration").replace("${card}", "PT1H")):
        with Engine() as engine:
            engine.deploy(model)
            instance = engine.start("p" if isinstance(model, hr.Process) else "timed", INPUT)
            # then
            surfaces.refused(lambda i=instance: assert_that(i).is_completed())  # type: ignore[misc]
            surfaces.refused(lambda i=instance: assert_that(i).has_variable("card", "other"))  # type: ignore[misc]
            surfaces.refused(lambda i=instance: assert_that(i).has_no_variable("card"))  # type: ignore[misc]


@pytest.mark.parametrize("form", ["", "--json"])
def test_h73_the_command_that_runs_a_model(surfaces: Surfaces, tmp_path: Path, capfd: pytest.CaptureFixture[str], form: str) -> None:
    # given
    model, workers = tmp_path / "timed.bpmn", tmp_path / "workers.py"
    model.write_text(timed("duration").replace("${card}", "PT1H"))
    workers.write_text(
        "import headrace as hr\nworker = hr.Worker('w')\n@worker.task('charge')\ndef charge(card):\n    return {'card': card}\n"
    )
    arguments = ["run", str(model), "--worker", str(workers), "--var", f"card={CANARY}", *([form] if form else [])]
    # when
    with contextlib.suppress(SystemExit):
        cli.main(arguments)
    # then
    out, err = capfd.readouterr()
    assert "***" in out
    surfaces.add("command", out + err)
