"""Worker processes are killed in the middle of a job: each job comes back once and has one effect."""

from __future__ import annotations

import concurrent.futures
import datetime as dt
import json
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import headrace as hr

SCRIPT = Path(__file__).with_name("worker_process.py")
KILLS = 100


class WorkerProcess:
    """The process, and the pipe that hands it a job."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(SCRIPT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def give(self, key: str, ledger: Path) -> str:
        return self.tell(json.dumps({"key": key, "ledger": str(ledger)}))

    def tell(self, line: str = "") -> str:
        """The word that it answers."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()

    def kill(self) -> int:
        self._process.send_signal(signal.SIGKILL)
        return self._over()

    def stop(self) -> int:
        assert self._process.stdin is not None
        self._process.stdin.close()
        return self._over()

    def _over(self) -> int:
        with self._process:
            return self._process.wait()


def one_task(*options: Any) -> hr.Process:
    model = hr.Process("order")
    model.start_event("start") >> model.service_task("charge", None, hr.WithWorker("charge-card", *options)) >> model.end_event("end")
    return model


def test_the_job_of_a_killed_worker_process_comes_back_once_with_its_lock_and_has_one_effect(tmp_path: Path) -> None:
    with hr.Engine(clock=hr.ManualClock(dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc)), threads=0) as engine:
        engine.deploy(one_task())
        instances = [engine.start("order", {"order": n}) for n in range(KILLS)]

        first = engine.dispatcher.fetch_and_lock("doomed", ["charge-card"], lock_duration=30, max_jobs=KILLS)
        for n, job in enumerate(first):
            process = WorkerProcess()
            assert process.give(job.id, tmp_path) == "started"
            if n % 2:
                assert process.tell() == "booked"
            assert process.kill() == -signal.SIGKILL
        assert engine.dispatcher.fetch_and_lock("early", ["charge-card"], max_jobs=KILLS) == []
        engine.advance(30)

        second = engine.dispatcher.fetch_and_lock("heir", ["charge-card"], lock_duration=30, max_jobs=2 * KILLS)
        heir, words = WorkerProcess(), Counter[str]()
        for job in second:
            assert heir.give(job.id, tmp_path) == "started"
            words[heir.tell()] += 1
            assert heir.tell() == "done"
            job.complete({"charged": True})
        assert heir.stop() == 0
        engine.advance(3600)

        assert len(first) == KILLS
        assert [job.id for job in second] == [job.id for job in first]
        assert {(job.epoch, job.attempt, job.expiries) for job in second} == {(2, 2, 1)}
        assert engine.dispatcher.fetch_and_lock("late", ["charge-card"], max_jobs=KILLS) == []
        assert {(i.state, i.counts["end"].completed) for i in instances} == {(hr.InstanceState.COMPLETED, 1)}
        assert words == {"booked": KILLS / 2, "known": KILLS / 2}
        assert len(list(tmp_path.iterdir())) == KILLS


class Processes(concurrent.futures.Executor):
    """Runs each call in a process of its own, and kills that process the first time that it sees an order."""

    def __init__(self, ledger: Path) -> None:
        self._ledger = ledger
        self._mutex = threading.Lock()
        self.calls: Counter[str] = Counter()

    def submit(self, fn: Any, /, *_: Any, **given: Any) -> concurrent.futures.Future[Any]:
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        order = given["order"]
        with self._mutex:
            self.calls[order] += 1
            first = self.calls[order] == 1
        process = WorkerProcess()
        assert process.give(order, self._ledger) == "started"
        if first:
            code = process.kill()
            future.set_exception(ChildProcessError(f"the process ended with {code}"))
        else:
            process.tell()
            future.set_result({"word": process.tell()})
            process.stop()
        return future


def charge(order: str) -> dict[str, Any]:
    """Runs in the executor."""
    raise AssertionError(f"expected the executor to run {order}")


def test_hr_worker_runs_a_handler_again_whose_process_was_killed(tmp_path: Path) -> None:
    executor = Processes(tmp_path)
    worker = hr.Worker("w", concurrency=4, executor=executor)
    worker.task("charge-card")(charge)

    with hr.Engine() as engine:
        engine.deploy(one_task(hr.WithRetryPolicy(hr.FixedDelay(3, 0.001))))
        with engine.worker(worker):
            instances = [engine.start("order", {"order": f"o-{n}"}) for n in range(20)]
            for instance in instances:
                instance.wait(timeout=60)

        assert set(executor.calls.values()) == {2}
        assert {(i.state, i.counts["end"].completed, i.variables["word"]) for i in instances} == {(hr.InstanceState.COMPLETED, 1, "done")}
        assert len(list(tmp_path.iterdir())) == 20
        (topic,) = engine.metrics()["topics"]
        assert (topic["fetched"], topic["completed"], topic["attempts"]) == (20, 20, 0)
