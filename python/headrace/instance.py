"""Handles of instances, and what stands in them."""

from __future__ import annotations

import dataclasses
import datetime as dt
from typing import TYPE_CHECKING, Any

from headrace import _core
from headrace.enums import ActivityState, InstanceState
from headrace.incidents import Incident, incident_of
from headrace.types import Variables, text_of

if TYPE_CHECKING:
    from headrace.definition import Definition

_STATES = {state.value: state for state in InstanceState}


@dataclasses.dataclass(frozen=True, slots=True)
class Activity:
    """An element at which a token of an instance waits."""

    node: str
    state: ActivityState | None  # None: it stands at what is no activity
    waits_for: str
    job: str | None
    token: int


@dataclasses.dataclass(frozen=True, slots=True)
class Count:
    """How often an element ended normally, and how often it was cancelled."""

    completed: int
    cancelled: int


@dataclasses.dataclass(frozen=True, slots=True)
class Timer:
    """A timer that is armed."""

    node: str
    due: dt.datetime


@dataclasses.dataclass(frozen=True, slots=True)
class Snapshot:
    """The committed state of an instance at one moment; plain data, it can be pickled."""

    id: str
    process: str
    version: int
    business_key: str
    state: InstanceState
    suspended: bool
    started: dt.datetime
    sequence: int
    variables: Variables = dataclasses.field(repr=False)
    local_variables: tuple[tuple[str, Variables], ...] = dataclasses.field(repr=False)
    activities: tuple[Activity, ...]
    counts: dict[str, Count]
    incidents: tuple[Incident, ...]
    timers: tuple[Timer, ...]
    end_node: str | None
    error_code: str | None
    reason: str | None


class Instance(_core.Instance):
    """A light handle of an instance; each property reads the committed state of that moment."""

    __slots__ = ()

    @property
    def state(self) -> InstanceState:
        """Active, completed, failed or cancelled."""
        return _STATES[self._state]

    @property
    def variables(self) -> Variables:
        """The variables of the root scope."""
        variables: Variables = self._snapshot()["variables"]
        return variables

    @property
    def local_variables(self) -> tuple[tuple[str, Variables], ...]:
        """The variables of inner scopes: (sub-process, variables) each."""
        return self.snapshot().local_variables

    @property
    def activities(self) -> tuple[Activity, ...]:
        """Where its tokens wait."""
        return self.snapshot().activities

    @property
    def counts(self) -> dict[str, Count]:
        """How often each element ended."""
        return self.snapshot().counts

    @property
    def incidents(self) -> tuple[Incident, ...]:
        """Its open incidents."""
        return self.snapshot().incidents

    @property
    def timers(self) -> tuple[Timer, ...]:
        """Its armed timers."""
        return self.snapshot().timers

    @property
    def suspended(self) -> bool:
        """Whether it is suspended."""
        return self.snapshot().suspended

    @property
    def business_key(self) -> str:
        """The key that it was started with, "" for none."""
        return self.snapshot().business_key

    @property
    def process(self) -> str:
        """The id of its process definition."""
        return self.snapshot().process

    @property
    def version(self) -> int:
        """The version of its process definition."""
        return self.snapshot().version

    @property
    def definition(self) -> Definition:
        """Its process definition."""
        return _core.definition_of(self)

    @property
    def started(self) -> dt.datetime:
        """When it was started, UTC."""
        return self.snapshot().started

    @property
    def end_node(self) -> str | None:
        """The element at which it ended or failed."""
        return self.snapshot().end_node

    @property
    def error_code(self) -> str | None:
        """The BPMN error that nobody caught."""
        return self.snapshot().error_code

    @property
    def reason(self) -> str | None:
        """Why it failed or was cancelled."""
        return self.snapshot().reason

    def snapshot(self) -> Snapshot:
        """All of it at one moment."""
        s = self._snapshot()
        return Snapshot(
            id=s["id"],
            process=s["process"],
            version=s["version"],
            business_key=s["business_key"],
            state=_STATES[s["state"]],
            suspended=s["suspended"],
            started=s["started"],
            sequence=s["sequence"],
            variables=s["variables"],
            local_variables=tuple((v["scope"], v["variables"]) for v in s["local_variables"]),
            activities=tuple(
                Activity(a["node"], ActivityState(a["state"]) if a["state"] else None, a["waits_for"], a["job"] or None, a["token"])
                for a in s["activities"]
            ),
            counts={c["node"]: Count(c["completed"], c["cancelled"]) for c in s["counts"]},
            incidents=tuple(incident_of(i, self) for i in s["incidents"]),
            timers=tuple(Timer(t["node"], t["due"]) for t in s["timers"]),
            end_node=s["end_node"] or None,
            error_code=s["error_code"] or None,
            reason=s["reason"] or None,
        )

    def cancel(self, reason: str = "") -> None:
        """Ends it; its jobs are withdrawn in the same commit."""
        _core.cancel_instance(self, text_of("reason", reason))

    def suspend(self) -> None:
        """No job of it is fetched, timers wait, and terminal reports are refused, until resume()."""
        _core.suspend_instance(self)

    def resume(self) -> None:
        """Takes back suspend()."""
        _core.resume_instance(self)

    def set_variables(self, variables: Variables) -> None:
        """Writes variables of the root scope."""
        if variables is None:
            raise TypeError("expected variables to be a dict, but found None")
        _core.set_variables(self, variables)

    def complete_user_task(self, node: str, output: Variables | None = None) -> None:
        """Completes a user task that it waits at."""
        _core.complete_user_task(self, text_of("node", node), output)

    def to_dataframe(self) -> Any:
        """Its elements as a pandas table: ends, cancellations, tokens and incidents of each (needs the extra `notebook`)."""
        from headrace import frames

        return frames.elements(self)

    def _repr_svg_(self) -> str:
        from headrace import drawing

        return drawing.to_svg(self)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("an instance handle cannot be pickled: it belongs to an engine of this process; pickle instance.snapshot()")

    def __repr__(self) -> str:
        return f"Instance(id={self.id!r}, state={self._state!r})"
