"""check_contract(): does a handler fit the messages of the operation that its task has?"""

from __future__ import annotations

import ast
import dataclasses
import datetime as dt
import inspect
import textwrap
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import headrace as hr
from headrace import _core
from headrace.model import ServiceTask
from headrace.operations import Operation

_SPECIAL = ("job", "variables", "call")
_PLAIN = (str, int, float, bool, bytes, dt.datetime, list, dict)


def check_contract(process: hr.Process, handler: Callable[..., Any], task: str | ServiceTask | None = None) -> None:
    """Checks a handler against the operation of a service task; AssertionError with all mistakes at once.

    Looked at are: parameters against the fields of the in message (names, types, what may be absent), what it returns against the out
    message (a dataclass or TypedDict as its annotation, and dict literals in its ``return`` statements), and the codes of
    ``raise hr.BpmnError("…")`` against the declared errors. ``task`` may be left out when only one task has a contract.
    """
    found = _task(process, task)
    operation = found.operation
    assert isinstance(operation, Operation)
    mistakes: list[str] = []
    if operation.in_message is not None:
        mistakes += _parameters(handler, operation.in_message)
    tree = _source(handler)
    if operation.out_message is not None:
        mistakes += _annotated(handler, operation.out_message)
        mistakes += _literals(tree, operation.out_message)
    mistakes += _codes(tree, {error.code for error in operation.errors})
    if mistakes:
        name = getattr(handler, "__qualname__", repr(handler))
        raise AssertionError("\n  ".join([f"expected {name}() to fit operation {operation.name!r} of task {found.id!r}:", *mistakes]))


def _task(process: hr.Process, task: str | ServiceTask | None) -> ServiceTask:
    id = task.id if isinstance(task, ServiceTask) else task
    having = [n for n in process.elements if isinstance(n, ServiceTask) and isinstance(n.operation, Operation)]
    found = [n for n in having if id in (None, n.id)]
    if len(found) != 1:
        names = ", ".join(repr(n.id) for n in having) or "none"
        wanted = "one task with an operation" if id is None else f"a task {id!r} with an operation"
        raise _core.ValidationError(f"expected {wanted} in process {process.id!r}, but found {names}")
    return found[0]


def _parameters(handler: Callable[..., Any], message: hr.Message) -> Iterator[str]:
    hints = _hints(handler)
    for p in inspect.signature(handler).parameters.values():
        if p.name in _SPECIAL or p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL, p.POSITIONAL_ONLY):
            continue
        has_default = p.default is not p.empty
        if p.name not in message.fields:
            if not has_default:
                yield f"parameter {p.name!r} is no field of message {message.name!r} ({', '.join(message.fields)})"
            continue
        kind, optional = _field(message.fields[p.name])
        if optional and not has_default:
            yield f"parameter {p.name!r} needs a default: the field may be absent"
        if p.name in hints and not any(_fits(kind, h) for h in _alternatives(hints[p.name])):
            yield f"parameter {p.name!r} is {_name(hints[p.name])}, but the field is {_name(kind)}"


def _annotated(handler: Callable[..., Any], message: hr.Message) -> list[str]:
    fields = _returned(_hints(handler).get("return"))
    if fields is None:
        return []
    mistakes = _names("the return type", set(fields), message)
    for name in fields.keys() & message.fields.keys():
        kind, _ = _field(message.fields[name])
        if not any(_fits(h, kind) for h in _alternatives(fields[name])):
            mistakes.append(f"field {name!r} of the return type is {_name(fields[name])}, but the message has {_name(kind)}")
    return mistakes


def _returned(hint: Any) -> dict[str, Any] | None:
    """The fields of a dataclass, TypedDict or pydantic model; None: the annotation does not tell."""
    if dataclasses.is_dataclass(hint) or typing.is_typeddict(hint) or hasattr(hint, "model_fields"):
        return typing.get_type_hints(hint)
    return None


def _names(what: str, given: set[str], message: hr.Message) -> list[str]:
    required = {name for name, kind in message.fields.items() if not _field(kind)[1]}
    mistakes = [f"{what} lacks field {name!r} of message {message.name!r}" for name in sorted(required - given)]
    return mistakes + [f"{what} has {name!r}, which message {message.name!r} does not have" for name in sorted(given - set(message.fields))]


def _source(handler: Callable[..., Any]) -> ast.AST:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(handler))))
    except (OSError, TypeError, SyntaxError):  # no source, or a lambda in the middle of a line: only annotations are checked
        return ast.Module([], [])


def _literals(tree: ast.AST, message: hr.Message) -> list[str]:
    mistakes = []
    for statement in _own(tree, ast.Return):
        if isinstance(statement, ast.Return) and isinstance(statement.value, ast.Dict):
            keys = [key.value if isinstance(key, ast.Constant) else None for key in statement.value.keys]
            if all(isinstance(key, str) for key in keys):
                mistakes += _names(f"the dict returned in line {statement.lineno} of it", {str(key) for key in keys}, message)
    return mistakes


def _codes(tree: ast.AST, declared: set[str]) -> list[str]:
    mistakes = []
    for statement in _own(tree, ast.Raise):
        call = statement.exc if isinstance(statement, ast.Raise) else None
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("BpmnError") and call.args:
            code = call.args[0].value if isinstance(call.args[0], ast.Constant) else None
            if isinstance(code, str) and code not in declared:
                mistakes.append(f"it raises BPMN error {code!r}, which the operation does not declare")
    return mistakes


def _own(tree: ast.AST, kind: type[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of the handler itself, not of functions inside it."""
    todo: list[tuple[ast.AST, int]] = [(tree, 0)]
    while todo:
        node, depth = todo.pop(0)
        if isinstance(node, kind):
            yield node
        inner = depth + isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        if inner <= 1:
            todo += [(child, inner) for child in ast.iter_child_nodes(node)]


def _hints(handler: Callable[..., Any]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(inspect.unwrap(handler))
    except Exception:  # names that only a type checker sees
        return {}


def _field(kind: Any) -> tuple[Any, bool]:
    optional = False
    while isinstance(kind, (hr.Optional, hr.Sensitive)):
        optional = optional or isinstance(kind, hr.Optional)
        kind = kind.type
    return kind, optional


def _alternatives(hint: Any) -> list[Any]:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return [a for h in typing.get_args(hint) for a in _alternatives(h)]
    return [hint]


def _fits(given: Any, wanted: Any) -> bool:
    """Whether a value of one type may stand where another is wanted: int widens to float, bool does not widen."""
    given, wanted = typing.get_origin(given) or given, typing.get_origin(wanted) or wanted
    if given is tuple:
        given = list
    if Any in (given, wanted) or object in (given, wanted) or given not in _PLAIN or wanted not in _PLAIN:
        return _opaque(given, wanted)
    return given is wanted or (given is int and wanted is float)


def _opaque(given: Any, wanted: Any) -> bool:
    """Types that say nothing fit; models made from a dict fit a dict; None never fits."""
    if type(None) in (given, wanted):
        return False
    pair = {k for k in (given, wanted) if k in _PLAIN}
    model = [k for k in (given, wanted) if dataclasses.is_dataclass(k) or typing.is_typeddict(k) or hasattr(k, "model_fields")]
    return not model or not pair or pair == {dict} or any(isinstance(k, type) and issubclass(k, Mapping) for k in model)


def _name(kind: Any) -> str:
    return getattr(kind, "__name__", str(kind)) if typing.get_origin(kind) is None else str(kind)
