"""Draws processes as SVG: the diagram of the model, or a layout of our own, with tokens, counts and incidents of an instance.

A drawing stands alone (no script, no font, no image from elsewhere), carries its meaning as text for screen readers, follows the light or
dark theme, and never shows values of variables.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence
from typing import Any

from headrace import drawing_marks
from headrace.drawing_data import Box, DrawnFlow, DrawnNode, Mark, Picture, Point, orderly, picture_of, usable_line
from headrace.drawing_layout import CONDITION, EVENT_TEXT, LABEL, LINE, Layout, form, layout
from headrace.drawing_shapes import arrow, number, path, slash, symbol
from headrace.drawing_style import STYLE
from headrace.drawing_text import clean, escape, shorten, width, wrap

__all__ = ["Box", "DrawnFlow", "DrawnNode", "Mark", "Picture", "render", "to_svg"]

_MARGIN = 24.0


def to_svg(model: Any, instance: Any = None) -> str:
    """An hr.Process, an hr.Definition or an hr.Instance as SVG text; ``instance`` adds where its tokens, ends and incidents are."""
    return render(picture_of(model, instance))


def render(picture: Picture) -> str:
    """A picture as SVG text: the same text for the same picture."""
    picture = orderly(picture)
    plan = _given(picture) if picture.is_placed else layout(picture)
    flows = [_flow(f, plan) for f in picture.flows]
    frames: list[str] = []
    nodes: list[str] = []
    for node in _outer_first(picture):
        drawn = frames if form(node.kind) == "sub-process" else nodes  # a frame would hide the flows inside it
        drawn.append(_node(node, plan.shapes[node.id], picture.marks.get(node.id, Mark())))
    body = "".join([*frames, *flows, *nodes])
    key = hashlib.sha256((picture.title + body).encode("utf-8", "replace")).hexdigest()[:12]
    x, y, w, h = _paper(picture, plan)
    view = " ".join(map(number, (x, y, w, h)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="hr-diagram" role="img" aria-labelledby="hr-{key}-title hr-{key}-text" '
        f'viewBox="{view}" width="{number(w)}" height="{number(h)}" style="max-width:100%;height:auto">'
        f'<title id="hr-{key}-title">{escape(_title(picture))}</title>'
        f'<desc id="hr-{key}-text">{escape(drawing_marks.describe(picture))}</desc>'
        f"<style>{STYLE}</style>"
        f'<rect class="hr-paper" x="{number(x)}" y="{number(y)}" width="{number(w)}" height="{number(h)}" rx="6"/>'
        f"{body}</svg>"
    )


def _title(picture: Picture) -> str:
    return f"Process {picture.title}" + (f", instance {picture.state}" if picture.state else "")


def _given(picture: Picture) -> Layout:
    """The places of the model's own diagram."""
    edges = {id: list(points) for id, points in picture.edges.items() if usable_line(points)}
    return Layout(dict(picture.shapes), edges)


def _outer_first(picture: Picture) -> list[DrawnNode]:
    """What lies in something, or on its border, is drawn after it."""
    parents = {n.id: n.parent for n in picture.nodes}

    def depth(id: str) -> int:
        count = 0
        while id := parents[id]:
            count += 1
        return count

    return sorted(picture.nodes, key=lambda n: (depth(n.id), bool(n.attached_to)))


def _points(flow: DrawnFlow, plan: Layout) -> list[Point]:
    if flow.id in plan.edges:
        return plan.edges[flow.id]
    source, target = plan.shapes[flow.source], plan.shapes[flow.target]
    return [_border(source, target.middle), _border(target, source.middle)]


def _border(box: Box, towards: Point) -> Point:
    """Where the line from a box's middle to a point leaves the box."""
    x, y = box.middle
    dx, dy = towards[0] - x, towards[1] - y
    reach = [half / abs(d) for half, d in ((box.width / 2, dx), (box.height / 2, dy)) if d]
    share = min([*reach, 1.0])
    return (x + dx * share, y + dy * share)


def _flow(flow: DrawnFlow, plan: Layout) -> str:
    points = _points(flow, plan)
    about = f"{flow.source} to {flow.target}" + (f": {flow.condition}" if flow.condition else "") + (" (default)" if flow.default else "")
    parts = [f'<path class="hr-flow" d="{path(points)}"/>', arrow(points)]
    if flow.default:
        parts.append(slash(points))
    if flow.condition:
        x, y = plan.texts.get(flow.id) or _beside(points)
        parts.append(_text([shorten(flow.condition, CONDITION)], x, y, "hr-note"))
    return f'<g data-flow="{escape(flow.id)}"><title>{escape(about)}</title>{"".join(parts)}</g>'


def _beside(points: Sequence[Point]) -> Point:
    """Above the longest level piece of a line."""
    (x0, y0), (x1, y1) = max(itertools.pairwise(points), key=lambda p: abs(p[1][0] - p[0][0]))
    return (min(x0, x1) + 4, (y0 + y1) / 2 - 5)


def _node(node: DrawnNode, box: Box, mark: Mark) -> str:
    name = node.name or node.id
    kinds = "hr-node" + (" hr-open" if mark.tokens else "") + (" hr-bad" if mark.incidents or mark.failed else "")
    parts = [symbol(node, box), *_label(node, box), *drawing_marks.badges(box, mark)]
    about = ", ".join([f"{name} ({node.kind})", *drawing_marks.words(mark)])
    return f'<g class="{kinds}" data-node="{escape(node.id)}"><title>{escape(about)}</title>{"".join(parts)}</g>'


def _label(node: DrawnNode, box: Box) -> list[str]:
    match form(node.kind):
        case "sub-process":
            return [_text(wrap(node.name or node.id, box.width - 20, 1), box.x + 12, box.y + 20, "hr-text")]
        case "task":
            lines = wrap(node.name or node.id, box.width - 16, max(1, int((box.height - 30) / LINE)))
            return [_text(lines, box.middle[0], box.middle[1] + 10 - LINE * (len(lines) - 1) / 2, "hr-text hr-middle")]
    if node.attached_to:
        return [_text([shorten(node.name, EVENT_TEXT)], box.x - 2, box.bottom + 4, "hr-note hr-end")] if node.name else []
    return [_text(wrap(node.name, LABEL, 3), box.middle[0], box.bottom + LINE, "hr-text hr-middle")] if clean(node.name) else []


def _text(lines: Sequence[str], x: float, y: float, kind: str) -> str:
    spans = "".join(f'<tspan x="{number(x)}" y="{number(y + n * LINE)}">{escape(line)}</tspan>' for n, line in enumerate(lines))
    return f'<text class="{kind}">{spans}</text>'


def _paper(picture: Picture, plan: Layout) -> tuple[float, float, float, float]:
    """The smallest sheet that holds shapes, lines and texts, with a margin."""
    xs, ys = [0.0] if not picture.nodes else [], [0.0] if not picture.nodes else []
    for node in picture.nodes:
        box = plan.shapes[node.id]
        half = (
            max([box.width / 2, *(width(line) / 2 for line in wrap(node.name, LABEL, 3))]) if form(node.kind) != "task" else box.width / 2
        )
        below = LINE * 3 + 6 if form(node.kind) in ("event", "gateway") and node.name else 0.0
        xs += [box.middle[0] - half, box.middle[0] + half]
        ys += [box.y, box.bottom + below]
    for flow in picture.flows:
        for x, y in _points(flow, plan):
            xs.append(x)
            ys.append(y)
        if flow.condition:
            x, y = plan.texts.get(flow.id) or _beside(_points(flow, plan))
            xs += [x, x + width(shorten(flow.condition, CONDITION))]
            ys.append(y - LINE)
    left, top = min(xs) - _MARGIN, min(ys) - _MARGIN
    return (left, top, max(xs) + _MARGIN - left, max(ys) + _MARGIN - top)
