"""How a function gets its arguments from variables, and what it may return.

A parameter named ``job`` gets the job (workers), ``call`` the call's context (operations in the process), ``variables`` all variables as
a dict; ``**rest`` takes what no other parameter took; any other parameter is filled by the variable of its name, and a dataclass or a
pydantic model as its annotation is made from a dict.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from typing import Any

from headrace import _core

_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class Arguments:
    """Reads a function's parameters once; then fills them for each call."""

    def __init__(self, function: Callable[..., Any], special: tuple[str, ...]) -> None:
        self.name = getattr(function, "__qualname__", type(function).__name__)
        self._special: list[str] = []
        self._fields: list[tuple[str, bool, Callable[[Any], Any] | None]] = []
        self._rest = False
        self._whole = False
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):  # a builtin that does not tell: it gets the dict
            self._whole = True
            return
        hints = _hints(function)
        for p in signature.parameters.values():
            if p.kind is inspect.Parameter.VAR_KEYWORD:
                self._rest = True
            elif p.kind is inspect.Parameter.POSITIONAL_ONLY and len(signature.parameters) == 1:
                self._whole = True
            elif p.kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL):
                raise TypeError(f"expected parameters of {self.name}() that can be given by name, but found {p}")
            elif p.name in special:
                self._special.append(p.name)
            else:
                self._fields.append((p.name, p.default is inspect.Parameter.empty, _maker(hints.get(p.name))))

    def fill(self, variables: dict[str, Any], special: dict[str, Any]) -> dict[str, Any]:
        """The keyword arguments of one call; ValidationError names a variable that is not there."""
        given = {name: special[name] for name in self._special}
        for name, required, make in self._fields:
            if name in variables:
                given[name] = variables[name] if make is None else make(variables[name])
            elif required:
                raise _core.ValidationError(f"expected a variable {name!r} for the parameter of {self.name}(), but found none")
        if self._rest:
            given.update((k, v) for k, v in variables.items() if k not in given)
        return given

    def call(self, function: Callable[..., Any], variables: dict[str, Any], special: dict[str, Any]) -> Any:
        """Calls the function with what it asks for."""
        if self._whole:
            return function(variables)
        return function(**self.fill(variables, special))


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(inspect.unwrap(function))
    except Exception:  # names that only a type checker sees
        return {}


def _maker(hint: Any) -> Callable[[Any], Any] | None:
    """How a value becomes what an annotation asks for; None: as it is."""
    if hint is float:
        return lambda v: float(v) if type(v) is int else v
    if hasattr(hint, "__dataclass_fields__") and isinstance(hint, type):
        return lambda v: hint(**v) if isinstance(v, dict) else v
    if callable(getattr(hint, "model_validate", None)):
        return typing.cast("Callable[[Any], Any]", hint.model_validate)
    return None


def as_output(name: str, result: Any) -> dict[str, Any]:
    """What a function returned, as a dict of variables: None is {}, a dataclass or pydantic model its fields."""
    if result is None:
        return {}
    if isinstance(result, dict):
        return result
    if hasattr(result, "__dataclass_fields__") and not isinstance(result, type):
        import dataclasses

        return dataclasses.asdict(result)
    if callable(getattr(result, "model_dump", None)):
        return typing.cast("dict[str, Any]", result.model_dump())
    raise TypeError(f"expected {name}() to return a dict, a dataclass or None, but found {type(result).__name__}")


def operation_body(function: Callable[..., Any]) -> Callable[[dict[str, Any], Any], dict[str, Any]]:
    """A functor operation for the engine: variables and context in, output out."""
    arguments = Arguments(function, ("call", "variables"))

    def run(variables: dict[str, Any], call: Any) -> dict[str, Any]:
        return as_output(arguments.name, arguments.call(function, variables, {"call": call, "variables": variables}))

    run.__qualname__ = arguments.name
    return run


def message_body(function: Callable[..., Any]) -> Callable[[dict[str, Any], Any], dict[str, Any]]:
    """A message operation for the engine: the input dict in, the output dict out; a parameter named ``call`` gets the context."""
    name = getattr(function, "__qualname__", type(function).__name__)
    try:
        wants_call = "call" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        wants_call = False

    def run(variables: dict[str, Any], call: Any) -> dict[str, Any]:
        return as_output(name, function(variables, call=call) if wants_call else function(variables))

    run.__qualname__ = name
    return run


def condition(function: Callable[..., Any]) -> Callable[[dict[str, Any]], Any]:
    """A condition for the engine: variables in, a bool out."""
    arguments = Arguments(function, ("variables",))

    def holds(variables: dict[str, Any]) -> Any:
        return arguments.call(function, variables, {"variables": variables})

    holds.__qualname__ = arguments.name
    return holds
