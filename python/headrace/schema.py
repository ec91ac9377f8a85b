"""Output schemas: JSON Schema by jsonschema_rs, which is imported only when a schema is given (the extra ``schema``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from headrace import _core


def schema_check(schema: Any) -> Callable[[Any], object]:
    """A function that raises ValidationError when a value does not fit; a callable is taken as it is.

    The error tells where the value does not fit and by which rule of the schema, never the value itself. Regular expressions run in
    linear time, and nothing is fetched for a reference.
    """
    if callable(schema):
        return schema  # type: ignore[no-any-return]
    if not isinstance(schema, (dict, bool)):
        raise TypeError(f"expected a JSON Schema (a dict) or a function for WithOutputSchema, but found {type(schema).__name__}")
    try:
        import jsonschema_rs
    except ImportError:
        raise ImportError("expected jsonschema_rs for WithOutputSchema: pip install headrace[schema]") from None
    try:
        validator = jsonschema_rs.validator_for(schema, mask="***", pattern_options=jsonschema_rs.RegexOptions(), retriever=_refuse)
    except Exception as error:  # its own types, ValueError for values that JSON has not, RecursionError
        raise _core.ValidationError(f"expected a JSON Schema for WithOutputSchema, but found {_first_line(error)}") from None

    def check(output: Any) -> None:
        try:
            validator.validate(output)
        except jsonschema_rs.ValidationError as error:
            where = "".join(f"[{part!r}]" for part in error.instance_path)
            rule = "/".join(map(str, error.schema_path))
            raise _core.ValidationError(f"output{where}: {error.message} (rule {rule})") from None

    return check


def schema_of_text(text: str) -> Callable[[Any], object]:
    """The same from JSON text, as models in XML carry it."""
    import json

    return schema_check(json.loads(text))


def _refuse(uri: str) -> NoReturn:
    raise ValueError(f"expected a schema that stands for itself, but found a reference to {uri}")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:400]
