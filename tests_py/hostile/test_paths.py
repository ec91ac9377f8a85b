"""Rows H32, H35, H37, H40 and H41 of the hostile inputs: paths and expressions of a model."""

from __future__ import annotations

from typing import Any

import pytest

import headrace as hr
from models import one_task

WIDE = {"rows": [{"cells": list(range(300)), "name": f"row {n}"} for n in range(300)]}  # some 90,000 nodes


def reported(engine: hr.Engine, clause: str, body: Any) -> hr.Instance:
    """An instance whose job got a raw 409 with this body; the rule with the clause is a BPMN error."""
    mapper = hr.WithErrorMapper([hr.rule(409, body=clause).bpmn_error("MATCHED")])
    engine.deploy(one_task(mapper, hr.WithRetryPolicy(hr.NoRetry())))
    instance = engine.start("order", {})
    [job] = engine.dispatcher.fetch_and_lock("w", ["charge-card"])
    job.report_raw(409, body)
    return instance


@pytest.mark.parametrize("clause", ["$..zzz", "$..a..b..c..d", "$[*][*][*][*].zzz", "count($..*) > 100000"])
def test_h32_a_path_that_costs_too_much_does_not_match_and_the_log_says_so(hand_driven: hr.Engine, clause: str, caplog: Any) -> None:
    # given
    caplog.set_level("DEBUG", "headrace.core")
    hand_driven.refresh_log_level()
    # when
    instance = reported(hand_driven, clause, WIDE)
    hand_driven.close()
    # then: no error was made of it
    assert instance.state is hr.InstanceState.ACTIVE
    assert "budget" in caplog.text


@pytest.mark.parametrize("path", ["$..*", "$..a..b..c..d"])
def test_h32_an_output_path_that_costs_too_much_is_a_mismatch_that_keeps_the_result(hand_driven: hr.Engine, path: str) -> None:
    # given
    hand_driven.deploy(one_task(hr.WithOutputMapping([hr.out(path, "x", optional=True)]), hr.WithOnMismatch("incident")))
    instance = hand_driven.start("order", {})
    [job] = hand_driven.dispatcher.fetch_and_lock("w", ["charge-card"])
    # when
    job.complete(WIDE)
    # then
    [incident] = instance.incidents
    assert "budget" in incident.message
    assert incident.body == WIDE


BAD_PATHS = {
    "unterminated string": "$['a",
    "unterminated bracket": "$[",
    "10,000 brackets": "$" + "[" * 10_000,
    "10,000 filters": "$" + "[?@" * 10_000,
    "10,000 parentheses": "$[?" + "(" * 10_000 + "@" + ")" * 10_000 + "]",
    "bad escape": "$['\\x']",
    "lone surrogate escape": "$['\\ud800']",
    "control character": "$['\x00']",
    "nothing": "",
    "no root": "a.b",
    "trailing text": "$.a b",
    "index too large": "$[99999999999999999999]",
}


@pytest.mark.parametrize("name", BAD_PATHS)
@pytest.mark.parametrize("place", ["rule", "source", "output"])
def test_h35_a_path_that_does_not_parse_is_a_fault_of_its_task_with_the_position(engine: hr.Engine, name: str, place: str) -> None:
    # given
    path = BAD_PATHS[name]
    options: dict[str, hr.options.Option] = {
        "rule": hr.WithErrorMapper([hr.rule(1, body=path).technical()]),
        "source": hr.WithErrorMapper([hr.rule(1).bpmn_error("E", message=hr.path(path))]),
        "output": hr.WithOutputMapping([hr.out(path, "x")]),
    }
    # when
    with pytest.raises(hr.ModelError) as refused:
        engine.deploy(one_task(options[place]))
    # then
    assert {fault.element for fault in refused.value.faults} == {"pay"}
    assert "byte" in str(refused.value) or "at " in str(refused.value)
    assert len(str(refused.value)) < 2_000
    assert engine.definitions() == []


@pytest.mark.parametrize("name", ["größe", "\u0000", "日本", "a'b", "\U0001f600"])
def test_h35_names_of_any_text_can_be_asked_for(hand_driven: hr.Engine, name: str) -> None:
    # given
    quoted = name.replace("'", "\\'").replace("\x00", "\\u0000")
    hand_driven.deploy(one_task(hr.WithOutputMapping([hr.out(f"$['{quoted}']", "x")])))
    instance = hand_driven.start("order", {})
    [job] = hand_driven.dispatcher.fetch_and_lock("w", ["charge-card"])
    # when
    job.complete({name: "found"})
    # then
    assert instance.variables["x"] == "found"


def branched(condition: str) -> hr.Process:
    process = hr.Process("branched")
    gateway = process.exclusive_gateway("which")
    process.start_event("start") >> gateway
    gateway.when(condition) >> process.end_event("yes")
    gateway.default() >> process.end_event("no")
    return process


@pytest.mark.parametrize(
    ("condition", "limit"),
    [
        ("${" + "(" * 100_000 + "true" + ")" * 100_000 + "}", "64 KiB"),
        ("${" + "(" * 10_000 + "true" + ")" * 10_000 + "}", "deep"),
        ("${" + "!" * 60_000 + "true}", "deep"),
        ("${" + "a + " * 250_000 + "a}", "64 KiB"),
        ("${'" + "x" * 1_000_000 + "' == ''}", "64 KiB"),
        ("${" + "a[" * 20_000 + "0" + "]" * 20_000 + "}", "deep"),
    ],
    ids=["100,000 parentheses", "10,000 parentheses", "nots", "sum of 1 MB", "text of 1 MB", "brackets"],
)
def test_h37_an_expression_that_is_too_deep_or_too_long_is_refused_at_deploy(engine: hr.Engine, condition: str, limit: str) -> None:
    # when
    with pytest.raises(hr.ModelError) as refused:
        engine.deploy(branched(condition))
    # then
    [fault] = refused.value.faults
    assert fault.element == "which"
    assert any(character.isdigit() for character in fault.message)
    assert limit in fault.message
    assert len(fault.message) < 2_000
    assert engine.definitions() == []


ARITHMETIC = {
    "division by zero": ("${a / 0 == 1}", {"a": 1}),
    "remainder by zero": ("${a % 0 == 1}", {"a": 1}),
    "least / -1": ("${a / -1 == 1}", {"a": -(2**63)}),
    "least % -1": ("${a % -1 == 1}", {"a": -(2**63)}),
    "overflow": ("${a * 3 == 1}", {"a": 2**62}),
    "text + number": ("${a + 1 == 1}", {"a": "x"}),
    "list + number": ("${a + 1 == 1}", {"a": [1]}),
}


@pytest.mark.parametrize("name", ARITHMETIC)
def test_h40_arithmetic_that_cannot_be_done_is_a_named_incident_or_a_sound_value(hand_driven: hr.Engine, name: str) -> None:
    # given
    condition, variables = ARITHMETIC[name]
    hand_driven.deploy(branched(condition))
    # when
    instance = hand_driven.start("branched", variables)
    # then
    if instance.incidents:
        [incident] = instance.incidents
        assert incident.kind is hr.IncidentKind.FAILED_STEP
        assert incident.node == "which"
        assert incident.message
    else:
        assert instance.counts["no"].completed == 1


@pytest.mark.parametrize(
    ("condition", "variables", "found"),
    [
        ("${nobody > 1}", {}, "nobody"),
        ("${nobody}", {}, "nobody"),
        ("${a}", {"a": None}, "null"),
        ("${a}", {"a": 1}, "int"),
        ("${a}", {"a": "perhaps"}, ""),
        ("${a}", {"a": [True]}, "list"),
        ("${a.b.c}", {"a": {"b": 1}}, ""),
    ],
    ids=["absent", "absent alone", "null", "number", "text", "list", "member of a number"],
)
def test_h41_a_condition_that_is_no_boolean_is_a_named_incident_and_never_a_silent_false(
    hand_driven: hr.Engine, condition: str, variables: dict[str, Any], found: str
) -> None:
    # given
    hand_driven.deploy(branched(condition))
    # when
    instance = hand_driven.start("branched", variables)
    # then
    [incident] = instance.incidents
    assert incident.kind is hr.IncidentKind.FAILED_STEP
    assert incident.node == "which"
    assert found in incident.message
    assert "no" not in instance.counts
    # when: an operator puts it right
    instance.set_variables({"nobody": 2, "a": {"b": {"c": True}}} if "." in condition else {"nobody": True, "a": True})
    if condition != "${nobody > 1}":
        incident.retry()
        assert instance.counts["yes"].completed == 1
