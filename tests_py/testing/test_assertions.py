"""assert_that: what holds passes, what does not hold fails and tells the story."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from processes import INPUT, order, steps

import headrace as hr
from headrace.testing import Engine, InstanceAssertion, assert_that, mock


@pytest.fixture
def paid(engine: Engine) -> hr.Instance:
    engine.deploy(order())
    mock(engine, "charge-card", returns={"receiptId": "r-1"})
    instance = engine.start("order", {**INPUT, "flag": True, "card": "4111 1111"})
    engine.run_until_idle()
    return instance


@pytest.fixture
def waiting(engine: Engine) -> hr.Instance:
    engine.deploy(order())
    return engine.start("order", INPUT)


@pytest.fixture
def broken(engine: Engine) -> hr.Instance:
    engine.deploy(order(hr.WithRetryPolicy(hr.NoRetry())))
    mock(engine, "charge-card", raises=RuntimeError("no network"))
    instance = engine.start("order", INPUT)
    engine.run_until_idle()
    return instance


def test_what_holds_passes(paid: hr.Instance) -> None:
    assert_that(paid).is_completed().ended_at("end").passed("start", "pay", "end").passed("pay", times=1).has_not_passed("stop", "refused")
    assert_that(paid).has_variable("receiptId").has_variable("receiptId", "r-1").has_no_variable("fee").has_no_incident().does_not_wait_at(
        "pay"
    )


def test_an_instance_that_waits(waiting: hr.Instance) -> None:
    assert_that(waiting).is_active().waits_at("pay").passed("start").has_not_passed("pay")


def test_a_suspended_and_a_cancelled_instance(waiting: hr.Instance) -> None:
    waiting.suspend()
    assert_that(waiting).is_active().is_suspended()
    waiting.resume()
    waiting.cancel("not wanted")
    assert_that(waiting).is_cancelled().was_cancelled_at("pay").does_not_wait_at("pay")


def test_an_incident(broken: hr.Instance) -> None:
    assert_that(broken).has_incident().has_incident("pay", kind=hr.IncidentKind.FAILED_EXTERNAL_TASK, message="no network").is_active()


def test_a_failed_instance(engine: Engine) -> None:
    # given
    engine.deploy(steps("a"))
    mock(engine, "a", raises=hr.BpmnError("BAD", "no"))
    instance = engine.start("steps", {})
    # when
    engine.run_until_idle()
    # then
    assert_that(instance).is_failed().is_failed("BAD")
    with pytest.raises(AssertionError, match="expected it to fail with error 'OTHER', but found 'BAD'"):
        assert_that(instance).is_failed("OTHER")


WRONG: list[tuple[Callable[[InstanceAssertion], Any], str]] = [
    (lambda a: a.is_active(), "expected the instance to be active, but it is completed"),
    (lambda a: a.is_failed(), "expected the instance to be failed"),
    (lambda a: a.is_cancelled(), "expected the instance to be cancelled"),
    (lambda a: a.is_suspended(), "expected it to be suspended"),
    (lambda a: a.ended_at("stop"), "expected it to end at 'stop', but found 'end'"),
    (lambda a: a.passed("pay", "stop"), "expected 'pay', 'stop' to be passed at least once, but found 'stop' 0 times"),
    (lambda a: a.passed("pay", times=2), "to be passed 2 times, but found 'pay' 1 times"),
    (lambda a: a.has_not_passed("pay"), "to be passed 0 times, but found 'pay' 1 times"),
    (lambda a: a.was_cancelled_at("pay"), "expected 'pay' to be cancelled, but 'pay' never was"),
    (lambda a: a.waits_at("pay"), "expected it to wait at 'pay', but it waits at nothing"),
    (lambda a: a.has_variable("nothing"), "expected a variable 'nothing', but there is none"),
    (lambda a: a.has_variable("receiptId", "r-2"), "expected variable 'receiptId' to be 'r-2', but found 'r-1'"),
    (lambda a: a.has_variable("flag", 1), "expected variable 'flag' to be 1, but found True"),
    (lambda a: a.has_variable("orderId", scope="pay"), "expected a variable 'orderId', but there is none"),
    (lambda a: a.has_no_variable("orderId"), "expected no variable 'orderId'"),
    (
        lambda a: a.has_incident("pay", kind="failedStep", message="x"),
        "an incident at 'pay' of kind failedStep saying 'x', but found 0 others",
    ),
]


@pytest.mark.parametrize(("check", "message"), WRONG, ids=[m for _, m in WRONG])
def test_what_does_not_hold_fails_and_tells_the_story(paid: hr.Instance, check: Callable[[InstanceAssertion], Any], message: str) -> None:
    # when
    with pytest.raises(AssertionError) as caught:
        check(assert_that(paid))
    # then
    text = str(caught.value)
    assert message in text.splitlines()[0]
    for line in ("of 'order' is completed", "path: start, pay, end", "waits at: nothing", "variable: receiptId = 'r-1'"):
        assert line in text
    assert "pay" in text


def test_the_story_of_an_instance_that_waits_has_its_timers_and_incidents(broken: hr.Instance) -> None:
    # when
    with pytest.raises(AssertionError) as caught:
        assert_that(broken).has_no_incident().is_completed()
    # then
    assert "expected no incident, but found 1" in str(caught.value)
    assert "timer: pay-timer at 2026-01-06T08:00:00+00:00" in str(caught.value)
    assert "incident: pay (failedExternalTask), 1 attempts: " in str(caught.value)
    assert "waits at: pay (" in str(caught.value)


def test_waiting_somewhere_else_names_where(waiting: hr.Instance) -> None:
    with pytest.raises(AssertionError, match="expected it to wait at 'end', but it waits at 'pay'"):
        assert_that(waiting).waits_at("end")
    with pytest.raises(AssertionError, match="expected nothing to wait at 'pay', but a token waits at 'pay'"):
        assert_that(waiting).does_not_wait_at("pay")


def test_a_sensitive_field_is_not_printed(paid: hr.Instance) -> None:
    # when
    with pytest.raises(AssertionError) as caught:
        assert_that(paid).has_variable("card", "another")
    # then
    assert "4111" not in str(caught.value)
    assert "variable: card = ***" in str(caught.value)


def test_only_instances_are_taken() -> None:
    with pytest.raises(TypeError, match=r"expected an hr\.Instance, but found str"):
        assert_that("order")  # type: ignore[arg-type]
