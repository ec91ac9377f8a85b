"""What an instance adds to a drawing, as badges and in words. Kinds and numbers only: never messages, bodies or variables."""

from __future__ import annotations

from headrace.drawing_data import Box, Mark, Picture
from headrace.drawing_shapes import number
from headrace.drawing_text import escape, width


def badges(box: Box, mark: Mark) -> list[str]:
    """Tokens at the left upper corner, incidents at the right one, ends and cancellations along the lower border."""
    made = []
    if mark.tokens:
        made.append(_badge("hr-token", str(mark.tokens), box.x, box.y))
    if mark.incidents:
        made.append(_badge("hr-incident", "!" if len(mark.incidents) == 1 else f"{len(mark.incidents)}!", box.right, box.y))
    elif mark.failed:
        made.append(_badge("hr-incident", "✕", box.right, box.y))
    low = [("hr-done", f"✓{mark.completed}", mark.completed), ("hr-gone", f"✕{mark.cancelled}", mark.cancelled)]
    x, y = (box.x, box.bottom) if box.width > 60 else (box.x - 4, box.bottom - 8)  # under small symbols stands their text
    for kind, text, count in low:
        if count:
            made.append(_badge(kind, text, x, y))
            x += width(text) + 12
    return made


def _badge(kind: str, text: str, x: float, y: float) -> str:
    wide = max(16.0, width(text) + 8)
    return (
        f'<g class="{kind}"><rect x="{number(x - wide / 2)}" y="{number(y - 8)}" width="{number(wide)}" height="16" rx="8"/>'
        f'<text class="hr-middle" x="{number(x)}" y="{number(y + 4)}">{escape(text)}</text></g>'
    )


def words(mark: Mark) -> list[str]:
    """The marks of an element as text."""
    said = []
    if mark.tokens:
        said.append("1 token waits" if mark.tokens == 1 else f"{mark.tokens} tokens wait")
    if mark.completed:
        said.append(f"ended {mark.completed} times" if mark.completed > 1 else "ended once")
    if mark.cancelled:
        said.append(f"cancelled {mark.cancelled} times" if mark.cancelled > 1 else "cancelled once")
    said += [f"incident {kind}" for kind in mark.incidents]
    if mark.failed:
        said.append("failed here")
    return said


def describe(picture: Picture) -> str:
    """The whole drawing as text, for those who cannot see it: the flows of a small model, and all marks."""
    names = {n.id: n.name or n.id for n in picture.nodes}
    said = [f"{len(picture.nodes)} elements, {len(picture.flows)} flows."]
    said += [f"{names[f.source]} leads to {names[f.target]}." for f in picture.flows[:40]]
    said += [f"{names[n.id]}: {', '.join(said_of)}." for n in picture.nodes if (said_of := words(picture.marks.get(n.id, Mark())))]
    return " ".join(said)
