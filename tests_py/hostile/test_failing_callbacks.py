"""Policies, mappers, bindings and schemas that fail: the incident says which and how, the fault itself stays what was reported."""

from __future__ import annotations

from typing import Any

import pytest

import headrace as hr
from models import in_process, one_task


class Raising:
    """Stands in any place, and raises."""

    def __init__(self, error: BaseException | type[BaseException]) -> None:
        self.error = error

    def next_delay(self, attempt: int, failure: hr.Failure, jitter: float) -> Any:
        raise self.error

    def classify(self, failure: hr.Failure) -> Any:
        raise self.error

    def success(self, code: Any) -> bool:
        raise self.error

    def body(self, raw: Any) -> Any:
        raise self.error

    def __call__(self, output: Any) -> None:
        raise self.error


class Answering(Raising):
    """Answers what no mapper may."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def classify(self, failure: hr.Failure) -> Any:
        return self.answer


def incident_after(engine: hr.Engine, *options: hr.options.Option) -> hr.Incident:
    """Of a job that reports a 404."""
    engine.deploy(one_task(*options))
    instance = engine.start("order", {})
    [job] = engine.dispatcher.fetch_and_lock("w", ["charge-card"])
    job.report_raw(404, {"kept": 1})
    [incident] = instance.incidents
    return incident


TEXTS = [(KeyError, "KeyError"), (ValueError("v"), "ValueError: v"), (hr.ValidationError("a sentence"), "a sentence")]


@pytest.mark.parametrize(("error", "text"), TEXTS)
def test_an_incident_says_once_that_the_policy_failed_and_how(hand_driven: hr.Engine, error: Any, text: str) -> None:
    # when
    incident = incident_after(hand_driven, hr.WithRetryPolicy(Raising(error)))  # type: ignore[arg-type]
    # then
    assert incident.message == f"code 404; the retry policy failed: {text}"


@pytest.mark.parametrize(("error", "text"), TEXTS)
def test_an_incident_says_that_the_mapper_failed_and_how_and_keeps_the_fault(hand_driven: hr.Engine, error: Any, text: str) -> None:
    # given
    log: list[str] = []
    hand_driven.subscribe(lambda record: log.append(record.text), "debug")
    # when
    incident = incident_after(hand_driven, hr.WithErrorMapper(Raising(error)), hr.WithRetryPolicy(hr.NoRetry()))  # type: ignore[arg-type]
    hand_driven.close()
    # then
    assert incident.message == f"code 404; the error mapper failed: {text}"
    assert (incident.code, incident.body) == (404, {"kept": 1})
    assert any(f"the error mapper failed: {text}" in line for line in log)


@pytest.mark.parametrize("answer", [5, "x", [], hr.BpmnError(""), hr.BpmnError(5), hr.Status("S")])  # type: ignore[arg-type]
def test_an_incident_says_that_the_mapper_answered_nonsense(hand_driven: hr.Engine, answer: Any) -> None:
    # when
    incident = incident_after(hand_driven, hr.WithErrorMapper(Answering(answer)), hr.WithRetryPolicy(hr.NoRetry()))  # type: ignore[arg-type]
    # then
    assert incident.message.startswith("code 404; the error mapper ")


def test_an_incident_names_a_mapper_and_a_policy_that_both_failed(hand_driven: hr.Engine) -> None:
    # when
    broken: Any = Raising(KeyError)
    incident = incident_after(hand_driven, hr.WithErrorMapper(broken), hr.WithRetryPolicy(broken))
    # then
    assert incident.message == "code 404; the error mapper failed: KeyError; the retry policy failed: KeyError"


@pytest.mark.parametrize("option", [hr.WithRetryPolicy, hr.WithErrorMapper, hr.WithBinding])
def test_ctrl_c_in_a_callback_counts_as_its_failure_and_reaches_the_caller(hand_driven: hr.Engine, option: Any, monkeypatch: Any) -> None:
    # given
    monkeypatch.setattr("sys.unraisablehook", lambda unraisable: None)
    hand_driven.deploy(one_task(option(Raising(KeyboardInterrupt())), hr.WithOnExhausted("incident")))
    instance = hand_driven.start("order", {})
    [job] = hand_driven.dispatcher.fetch_and_lock("w", ["charge-card"])
    # when
    with pytest.raises(KeyboardInterrupt):
        job.report_raw(404, {})
    # then
    assert instance.activities[0].node == "pay"
    assert all("__str__" not in incident.message for incident in instance.incidents)
    assert hand_driven.dispatcher.pending() == 0


def test_ctrl_c_in_an_operation_has_its_own_text(hand_driven: hr.Engine) -> None:
    # given
    def work() -> None:
        raise KeyboardInterrupt

    hand_driven.deploy(in_process(work))
    instance = hand_driven.start("calc", {})
    # when
    with pytest.raises(KeyboardInterrupt):
        hand_driven.run_until_idle()
    # then
    [incident] = instance.incidents
    assert incident.message == "KeyboardInterrupt"


def test_a_misfit_of_a_schema_reads_as_a_sentence_without_class_names(hand_driven: hr.Engine) -> None:
    # given
    schema = {"type": "object", "properties": {"r": {"type": "string"}}}
    hand_driven.deploy(one_task(hr.WithOutputSchema(schema), hr.WithRetryPolicy(hr.NoRetry())))
    instance = hand_driven.start("order", {})
    [job] = hand_driven.dispatcher.fetch_and_lock("w", ["charge-card"])
    # when
    job.complete({"r": 5})
    # then
    [incident] = instance.incidents
    assert incident.message.endswith("""the output does not fit the schema: output['r'] is not of type "string" (rule properties/r/type)""")


@pytest.mark.parametrize("place", ["worker", "local pool", "operation"])
def test_an_error_without_text_is_its_class_alone(hand_driven: hr.Engine, place: str) -> None:
    # given
    def body() -> None:
        raise KeyError

    no_retry = hr.WithRetryPolicy(hr.NoRetry())
    hand_driven.deploy(in_process(body, no_retry, process="order") if place == "operation" else one_task(no_retry))
    instance = hand_driven.start("order", {})
    # when
    if place == "worker":
        worker = hr.Worker("w")
        worker.task("charge-card")(body)
        with pytest.raises(hr.TimeoutError):  # nothing is due any more
            worker.run(hand_driven, until=instance)
    elif place == "local pool":
        hand_driven.dispatcher.register_handler("charge-card", body)
        hand_driven.dispatcher.run_handlers_once()
    else:
        hand_driven.run_until_idle()
    # then
    [incident] = instance.incidents
    assert incident.message == "KeyError"
