"""Processes of the tests that follow the source documents."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

import headrace as hr

TRUSTED = hr.WorkerTrust.WORKER_TRUSTED
AUTHORITATIVE = hr.WorkerTrust.ENGINE_AUTHORITATIVE
both_modes = pytest.mark.parametrize("trust", [TRUSTED, AUTHORITATIVE], ids=["trusted", "authoritative"])

TOPIC = "look-up"
QUERY = hr.Message("Query", {"id": int})
ANSWER = hr.Message("Answer", {"name": str})
LOOK_UP = hr.Operation("look up", QUERY, ANSWER, errors=["ResourceConflict", "ResourceNotFound"])


def looked_up(*options: hr.options.Option, operation: hr.Operation | None = LOOK_UP) -> hr.Process:
    """start >> look (a worker's task) >> state (gateway): created | found; the declared errors go to `conflict` and `missing`."""
    order = hr.Process("order")
    look = order.service_task("look", operation, hr.WithWorker(TOPIC), *options)
    gateway = order.exclusive_gateway("gateway")
    order.start_event("start") >> look >> gateway
    gateway.when("${state == 'NOT_FOUND'}") >> order.end_event("created")
    gateway.default() >> order.end_event("found")
    order.boundary_error(look, "ResourceConflict") >> order.end_event("conflict")
    order.boundary_error(look, "ResourceNotFound") >> order.end_event("missing")
    return order


def straight(*options: hr.options.Option, operation: Any = LOOK_UP, topic: str = TOPIC) -> hr.Process:
    """start >> look (a worker's task) >> end"""
    order = hr.Process("order")
    look = order.service_task("look", operation, hr.WithWorker(topic), *options)
    order.start_event("start") >> look >> order.end_event("end")
    return order


def fetch(engine: hr.Engine, worker: str = "w", topic: str = TOPIC, **more: Any) -> list[hr.Job]:
    return engine.dispatcher.fetch_and_lock(worker, [topic], **more)


def fetch_one(engine: hr.Engine, worker: str = "w", topic: str = TOPIC, **more: Any) -> hr.Job:
    (job,) = fetch(engine, worker, topic, **more)
    return job


def ended(instance: hr.Instance) -> list[str]:
    """The end events that it reached."""
    return sorted(n for n in instance.counts if n in ("created", "found", "conflict", "missing", "end") and instance.counts[n].completed)


def work_off(engine: hr.Engine, handler: Callable[..., Any], variables: dict[str, Any], **options: Any) -> hr.Instance:
    """One instance of `order` by an hr.Worker on threads, to its end or its incident."""
    over = threading.Event()
    engine.subscribe(lambda r: over.set() if r.what in ("instance-ended", "incident-raised") else None, "info")
    worker = hr.Worker("w", **options)
    worker.task(TOPIC)(handler)
    with engine.worker(worker):
        instance = engine.start("order", variables)
        assert over.wait(30)
    return instance


def raising(error: BaseException, calls: list[int] | None = None) -> Callable[..., Any]:
    def handler(job: hr.Job) -> None:
        if calls is not None:
            calls.append(job.epoch)
        raise error

    return handler
