"""The engine."""

from __future__ import annotations

import datetime as dt
import os
import warnings
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from headrace import _core
from headrace.enums import InstanceState, Profile, WorkerTrust, member
from headrace.incidents import Incident, incident_of
from headrace.log import Drain, Subscriber
from headrace.model import Process
from headrace.options import (
    EngineOption,
    WithWorkerBinding,
    WithWorkerDispatcher,
    WithWorkerErrorMapper,
    WithWorkerLockDuration,
    WithWorkerMaxLockDuration,
    WithWorkerRetryPolicy,
    WithWorkerTrustDefault,
)
from headrace.policy import compile_binding, compile_mapper, compile_retry
from headrace.protocols import check_object
from headrace.queue import check_queue
from headrace.schema import schema_of_text
from headrace.types import Duration, shown, text_of, together

if TYPE_CHECKING:
    import contextlib

    from typing_extensions import Self

    from headrace.definition import Definition
    from headrace.instance import Instance
    from headrace.worker import Worker


class Engine(_core.Engine):
    """Runs processes. A context manager: leave it, or call close(). Safe from any thread.

    ``store`` is a URL (None: memory). ``clock`` is an hr.ManualClock, or an object whose now() answers an aware datetime. With
    ``clock=hr.ManualClock(t), threads=0`` all runs on the calling thread, and time moves by advance().
    """

    def __init__(
        self,
        store: str | None = None,
        *options: EngineOption,
        clock: Any = None,
        threads: int = 2,
        keep_ended: int = 10_000,
        max_instances: int | None = None,
        max_stuck_threads: int = 16,
        shards: int = 0,
        seed: int | None = None,
    ) -> None:
        if isinstance(store, EngineOption):
            store, options = None, (store, *options)
        _check_store(store)
        if clock is not None and not isinstance(clock, _core.ManualClock):
            check_object("the clock", clock, now=0)
        defaults, dispatcher = _engine_options(options)
        super().__init__(
            clock=clock,
            threads=threads,
            keep_ended=keep_ended,
            max_instances=max_instances,
            max_stuck_threads=max_stuck_threads,
            shards=shards,
            seed=seed,
            defaults=defaults,
            dispatcher=dispatcher,
        )
        self._drain = Drain(_core.records(self))

    def __enter__(self) -> Self:
        if self.closed:
            raise _core.EngineError("the engine is closed")
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __del__(self) -> None:
        if not self.closed:
            warnings.warn(f"unclosed {self!r}: use it as a context manager, or call close()", ResourceWarning, stacklevel=2, source=self)
            super().close()

    def close(self) -> None:
        """Refuses new calls, wakes all waits, stops timers and threads, and delivers the last records. Closing twice is fine."""
        super().close()
        drain = getattr(self, "_drain", None)
        if drain is not None:
            drain.join(5)

    def deploy(self, model: Process | str | bytes | os.PathLike[str], *, profile: Profile | str | None = None) -> Definition:
        """Deploys a process, a .bpmn file (its path) or BPMN XML; a file with several processes deploys all and returns the first.

        Errors: ModelError with all mistakes at once.
        """
        return self.deploy_all(model, profile=profile)[0]

    def deploy_all(self, model: Process | str | bytes | os.PathLike[str], *, profile: Profile | str | None = None) -> list[Definition]:
        """deploy(), and all definitions of the file."""
        word = None if profile is None else member(Profile, "profile", profile).value
        compiled = [model.compile()] if isinstance(model, Process) else _core.read_bpmn(_xml(model), word, schema_of_text)
        return [_core.deploy(self, definition) for definition in compiled]

    def definition(self, process: str, version: int | None = None) -> Definition:
        """A deployed definition, by default its latest version."""
        return _core.definition(self, process, version)

    def definitions(self) -> list[Definition]:
        """All deployed definitions."""
        return _core.definitions(self)

    def instance(self, id: str) -> Instance:
        """The handle of an instance; InstanceNotFound when it is unknown or forgotten."""
        return _core.instance(self, id)

    def instances(
        self, process: str = "", *, business_key: str = "", state: InstanceState | str | None = None, limit: int = 1000
    ) -> list[Instance]:
        """Instances by process, business key and state."""
        return _core.instances(self, process, business_key, None if state is None else member(InstanceState, "state", state).value, limit)

    def incidents(self) -> list[Incident]:
        """All open incidents."""
        return [incident_of(i, self) for i in _core.incidents(self)]

    def incident(self, id: str) -> Incident:
        """One open incident; NotFoundError when there is none."""
        return incident_of(_core.incident(self, id), self)

    def metrics(self) -> dict[str, Any]:
        """Counters since the start and gauges of now; ``topics`` has those of the job queue."""
        return _core.metrics(self)

    def metrics_text(self) -> str:
        """The same as Prometheus text (version 0.0.4)."""
        return _core.metrics_text(self)

    def run_until_idle(self) -> int:
        """Hand-driven engines: does everything that is due now; returns how much."""
        return _core.run_until_idle(self)

    def advance(self, duration: Duration) -> None:
        """Hand-driven engines: moves the manual clock from due time to due time, and then to now + duration."""
        _core.advance(self, duration)

    def now(self) -> dt.datetime:
        """The engine's time, UTC."""
        return _core.now(self)

    @property
    def durability(self) -> str:
        """What an answered call survives."""
        return _core.durability(self)

    def set_defaults(self, *options: EngineOption) -> None:
        """Changes the engine-wide defaults for jobs that are enqueued from now on."""
        _core.set_defaults(self, _engine_options(options)[0])

    def subscribe(self, subscriber: Subscriber, level: str = "info") -> None:
        """Calls ``subscriber`` with each record of a level and above: on a thread of its own, in order, after the fact."""
        self._drain.subscribe(level, subscriber)

    def refresh_log_level(self) -> None:
        """Call it after the level of the logger ``headrace.core`` changed: C++ filters by it."""
        self._drain.refresh_level()

    def worker(self, worker: Worker) -> contextlib.AbstractContextManager[Worker]:
        """Runs a worker beside the block: ``with engine.worker(worker): …``."""
        import contextlib

        from headrace.worker import Worker

        if not isinstance(worker, Worker):
            raise TypeError(f"expected an hr.Worker, but found {type(worker).__name__}")

        @contextlib.contextmanager
        def running() -> Iterator[Worker]:
            worker.start(self)
            try:
                yield worker
            finally:
                worker.stop()

        return running()

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("an engine cannot be pickled: it has threads and locks; pickle the model and make an engine where it is needed")

    def __repr__(self) -> str:
        return f"Engine(closed={self.closed})"

    def _repr_html_(self) -> str:
        from headrace import drawing_html

        return drawing_html.engine_table(self)


_LONGEST_PATH = 4095  # the system's


def _check_store(store: object) -> None:
    if store is None or store == "memory://":
        return
    if not isinstance(store, str):
        raise TypeError(f"expected the store to be a URL or None, but found {type(store).__name__}")
    raise _core.ValidationError(f"expected no store or 'memory://', but found {shown(store)}: this build has the memory store alone")


def _xml(model: object) -> bytes:
    if isinstance(model, bytes):
        return model
    if isinstance(model, str) and model.lstrip("\ufeff \t\r\n").startswith("<"):
        return text_of("BPMN XML", model).encode()
    if isinstance(model, (str, os.PathLike)):
        path = os.fspath(model)
        if not path or len(path) > _LONGEST_PATH or (chr(0) if isinstance(path, str) else b"\0") in path:
            raise _core.ValidationError(f"expected an hr.Process, the path of a .bpmn file or its XML, but found {shown(path)}")
        with open(path, "rb") as file:
            return file.read()
    if isinstance(model, type):
        raise TypeError(f"expected an hr.Process, the path of a .bpmn file or its XML, but found the class {model.__name__}")
    raise TypeError(f"expected an hr.Process, the path of a .bpmn file or its XML, but found {type(model).__name__}")


def _engine_options(options: tuple[EngineOption, ...]) -> tuple[_core.EngineDefaults, Any]:
    """What the engine takes, and the dispatcher; raises for all options that do not fit at once."""
    made: dict[str, Any] = {}
    together(*(partial(_engine_option, option, made) for option in options))
    dispatcher = made.pop("dispatcher", None)
    names = ("retry", "errors", "trust", "lock", "cap", "binding")
    return _core.engine_defaults(*(made.get(name) for name in names)), dispatcher


def _engine_option(option: EngineOption, made: dict[str, Any]) -> None:
    if isinstance(option, EngineOption) and any(value is None for value in vars(option).values()):
        raise TypeError(f"expected a value for {type(option).__name__}, but found None")
    match option:
        case WithWorkerRetryPolicy(policy):
            made["retry"] = compile_retry(policy)
        case WithWorkerErrorMapper(mapper):
            made["errors"] = compile_mapper(mapper)
        case WithWorkerTrustDefault(value):
            made["trust"] = member(WorkerTrust, "WithWorkerTrustDefault", value).value
        case WithWorkerLockDuration(duration):
            made["lock"] = duration
        case WithWorkerMaxLockDuration(duration):
            made["cap"] = duration
        case WithWorkerBinding(given):
            made["binding"] = compile_binding(given)
        case WithWorkerDispatcher(given):
            check_queue(given)
            made["dispatcher"] = given
        case _:
            raise TypeError(f"expected options of the engine to be hr.WithWorker…, but found {type(option).__name__}")
