"""The engine's records on their way to Python's logging: a drain thread takes them from a bounded queue, so that no engine thread waits for
a handler or runs Python."""

from __future__ import annotations

import dataclasses
import datetime as dt
import logging
import threading
import weakref
from collections.abc import Callable
from typing import Any

from headrace import _core

logger = logging.getLogger("headrace.core")
_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR, "off": logging.CRITICAL + 1}
_drains: weakref.WeakSet[Drain] = weakref.WeakSet()


@dataclasses.dataclass(frozen=True, slots=True)
class Record:
    """Something that happened. It never has values of variables."""

    level: str
    what: str
    at: dt.datetime
    instance: str
    job: str
    process: str
    node: str
    topic: str
    worker: str
    attempt: int
    duration: dt.timedelta
    text: str


Subscriber = Callable[[Record], object]


class Drain:
    """Delivers the records of one engine, in order, after the fact."""

    def __init__(self, records: _core.Records) -> None:
        self._records = records
        self._subscribers: list[tuple[int, Subscriber]] = []
        self.refresh_level()
        self._thread = threading.Thread(target=self._run, name="headrace-records", daemon=True)
        self._thread.start()
        _drains.add(self)

    def refresh_level(self) -> None:
        """Pushes the lowest level that somebody wants down to C++, where a filtered record costs a compare."""
        wanted = min([logger.getEffectiveLevel(), *(level for level, _ in self._subscribers)])
        self._records.set_level(next((word for word, level in _LEVELS.items() if level >= wanted), "off"))

    def subscribe(self, level: str, subscriber: Subscriber) -> None:
        """Calls the subscriber with each record of the level and above."""
        if not isinstance(level, str) or level not in _LEVELS:
            raise _core.ValidationError(f"expected level to be one of {', '.join(map(repr, _LEVELS))}, but found {level!r}")
        self._subscribers.append((_LEVELS[level], subscriber))
        self.refresh_level()

    def join(self, timeout: float) -> None:
        """Waits until all is delivered; the engine is closed."""
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout)

    def _run(self) -> None:
        while (batch := self._records.take(1.0)) is not None:
            for fields in batch:
                self._deliver(Record(*fields))

    def _deliver(self, record: Record) -> None:
        level = _LEVELS[record.level]
        for wanted, subscriber in tuple(self._subscribers):
            if level >= wanted:
                try:
                    subscriber(record)
                except Exception:
                    logger.exception("a subscriber of records failed")
        if logger.isEnabledFor(level):
            logger.handle(_log_record(level, record))


def _log_record(level: int, record: Record) -> logging.LogRecord:
    extra: dict[str, Any] = {
        name: value
        for name in ("what", "instance", "job", "topic", "attempt", "worker", "node", "duration")
        if (value := getattr(record, name))
    }
    where = " ".join(f"{k}={v}" for k, v in extra.items() if k not in ("what", "duration"))
    message = " ".join(part for part in (record.what, where, record.text) if part)
    # The name `process` is logging's own.
    made = logger.makeRecord(logger.name, level, "(headrace)", 0, message, (), None, extra={**extra, "process_id": record.process})
    made.created = record.at.timestamp()
    return made


def join_all() -> None:
    """Before Python ends: all engines are closed."""
    for drain in list(_drains):
        drain.join(5)
