"""The With... options of services and engines (ADR-021). They nest, as in ``WithWorker(topic, WithRetryPolicy(p))``, or stand flat; both
mean the same."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from headrace.enums import WorkerTrust
from headrace.policy import Binding, ErrorMapper, Out, RetryPolicy, Rule
from headrace.types import Cap, Duration, shown


class Option:
    """An option of a service task."""


class EngineOption:
    """An engine-wide default, given to ``hr.Engine(store, *options)``; the service's own option wins."""


@dataclasses.dataclass(frozen=True, init=False)
class WithWorker(Option):
    """External workers run the task: they fetch its jobs under ``topic``."""

    topic: str
    options: tuple[Option, ...]

    def __init__(self, topic: str, *options: Option) -> None:
        object.__setattr__(self, "topic", topic)
        object.__setattr__(self, "options", options)


@dataclasses.dataclass(frozen=True)
class WithTimeout(Option):
    """How long an operation in the process may take; what returns later is dropped."""

    timeout: Duration


@dataclasses.dataclass(frozen=True)
class WithRetryPolicy(Option):
    """How technical faults are retried."""

    policy: RetryPolicy


@dataclasses.dataclass(frozen=True)
class WithErrorMapper(Option):
    """What faults mean: a list of rules, the first match wins, or an ErrorMapper of your own."""

    mapper: Sequence[Rule] | ErrorMapper


@dataclasses.dataclass(frozen=True, init=False)
class WithOutputMapping(Option):
    """Which values of the result go to which variables: ``WithOutputMapping([hr.out("$.data.id", "orderId")])``."""

    rules: tuple[Out, ...]

    def __init__(self, rules: Sequence[Out]) -> None:
        if isinstance(rules, (str, bytes, Out)) or not isinstance(rules, Iterable):
            raise TypeError(f"expected a list of hr.out(…) for WithOutputMapping, but found {shown(rules)}")
        object.__setattr__(self, "rules", tuple(rules))


@dataclasses.dataclass(frozen=True)
class WithStatus(Option):
    """The variable that a business status is written to."""

    name: str
    overwrite: bool = False


@dataclasses.dataclass(frozen=True)
class WithWorkerTrust(Option):
    """Who says what a report means."""

    trust: WorkerTrust


@dataclasses.dataclass(frozen=True)
class WithLockDuration(Option):
    """How long a fetch locks a job of the topic when it does not say."""

    duration: Duration


@dataclasses.dataclass(frozen=True)
class WithMaxLockDuration(Option):
    """How long a lock of the topic may last in all, extensions included."""

    duration: Cap


@dataclasses.dataclass(frozen=True)
class WithJobTimeout(Option):
    """How long a job may take from its first enqueue; then a technical fault that uses up all attempts."""

    timeout: Duration


@dataclasses.dataclass(frozen=True)
class WithExpiryAsAttempt(Option):
    """Whether a lock that runs out counts as an attempt."""

    counts: bool


@dataclasses.dataclass(frozen=True)
class WithOnExhausted(Option):
    """What happens when the attempts are used up."""

    ending: Literal["incident", "fail"]


@dataclasses.dataclass(frozen=True)
class WithOnMismatch(Option):
    """What happens when an output does not fit the contract."""

    ending: Literal["retry", "incident"]


@dataclasses.dataclass(frozen=True)
class WithOnUncaughtError(Option):
    """What a BPMN error that nobody catches does: fails the instance, or ends its path silently as Camunda 7 does."""

    ending: Literal["fail", "end"]


@dataclasses.dataclass(frozen=True)
class WithOutputSchema(Option):
    """A JSON Schema that the output must fit (needs the extra ``schema``), or a function that raises when it does not fit."""

    schema: dict[str, Any] | Callable[[Any], object]


@dataclasses.dataclass(frozen=True)
class WithBinding(Option):
    """How raw reports read: which codes are a success, and what a body is."""

    binding: Binding


@dataclasses.dataclass(frozen=True)
class WithWorkerBinding(EngineOption):
    """The default binding of worker tasks."""

    binding: Binding


@dataclasses.dataclass(frozen=True)
class WithWorkerRetryPolicy(EngineOption):
    """The default retry policy of worker tasks."""

    policy: RetryPolicy


@dataclasses.dataclass(frozen=True)
class WithWorkerErrorMapper(EngineOption):
    """The default error mapper of worker tasks."""

    mapper: Sequence[Rule] | ErrorMapper


@dataclasses.dataclass(frozen=True)
class WithWorkerTrustDefault(EngineOption):
    """The default trust of worker tasks."""

    trust: WorkerTrust


@dataclasses.dataclass(frozen=True)
class WithWorkerLockDuration(EngineOption):
    """The default length of a lock."""

    duration: Duration


@dataclasses.dataclass(frozen=True)
class WithWorkerMaxLockDuration(EngineOption):
    """The default cap of a lock."""

    duration: Cap


@dataclasses.dataclass(frozen=True)
class WithWorkerDispatcher(EngineOption):
    """A job queue of your own in place of the LocalDispatcher."""

    dispatcher: Any
