"""What the tests share."""

from __future__ import annotations

import datetime as dt
import signal
from collections.abc import Iterator

import pytest

import headrace as hr

# A run in the background is deaf to Ctrl-C, and so would be every process that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

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
