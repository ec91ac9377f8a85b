"""The symbols of BPMN as SVG elements. Colours come by class, from the style of the drawing."""

from __future__ import annotations

import math
from collections.abc import Sequence

from headrace.drawing_data import Box, DrawnNode, Point
from headrace.drawing_layout import form

_THICK = ("endEvent", "terminateEndEvent", "errorEndEvent")


def number(value: float) -> str:
    """A coordinate with at most one decimal: the same text on every machine."""
    text = f"{value:.1f}"
    return text.removesuffix(".0") if text != "-0.0" else "0"


def path(points: Sequence[Point], closed: bool = False) -> str:
    """The points as the value of ``d``."""
    return "M" + " L".join(f"{number(x)} {number(y)}" for x, y in points) + (" Z" if closed else "")


def symbol(node: DrawnNode, box: Box) -> str:
    """The outline and the icon of an element."""
    match form(node.kind):
        case "event":
            return _event(node.kind, box)
        case "gateway":
            return _gateway(node.kind, box)
        case "sub-process":
            return _rectangle(box, "hr-scope")
        case _:
            return _rectangle(box, "hr-shape") + _icon(node.kind, box)


def arrow(points: Sequence[Point]) -> str:
    """The head at the end of a flow."""
    (x0, y0), (x, y) = points[-2], points[-1]
    length = math.hypot(x - x0, y - y0) or 1.0
    dx, dy = (x - x0) / length, (y - y0) / length
    head = [(x, y), (x - 9 * dx - 4 * dy, y - 9 * dy + 4 * dx), (x - 9 * dx + 4 * dy, y - 9 * dy - 4 * dx)]
    return f'<path class="hr-head" d="{path(head, closed=True)}"/>'


def slash(points: Sequence[Point]) -> str:
    """The stroke through the start of a default flow."""
    (x0, y0), (x1, y1) = points[0], points[1]
    length = math.hypot(x1 - x0, y1 - y0) or 1.0
    x, y = x0 + 10 * (x1 - x0) / length, y0 + 10 * (y1 - y0) / length
    return f'<path class="hr-icon" d="{path([(x - 4, y + 4), (x + 4, y - 4)])}"/>'


def circle(x: float, y: float, radius: float, kind: str) -> str:
    """A circle of a class."""
    return f'<circle class="{kind}" cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"/>'


def _rectangle(box: Box, kind: str) -> str:
    return (
        f'<rect class="{kind}" x="{number(box.x)}" y="{number(box.y)}" width="{number(box.width)}" height="{number(box.height)}" rx="10"/>'
    )


def _event(kind: str, box: Box) -> str:
    x, y = box.middle
    radius = min(box.width, box.height) / 2
    parts = [circle(x, y, radius, "hr-shape hr-thick" if kind in _THICK else "hr-shape")]
    if kind.startswith("boundary"):
        parts.append(circle(x, y, radius - 3.5, "hr-shape"))
    if kind == "terminateEndEvent":
        parts.append(circle(x, y, radius * 0.55, "hr-solid"))
    elif "Timer" in kind or "timer" in kind:
        parts.append(circle(x, y, radius * 0.55, "hr-icon"))
        parts.append(f'<path class="hr-icon" d="{path([(x, y - radius * 0.4), (x, y), (x + radius * 0.3, y)])}"/>')
    elif "Error" in kind or "error" in kind:
        bolt = [(-0.45, 0.45), (-0.15, -0.4), (0.15, 0.1), (0.45, -0.45), (0.15, 0.4), (-0.15, -0.05)]
        parts.append(f'<path class="hr-solid" d="{path([(x + radius * a, y + radius * b) for a, b in bolt], closed=True)}"/>')
    return "".join(parts)


def _gateway(kind: str, box: Box) -> str:
    x, y = box.middle
    outline = path([(x, box.y), (box.right, y), (x, box.bottom), (box.x, y)], closed=True)
    parts = [f'<path class="hr-shape" d="{outline}"/>']
    arm = min(box.width, box.height) * 0.2
    if kind == "parallelGateway":
        lines = [[(x - arm * 1.3, y), (x + arm * 1.3, y)], [(x, y - arm * 1.3), (x, y + arm * 1.3)]]
    elif kind == "exclusiveGateway":
        lines = [[(x - arm, y - arm), (x + arm, y + arm)], [(x - arm, y + arm), (x + arm, y - arm)]]
    else:
        lines = []
        parts.append(circle(x, y, arm * 1.2, "hr-icon"))
    parts += [f'<path class="hr-icon hr-bold" d="{path(line)}"/>' for line in lines]
    return "".join(parts)


def _icon(kind: str, box: Box) -> str:
    x, y = box.x + 8, box.y + 8
    if kind == "serviceTask":
        teeth = [
            (x + 7 + r * math.cos(math.pi * n / 8), y + 7 + r * math.sin(math.pi * n / 8))
            for n in range(16)
            for r in ((7.0,) if n % 4 < 2 else (5.0,))
        ]
        return f'<path class="hr-icon" d="{path(teeth, closed=True)}"/>' + circle(x + 7, y + 7, 2.2, "hr-icon")
    if kind == "userTask":
        body = f"M{number(x)} {number(y + 14)} v-2 a7 6 0 0 1 14 0 v2 Z"
        return circle(x + 7, y + 3.4, 3.2, "hr-icon") + f'<path class="hr-icon" d="{body}"/>'
    if kind == "businessRuleTask":
        grid = f"M{number(x)} {number(y)} h14 v11 h-14 Z m0 4 h14 m-10 0 v7"
        return f'<path class="hr-icon" d="{grid}"/>'
    return ""
