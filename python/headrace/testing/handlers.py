"""run(): a worker's handler alone, without an engine."""

from __future__ import annotations

import asyncio
import concurrent.futures
import dataclasses
import inspect
from collections.abc import Callable
from typing import Any, Literal

import headrace as hr
from headrace import _core
from headrace.calling import Arguments, as_output
from headrace.reporting import fault_of


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What a handler did with a job. ``kind`` says which fields count: completed (output), bpmn_error (code, message, output: its
    variables), status (value), fault (code, body, message), retry (after, message), unlocked (handed back)."""

    kind: Literal["completed", "bpmn_error", "status", "fault", "retry", "unlocked"]
    output: dict[str, Any] = dataclasses.field(default_factory=dict)
    code: Any = None
    message: str | None = None
    value: Any = None
    body: Any = None
    after: Any = None
    exception: BaseException | None = dataclasses.field(default=None, compare=False, repr=False)


class _Reported:
    """The job that the handler gets: data, and verbs that keep the first report."""

    def __init__(self, data: hr.JobData) -> None:
        self._data = data
        self.outcome: Outcome | None = None
        self.lock_lost = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._data, name)

    def complete(self, output: Any = None, local_variables: Any = None) -> None:
        self._keep(Outcome("completed", _checked({**(local_variables or {}), **(output or {})})))

    def bpmn_error(self, code: str, message: str | None = None, variables: Any = None) -> None:
        self._keep(Outcome("bpmn_error", _checked(variables or {}), code=code, message=message))

    def report_status(self, value: Any) -> None:
        self._keep(Outcome("status", value=value))

    def fail(self, code: Any = None, body: Any = None, message: str | None = None, *_: Any, **more: Any) -> None:
        self._keep(Outcome("fault", code=code, body=body, message=message, after=more.get("retry_after")))

    def report_raw(self, code: Any, body: Any = None) -> None:
        self._keep(Outcome("fault", code=code, body=body))

    def unlock(self) -> None:
        self._keep(Outcome("unlocked"))

    def extend_lock(self, duration: Any) -> Any:
        return _core.duration(duration, False)

    def _keep(self, outcome: Outcome) -> None:
        if self.outcome is not None:
            raise _core.JobNotFound(f"expected one report on job {self._data.id!r}, but it has {self.outcome.kind!r} already")
        self.outcome = outcome


def run(
    handler: Callable[..., Any],
    input: dict[str, Any] | None = None,
    *,
    topic: str = "topic",
    job_id: str = "1:1:1:1:task",
    attempt: int = 1,
    business_key: str | None = None,
) -> Outcome:
    """Calls a handler (a function or an async one) as hr.Worker would, with a job of these variables, and returns what came of it.

    Nothing that a handler raises comes out, but for AssertionError, KeyboardInterrupt and SystemExit. ValidationError when the input is
    not what a payload may hold.
    """
    variables = _core.encode_decode(dict(input or {}), "variables")
    job = _Reported(hr.JobData(job_id, topic, variables, worker="hr.testing", attempt=attempt, business_key=business_key))
    arguments = Arguments(handler, ("job", "variables"))
    try:
        result = arguments.call(handler, variables, {"job": job, "variables": variables})
        if inspect.isawaitable(result):
            result = _awaited(result)
        if job.outcome is not None:
            return job.outcome
        return Outcome("completed", _checked(as_output(arguments.name, result)))
    except hr.BpmnError as error:
        return Outcome("bpmn_error", dict(error.variables or {}), code=error.code, message=error.message, exception=error)
    except hr.Status as status:
        return Outcome("status", value=status.value, exception=status)
    except hr.Fault as fault:
        return Outcome("fault", code=fault.code, body=fault.body, message=fault.message, exception=fault)
    except hr.Retry as retry:
        return Outcome("retry", after=retry.after, message=retry.message, exception=retry)
    except AssertionError:
        raise
    except Exception as error:
        made = fault_of(error)
        return Outcome("fault", code=made.code, message=made.message, exception=error)


def _checked(output: dict[str, Any]) -> dict[str, Any]:
    checked: dict[str, Any] = _core.encode_decode(output, "output")
    return checked


def _awaited(awaitable: Any) -> Any:
    async def wait() -> Any:
        return await awaitable

    # a thread of its own: the caller may have a loop that runs (Jupyter)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(wait())).result()
