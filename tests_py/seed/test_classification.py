"""What a fault means: rules over code and body, in order, and bindings of protocols (ADR-021 2.6)."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from seed_models import TOPIC, both_modes, ended, fetch, fetch_one, looked_up, raising, straight

import headrace as hr

A_BODY = "$.type == 'A'"


@pytest.mark.seed("ADR-021 2.6/12")
@pytest.mark.seed("ADR-021 2.6/13")
@pytest.mark.seed("ADR-021 2.6/14")
@pytest.mark.seed("ADR-021 2.6/15")
@both_modes
@pytest.mark.parametrize(
    ("rules", "code", "body", "meaning"),
    [
        # a rule looks at the code, at the body, or at both
        ([hr.rule(1).status("S")], 1, {}, "S"),
        ([hr.rule(1).status("S")], 2, {}, "technical"),
        ([hr.rule(body=A_BODY).status("S")], 2, {"type": "A"}, "S"),
        ([hr.rule(body=A_BODY).status("S")], 2, {"type": "B"}, "technical"),
        ([hr.rule(1, body=A_BODY).status("S")], 1, {"type": "A"}, "S"),
        ([hr.rule(1, body=A_BODY).status("S")], 2, {"type": "A"}, "technical"),
        ([hr.rule(1, body=A_BODY).status("S")], 1, {"type": "B"}, "technical"),
        # the first match wins
        ([hr.rule(1).status("first"), hr.rule(1).status("second")], 1, {}, "first"),
        ([hr.rule(2).status("first"), hr.rule(1).status("second")], 1, {}, "second"),
        ([hr.rule(1).technical(), hr.rule(1).status("second")], 1, {}, "technical"),
        # three outcomes, and technical without any
        ([hr.rule(1).bpmn_error("ResourceConflict", message="m")], 1, {}, "conflict"),
        ([hr.rule(1).technical()], 1, {}, "technical"),
        ([], 1, {}, "technical"),
        # literals, and values out of the body
        ([hr.rule(1).status(hr.path("$.why.text"))], 1, {"why": {"text": "T"}}, "T"),
        ([hr.rule(1).bpmn_error(hr.path("$.error"))], 1, {"error": "ResourceNotFound"}, "missing"),
        ([hr.rule(1).status(hr.path("$.why"))], 1, {}, "technical"),
    ],
)
def test_an_error_mapper_is_an_ordered_list_of_rules_over_code_and_body(
    hand_driven: hr.Engine, trust: hr.WorkerTrust, rules: list[hr.policy.Rule], code: int, body: Any, meaning: str
) -> None:
    # given
    retry = hr.WithRetryPolicy(hr.NoRetry())
    hand_driven.deploy(looked_up(hr.WithErrorMapper(rules), hr.WithStatus("state"), retry, hr.WithWorkerTrust(trust)))
    instance = hand_driven.start("order", {"id": 7})
    # when
    fetch_one(hand_driven).report_raw(code, body)
    # then
    if meaning == "technical":
        assert [i.node for i in instance.incidents] == ["look"]
    else:
        assert ended(instance) == ([meaning] if meaning in ("conflict", "missing") else ["found"])
        assert instance.variables.get("state", meaning) == meaning


class ByWord(hr.ErrorMapper):
    """What no list of rules says: it counts."""

    def classify(self, failure: hr.Failure) -> hr.BpmnError | hr.Status | None:
        words = str(failure.body).split()
        return hr.BpmnError("ResourceConflict") if len(words) > 2 else hr.Status("SHORT") if words else None


@pytest.mark.seed("ADR-021 2.6/16")
@both_modes
@pytest.mark.parametrize(("body", "ends"), [("a b c", ["conflict"]), ("a", ["found"]), ("", [])])
def test_a_mapper_of_ones_own_says_what_rules_cannot(hand_driven: hr.Engine, trust: hr.WorkerTrust, body: str, ends: list[str]) -> None:
    # given
    hand_driven.deploy(looked_up(hr.WithErrorMapper(ByWord()), hr.WithStatus("state"), hr.WithWorkerTrust(trust)))
    instance = hand_driven.start("order", {"id": 7})
    # when
    fetch_one(hand_driven, runs_policy=True).report_raw(500, body)
    # then
    assert ended(instance) == ends


@pytest.mark.seed("ADR-021 2.6/32")
@both_modes
@pytest.mark.parametrize(
    ("code", "body", "end"),
    [
        (200, {"name": "Ann"}, "Ann"),
        (299, '{"name": "Ann"}', "Ann"),
        ("204", {"name": "Ann"}, "Ann"),
        (199, {"name": "Ann"}, "no success"),
        (300, '{"name": "Ann"}', "no success"),
        (409, '{"type": "CONFLICT"}', "conflict"),
        (409, "type CONFLICT", "no success"),
    ],
)
def test_without_a_binding_bodies_are_json_and_codes_are_http_statuses(
    hand_driven: hr.Engine, trust: hr.WorkerTrust, code: Any, body: Any, end: str
) -> None:
    # given
    rules = [hr.rule(409, body="$.type == 'CONFLICT'").bpmn_error("ResourceConflict")]
    hand_driven.deploy(looked_up(hr.WithErrorMapper(rules), hr.WithWorkerTrust(trust)))
    instance = hand_driven.start("order", {"id": 7, "state": ""})
    # when
    fetch_one(hand_driven).report_raw(code, body)
    # then
    assert ended(instance) == (["conflict"] if end == "conflict" else ["found"] if end == "Ann" else [])
    assert instance.variables.get("name") == ("Ann" if end == "Ann" else None)


class Lines(hr.Binding):
    """A protocol of lines `key: value`, whose code is a word."""

    def success(self, code: Any) -> bool:
        return bool(code == "OK")

    def body(self, raw: Any) -> Any:
        return dict(line.split(": ") for line in raw.splitlines())


@pytest.mark.seed("ADR-021 2.6/33")
@both_modes
@pytest.mark.parametrize(
    ("code", "body", "ends"),
    [("OK", "data: Ann\nmore: 1", ["found"]), ("BUSY", "type: CONFLICT", ["conflict"]), (200, "data: Ann", []), ("BUSY", "type: X", [])],
    ids=["success", "mapped", "no-http-here", "technical"],
)
def test_a_binding_of_ones_own_reads_another_protocol_for_mapper_and_mapping(
    hand_driven: hr.Engine, trust: hr.WorkerTrust, code: Any, body: str, ends: list[str]
) -> None:
    # given
    rules = [hr.rule("BUSY", body="$.type == 'CONFLICT'").bpmn_error("ResourceConflict")]
    mapping = hr.WithOutputMapping([hr.out("$.data", "name")])
    hand_driven.deploy(looked_up(hr.WithBinding(Lines()), hr.WithErrorMapper(rules), mapping, hr.WithWorkerTrust(trust)))
    instance = hand_driven.start("order", {"id": 7, "state": ""})
    # when
    fetch_one(hand_driven).report_raw(code, body)
    # then
    assert ended(instance) == ends
    assert instance.variables.get("name") == ("Ann" if code == "OK" else None)


@pytest.mark.parametrize(("code", "body"), [("not a bool", "data: Ann"), ("OK", "no line")])
def test_a_binding_that_fails_is_told_and_takes_nothing_for_a_success(
    hand_driven: hr.Engine, monkeypatch: pytest.MonkeyPatch, code: str, body: str
) -> None:
    # given
    class Broken(Lines):
        def success(self, code: Any) -> Any:
            return code if code != "OK" else True

    told: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    hand_driven.deploy(straight(hr.WithBinding(Broken()), hr.WithRetryPolicy(hr.NoRetry())))
    instance = hand_driven.start("order", {"id": 7})
    # when
    fetch_one(hand_driven).report_raw(code, body)
    # then
    assert len(instance.incidents) == 1
    assert len(told) == 1


def test_what_is_no_binding_is_refused_at_build() -> None:
    with pytest.raises(hr.ModelError, match=r"success\(\) and body\(\)"):
        straight(hr.WithBinding("json")).check()  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"success\(\) and body\(\)"):
        hr.Engine(None, hr.WithWorkerBinding(7))  # type: ignore[arg-type]


@pytest.mark.seed("ADR-021 2.6/6")
@both_modes
def test_a_business_error_is_never_retried(hand_driven: hr.Engine, trust: hr.WorkerTrust) -> None:
    # given
    rules = [hr.rule(409).bpmn_error("ResourceConflict")]
    hand_driven.deploy(looked_up(hr.WithErrorMapper(rules), hr.WithWorkerTrust(trust)))
    instance = hand_driven.start("order", {"id": 7})
    # when
    fetch_one(hand_driven).report_raw(409)
    hand_driven.advance("P1D")
    # then
    assert fetch(hand_driven) == []
    (topic,) = hand_driven.metrics()["topics"]
    assert (topic["fetched"], topic["retries"], topic["failed"]) == (1, 0, 1)
    assert ended(instance) == ["conflict"]


@pytest.mark.seed("ADR-021 2.6/5")
@both_modes
def test_a_business_error_that_nobody_catches_ends_the_instance_failed(hand_driven: hr.Engine, trust: hr.WorkerTrust) -> None:
    # given
    hand_driven.deploy(straight(hr.WithErrorMapper([hr.rule(409).bpmn_error("ResourceConflict")]), hr.WithWorkerTrust(trust)))
    instance = hand_driven.start("order", {"id": 7})
    # when
    fetch_one(hand_driven).report_raw(409)
    # then
    assert (instance.state, instance.error_code) == (hr.InstanceState.FAILED, "ResourceConflict")


@pytest.mark.parametrize("path", ["pool", "worker"])
@pytest.mark.parametrize(("binding", "ends"), [([], []), ([hr.WithBinding(Lines())], ["conflict"])], ids=["http", "lines"])
def test_a_fault_whose_code_the_binding_takes_for_no_success_goes_to_the_mapper_from_a_handler_too(
    hand_driven: hr.Engine, path: str, binding: list[Any], ends: list[str]
) -> None:
    # given a fault with the code 200, which says nothing in a protocol of words
    rules = [hr.rule(200, body="$.type == 'CONFLICT'").bpmn_error("ResourceConflict")]
    hand_driven.deploy(looked_up(*binding, hr.WithErrorMapper(rules), hr.WithRetryPolicy(hr.NoRetry())))
    instance = hand_driven.start("order", {"id": 7})
    handler = raising(hr.Fault(200, "type: CONFLICT"))
    # when
    if path == "pool":
        hand_driven.dispatcher.register_handler(TOPIC, handler)
        hand_driven.dispatcher.run_handlers_once()
    else:
        worker = hr.Worker("w")
        worker.task(TOPIC)(handler)
        worker.run(hand_driven)
    # then
    assert ended(instance) == ends
    assert len(instance.incidents) == (0 if ends else 1)


def test_the_engine_wide_binding_holds_for_a_task_from_xml() -> None:
    # given
    xml = f"""<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:hr="urn:headrace:bpmn:1" targetNamespace="t">
      <process id="order" isExecutable="true"><startEvent id="start"/><sequenceFlow id="a" sourceRef="start" targetRef="look"/>
      <serviceTask id="look" hr:topic="{TOPIC}"/><sequenceFlow id="b" sourceRef="look" targetRef="end"/><endEvent id="end"/>
      </process></definitions>"""
    with hr.Engine(None, hr.WithWorkerBinding(Lines()), clock=hr.ManualClock(), threads=0) as engine:
        engine.deploy(xml)
        instance = engine.start("order", {})
        # when
        fetch_one(engine).report_raw("OK", "name: Ann")
    # then
    assert instance.variables == {"name": "Ann"}
