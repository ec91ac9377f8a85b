"""A job queue of one's own in place of the engine's: ``hr.Engine(None, hr.WithWorkerDispatcher(MyQueue()))``."""

from __future__ import annotations

import abc
import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.enums import Unbounded
from headrace.protocols import check_object
from headrace.types import Variables

if TYPE_CHECKING:
    from headrace import _core
    from headrace.job import JobData


class WorkerDispatcher(abc.ABC):
    """Subclass it for a queue of your own (ADR-021 2.4). Methods are called from any thread.

    The engine calls enqueue() and withdraw() after the commit of the step; an exception is a refusal, asked again and then a technical
    fault of the task. Both must be idempotent by the job's id. ``self.sink`` takes outcomes back to the engine; delivery is at least
    once, and one that comes again finds no job (JobNotFound).
    """

    sink: _core.Sink

    def bind_sink(self, sink: _core.Sink) -> None:
        """Called once, by the engine."""
        self.sink = sink

    @abc.abstractmethod
    def enqueue(self, job: JobData) -> None:
        """Takes a job."""

    @abc.abstractmethod
    def withdraw(self, id: str) -> None:
        """The activity is gone: the job is cancelled, whatever its state. Unknown ids are fine."""

    @abc.abstractmethod
    def fetch_and_lock(
        self, worker: str, topics: Sequence[str], lock_duration: dt.timedelta | Unbounded, max_jobs: int, wait: dt.timedelta
    ) -> Sequence[JobData]:
        """Locks jobs for a worker: each as it was enqueued, with epoch and deadline set (``dataclasses.replace``).

        All arguments of all methods come by position. A caller's wait is asked for in slices of a moment each; a lock is hr.UNBOUNDED
        where the caller wants that.
        """

    @abc.abstractmethod
    def extend_lock(self, id: str, worker: str, duration: dt.timedelta | Unbounded, epoch: int | None) -> dt.datetime:
        """The lock then ends at now + duration; answers that time. NotLockHolder and its like are raised as they are."""

    @abc.abstractmethod
    def unlock(self, id: str, worker: str, epoch: int | None) -> None:
        """Hands a job back."""

    @abc.abstractmethod
    def report(self, id: str, worker: str, epoch: int | None, kind: str, report: Variables) -> Any:
        """A worker's report: "complete" (output, local_variables), "status" (value), "bpmn_error" (code, message, variables), "fail" (code,
        body, message, executions, and retries and retry_after where the worker gave them) or "raw" (code, body, message). Take what it
        means to ``self.sink``."""

    @abc.abstractmethod
    def pending(self, topic: str) -> int:
        """Jobs of a topic that wait to be fetched, "" for all."""


def check_queue(given: Any) -> None:
    """TypeError unless it has the methods of a WorkerDispatcher, with its arguments."""
    check_object(
        "the dispatcher", given, bind_sink=1, enqueue=1, withdraw=1, fetch_and_lock=5, extend_lock=4, unlock=3, report=5, pending=1
    )
