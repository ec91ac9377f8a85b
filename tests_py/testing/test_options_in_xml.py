"""Every option of a service task says the same in XML and in Python: one row an option, run both ways."""

from __future__ import annotations

import dataclasses
import datetime as dt
import sys
from collections.abc import Callable
from typing import Any

import pytest

import headrace as hr
from headrace.testing import Engine

MODEL = """<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:hr="urn:headrace:bpmn:1" targetNamespace="t">
<error id="E" errorCode="E"/>
<process id="p" isExecutable="true">
  <startEvent id="start"/>
  <serviceTask id="task" name="task" hr:topic="work">
    <extensionElements><hr:service {attributes}>{content}</hr:service></extensionElements></serviceTask>
  <endEvent id="end"/><endEvent id="caught"/>
  <boundaryEvent id="on-E" attachedToRef="task"><errorEventDefinition errorRef="E"/></boundaryEvent>
  <sequenceFlow id="f1" sourceRef="start" targetRef="task"/><sequenceFlow id="f2" sourceRef="task" targetRef="end"/>
  <sequenceFlow id="f3" sourceRef="on-E" targetRef="caught"/>
</process></definitions>"""


def built(operation: hr.Operation | None, *options: hr.options.Option) -> hr.Process:
    process = hr.Process("p")
    task = process.service_task("task", operation, hr.WithWorker("work"), *options)
    process.start_event("start") >> task >> process.end_event("end")
    process.boundary_error(task, "E", id="on-E") >> process.end_event("caught")
    return process


@dataclasses.dataclass
class Run:
    """A started instance, and what is done with it."""

    engine: Engine
    instance: hr.Instance

    def fetch(self, **given: Any) -> list[hr.Job]:
        return self.engine.dispatcher.fetch_and_lock("w", ["work"], **given)

    @property
    def job(self) -> hr.Job:
        [job] = self.fetch()
        return job

    def seen(self) -> dict[str, Any]:
        s = self.instance.snapshot()
        incidents = [(i.message, i.attempts, i.body) for i in s.incidents]
        return {"state": s.state.value, "end": s.end_node, "variables": s.variables, "incidents": incidents}


def reported(*reports: Callable[[hr.Job], object]) -> Callable[[Run], Any]:
    """What is to be seen after each report; a job that is back is fetched again."""

    def observe(run: Run) -> Any:
        seen = []
        for report in reports:
            for job in run.fetch():
                report(job)
                seen.append(run.seen())
        return seen

    return observe


def extended(run: Run) -> str:
    job = run.job
    run.engine.advance(5)
    job.extend_lock(14)
    try:
        job.extend_lock(16)
    except hr.LockCapExceeded:
        return "capped"
    return "extended"


def expired(run: Run) -> Any:
    run.fetch(lock_duration=5)
    run.engine.advance(6)
    return [job.attempt for job in run.fetch()], len(run.instance.incidents)


def timed_out(run: Run) -> Any:
    run.fetch(lock_duration=200)
    run.engine.advance(59)
    before = len(run.instance.incidents)
    run.engine.advance(2)
    return before, run.seen()


def hidden(run: Run) -> Any:
    job = run.job
    return job.authoritative, job.policy, job.attempt


IN = hr.Operation("task", in_message=hr.Message("In", {"given": int}))
IN_XML = '<hr:inMessage name="In"><hr:field name="given" type="int"/></hr:inMessage>'
OUT = hr.Operation("task", out_message=hr.Message("Out", {"n": int, "card": hr.Optional(hr.Sensitive(str))}))
OUT_XML = (
    '<hr:outMessage name="Out"><hr:field name="n" type="int"/>'
    '<hr:field name="card" type="string" optional="true" sensitive="true"/></hr:outMessage>'
)
SCHEMA = {"properties": {"n": {"type": "integer", "maximum": 9}}, "required": ["n"]}
SCHEMA_XML = '<hr:outputSchema>{"properties": {"n": {"type": "integer", "maximum": 9}}, "required": ["n"]}</hr:outputSchema>'


@dataclasses.dataclass
class Row:
    option: str
    options: tuple[hr.options.Option, ...]
    attributes: str
    content: str
    observe: Callable[[Run], Any]
    holds: Callable[[Any], bool]  # what the option is for: a row of two equal mistakes proves nothing
    operation: hr.Operation | None = None


ROWS = [
    Row("WithWorker", (), "", "", lambda r: r.job.topic, lambda s: s == "work"),
    Row(
        "WithRetryPolicy none",
        (hr.WithRetryPolicy(hr.NoRetry()),),
        "",
        "<hr:noRetry/>",
        lambda r: r.job.policy,
        lambda s: s["retry"] == "NoRetry",
    ),
    Row(
        "WithRetryPolicy fixed",
        (hr.WithRetryPolicy(hr.FixedDelay(4, 7)),),
        "",
        '<hr:fixedDelay maxAttempts="4" delay="PT7S"/>',
        lambda r: r.job.policy,
        lambda s: (s["max_attempts"], s["base"]) == (4, dt.timedelta(seconds=7)),
    ),
    Row(
        "WithRetryPolicy backoff",
        (hr.WithRetryPolicy(hr.ExponentialBackoff(5, 2, 9, 0.25)),),
        "",
        '<hr:exponentialBackoff maxAttempts="5" base="PT2S" cap="PT9S" jitter="0.25"/>',
        lambda r: r.job.policy,
        lambda s: (s["max_attempts"], s["cap"], s["jitter"]) == (5, dt.timedelta(seconds=9), 0.25),
    ),
    Row(
        "WithErrorMapper error",
        (hr.WithErrorMapper([hr.rule(409, body="$.type == 'DECLINED'").bpmn_error("E", message=hr.path("$.why"))]),),
        "",
        """<hr:errorMapper><hr:rule code="409" body="$.type == 'DECLINED'">
             <hr:bpmnError code="E" messagePath="$.why"/></hr:rule></hr:errorMapper>""",
        reported(lambda job: job.report_raw(409, {"type": "DECLINED", "why": "no"})),
        lambda s: s[0]["end"] == "caught",
    ),
    Row(
        "WithErrorMapper technical",
        (hr.WithErrorMapper([hr.rule(503).technical(), hr.rule().bpmn_error("E")]), hr.WithRetryPolicy(hr.NoRetry())),
        "",
        """<hr:noRetry/><hr:errorMapper><hr:rule code="503"><hr:technical/></hr:rule>
             <hr:rule><hr:bpmnError code="E"/></hr:rule></hr:errorMapper>""",
        reported(lambda job: job.report_raw(503, {"a": 1})),
        lambda s: len(s[0]["incidents"]) == 1,
    ),
    Row(
        "WithStatus",
        (hr.WithStatus("said"), hr.WithErrorMapper([hr.rule(404).status("NOT_FOUND")])),
        "",
        '<hr:status name="said"/><hr:errorMapper><hr:rule code="404"><hr:status value="NOT_FOUND"/></hr:rule></hr:errorMapper>',
        reported(lambda job: job.report_raw(404)),
        lambda s: s[0]["variables"]["said"] == "NOT_FOUND",
    ),
    Row(
        "WithStatus overwrite",
        (hr.WithStatus("given", overwrite=True),),
        "",
        '<hr:status name="given" overwrite="true"/>',
        reported(lambda job: job.report_status("new")),
        lambda s: s[0]["variables"]["given"] == "new",
    ),
    Row(
        "WithStatus without overwrite",
        (hr.WithStatus("given", overwrite=False),),
        "",
        '<hr:status name="given" overwrite="false"/>',
        reported(lambda job: job.report_status("new")),
        lambda s: len(s[0]["incidents"]) == 1 and s[0]["variables"]["given"] == 1,
    ),
    Row(
        "WithOutputMapping",
        (hr.WithOutputMapping([hr.out("$.data.id", "id"), hr.out("$.none", "none", optional=True)]),),
        "",
        '<hr:outputMapping><hr:out path="$.data.id" target="id"/><hr:out path="$.none" target="none" optional="true"/></hr:outputMapping>',
        reported(lambda job: job.complete({"data": {"id": 5}, "rest": 1})),
        lambda s: s[0]["variables"] == {"given": 1, "id": 5},
    ),
    Row(
        "WithWorkerTrust",
        (hr.WithWorkerTrust(hr.WorkerTrust.ENGINE_AUTHORITATIVE),),
        'trust="engineAuthoritative"',
        IN_XML,
        hidden,
        lambda s: s == (True, None, None),
        IN,
    ),
    Row(
        "WithLockDuration",
        (hr.WithLockDuration(77),),
        'lockDuration="PT1M17S"',
        "",
        lambda r: r.job.deadline - r.engine.now(),
        lambda s: s == dt.timedelta(seconds=77),
    ),
    Row(
        "WithMaxLockDuration",
        (hr.WithLockDuration(10), hr.WithMaxLockDuration(20)),
        'lockDuration="PT10S" maxLockDuration="PT20S"',
        "",
        extended,
        lambda s: s == "capped",
    ),
    Row(
        "WithMaxLockDuration unbounded",
        (hr.WithLockDuration(10), hr.WithMaxLockDuration(hr.UNBOUNDED)),
        'lockDuration="PT10S" maxLockDuration="unbounded"',
        "",
        extended,
        lambda s: s == "extended",
    ),
    Row(
        "WithJobTimeout", (hr.WithJobTimeout(60),), 'jobTimeout="PT1M"', "", timed_out, lambda s: s[0] == 0 and len(s[1]["incidents"]) == 1
    ),
    Row(
        "WithExpiryAsAttempt off",
        (hr.WithExpiryAsAttempt(False), hr.WithRetryPolicy(hr.NoRetry())),
        'expiryAsAttempt="false"',
        "<hr:noRetry/>",
        expired,
        lambda s: s == ([1], 0),
    ),
    Row(
        "WithExpiryAsAttempt on",
        (hr.WithExpiryAsAttempt(True), hr.WithRetryPolicy(hr.NoRetry())),
        'expiryAsAttempt="true"',
        "<hr:noRetry/>",
        expired,
        lambda s: s == ([], 1),
    ),
    Row(
        "WithOnExhausted",
        (hr.WithOnExhausted("fail"),),
        'onExhausted="fail"',
        "",
        reported(lambda job: job.fail(None, None, "broken", retries=0)),
        lambda s: (s[0]["state"], s[0]["end"]) == ("failed", "task"),
    ),
    Row(
        "WithOnMismatch incident",
        (hr.WithOnMismatch("incident"),),
        'onMismatch="incident"',
        OUT_XML,
        reported(lambda job: job.complete({"n": "ten"})),
        lambda s: len(s[0]["incidents"]) == 1,
        OUT,
    ),
    Row(
        "WithOnMismatch retry",
        (hr.WithOnMismatch("retry"), hr.WithRetryPolicy(hr.FixedDelay(2, 0))),
        'onMismatch="retry"',
        '<hr:fixedDelay maxAttempts="2" delay="PT0S"/>' + OUT_XML,
        reported(lambda job: job.complete({"n": "ten"}), lambda job: job.complete({"n": "ten"})),
        lambda s: [len(seen["incidents"]) for seen in s] == [0, 1],
        OUT,
    ),
    Row(
        "WithOnUncaughtError",
        (hr.WithOnUncaughtError("end"),),
        'onUncaughtError="end"',
        "",
        reported(lambda job: job.bpmn_error("NOBODY_CATCHES")),
        lambda s: s[0]["state"] == "completed" and s[0]["end"] != "end",
    ),
    Row(
        "WithOutputSchema",
        (hr.WithOutputSchema(SCHEMA), hr.WithRetryPolicy(hr.FixedDelay(3, 0))),
        "",
        '<hr:fixedDelay maxAttempts="3" delay="PT0S"/>' + SCHEMA_XML,
        reported(lambda job: job.complete({"n": 10}), lambda job: job.complete({}), lambda job: job.complete({"n": 9})),
        lambda s: [seen["state"] for seen in s] == ["active", "active", "completed"],
    ),
    Row(
        "WithOutputSchema and WithOnMismatch",
        (hr.WithOutputSchema(SCHEMA), hr.WithOnMismatch("incident")),
        'onMismatch="incident"',
        SCHEMA_XML,
        reported(lambda job: job.complete({"n": 10})),
        lambda s: "maximum" in s[0]["incidents"][0][0] and s[0]["incidents"][0][2] == {"n": 10},
    ),
]


def observed(row: Row, model: hr.Process | str) -> Any:
    with Engine() as engine:
        engine.deploy(model)
        return row.observe(Run(engine, engine.start("p", {"given": 1})))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.option)
def test_an_option_does_the_same_from_xml_and_from_python(row: Row) -> None:
    # when
    python = observed(row, built(row.operation, *row.options))
    xml = observed(row, MODEL.format(attributes=row.attributes, content=row.content))
    # then
    assert python == xml
    assert row.holds(python), python


def test_a_timeout_of_the_process_is_refused_on_a_workers_task_both_ways() -> None:
    # given
    faults = []
    for model in (built(None, hr.WithTimeout(5)), MODEL.format(attributes='timeout="PT5S"', content="")):
        # when
        with Engine() as engine, pytest.raises(hr.ModelError) as refused:
            engine.deploy(model)
        faults.append([(fault.element, fault.rule, fault.message) for fault in refused.value.faults])
    # then
    assert faults[0] == faults[1]
    assert [fault[1] for fault in faults[0]] == ["timeout-with-worker"]


def test_no_option_of_a_service_task_is_without_a_row() -> None:
    # given
    names = {name for name in dir(hr.options) if name.startswith("With") and issubclass(getattr(hr.options, name), hr.options.Option)}
    # then: a binding is an object in Python, and a timeout has a test of its own
    assert names - {row.option.split(" ")[0] for row in ROWS} <= {"WithTimeout", "WithBinding"}


def test_without_the_extra_a_model_with_an_output_schema_is_refused_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    # given
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    faults = []
    for model in (built(None, hr.WithOutputSchema(SCHEMA)), MODEL.format(attributes="", content=SCHEMA_XML)):
        # when
        with Engine() as engine, pytest.raises(hr.ModelError, match=r"pip install headrace\[schema\]") as refused:
            engine.deploy(model)
        faults.append([(fault.element, fault.message) for fault in refused.value.faults])
    # then
    assert faults[0] == faults[1]
    assert [fault[0] for fault in faults[0]] == ["task"]


@pytest.mark.parametrize(
    "schema",
    ['{"type": "strange"}', '{"pattern": "("}', '{"$ref": "https://example.org/schema"}', '{"maximum": "nine"}'],
    ids=["type", "pattern", "reference", "maximum"],
)
def test_a_text_that_is_no_json_schema_is_a_fault_of_its_task(schema: str) -> None:
    # when
    with Engine() as engine, pytest.raises(hr.ModelError) as refused:
        engine.deploy(MODEL.format(attributes="", content=f"<hr:outputSchema>{schema}</hr:outputSchema>"))
    # then
    [fault] = refused.value.faults
    assert (fault.element, fault.rule) == ("task", "output-schema")
    assert "expected a JSON Schema" in fault.message
    assert fault.line == 5


def test_a_pattern_that_would_take_for_ever_is_answered_at_once() -> None:
    # given: exponential in an engine that backtracks
    schema = {"properties": {"x": {"pattern": "^(a+)+$"}}}
    with Engine() as engine:
        engine.deploy(built(None, hr.WithOutputSchema(schema), hr.WithOnMismatch("incident")))
        instance = engine.start("p", {})
        [job] = engine.dispatcher.fetch_and_lock("w", ["work"])
        # when
        job.complete({"x": "a" * 100_000 + "b"})
        # then
        [incident] = instance.incidents
        assert "pattern" in incident.message


def test_what_does_not_fit_a_schema_is_told_by_place_and_rule_and_never_by_its_value() -> None:
    # given
    schema = {"properties": {"card": {"type": "object", "properties": {"number": {"type": "integer"}}}}}
    with Engine() as engine:
        engine.deploy(built(None, hr.WithOutputSchema(schema), hr.WithOnMismatch("incident")))
        instance = engine.start("p", {})
        [job] = engine.dispatcher.fetch_and_lock("w", ["work"])
        # when
        job.complete({"card": {"number": "4111-canary"}})
        # then
        [incident] = instance.incidents
        assert "output['card']['number']" in incident.message
        assert "type" in incident.message
        assert "4111" not in incident.message
