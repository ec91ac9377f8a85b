"""Reports against starts and against each other, on an engine with threads of its own."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator

import pytest

import headrace as hr

ROUND_TRIPS = 10_000


@pytest.fixture
def engine() -> Iterator[hr.Engine]:
    model = hr.Process("one")
    model.start_event("start") >> model.service_task("task", None, hr.WithWorker("work")) >> model.end_event("end")
    with hr.Engine() as engine:
        engine.deploy(model)
        yield engine


def test_the_same_report_from_100_threads_takes_effect_once(engine: hr.Engine) -> None:
    rounds, answers = 20, Counter[str]()
    instances = [engine.start("one") for _ in range(rounds)]
    jobs = engine.dispatcher.fetch_and_lock("w", ["work"], 60, max_jobs=rounds)
    barrier, mutex = threading.Barrier(100), threading.Lock()

    def report(n: int) -> None:
        for job in jobs:
            barrier.wait()
            try:
                engine.dispatcher.complete(job.id, "w", {"by": n})
                answer = "success"
            except hr.EngineError as error:
                answer = type(error).__name__
            with mutex:
                answers[answer] += 1

    threads = [threading.Thread(target=report, args=(n,)) for n in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert answers["success"] == rounds
    assert answers["JobNotFound"] + answers["ConflictError"] == 99 * rounds
    assert {(i.state, i.counts["end"].completed) for i in instances} == {(hr.InstanceState.COMPLETED, 1)}
    (topic,) = engine.metrics()["topics"]
    assert (topic["completed"], topic["reports"]) == (rounds, rounds)


def test_a_worker_that_completes_in_the_moment_of_the_start_loses_nothing_10_000_times(engine: hr.Engine) -> None:
    done: list[str] = []
    errors: list[Exception] = []

    def work() -> None:
        while len(done) + len(errors) < ROUND_TRIPS:
            for job in engine.dispatcher.fetch_and_lock("w", ["work"], 60, wait=10):
                try:
                    job.complete({"n": job.variables["n"] + 1})
                    done.append(job.id)
                except hr.HeadraceError as error:
                    errors.append(error)

    worker = threading.Thread(target=work)
    worker.start()
    instances = [engine.start("one", {"n": n}) for n in range(ROUND_TRIPS)]
    for instance in instances:
        instance.wait(timeout=60)
    worker.join()

    assert errors == []
    assert len(set(done)) == ROUND_TRIPS
    assert [i.variables["n"] for i in instances] == [n + 1 for n in range(ROUND_TRIPS)]
    (topic,) = engine.metrics()["topics"]
    assert (topic["enqueued"], topic["fetched"], topic["completed"], topic["reports_refused"]) == (ROUND_TRIPS, ROUND_TRIPS, ROUND_TRIPS, 0)


def test_four_workers_at_once_fetch_each_job_once_and_every_complete_that_took_effect_says_so(engine: hr.Engine) -> None:
    total, told, stop = 4_000, Counter[str](), threading.Event()
    mutex = threading.Lock()

    def work(name: str) -> None:
        while not stop.is_set():
            for job in engine.dispatcher.fetch_and_lock(name, ["work"], 60, max_jobs=7, wait=0.2):
                job.complete({"by": name})
                with mutex:
                    told[job.id] += 1

    workers = [threading.Thread(target=work, args=(f"w{n}",)) for n in range(4)]
    for worker in workers:
        worker.start()
    instances = [i for i in engine.start_many("one", [{} for _ in range(total)]) if isinstance(i, hr.Instance)]
    for instance in instances:
        instance.wait(timeout=60)
    stop.set()
    for worker in workers:
        worker.join()

    assert len(instances) == total
    assert (len(told), set(told.values())) == (total, {1})
