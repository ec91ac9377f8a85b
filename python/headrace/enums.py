"""Enums of the face; each value is the word of design section 2."""

from __future__ import annotations

import enum
from typing import Any, TypeVar

from headrace import _core

_Member = TypeVar("_Member", bound=enum.Enum)


class InstanceState(enum.Enum):
    """The state of an instance; suspended and open incidents are properties of an active one."""

    ACTIVE = "active"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class WorkerTrust(enum.Enum):
    """Who says what a report means: the worker (WorkerTrusted), or the engine alone."""

    WORKER_TRUSTED = "WorkerTrusted"
    ENGINE_AUTHORITATIVE = "EngineAuthoritative"


class Profile(enum.Enum):
    """The rules that a definition runs by, pinned at deploy."""

    HEADRACE = "headrace"
    CAMUNDA7 = "camunda7"


class IncidentKind(enum.Enum):
    """What an incident is about."""

    FAILED_STEP = "failedStep"
    FAILED_EXTERNAL_TASK = "failedExternalTask"
    FAILED_OPERATION = "failedOperation"
    FAILED_JOB = "failedJob"


class ActivityState(enum.Enum):
    """BPMN 2.0's activity life cycle (13.3.2)."""

    READY = "Ready"
    ACTIVE = "Active"
    COMPLETING = "Completing"
    COMPLETED = "Completed"
    FAILING = "Failing"
    FAILED = "Failed"
    TERMINATING = "Terminating"
    TERMINATED = "Terminated"
    WITHDRAWN = "Withdrawn"
    COMPENSATING = "Compensating"
    COMPENSATED = "Compensated"


class Unbounded(enum.Enum):
    """The type of UNBOUNDED: no cap."""

    UNBOUNDED = "unbounded"

    def __repr__(self) -> str:
        return "headrace.UNBOUNDED"


UNBOUNDED = Unbounded.UNBOUNDED


def member(kind: type[_Member], what: str, given: Any) -> _Member:
    """A member of an enum by itself or by its value; ValidationError lists what there is."""
    try:
        return kind(given)
    except ValueError:
        from headrace.types import shown

        words = ", ".join(repr(m.value) for m in kind)
        raise _core.ValidationError(f"expected {what} to be one of {words}, but found {shown(given)}") from None
