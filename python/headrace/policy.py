"""Retry policies, error rules and output rules: plain data, made into the engine's own at deploy."""

from __future__ import annotations

import abc
import dataclasses
import datetime as dt
from collections.abc import Callable
from functools import partial
from typing import Any

from headrace import _core
from headrace.outcomes import BpmnError, Fault, Status
from headrace.protocols import check_object
from headrace.types import MISTAKES, Cap, Duration, mistakes_of, shown, together


@dataclasses.dataclass(frozen=True, slots=True)
class Failure:
    """A technical fault: what custom policies and mappers look at."""

    code: Any = None
    body: Any = dataclasses.field(default=None, repr=False)
    message: str = ""


class RetryPolicy(abc.ABC):
    """Whether a technical fault is tried again, and after how long. Subclass it for a policy of your own; the engine runs it.

    An attribute ``max_attempts`` (int) says how many executions there are in all; without it only next_delay() knows.
    """

    @abc.abstractmethod
    def next_delay(self, attempt: int, failure: Failure, jitter: float) -> Duration | None:
        """The wait before the next attempt, or None when the attempts are used up.

        Called by position. ``attempt`` is the number of executions that failed so far, ``jitter`` lies in [0, 1): chance comes in as an
        argument. One that raises, or answers what is no duration, exhausts the task: the incident tells.
        """

    def _compile(self) -> _core.RetryPolicy:
        return _custom_retry(self)


class _Stock(RetryPolicy):
    """A policy of ours: the C++ one does the work."""

    def next_delay(self, attempt: int, failure: Failure, jitter: float) -> dt.timedelta | None:
        """The wait before the next attempt, or None when the attempts are used up."""
        return self._compile().next_delay(attempt, failure, jitter)

    @abc.abstractmethod
    def _compile(self) -> _core.RetryPolicy: ...


@dataclasses.dataclass(frozen=True)
class NoRetry(_Stock):
    """One execution; a technical fault exhausts it."""

    def _compile(self) -> _core.RetryPolicy:
        return _core.no_retry()


@dataclasses.dataclass(frozen=True)
class FixedDelay(_Stock):
    """``max_attempts`` executions in all, the same delay between them."""

    max_attempts: int
    delay: Duration

    def _compile(self) -> _core.RetryPolicy:
        together(
            lambda: _core.fixed_delay(self.max_attempts, 0),
            lambda: _core.fixed_delay(1, self.delay),
        )
        return _core.fixed_delay(self.max_attempts, self.delay)


@dataclasses.dataclass(frozen=True, init=False)
class ExponentialBackoff(_Stock):
    """Delays that double from ``base`` to ``cap``, each shortened by up to ``jitter`` of itself. ``max`` is another name of ``cap``."""

    max_attempts: int
    base: Duration
    cap: Cap
    jitter: float

    def __init__(
        self, max_attempts: int = 3, base: Duration = 0.5, cap: Cap | None = None, jitter: float = 0.5, *, max: Cap | None = None
    ) -> None:
        if cap is not None and max is not None:
            raise TypeError("expected one of cap and max, which mean the same, but found both")
        object.__setattr__(self, "max_attempts", max_attempts)
        object.__setattr__(self, "base", base)
        object.__setattr__(self, "cap", next((c for c in (cap, max) if c is not None), 30))
        object.__setattr__(self, "jitter", jitter)

    def _compile(self) -> _core.RetryPolicy:
        together(
            lambda: _core.exponential_backoff(self.max_attempts, 1, 1, 0),
            lambda: _core.exponential_backoff(1, self.base, 1, 0),
            lambda: _core.exponential_backoff(1, 1, self.cap, 0),
            lambda: _core.exponential_backoff(1, 1, 1, self.jitter),
        )
        return _core.exponential_backoff(self.max_attempts, self.base, self.cap, self.jitter)


@dataclasses.dataclass(frozen=True, slots=True)
class Path:
    """A value taken from a body by JSONPath (RFC 9535)."""

    text: str


def path(text: str) -> Path:
    """A value taken from the body: ``hr.path("$.reason")``."""
    return Path(text)


def _source(value: Any) -> tuple[str, Any]:
    return ("path", value.text) if isinstance(value, Path) else ("value", value)


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """One rule of an error mapper: a code (None: any), a clause over the body, and what a match means."""

    code: Any = None
    body: str | None = None
    outcome: str | None = None
    value: Any = None
    text: Any = None

    def bpmn_error(self, code: str | Path, message: str | Path | None = None) -> Rule:
        """A match is a BPMN error."""
        return dataclasses.replace(self, outcome="bpmn_error", value=code, text=message)

    def status(self, value: Any) -> Rule:
        """A match is a business status; the service needs WithStatus."""
        return dataclasses.replace(self, outcome="status", value=value)

    def technical(self) -> Rule:
        """A match is a technical fault."""
        return dataclasses.replace(self, outcome="technical")

    def _compile(self) -> tuple[Any, str | None, str, tuple[str, Any], tuple[str, Any] | None]:
        if self.outcome is None:
            raise _core.ValidationError("expected an outcome, but there is none: add .bpmn_error(), .status() or .technical()")
        return (self.code, self.body, self.outcome, _source(self.value), None if self.text is None else _source(self.text))


def _check_rule(number: int, rule: Rule) -> None:
    """Raises all mistakes of a rule, each with the rule's number."""
    nothing = ("value", None)

    def attempt(*parts: Any) -> Callable[[], object]:
        return lambda: _core.rule_mapper([parts])

    def outcome() -> None:
        _, _, word, value, text = rule._compile()
        together(attempt(None, None, word, value, None), attempt(None, None, "bpmn_error", ("value", "code"), text))

    try:
        together(
            attempt(rule.code, None, "technical", nothing, None),
            attempt(None, rule.body, "technical", nothing, None),
            outcome,
        )
    except MISTAKES as error:
        messages = (m.removeprefix("error rule 1: ") for m in mistakes_of(error))
        together(*(partial(_refuse, f"error rule {number}: {m}") for m in messages))


def _refuse(message: str) -> None:
    raise _core.ValidationError(message)


def rule(code: Any = None, body: str | None = None) -> Rule:
    """A rule that matches a code and a clause over the body: ``hr.rule(409, body="$.type == 'DECLINED'")``."""
    return Rule(code, body)


class ErrorMapper(abc.ABC):
    """Says what a fault means. Subclass it for a mapper of your own; the engine runs it."""

    @abc.abstractmethod
    def classify(self, failure: Failure) -> BpmnError | Status | Fault | None:
        """A BPMN error, a business status, or a technical fault (a Fault or None: the one that was reported).

        One that raises, or answers anything else, makes the fault a technical one: the incident and the log tell.
        """


class Binding(abc.ABC):
    """How the raw reports of a protocol read: WithBinding(MyBinding()). Without one a body is JSON and a code is an HTTP status.

    Rules and paths then look at what body() answered. Pure: it is called once or more for a report, on any thread. One that raises takes
    nothing for a success and leaves a body as it came.
    """

    @abc.abstractmethod
    def success(self, code: Any) -> bool:
        """Whether a report with this code says that the work is done."""

    @abc.abstractmethod
    def body(self, raw: Any) -> Any:
        """The body as a value that paths can go into."""


def compile_binding(given: Any) -> Any:
    """An object with success() and body()."""
    check_object("a binding", given, success=1, body=1)
    return given


@dataclasses.dataclass(frozen=True, slots=True)
class Out:
    """One rule of an output mapping."""

    path: str
    target: str
    optional: bool = False


def out(path: str, target: str, *, optional: bool = False) -> Out:
    """Takes a value from a result into a variable: ``hr.out("$.data.id", "orderId")``."""
    return Out(path, target, optional)


def compile_mapper(given: Any) -> _core.ErrorMapper:
    """A sequence of rules, or an object with classify()."""
    if isinstance(given, (list, tuple)):
        together(*(partial(_check_item, number, r) for number, r in enumerate(given, 1)))
        return _core.rule_mapper([r._compile() for r in given])
    if not isinstance(given, type) and not callable(getattr(given, "classify", None)):
        raise TypeError(f"expected a list of rules or an object with classify() as an error mapper, but found {shown(given)}")
    check_object("an error mapper", given, classify=1)
    return _core.custom_mapper(given)


def _check_item(number: int, item: Any) -> None:
    if not isinstance(item, Rule):
        raise TypeError(f"expected hr.rule(…) as error rule {number}, but found {shown(item)}")
    _check_rule(number, item)


def compile_output(rules: Any) -> _core.OutputMapping:
    """The rules of an output mapping."""
    together(*(partial(_check_out, number, r) for number, r in enumerate(rules, 1)))
    return _core.output_mapping([(r.path, r.target, r.optional) for r in rules])


def _check_out(number: int, item: Any) -> None:
    if not isinstance(item, Out):
        raise TypeError(f"expected hr.out(…) as output rule {number}, but found {shown(item)}")
    together(
        lambda: _core.output_mapping([(item.path, "x", False)]),
        lambda: _core.output_mapping([("$", item.target, False)]),
        lambda: _core.output_mapping([("$", "x", item.optional)]),
    )


def compile_retry(given: Any) -> _core.RetryPolicy:
    """A policy of ours, or an object with next_delay()."""
    if isinstance(given, RetryPolicy):
        return given._compile()
    if not isinstance(given, type) and not callable(getattr(given, "next_delay", None)):
        raise TypeError(f"expected an object with next_delay() as a retry policy, but found {shown(given)}")
    return _custom_retry(given)


def _custom_retry(given: Any) -> _core.RetryPolicy:
    check_object("a retry policy", given, next_delay=3)
    most = getattr(given, "max_attempts", None)
    if most is not None and (isinstance(most, bool) or not isinstance(most, int) or not 1 <= most <= 1_000_000):
        raise _core.ValidationError(f"expected max_attempts of a retry policy to be an int from 1 to 1000000, but found {shown(most)}")
    return _core.custom_retry(given)
