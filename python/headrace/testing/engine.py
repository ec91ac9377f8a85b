"""The engine of tests: on one thread, with a clock that only the test moves."""

from __future__ import annotations

import datetime as dt
import os
from typing import TYPE_CHECKING, Any

import headrace as hr
from headrace import _core
from headrace.options import EngineOption
from headrace.testing import story
from headrace.types import Duration

if TYPE_CHECKING:
    from headrace.testing.mocks import Mock

START = dt.datetime(2026, 1, 5, 8, tzinfo=dt.timezone.utc)


class Engine(hr.Engine):
    """An hr.Engine with a manual clock and no threads. run_until_idle() and advance() also let the mocks of hr.testing.mock() answer.

    ``clock``: by default one that starts on Monday, 5 January 2026, 08:00 UTC. The seed is fixed: a test sees the same jitter each time.
    """

    def __init__(
        self, store: str | None = None, *options: EngineOption, clock: hr.ManualClock | None = None, seed: int = 1, **more: Any
    ) -> None:
        self.clock = clock if clock is not None else hr.ManualClock(START)
        self._mocks: list[Mock] = []
        super().__init__(store, *options, clock=self.clock, threads=0, seed=seed, **more)

    def deploy_all(
        self, model: hr.Process | str | bytes | os.PathLike[str], *, profile: hr.Profile | str | None = None
    ) -> list[hr.Definition]:
        """As of hr.Engine; it also remembers which fields are sensitive, for messages of assertions."""
        definitions = super().deploy_all(model, profile=profile)
        for definition in definitions:
            story.remember_sensitive(definition)
        return definitions

    def run_until_idle(self) -> int:
        """Does everything that is due now, with the answers of mocks, until nothing is left; returns how much."""
        done = super().run_until_idle()
        while answered := sum(mock.answer() for mock in self._mocks):
            done += answered + super().run_until_idle()
        return done

    def advance(self, duration: Duration) -> None:
        """Moves the clock to now + duration and stops at each timer on the way, so that mocks answer when their jobs come up.

        A retry of a mocked job is answered at most a twentieth of its delay late: the queue does not tell when it is due.
        """
        end = self.now() + _core.duration(duration, False)  # type: ignore[operator]
        waited = dt.timedelta()
        self.run_until_idle()
        while self._mocks and (now := self.now()) < end:
            step = min([end, *self._timers(now)]) - now
            if any(topic["backing_off"] for topic in self.metrics()["topics"]):
                step = min(step, max(dt.timedelta(milliseconds=50), waited / 20))
            super().advance(step)
            answers = self._answers()
            self.run_until_idle()
            waited = waited + step if answers == self._answers() else dt.timedelta()
        if (left := end - self.now()) > dt.timedelta():
            super().advance(left)
            self.run_until_idle()

    def _answers(self) -> int:
        return sum(len(mock.calls) for mock in self._mocks)

    def _timers(self, now: dt.datetime) -> list[dt.datetime]:
        active = self.instances(state=hr.InstanceState.ACTIVE, limit=1_000_000)
        return [timer.due for instance in active for timer in instance.timers if timer.due > now]
