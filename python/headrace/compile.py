"""From the builder's data to the engine's definitions. Mistakes are collected as faults of their element, and raised together."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from headrace import _core, calling
from headrace.enums import WorkerTrust, member
from headrace.operations import Error, Message, Operation
from headrace.options import (
    Option,
    WithBinding,
    WithErrorMapper,
    WithExpiryAsAttempt,
    WithJobTimeout,
    WithLockDuration,
    WithMaxLockDuration,
    WithOnExhausted,
    WithOnMismatch,
    WithOnUncaughtError,
    WithOutputMapping,
    WithOutputSchema,
    WithRetryPolicy,
    WithStatus,
    WithTimeout,
    WithWorker,
    WithWorkerTrust,
)
from headrace.policy import compile_binding, compile_mapper, compile_output, compile_retry
from headrace.protocols import check_call, check_plain
from headrace.schema import schema_check
from headrace.types import MISTAKES, mistakes_of, shown, text_of, together

if TYPE_CHECKING:
    from headrace.model import Process, ServiceTask

_SOUND = "${true}"  # in the place of a condition that is a fault already


def compile_process(process: Process) -> _core.Definition:
    """Builds the definition; ModelError with all faults."""
    builder = _core.ModelBuilder(process.id, process.name)
    for node in process.elements:
        with _Faults(builder, node.id):
            node._add(builder)
    for flow in process.flows:
        condition = flow.condition
        with _Faults(builder, flow.source, partial(builder.flow, flow.id, flow.source, flow.target, condition and _SOUND)):
            builder.flow(flow.id, flow.source, flow.target, _condition(condition))
    for node_id, flow_id in process._defaults:
        builder.set_default(node_id, flow_id)
    return builder.build()


class _Faults:
    """Turns a mistake into a fault of an element; ``instead`` adds what the others refer to."""

    def __init__(self, builder: _core.ModelBuilder, element: str, instead: Callable[..., Any] | None = None) -> None:
        self._builder = builder
        self._element = element
        self._instead = instead

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        if error is None or not isinstance(error, MISTAKES):
            return False
        rule = "expression" if isinstance(error, _core.ExpressionError) else "option"
        for message in mistakes_of(error):
            self._builder.fault(self._element, rule, message, "")
        if self._instead is not None:
            self._instead()
        return True


def add_service(builder: _core.ModelBuilder, task: ServiceTask) -> None:
    """Adds a service task; a mistake in one option does not hide one in another."""
    faults: list[str] = []

    def attempt(make: Callable[[], Any]) -> Any:
        try:
            return make()
        except MISTAKES as error:
            faults.extend(mistakes_of(error))
            return None

    topics, options = flatten(task.options)
    if len(topics) > 1:
        faults.append(f"expected one topic, but found {', '.join(map(repr, topics))}")
    given: dict[str, Any] = {}
    for option in options:
        fields: dict[str, Callable[[], Any]] = attempt(partial(_fields, option)) or {}
        if given.keys() & fields.keys():
            faults.append(f"expected {type(option).__name__} once, but found it twice")
        given.update((name, partial(_value, option, make)) for name, make in fields.items())
    compiled = {name: value for name, make in given.items() if (value := attempt(make)) is not None}
    service = _accepted(compiled, faults)
    # What is a fault already is replaced by something sound, so that no other rule complains of its absence.
    operation = attempt(lambda: compile_operation(task.operation))
    if operation is None and task.operation is not None:
        operation = _core.operation("message", "", _core.message_type("", []), None, [], lambda variables, call: {})
    topic = attempt(lambda: _topic(topics[0])) if topics else None
    if topics and topic is None:
        topic = f"_{task.id}"
    priority = attempt(lambda: _priority(task.priority)) or 0
    for message in faults:
        builder.fault(task.id, "option", message, "")
    builder.service(task.id, task.name, task.scope._path, topic, operation, service, priority)


def _accepted(compiled: dict[str, Any], faults: list[str]) -> _core.ServiceOptions:
    """The options that the engine takes; each that it does not take is a fault of its own."""
    status: dict[str, Any] = {k: compiled[k] for k in ("status_name", "status_overwrite") if k in compiled}
    taken: dict[str, Any] = {}
    parts: list[dict[str, Any]] = [status, *({k: v} for k, v in compiled.items() if k not in status)]
    for part in parts:
        try:
            _core.service_options(**part)
            taken.update(part)
        except MISTAKES as error:
            faults.extend(mistakes_of(error))
    return _core.service_options(**taken)


def _topic(topic: Any) -> str:
    return text_of("the topic of WithWorker", topic)


def _priority(priority: Any) -> int:
    if isinstance(priority, bool) or not isinstance(priority, int):
        raise TypeError(f"expected priority to be an int, but found {type(priority).__name__}")
    if not -(2**63) <= priority < 2**63:
        raise _core.ValidationError("expected priority to fit 64 bits, but found a larger int")
    return priority


def _value(option: Option, make: Callable[[], Any]) -> Any:
    value = make()
    if value is None:
        raise TypeError(f"expected a value for {type(option).__name__}, but found None")
    return value


def flatten(options: tuple[Option, ...]) -> tuple[list[str], list[Option]]:
    """Nested options as flat ones: the topics, and the rest."""
    topics: list[str] = []
    rest: list[Option] = []
    for option in options:
        if isinstance(option, WithWorker):
            topics.append(option.topic)
            inner_topics, inner = flatten(option.options)
            topics += inner_topics
            rest += inner
        else:
            rest.append(option)
    return topics, rest


def _fields(option: Option) -> dict[str, Callable[[], Any]]:
    """The engine's names of an option's values, each still to be made."""
    match option:
        case WithTimeout(timeout):
            return {"timeout": lambda: timeout}
        case WithRetryPolicy(policy):
            return {"retry": lambda: compile_retry(policy)}
        case WithErrorMapper(mapper):
            return {"errors": lambda: compile_mapper(mapper)}
        case WithOutputMapping(rules):
            return {"output": lambda: compile_output(rules)}
        case WithStatus(name, overwrite):
            return {"status_name": lambda: name, "status_overwrite": lambda: overwrite}
        case WithWorkerTrust(trust):
            return {"trust": lambda: member(WorkerTrust, "WithWorkerTrust", trust).value}
        case WithLockDuration(duration):
            return {"lock_duration": lambda: duration}
        case WithMaxLockDuration(duration):
            return {"max_lock_duration": lambda: duration}
        case WithJobTimeout(timeout):
            return {"job_timeout": lambda: timeout}
        case WithExpiryAsAttempt(counts):
            return {"expiry_as_attempt": lambda: _boolean(counts)}
        case WithOnExhausted(ending):
            return {"on_exhausted": lambda: _one_of("WithOnExhausted", ending, "incident", "fail")}
        case WithOnMismatch(ending):
            return {"on_mismatch": lambda: _one_of("WithOnMismatch", ending, "retry", "incident")}
        case WithOnUncaughtError(ending):
            return {"on_uncaught": lambda: _one_of("WithOnUncaughtError", ending, "fail", "end")}
        case WithBinding(binding):
            return {"binding": lambda: compile_binding(binding)}
        case WithOutputSchema(schema):
            return {"schema": lambda: schema_check(schema)}
    raise TypeError(f"expected an option of a service task, but found {type(option).__name__}")


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"expected a bool for WithExpiryAsAttempt, but found {type(value).__name__}")
    return value


def _one_of(option: str, value: Any, *words: str) -> str:
    if not isinstance(value, str) or value not in words:
        raise _core.ValidationError(f"expected {option} to be one of {', '.join(map(repr, words))}, but found {shown(value)}")
    return str(value)


def compile_operation(operation: Operation | Callable[..., Any] | None) -> _core.Operation | None:
    """A message operation, a functor operation, or none (an open contract)."""
    if operation is None:
        return None
    if not isinstance(operation, Operation):
        check_plain("an operation", operation)
        name = getattr(operation, "__qualname__", type(operation).__name__)
        return _core.operation("functor", name, None, None, [], calling.operation_body(operation))
    in_message = partial(_message, "in", operation.in_message)
    out_message = partial(_message, "out", operation.out_message)
    errors = [part for e in operation.errors for part in (partial(_error_code, e), partial(text_of, "the name of an error", e.name))]
    together(
        partial(text_of, "the name of an operation", operation.name),
        in_message,
        out_message,
        *errors,
        partial(_check_implementor, operation),
    )
    body = None if operation.implementor is None else calling.message_body(operation.implementor)
    errors_declared = [(e.code, e.name) for e in operation.errors]
    return _core.operation("message", operation.name, in_message(), out_message(), errors_declared, body)


def _check_implementor(operation: Operation) -> None:
    """It gets the input dict, and the call's context where it has a parameter of that name."""
    function = operation.implementor
    if function is None:
        return
    try:
        wants_call = "call" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return
    check_call(f"the implementor of operation {shown(operation.name)}", function, 1, *(["call"] if wants_call else []))


def _condition(condition: Any) -> Any:
    if condition is None or isinstance(condition, str):
        return condition
    check_plain("a condition", condition)
    return calling.condition(condition)


def _message(which: str, message: Any) -> _core.MessageType | None:
    if message is None:
        return None
    if not isinstance(message, Message):
        raise TypeError(f"expected the {which} message of an operation to be an hr.Message, but found {type(message).__name__}")
    return message._compile()


def _error_code(error: Error) -> str:
    if not text_of("the code of an error", error.code):
        raise _core.ValidationError("expected the code of an error that an operation declares, but it is empty")
    return error.code
