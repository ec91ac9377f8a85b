"""The job queue of an engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headrace import _core
from headrace.types import Duration

if TYPE_CHECKING:
    from headrace.job import Job


class Dispatcher(_core.Dispatcher):
    """Fetch and lock, report, extend, unlock; ``engine.dispatcher``. Safe from any thread."""

    __slots__ = ()

    async def afetch_and_lock(
        self,
        worker: str,
        topics: Sequence[str],
        lock_duration: Duration | None = None,
        max_jobs: int = 1,
        wait: Duration = 0,
        runs_policy: bool = False,
    ) -> list[Job]:
        """fetch_and_lock() for asyncio. Cancelling it gives jobs that were locked meanwhile back at once."""
        from headrace import aio

        return await aio.fetch(self, worker, topics, lock_duration, max_jobs, wait, runs_policy)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a dispatcher cannot be pickled: it belongs to an engine of this process")

    def __repr__(self) -> str:
        return f"Dispatcher(pending={self.pending()})"
