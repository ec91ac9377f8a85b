"""mock(): answers in place of workers."""

from __future__ import annotations

from typing import Any

import pytest
from processes import INPUT, order, steps

import headrace as hr
from headrace.testing import Engine, assert_that, mock


def start(engine: Engine, *options: hr.options.Option, operation: Any = None) -> hr.Instance:
    engine.deploy(order(*options, operation=operation))
    return engine.start("order", INPUT)


def test_a_mock_returns_an_output_and_remembers_the_input(engine: Engine) -> None:
    # given
    instance = start(engine)
    charge = mock(engine, "charge-card", returns={"receiptId": "r-1"})
    # when
    engine.run_until_idle()
    # then
    assert_that(instance).is_completed().has_variable("receiptId", "r-1")
    assert charge.called
    assert charge.inputs == [INPUT]
    assert (charge.calls[0].node, charge.calls[0].instance_id) == ("pay", instance.id)
    charge.assert_called(times=1, orderId="o-1")


def test_without_an_answer_the_output_is_empty(engine: Engine) -> None:
    # given
    instance = start(engine)
    mock(engine, "charge-card")
    # when
    engine.run_until_idle()
    # then
    assert_that(instance).is_completed()
    assert instance.variables == INPUT


def test_a_mock_raises_a_bpmn_error(engine: Engine) -> None:
    # given
    instance = start(engine)
    mock(engine, "pay", raises=hr.BpmnError("CARD_DECLINED", "no money"))
    # when
    engine.run_until_idle()
    # then
    assert_that(instance).is_completed().ended_at("refused")


def test_a_mock_reports_a_status(engine: Engine) -> None:
    # given
    instance = start(engine, hr.WithStatus("payStatus"))
    mock(engine, "pay", raises=hr.Status("NOT_FOUND"))
    # when
    engine.run_until_idle()
    # then
    assert_that(instance).is_completed().has_variable("payStatus", "NOT_FOUND")


def test_a_fault_with_a_code_goes_through_the_error_mapper(engine: Engine) -> None:
    # given
    rules = [hr.rule(409, body="$.type == 'DECLINED'").bpmn_error("CARD_DECLINED")]
    instance = start(engine, hr.WithErrorMapper(rules))
    mock(engine, "pay", raises=hr.Fault(409, {"type": "DECLINED"}))
    # when
    engine.run_until_idle()
    # then
    assert_that(instance).ended_at("refused")


@pytest.mark.parametrize("fault", [RuntimeError("down"), RuntimeError, hr.Fault(None, None, "down"), hr.Retry(after=1)], ids=str)
def test_a_technical_fault_is_retried_and_then_answered(engine: Engine, fault: Any) -> None:
    # given
    instance = start(engine)
    charge = mock(engine, "pay", side_effect=[fault, fault, {"receiptId": "r-3"}])
    # when
    engine.advance("PT1M")
    # then
    assert_that(instance).is_completed().has_variable("receiptId", "r-3")
    charge.assert_called(times=3)


def test_a_side_effect_is_a_handler(engine: Engine) -> None:
    # given
    instance = start(engine)
    mock(engine, "pay", side_effect=lambda amount, job: {"receiptId": f"{job.topic}-{amount}"})
    # when
    engine.run_until_idle()
    # then
    assert_that(instance).has_variable("receiptId", "charge-card-42.0")


def test_the_last_answer_of_a_list_stays(engine: Engine) -> None:
    # given
    engine.deploy(steps("a"))
    mock(engine, "a", side_effect=[{"n": 1}, {"n": 2}])
    instances = [engine.start("steps", {}) for _ in range(3)]
    # when
    engine.run_until_idle()
    # then
    assert [i.variables["n"] for i in instances] == [1, 2, 2]


def test_an_assertion_in_a_handler_fails_the_test_and_hands_the_job_back(engine: Engine) -> None:
    # given
    instance = start(engine)

    def charge(amount: float) -> None:
        assert amount == 0

    mock(engine, "pay", side_effect=charge)
    # then
    with pytest.raises(AssertionError):
        engine.run_until_idle()
    assert_that(instance).waits_at("pay").has_no_incident()
    assert engine.dispatcher.pending("charge-card") == 1


def test_a_mock_of_one_task_leaves_others_of_its_topic(engine: Engine) -> None:
    # given
    process = hr.Process("two")
    fork, join = process.parallel_gateway("fork"), process.parallel_gateway("join")
    process.start_event("start") >> fork
    for id in ("first", "second"):
        fork >> process.service_task(id, None, hr.WithWorker("same")) >> join
    join >> process.end_event("end")
    engine.deploy(process)
    first = mock(engine, "first", returns={"by": "first"})
    instance = engine.start("two", {})
    # when
    engine.run_until_idle()
    # then
    assert_that(instance).passed("first").waits_at("second")
    assert [call.node for call in first.calls] == ["first"]
    # when
    rest = mock(engine, "same")
    engine.run_until_idle()
    # then
    assert_that(instance).is_completed()
    assert [call.node for call in rest.calls] == ["second"]


def test_a_new_mock_takes_the_place_of_the_one_before(engine: Engine) -> None:
    # given
    engine.deploy(steps("a"))
    before = mock(engine, "a", returns={"n": 1})
    mock(engine, "a", returns={"n": 2})
    instance = engine.start("steps", {})
    # when
    engine.run_until_idle()
    # then
    assert_that(instance).has_variable("n", 2)
    assert not before.called


def test_the_task_of_the_model_can_be_mocked(engine: Engine) -> None:
    # given
    process = order(operation=None)
    engine.deploy(process)
    pay = next(n for n in process.elements if n.id == "pay")
    assert isinstance(pay, hr.model.ServiceTask)
    mock(engine, pay, returns={"receiptId": "r"})
    instance = engine.start("order", INPUT)
    # when
    engine.run_until_idle()
    # then
    assert_that(instance).has_variable("receiptId", "r")


def test_a_mock_on_another_engine_answers_when_told() -> None:
    # given
    with hr.Engine(clock=hr.ManualClock(), threads=0) as plain:
        plain.deploy(steps("a"))
        answers = mock(plain, "a", returns={"n": 1})
        instance = plain.start("steps", {})
        # when
        count = answers.answer()
        # then
        assert count == 1
        assert_that(instance).is_completed()


def test_a_task_in_the_process_cannot_be_mocked(engine: Engine) -> None:
    # given
    process = hr.Process("inside")
    work = process.service_task("work", dict)
    process.start_event("start") >> work >> process.end_event("end")
    engine.deploy(process)
    # then
    for target in ("work", work):
        with pytest.raises(hr.ValidationError, match="mock its operation"):
            mock(engine, target)


def test_mistakes_in_the_call_are_told(engine: Engine) -> None:
    with pytest.raises(TypeError, match="one of returns, raises and side_effect"):
        mock(engine, "a", returns={}, raises=ValueError)
    with pytest.raises(hr.ValidationError, match="expected answers in side_effect"):
        mock(engine, "a", side_effect=[])
    with pytest.raises(TypeError, match="expected a topic"):
        mock(engine, 3)  # type: ignore[arg-type]


def test_assert_called_fails_when_it_was_not(engine: Engine) -> None:
    # given
    start(engine)
    charge = mock(engine, "pay")
    # then
    with pytest.raises(AssertionError, match="to be called, but it was called 0 times"):
        charge.assert_called()
    engine.run_until_idle()
    charge.assert_called()
    with pytest.raises(AssertionError, match="to be called 2 times, but it was called 1 times"):
        charge.assert_called(times=2)
    with pytest.raises(AssertionError, match="expected 'amount'"):
        charge.assert_called(amount=1)
