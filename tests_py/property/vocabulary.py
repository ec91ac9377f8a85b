"""The words that the reference model and its driver share: what is asked, and what is answered. Plain data, no rules."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence


@dataclasses.dataclass(frozen=True)
class Service:
    """A service task, its topic and its options; one task makes one process."""

    name: str
    topic: str
    maximum: int = 3  # executions in all
    delay: float = 4.0  # between them; without a policy that retries there is none
    cap: float | None = None  # the delay doubles up to it
    custom: str | None = None  # "policy" or "mapper": a Python object in its place
    priority: int = 0
    authoritative: bool = False
    mapper: bool = False  # 409 is the error DECLINED, 404 a status, others are technical
    mapping: bool = False  # $.data.id goes to the variable `result`
    expiry_counts: bool = True
    on_exhausted: str = "incident"
    on_mismatch: str = "retry"
    on_uncaught: str = "fail"
    collides: bool = False  # the variable of its status is there already, and may not be overwritten
    job_timeout: float | None = None
    boundary: float | None = None  # of an interrupting timer event


@dataclasses.dataclass(frozen=True)
class Report:
    """What a worker says. `fits`: the output agrees with contract and mapping. `caught`: somebody catches the error."""

    kind: str  # complete, status, error, fail, raw
    fits: bool = True
    code: int | None = None
    caught: bool = True
    retries: int | None = None
    after: float = 0.0


@dataclasses.dataclass(frozen=True)
class Lock:
    """What a worker gets. Under EngineAuthoritative the last three are None."""

    id: int
    worker: str
    epoch: int
    deadline: float
    owner: str
    generation: int
    attempt: int | None
    expiries: int | None
    retries: int | None


@dataclasses.dataclass(eq=False)
class Fetch:
    """A fetch, perhaps a waiting one. `lock`: None is the topic's own."""

    worker: str
    topics: Sequence[str]
    lock: float | None = None
    most: int = 1
    runs_policy: bool = False
    answer: list[Lock] = dataclasses.field(default_factory=list)
