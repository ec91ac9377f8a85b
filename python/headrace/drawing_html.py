"""Tables for Jupyter: an engine, its incidents. All text is escaped; values of variables, bodies and codes are not shown."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Any

from headrace.drawing_style import TABLE_STYLE
from headrace.drawing_text import escape, shorten

_COLOURS = {"active": "hr-good", "completed": "hr-soft", "failed": "hr-bad", "cancelled": "hr-gone", "incident": "hr-bad"}
_SHOWN = 20


def badge(word: str) -> str:
    """A state as a badge; its colour is never all that tells it."""
    return f'<span class="hr-badge {_COLOURS.get(word, "hr-soft")}">{escape(word)}</span>'


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are HTML already."""
    top = "".join(f'<th scope="col">{escape(head)}</th>' for head in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return (
        f'<style>{TABLE_STYLE}</style><table class="hr-table"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
    )


def incident_table(incident: Any) -> str:
    """One incident: a line for each thing known of it."""
    rows = [
        ("state", badge("incident")),
        ("kind", escape(incident.kind.value)),
        ("instance", escape(incident.instance_id)),
        ("process", escape(incident.process)),
        ("node", escape(incident.node)),
        ("topic", escape(incident.topic or "")),
        ("job", escape(incident.job or "")),
        ("attempts", f"{incident.attempts} and {incident.expiries} expiries"),
        ("raised", _time(incident.raised)),
        ("message", escape(shorten(incident.message, 400))),
        *(("note", escape(shorten(note, 400))) for note in incident.notes),
    ]
    return table(f"Incident {incident.id}", ("field", "value"), [(escape(name), cell) for name, cell in rows if cell])


def incidents_table(incidents: Sequence[Any]) -> str:
    """Open incidents, one a line."""
    rows = [
        (
            escape(i.id),
            escape(i.kind.value),
            escape(i.instance_id),
            escape(i.node),
            escape(i.topic or ""),
            f"{i.attempts}",
            _time(i.raised),
            escape(shorten(i.message, 120)),
        )
        for i in incidents[:_SHOWN]
    ]
    return table(
        _caption("open incidents", len(incidents)), ("id", "kind", "instance", "node", "topic", "attempts", "raised", "message"), rows
    )


def instances_table(instances: Sequence[Any]) -> str:
    """Instances, one a line: state, and where they wait."""
    rows = []
    for instance in instances[:_SHOWN]:
        s = instance.snapshot()
        words = [badge(s.state.value)] + [badge("suspended")] * s.suspended + [badge("incident")] * bool(s.incidents)
        waits = ", ".join(sorted({a.node for a in s.activities}))
        rows.append((escape(s.id), escape(s.process), " ".join(words), escape(shorten(waits or s.end_node or "", 80)), _time(s.started)))
    return table(_caption("instances", len(instances)), ("id", "process", "state", "stands at", "started"), rows)


def engine_table(engine: Any) -> str:
    """An engine: what is deployed, how many instances are in which state, and its open incidents."""
    if engine.closed:
        return table("Engine", ("state",), [(badge("closed"),)])
    metrics = engine.metrics()
    states = [(badge(word), str(metrics[f"instances_{word}"])) for word in ("active", "completed", "failed", "cancelled")]
    parts = [
        table("Engine", ("instances", "number"), [*states, (badge("incident"), str(metrics["incidents_open"]))]),
        table(
            "Deployed processes",
            ("process", "name", "version", "profile"),
            [(escape(d.id), escape(d.name), str(d.version), escape(d.profile)) for d in engine.definitions()],
        ),
    ]
    incidents = engine.incidents()
    if incidents:
        parts.append(incidents_table(incidents))
    return "".join(parts)


def _caption(what: str, count: int) -> str:
    return f"{count} {what}" + (f", the first {_SHOWN}" if count > _SHOWN else "")


def _time(at: dt.datetime) -> str:
    return escape(at.strftime("%Y-%m-%d %H:%M:%S"))
