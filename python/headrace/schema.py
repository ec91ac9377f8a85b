"""Output schemas: JSON Schema by jsonschema_rs, which is imported only when a schema is given (the extra ``schema``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from headrace import _core
from headrace.protocols import check_function
from headrace.types import shown


def schema_check(schema: Any) -> Callable[[Any], object]:
    """A function that raises ValidationError when a value does not fit; a callable is taken as it is.

    The error tells where the value does not fit and by which rule of the schema, never the value itself. Regular expressions run in
    linear time, and nothing is fetched for a reference.
    """
    if callable(schema):
        check_function("the check of WithOutputSchema", schema, 1)
        return schema  # type: ignore[no-any-return]
    if not isinstance(schema, (dict, bool)):
        raise TypeError(f"expected a JSON Schema (a dict) or a function for WithOutputSchema, but found {type(schema).__name__}")
    try:
        import jsonschema_rs
    except ImportError:
        raise ImportError("expected jsonschema_rs for WithOutputSchema: pip install headrace[schema]") from None
    try:
        validator = jsonschema_rs.validator_for(schema, mask="***", pattern_options=jsonschema_rs.RegexOptions(), retriever=_refuse)
    except jsonschema_rs.ValidationError as error:
        raise _core.ValidationError(f"expected a JSON Schema for WithOutputSchema, but {_fault_of(schema, error)}") from None
    except Exception as error:  # ValueError for values that JSON has not, RecursionError
        raise _core.ValidationError(f"expected a JSON Schema for WithOutputSchema, but found {_first_line(error)}") from None

    def check(output: Any) -> None:
        try:
            validator.validate(output)
        except jsonschema_rs.ValidationError as error:
            where = "".join(f"[{part!r}]" for part in error.instance_path)
            rule = "/".join(map(str, error.schema_path))
            raise _core.ValidationError(f"output{where} {_misfit(error.message)} (rule {rule})") from None

    return check


def schema_of_text(text: str) -> Callable[[Any], object]:
    """The same from JSON text, as models in XML carry it."""
    import json

    return schema_check(json.loads(text))


def _misfit(message: str) -> str:
    """What the library says of a masked value, as the end of a sentence."""
    return message.removeprefix("*** ") if message.startswith("*** ") else f"does not fit: {message}"


def _fault_of(schema: Any, error: Any) -> str:
    """Where a schema is no schema, by JSON pointer, and why. It is the model's own text: unlike an output it can be shown."""
    path = list(error.instance_path)
    keyword = next((part for part in reversed(path) if isinstance(part, str)), "")
    if not path:
        return f"found one that cannot be used: {_first_line(error)}"
    value = schema
    for part in path:
        try:
            value = value[part]
        except (TypeError, KeyError, IndexError):
            return f"keyword {keyword!r} at {_pointer(path)} does not fit: {_first_line(error)}"
    return f"keyword {keyword!r} at {_pointer(path)} is {shown(value)}, which {_misfit(error.message)}"


def _pointer(path: list[Any]) -> str:
    return "#" + "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def _refuse(uri: str) -> NoReturn:
    raise ValueError(f"expected a schema that stands for itself, but found a reference to {uri}")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:400]
