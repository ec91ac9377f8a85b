"""Control flow of workers and operations: not errors of Headrace, but ways for a task to end otherwise than by returning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headrace.types import Duration, Variables


class BpmnError(Exception):
    """A business error: caught by the innermost boundary event of its code, else by a catch-all; never retried."""

    def __init__(self, code: str, message: str | None = None, variables: Variables | None = None) -> None:
        super().__init__(code, message, variables)
        self.code = code
        self.message = message
        self.variables = variables

    def __str__(self) -> str:
        return self.code if self.message is None else f"{self.code}: {self.message}"

    def __repr__(self) -> str:
        return f"BpmnError({self.code!r}, {self.message!r})"


class Status(Exception):
    """A business status: written to the variable of WithStatus, and the task is done."""

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self.value = value


class Fault(Exception):
    """A technical fault, as a code and a body; the error mapper and the retry policy say what becomes of it."""

    def __init__(self, code: Any = None, body: Any = None, message: str | None = None) -> None:
        super().__init__(code, body, message)
        self.code = code
        self.body = body
        self.message = message

    def __str__(self) -> str:
        return self.message if self.message is not None else f"fault {self.code!r}"

    def __repr__(self) -> str:
        return f"Fault({self.code!r}, message={self.message!r})"


class Retry(Exception):
    """Do it again: after a while, or when the policy says. Counts as an attempt."""

    def __init__(self, after: Duration | None = None, message: str | None = None) -> None:
        super().__init__(after, message)
        self.after = after
        self.message = message

    def __str__(self) -> str:
        return self.message if self.message is not None else "the worker asks for a retry"
