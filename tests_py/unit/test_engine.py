"""The engine, instances and the job queue's verbs, as Python sees them."""

from __future__ import annotations

import datetime as dt
import pickle
from typing import Any

import pytest

import headrace as hr
from models import in_process, one_task


def fetch(engine: hr.Engine, **more: Any) -> list[hr.Job]:
    return engine.dispatcher.fetch_and_lock("w", ["charge-card"], **more)


def test_a_round_trip_ends_the_instance(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task())
    instance = engine.start("order", {"orderId": "o-1", "amount": 42.0}, business_key="k-1")
    # when
    (job,) = fetch(engine, lock_duration=30, max_jobs=10, wait=5)
    engine.dispatcher.complete(job.id, "w", {"receiptId": "r-1"})
    instance.wait(timeout=5)
    # then
    assert instance.state is hr.InstanceState.COMPLETED
    assert instance.variables == {"orderId": "o-1", "amount": 42.0, "receiptId": "r-1"}
    assert instance.business_key == "k-1"
    assert instance.counts["pay"] == hr.Count(completed=1, cancelled=0)


# seed: ADR-021 2.5/8
def test_a_job_tells_what_it_is(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task())
    instance = engine.start("order", {"amount": 1}, business_key="k-1")
    # when
    (job,) = fetch(engine, lock_duration=30)
    # then
    assert job.id.startswith(f"{instance.id}:{instance.id}:") and job.id.endswith(":pay")
    assert (job.topic, job.worker, job.node, job.process, job.business_key) == ("charge-card", "w", "pay", "order", "k-1")
    assert (job.epoch, job.generation, job.retries, job.attempt) == (1, 1, None, 1)
    assert job.variables is job.variables == {"amount": 1}
    assert dt.timedelta(seconds=25) < job.deadline - engine.now() <= dt.timedelta(seconds=30)
    assert job.policy is not None
    assert job.policy["max_attempts"] == 3


@pytest.mark.parametrize("verb", ["complete", "report_status", "bpmn_error", "fail", "report_raw", "unlock", "extend_lock"])
def test_each_verb_of_a_stranger_is_refused_and_changes_nothing(engine: hr.Engine, verb: str) -> None:
    # given
    engine.deploy(one_task())
    instance = engine.start("order", {})
    (job,) = fetch(engine)
    before = instance.snapshot()
    arguments: dict[str, tuple[Any, ...]] = {"report_status": ("S",), "bpmn_error": ("E",), "report_raw": (500,), "extend_lock": (60,)}
    # when
    with pytest.raises(hr.NotLockHolder):
        getattr(engine.dispatcher, verb)(job.id, "stranger", *arguments.get(verb, ()))
    # then
    assert instance.snapshot() == before
    job.complete()


@pytest.mark.parametrize("id", ["", "x", "9:9:9:9:pay", "1:1:1:1", "\x00"])
def test_reports_on_unknown_jobs_are_refused(engine: hr.Engine, id: str) -> None:
    with pytest.raises(hr.JobNotFound):
        engine.dispatcher.complete(id, "w")


def test_a_second_report_finds_no_job(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task())
    engine.start("order", {})
    (job,) = fetch(engine)
    job.complete()
    # then
    with pytest.raises(hr.JobNotFound):
        job.complete()


def test_a_job_passes_its_epoch_and_an_older_one_is_refused(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task())
    engine.start("order", {})
    (old,) = fetch(engine)
    old.unlock()
    (new,) = fetch(engine)
    # when
    with pytest.raises(hr.NotLockHolder):
        old.complete()
    new.complete()
    # then
    assert (old.epoch, new.epoch) == (1, 2)


def test_complete_many_answers_none_or_an_error_per_item_in_order(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task())
    for n in range(3):
        engine.start("order", {"n": n})
    jobs = fetch(engine, max_jobs=10)
    # when
    answers = engine.dispatcher.complete_many([(jobs[0], {"r": 0}), ("1:2:3:4:x", {}), (jobs[1], {"bad": object()}), (jobs[2], None)], "w")
    # then
    assert [type(a) for a in answers] == [type(None), hr.JobNotFound, hr.ValidationError, type(None)]
    assert "output.bad" in str(answers[2])
    assert engine.metrics()["instances_completed"] == 2


def test_start_many_answers_a_handle_or_an_error_per_item() -> None:
    with hr.Engine(max_instances=2) as engine:
        # given
        engine.deploy(one_task())
        # when
        answers = engine.start_many("order", [{"n": 1}, {"n": 2}, {"n": 3}])
        # then
        assert [type(a) for a in answers] == [hr.Instance, hr.Instance, hr.Overloaded]


def test_a_bpmn_error_goes_to_its_boundary_event(engine: hr.Engine) -> None:
    # given
    order = hr.Process("order")
    pay = order.service_task("pay", None, hr.WithWorker("charge-card"))
    order.start_event("start") >> pay >> order.end_event("end")
    order.boundary_error(pay, "DECLINED") >> order.end_event("refused")
    engine.deploy(order)
    instance = engine.start("order", {})
    (job,) = fetch(engine)
    # when
    job.bpmn_error("DECLINED", "no money", {"reason": "limit"})
    instance.wait(5)
    # then
    assert instance.state is hr.InstanceState.COMPLETED
    assert instance.counts["refused"].completed == 1
    assert instance.variables == {"reason": "limit"}


def test_exhausted_retries_raise_an_incident_and_its_retry_ends_the_instance(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task(hr.WithRetryPolicy(hr.NoRetry())))
    instance = engine.start("order", {})
    (job,) = fetch(engine)
    # when
    job.fail(503, {"a": 1}, "service is away")
    (incident,) = engine.incidents()
    # then
    assert (incident.node, incident.topic, incident.job, incident.attempts) == ("pay", "charge-card", job.id, 1)
    assert (incident.code, incident.body, incident.message) == (503, {"a": 1}, "service is away")
    assert incident.kind is hr.IncidentKind.FAILED_EXTERNAL_TASK
    assert instance.incidents == (incident,)
    assert instance.state is hr.InstanceState.ACTIVE
    # when
    incident.annotate("called them")
    assert engine.incident(incident.id).notes == ("called them",)
    incident.retry()
    (again,) = fetch(engine, wait=5)
    again.complete()
    # then
    assert again.id == job.id
    assert again.generation == 2
    assert instance.state is hr.InstanceState.COMPLETED
    assert engine.incidents() == []


def test_incidents_are_data_that_can_be_pickled_without_their_verbs(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task())
    engine.start("order", {})
    fetch(engine)[0].fail(message="no", retries=0)
    (incident,) = engine.incidents()
    # when
    back = pickle.loads(pickle.dumps(incident))
    # then
    assert back == incident
    with pytest.raises(TypeError, match=r"engine\.incident"):
        back.retry()


def test_an_instance_is_cancelled_suspended_and_resumed(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task())
    instance = engine.start("order", {})
    (job,) = fetch(engine)
    # when
    instance.suspend()
    # then
    assert instance.suspended
    with pytest.raises(hr.InstanceSuspended):
        job.complete()
    # when
    instance.resume()
    instance.cancel("not wanted")
    # then
    assert instance.state is hr.InstanceState.CANCELLED
    assert instance.reason == "not wanted"
    with pytest.raises(hr.JobNotFound):
        job.complete()


def test_a_user_task_is_completed_by_hand(engine: hr.Engine) -> None:
    # given
    order = hr.Process("order")
    order.start_event("start") >> order.user_task("approve") >> order.end_event("end")
    engine.deploy(order)
    instance = engine.start("order", {})
    # when
    instance.complete_user_task("approve", {"approved": True})
    # then
    assert instance.state is hr.InstanceState.COMPLETED
    assert instance.variables == {"approved": True}


def test_instances_are_found_by_process_key_and_state(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task())
    one, two = engine.start("order", {}, business_key="a"), engine.start("order", {}, business_key="b")
    two.cancel()
    # then
    assert engine.instances("order", business_key="a") == [one]
    assert engine.instances(state="cancelled") == [two]
    assert engine.instances("other") == []
    assert engine.instance(one.id) == one
    assert hash(engine.instance(one.id)) == hash(one)
    with pytest.raises(hr.InstanceNotFound):
        engine.instance("nine")


def test_versions_count_up_and_can_be_chosen(engine: hr.Engine) -> None:
    # given
    assert [engine.deploy(one_task()).version for _ in range(2)] == [1, 2]
    # then
    assert engine.start("order", {}).version == 2
    assert engine.start("order", {}, version=1).version == 1
    with pytest.raises(hr.NotFoundError):
        engine.start("order", {}, version=3)
    with pytest.raises(hr.NotFoundError):
        engine.start("other")


def test_xml_is_deployed_from_text_and_from_a_path(engine: hr.Engine, tmp_path: Any) -> None:
    # given
    xml = """<?xml version="1.0"?>
        <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t">
          <process id="p" isExecutable="true">
            <startEvent id="s"/><endEvent id="e"/><sequenceFlow id="f" sourceRef="s" targetRef="e"/>
          </process>
        </definitions>"""
    file = tmp_path / "p.bpmn"
    file.write_text(xml)
    # then
    for model in (xml, xml.encode(), file, str(file)):
        assert engine.deploy(model).id == "p"
    assert engine.start("p").state is hr.InstanceState.COMPLETED
    with pytest.raises(TypeError, match=r"hr\.Process"):
        engine.deploy(3)  # type: ignore[arg-type]
    with pytest.raises(hr.ModelError) as refused:
        engine.deploy(xml.replace("endEvent", "fooEvent"))
    assert refused.value.faults[0].line > 0


def test_functors_get_variables_by_name_and_write_what_they_return(engine: hr.Engine) -> None:
    # given
    def double(amount: float, factor: int = 2) -> dict[str, float]:
        return {"doubled": amount * factor}

    engine.deploy(in_process(double))
    # when
    instance = engine.start("calc", {"amount": 21.0})
    instance.wait(5)
    # then
    assert instance.variables == {"amount": 21.0, "doubled": 42.0}


def test_conditions_may_be_callables(engine: hr.Engine) -> None:
    # given
    order = hr.Process("order")
    big = order.exclusive_gateway("big")
    order.start_event("start") >> big
    big.when(lambda amount: amount > 10) >> order.end_event("large")
    big.default() >> order.end_event("small")
    engine.deploy(order)
    # when
    large, small = engine.start("order", {"amount": 11}), engine.start("order", {"amount": 10})
    large.wait(5)
    small.wait(5)
    # then
    assert large.counts["large"].completed == 1
    assert small.counts["small"].completed == 1


def raise_system_exit() -> None:
    raise SystemExit(3)


class Silent(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


def raise_silent() -> None:
    raise Silent


def return_cyclic() -> dict[str, Any]:
    loop: dict[str, Any] = {}
    loop["a"] = loop
    return loop


def need_missing(missing: int) -> None:
    del missing


# Row H77 of reference/hostile-inputs.tsv, for operations in the process.
@pytest.mark.parametrize(
    ("function", "text"),
    [
        (raise_system_exit, "SystemExit"),
        (raise_silent, "Silent"),
        (return_cyclic, "contains itself"),
        (lambda: {"x": float("nan")}, "NaN"),
        (lambda: {"x": 10**40}, "64 bits"),
        (lambda: [1], "list"),
        (need_missing, "'missing'"),
        (lambda: 1 / 0, "ZeroDivisionError: division by zero"),
    ],
)
def test_whatever_an_operation_does_becomes_an_incident_with_type_and_text(engine: hr.Engine, function: Any, text: str) -> None:
    # given
    engine.deploy(in_process(function))
    # when
    instance = engine.start("calc", {})
    instance.wait(5, until="idle")
    # then
    (incident,) = instance.incidents
    assert text in incident.message


def test_an_operation_may_raise_a_bpmn_error(engine: hr.Engine) -> None:
    # given
    def refuse() -> None:
        raise hr.BpmnError("NO", "not today", {"why": "tired"})

    calc = hr.Process("calc")
    work = calc.service_task("work", refuse)
    calc.start_event("start") >> work >> calc.end_event("end")
    calc.boundary_error(work, "NO") >> calc.end_event("refused")
    engine.deploy(calc)
    # when
    instance = engine.start("calc", {})
    instance.wait(5)
    # then
    assert instance.counts["refused"].completed == 1
    assert instance.variables == {"why": "tired"}


def test_the_context_of_a_call_has_id_attempt_and_cancelled(engine: hr.Engine) -> None:
    # given
    seen: list[Any] = []
    engine.deploy(in_process(lambda call: seen.append((call.id, call.attempt, call.cancelled))))
    # when
    instance = engine.start("calc", {})
    instance.wait(5)
    # then
    ((id, attempt, cancelled),) = seen
    assert id.startswith(instance.id)
    assert (attempt, cancelled) == (1, False)


class Impatient(hr.RetryPolicy):
    max_attempts = 3

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[tuple[int, Any]] = []

    def next_delay(self, attempt: int, failure: hr.Failure, jitter: float) -> Any:
        self.asked.append((attempt, failure.code))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


# seed: ADR-021 2.7/3
def test_a_policy_of_ones_own_decides(hand_driven: hr.Engine) -> None:
    # given
    policy = Impatient(dt.timedelta(seconds=5))
    hand_driven.deploy(one_task(hr.WithRetryPolicy(policy)))
    hand_driven.start("order", {})
    # when
    fetch(hand_driven)[0].fail(503)
    hand_driven.advance(4)
    assert fetch(hand_driven) == []
    hand_driven.advance(1)
    # then
    assert len(fetch(hand_driven)) == 1
    assert policy.asked == [(1, 503)]


@pytest.mark.parametrize("answer", [-1, float("inf"), "soon", ValueError("no idea"), object()])
def test_a_policy_that_fails_ends_in_an_incident(hand_driven: hr.Engine, answer: Any) -> None:
    # given
    hand_driven.deploy(one_task(hr.WithRetryPolicy(Impatient(answer))))
    instance = hand_driven.start("order", {})
    # when
    fetch(hand_driven)[0].fail(503)
    # then
    (incident,) = instance.incidents
    assert "retry policy" in incident.message


class Mapper(hr.ErrorMapper):
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def classify(self, failure: hr.Failure) -> Any:
        if isinstance(self.answer, RuntimeError):
            raise self.answer
        return self.answer


# seed: ADR-021 2.6/16
def test_a_mapper_of_ones_own_classifies(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task(hr.WithErrorMapper(Mapper(hr.BpmnError("GONE", "it is gone")))))
    instance = engine.start("order", {})
    # when
    fetch(engine)[0].report_raw(410)
    # then
    assert instance.state is hr.InstanceState.FAILED
    assert instance.error_code == "GONE"


@pytest.mark.parametrize("answer", [RuntimeError("broken"), 7, hr.Status({1, 2})])
def test_a_mapper_that_fails_is_a_technical_fault(engine: hr.Engine, answer: Any) -> None:
    # given
    engine.deploy(one_task(hr.WithErrorMapper(Mapper(answer)), hr.WithRetryPolicy(hr.NoRetry()), hr.WithStatus("s")))
    instance = engine.start("order", {})
    # when
    fetch(engine)[0].report_raw(410)
    # then
    assert len(instance.incidents) == 1


def test_a_hand_driven_engine_waits_for_nobody(hand_driven: hr.Engine) -> None:
    # given
    hand_driven.deploy(one_task())
    instance = hand_driven.start("order", {})
    # then
    assert hand_driven.dispatcher.fetch_and_lock("w", ["other"], wait=3600) == []
    with pytest.raises(hr.TimeoutError, match="pay"):
        instance.wait(3600)
    with pytest.raises(hr.WouldDeadlock, match="nothing is due"):
        instance.wait()
    instance.wait(until="idle")
