"""Jobs as workers get them."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
from collections.abc import Callable, Iterator
from typing import Any

from headrace import _core
from headrace.types import Cap, Duration, Variables


@dataclasses.dataclass(frozen=True, slots=True)
class JobData:
    """The data of a job without its queue: what a pickled job arrives as, in another process."""

    id: str
    topic: str
    variables: Variables = dataclasses.field(repr=False)
    worker: str = ""
    deadline: dt.datetime | None = None
    epoch: int = 0
    generation: int = 1
    retries: int | None = None
    attempt: int | None = None
    node: str = ""
    process: str = ""
    instance_id: str = ""
    business_key: str | None = None

    @property
    def cancelled(self) -> bool:
        """Always False: another process hears nothing of the lock."""
        return False


class Job(_core.Job):
    """A locked job: its data, and the verbs that end or keep its lock (exactly one report ends it)."""

    __slots__ = ()

    @property
    def dispatcher(self) -> _core.Dispatcher:
        """The queue that it came from."""
        return _core.dispatcher_of(self)

    @property
    def cancelled(self) -> bool:
        """True once the lock is lost or the worker stops: nobody waits for the result any more."""
        signal = self._signal
        return signal is not None and bool(signal.cancelled)

    @property
    def lock_lost(self) -> bool:
        """True once a heartbeat was refused: the job was cancelled, or another worker has it."""
        signal = self._signal
        return signal is not None and bool(signal.lost)

    @property
    def policy(self) -> dict[str, Any] | None:
        """What the service's policy says of retries; None under EngineAuthoritative."""
        return _core.job_policy(self)

    def data(self) -> JobData:
        """The data alone: it can be pickled."""
        return JobData(
            self.id,
            self.topic,
            self.variables,
            self.worker,
            self.deadline,
            self.epoch,
            self.generation,
            self.retries,
            self.attempt,
            self.node,
            self.process,
            self.instance_id,
            self.business_key,
        )

    def report_status(self, value: Any) -> None:
        """Reports a business status."""
        self.dispatcher.report_status(self, self.worker, value)

    def bpmn_error(self, code: str, message: str | None = None, variables: Variables | None = None) -> None:
        """Reports a BPMN error."""
        self.dispatcher.bpmn_error(self, self.worker, code, message, variables)

    def fail(
        self,
        code: Any = None,
        body: Any = None,
        message: str | None = None,
        retries: int | None = None,
        retry_after: Duration | None = None,
        variables: Variables | None = None,
        local_variables: Variables | None = None,
        *,
        executions: int = 1,
    ) -> None:
        """Reports a technical fault.

        `executions`: how often the work was tried under this lock, by a worker that owns the policy. `local_variables` are checked, but
        not kept for the next attempt yet; `variables` are.
        """
        self.dispatcher.fail(
            self, self.worker, code, body, message, retries, retry_after, variables, local_variables, executions=executions
        )

    def report_raw(self, code: Any, body: Any = None) -> None:
        """Reports a response as it came; the engine classifies it."""
        self.dispatcher.report_raw(self, self.worker, code, body)

    def extend_lock(self, duration: Duration) -> dt.datetime:
        """The lock then ends at now + duration; returns that time."""
        return self.dispatcher.extend_lock(self, self.worker, duration)

    def unlock(self) -> None:
        """Hands the job back: it is queued at once, and no attempt is lost."""
        self.dispatcher.unlock(self, self.worker)

    @contextlib.contextmanager
    def keep_alive(self, lock: Duration = 30, every: Duration = 10, timeout: Cap = 3600) -> Iterator[None]:
        """Extends the lock while the block runs, from a C++ thread; raises NotLockHolder or LockExpired at its end when it was lost."""
        beat = _core.heartbeat(self, lock, every, timeout)
        try:
            yield
        finally:
            beat.stop()
        if beat.error is not None:
            raise beat.error

    def __reduce__(self) -> tuple[Callable[..., JobData], tuple[Any, ...]]:
        data = self.data()
        return JobData, tuple(getattr(data, f.name) for f in dataclasses.fields(data))

    def __repr__(self) -> str:
        return f"Job(id={self.id!r}, topic={self.topic!r}, worker={self.worker!r}, epoch={self.epoch})"
