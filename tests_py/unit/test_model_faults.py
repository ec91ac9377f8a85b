"""Mistakes in a model: all of them at once, each at its element, before anything runs (end of design section 3)."""

from __future__ import annotations

import math
from typing import Any

import pytest

import headrace as hr
from models import one_task


def faults_of(*options: hr.options.Option, operation: Any = None) -> list[str]:
    with pytest.raises(hr.ModelError) as raised:
        one_task(*options, operation=operation).check()
    assert {fault.element for fault in raised.value.faults} == {"pay"}
    assert "Invoked with" not in str(raised.value)
    return [fault.message for fault in raised.value.faults]


def choice(condition: str) -> hr.Process:
    model = hr.Process("choice")
    gate = model.exclusive_gateway("gate")
    model.start_event("start") >> gate
    gate.when(condition) >> model.end_event("yes")
    gate.default() >> model.end_event("no")
    return model


def timed(value: Any) -> hr.Process:
    model = hr.Process("timed")
    task = model.user_task("task")
    model.start_event("start") >> task >> model.end_event("end")
    model.boundary_timer(task, value) >> model.end_event("late")
    return model


def test_each_argument_of_a_retry_policy_has_its_own_fault() -> None:
    # given
    policy = hr.ExponentialBackoff(0, -1, cap="x", jitter=5)
    # when
    faults = faults_of(hr.WithRetryPolicy(policy))
    # then
    assert len(faults) == 4
    for fault, name in zip(faults, ("max_attempts", "base", "cap", "jitter"), strict=True):
        assert name in fault


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (hr.FixedDelay("3", 1), "expected max_attempts of FixedDelay to be an int, but found str"),  # type: ignore[arg-type]
        (hr.FixedDelay(True, 1), "expected max_attempts of FixedDelay to be an int, but found bool"),
        (hr.FixedDelay(2**40, 1), "expected max_attempts of FixedDelay to be 1 to 1000000, but found 1099511627776"),
        (hr.FixedDelay(3, math.inf), "but found an infinite one"),
        (hr.ExponentialBackoff(jitter="x"), "expected jitter of ExponentialBackoff as a number from 0 to 1, but found str"),  # type: ignore[arg-type]
        (hr.ExponentialBackoff(jitter=10**400), "but found an int that is too large"),
    ],
)
def test_an_argument_of_a_retry_policy_that_does_not_fit_is_one_sentence(policy: Any, said: str) -> None:
    # when
    [fault] = faults_of(hr.WithRetryPolicy(policy))
    # then
    assert said in fault


def test_each_mistake_of_each_error_rule_is_a_fault_with_the_rules_number() -> None:
    # given
    rules: Any = [hr.rule([1], body="$.[").technical(), hr.rule(5).bpmn_error(""), hr.rule(6), "x"]
    # when
    faults = faults_of(hr.WithErrorMapper(rules))
    # then
    assert [fault.split(":")[0] for fault in faults[:4]] == ["error rule 1", "error rule 1", "error rule 2", "error rule 3"]
    assert faults[4:] == ["expected hr.rule(…) as error rule 4, but found 'x'"]


def test_each_mistake_of_each_output_rule_is_a_fault() -> None:
    # given
    rules: Any = [hr.out("x", 5, optional="y"), 7]  # type: ignore[arg-type]
    # when
    faults = faults_of(hr.WithOutputMapping(rules))
    # then
    assert len(faults) == 4


def test_each_mistake_of_an_operation_is_a_fault() -> None:
    # given
    operation: Any = hr.Operation(
        None,  # type: ignore[arg-type]
        hr.Message("in", {"a": complex, "b": [], 5: str}),  # type: ignore[dict-item]
        hr.Message("out", ["a"]),  # type: ignore[arg-type]
        errors=["", hr.Error(None)],  # type: ignore[arg-type]
    )
    # when
    faults = faults_of(operation=operation)
    # then
    assert len(faults) == 7
    for fault, word in zip(faults, ("name of an operation", "'a'", "'b'", "found int", "'out'", "empty", "code of an error"), strict=True):
        assert word in fault


@pytest.mark.parametrize("value", ["1h", "", "one hour", "2026-01-05T09:00:00Z"])
def test_a_timer_whose_text_is_no_duration_is_a_fault(value: str) -> None:
    # when
    with pytest.raises(hr.ModelError) as raised:
        timed(value).check()
    # then
    [fault] = raised.value.faults
    assert (fault.element, fault.rule) == ("task-timer", "timer-value")


@pytest.mark.parametrize("value", ["PT1H", "P1M", "${delay}", "#{delay}", 5, 0.5])
def test_a_timer_with_a_duration_or_an_expression_is_none(value: Any) -> None:
    assert timed(value).check() == []


@pytest.mark.parametrize("text", ["a > 1", "", "yes", "true", "false"])
def test_a_condition_that_is_no_expression_is_a_fault_that_tells_how_to_write_it(text: str) -> None:
    # when
    with pytest.raises(hr.ModelError) as raised:
        choice(text).check()
    # then
    [fault] = raised.value.faults
    assert (fault.element, fault.rule) == ("gate-to-yes", "condition-text")
    assert "${" in fault.message


@pytest.mark.parametrize(("text", "end"), [("${true}", "yes"), ("${false}", "no"), ("${a > 1}", "yes"), ("#{a > 1}", "yes")])
def test_a_condition_that_is_an_expression_works(hand_driven: hr.Engine, text: str, end: str) -> None:
    # given
    hand_driven.deploy(choice(text))
    # when
    instance = hand_driven.start("choice", {"a": 2})
    # then
    assert instance.end_node == end


def test_two_defaults_of_a_gateway_are_one_fault_that_names_both() -> None:
    # given
    model = hr.Process("two")
    gate = model.exclusive_gateway("gate")
    model.start_event("start") >> gate
    gate.default() >> model.end_event("yes")
    gate.default() >> model.end_event("no")
    # when
    with pytest.raises(hr.ModelError) as raised:
        model.check()
    # then
    [fault] = raised.value.faults
    assert (fault.element, fault.message) == ("gate", "expected one default flow, but found two defaults: 'gate-to-yes' and 'gate-to-no'")


def test_a_status_variable_that_no_expression_can_read_is_a_warning() -> None:
    # when
    [warning] = one_task(hr.WithStatus("a b!")).check()
    # then
    assert '"a b!"' in warning
    assert one_task(hr.WithStatus("größe_1")).check() == []


class Names:
    """Of an object that fits every place, with the protocols' own arguments."""

    def next_delay(self, attempt: int, failure: hr.Failure, jitter: float) -> None: ...
    def classify(self, failure: hr.Failure) -> None: ...
    def success(self, code: Any) -> bool:
        return True

    def body(self, raw: Any) -> Any: ...


class Short(Names):
    def next_delay(self) -> None: ...  # type: ignore[override]
    def classify(self) -> None: ...  # type: ignore[override]
    def body(self) -> Any: ...  # type: ignore[override]


class Async(Names):
    async def next_delay(self, attempt: int, failure: hr.Failure, jitter: float) -> None: ...  # type: ignore[override]
    async def classify(self, failure: hr.Failure) -> None: ...  # type: ignore[override]
    async def body(self, raw: Any) -> Any: ...


PLACES: list[Any] = [hr.WithRetryPolicy, hr.WithErrorMapper, hr.WithBinding]


@pytest.mark.parametrize("option", PLACES)
def test_an_object_of_ones_own_with_the_protocols_methods_is_taken(option: Any) -> None:
    assert one_task(option(Names())).check() == []


@pytest.mark.parametrize("option", PLACES)
@pytest.mark.parametrize(
    ("given", "said"),
    [(Names, "the class Names"), (object(), "object"), (Short(), "argument"), (Async(), "async def"), (5, "found 5|int has")],
)
def test_what_cannot_be_called_as_the_protocol_says_is_a_fault(option: Any, given: Any, said: str) -> None:
    # when
    [fault] = faults_of(option(given))
    # then
    assert any(word in fault for word in said.split("|"))


def test_a_class_of_ours_in_the_place_of_its_object_is_a_fault() -> None:
    # when
    [fault] = faults_of(hr.WithRetryPolicy(hr.NoRetry))  # type: ignore[arg-type]
    # then
    assert fault == "expected a retry policy to be an object, but found the class NoRetry: write NoRetry(…)"


@pytest.mark.parametrize("most", ["x", 0, True, 2**40])
def test_max_attempts_of_a_policy_of_ones_own_is_looked_at(most: Any) -> None:
    # given
    policy: Any = Names()
    policy.max_attempts = most
    # when
    [fault] = faults_of(hr.WithRetryPolicy(policy))
    # then
    assert "expected max_attempts of a retry policy to be an int from 1 to 1000000" in fault


@pytest.mark.parametrize("check", [dict, lambda: None, lambda a, b: None])
def test_a_schema_function_takes_one_argument_and_is_no_class(check: Any) -> None:
    # when
    [fault] = faults_of(hr.WithOutputSchema(check))
    # then
    assert "the check of WithOutputSchema" in fault


@pytest.mark.parametrize("given", [hr.ManualClock, object(), 5])
def test_a_clock_that_has_no_time_is_refused(given: Any) -> None:
    with pytest.raises(TypeError, match="the clock"):
        hr.Engine(clock=given)


def test_a_clock_whose_now_takes_arguments_is_refused() -> None:
    # given
    class Clock:
        def now(self, zone: str) -> None: ...

    # then
    with pytest.raises(TypeError, match=r"expected now\(\) of the clock to take no arguments, but found \(zone"):
        hr.Engine(clock=Clock())


@pytest.mark.parametrize("given", [hr.WorkerDispatcher, object(), Names()])
def test_a_queue_without_the_methods_of_a_dispatcher_is_refused(given: Any) -> None:
    with pytest.raises(TypeError, match="the dispatcher"):
        hr.Engine(None, hr.WithWorkerDispatcher(given))


@pytest.mark.parametrize(
    ("schema", "where"),
    [
        ({"type": "objekt"}, "keyword 'type' at #/type is 'objekt'"),
        ({"properties": {"r/x": {"pattern": "("}}}, "keyword 'pattern' at #/properties/r~1x/pattern is '('"),
        ({"required": "x"}, "keyword 'required' at #/required is 'x'"),
    ],
)
def test_a_schema_that_is_none_tells_place_and_keyword(schema: Any, where: str) -> None:
    # when
    [fault] = faults_of(hr.WithOutputSchema(schema))
    # then
    assert where in fault
    assert "***" not in fault


@pytest.mark.parametrize(
    "option",
    [
        hr.WithWorkerTrust("foo"),  # type: ignore[arg-type]
        hr.WithOnExhausted("foo"),  # type: ignore[arg-type]
        hr.WithOnExhausted(["foo"]),  # type: ignore[arg-type]
        hr.WithOnMismatch("foo"),  # type: ignore[arg-type]
        hr.WithOnUncaughtError("foo"),  # type: ignore[arg-type]
        hr.WithExpiryAsAttempt("foo"),  # type: ignore[arg-type]
        hr.WithStatus("s", overwrite="foo"),  # type: ignore[arg-type]
        hr.WithStatus(5),  # type: ignore[arg-type]
    ],
)
def test_an_option_with_another_value_is_one_sentence(option: Any) -> None:
    # when
    [fault] = faults_of(option)
    # then
    assert fault.startswith("expected ")
    assert type(option).__name__ in fault


@pytest.mark.parametrize("priority", ["x", None, True, 2**70])
def test_a_priority_is_an_int_of_64_bits(priority: Any) -> None:
    # given
    model = hr.Process("order")
    model.start_event("start") >> model.service_task("pay", None, hr.WithWorker("t"), priority=priority) >> model.end_event("end")
    # then
    with pytest.raises(hr.ModelError, match="expected priority to"):
        model.check()


def test_a_workers_task_without_an_operation_has_no_contract(hand_driven: hr.Engine) -> None:
    # given
    hand_driven.deploy(one_task())
    instance = hand_driven.start("order", {"a": 1, "b": 2})
    # when
    [job] = hand_driven.dispatcher.fetch_and_lock("w", ["charge-card"])
    job.complete({"anything": [1]})
    # then
    assert job.variables == {"a": 1, "b": 2}
    assert instance.variables["anything"] == [1]


async def later(variables: Any) -> None: ...


@pytest.mark.parametrize(
    ("implementor", "said"),
    [(lambda: None, "to take 1 argument, but found ()"), (lambda a, b: None, "but found (a, b)"), (later, "async def")],
)
def test_an_implementor_that_cannot_take_the_input_is_a_fault(implementor: Any, said: str) -> None:
    # when
    [fault] = faults_of(operation=hr.Operation("charge", implementor=implementor))
    # then
    assert said in fault


@pytest.mark.parametrize("implementor", [lambda given: None, lambda given, call: None, lambda given, *, call: None, dict])
def test_an_implementor_takes_the_input_and_if_it_wants_the_call(implementor: Any) -> None:
    assert one_task(operation=hr.Operation("charge", implementor=implementor)).check() == []


def test_a_function_with_async_def_is_no_operation_and_no_condition() -> None:
    # given
    model = choice("${a}")
    model.exclusive_gateway("second").when(later) >> model.service_task("work", later)
    # when
    with pytest.raises(hr.ModelError) as raised:
        model.check()
    # then
    assert {f.element for f in raised.value.faults if "async def" in f.message} == {"second", "work"}


@pytest.mark.parametrize("errors", ["CODE", 5, hr.Error("CODE")])
def test_the_errors_of_an_operation_are_a_list(errors: Any) -> None:
    with pytest.raises(TypeError, match="expected the errors of operation 'charge' to be a list"):
        hr.Operation("charge", errors=errors)


@pytest.mark.parametrize("rules", ["$.x", 5, hr.out("$.x", "x")])
def test_the_rules_of_an_output_mapping_are_a_list(rules: Any) -> None:
    with pytest.raises(TypeError, match=r"expected a list of hr\.out"):
        hr.WithOutputMapping(rules)


def test_options_of_an_engine_that_do_not_fit_are_all_told() -> None:
    # given
    options: Any = [hr.WithWorkerRetryPolicy(hr.FixedDelay(0, -1)), hr.WithWorkerTrustDefault("foo"), 5]  # type: ignore[arg-type]
    # when
    with pytest.raises(hr.ValidationError) as raised:
        hr.Engine(None, *options)
    # then
    assert str(raised.value).count("expected") == 4


def test_what_is_a_fault_already_is_not_missed_by_another_rule() -> None:
    # given
    model = hr.Process("order")
    operation = hr.Operation(None, hr.Message("in", {"a": complex}), implementor=dict)  # type: ignore[arg-type]
    authoritative = hr.WithWorkerTrust(hr.WorkerTrust.ENGINE_AUTHORITATIVE)
    tasks = [
        model.service_task("inside", operation),
        model.service_task("no_name", hr.Operation("o", hr.Message("in", {})), hr.WithWorker(None)),  # type: ignore[arg-type]
        model.service_task("trusted", operation, hr.WithWorker("t"), authoritative),
    ]
    model.start_event("start") >> tasks[0] >> tasks[1] >> tasks[2] >> model.end_event("end")
    # when
    with pytest.raises(hr.ModelError) as raised:
        model.check()
    # then
    assert [(f.element, f.rule) for f in raised.value.faults] == [
        ("inside", "option"),
        ("inside", "option"),
        ("no_name", "option"),
        ("trusted", "option"),
        ("trusted", "option"),
    ]
