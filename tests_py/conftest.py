"""What the tests share."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import pytest

import headrace as hr

T0 = dt.datetime(2026, 1, 5, 8, tzinfo=dt.timezone.utc)


@pytest.fixture
def engine() -> Iterator[hr.Engine]:
    """An engine with threads and the system's clock."""
    with hr.Engine() as engine:
        yield engine


@pytest.fixture
def clock() -> hr.ManualClock:
    return hr.ManualClock(T0)


@pytest.fixture
def hand_driven(clock: hr.ManualClock) -> Iterator[hr.Engine]:
    """An engine on which nothing moves by itself."""
    with hr.Engine(clock=clock, threads=0, seed=1) as engine:
        yield engine
