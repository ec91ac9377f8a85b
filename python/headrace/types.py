"""Names for the types that the face takes."""

from __future__ import annotations

import datetime as dt
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
    """A text as it is; TypeError when it is no str (bytes would pass for one in C++)."""
    if not isinstance(value, str):
        raise TypeError(f"expected {what} to be a str, but found {type(value).__name__}")
    return value


def seconds_of(duration: Duration) -> float:
    """A duration as seconds."""
    delta = _core.duration(duration, False)
    assert isinstance(delta, dt.timedelta)
    return delta.total_seconds()
