"""Names for the types that the face takes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any, TypeAlias

from headrace import _core
from headrace.enums import Unbounded

#: Seconds, a timedelta, or ISO 8601 text such as "PT5M".
Duration: TypeAlias = "int | float | dt.timedelta | str"
#: A duration where a cap may be lifted.
Cap: TypeAlias = "Duration | Unbounded"
#: What a payload holds: JSON's values, int exact to 64 bits, bytes, aware datetime.
Variables: TypeAlias = "dict[str, Any]"


def text_of(what: str, value: Any) -> str:
    """A text as an exact str; TypeError when it is no str, ValidationError when it is no text (a lone surrogate)."""
    if not isinstance(value, str):
        raise TypeError(f"expected {what} to be a str, but found {type(value).__name__}")
    plain = str.__str__(value)
    try:
        plain.encode()
    except UnicodeEncodeError:
        raise _core.ValidationError(f"expected {what} to be text, but {shown(plain)} has a lone surrogate") from None
    return plain


def shown(value: object) -> str:
    """The repr of what somebody gave, cut to some 100 characters."""
    try:
        text = repr(value if not isinstance(value, (str, bytes)) or len(value) <= 100 else value[:100])
    except Exception:
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= 110 and not (isinstance(value, (str, bytes)) and len(value) > 100) else f"{text[:100]}…"


#: What a mistake in a model raises.
MISTAKES = (_core.HeadraceError, TypeError, ValueError, ImportError)


def together(*parts: Callable[[], object]) -> None:
    """Does all parts; raises what one of them raised, or one ValidationError for all. ``mistakes_of()`` has each."""
    found: list[Exception] = []
    for part in parts:
        try:
            part()
        except MISTAKES as error:
            found.append(error)
    if len(found) == 1:
        raise found[0]
    if found:
        messages = tuple(m for error in found for m in mistakes_of(error))
        all_of_them = _core.ValidationError("; ".join(messages))
        setattr(all_of_them, "mistakes", messages)  # noqa: B010
        raise all_of_them


def mistakes_of(error: BaseException) -> tuple[str, ...]:
    """The messages of an error of together(), or the one of another error."""
    return getattr(error, "mistakes", None) or (str(error).encode("utf-8", "backslashreplace").decode() or type(error).__name__,)


def seconds_of(duration: Duration) -> float:
    """A duration as seconds."""
    delta = _core.duration(duration, False)
    assert isinstance(delta, dt.timedelta)
    return delta.total_seconds()
