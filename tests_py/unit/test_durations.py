"""Durations: seconds, timedelta, ISO 8601 text, UNBOUNDED where a cap may be lifted."""

from __future__ import annotations

import datetime as dt
import math
from typing import Any

import pytest

import headrace as hr
from headrace import _core


@pytest.mark.parametrize("value", [90, 90.0, dt.timedelta(seconds=90), "PT90S", "PT1M30S"])
def test_each_form_means_the_same(value: Any) -> None:
    assert _core.duration(value, False) == dt.timedelta(seconds=90)


def test_microseconds_are_kept() -> None:
    assert _core.duration(0.000001, False) == dt.timedelta(microseconds=1)
    assert _core.duration(dt.timedelta(days=400, microseconds=7), False) == dt.timedelta(days=400, microseconds=7)


@pytest.mark.parametrize(
    "value",
    [-1, -0.5, dt.timedelta(seconds=-1), math.nan, math.inf, 10**40, 1e300, dt.timedelta.max, "P1M", "soon", "", True, None, [], b"PT1S"],
)
def test_what_is_no_duration_is_refused(value: Any) -> None:
    with pytest.raises(hr.ValidationError, match="expected a duration in seconds"):
        _core.duration(value, True)


def test_unbounded_is_taken_only_where_a_cap_may_be_lifted() -> None:
    assert _core.duration(hr.UNBOUNDED, True) is hr.UNBOUNDED
    with pytest.raises(hr.ValidationError, match="UNBOUNDED"):
        _core.duration(hr.UNBOUNDED, False)
