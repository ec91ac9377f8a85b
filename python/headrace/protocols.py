"""What an object of somebody's own must have to stand in a place of the engine: looked at when it is given, not when it is called."""

from __future__ import annotations

import inspect
from typing import Any

from headrace.types import shown, together

_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def check_object(what: str, given: Any, **methods: int) -> None:
    """TypeError unless it is an object (no class) whose methods can be called with that many arguments; names all that do not fit."""
    if isinstance(given, type):
        raise TypeError(f"expected {what} to be an object, but found the class {given.__name__}: write {given.__name__}(…)")
    missing = [name for name in methods if not callable(getattr(given, name, None))]
    if missing:
        raise TypeError(f"expected {what} to have {_calls(list(methods))}, but {type(given).__name__} has no {_calls(missing)}")
    together(*(_check(f"{name}() of {what}", getattr(given, name), count) for name, count in methods.items()))


def check_function(what: str, given: Any, count: int) -> None:
    """TypeError unless it is a function or a callable object, no class, that can be called with that many arguments."""
    if isinstance(given, type):
        raise TypeError(f"expected {what} to be a function, but found the class {given.__name__}")
    _check(what, given, count)()


def _calls(names: list[str]) -> str:
    calls = [f"{name}()" for name in names]
    return calls[0] if len(calls) == 1 else f"{', '.join(calls[:-1])} and {calls[-1]}"


def _check(what: str, method: Any, count: int) -> Any:
    def look() -> None:
        if inspect.iscoroutinefunction(method):
            raise TypeError(f"expected {what} to be a plain function, but found one with async def")
        try:
            signature = inspect.signature(method)
        except (TypeError, ValueError):  # a builtin that does not tell
            return
        try:
            signature.bind(*range(count))
        except TypeError:
            plural = "argument" if count == 1 else "arguments"
            raise TypeError(f"expected {what} to take {count or 'no'} {plural}, but found {shown(str(signature))[1:-1]}") from None

    return look
