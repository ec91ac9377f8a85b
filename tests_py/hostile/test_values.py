"""Rows H22, H23 and H26 of the hostile inputs, at every place where a value enters: what cannot be kept is refused by name."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

import pytest
from standing import Standing

import headrace as hr
from models import one_task


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def cyclic() -> dict[str, Any]:
    loop: dict[str, Any] = {}
    loop["again"] = [loop]
    return loop


BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "H22 100,000 nested arrays": (lambda: nested(100_000), "nesting deeper than 128"),
    "H22 10,000 nested arrays": (lambda: nested(10_000), "nesting deeper than 128"),
    "H23 not a number": (lambda: math.nan, "NaN"),
    "H23 1e400": (lambda: float("1e400"), "infinite"),
    "H23 -1e400": (lambda: float("-1e400"), "infinite"),
    "H23 10**40": (lambda: 10**40, "64 bits"),
    "H26 lone surrogate": (lambda: "a\ud800", "lone surrogate"),
    "H26 text that is no UTF-8": (lambda: b"caf\xe9 \xff\xfe".decode("utf-8", "surrogateescape"), "lone surrogate"),
    "10 MB of text": (lambda: "x" * 10_000_000, "4194304 bytes"),
    "10 MB of bytes": (lambda: b"x" * 10_000_000, "4194304 bytes"),
    "cyclic data": (cyclic, "contains itself"),
    "a set": (lambda: {1}, "set"),
    "an object": (object, "object"),
    "a key that is no text": (lambda: {1: 2}, "key of type int"),
}
PLACES: dict[str, Callable[[Standing, Any], object]] = {
    "variables.x": lambda s, v: s.engine.start("order", {"x": v}),
    "variables.x of set_variables": lambda s, v: s.instance.set_variables({"x": v}),
    "output.x": lambda s, v: s.job.complete({"x": v}),
    "local_variables.x": lambda s, v: s.job.complete({}, {"x": v}),
    "value": lambda s, v: s.job.report_status(v),
    "variables.x of bpmn_error": lambda s, v: s.job.bpmn_error("E", None, {"x": v}),
    "code": lambda s, v: s.job.fail(v),
    "body": lambda s, v: s.job.fail(None, v),
    "body of report_raw": lambda s, v: s.job.report_raw(500, v),
}


def take_apart(value: Any) -> None:
    """By hand: the deallocation of deep lists recurses."""
    while isinstance(value, list) and value:
        value = value.pop()


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("bad", BAD)
def test_what_cannot_be_kept_is_refused_with_its_place_and_nothing_is_lost(standing: Standing, bad: str, place: str) -> None:
    # given
    make, found = BAD[bad]
    value = make()
    # then
    standing.refuses(lambda: PLACES[place](standing, value), found, place.split(" of ")[0])
    standing.goes_on()
    take_apart(value)


@pytest.mark.parametrize("wrong", [[], "x", 7, b"{}", [("a", 1)]], ids=repr)
@pytest.mark.parametrize("place", ["start", "set_variables", "complete", "bpmn_error"])
def test_variables_that_are_no_dict_are_refused(standing: Standing, place: str, wrong: Any) -> None:
    # given
    calls: dict[str, Callable[[], object]] = {
        "start": lambda: standing.engine.start("order", wrong),
        "set_variables": lambda: standing.instance.set_variables(wrong),
        "complete": lambda: standing.job.complete(wrong),
        "bpmn_error": lambda: standing.job.bpmn_error("E", None, wrong),
    }
    # then
    standing.refuses(calls[place], "to be a dict", type(wrong).__name__)
    standing.goes_on()


@pytest.mark.parametrize("levels", [1, 126])
def test_h22_what_is_just_deep_enough_is_kept_and_can_be_shown(standing: Standing, levels: int) -> None:
    # given
    value = nested(levels)
    # when
    standing.job.complete({"deep": value})
    # then
    assert standing.instance.variables["deep"] == value
    assert repr(standing.instance.snapshot())


@pytest.mark.parametrize("number", [-0.0, 5e-324, 1.7976931348623157e308, 2**63 - 1, -(2**63)], ids=repr)
def test_h23_numbers_at_the_edge_come_back_bit_for_bit(standing: Standing, number: float) -> None:
    # when
    standing.job.complete({"number": number})
    # then
    back = standing.instance.variables["number"]
    assert type(back) is type(number)
    assert back == number
    if isinstance(number, float):
        assert struct.pack("d", back) == struct.pack("d", number)


@pytest.mark.parametrize(
    "text", ["\x00", "a\x00b", "\u0300" * 500_000, "\ufeffx", "\U0001f600"], ids=["nul", "nul inside", "1 MB", "bom", "astral"]
)
def test_h26_text_that_is_odd_but_sound_is_kept_as_it_is(standing: Standing, text: str) -> None:
    # when
    standing.job.complete({"text": text})
    # then
    assert standing.instance.variables["text"] == text


@pytest.mark.parametrize(
    "raw",
    ["1e400", "NaN", "Infinity", "0x10", "01", "1.", ".5", "[" * 100_000, '"\\ud800"', "\ufeff{}", '{"a": 1} x', '{"a":1,"a":2}'],
    ids=lambda text: f"{text[:12]}",
)
def test_h23_a_response_that_is_no_json_stays_text_and_matches_no_clause(hand_driven: hr.Engine, raw: str) -> None:
    # given
    mapper = hr.WithErrorMapper([hr.rule(409, body="$ == 'nothing'").bpmn_error("NEVER")])
    hand_driven.deploy(one_task(mapper, hr.WithRetryPolicy(hr.NoRetry())))
    instance = hand_driven.start("order", {})
    [job] = hand_driven.dispatcher.fetch_and_lock("w", ["charge-card"])
    # when
    job.report_raw(409, raw)
    # then
    [incident] = instance.incidents
    assert incident.body == raw
