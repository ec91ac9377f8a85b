"""What goes in as a payload, and what is refused with its path (design 3)."""

from __future__ import annotations

import datetime as dt
import enum
import math
import struct
from typing import Any

import pytest

import headrace as hr
from headrace import _core

UTC = dt.timezone.utc


def through(value: Any) -> Any:
    return _core.encode_decode(value, "variables")


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        False,
        0,
        2**63 - 1,
        -(2**63),
        "",
        "a\x00b",
        "\U0001f600",
        "\u0300" * 1_000_000,
        b"",
        b"\x00\xff",
        [],
        {},
        [1, [2, [3]]],
        {"a": {"b": [None, {"c": 1.5}]}},
        dt.datetime(2026, 1, 5, 9, 30, 15, 123456, tzinfo=UTC),
    ],
    ids=lambda v: repr(v)[:30],
)
def test_values_come_back_equal(value: Any) -> None:
    # when
    back = through(value)
    # then
    assert back == value
    assert type(back) is type(value)


# Row H23 of reference/hostile-inputs.tsv.
@pytest.mark.parametrize("value", [-0.0, 5e-324, 0.1, 1.7976931348623157e308])
def test_floats_come_back_bit_for_bit(value: float) -> None:
    assert struct.pack("<d", through(value)) == struct.pack("<d", value)


def test_tuples_arrive_as_lists() -> None:
    assert through({"a": (1, (2,))}) == {"a": [1, [2]]}


def test_datetimes_of_other_zones_arrive_as_the_same_moment_in_utc() -> None:
    # given
    value = dt.datetime(2026, 7, 1, 12, tzinfo=dt.timezone(dt.timedelta(hours=2)))
    # when
    back = through(value)
    # then
    assert back == value
    assert back.tzinfo is UTC


class Unreadable:
    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


def looped() -> dict[str, Any]:
    loop: dict[str, Any] = {"a": 1}
    loop["self"] = loop
    return loop


# Rows H23, H26 and H77 of reference/hostile-inputs.tsv.
@pytest.mark.parametrize(
    ("value", "found"),
    [
        (math.nan, "NaN"),
        (math.inf, "infinite"),
        (-math.inf, "infinite"),
        (10**40, "64 bits"),
        (2**63, "64 bits"),
        ("\ud800", "lone surrogate"),
        (object(), "object"),
        (Unreadable(), "Unreadable"),
        ({1, 2}, "set"),
        (dt.date(2026, 1, 5), "date"),
        (dt.datetime(2026, 1, 5), "time zone"),
        (1j, "complex"),
    ],
    ids=lambda v: v if isinstance(v, str) and v.isascii() else "value",
)
def test_what_does_not_fit_is_refused_with_its_path(value: Any, found: str) -> None:
    # given
    variables = {"order": {"lines": [0, 1, 2, value]}}
    # when
    with pytest.raises(hr.ValidationError, match=found) as refused:
        through(variables)
    # then
    assert "variables.order.lines[3]" in str(refused.value)


def test_keys_that_are_no_text_are_refused_with_their_path() -> None:
    with pytest.raises(hr.ValidationError, match=r"key of type int .* at variables\.order"):
        through({"order": {1: "a"}})


def test_keys_with_a_lone_surrogate_are_refused() -> None:
    with pytest.raises(hr.ValidationError, match=r"lone surrogate at variables\.order\.\\ud800"):
        through({"order": {"\ud800": 1}})


def test_cyclic_data_is_refused_as_such() -> None:
    with pytest.raises(hr.ValidationError, match="contains itself"):
        through(looped())


def test_lists_that_contain_themselves_twice_are_refused_at_once() -> None:
    # given: without a limit this would double at each level
    loop: list[Any] = []
    loop += [loop, loop]
    # then
    with pytest.raises(hr.ValidationError, match="contains itself"):
        through(loop)


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


# Row H22 of reference/hostile-inputs.tsv.
def test_nesting_of_128_levels_fits_and_one_more_is_refused() -> None:
    # given: the dict of variables is one level
    fits, too_deep = {"x": nested(127)}, {"x": nested(128)}
    # then
    assert through(fits) == fits
    with pytest.raises(hr.ValidationError, match="nesting deeper than 128"):
        through(too_deep)


def test_nesting_of_100_000_levels_is_refused() -> None:
    value = nested(100_000)
    with pytest.raises(hr.ValidationError, match="nesting deeper than 128"):
        through(value)
    while isinstance(value, list):  # taken apart by hand: deallocation recurses, too
        value = value.pop()


def test_payloads_of_more_than_4_mib_are_refused() -> None:
    with pytest.raises(hr.ValidationError, match="4194304 bytes"):
        through({"a": "x" * (4 << 20)})


def test_small_data_that_unfolds_to_more_than_4_mib_is_refused() -> None:
    # given: 40 lists in memory, 2**40 once written out
    value: list[Any] = []
    for _ in range(40):
        value = [value, value]
    # then
    with pytest.raises(hr.ValidationError, match="4194304 bytes"):
        through(value)


class Key(str):
    """A str that hashes as it likes."""

    def __hash__(self) -> int:
        return id(self)


def test_keys_that_are_equal_text_but_hash_otherwise_are_refused() -> None:
    with pytest.raises(hr.ValidationError, match="same key twice"):
        through({"a": 1, Key("a"): 2})


class Colour(str, enum.Enum):
    RED = "red"


class Number(enum.IntEnum):
    ONE = 1


def test_enums_of_text_and_numbers_arrive_as_their_plain_values() -> None:
    # when
    back = through({Colour.RED: Number.ONE})
    # then
    assert back == {"red": 1}
    assert type(back["red"]) is int


class Meddling(dt.tzinfo):
    """Changes the dict that is being read."""

    def __init__(self, target: dict[str, Any]) -> None:
        self.target = target

    def utcoffset(self, _: dt.datetime | None) -> dt.timedelta:
        self.target.clear()
        return dt.timedelta(0)


def test_a_time_zone_that_changes_the_data_under_the_walk_does_no_harm() -> None:
    # given
    data: dict[str, Any] = {"a": [1, 2, 3]}
    data["t"] = dt.datetime(2026, 1, 5, tzinfo=Meddling(data))
    data["z"] = "x" * 1000
    # when: what comes out is not said, but something does
    back = through(data)
    # then
    assert back["a"] == [1, 2, 3]


class Raising(dt.tzinfo):
    def utcoffset(self, _: dt.datetime | None) -> dt.timedelta:
        raise RuntimeError("no offset today")


def test_an_error_of_a_time_zone_comes_through() -> None:
    with pytest.raises(RuntimeError, match="no offset today"):
        through({"t": dt.datetime(2026, 1, 5, tzinfo=Raising())})


def test_variables_that_are_no_dict_are_refused(engine: hr.Engine) -> None:
    with pytest.raises(hr.ValidationError, match="variables to be a dict, but found list"):
        engine.start("order", [1])  # type: ignore[arg-type]


def test_refused_data_leaks_nothing() -> None:
    # given
    import sys

    value = object()
    before = sys.getrefcount(value)
    # when
    for _ in range(100):
        with pytest.raises(hr.ValidationError):
            through({"a": [value]})
    # then
    assert sys.getrefcount(value) == before
