"""Incidents: what operators look after."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Callable
from typing import Any

from headrace import _core
from headrace.enums import IncidentKind
from headrace.types import Variables, text_of


@dataclasses.dataclass(frozen=True, slots=True)
class Incident:
    """An open incident. The instance lives; one of the verbs ends it. The data can be pickled, the verbs stay behind."""

    id: str
    kind: IncidentKind
    instance_id: str
    process: str
    node: str
    topic: str | None
    job: str | None
    attempts: int
    expiries: int
    code: Any
    body: Any = dataclasses.field(repr=False)
    message: str
    raised: dt.datetime
    notes: tuple[str, ...]
    _desk: Any = dataclasses.field(repr=False, compare=False, default=None)

    def retry(self, retries: int = 0) -> None:
        """Tries again, with ``retries`` executions (0: the policy's full count)."""
        _core.retry_incident(self._engine(), self.id, retries)

    def resolve(self, output: Variables | None = None) -> None:
        """Completes the task by hand."""
        _core.resolve_incident(self._engine(), self.id, output)

    def raise_error(self, code: str, message: str = "") -> None:
        """Ends the task with a BPMN error."""
        _core.raise_incident_error(self._engine(), self.id, text_of("code", code), text_of("message", message))

    def annotate(self, text: str) -> None:
        """Adds a note."""
        _core.annotate_incident(self._engine(), self.id, text_of("a note", text))

    def remap(self) -> None:
        """Maps the raw result that it keeps again, without running the work again."""
        _core.remap_incident(self._engine(), self.id)

    def cancel(self, reason: str = "") -> None:
        """Cancels the instance."""
        _core.cancel_incident(self._engine(), self.id, text_of("reason", reason))

    def _repr_html_(self) -> str:
        from headrace import drawing_html

        return drawing_html.incident_table(self)

    def _engine(self) -> Any:
        if self._desk is None:
            raise TypeError("expected an incident from an engine, but this one was pickled or copied: ask engine.incident(id)")
        return self._desk

    def __reduce__(self) -> tuple[Callable[..., Incident], tuple[Any, ...]]:
        return Incident, tuple(getattr(self, f.name) for f in dataclasses.fields(self) if f.name != "_desk")


def incident_of(data: dict[str, Any], desk: Any) -> Incident:
    """An incident from the engine's dict."""
    return Incident(
        id=data["id"],
        kind=IncidentKind(data["kind"]),
        instance_id=data["instance_id"],
        process=data["process"],
        node=data["node"],
        topic=data["topic"] or None,
        job=data["job"] or None,
        attempts=data["attempts"],
        expiries=data["expiries"],
        code=data["code"],
        body=data["body"],
        message=data["message"],
        raised=data["raised"],
        notes=tuple(data["notes"]),
        _desk=desk,
    )
