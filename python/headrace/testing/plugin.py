"""The pytest plugin (entry point ``pytest11``): fixtures ``engine`` and ``clock``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import headrace as hr
    from headrace.testing import Engine


@pytest.fixture
def clock() -> hr.ManualClock:
    """The virtual clock of the fixture ``engine``: Monday, 5 January 2026, 08:00 UTC, until the test moves it."""
    import headrace as hr
    from headrace.testing.engine import START

    return hr.ManualClock(START)


@pytest.fixture
def engine(clock: hr.ManualClock) -> Iterator[Engine]:
    """A hand-driven engine in memory, closed after the test: engine.run_until_idle() and engine.advance("P2D") are the only things
    that move it."""
    from headrace.testing import Engine

    with Engine(clock=clock) as engine:
        yield engine
