"""Tables for pandas, which is imported only when one is asked for (the extra ``notebook``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headrace.instance import Instance

ELEMENTS = ["node", "name", "kind", "completed", "cancelled", "tokens", "incidents"]
INSTANCES = ["id", "process", "version", "state", "started", "end", "error", "tokens", "incidents"]


def elements(instance: Instance) -> Any:
    """One line for each element of an instance's process: how often it ended, what waits there, and its open incidents."""
    pandas = _pandas()
    snapshot = instance.snapshot()
    rows = []
    for node in instance.definition.nodes:
        count = snapshot.counts.get(node["id"])
        rows.append(
            (
                node["id"],
                node["name"],
                node["kind"],
                count.completed if count else 0,
                count.cancelled if count else 0,
                sum(a.node == node["id"] for a in snapshot.activities),
                sum(i.node == node["id"] for i in snapshot.incidents),
            )
        )
    return pandas.DataFrame(rows, columns=ELEMENTS)


def instances(many: Iterable[Instance]) -> Any:
    """One line for each instance: its state and where it ended. No variables: name those that you need yourself."""
    pandas = _pandas()
    rows = []
    for instance in many:
        s = instance.snapshot()
        row = (s.id, s.process, s.version, s.state.value, s.started, s.end_node, s.error_code, len(s.activities), len(s.incidents))
        rows.append(row)
    return pandas.DataFrame(rows, columns=INSTANCES)


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise ImportError("expected pandas for a table: pip install headrace[notebook]") from None
    return pandas
