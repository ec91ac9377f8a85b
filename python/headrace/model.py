"""Builds process models: plain data, linked by ``>>``, compiled and checked when they are used.

order = hr.Process("order")
order.start_event("start") >> order.service_task("pay", charge, hr.WithWorker("charge-card")) >> order.end_event("end")
"""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from headrace import _core
from headrace.operations import Error, Operation
from headrace.options import Option
from headrace.types import Duration, seconds_of
from headrace.types import text_of as _name

if TYPE_CHECKING:
    from headrace.definition import Definition

Condition = str | Callable[..., Any]
_Target = TypeVar("_Target", bound="Node")


@dataclasses.dataclass(frozen=True)
class ModelFault:
    """One mistake in a model; ``error.faults`` of a ModelError has all of them."""

    element: str
    line: int
    rule: str
    message: str
    hint: str


@dataclasses.dataclass(frozen=True)
class Flow:
    """A sequence flow."""

    id: str
    source: str
    target: str
    condition: Condition | None = None


class Node:
    """An element of a process. ``a >> b`` adds a sequence flow and returns b, so that flows chain."""

    kind = ""

    def __init__(self, scope: Scope, id: str, name: str) -> None:
        self.id = _name("the id of an element", id)
        self.name = _name("the name of an element", name)
        self.scope = scope
        scope.process._nodes.append(self)

    def __rshift__(self, target: _Target) -> _Target:
        return self._flow(target, None)

    def _flow(self, target: _Target, condition: Condition | None, default: bool = False) -> _Target:
        process = self.scope.process
        if not isinstance(target, Node):
            raise TypeError(f"expected an element of the process after '{self.id} >>', but found {type(target).__name__}")
        if target.scope.process is not process:
            raise _core.ValidationError(f"expected '{target.id}' to be of process {process.id!r} as '{self.id}' is, but it is of another")
        flow = Flow(process._flow_id(self.id, target.id), self.id, target.id, condition)
        process._flows.append(flow)
        if default:
            process._defaults.append((self.id, flow.id))
        return target

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id!r})"

    def _add(self, builder: _core.ModelBuilder) -> None:
        builder.node(self.kind, self.id, self.name, self.scope._path)


class StartEvent(Node):
    """A none start event."""

    kind = "startEvent"


class EndEvent(Node):
    """A none end event: its token is done."""

    kind = "endEvent"


class TerminateEndEvent(Node):
    """A terminate end event: the whole scope is done."""

    kind = "terminateEndEvent"


class UserTask(Node):
    """A task that a person completes: ``instance.complete_user_task(id, output)``."""

    kind = "userTask"


class ParallelGateway(Node):
    """Forks to all its outgoing flows; joins one token of each incoming flow."""

    kind = "parallelGateway"


class Branch:
    """A way out of a gateway that waits for its target: ``gateway.when("${x}") >> target``."""

    def __init__(self, source: Node, condition: Condition | None, default: bool) -> None:
        self._source = source
        self._condition = condition
        self._default = default

    def __rshift__(self, target: _Target) -> _Target:
        return self._source._flow(target, self._condition, self._default)


class ExclusiveGateway(Node):
    """Takes the first flow whose condition holds, else the default flow."""

    kind = "exclusiveGateway"

    def when(self, condition: Condition) -> Branch:
        """The way taken when a condition holds: ``${…}`` text, or a callable whose parameters are filled by variable name."""
        if not isinstance(condition, str) and not callable(condition):
            raise TypeError(f"expected a condition to be ${{…}} text or callable, but found {type(condition).__name__}")
        return Branch(self, condition, default=False)

    def default(self) -> Branch:
        """The way taken when no condition holds."""
        return Branch(self, None, default=True)


class ErrorEndEvent(Node):
    """Ends its path with a BPMN error."""

    kind = "errorEndEvent"

    def __init__(self, scope: Scope, id: str, name: str, code: str, message: str) -> None:
        super().__init__(scope, id, name)
        self.code = _name("an error code", code)
        self.message = _name("an error message", message)

    def _add(self, builder: _core.ModelBuilder) -> None:
        builder.error(self.kind, self.id, self.name, self.scope._path, self.code, self.message)


class ServiceTask(Node):
    """A task run by an operation in the process, or by external workers (WithWorker)."""

    kind = "serviceTask"

    def __init__(
        self, scope: Scope, id: str, name: str, operation: Operation | Callable[..., Any] | None, options: tuple[Option, ...], priority: int
    ) -> None:
        for option in options:
            if not isinstance(option, Option):
                raise TypeError(f"expected options of service task {id!r} to be hr.With…, but found {type(option).__name__}")
        if operation is not None and not isinstance(operation, Operation) and not callable(operation):
            raise TypeError(f"expected an hr.Operation or a callable for service task {id!r}, but found {type(operation).__name__}")
        super().__init__(scope, id, name)
        self.operation = operation
        self.options = options
        self.priority = priority

    def _add(self, builder: _core.ModelBuilder) -> None:
        from headrace import compile as compiler

        compiler.add_service(builder, self)


class BoundaryEvent(Node):
    """An interrupting event on the border of an activity."""

    def __init__(self, activity: Node, id: str, name: str) -> None:
        super().__init__(activity.scope, id, name)
        self.activity = activity.id


class BoundaryError(BoundaryEvent):
    """Catches a BPMN error of its activity: its code, or any (None)."""

    kind = "boundaryError"

    def __init__(self, activity: Node, id: str, name: str, code: str | None) -> None:
        super().__init__(activity, id, name)
        self.code = None if code is None else _name("an error code", code)

    def _add(self, builder: _core.ModelBuilder) -> None:
        builder.error(self.kind, self.id, self.name, self.scope._path, self.code, "")
        builder.attach(self.id, self.activity)


class BoundaryTimer(BoundaryEvent):
    """Fires after a duration or at a date, and takes the place of its activity."""

    kind = "boundaryTimer"

    def __init__(self, activity: Node, id: str, name: str, value: Duration | dt.datetime) -> None:
        super().__init__(activity, id, name)
        self.type = "date" if isinstance(value, dt.datetime) else "duration"
        self.value = _timer_text(value)

    def _add(self, builder: _core.ModelBuilder) -> None:
        builder.timer(self.id, self.name, self.scope._path, self.type, self.value)
        builder.attach(self.id, self.activity)


def _timer_text(value: Duration | dt.datetime) -> str:
    if isinstance(value, str):
        return _name("a timer's value", value)
    if isinstance(value, dt.datetime):
        if value.tzinfo is None:
            raise _core.ValidationError("expected a timer's date to be an aware datetime, but found one without a time zone")
        return value.isoformat()
    return f"PT{seconds_of(value):f}".rstrip("0").rstrip(".") + "S"


class Scope:
    """What elements lie in: a process or a sub-process."""

    process: Process
    _path: str

    def start_event(self, id: str, name: str = "") -> StartEvent:
        """Adds the none start event."""
        return StartEvent(self, id, name)

    def end_event(self, id: str, name: str = "") -> EndEvent:
        """Adds a none end event."""
        return EndEvent(self, id, name)

    def terminate_end(self, id: str, name: str = "") -> TerminateEndEvent:
        """Adds a terminate end event."""
        return TerminateEndEvent(self, id, name)

    def error_end(self, id: str, error: str | Error, message: str = "", *, name: str = "") -> ErrorEndEvent:
        """Adds an error end event."""
        return ErrorEndEvent(self, id, name, error.code if isinstance(error, Error) else error, message)

    def service_task(
        self, id: str, operation: Operation | Callable[..., Any] | None = None, *options: Option, name: str = "", priority: int = 0
    ) -> ServiceTask:
        """Adds a service task: an operation, or a callable whose parameters are filled by variable name. WithWorker gives it to workers.

        ``operation=None`` means no contract, which only workers can do: ``service_task("pay", None, hr.WithWorker("charge-card"))``. They
        get all variables that the task can see, and any output is taken.
        """
        return ServiceTask(self, id, name, operation, options, priority)

    def user_task(self, id: str, name: str = "") -> UserTask:
        """Adds a user task."""
        return UserTask(self, id, name)

    def exclusive_gateway(self, id: str, name: str = "") -> ExclusiveGateway:
        """Adds an exclusive gateway."""
        return ExclusiveGateway(self, id, name)

    def parallel_gateway(self, id: str, name: str = "") -> ParallelGateway:
        """Adds a parallel gateway."""
        return ParallelGateway(self, id, name)

    def sub_process(self, id: str, name: str = "") -> SubProcess:
        """Adds an embedded sub-process: an element to link and a builder for what lies in it."""
        return SubProcess(self, id, name)

    def boundary_error(self, activity: Node, error: str | Error | None = None, *, id: str | None = None, name: str = "") -> BoundaryError:
        """Adds an error boundary event: for a code, or for any (None)."""
        code = error.code if isinstance(error, Error) else error
        return BoundaryError(_activity(activity), self.process._event_id(activity, "error", id), name, code)

    def boundary_timer(self, activity: Node, value: Duration | dt.datetime, *, id: str | None = None, name: str = "") -> BoundaryTimer:
        """Adds a timer boundary event: a duration (ISO 8601 text, seconds, timedelta), an aware datetime, or a ``${…}`` expression."""
        return BoundaryTimer(_activity(activity), self.process._event_id(activity, "timer", id), name, value)


def _activity(activity: Node) -> Node:
    if not isinstance(activity, Node):
        raise TypeError(f"expected a task or sub-process to attach to, but found {type(activity).__name__}")
    return activity


class SubProcess(Node, Scope):
    """An embedded sub-process: link it like a task, and add to it like a process."""

    kind = "subProcess"

    def __init__(self, scope: Scope, id: str, name: str) -> None:
        super().__init__(scope, id, name)
        self.process = scope.process
        self._path = self.id


class Process(Scope):
    """A process model. It is data: it can be pickled and copied; deploy() and check() compile it."""

    def __init__(self, id: str, name: str = "") -> None:
        self.id = _name("the id of a process", id)
        self.name = _name("the name of a process", name)
        self.process = self
        self._path = ""
        self._nodes: list[Node] = []
        self._flows: list[Flow] = []
        self._defaults: list[tuple[str, str]] = []

    @property
    def elements(self) -> tuple[Node, ...]:
        """The elements in the order in which they were added."""
        return tuple(self._nodes)

    @property
    def flows(self) -> tuple[Flow, ...]:
        """The sequence flows in the order in which they were added."""
        return tuple(self._flows)

    def check(self) -> list[str]:
        """Raises a ModelError with all mistakes, or returns the warnings."""
        return self.compile().warnings

    def compile(self) -> Definition:
        """The compiled definition; ModelError with all mistakes at once."""
        from headrace import compile as compiler

        return compiler.compile_process(self)

    def __repr__(self) -> str:
        return f"Process({self.id!r}, elements={len(self._nodes)}, flows={len(self._flows)})"

    def _repr_svg_(self) -> str:
        from headrace import drawing

        return drawing.to_svg(self)

    def _flow_id(self, source: str, target: str) -> str:
        taken = {f.id for f in self._flows}
        base = f"{source}-to-{target}"
        return next(i for i in _numbered(base) if i not in taken)

    def _event_id(self, activity: Node, what: str, id: str | None) -> str:
        if id is not None:
            return id
        taken = {n.id for n in self._nodes}
        return next(i for i in _numbered(f"{_activity(activity).id}-{what}") if i not in taken)


def _numbered(base: str) -> Iterator[str]:
    yield base
    n = 2
    while True:
        yield f"{base}-{n}"
        n += 1
