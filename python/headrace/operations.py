"""Operations and their messages: the contract of a service task."""

from __future__ import annotations

import dataclasses
import datetime as dt
import typing
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from headrace import _core
from headrace.types import shown, text_of, together

_WORDS: dict[Any, str] = {
    str: "string",
    int: "integer",
    float: "float",
    bool: "boolean",
    bytes: "bytes",
    dt.datetime: "datetime",
    list: "list",
    tuple: "list",
    dict: "map",
    object: "any",
    Any: "any",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Optional:
    """A field that may be absent: ``hr.Optional(str)``."""

    type: Any


@dataclasses.dataclass(frozen=True, slots=True)
class Sensitive:
    """A field that is ``***`` in logs, repr, history, incidents and diagrams: ``hr.Sensitive(str)``.

    Its value reaches the worker as it is. Mark every field of an in message that may carry such data; where workers are out of this
    process, the transport must encrypt the way to them, know who they are, and keep bodies out of its own logs.
    """

    type: Any


@dataclasses.dataclass(frozen=True)
class Error:
    """A BPMN error that an operation declares."""

    code: str
    name: str = ""


@dataclasses.dataclass(frozen=True)
class Message:
    """The fields of a message and their types: ``hr.Message("ChargeRequest", {"orderId": str, "amount": float})``."""

    name: str
    fields: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def _compile(self) -> _core.MessageType:
        label = shown(self.name)

        def fields() -> None:
            if not isinstance(self.fields, Mapping):
                raise TypeError(f"expected the fields of message {label} to be a mapping, but found {type(self.fields).__name__}")
            together(*(partial(_field, label, field, kind) for field, kind in self.fields.items()))

        together(lambda: text_of("the name of a message", self.name), fields)
        return _core.message_type(self.name, [_field(label, field, kind) for field, kind in self.fields.items()])


def _field(message: str, name: str, kind: Any) -> tuple[str, str, bool, bool]:
    text_of(f"the name of a field of message {message}", name)
    optional = sensitive = False
    while isinstance(kind, (Optional, Sensitive)):
        optional = optional or isinstance(kind, Optional)
        sensitive = sensitive or isinstance(kind, Sensitive)
        kind = kind.type
    try:
        word = _WORDS.get(typing.get_origin(kind) or kind)
    except TypeError:  # what cannot be hashed is no type
        word = None
    if word is None:
        raise _core.ValidationError(
            f"expected str, int, float, bool, bytes, datetime, list, dict or object as type of field {name!r} of message {message}, "
            f"but found {shown(kind)}"
        )
    return (name, word, optional, sensitive)


@dataclasses.dataclass(frozen=True, init=False)
class Operation:
    """What a service task does: in and out message, declared errors, and what runs it in the process.

    ``implementor`` is a function from the input dict to the output dict. Effects belong in the return value: what returns after a
    timeout is dropped. One operation may serve tasks in the process and tasks by workers.
    """

    name: str
    in_message: Message | None
    out_message: Message | None
    errors: tuple[Error, ...]
    implementor: Callable[..., Any] | None

    def __init__(
        self,
        name: str,
        in_message: Message | None = None,
        out_message: Message | None = None,
        errors: Iterable[Error | str] = (),
        implementor: Callable[..., Any] | None = None,
    ) -> None:
        if implementor is not None and not callable(implementor):
            raise TypeError(f"expected the implementor of operation {shown(name)} to be callable, but found {type(implementor).__name__}")
        if isinstance(errors, (str, bytes, Error)) or not isinstance(errors, Iterable):
            raise TypeError(f"expected the errors of operation {shown(name)} to be a list, but found {shown(errors)}")
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "in_message", in_message)
        object.__setattr__(self, "out_message", out_message)
        object.__setattr__(self, "errors", tuple(e if isinstance(e, Error) else Error(e) for e in errors))
        object.__setattr__(self, "implementor", implementor)
