"""The invariants J1 to J13 of a job queue, looked at in what clients saw: each counts how often its premise held.

J1 conservation, J2 one lock, J3 acceptance of reports, J4 extension, J5 one effect, J6 acknowledged is final, J7 first in first out,
J8 retries, J9 trust, J10 interrupt against report, J11 reach of a fetch, J12 liveness, J13 wake-up.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Sequence
from typing import Any

from pair import FINAL, Difference, Pair, Waiting
from vocabulary import Fetch, Lock, Report

import headrace as hr

PREMISES = (
    "J1 jobs in every state",
    "J2 fetched again",
    "J3 refused",
    "J3 accepted late",
    "J4 accepted",
    "J4 above the cap",
    "J4 after the end",
    "J5 completed",
    "J5 failed",
    "J5 cancelled",
    "J5 parked in an incident",
    "J5 ended silently",
    "J6 sent again",
    "J7 two in line",
    "J8 waited",
    "J8 handed back",
    "J8 last attempt",
    "J8 doubled",
    "J8 decided by a policy in Python",
    "J9 hidden",
    "J9 verdict ignored",
    "J9 mapped by rules",
    "J9 final fail of the owner",
    "J9 owned by the engine for its Python objects",
    "J9 mismatch parked at once",
    "J9 mapped in vain by an operator",
    "J9 status collided",
    "J10 report after a cancel",
    "J10 report after the timer",
    "J11 others in line",
    "J11 more than asked",
    "J12 open at the end",
    "J13 woken",
    "J13 gone",
)


@dataclasses.dataclass
class Seen:
    """What clients know of a job."""

    lock: Lock | None = None  # the last one
    first_lock: float = 0.0
    deadline: float = 0.0
    held: bool = False  # the last lock was neither given back nor ended by a fail, and the job is open
    not_before: float = 0.0
    most: int = 0  # attempts
    same_attempt: int | None = None  # handed back: the next fetch shows the same
    acknowledged: str | None = None  # the final state that a reporter was told
    ended_by: str | None = None  # cancel or timer


class Invariants:
    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.premises: collections.Counter[str] = collections.Counter()
        self.jobs: dict[int, Seen] = collections.defaultdict(Seen)
        self.silent: set[int] = set()  # ended by an error that nobody catches
        self.mismatched: set[int] = set()  # parked with a result that does not fit

    def check(self, name: str, holds: bool, what: object) -> None:
        if not holds:
            raise Difference(f"{name} is broken: {what}")

    def fetched(self, f: Fetch, locks: Sequence[Lock], line: dict[str, list[Any]] | None) -> None:
        """`line`: the jobs that stood in line before, where that is known."""
        for lock in locks:
            seen, job = self.jobs[lock.id], self.pair.model.jobs[lock.id]
            at = lock.deadline - (f.lock if f.lock is not None else self.pair.model.locks[job.service.topic][0])
            if seen.lock is not None:
                self.premises["J2 fetched again"] += 1
                self.check("J2", not (seen.held and at < seen.deadline) and lock.epoch > seen.lock.epoch, (seen, lock))
            self.check("J10", seen.ended_by is None and seen.acknowledged is None, lock)
            self.check("J11", job.service.topic in f.topics, (f, lock))
            self._attempts(lock, seen, at)
            self._trust(lock)
            seen.lock, seen.first_lock, seen.deadline, seen.held = lock, at, lock.deadline, True
        self.check("J11", len(locks) <= f.most, f)
        if line is not None:
            self._order(f, locks, line)

    def _order(self, f: Fetch, locks: Sequence[Lock], line: dict[str, list[Any]]) -> None:
        got = [lock.id for lock in locks]
        self.premises["J11 others in line"] += bool(got) and any(line[t] for t in line if t not in f.topics)
        self.premises["J11 more than asked"] += sum(len(line[t]) for t in f.topics) > f.most
        for topic in f.topics:
            for first, second in zip(line[topic], line[topic][1:], strict=False):
                if first.service.priority == second.service.priority and second.id in got:
                    self.premises["J7 two in line"] += 1
                    self.check("J7", first.id in got and got.index(first.id) < got.index(second.id), (first, second, got))

    def _attempts(self, lock: Lock, seen: Seen, at: float) -> None:
        self.premises["J8 waited"] += seen.not_before > 0
        self.check("J8", at >= seen.not_before, (lock, seen))
        if lock.attempt is None:
            return
        most = seen.most or self.pair.model.jobs[lock.id].service.maximum
        self.premises["J8 last attempt"] += lock.attempt == most
        self.check("J8", not self.pair.model.jobs[lock.id].service.expiry_counts or lock.attempt <= most, (lock, most))
        if seen.same_attempt is not None:
            self.premises["J8 handed back"] += 1
            self.check("J8", lock.attempt == seen.same_attempt, (lock, seen))
        seen.same_attempt = None

    def _trust(self, lock: Lock) -> None:
        handle = self.pair.handles.get((lock.id, lock.epoch))
        hidden = (lock.attempt, lock.expiries, lock.retries, handle.policy if handle else None)
        if self.pair.model.jobs[lock.id].service.authoritative:
            self.premises["J9 hidden"] += 1
            self.check("J9", hidden == (None, None, None, None) and lock.owner == "engine", (lock, hidden))
        if self.pair.model.jobs[lock.id].service.custom:
            self.premises["J9 owned by the engine for its Python objects"] += 1
            self.check("J9", lock.owner == "engine", lock)

    def woken(self, w: Waiting, locks: Sequence[Lock]) -> None:
        self.premises["J13 gone" if w.goes_away else "J13 woken"] += 1
        if w.goes_away:
            for lock in w.asked.answer:
                self.jobs[lock.id].held = False  # handed back: it was fetched, and nobody holds it now
        self.fetched(w.asked, locks, None)

    def reported(self, lock: Lock, worker: str, epoch: int | None, r: Report, answer: str | None, before: dict[str, Any]) -> None:
        seen, job, now = self.jobs[lock.id], self.pair.model.jobs[lock.id], self.pair.model.now
        held = seen.held and seen.lock is not None and seen.lock.worker == worker and epoch in (None, seen.lock.epoch)
        suspended = before.get(f"suspended {job.id}", False)
        self.check("J3", (answer is None) == (held and not suspended), (lock, worker, epoch, r, answer, seen))
        if seen.ended_by is not None:
            self.premises[f"J10 report after {seen.ended_by}"] += 1
            self.check("J10", answer == "JobNotFound", answer)
        if answer is not None:
            self.premises["J3 refused"] += 1
            self.check("J3", self.unchanged(before), "a refused report changed something")
            return
        self.premises["J3 accepted late"] += now >= seen.deadline
        self._taken(lock, r, seen)

    def _taken(self, lock: Lock, r: Report, seen: Seen) -> None:
        job = self.pair.model.jobs[lock.id]
        owner, verdict = (seen.lock.owner if seen.lock else "engine"), r.kind in ("status", "error")
        seen.held = False
        if job.service.authoritative and verdict:
            self.premises["J9 verdict ignored"] += 1
            self.check("J9", job.state in ("queued", "backing off", "incident"), (r, job))
        if r.kind == "raw" and r.code in (404, 409) and job.service.mapper:
            self.premises["J9 mapped by rules"] += 1
            self.check("J9", job.state == ("completed" if r.code == 404 else "failed"), (r, job))
        if owner == "worker" and r.kind == "fail" and r.retries is None:
            self.premises["J9 final fail of the owner"] += 1
            self.check("J9", job.state in ("incident", "failed"), (r, job))
        self._refined(job, r, owner)
        if job.state in FINAL:
            seen.acknowledged = job.state
        elif job.state == "backing off":
            seen.not_before = job.ready if job.charged else self.pair.model.now + self._delay(job, r)
        if r.retries and not job.service.authoritative and seen.lock and seen.lock.attempt is not None:
            seen.most = seen.lock.attempt + r.retries

    def _refined(self, job: Any, r: Report, owner: str) -> None:
        """What a mismatch, a collision of a status and an error that nobody catches come to, and who decided on a retry."""
        service = job.service
        success = r.kind == "complete" or (r.kind == "raw" and r.code == 200)
        if success and not r.fits and service.on_mismatch == "incident":
            self.premises["J9 mismatch parked at once"] += 1
            self.check("J9", job.state == "incident", (r, job))
            self.mismatched.add(job.id)
        if service.collides and r.kind == "status":
            self.premises["J9 status collided"] += 1
            self.check("J9", job.state == "incident", (r, job))
        if r.kind == "error" and not r.caught and service.on_uncaught == "end":
            self.premises["J5 ended silently"] += 1
            self.silent.add(job.id)
        if service.custom == "policy" and job.state == "backing off" and r.kind == "fail" and r.retries is None:
            self.premises["J8 decided by a policy in Python"] += 1

    def _delay(self, job: Any, r: Report) -> float:
        service, said = job.service, r.after if r.kind == "fail" and r.retries else None
        if said is None and service.cap is not None:
            number = service.maximum - job.left
            self.premises["J8 doubled"] += number > 1
            return float(min(service.cap, service.delay * 2 ** max(0, number - 1)))
        if said is None:
            return float(service.delay)
        return max(said, service.delay) if service.authoritative else said

    def sent_again(self, answer: str | None, before: dict[str, Any]) -> None:
        self.premises["J6 sent again"] += 1
        self.check("J6", answer == "JobNotFound" and self.unchanged(before), answer)

    def extended(self, lock: Lock, worker: str, epoch: int | None, duration: float, answer: str | None) -> None:
        seen, now, job = self.jobs[lock.id], self.pair.model.now, self.pair.model.jobs[lock.id]
        held = seen.held and seen.lock is not None and seen.lock.worker == worker and epoch in (None, seen.lock.epoch)
        end = seen.first_lock + self.pair.model.locks[job.service.topic][1]
        may = held and now < seen.deadline and now + duration <= end
        self.check("J4", (answer is None) == may, (lock, worker, epoch, duration, answer, seen))
        if answer is None:
            self.premises["J4 accepted"] += 1
            seen.deadline = now + duration
        self.premises["J4 above the cap"] += answer == "LockCapExceeded"
        self.premises["J4 after the end"] += answer == "LockExpired"

    def unlocked(self, lock: Lock, answer: str | None) -> None:
        seen = self.jobs[lock.id]
        if answer is None:
            seen.held = False
            seen.same_attempt = seen.lock.attempt if seen.lock and self.pair.model.now < seen.deadline else None

    def ended(self, id: int, how: str) -> None:
        self.jobs[id].ended_by, self.jobs[id].held = how, False

    def looked_at(self, id: int, incident: hr.Incident) -> None:
        """A note, and another mapping of a result that still does not fit: refused, and nothing changes."""
        before = self.fingerprint()
        incident.annotate("looked at")
        try:
            incident.remap()
        except hr.HeadraceError:
            self.premises["J9 mapped in vain by an operator"] += id in self.mismatched
        else:
            raise Difference(f"the result of job {id} fits all of a sudden")
        after = self.fingerprint()
        self.check("J9", before["incidents"] == after["incidents"] and before["topics"] == after["topics"], id)

    def operator_retried(self, id: int, n: int) -> None:
        seen = self.jobs[id]
        seen.most, seen.not_before, seen.same_attempt = n, 0.0, None
        self.mismatched.discard(id)

    def unchanged(self, before: dict[str, Any]) -> bool:
        return {k: v for k, v in self.fingerprint().items() if k != "at"} == {k: v for k, v in before.items() if k != "at"}

    def fingerprint(self) -> dict[str, Any]:
        self.pair.compare()
        return {**self.pair.seen, **{f"suspended {j.id}": True for j in self.pair.model.jobs if j.suspended}}

    def after_step(self) -> dict[str, Any]:
        """J1, J5 and J13 hold between any two steps."""
        state = self.fingerprint()
        for topic in self.pair.engine.metrics()["topics"]:
            now = sum(topic[s] for s in ("queued", "locked", "reporting", "backing_off", "incidents", *FINAL))
            self.check("J1", now == topic["enqueued"], topic)
        self.premises["J1 jobs in every state"] += len({j.state for j in self.pair.model.jobs}) >= 6
        for job in self.pair.model.jobs:
            self._effect(job, state)
        for w in self.pair.waiting:
            self.check("J13", not any(self.pair.model.fetchable(t) for t in w.asked.topics), w.asked)
        return state

    def _effect(self, job: Any, state: dict[str, Any]) -> None:
        instance, _, counts = state[str(job.id)]
        seen = self.jobs[job.id]
        if not job.open and seen.held:
            seen.held = False  # its activity ended: by the timer, or because the attempts are used up
        if job.state == "incident":
            seen.deadline = min(seen.deadline, job.raised)  # the job's time is up, and with it its lock
        if instance == "completed" and job.state == "cancelled" and seen.ended_by is None:
            self.ended(job.id, "the timer")
        ends = {node: counts[node].completed for node in ("end", "refused", "late") if node in counts and counts[node].completed}
        self.premises["J5 parked in an incident"] += job.state == "incident"
        if job.state in FINAL:
            self.premises[f"J5 {job.state}"] += 1
        self.check("J5", sum(ends.values()) == (instance == "completed" and job.id not in self.silent), (job, ends))
        self.check("J6", seen.acknowledged is None or seen.acknowledged == job.state, (job, seen))
