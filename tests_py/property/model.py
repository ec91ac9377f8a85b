"""A reference model of the job queue, written from section 4 of the design alone: slow, plain, and without a line of the engine.

Times are seconds since the start, all of them multiples of 1/8, so that sums are exact. An id is the number of the job's arrival.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from vocabulary import Fetch, Lock, Report, Service


@dataclasses.dataclass
class Job:
    """A job with its lock. A holder stands until the next fetch, an unlock or a fail: that is what late reports live by."""

    id: int
    service: Service
    enqueued: float
    left: int
    state: str = "queued"
    ready: float = 0.0  # when it became, or becomes, fetchable
    holder: str | None = None
    epoch: int = 0
    owner: str = "engine"
    first_lock: float = 0.0
    deadline: float = 0.0
    failures: int = 0
    expiries: int = 0
    retries: int | None = None  # what a worker is shown: None until the first fault
    charged: bool = False  # this epoch has cost its attempt
    generation: int = 1
    timed_from: float | None = None  # what its job timeout counts from; None: it is over
    suspended: bool = False
    raised: float = 0.0
    instance: str = "active"

    @property
    def open(self) -> bool:
        return self.instance == "active"


class Refused(Exception):
    """The name of the error that a call must answer."""


class Model:
    """The queue. `locks` has (lock duration, cap) of each topic."""

    def __init__(self, locks: dict[str, tuple[float, float]]) -> None:
        self.locks = locks
        self.now = 0.0
        self.jobs: list[Job] = []
        self.waiting: list[Fetch] = []
        self.served: dict[str, int] = {}  # 4.3, topics in turn: the one served longest ago comes first
        self.fetches = 0
        self.expired = 0

    def enqueue(self, service: Service) -> Job:
        job = Job(len(self.jobs), service, self.now, service.maximum, ready=self.now, timed_from=self.now)
        self.jobs.append(job)
        return job

    def fetchable(self, topic: str) -> list[Job]:
        found = [j for j in self.jobs if j.state == "queued" and not j.suspended and j.service.topic == topic]
        return sorted(found, key=lambda j: (-j.service.priority, j.ready, j.id))

    def fetch(self, f: Fetch) -> list[Lock]:
        lengths = {t: f.lock if f.lock is not None else self.locks[t][0] for t in f.topics}
        if any(lengths[t] > self.locks[t][1] for t in f.topics):
            raise Refused("LockCapExceeded")
        got: list[Lock] = []
        while len(got) < f.most and (turn := [t for t in f.topics if self.fetchable(t)]):
            topic = min(turn, key=lambda t: self.served.get(t, 0))
            self.fetches += 1
            self.served[topic] = self.fetches
            got.append(self._lock(self.fetchable(topic)[0], f, lengths[topic]))
        return got

    def _lock(self, j: Job, f: Fetch, length: float) -> Lock:
        j.state, j.holder, j.epoch, j.charged = "locked", f.worker, j.epoch + 1, False
        j.first_lock, j.deadline = self.now, self.now + length
        j.owner = "worker" if f.runs_policy and not j.service.authoritative and not j.service.custom else "engine"
        shown = (None, None, None) if j.service.authoritative else (j.failures + j.expiries + 1, j.expiries, j.retries)
        return Lock(j.id, f.worker, j.epoch, j.deadline, j.owner, j.generation, *shown)

    def extend(self, id: int, worker: str, epoch: int | None, duration: float) -> float:
        j = self._held(id, worker, epoch)
        if j.state != "locked" or self.now >= j.deadline:
            raise Refused("LockExpired")
        if self.now + duration > j.first_lock + self.locks[j.service.topic][1]:
            raise Refused("LockCapExceeded")
        j.deadline = self.now + duration
        return j.deadline

    def unlock(self, id: int, worker: str, epoch: int | None) -> None:
        j = self._held(id, worker, epoch)
        j.holder = None
        if j.state == "locked":
            j.state, j.ready = "queued", self.now

    def never_delivered(self, lock: Lock) -> None:
        """The poller went away: the job is where it was before the fetch."""
        j = self.jobs[lock.id]
        if j.state == "locked" and j.epoch == lock.epoch:
            j.state, j.holder = "queued", None

    def _held(self, id: int, worker: str, epoch: int | None) -> Job:
        j = self.jobs[id]
        if not j.open:
            raise Refused("JobNotFound")
        if j.holder != worker or epoch not in (None, j.epoch):
            raise Refused("NotLockHolder")
        return j

    def report(self, id: int, worker: str, epoch: int | None, r: Report) -> None:
        j = self._held(id, worker, epoch)
        if j.suspended:
            raise Refused("InstanceSuspended")
        verdict = r.kind
        if r.kind == "raw" and r.code is not None and 200 <= r.code < 300:
            verdict = "complete"
        elif r.kind == "raw" or (j.service.authoritative and r.kind != "complete"):
            code = r.code if r.kind in ("raw", "fail") else None  # 4.8: a verdict that nobody trusts has no code
            verdict = ({409: "error", 404: "status"} if j.service.mapper else {}).get(code or 0, "fail")
        if verdict == "fail":
            self._fault(j, "engine" if r.kind == "raw" else j.owner, r)
        elif verdict == "complete" and not r.fits:
            self._fault(j, "engine", Report("fail", retries=0 if j.service.on_mismatch == "incident" else None))
        elif verdict == "error":
            self._finish(j, "failed", "completed" if r.caught or j.service.on_uncaught == "end" else "failed")
        elif verdict == "status" and j.service.collides:
            self._fault(j, "engine", Report("fail", retries=0))
            j.raised = self.now  # 4.10: an incident of its own, also where the job stood in one
        else:
            self._finish(j, "completed", "completed")

    def _fault(self, j: Job, owner: str, r: Report) -> None:
        """The table of 4.7."""
        cost = 0 if j.charged else 1  # 4.6: an epoch costs at most one attempt
        left, delay = j.left - cost, self._delay(j, j.left - cost)
        if r.retries is not None:
            left = min(left, r.retries) if j.service.authoritative else r.retries
            delay = max(delay, r.after) if j.service.authoritative else r.after
        elif owner == "worker":
            left = 0
        elif j.charged or j.state == "incident":
            j.holder = None  # a late fail adds its text
            return
        j.holder = None
        if left <= 0 and j.state == "incident":
            return
        j.failures += cost
        self._again(j, left, self.now + delay)

    def _delay(self, j: Job, left: int) -> float:
        doubled = j.service.delay * 2.0 ** max(0, j.service.maximum - left - 1)
        return j.service.delay if j.service.cap is None else min(j.service.cap, doubled)

    def _again(self, j: Job, left: int, ready: float) -> None:
        j.left = j.retries = max(left, 0)
        if left <= 0:
            self._exhausted(j)
        else:
            j.ready, j.state = ready, "backing off" if ready > self.now else "queued"

    def _exhausted(self, j: Job) -> None:
        j.state, j.raised = "incident", self.now
        if j.service.on_exhausted == "fail":
            self._finish(j, "failed", "failed")

    def _finish(self, j: Job, state: str, instance: str) -> None:
        j.state, j.instance, j.holder, j.suspended = state, instance, None, False

    def suspend(self, id: int, on: bool) -> None:
        self.jobs[id].suspended = on

    def operator_retry(self, id: int, n: int) -> None:
        j = self.jobs[id]
        j.state, j.ready, j.generation, j.timed_from = "queued", self.now, j.generation + 1, self.now
        j.left, j.retries, j.failures, j.expiries = n or j.service.maximum, n or None, 0, 0

    def end(self, id: int, state: str, instance: str) -> None:
        """Somebody else ends it: a cancel, or an operator."""
        self._finish(self.jobs[id], state, instance)

    def advance(self, duration: float) -> None:
        """From due time to due time; `settle` is what happens at each."""
        end = self.now + duration
        while (next_due := min((self._due(j)[0] for j in self.jobs if j.open), default=end + 1)) <= end:
            self.now = max(self.now, next_due)
            self.settle()
        self.now = end
        self.settle()

    def settle(self) -> None:
        """What is due, then the waiting fetches in the order in which they came."""
        self.serve()
        for j in self.jobs:
            while j.open and (due := self._due(j))[0] <= self.now:
                due[1](j)
        self.serve()

    def serve(self) -> None:
        for f in list(self.waiting):
            f.answer = self.fetch(f)
            if f.answer:
                self.waiting.remove(f)

    def _due(self, j: Job) -> tuple[float, Callable[[Job], None]]:
        found: list[tuple[float, Callable[[Job], None]]] = [(float("inf"), lambda _: None)]
        if j.state == "locked":
            found.append((j.deadline, self._expire))
        if j.state == "backing off":
            found.append((j.ready, lambda j: setattr(j, "state", "queued")))
        if j.service.boundary is not None and not j.suspended:
            found.append((j.enqueued + j.service.boundary, lambda j: self._finish(j, "cancelled", "completed")))
        timed = j.timed_from if j.state != "incident" and not j.suspended else None
        if timed is not None and j.service.job_timeout is not None:
            found.append((timed + j.service.job_timeout, self._time_out))
        return min(found, key=lambda due: due[0])

    def _expire(self, j: Job) -> None:
        self.expired += 1
        j.state, j.ready = "queued", j.deadline
        if j.suspended or not j.service.expiry_counts or j.deadline - j.first_lock < 1:
            return
        j.charged, j.expiries = True, j.expiries + 1
        self._again(j, j.left - 1, j.deadline if j.expiries == 1 else j.deadline + self._delay(j, j.left - 1))

    def _time_out(self, j: Job) -> None:
        j.timed_from, j.left, j.retries = None, 0, 0
        self._exhausted(j)
