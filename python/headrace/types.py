"""Names for the types that the face takes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, TypeAlias

from headrace.enums import Unbounded

#: Seconds, a timedelta, or ISO 8601 text such as "PT5M".
Duration: TypeAlias = "int | float | dt.timedelta | str"
#: A duration where a cap may be lifted.
Cap: TypeAlias = "Duration | Unbounded"
#: What a payload holds: JSON's values, int exact to 64 bits, bytes, aware datetime.
Variables: TypeAlias = "dict[str, Any]"
FieldType: TypeAlias = Any
Fields: TypeAlias = Mapping[str, Any]
