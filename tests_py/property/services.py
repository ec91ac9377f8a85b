"""The services of the property tests: topics with and without lock options, and each policy that the model knows."""

from __future__ import annotations

from typing import Any

from vocabulary import Service

import headrace as hr

# Topic -> lock duration, cap. The last one names none: the profile's.
TOPICS = {"a": (10.0, 60.0), "c": (5.0, 20.0), "b": (300.0, 86400.0)}

# Times with a fraction of their own: a timeout never meets the end of a lock, which falls on a half second.
SERVICES = (
    Service("plain", "a"),
    Service("urgent", "a", maximum=2, delay=2.0, priority=5),
    Service("failing", "a", maximum=2, delay=1.0, on_exhausted="fail"),
    Service("once", "b", maximum=1, delay=0.0),
    Service("patient", "b", delay=3.0, expiry_counts=False),
    Service("timed", "b", job_timeout=30.125),
    Service("bounded", "c", boundary=20.25),
    Service("authoritative", "c", delay=5.0, authoritative=True, mapper=True),
    Service("mapped", "c", delay=2.0, mapper=True, mapping=True),
    Service("doubling", "a", maximum=4, delay=0.5, cap=1.5),
    Service("own-policy", "b", maximum=3, delay=1.0, custom="policy"),
    Service("own-mapper", "c", maximum=2, delay=1.0, mapper=True, custom="mapper", on_uncaught="end"),
    Service("strict", "b", mapping=True, on_mismatch="incident"),
    Service("colliding", "a", maximum=2, delay=2.0, collides=True),
)


class OwnPolicy(hr.RetryPolicy):
    """What FixedDelay does, in Python: the engine must run it."""

    def __init__(self, max_attempts: int, delay: float) -> None:
        self.max_attempts = max_attempts
        self.delay = delay

    def next_delay(self, attempt: int, failure: hr.Failure, jitter: float) -> float | None:
        return self.delay if attempt < self.max_attempts else None


class OwnMapper(hr.ErrorMapper):
    """What the rules do, in Python."""

    def classify(self, failure: hr.Failure) -> hr.BpmnError | hr.Status | None:
        return {409: hr.BpmnError("DECLINED"), 404: hr.Status("NOT_FOUND")}.get(failure.code)


def _policy(s: Service) -> hr.RetryPolicy:
    if s.custom == "policy":
        return OwnPolicy(s.maximum, s.delay)
    if s.cap is not None:
        return hr.ExponentialBackoff(s.maximum, s.delay, s.cap, jitter=0)
    return hr.FixedDelay(s.maximum, s.delay) if s.maximum > 1 else hr.NoRetry()


def process(s: Service) -> hr.Process:
    """start, the task, end; the error DECLINED goes to `refused`, the timer to `late`."""
    model = hr.Process(s.name)
    operation = None
    if s.authoritative:
        operation = hr.Operation("work", hr.Message("In", {"n": int}), hr.Message("Out", {"receipt": int}), [hr.Error("DECLINED")])
    task = model.service_task("task", operation, hr.WithWorker(s.topic), *_options(s), priority=s.priority)
    model.start_event("start") >> task >> model.end_event("end")
    model.boundary_error(task, "DECLINED") >> model.end_event("refused")
    if s.boundary is not None:
        model.boundary_timer(task, s.boundary) >> model.end_event("late")
    return model


def _options(s: Service) -> list[Any]:
    options: list[Any] = [
        hr.WithRetryPolicy(_policy(s)),
        hr.WithStatus("n", overwrite=False) if s.collides else hr.WithStatus("status", overwrite=True),
        hr.WithOnMismatch(s.on_mismatch),  # type: ignore[arg-type]
        hr.WithOnUncaughtError(s.on_uncaught),  # type: ignore[arg-type]
        hr.WithOnExhausted(s.on_exhausted),  # type: ignore[arg-type]
        hr.WithExpiryAsAttempt(s.expiry_counts),
    ]
    if s.topic != "b":
        options += [hr.WithLockDuration(TOPICS[s.topic][0]), hr.WithMaxLockDuration(TOPICS[s.topic][1])]
    if s.authoritative:
        options.append(hr.WithWorkerTrust(hr.WorkerTrust.ENGINE_AUTHORITATIVE))
    if s.mapper:
        rules = [hr.rule(409).bpmn_error("DECLINED"), hr.rule(404).status("NOT_FOUND"), hr.rule(503).technical()]
        options.append(hr.WithErrorMapper(OwnMapper() if s.custom == "mapper" else rules))
    if s.mapping:
        options.append(hr.WithOutputMapping([hr.out("$.data.id", "result")]))
    if s.job_timeout is not None:
        options.append(hr.WithJobTimeout(s.job_timeout))
    return options


def output(s: Service, owner: str, n: int, fits: bool) -> dict[str, Any]:
    """What a worker gives to `complete`; a lock that the worker owns is mapped by the worker."""
    if s.authoritative:
        return {"receipt": n} if fits else {"other": n}
    if s.mapping and owner == "engine":
        return {"data": {"id": n}} if fits else {"data": {}}
    return {written(s): n}


def written(s: Service) -> str:
    """The variable that a success is seen in."""
    return "receipt" if s.authoritative else "result" if s.mapping else "out"
