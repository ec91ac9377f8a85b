"""run(): a handler without an engine; check_contract(): a handler against its operation."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable
from typing import Any, TypedDict

import pytest
from processes import CHARGE, order, steps

import headrace as hr
from headrace.testing import Outcome, check_contract, run


def test_an_output_is_a_value() -> None:
    assert run(lambda amount: {"double": amount * 2}, {"amount": 21}) == Outcome("completed", {"double": 42})
    assert run(lambda: None) == Outcome("completed", {})


def test_a_handler_of_a_worker_stays_a_function() -> None:
    # given
    worker = hr.Worker("w")

    @worker.task("charge-card")
    def charge(job: hr.Job, amount: float) -> dict[str, Any]:
        return {"receiptId": f"{job.topic}/{job.variables['orderId']}/{job.attempt}/{job.business_key}", "type": type(amount).__name__}

    # when
    outcome = run(charge, {"orderId": "o-1", "amount": 3}, topic="charge-card", attempt=2, business_key="k")
    # then
    assert outcome.output == {"receiptId": "charge-card/o-1/2/k", "type": "float"}


def raises(error: BaseException) -> Callable[[], None]:
    def handler() -> None:
        raise error

    return handler


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (hr.BpmnError("DECLINED", "no", {"a": 1}), Outcome("bpmn_error", {"a": 1}, code="DECLINED", message="no")),
        (hr.Status("NOT_FOUND"), Outcome("status", value="NOT_FOUND")),
        (hr.Fault(503, {"x": 1}, "down"), Outcome("fault", code=503, body={"x": 1}, message="down")),
        (hr.Retry(after=5, message="later"), Outcome("retry", after=5, message="later")),
        (KeyError("x"), Outcome("fault", code="KeyError", message="KeyError: 'x'")),
    ],
    ids=lambda v: type(v).__name__,
)
def test_what_a_handler_raises_is_a_value(error: BaseException, outcome: Outcome) -> None:
    # when
    found = run(raises(error))
    # then
    assert found == outcome
    assert found.exception is error


@pytest.mark.parametrize(
    ("report", "outcome"),
    [
        (lambda job: job.complete({"a": 1}, {"b": 2}), Outcome("completed", {"a": 1, "b": 2})),
        (lambda job: job.bpmn_error("X", "m", {"v": 1}), Outcome("bpmn_error", {"v": 1}, code="X", message="m")),
        (lambda job: job.report_status(3), Outcome("status", value=3)),
        (lambda job: job.fail("C", {"b": 1}, "m", retry_after=5), Outcome("fault", code="C", body={"b": 1}, message="m", after=5)),
        (lambda job: job.report_raw(500, "b"), Outcome("fault", code=500, body="b")),
        (lambda job: job.unlock(), Outcome("unlocked")),
    ],
)
def test_a_report_that_a_handler_makes_itself_is_its_outcome(report: Callable[[Any], None], outcome: Outcome) -> None:
    def handler(job: Any) -> None:
        assert not job.cancelled
        assert not job.lock_lost
        assert job.extend_lock("PT1M").total_seconds() == 60
        report(job)

    assert run(handler) == outcome


def test_a_second_report_is_refused() -> None:
    def handler(job: Any) -> None:
        job.complete({})
        job.fail()

    assert run(handler).code == "JobNotFound"


def test_an_async_handler_runs_also_where_a_loop_runs_already() -> None:
    # given
    async def handler(amount: float) -> dict[str, float]:
        await asyncio.sleep(0)
        return {"amount": amount}

    async def notebook() -> Outcome:
        return run(handler, {"amount": 1.5})

    # then
    assert run(handler, {"amount": 1.5}) == asyncio.run(notebook()) == Outcome("completed", {"amount": 1.5})


def test_a_missing_variable_and_an_output_that_does_not_fit_are_faults_as_in_a_worker() -> None:
    # given
    def needs(amount: float) -> None:
        pass

    # then
    assert run(needs).code == "ValidationError"
    assert "expected a variable 'amount'" in str(run(needs).message)
    assert run(lambda: [1]).code == "TypeError"
    assert run(lambda: {"x": {1, 2}}).kind == "fault"


def test_an_input_that_no_payload_can_hold_is_refused() -> None:
    with pytest.raises((hr.ValidationError, TypeError), match="variables"):
        run(lambda: None, {"x": object()})


def test_an_assertion_in_a_handler_fails_the_test() -> None:
    with pytest.raises(AssertionError, match="here"):
        run(raises(AssertionError("here")))


@dataclasses.dataclass
class Receipt:
    receiptId: str
    fee: float


class Wrong(TypedDict):
    receiptId: int
    other: str


def good(job: hr.Job, orderId: str, amount: float, note: str | None = None, extra: int = 3) -> dict[str, Any]:
    if amount > 100:
        raise hr.BpmnError("CARD_DECLINED")

    def helper() -> dict[str, int]:
        return {"unrelated": 1}

    return {"receiptId": f"{orderId}{note}{extra}{job.id}{helper()}"}


def as_dataclass(**rest: Any) -> Receipt:
    return Receipt("r", 1.0)


def bad_parameters(order_id: str, amount: int, note: str) -> dict[str, Any]:
    return {"receiptId": "r"}


def bad_return() -> Wrong:
    return Wrong(receiptId=1, other="")


def bad_literal(amount: float) -> dict[str, Any]:
    if amount > 1:
        return {"receipt": "r"}
    raise hr.BpmnError("UNKNOWN")


def test_handlers_that_fit_pass() -> None:
    for handler in (good, as_dataclass, lambda variables: dict(variables), lambda orderId: None):
        check_contract(order(), handler)
        check_contract(order(), handler, task="pay")


@pytest.mark.parametrize(
    ("handler", "mistakes"),
    [
        (
            bad_parameters,
            [
                "parameter 'order_id' is no field of message 'ChargeRequest'",
                "parameter 'amount' is int, but the field is float",
                "parameter 'note' needs a default: the field may be absent",
            ],
        ),
        (
            bad_return,
            ["the return type has 'other', which message 'ChargeReceipt' does not have", "field 'receiptId' of the return type is int"],
        ),
        (
            bad_literal,
            ["lacks field 'receiptId' of message 'ChargeReceipt'", "has 'receipt', which message", "raises BPMN error 'UNKNOWN', which"],
        ),
    ],
)
def test_all_mistakes_of_a_handler_are_told_together(handler: Callable[..., Any], mistakes: list[str]) -> None:
    # when
    with pytest.raises(AssertionError, match="to fit operation 'charge card' of task 'pay'") as caught:
        check_contract(order(), handler)
    # then
    assert [m for m in mistakes if m not in str(caught.value)] == []
    assert len(str(caught.value).splitlines()) == len(mistakes) + 1


@pytest.mark.parametrize(
    ("field", "annotation", "fits"),
    [
        (int, float, True),
        (int, int, True),
        (float, int, False),
        (bool, int, False),
        (str, "str | None", True),
        (dict, dict[str, int], True),
        (dict, Receipt, True),
        (str, Receipt, False),
        (list, "list[str]", True),
        (Any, int, True),
        (str, Any, True),
        (str, None, False),
    ],
)
def test_types_fit_as_the_engine_widens_them(field: Any, annotation: Any, fits: bool) -> None:
    # given
    process = hr.Process("p")
    operation = hr.Operation("o", hr.Message("In", {"x": field}))
    process.start_event("s") >> process.service_task("t", operation, hr.WithWorker("w")) >> process.end_event("e")

    def handler(x: Any) -> None:
        pass

    handler.__annotations__ = {"x": annotation}
    # then
    if fits:
        check_contract(process, handler)
    else:
        with pytest.raises(AssertionError, match="parameter 'x'"):
            check_contract(process, handler)


def test_the_task_is_named_when_there_are_several() -> None:
    # given
    process = order()
    second = process.service_task("again", CHARGE, hr.WithWorker("charge-card"))
    # then
    check_contract(process, good, second)
    with pytest.raises(hr.ValidationError, match="expected one task with an operation in process 'order', but found 'pay', 'again'"):
        check_contract(process, good)
    with pytest.raises(hr.ValidationError, match="expected a task 'a' with an operation in process 'steps', but found none"):
        check_contract(steps("a"), good, "a")
