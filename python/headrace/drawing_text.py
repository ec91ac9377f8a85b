"""Text on its way into XML and HTML: no character that XML forbids, nothing that is markup, lines that fit."""

from __future__ import annotations

import html
import re
import unicodedata

# What XML 1.0 forbids, the C1 controls, and the marks that turn the direction of the text around them.
_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_CHARACTER = 6.4  # pixels of a narrow character at 12 px


def clean(text: object) -> str:
    """The text in one line, with U+FFFD in place of what cannot be drawn."""
    return " ".join(_UNSAFE.sub("\ufffd", str(text)).split())


def escape(text: object) -> str:
    """Clean text as XML or HTML content, or as the value of an attribute in double quotes."""
    return html.escape(clean(text), quote=True)


def width(text: str) -> float:
    """About how many pixels a line of text takes at 12 px."""
    wide = sum(1 for c in text if unicodedata.east_asian_width(c) in "WF")
    return (len(text) + wide) * _CHARACTER


def shorten(text: object, characters: int) -> str:
    """Clean text of at most so many characters."""
    whole = clean(text)
    return whole if len(whole) <= characters else whole[: characters - 1] + "…"


def wrap(text: object, pixels: float, lines: int) -> list[str]:
    """Clean text in at most so many lines of about so many pixels; the rest is an ellipsis."""
    limit = max(4, int(pixels / _CHARACTER))
    made: list[str] = []
    for word in clean(text)[: limit * (lines + 1)].split(" "):
        for piece in [word[i : i + limit] for i in range(0, len(word), limit)] or [""]:
            if made and len(made[-1]) + 1 + len(piece) <= limit:
                made[-1] += f" {piece}"
            elif piece:
                made.append(piece)
    if len(made) > lines:
        made = [*made[: lines - 1], shorten(" ".join(made[lines - 1 :]), limit)]
        made[-1] = made[-1] if made[-1].endswith("…") else made[-1][: limit - 1] + "…"
    return made
