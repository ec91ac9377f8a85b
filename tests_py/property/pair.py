"""Engine and model in lockstep: one call to both, the same answer from both, the same state in both."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

from model import Job, Model, Refused
from services import SERVICES, TOPICS, output, process, written
from vocabulary import Fetch, Lock, Report, Service

import headrace as hr
from headrace import _core

START = dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc)
GAUGES = {"queued": "queued", "locked": "locked", "backing off": "backing_off", "incident": "incidents"}
FINAL = ("completed", "failed", "cancelled")


class Difference(AssertionError):
    """Engine and model do not agree."""


class Waiting:
    """A waiting fetch on both sides; a poller that `goes_away` takes no answer."""

    def __init__(self, asked: Fetch, fetch: Any, goes_away: bool) -> None:
        self.asked = asked
        self.fetch = fetch
        self.goes_away = goes_away


class Pair:
    def __init__(self) -> None:
        self.engine = hr.Engine(clock=hr.ManualClock(START), threads=0, shards=1)
        for service in SERVICES:
            self.engine.deploy(process(service))
        self.model = Model(TOPICS)
        self.instances: list[hr.Instance] = []
        self.ids: list[str] = []
        self.locks: list[Lock] = []  # all that were ever got
        self.handles: dict[tuple[int, int], hr.Job] = {}
        self.waiting: list[Waiting] = []
        self.seen: dict[str, Any] = {}  # the state after the last step
        self.outputs: dict[int, tuple[str, Any]] = {}

    def ask(self, what: str, engine: Callable[[], Any], model: Callable[[], Any]) -> str | None:
        """The same call to both; the name of the error that both answer, None for success."""
        want = got = None
        wanted = answer = None
        try:
            wanted = model()
        except Refused as refused:
            want = str(refused)
        try:
            answer = engine()
        except hr.HeadraceError as error:
            got = type(error).__name__
        if (got, answer) != (want, wanted):
            raise Difference(f"{what}: the engine answered {got or answer!r}, the model {want or wanted!r}")
        return got

    def start(self, service: Service) -> None:
        job = self.model.enqueue(service)
        instance = self.engine.start(service.name, {"n": job.id})
        self.instances.append(instance)
        (activity,) = instance.activities
        self.ids.append(activity.job or "")

    def lock_of(self, job: hr.Job) -> Lock:
        id = self.ids.index(job.id)
        seconds = (job.deadline - START).total_seconds()
        return Lock(id, job.worker, job.epoch, seconds, job.owner, job.generation, job.attempt, job.expiries, job.retries)

    def took(self, jobs: list[hr.Job]) -> list[Lock]:
        locks = [self.lock_of(job) for job in jobs]
        self.locks += locks
        self.handles.update({(lock.id, lock.epoch): job for lock, job in zip(locks, jobs, strict=True)})
        return locks

    def fetch(self, f: Fetch) -> tuple[str | None, list[Lock]]:
        got: list[Lock] = []

        def engine() -> list[Lock]:
            got.extend(self.took(self.engine.dispatcher.fetch_and_lock(f.worker, f.topics, f.lock, f.most, runs_policy=f.runs_policy)))
            return got

        return self.ask("fetch", engine, lambda: self.model.fetch(f)), got

    def wait(self, f: Fetch, goes_away: bool) -> str | None:
        """A fetch that stays in line until a job comes or its client goes."""

        def engine() -> bool:
            fetch = _core.start_fetch(self.engine.dispatcher, f.worker, list(f.topics), f.lock, f.most, f.runs_policy)
            self.waiting.append(Waiting(f, fetch, goes_away))
            return bool(fetch.ready)

        def model() -> bool:
            f.answer = self.model.fetch(f)
            if not f.answer:
                self.model.waiting.append(f)
            return bool(f.answer)

        return self.ask("waiting fetch", engine, model)

    def collect(self) -> list[tuple[Waiting, list[Lock]]]:
        """The waiting fetches that were answered."""
        answered: list[tuple[Waiting, list[Lock]]] = []
        while ready := [w for w in self.waiting if w.asked.answer or w.fetch.ready]:
            w = ready[0]
            self.waiting.remove(w)
            if not w.fetch.ready:
                raise Difference(f"waiting fetch of {w.asked.worker}: the model answers {w.asked.answer}, the engine still waits")
            if w.goes_away:
                w.fetch.cancel()
                for lock in w.asked.answer:
                    self.model.never_delivered(lock)
                self.settle()
                answered.append((w, []))
                continue
            got = self.took(w.fetch.take())
            if got != w.asked.answer:
                raise Difference(f"waiting fetch of {w.asked.worker}: the engine answered {got}, the model {w.asked.answer}")
            answered.append((w, got))
        return answered

    def leave(self, w: Waiting) -> None:
        self.waiting.remove(w)
        self.model.waiting.remove(w.asked)
        w.fetch.cancel()

    def extend(self, lock: Lock, worker: str, epoch: int | None, duration: float) -> str | None:
        def engine() -> float:
            until = self.engine.dispatcher.extend_lock(self.ids[lock.id], worker, duration, epoch=epoch)
            return float((until - START).total_seconds())

        return self.ask("extend", engine, lambda: self.model.extend(lock.id, worker, epoch, duration))

    def unlock(self, lock: Lock, worker: str, epoch: int | None) -> str | None:
        return self.ask(
            "unlock",
            lambda: self.engine.dispatcher.unlock(self.ids[lock.id], worker, epoch=epoch),
            lambda: self.model.unlock(lock.id, worker, epoch),
        )

    def report(self, lock: Lock, worker: str, epoch: int | None, r: Report) -> str | None:
        job = self.model.jobs[lock.id]
        owner = job.owner
        answer = self.ask(
            f"report {r}",
            lambda: self._send(self.ids[lock.id], job.service, owner, lock.id, worker, epoch, r),
            lambda: self.model.report(lock.id, worker, epoch, r),
        )
        if answer is None and not job.open:
            success = r.kind == "complete" or r.code == 200
            self.outputs[job.id] = (written(job.service), job.id) if success else ("status", None)
        return answer

    def _send(self, id: str, s: Service, owner: str, n: int, worker: str, epoch: int | None, r: Report) -> None:
        d = self.engine.dispatcher
        if r.kind == "complete":
            d.complete(id, worker, output(s, owner, n, r.fits), epoch=epoch)
        elif r.kind == "status":
            d.report_status(id, worker, "NO", epoch=epoch)
        elif r.kind == "error":
            d.bpmn_error(id, worker, "DECLINED" if r.caught else "OTHER", epoch=epoch)
        elif r.kind == "raw":
            body = output(s, "engine", n, r.fits) if r.code == 200 else {"reason": "no"}
            d.report_raw(id, worker, r.code, body, epoch=epoch)
        else:
            after = r.after if r.retries else None
            d.fail(id, worker, r.code, message="boom", retries=r.retries, retry_after=after, epoch=epoch)

    def settle(self) -> None:
        self.engine.run_until_idle()
        self.model.settle()

    def advance(self, duration: float) -> None:
        self.engine.advance(duration)
        self.model.advance(duration)

    def compare(self) -> None:
        """What can be seen of the engine equals the model; `seen` is a fingerprint of it."""
        metrics = self.engine.metrics()
        self._compare_topics({t["topic"]: t for t in metrics["topics"]})
        states = [self._compare_job(j) for j in self.model.jobs if j.open or self.seen.get(str(j.id), ["active"])[0] == "active"]
        self.seen.update({str(id): state for id, *state in states})
        counters = ("enqueued", "fetched", "completed", "failed", "cancelled", "expiries", "unlocks", "extensions", *GAUGES.values())
        self.seen["topics"] = [[t[c] for c in counters] for t in metrics["topics"]]
        self.seen["incidents"] = sorted(i.id for i in self.engine.incidents())
        expected = sum(j.state == "incident" for j in self.model.jobs)
        if len(self.seen["incidents"]) != expected:
            raise Difference(f"the engine has {len(self.seen['incidents'])} open incidents, the model {expected}")

    def _compare_topics(self, topics: dict[str, dict[str, int]]) -> None:
        for topic in TOPICS:
            jobs = [j for j in self.model.jobs if j.service.topic == topic]
            got = {state: topics.get(topic, {}).get(GAUGES.get(state, state), 0) for state in (*GAUGES, *FINAL)}
            want = {state: sum(j.state == state for j in jobs) for state in (*GAUGES, *FINAL)}
            if got != want:
                raise Difference(f"jobs of topic {topic}: the engine has {got}, the model {want}")
        if (expired := sum(t["expiries"] for t in topics.values())) != self.model.expired:
            raise Difference(f"the engine counts {expired} locks that ran out, the model {self.model.expired}")
        if (fetched := sum(t["fetched"] for t in topics.values())) != self.model.fetches:
            raise Difference(f"the engine counts {fetched} fetched jobs, the model {self.model.fetches}")

    def _compare_job(self, j: Job) -> list[Any]:
        s = self.instances[j.id].snapshot()
        got: list[Any] = [s.state.value, s.suspended]
        want: list[Any] = [j.instance, j.suspended]
        incidents = [(i.job, i.topic, i.attempts, i.expiries, (i.raised - START).total_seconds()) for i in s.incidents]
        got += [incidents, [a.node for a in s.activities]]
        want += [
            [(self.ids[j.id], j.service.topic, j.failures, j.expiries, j.raised)] if j.state == "incident" else [],
            ["task"] if j.open else [],
        ]
        if j.id in self.outputs and j.state == "completed" and self.outputs[j.id][0] != "status":
            name, value = self.outputs[j.id]
            got.append(s.variables.get(name))
            want.append(value)
        if got != want:
            raise Difference(f"instance of job {j.id} ({j.service.name}, {j.state}): the engine has {got}, the model {want}")
        return [str(j.id), s.state.value, s.sequence, s.counts]
