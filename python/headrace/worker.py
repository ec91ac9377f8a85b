"""Workers: handlers for topics, run by threads that each fetch a job when they can start it.

worker = hr.Worker("worker-1", concurrency=8)

@worker.task("charge-card", timeout=60)
def charge_card(orderId: str, amount: float) -> dict:
    return {"receiptId": "r-1"}

worker.run(engine, until=instance)
"""

from __future__ import annotations

import contextvars
import dataclasses
import datetime as dt
import functools
import inspect
import logging
import os
import re
import threading
import time
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from headrace import _core
from headrace.calling import Arguments, as_output
from headrace.types import Cap, Duration

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from headrace.engine import Engine
    from headrace.instance import Instance
    from headrace.job import Job

logger = logging.getLogger("headrace.worker")
_Function = TypeVar("_Function", bound=Callable[..., Any])
_running: weakref.WeakSet[Worker] = weakref.WeakSet()
_inside: contextvars.ContextVar[int] = contextvars.ContextVar("headrace-crew", default=0)  # the crew whose handler runs
_told: weakref.WeakKeyDictionary[Engine, set[str]] = weakref.WeakKeyDictionary()  # topics that somebody was warned of
_IDLE = 0.25  # seconds without a job: time to look whether jobs wait for a topic that nobody serves
_LOOK = 10.0  # and from then on


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
        if executor is not None and not callable(getattr(executor, "submit", None)):
            raise TypeError(f"expected executor to have submit(), but found {type(executor).__name__}")
        self.concurrency = _positive("concurrency", concurrency)
        _seconds("lock_duration", lock_duration)
        _core.check_fetch(self.id, ["topic"], lock_duration)
        if _seconds("heartbeat", heartbeat) == 0:
            raise _core.ValidationError("expected heartbeat to be more than 0 seconds")
        self._lock_duration = lock_duration
        self._heartbeat = heartbeat
        self._grace = _seconds("grace", grace)
        self._executor = executor
        self._mutex = threading.Lock()
        self._tasks: dict[str, Task] = {}
        self._crew: Crew | None = None

    def task(self, topic: str, *, timeout: Cap = 3600, concurrency: int | None = None) -> Callable[[_Function], _Function]:
        """Registers a handler for a topic. ``timeout`` is how long its lock is kept alive."""
        if not isinstance(topic, str) or not topic:
            raise _core.ValidationError(f"expected a topic for a task of worker {self.id!r}, but found {topic!r}")
        _core.check_fetch(self.id, [topic], None)
        _core.duration(timeout, True, "timeout")
        own = None if concurrency is None else _positive("concurrency", concurrency)

        def register(function: _Function) -> _Function:
            if topic in self._tasks:
                raise _core.ValidationError(f"expected one handler for topic {topic!r}, but worker {self.id!r} has one already")
            arguments = Arguments(function, ("job", "variables"))
            self._tasks[topic] = Task(topic, function, arguments, timeout, own, inspect.iscoroutinefunction(function))
            return function

        return register

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that it has handlers for."""
        return tuple(self._tasks)

    def start(self, engine: Engine) -> None:
        """Starts its threads; stop() ends them. They also end when the engine is closed."""
        self._begin(_open(engine))

    def _begin(self, engine: Engine, over: threading.Event | None = None, threads: bool = True) -> Crew:
        if not self._tasks:
            raise _core.ValidationError(f"expected worker {self.id!r} to have a handler, but it has none: use @worker.task(topic)")
        with self._mutex:
            if self._crew is not None and not self._crew.over.is_set():
                raise _core.ConflictError(f"expected worker {self.id!r} to be stopped, but it runs")
            crew = self._crew = Crew(self, engine, over or threading.Event(), threads)
        _running.add(self)
        return crew

    def _leave(self, crew: Crew | None = None) -> Crew | None:
        """It has this crew no more."""
        with self._mutex:
            if crew is not None and self._crew is not crew:
                return crew
            crew, self._crew = self._crew, None
        _running.discard(self)
        return crew

    def stop(self, grace: Duration | None = None) -> None:
        """Fetches no more, sets ``job.cancelled``, waits up to ``grace`` seconds for running handlers, and hands the other jobs back.

        run() then returns. Inside a handler it does not wait: the handler ends and is reported, and then the worker stops.
        """
        seconds = self._grace if grace is None else _seconds("grace", grace)
        crew = self._leave()
        if crew is None:
            return
        crew.ask(seconds)
        if _inside.get() != id(crew):
            crew.stop()
        elif not crew.is_run:
            threading.Thread(target=crew.stop, daemon=True, name=f"{self.id}-stop").start()

    def alive(self) -> bool:
        """Whether it runs, and all its threads do."""
        crew = self._crew
        return crew is not None and crew.alive()

    def run(self, engine: Engine | str, until: Instance | None = None, timeout: Duration | None = None) -> None:
        """Works until an instance ends, a timeout, stop(), SIGTERM or Ctrl-C; then stops, and hands back what it could not finish.

        TimeoutError when ``until`` did not end in time; with no ``until`` a timeout is just the end. When the engine is closed
        meanwhile it returns; with an ``until`` that has not ended it raises EngineError, as it does when the engine is closed from
        the start. A fetch that fails is tried again, with one that can never work run() ends with its error.
        """
        if until is not None and not isinstance(until, _core.Instance):
            raise TypeError(f"expected until to be an hr.Instance or None, but found {type(until).__name__}")
        limit = None if timeout is None else _seconds("timeout", timeout)
        local = _open(engine)
        if _core.hand_driven(local):
            self._drive(local, until)
            return
        over = threading.Event()
        with _Terminated(over):
            crew = self._begin(local, over)
            crew.is_run = True
            try:
                crew.wait(until, limit)
            finally:
                self._leave(crew)
                crew.stop()
        if crew.error is not None:
            raise crew.error

    def _drive(self, engine: Engine, until: Instance | None) -> None:
        """On a hand-driven engine: one job after the other on this thread, until nothing is left to do."""
        crew = self._begin(engine, threads=False)
        crew.is_run = True
        try:
            while not crew.stopping.is_set():
                engine.run_until_idle()
                if until is not None and until._state != "active":
                    return
                jobs = engine.dispatcher.fetch_and_lock(self.id, list(self._tasks), self._lock_duration)
                if not jobs:
                    crew.look_around()
                    break
                for job in jobs:
                    crew.handle(job)
        finally:
            self._leave(crew)
            crew.stop()
        if until is not None and not crew.asked:
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

    @property
    def closed(self) -> bool:
        """Whether the engine is closed: no report can be made."""
        return self._crew.engine.closed


class Crew:
    """The threads of a worker on one engine."""

    def __init__(self, worker: Worker, engine: Engine, over: threading.Event, threads: bool = True) -> None:
        self._worker = worker
        self._tasks = dict(worker._tasks)
        self._engine = engine
        self._dispatcher = engine.dispatcher
        self._runs_policy = threads
        self.stopping = threading.Event()
        self.over = over  # run() need not wait any longer
        self.is_run = False  # run() ends it
        self.asked = False  # by stop()
        self.error: BaseException | None = None
        self._grace = worker._grace
        self._mutex = threading.Lock()
        self._ending = threading.Lock()
        self._fetches: set[_core.Fetch] = set()
        self._busy: dict[Job, Signal] = {}
        self._loop: Any = None
        self._threads = [
            threading.Thread(target=self._serve, args=(topics, n == 0), daemon=True, name=name)
            for n, (name, topics) in enumerate(self._slots())
        ]
        for thread in self._threads if threads else ():
            thread.start()

    def _slots(self) -> list[tuple[str, list[str]]]:
        shared = [t.topic for t in self._tasks.values() if t.concurrency is None]
        slots = [(f"{self._worker.id}-{n}", shared) for n in range(self._worker.concurrency if shared else 0)]
        for task in self._tasks.values():
            slots += [(f"{self._worker.id}-{task.topic}-{n}", [task.topic]) for n in range(task.concurrency or 0)]
        return slots

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that it has handlers for."""
        return tuple(self._tasks)

    @property
    def engine(self) -> Engine:
        """The engine it works for."""
        return self._engine

    def alive(self) -> bool:
        """Whether all its threads run."""
        return not self.stopping.is_set() and all(t.is_alive() for t in self._threads)

    def wait(self, until: Instance | None, limit: float | None) -> None:
        """Until run() shall end."""
        deadline = None if limit is None else time.monotonic() + limit
        while True:
            # In slices: a signal may come just before the thread sleeps, and its Python handler runs when the slice is over.
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            slice_ = 0.1 if left is None else min(0.1, left)
            if until is None:
                if self.over.wait(slice_) or left == 0.0:
                    return
                continue
            try:
                until.wait(slice_)
                return
            except _core.TimeoutError as error:
                if self.over.is_set():
                    if self._engine.closed and self.error is None:
                        until.wait(0)
                    return
                if limit is None or left is None or left > 0.1:
                    continue
                self.look_around()
                given = _core.duration_text(limit)
                raise _core.TimeoutError(re.sub(r" within \S+,", f" within {given},", str(error), count=1)) from None

    def ask(self, grace: float) -> None:
        """Its threads shall end."""
        self._grace = grace
        self.asked = True
        self._call_off()
        self.over.set()

    def _call_off(self) -> None:
        self.stopping.set()
        with self._mutex:
            fetches = list(self._fetches)
        for fetch in fetches:
            fetch.cancel()

    def _fail(self, error: BaseException) -> None:
        """What no retry can heal ends all its threads."""
        logger.error("worker %s ends, since it cannot fetch: %s", self._worker.id, error)
        self.error = error
        self._call_off()
        self.over.set()

    def stop(self) -> None:
        """Ends the threads; jobs of handlers that do not end in time go back. A second call waits for the first."""
        self._call_off()
        with self._ending:
            self._join(time.monotonic() + self._grace)
            with self._mutex:
                left = dict(self._busy)
            for job, signal in left.items():
                if not signal.abandoned:
                    signal.abandoned = True
                    _quietly(job.unlock)
                    logger.warning("handed back job %s: its handler did not end in %s s", job.id, self._grace)
            loop, self._loop = self._loop, None
            if loop is not None:
                loop.stop()

    def _join(self, deadline: float) -> None:
        for thread in self._threads:
            if thread.ident is not None and thread is not threading.current_thread():
                thread.join(max(0.0, deadline - time.monotonic()))

    def _serve(self, topics: list[str], looks: bool) -> None:
        pause = 0.1
        while not self.stopping.is_set():
            try:
                for job in self._fetch(topics, looks):
                    self.handle(job)
                pause = 0.1
            except _core.ValidationError as error:
                return self._fail(error)
            except _core.HeadraceError as error:
                if self._engine.closed:
                    self.over.set()
                    return None
                logger.warning("worker %s could not fetch, and tries again in %.1f s: %s", self._worker.id, pause, error)
                self.stopping.wait(pause)
                pause = min(30.0, pause * 2)
            except BaseException as error:
                return self._fail(error)
        return None

    def _fetch(self, topics: list[str], looks: bool) -> list[Job]:
        fetch = _core.start_fetch(self._dispatcher, self._worker.id, topics, self._worker._lock_duration, 1, self._runs_policy)
        with self._mutex:
            self._fetches.add(fetch)
        try:
            patience = _IDLE if looks else 3600.0
            while not self.stopping.is_set():
                if fetch.wait(patience):
                    return fetch.take()
                if looks and not self.stopping.is_set():
                    self.look_around()
                    patience = _LOOK
            return []
        finally:
            with self._mutex:
                self._fetches.discard(fetch)
            fetch.cancel()

    def look_around(self) -> None:
        """Warns, once for each topic, of jobs that wait for a topic that no worker of this process serves: often a misspelt one."""
        if self._engine.closed:
            return
        served = {t for w in tuple(_running) if (crew := w._crew) is not None and crew.engine is self._engine for t in crew.topics}
        served.update(self._tasks)
        told = _told.setdefault(self._engine, set())
        for row in self._engine.metrics()["topics"]:
            topic, queued = row["topic"], row["queued"]
            if queued == 0 or row["locked"] > 0 or topic in served or topic in told:
                continue
            told.add(topic)
            logger.warning(
                "%d queued job%s of topic %r: no worker of this process has a handler for it; worker %r has handlers for %s",
                queued,
                "" if queued == 1 else "s",
                topic,
                self._worker.id,
                ", ".join(map(repr, self._tasks)),
            )

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
        except _core.HeadraceError as error:
            logger.warning("worker %s could not report on job %s: %s", self._worker.id, job.id, error)
        except BaseException:
            logger.exception("worker %s could not report on job %s", self._worker.id, job.id)
        finally:
            beat.stop()
            with self._mutex:
                self._busy.pop(job, None)

    def _call(self, task: Task, job: Job) -> dict[str, Any]:
        token = _inside.set(id(self))
        try:
            return self._call_inside(task, job)
        finally:
            _inside.reset(token)

    def _call_inside(self, task: Task, job: Job) -> dict[str, Any]:
        executor = self._worker._executor
        if task.is_async:
            result = self._on_loop(task.arguments.call(task.function, job.variables, {"job": job, "variables": job.variables}))
        elif executor is not None:
            given = task.arguments.fill(job.variables, {"job": job, "variables": job.variables})
            result = executor.submit(functools.partial(_marked, id(self), task.function), **given).result()
        else:
            result = task.arguments.call(task.function, job.variables, {"job": job, "variables": job.variables})
        return as_output(task.arguments.name, result)

    def _on_loop(self, coroutine: Any) -> Any:
        from headrace import aio

        with self._mutex:
            if self._loop is None:
                self._loop = aio.LoopThread(f"{self._worker.id}-loop")
        return self._loop.run(coroutine)


def _marked(crew: int, function: Callable[..., Any], /, **given: Any) -> Any:
    """A handler on a thread or in a process of an executor."""
    token = _inside.set(crew)
    try:
        return function(**given)
    finally:
        _inside.reset(token)


class _Terminated:
    """SIGTERM as an event, on the main thread; elsewhere nothing."""

    def __init__(self, event: threading.Event) -> None:
        self.event = event
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


def _local(engine: Any) -> Engine:
    if isinstance(engine, _core.Engine):
        return engine  # type: ignore[return-value]
    raise TypeError(f"expected an hr.Engine to work for, but found {engine!r}: this build has no client for a server")


def _open(engine: Any) -> Engine:
    local = _local(engine)
    if local.closed:
        raise _core.EngineError("the engine is closed")
    return local


def _seconds(what: str, value: Any) -> float:
    delta = _core.duration(value, False, what)
    assert isinstance(delta, dt.timedelta)
    return delta.total_seconds()


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
        try:
            worker.stop(1.0)
        except Exception as error:
            logger.warning("worker %s did not stop: %s", worker.id, error)
