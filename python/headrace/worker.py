"""Workers: handlers for topics, run by threads that each fetch a job when they can start it.

worker = hr.Worker("worker-1", concurrency=8)

@worker.task("charge-card", timeout=60)
def charge_card(orderId: str, amount: float) -> dict:
    return {"receiptId": "r-1"}

worker.run(engine, until=instance)
"""

from __future__ import annotations

import dataclasses
import inspect
import logging
import os
import threading
import time
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from headrace import _core
from headrace.calling import Arguments, as_output
from headrace.types import Cap, Duration, seconds_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from headrace.engine import Engine
    from headrace.instance import Instance
    from headrace.job import Job

logger = logging.getLogger("headrace.worker")
_Function = TypeVar("_Function", bound=Callable[..., Any])
_running: weakref.WeakSet[Worker] = weakref.WeakSet()


@dataclasses.dataclass(frozen=True)
class Task:
    """A handler of a topic."""

    topic: str
    function: Callable[..., Any]
    arguments: Arguments
    timeout: Cap
    concurrency: int | None
    is_async: bool


class Worker:
    """Runs handlers for topics. Handlers report by returning (a dict, a dataclass, None) or raising (hr.BpmnError, hr.Status,
    hr.Fault, hr.Retry, anything else: a technical fault with its type and text).

    Locks are 30 s long and extended every 10 s by a C++ thread, as long as a handler is within its ``timeout``. ``concurrency``
    threads serve the topics; a topic with a concurrency of its own has threads of its own. With an ``executor`` handlers run there,
    and a process pool gets the job's data.
    """

    def __init__(
        self,
        id: str | None = None,
        *,
        concurrency: int = 1,
        lock_duration: Duration = 30,
        heartbeat: Duration = 10,
        grace: float = 10.0,
        executor: Executor | None = None,
    ) -> None:
        self.id = id if id is not None else os.environ.get("HEADRACE_WORKER_ID") or f"{os.uname().nodename}-{os.getpid()}"
        if not isinstance(self.id, str):
            raise TypeError(f"expected the id of a worker to be a str, but found {type(self.id).__name__}")
        self.concurrency = _positive("concurrency", concurrency)
        self._lock_duration = lock_duration
        self._heartbeat = heartbeat
        self._grace = grace
        self._executor = executor
        self._tasks: dict[str, Task] = {}
        self._crew: Crew | None = None

    def task(self, topic: str, *, timeout: Cap = 3600, concurrency: int | None = None) -> Callable[[_Function], _Function]:
        """Registers a handler for a topic. ``timeout`` is how long its lock is kept alive."""
        if not isinstance(topic, str) or not topic:
            raise _core.ValidationError(f"expected a topic for a task of worker {self.id!r}, but found {topic!r}")
        _core.duration(timeout, True)

        def register(function: _Function) -> _Function:
            if topic in self._tasks:
                raise _core.ValidationError(f"expected one handler for topic {topic!r}, but worker {self.id!r} has one already")
            own = None if concurrency is None else _positive("concurrency", concurrency)
            arguments = Arguments(function, ("job", "variables"))
            self._tasks[topic] = Task(topic, function, arguments, timeout, own, inspect.iscoroutinefunction(function))
            return function

        return register

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that it has handlers for."""
        return tuple(self._tasks)

    def start(self, engine: Engine) -> None:
        """Starts its threads; stop() ends them."""
        if self._crew is not None:
            raise _core.ConflictError(f"expected worker {self.id!r} to be stopped, but it runs")
        if not self._tasks:
            raise _core.ValidationError(f"expected worker {self.id!r} to have a handler, but it has none: use @worker.task(topic)")
        self._crew = Crew(self, _local(engine))
        _running.add(self)

    def stop(self, grace: float | None = None) -> None:
        """Fetches no more, sets ``job.cancelled``, waits up to ``grace`` seconds for running handlers, and hands the other jobs back."""
        crew, self._crew = self._crew, None
        _running.discard(self)
        if crew is not None:
            crew.stop(self._grace if grace is None else grace)

    def alive(self) -> bool:
        """Whether it runs, and all its threads do."""
        crew = self._crew
        return crew is not None and crew.alive()

    def run(self, engine: Engine | str, until: Instance | None = None, timeout: Duration | None = None) -> None:
        """Works until an instance ends, a timeout, SIGTERM or Ctrl-C; then stops, and hands back what it could not finish.

        TimeoutError when ``until`` did not end in time; with no ``until`` a timeout is just the end.
        """
        local = _local(engine)
        if _core.hand_driven(local):
            self._drive(local, until)
            return
        with _Terminated() as terminated:
            self.start(local)
            try:
                _wait(until, timeout, terminated.event)
            finally:
                self.stop()

    def _drive(self, engine: Engine, until: Instance | None) -> None:
        """On a hand-driven engine: one job after the other on this thread, until nothing is left to do."""
        crew = Crew(self, engine, threads=False)
        while True:
            engine.run_until_idle()
            if until is not None and until._state != "active":
                return
            jobs = engine.dispatcher.fetch_and_lock(self.id, list(self._tasks), self._lock_duration)
            if not jobs:
                break
            for job in jobs:
                crew.handle(job)
        if until is not None:
            until.wait(0)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a worker cannot be pickled: it has threads; pickle what it needs and make a worker where it runs")

    def __repr__(self) -> str:
        return f"Worker({self.id!r}, concurrency={self.concurrency}, topics={list(self._tasks)}, alive={self.alive()})"


class Signal:
    """What a running handler can hear by ``job.cancelled``."""

    __slots__ = ("_beat", "_crew", "abandoned")

    def __init__(self, beat: _core.Heartbeat, crew: Crew) -> None:
        self._beat = beat
        self._crew = crew
        self.abandoned = False

    @property
    def lost(self) -> bool:
        """Whether a heartbeat was refused."""
        return self._beat.state == "lost"

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for the result any more."""
        return self._beat.state in ("lost", "timed out") or self._crew.stopping.is_set()


class Crew:
    """The threads of a worker on one engine."""

    def __init__(self, worker: Worker, engine: Engine, threads: bool = True) -> None:
        self._worker = worker
        self._tasks = dict(worker._tasks)
        self._engine = engine
        self._dispatcher = engine.dispatcher
        self._runs_policy = threads
        self.stopping = threading.Event()
        self._mutex = threading.Lock()
        self._fetches: set[_core.Fetch] = set()
        self._busy: dict[Job, Signal] = {}
        self._loop: Any = None
        self._threads = [threading.Thread(target=self._serve, args=(topics,), daemon=True, name=name) for name, topics in self._slots()]
        for thread in self._threads if threads else ():
            thread.start()

    def _slots(self) -> list[tuple[str, list[str]]]:
        shared = [t.topic for t in self._tasks.values() if t.concurrency is None]
        slots = [(f"{self._worker.id}-{n}", shared) for n in range(self._worker.concurrency if shared else 0)]
        for task in self._tasks.values():
            slots += [(f"{self._worker.id}-{task.topic}-{n}", [task.topic]) for n in range(task.concurrency or 0)]
        return slots

    def alive(self) -> bool:
        """Whether all its threads run."""
        return not self.stopping.is_set() and all(t.is_alive() for t in self._threads)

    def stop(self, grace: float) -> None:
        """Ends the threads; jobs of handlers that do not end in time go back."""
        self.stopping.set()
        with self._mutex:
            fetches = list(self._fetches)
        for fetch in fetches:
            fetch.cancel()
        deadline = time.monotonic() + grace
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, deadline - time.monotonic()))
        with self._mutex:
            left = dict(self._busy)
        for job, signal in left.items():
            signal.abandoned = True
            _quietly(job.unlock)
            logger.warning("handed back job %s: its handler did not end in %s s", job.id, grace)
        if self._loop is not None:
            self._loop.stop()

    def _serve(self, topics: list[str]) -> None:
        pause = 0.1
        while not self.stopping.is_set():
            try:
                for job in self._fetch(topics):
                    self.handle(job)
                pause = 0.1
            except _core.HeadraceError as error:
                if self._engine.closed:
                    return
                logger.warning("worker %s could not fetch, and tries again in %.1f s: %s", self._worker.id, pause, error)
                self.stopping.wait(pause)
                pause = min(30.0, pause * 2)

    def _fetch(self, topics: list[str]) -> list[Job]:
        fetch = _core.start_fetch(self._dispatcher, self._worker.id, topics, self._worker._lock_duration, 1, self._runs_policy)
        with self._mutex:
            self._fetches.add(fetch)
        try:
            if self.stopping.is_set():
                return []
            return fetch.take() if fetch.wait(3600) else []
        finally:
            with self._mutex:
                self._fetches.discard(fetch)
            fetch.cancel()

    def handle(self, job: Job) -> None:
        """One job to its report; lets nothing out."""
        from headrace.reporting import report

        task = self._tasks[job.topic]
        beat = _core.heartbeat(job, self._worker._lock_duration, self._worker._heartbeat, task.timeout)
        signal = Signal(beat, self)
        job._signal = signal
        with self._mutex:
            self._busy[job] = signal
        try:
            report(job, lambda: self._call(task, job), signal, self.stopping)
        except BaseException:
            logger.exception("worker %s could not report on job %s", self._worker.id, job.id)
        finally:
            beat.stop()
            with self._mutex:
                self._busy.pop(job, None)

    def _call(self, task: Task, job: Job) -> dict[str, Any]:
        executor = self._worker._executor
        if task.is_async:
            result = self._on_loop(task.arguments.call(task.function, job.variables, {"job": job, "variables": job.variables}))
        elif executor is not None:
            given = task.arguments.fill(job.variables, {"job": job, "variables": job.variables})
            result = executor.submit(task.function, **given).result()
        else:
            result = task.arguments.call(task.function, job.variables, {"job": job, "variables": job.variables})
        return as_output(task.arguments.name, result)

    def _on_loop(self, coroutine: Any) -> Any:
        from headrace import aio

        with self._mutex:
            if self._loop is None:
                self._loop = aio.LoopThread(f"{self._worker.id}-loop")
        return self._loop.run(coroutine)


class _Terminated:
    """SIGTERM as an event, on the main thread; elsewhere nothing."""

    def __init__(self) -> None:
        self.event = threading.Event()
        self._before: Any = None
        self._main = threading.current_thread() is threading.main_thread()

    def __enter__(self) -> _Terminated:
        if self._main:
            import signal

            self._before = signal.signal(signal.SIGTERM, lambda *_: self.event.set())
        return self

    def __exit__(self, *exc: object) -> None:
        if self._main:
            import signal

            signal.signal(signal.SIGTERM, self._before if self._before is not None else signal.SIG_DFL)


def _wait(until: Instance | None, timeout: Duration | None, terminated: threading.Event) -> None:
    limit = None if timeout is None else seconds_of(timeout)
    if until is None:
        terminated.wait(limit)
        return
    deadline = None if limit is None else time.monotonic() + limit
    while not terminated.is_set():
        left = None if deadline is None else deadline - time.monotonic()
        try:
            until.wait(0.1 if left is None else max(0.0, min(0.1, left)))
            return
        except _core.TimeoutError:
            if left is not None and left <= 0.1:
                raise


def _local(engine: Any) -> Engine:
    if isinstance(engine, _core.Engine):
        return engine  # type: ignore[return-value]
    raise TypeError(f"expected an hr.Engine to work for, but found {engine!r}: this build has no client for a server")


def _positive(what: str, value: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise _core.ValidationError(f"expected {what} to be an int of at least 1, but found {value!r}")
    return value


def _quietly(call: Callable[[], object]) -> None:
    try:
        call()
    except _core.HeadraceError as error:
        logger.debug("%s", error)


def stop_all() -> None:
    """Before Python ends."""
    for worker in list(_running):
        worker.stop(1.0)
