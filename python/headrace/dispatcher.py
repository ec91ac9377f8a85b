"""The job queue of an engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

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

    def register_handler(self, topic: str, handler: Callable[..., Any], *, parallelism: int = 1, worker: str = "local") -> None:
        """Gives a topic to the engine's local worker pool: ``parallelism`` threads run the handler (its parameters as those of hr.Worker).

        start_workers() starts the threads; on a hand-driven engine run_handlers_once() runs what can be run now.
        """
        from headrace import calling

        arguments = calling.Arguments(handler, ("job", "variables"))

        def run(job: Job) -> dict[str, Any]:
            variables = job.variables
            return calling.as_output(arguments.name, arguments.call(handler, variables, {"job": job, "variables": variables}))

        _core.register_handler(self, topic, run, parallelism, worker)

    def start_workers(self) -> None:
        """Starts the local worker pool."""
        _core.start_workers(self)

    def stop_workers(self) -> None:
        """Stops it, when its running handlers have ended."""
        _core.stop_workers(self)

    def run_handlers_once(self) -> int:
        """Runs on this thread what the pool's handlers can run now; returns how many jobs."""
        return _core.run_handlers_once(self)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a dispatcher cannot be pickled: it belongs to an engine of this process")

    def __repr__(self) -> str:
        return f"Dispatcher(pending={self.pending()})"
