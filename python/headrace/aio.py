"""Waiting fetches for asyncio: an eventfd that C++ writes to wakes the loop, so that no engine thread runs Python."""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import threading
from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Any

from headrace import _core
from headrace.types import Duration

if TYPE_CHECKING:
    from headrace.job import Job


async def fetch(
    dispatcher: _core.Dispatcher,
    worker: str,
    topics: Sequence[str],
    lock_duration: Duration | None,
    max_jobs: int,
    wait: Duration,
    runs_policy: bool,
) -> list[Job]:
    """Waits on the running loop; what was locked and not taken goes back when the task is cancelled."""
    seconds = _core.duration(wait, True)
    begun = _core.start_fetch(dispatcher, worker, list(topics), lock_duration, max_jobs, runs_policy)
    try:
        if not begun.ready:
            await _until_ready(begun, seconds.total_seconds() if isinstance(seconds, dt.timedelta) else None)
        return begun.take() if begun.ready else []
    finally:
        begun.cancel()


async def _until_ready(begun: _core.Fetch, seconds: float | None) -> None:
    loop = asyncio.get_running_loop()
    woken = asyncio.Event()
    fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
    loop.add_reader(fd, woken.set)
    try:
        begun.notify(fd)
        await asyncio.wait_for(woken.wait(), seconds)
    except asyncio.TimeoutError:
        pass
    finally:
        loop.remove_reader(fd)
        os.close(fd)


class LoopThread:
    """An event loop on a thread of its own, for async handlers."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Runs a coroutine there, and waits for it here."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def stop(self) -> None:
        """Cancels what runs, and ends the thread."""
        from concurrent.futures import TimeoutError as NotInTime

        try:
            asyncio.run_coroutine_threadsafe(self._cancel_all(), self._loop).result(5)
        except NotInTime:
            return  # a handler blocks the loop: it keeps its thread, a daemon
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    async def _cancel_all(self) -> None:
        tasks = [t for t in asyncio.all_tasks() if t is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
