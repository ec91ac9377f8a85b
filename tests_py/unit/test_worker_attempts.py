"""What a worker tried inside its own lock counts: in the incident, in the metrics, in what a later fetch is told."""

from __future__ import annotations

import threading

import pytest

import headrace as hr


def one_task(policy: hr.RetryPolicy) -> hr.Process:
    process = hr.Process("order")
    (
        process.start_event("start")
        >> process.service_task("pay", None, hr.WithWorker("charge-card"), hr.WithRetryPolicy(policy))
        >> process.end_event("end")
    )
    return process


def test_an_incident_tells_every_execution_of_a_worker_that_owned_the_policy(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task(hr.FixedDelay(3, 0.001)))
    instance = engine.start("order")
    worker = hr.Worker("w")
    ran: list[int] = []
    failed = threading.Event()

    @worker.task("charge-card")
    def charge(job: hr.Job) -> None:
        ran.append(1)
        if len(ran) == 3:
            failed.set()
        raise ValueError("no card")

    # when
    with engine.worker(worker):
        assert failed.wait(60)
    # then
    incident = instance.incidents[0]
    assert len(ran) == 3
    assert incident.attempts == 3
    assert [topic["attempts"] for topic in engine.metrics()["topics"]] == [3]


def test_a_report_of_several_executions_counts_them_where_the_worker_owned_the_policy(hand_driven: hr.Engine) -> None:
    # given
    hand_driven.deploy(one_task(hr.FixedDelay(9, 1)))
    instance = hand_driven.start("order")
    # when
    for owner, retries in ((True, 1), (False, 1), (True, 0)):
        [job] = hand_driven.dispatcher.fetch_and_lock("w", ["charge-card"], runs_policy=owner)
        job.fail(message="no card", retries=retries, executions=4)
    # then
    assert instance.incidents[0].attempts == 4 + 1 + 4


@pytest.mark.parametrize("wrong", [0, -1, "3"])
def test_executions_are_counted_from_one(hand_driven: hr.Engine, wrong: object) -> None:
    # given
    hand_driven.deploy(one_task(hr.NoRetry()))
    hand_driven.start("order")
    [job] = hand_driven.dispatcher.fetch_and_lock("w", ["charge-card"], runs_policy=True)
    # when / then
    with pytest.raises((hr.ValidationError, TypeError), match="executions"):
        job.fail(executions=wrong)  # type: ignore[arg-type]
