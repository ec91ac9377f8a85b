"""What a drawing is made from: plain data, so that it can be tested without an engine. It has no values of variables."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

Point = tuple[float, float]
_FAR = 1_000_000.0


@dataclasses.dataclass(frozen=True, slots=True)
class Box:
    """A place on the paper, in pixels: the left upper corner and the size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The right border."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The lower border."""
        return self.y + self.height

    @property
    def middle(self) -> Point:
        """The centre."""
        return (self.x + self.width / 2, self.y + self.height / 2)

    def moved(self, x: float, y: float) -> Box:
        """The same box elsewhere."""
        return Box(self.x + x, self.y + y, self.width, self.height)


@dataclasses.dataclass(frozen=True, slots=True)
class DrawnNode:
    """An element: ``kind`` is BPMN's word ("serviceTask"), ``parent`` the sub-process around it."""

    id: str
    kind: str
    name: str = ""
    parent: str = ""
    attached_to: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class DrawnFlow:
    """A sequence flow."""

    id: str
    source: str
    target: str
    condition: str = ""
    default: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Mark:
    """What happens at an element: tokens that wait there, normal ends, cancellations, and the kinds of its open incidents."""

    tokens: int = 0
    completed: int = 0
    cancelled: int = 0
    incidents: tuple[str, ...] = ()
    failed: bool = False


@dataclasses.dataclass(frozen=True)
class Picture:
    """All of a drawing. Without a place for each element (``shapes``) the drawing is laid out."""

    title: str
    nodes: tuple[DrawnNode, ...]
    flows: tuple[DrawnFlow, ...] = ()
    shapes: Mapping[str, Box] = dataclasses.field(default_factory=dict)
    edges: Mapping[str, tuple[Point, ...]] = dataclasses.field(default_factory=dict)
    marks: Mapping[str, Mark] = dataclasses.field(default_factory=dict)
    state: str = ""

    @property
    def is_placed(self) -> bool:
        """Whether every element has a usable place of its own."""
        return bool(self.nodes) and all(_usable(self.shapes.get(n.id)) for n in self.nodes)


def _usable(box: Box | None) -> bool:
    if box is None:
        return False
    numbers = (box.x, box.y, box.width, box.height)
    return all(math.isfinite(n) and abs(n) < _FAR for n in numbers) and box.width > 0 and box.height > 0


def usable_line(points: tuple[Point, ...]) -> bool:
    """Whether waypoints can be drawn."""
    return len(points) >= 2 and all(math.isfinite(n) and abs(n) < _FAR for p in points for n in p)


def orderly(picture: Picture) -> Picture:
    """The same picture without what cannot be drawn: a model that is still being built may have ids twice or parents that are missing."""
    nodes: dict[str, DrawnNode] = {}
    for node in picture.nodes:
        nodes.setdefault(node.id, node)
    scopes = {n.id for n in nodes.values() if n.kind == "subProcess"}
    kept = {}
    for node in nodes.values():
        parent = node.parent if node.parent in scopes and not _encloses_itself(node, nodes) else ""
        kept[node.id] = dataclasses.replace(node, parent=parent)
    for node in kept.values():
        host = kept.get(node.attached_to)
        if node.attached_to and (host is None or host.attached_to or host.id == node.id or host.parent != node.parent):
            kept[node.id] = dataclasses.replace(node, attached_to="")
    flows: dict[str, DrawnFlow] = {}
    for flow in picture.flows:
        if flow.source in kept and flow.target in kept:
            flows.setdefault(flow.id, flow)
    return dataclasses.replace(picture, nodes=tuple(kept.values()), flows=tuple(flows.values()))


def _encloses_itself(node: DrawnNode, nodes: Mapping[str, DrawnNode]) -> bool:
    seen = {node.id}
    parent = node.parent
    while parent in nodes:
        if parent in seen:
            return True
        seen.add(parent)
        parent = nodes[parent].parent
    return False


def picture_of(model: Any, instance: Any = None) -> Picture:
    """The picture of an hr.Process, an hr.Definition or an hr.Instance, with the marks of an instance."""
    if instance is None and hasattr(model, "snapshot"):
        model, instance = model.definition, model
    if hasattr(model, "elements"):
        picture = _of_process(model)
    elif hasattr(model, "nodes"):
        picture = _of_definition(model)
    else:
        raise TypeError(f"expected an hr.Process, an hr.Definition or an hr.Instance to draw, but found {type(model).__name__}")
    if instance is not None:
        snapshot = instance.snapshot()
        picture = dataclasses.replace(picture, marks=_marks(snapshot), state=snapshot.state.value)
    return orderly(picture)


def _of_process(process: Any) -> Picture:
    defaults = {flow for _, flow in process._defaults}
    nodes = tuple(DrawnNode(n.id, n.kind, n.name, n.scope._path, getattr(n, "activity", "")) for n in process.elements)
    flows = tuple(DrawnFlow(f.id, f.source, f.target, _condition(f.condition), f.id in defaults) for f in process.flows)
    return Picture(process.name or process.id, nodes, flows)


def _condition(condition: Any) -> str:
    if condition is None or isinstance(condition, str):
        return condition or ""
    return f"{getattr(condition, '__name__', type(condition).__name__)}()"


def _of_definition(definition: Any) -> Picture:
    nodes = definition.nodes
    defaults = {n["default_flow"] for n in nodes}
    diagram = definition.diagram
    return Picture(
        definition.name or definition.id,
        tuple(DrawnNode(n["id"], n["kind"], n["name"], n["parent"], n["attached_to"]) for n in nodes),
        tuple(DrawnFlow(f["id"], f["source"], f["target"], f["condition"], f["id"] in defaults) for f in definition.flows),
        {id: Box(*place) for id, place in diagram["shapes"].items()},
        {id: tuple((x, y) for x, y in points) for id, points in diagram["edges"].items()},
    )


def _marks(snapshot: Any) -> dict[str, Mark]:
    marks: dict[str, Mark] = {}

    def change(node: str, **values: Any) -> None:
        marks[node] = dataclasses.replace(marks.get(node, Mark()), **values)

    for node, count in snapshot.counts.items():
        change(node, completed=count.completed, cancelled=count.cancelled)
    for activity in snapshot.activities:
        change(activity.node, tokens=marks.get(activity.node, Mark()).tokens + 1)
    for incident in snapshot.incidents:
        change(incident.node, incidents=(*marks.get(incident.node, Mark()).incidents, incident.kind.value))
    if snapshot.state.value == "failed" and snapshot.end_node:
        change(snapshot.end_node, failed=True)
    return marks
