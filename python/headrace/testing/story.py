"""What a failed assertion tells: where the instance is, how it came there, and what it knows."""

from __future__ import annotations

import headrace as hr
from headrace.definition import sensitive_fields

_sensitive: dict[str, set[str]] = {}


def remember_sensitive(definition: hr.Definition) -> None:
    """Keeps the names of a process's sensitive fields: their values are not printed."""
    _sensitive.setdefault(definition.id, set()).update(sensitive_fields(definition))


def shown(process: str, name: str, value: object) -> str:
    """A variable's value as text of at most 200 characters; ``***`` when it is sensitive."""
    text = "***" if name in _sensitive.get(process, ()) else repr(value)
    return text if len(text) <= 200 else text[:199] + "…"


def tell(snapshot: hr.Snapshot) -> str:
    """State, path, activities, incidents and variables of an instance, one a line."""
    lines = [f"instance {snapshot.id} of {snapshot.process!r} is {snapshot.state.value}" + (" (suspended)" if snapshot.suspended else "")]
    if snapshot.end_node:
        lines.append(f"  ended at: {snapshot.end_node}")
    if snapshot.error_code:
        lines.append(f"  error: {snapshot.error_code}")
    if snapshot.reason:
        lines.append(f"  reason: {snapshot.reason}")
    path = [_count(node, count) for node, count in snapshot.counts.items()]
    lines.append(f"  path: {', '.join(path) or 'nothing has ended yet'}")
    waits = [f"{a.node} ({a.state.value if a.state else 'no activity'}, for {a.waits_for})" for a in snapshot.activities]
    lines.append(f"  waits at: {', '.join(waits) or 'nothing'}")
    lines += [f"  timer: {timer.node} at {timer.due.isoformat()}" for timer in snapshot.timers]
    lines += [f"  incident: {i.node} ({i.kind.value}), {i.attempts} attempts: {i.message}" for i in snapshot.incidents]
    lines += [f"  variable: {name} = {shown(snapshot.process, name, value)}" for name, value in snapshot.variables.items()]
    for scope, variables in snapshot.local_variables:
        lines += [f"  variable in {scope}: {name} = {shown(snapshot.process, name, value)}" for name, value in variables.items()]
    return "\n".join(lines)


def _count(node: str, count: hr.Count) -> str:
    text = node if count.completed < 2 else f"{node} x{count.completed}"
    return text if not count.cancelled else f"{text} (cancelled x{count.cancelled})"
