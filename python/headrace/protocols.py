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


def check_call(what: str, given: Any, count: int, *names: str) -> None:
    """TypeError unless it can be called with that many arguments by position, and these by name; a class can."""
    _check(what, given, count, *names)()


def check_plain(what: str, given: Any) -> None:
    """TypeError for a function with async def, where nobody would wait for it."""
    if inspect.iscoroutinefunction(given) or inspect.iscoroutinefunction(getattr(given, "__call__", None)):  # noqa: B004
        raise TypeError(f"expected {what} to be a plain function, but found one with async def")


def check_function(what: str, given: Any, count: int) -> None:
    """TypeError unless it is a function or a callable object, no class, that can be called with that many arguments."""
    if isinstance(given, type):
        raise TypeError(f"expected {what} to be a function, but found the class {given.__name__}")
    _check(what, given, count)()


def _calls(names: list[str]) -> str:
    calls = [f"{name}()" for name in names]
    return calls[0] if len(calls) == 1 else f"{', '.join(calls[:-1])} and {calls[-1]}"


def _check(what: str, method: Any, count: int, *names: str) -> Any:
    def look() -> None:
        check_plain(what, method)
        try:
            signature = inspect.signature(method)
        except (TypeError, ValueError):  # a builtin that does not tell
            return
        try:
            signature.bind(*range(count), **dict.fromkeys(names))
        except TypeError:
            plural = "argument" if count == 1 else "arguments"
            raise TypeError(f"expected {what} to take {count or 'no'} {plural}, but found {shown(str(signature))[1:-1]}") from None

    return look
