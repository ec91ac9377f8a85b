"""Fetching by topic, and exactly one report for each job (ADR-021 2.1, 2.2, 2.4, section 6)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from seed_models import TOPIC, both_modes, fetch, fetch_one, straight

import headrace as hr

REPORTS: dict[str, Callable[[hr.Job], None]] = {
    "complete": lambda job: job.complete({"name": "Ann"}),
    "report_status": lambda job: job.report_status("S"),
    "bpmn_error": lambda job: job.bpmn_error("ResourceConflict"),
    "fail": lambda job: job.fail(500),
    "report_raw": lambda job: job.report_raw(500),
}


@pytest.mark.seed("ADR-021 2.1/5")
def test_a_job_is_queued_a_worker_pulls_it_and_its_report_moves_the_instance_on(hand_driven: hr.Engine) -> None:
    # given
    hand_driven.deploy(straight())
    # when
    instance = hand_driven.start("order", {"id": 7})
    # then: the start came back while nobody works; the queue has the job
    assert hand_driven.dispatcher.pending(TOPIC) == 1
    assert [(a.node, a.waits_for) for a in instance.activities] == [("look", "job")]
    # when it is pulled and reported, then the instance goes on
    fetch_one(hand_driven).complete({"name": "Ann"})
    assert hand_driven.dispatcher.pending(TOPIC) == 0
    assert instance.state is hr.InstanceState.COMPLETED


@pytest.mark.seed("ADR-021 2.2/2")
def test_the_topic_alone_says_who_may_fetch_whatever_process_and_node_a_job_is_of(hand_driven: hr.Engine) -> None:
    # given three tasks of two processes, two of them of one topic
    for process, topic in (("first", "shared"), ("second", "shared"), ("third", "other")):
        model = hr.Process(process)
        model.start_event("start") >> model.service_task(f"{process}_task", None, hr.WithWorker(topic)) >> model.end_event("end")
        hand_driven.deploy(model)
        hand_driven.start(process)
    # when
    shared = hand_driven.dispatcher.fetch_and_lock("w", ["shared"], max_jobs=10)
    none = hand_driven.dispatcher.fetch_and_lock("w", ["first_task", "shar", "SHARED"], max_jobs=10)
    # then
    assert [job.node for job in shared] == ["first_task", "second_task"]
    assert none == []
    assert [job.node for job in hand_driven.dispatcher.fetch_and_lock("w", ["shared", "other"], max_jobs=10)] == ["third_task"]


@pytest.mark.seed("ADR-021 2.4/3")
def test_a_long_poll_answers_with_the_job_that_comes_while_it_waits(engine: hr.Engine) -> None:
    # given
    engine.deploy(straight())
    got: list[hr.Job] = []
    waiting = threading.Thread(target=lambda: got.extend(engine.dispatcher.fetch_and_lock("w", [TOPIC, "other"], 30, max_jobs=5, wait=30)))
    waiting.start()
    # when
    instance = engine.start("order", {"id": 7})
    waiting.join(30)
    # then
    assert [(job.worker, job.topic, job.instance_id) for job in got] == [("w", TOPIC, instance.id)]


@pytest.mark.seed("ADR-021 2.4/4")
@both_modes
@pytest.mark.parametrize("second", REPORTS)
@pytest.mark.parametrize("first", REPORTS)
def test_of_two_reports_of_a_job_the_first_takes_effect_and_the_second_changes_nothing(
    hand_driven: hr.Engine, trust: hr.WorkerTrust, first: str, second: str
) -> None:
    # given
    order = straight(hr.WithStatus("state"), hr.WithWorkerTrust(trust))
    order.boundary_error(order.elements[0], "ResourceConflict") >> order.end_event("refused")
    hand_driven.deploy(order)
    instance = hand_driven.start("order", {"id": 7})
    job = fetch_one(hand_driven)
    before = instance.snapshot()
    # when
    REPORTS[first](job)
    after, metrics = instance.snapshot(), hand_driven.metrics()["topics"][0]
    with pytest.raises((hr.JobNotFound, hr.NotLockHolder)):
        REPORTS[second](job)
    # then
    assert metrics["reports"] == hand_driven.metrics()["topics"][0]["reports"] == 1
    assert instance.snapshot() == after
    assert after != before or metrics["backing_off"] == 1


@pytest.mark.seed("ADR-021 6/4")
def test_the_id_of_a_job_stays_the_same_however_often_it_is_delivered_so_that_work_done_once_is_known(hand_driven: hr.Engine) -> None:
    # given a worker that remembers by the job's id what it charged
    hand_driven.deploy(straight(hr.WithRetryPolicy(hr.FixedDelay(4, 10))))
    instance = hand_driven.start("order", {"id": 7})
    charged: dict[str, int] = {}

    def deliver() -> hr.Job:
        job = fetch_one(hand_driven, lock_duration=30)
        charged[job.id] = charged.get(job.id, 0) + 1
        return job

    # when it worked but its report was lost with it, failed, was handed back, was exhausted and retried by an operator
    deliver()
    hand_driven.advance(30)
    deliver().fail(500)
    hand_driven.advance(10)
    deliver().unlock()
    deliver().fail(500, retries=0)
    instance.incidents[0].retry()
    deliver().complete({"name": "Ann"})
    # then: five deliveries of one key
    assert list(charged.values()) == [5]
    assert instance.state is hr.InstanceState.COMPLETED
    # and another execution is another key
    hand_driven.start("order", {"id": 7})
    assert deliver().id not in list(charged)[:1]


def test_the_same_report_from_another_worker_an_old_epoch_or_for_nobodys_job_changes_nothing(hand_driven: hr.Engine) -> None:
    # given
    hand_driven.deploy(straight())
    instance = hand_driven.start("order", {"id": 7})
    old = fetch_one(hand_driven, worker="w")
    old.unlock()
    job = fetch_one(hand_driven, worker="w")
    before = instance.snapshot()
    queue = hand_driven.dispatcher
    wrong: list[tuple[type[Exception], Callable[[], Any]]] = [
        (hr.NotLockHolder, lambda: queue.complete(job.id, "stranger", {"name": "x"})),
        (hr.NotLockHolder, lambda: old.complete({"name": "x"})),
        (hr.NotLockHolder, lambda: queue.complete(job.id, "w", {"name": "x"}, epoch=3)),
        (hr.JobNotFound, lambda: queue.complete("7:7:7:7:look", "w", {"name": "x"})),
        (hr.JobNotFound, lambda: queue.complete("no id at all", "w", {"name": "x"})),
        (hr.ValidationError, lambda: job.complete({"name": {1, 2}})),
        (hr.ValidationError, lambda: job.fail(retries=-1)),
        (hr.ValidationError, lambda: job.bpmn_error("")),
    ]
    # when
    for error, report in wrong:
        with pytest.raises(error):
            report()
    # then
    assert instance.snapshot() == before
    assert fetch(hand_driven) == []
    job.complete({"name": "Ann"})
    assert instance.variables["name"] == "Ann"


def test_a_report_whose_step_is_undone_leaves_the_job_with_its_worker() -> None:
    # given a model of the camunda7 profile whose gateway behind the task cannot decide
    xml = f"""<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
        xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" targetNamespace="t">
      <process id="order" isExecutable="true">
        <startEvent id="start"/><sequenceFlow id="a" sourceRef="start" targetRef="look"/>
        <serviceTask id="look" camunda:type="external" camunda:topic="{TOPIC}"/><sequenceFlow id="b" sourceRef="look" targetRef="big"/>
        <exclusiveGateway id="big"/>
        <sequenceFlow id="c" sourceRef="big" targetRef="end">
          <conditionExpression xsi:type="tFormalExpression">${{amount > 10}}</conditionExpression></sequenceFlow>
        <endEvent id="end"/>
      </process></definitions>"""
    with hr.Engine(clock=hr.ManualClock(), threads=0) as engine:
        engine.deploy(xml)
        instance = engine.start("order")
        job = fetch_one(engine, lock_duration=30)
        # when
        with pytest.raises(hr.HeadraceError, match="amount"):
            job.complete()
        # then: the lock is the same, and the corrected report is taken
        assert fetch(engine, worker="other") == []
        job.complete({"amount": 11})
        assert instance.state is hr.InstanceState.COMPLETED


def test_no_fetch_returns_a_job_of_a_cancelled_instance(hand_driven: hr.Engine) -> None:
    # given a queued job, and one that is locked
    hand_driven.deploy(straight())
    locked, queued = hand_driven.start("order", {"id": 1}), hand_driven.start("order", {"id": 2})
    job = fetch_one(hand_driven, lock_duration=30)
    # when
    locked.cancel()
    queued.cancel()
    hand_driven.advance("P1D")
    # then
    assert fetch(hand_driven) == []
    with pytest.raises(hr.JobNotFound):
        job.complete({"name": "Ann"})
