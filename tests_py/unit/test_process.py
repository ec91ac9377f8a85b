"""The builder: plain data, linked by >>, checked as a whole when it is used."""

from __future__ import annotations

import copy
import datetime as dt
import pickle
from collections.abc import Iterator
from typing import Any

import pytest

import headrace as hr
from models import one_task


def test_a_flow_answers_its_right_side_so_that_flows_chain() -> None:
    # given
    order = hr.Process("order")
    start, task, end = order.start_event("start"), order.user_task("task"), order.end_event("end")
    # when
    last = start >> task >> end
    # then
    assert last is end
    assert [(f.source, f.target) for f in order.flows] == [("start", "task"), ("task", "end")]


def test_the_example_of_the_design_compiles() -> None:
    # given
    charge = hr.Operation(
        "charge card",
        in_message=hr.Message("ChargeRequest", {"orderId": str, "amount": float}),
        out_message=hr.Message("ChargeReceipt", {"receiptId": str}),
        errors=[hr.Error("CARD_DECLINED")],
    )
    order = hr.Process("order")
    start, end, refused = order.start_event("start"), order.end_event("end"), order.end_event("refused")
    pay = order.service_task(
        "pay",
        charge,
        hr.WithWorker("charge-card"),
        hr.WithRetryPolicy(hr.ExponentialBackoff(max_attempts=3, base=0.5, cap=30, jitter=0.5)),
        hr.WithErrorMapper(
            [
                hr.rule(409, body="$.type == 'DECLINED'").bpmn_error("CARD_DECLINED", message=hr.path("$.reason")),
                hr.rule(404, body="$.type == 'NOT_FOUND'").status("NOT_FOUND"),
                hr.rule(503).technical(),
            ]
        ),
        hr.WithStatus("payStatus", overwrite=False),
    )
    big = order.exclusive_gateway("big")
    start >> big
    big.when("${amount >= 1000}") >> order.user_task("approve") >> pay
    big.default() >> pay >> end
    order.boundary_error(pay, "CARD_DECLINED") >> refused
    order.boundary_timer(pay, "PT1H") >> order.terminate_end("stop")
    # when
    definition = order.compile()
    # then
    assert definition.id == "order"
    assert {n["id"]: n["kind"] for n in definition.nodes}["pay-timer"] == "boundaryTimer"
    assert definition.profile == "headrace"
    assert order.check() == []


def test_all_mistakes_are_raised_at_once_each_with_its_element() -> None:
    # given
    order = hr.Process("order")
    start, end = order.start_event("start"), order.end_event("end")
    one = order.service_task("one", lambda: None, hr.WithWorker(""), hr.WithTimeout(0))
    two = order.service_task("two", None, hr.WithWorker("t"), hr.WithRetryPolicy(hr.FixedDelay(0, 1)), hr.WithErrorMapper([hr.rule(1)]))
    three = order.service_task("three", None, hr.WithWorker("a"), hr.WithWorker("b"))
    big = order.exclusive_gateway("big")
    start >> one >> two >> three >> big
    big.when("${amount >=}") >> end
    # when
    with pytest.raises(hr.ModelError) as refused:
        order.check()
    # then
    faults = refused.value.faults
    assert {f.element for f in faults} >= {"one", "two", "three", "big"}
    assert sum(f.element == "two" for f in faults) == 2
    assert all(isinstance(f, hr.ModelFault) and f.message for f in faults)
    assert str(len(faults)) in str(refused.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([hr.WithWorker("a"), hr.WithWorker("b")], "one topic"),
        ([hr.WithWorker("")], "topic"),
        ([hr.WithWorker("a", hr.WithTimeout(5))], "WithJobTimeout"),
        ([hr.WithWorker("a"), hr.WithLockDuration(0)], "WithLockDuration"),
        ([hr.WithWorker("a"), hr.WithLockDuration(-1)], "WithLockDuration"),
        ([hr.WithWorker("a"), hr.WithLockDuration(60), hr.WithMaxLockDuration(30)], "lock"),
        ([hr.WithWorker("a"), hr.WithErrorMapper([hr.rule(1).status("S")])], "WithStatus"),
        ([hr.WithWorker("a"), hr.WithErrorMapper([hr.rule(1, body="$.a ==").technical()])], "expected"),
        ([hr.WithWorker("a"), hr.WithOutputMapping([hr.out("$..[", "x")])], "expected"),
        ([hr.WithWorker("a"), hr.WithOnExhausted("explode")], "WithOnExhausted"),  # type: ignore[arg-type]
        ([hr.WithWorker("a"), hr.WithStatus("s"), hr.WithStatus("t")], "once"),
        ([hr.WithWorker("a"), hr.WithRetryPolicy("often")], "retry policy"),  # type: ignore[arg-type]
        ([hr.WithWorker("a"), hr.WithWorkerTrust(hr.WorkerTrust.ENGINE_AUTHORITATIVE)], "contract"),
        ([hr.WithWorker("a"), hr.WithExpiryAsAttempt("no")], "bool"),  # type: ignore[arg-type]
        ([], "operation"),
    ],
    ids=lambda v: v if isinstance(v, str) else None,
)
def test_a_mistake_in_options_is_a_fault_of_the_task(options: list[Any], message: str) -> None:
    # given
    order = hr.Process("order")
    order.start_event("start") >> order.service_task("pay", None, *options) >> order.end_event("end")
    # when
    with pytest.raises(hr.ModelError) as refused:
        order.check()
    # then
    assert any(f.element == "pay" and message in f.message + f.hint for f in refused.value.faults), refused.value


# seed: ADR-021 2.3/2
def test_options_nest_and_stand_flat_with_one_meaning() -> None:
    # given
    from headrace.compile import flatten

    retry, status = hr.WithRetryPolicy(hr.NoRetry()), hr.WithStatus("s")
    # then
    assert flatten((hr.WithWorker("t", retry, status),)) == flatten((hr.WithWorker("t"), retry, status)) == (["t"], [retry, status])


def test_a_worker_on_a_functor_is_a_fault() -> None:
    with pytest.raises(hr.ModelError, match="worker-functor"):
        one_task(operation=lambda amount: {}).check()


def test_max_is_an_alias_of_cap() -> None:
    assert hr.ExponentialBackoff(3, 1, max=10) == hr.ExponentialBackoff(3, 1, cap=10)
    with pytest.raises(TypeError, match="cap and max"):
        hr.ExponentialBackoff(3, 1, cap=10, max=10)


def test_stock_policies_tell_their_delays() -> None:
    # given
    policy = hr.ExponentialBackoff(max_attempts=3, base=1, cap=30, jitter=0.5)
    # then
    assert policy.next_delay(1, hr.Failure(), 0.0) == dt.timedelta(seconds=1)
    assert policy.next_delay(2, hr.Failure(), 0.0) == dt.timedelta(seconds=2)
    assert policy.next_delay(3, hr.Failure(), 0.0) is None
    assert hr.NoRetry().next_delay(1, hr.Failure(), 0.0) is None


class Name(str):
    def __str__(self) -> str:
        raise RuntimeError("no text")


# Row H79 of reference/hostile-inputs.tsv.
@pytest.mark.parametrize("id", [None, 1, b"start", ["a"], "\ud800"])
def test_ids_that_are_no_text_are_refused_and_leave_the_model_alone(id: Any) -> None:
    # given
    order = hr.Process("order")
    # when
    with pytest.raises((TypeError, ValueError)):
        order.start_event(id)
    # then
    assert order.elements == ()


# Row H79 of reference/hostile-inputs.tsv.
def test_subclasses_of_str_become_plain_text() -> None:
    # when
    start = hr.Process("order").start_event(Name("start"))
    # then
    assert type(start.id) is str
    assert start.id == "start"


# Row H79 of reference/hostile-inputs.tsv.
def test_a_generator_that_raises_half_way_leaves_model_and_engine_alone(engine: hr.Engine) -> None:
    # given
    def rules() -> Iterator[hr.policy.Out]:
        yield hr.out("$.a", "a")
        raise RuntimeError("half way")

    order = hr.Process("order")
    # when
    with pytest.raises(RuntimeError, match="half way"):
        order.service_task("pay", None, hr.WithOutputMapping(rules()))  # type: ignore[arg-type]
    # then
    assert order.elements == ()
    assert engine.definitions() == []


@pytest.mark.parametrize("id", ["1a", "a b", "", "a:b"])
def test_ids_that_are_no_ncnames_are_faults(id: str) -> None:
    # given
    order = hr.Process("order")
    order.start_event(id) >> order.end_event("end")
    # then
    with pytest.raises(hr.ModelError):
        order.check()


def test_links_to_another_process_are_refused() -> None:
    with pytest.raises(hr.ValidationError, match="another"):
        hr.Process("a").start_event("start") >> hr.Process("b").end_event("end")


def test_links_to_what_is_no_element_are_refused() -> None:
    with pytest.raises(TypeError, match="expected an element"):
        hr.Process("a").start_event("start") >> "end"  # type: ignore[operator, type-var]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("PT1H", "PT1H"),
        (90, "PT90S"),
        (0.5, "PT0.5S"),
        (dt.timedelta(days=1), "PT86400S"),
        ("${deadline}", "${deadline}"),
        (dt.datetime(2026, 1, 5, tzinfo=dt.timezone.utc), "2026-01-05T00:00:00+00:00"),
    ],
)
def test_a_timer_takes_text_seconds_timedelta_datetime_and_expressions(value: Any, text: str) -> None:
    # given
    order = hr.Process("order")
    task = order.user_task("task")
    # when
    timer = order.boundary_timer(task, value)
    # then
    assert timer.value == text


def test_sub_processes_are_linked_like_tasks_and_built_like_processes() -> None:
    # given
    order = hr.Process("order")
    inner = order.sub_process("inner")
    inner.start_event("begin") >> inner.user_task("task") >> inner.end_event("done")
    order.start_event("start") >> inner >> order.end_event("end")
    # when
    nodes = {n["id"]: n for n in order.compile().nodes}
    # then
    assert nodes["task"]["parent"] == "inner"
    assert nodes["inner"]["parent"] == ""


def test_models_pickle_and_copy() -> None:
    # given
    order = one_task(hr.WithRetryPolicy(hr.FixedDelay(3, "PT1S")), operation=hr.Operation("o", hr.Message("m", {"a": str})))
    # when
    back, copied = pickle.loads(pickle.dumps(order)), copy.deepcopy(order)
    # then
    for other in (back, copied):
        assert other is not order
        assert other.flows == order.flows
        assert [n.id for n in other.elements] == ["pay", "start", "end"]
        assert other.compile().id == "order"


def test_repr_is_one_line_and_has_the_id() -> None:
    assert repr(one_task()) == "Process('order', elements=3, flows=2)"
