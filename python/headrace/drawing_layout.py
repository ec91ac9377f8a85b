"""A simple layered layout, left to right, for models without diagram data. No two elements overlap, and no flow runs through an element:
flows go level through free cells of the grid and turn in the gutters between the columns."""

from __future__ import annotations

import dataclasses
from collections import defaultdict

from headrace.drawing_data import Box, DrawnNode, Picture, Point
from headrace.drawing_layers import Grid, Link, arrange
from headrace.drawing_text import shorten, width, wrap

LABEL = 110.0  # pixels of a line of text under an event or a gateway
LINE = 14.0
CONDITION = 20  # characters of a condition that are shown
EVENT_TEXT = 12  # and of the name of a boundary event
_EVENT, _GATEWAY, _TASK = 36.0, 50.0, (120.0, 70.0)
_PADDING, _TITLE = 24.0, 34.0  # inside a sub-process
_GUTTER, _STEP, _ROW_GAP = 22.0, 8.0, 26.0
_EDGE = 30.0  # from the side of an activity to the middle of its last boundary event


@dataclasses.dataclass
class Layout:
    """Where everything is: boxes of elements, waypoints of flows, and where the text of a flow starts."""

    shapes: dict[str, Box] = dataclasses.field(default_factory=dict)
    edges: dict[str, list[Point]] = dataclasses.field(default_factory=dict)
    texts: dict[str, Point] = dataclasses.field(default_factory=dict)
    width: float = 0.0
    height: float = 0.0


def form(kind: str) -> str:
    """How an element is drawn: "event", "gateway", "sub-process" or "task"."""
    if kind == "subProcess":
        return "sub-process"
    if kind.endswith("Event") or kind.startswith("boundary"):
        return "event"
    return "gateway" if kind.endswith("Gateway") else "task"


def layout(picture: Picture) -> Layout:
    """Lays out an orderly picture: inner sub-processes first, for they say how large they are."""
    inside: dict[str, list[DrawnNode]] = defaultdict(list)
    for node in picture.nodes:
        inside[node.parent].append(node)
    order = [""]
    for scope in order:  # grows while it is walked
        order += [n.id for n in inside[scope] if n.kind == "subProcess"]
    made: dict[str, Layout] = {}
    links = _links(picture)
    for scope in reversed(order):
        made[scope] = _Scope(inside[scope], links[scope], made).done
    whole = made[""]
    for scope in order[1:]:
        frame = whole.shapes[scope]
        _put(made[scope], frame.x + _PADDING, frame.y + _TITLE, whole)
    return whole


def _links(picture: Picture) -> dict[str, list[tuple[Link, str]]]:
    """The flows of each scope with their texts; a flow between scopes is none of them."""
    nodes = {n.id: n for n in picture.nodes}
    found: dict[str, list[tuple[Link, str]]] = defaultdict(list)
    for flow in picture.flows:
        source, target = nodes[flow.source], nodes[flow.target]
        boundary = source.id if source.attached_to else ""
        if source.parent == target.parent and not target.attached_to:
            link = Link(flow.id, source.attached_to or source.id, target.id, boundary)
            found[source.parent].append((link, shorten(flow.condition, CONDITION)))
    return found


def _put(part: Layout, x: float, y: float, whole: Layout) -> None:
    whole.shapes.update({id: box.moved(x, y) for id, box in part.shapes.items()})
    whole.edges.update({id: [(px + x, py + y) for px, py in points] for id, points in part.edges.items()})
    whole.texts.update({id: (px + x, py + y) for id, (px, py) in part.texts.items()})


class _Scope:
    """The layout of what lies directly in one scope."""

    def __init__(self, nodes: list[DrawnNode], links: list[tuple[Link, str]], made: dict[str, Layout]) -> None:
        self.done = Layout()
        self._nodes = {n.id: n for n in nodes if not n.attached_to}
        self._links = [link for link, _ in links]
        self._texts = {link.flow: text for link, text in links}
        self._boundaries: dict[str, list[str]] = defaultdict(list)
        self._apart: dict[str, float] = defaultdict(lambda: _EVENT + 10)  # between two boundary events there is room for a name
        for node in nodes:
            if node.attached_to:
                self._boundaries[node.attached_to].append(node.id)
                apart = _EVENT + 10 + width(shorten(node.name, EVENT_TEXT))
                self._apart[node.attached_to] = max(self._apart[node.attached_to], apart)
        self._sizes = {id: self._size(node, made) for id, node in self._nodes.items()}
        self._grid = arrange(list(self._nodes), self._links)
        self._slots: dict[int, list[tuple[str, int]]] = defaultdict(list)
        self._collect_slots()
        self._place()
        self._route()

    def _size(self, node: DrawnNode, made: dict[str, Layout]) -> tuple[float, float]:
        match form(node.kind):
            case "event":
                return (_EVENT, _EVENT)
            case "gateway":
                return (_GATEWAY, _GATEWAY)
            case "sub-process":
                inner = made[node.id]
                base = (max(_TASK[0], inner.width + 2 * _PADDING), inner.height + _TITLE + _PADDING)
            case _:
                base = _TASK
        events = len(self._boundaries[node.id])
        return (max(base[0], 2 * _EDGE + self._apart[node.id] * (events - 1)), base[1])

    def _below(self, node: DrawnNode) -> float:
        """What hangs under an element: its text, or its boundary events and what leaves them."""
        events = self._boundaries[node.id]
        if events:
            return _EVENT / 2 + LINE + 10 + _STEP * len(events)
        if form(node.kind) in ("event", "gateway"):
            return LINE * len(wrap(node.name, LABEL, 3)) + 6
        return 0.0

    def _footprint(self, node: DrawnNode) -> float:
        text = max((width(line) for line in wrap(node.name, LABEL, 3)), default=0.0)
        return max(self._sizes[node.id][0], text if form(node.kind) in ("event", "gateway") else 0.0)

    def _stops(self, link: Link) -> list[int]:
        """The rows that a flow goes through, column after column."""
        return [self._grid.row[link.source], *self._grid.passing.get(link.flow, []), self._grid.row[link.target]]

    def _collect_slots(self) -> None:
        """Which flows turn in which gutter (gutter n is left of column n)."""
        grid = self._grid
        for link in self._links:
            first = grid.column[link.source] + 1
            if link.flow in grid.lanes:
                self._slots[first].append((link.flow, 0))
                self._slots[grid.column[link.target]].append((link.flow, 1))
                continue
            stops = self._stops(link)
            for step in range(len(stops) - 1):
                if stops[step] != stops[step + 1] or (step == 0 and link.boundary):
                    self._slots[first + step].append((link.flow, step))
        starts = {(link.flow, 0) for link in self._links if link.boundary}
        for gutter, slots in self._slots.items():  # what leaves lower turns earlier, so that it does not cross what leaves higher
            backward = iter([slot for slot in reversed(slots) if slot in starts])
            self._slots[gutter] = [next(backward) if slot in starts else slot for slot in slots]

    def _place(self) -> None:
        grid: Grid = self._grid
        columns = max(grid.column.values(), default=-1) + 1
        rows = max([*grid.row.values(), *(r for p in grid.passing.values() for r in p)], default=-1) + 1
        wide = [20.0] * columns
        up, down = [LINE] * rows, [LINE] * rows
        for id, node in self._nodes.items():
            c, r, half = grid.column[id], grid.row[id], self._sizes[id][1] / 2
            wide[c] = max(wide[c], self._footprint(node))
            up[r], down[r] = max(up[r], half), max(down[r], half + self._below(node))
        self._gutters: list[float] = []
        x = 0.0
        middles: list[float] = []
        for c in range(columns + 1):
            self._gutters.append(x)
            x += self._gutter_width(c, columns)
            if c < columns:
                middles.append(x + wide[c] / 2)
                x += wide[c]
        self._levels: list[float] = []
        y = 0.0
        for r in range(rows):
            self._levels.append(y + up[r])
            y += up[r] + down[r] + _ROW_GAP
        self._bottom = y
        for id, (w, h) in self._sizes.items():
            box = Box(middles[grid.column[id]] - w / 2, self._levels[grid.row[id]] - h / 2, w, h)
            self.done.shapes[id] = box
            events = self._boundaries[id]
            for n, event in enumerate(events):  # the first is the rightmost: what leaves it turns first
                middle = box.right - _EDGE - self._apart[id] * n
                self.done.shapes[event] = Box(middle - _EVENT / 2, box.bottom - _EVENT / 2, _EVENT, _EVENT)
        self.done.width = x
        self.done.height = max(0.0, y - _ROW_GAP) + (_ROW_GAP + 12.0 * len(grid.lanes) if grid.lanes else 0.0)

    def _gutter_width(self, gutter: int, columns: int) -> float:
        slots = len(self._slots[gutter])
        texts = [t for link in self._links if (t := self._texts[link.flow]) and self._grid.column[link.source] + 1 == gutter]
        if gutter in (0, columns) and not slots:
            return 0.0
        return 2 * _GUTTER + _STEP * slots + max((width(t) for t in texts), default=0.0)

    def _turn(self, gutter: int, flow: str, step: int) -> float:
        return self._gutters[gutter] + _GUTTER / 2 + _STEP * self._slots[gutter].index((flow, step))

    def _route(self) -> None:
        for lane, flow in enumerate(self._grid.lanes):
            link = next(one for one in self._links if one.flow == flow)
            self._route_lane(link, self._bottom + 12.0 * lane)
        for link in self._links:
            if link.flow not in self.done.edges:
                self._route_forward(link)

    def _leave(self, link: Link) -> list[Point]:
        """The first points: to the right, or down from a boundary event and then right under the element."""
        box = self.done.shapes[link.source]
        if not link.boundary:
            return [(box.right, box.middle[1])]
        event = self.done.shapes[link.boundary]
        place = self._boundaries[link.source].index(link.boundary)
        return [(event.middle[0], event.bottom), (event.middle[0], event.bottom + LINE + 6 + _STEP * place)]

    def _route_lane(self, link: Link, level: float) -> None:
        points = self._leave(link)
        out = self._turn(self._grid.column[link.source] + 1, link.flow, 0)
        back = self._turn(self._grid.column[link.target], link.flow, 1)
        target = self.done.shapes[link.target]
        points += [(out, points[-1][1]), (out, level), (back, level), (back, target.middle[1]), (target.x, target.middle[1])]
        self._keep(link, points, (min(out, back) + 4, level - 4))

    def _route_forward(self, link: Link) -> None:
        points = self._leave(link)
        stops = self._stops(link)
        first = self._grid.column[link.source] + 1
        start = 0
        for step in range(len(stops) - 1):
            if (link.flow, step) in self._slots[first + step]:
                x = self._turn(first + step, link.flow, step)
                points += [(x, points[-1][1]), (x, self._levels[stops[step + 1]])]
                start = start or len(points) - 1
        target = self.done.shapes[link.target]
        points.append((target.x, target.middle[1]))
        x = self._gutters[first] + _GUTTER / 2 + _STEP * len(self._slots[first])
        self._keep(link, points, (x, points[start][1] - 5))

    def _keep(self, link: Link, points: list[Point], text: Point) -> None:
        self.done.edges[link.flow] = points
        self.done.texts[link.flow] = text
