"""From what a handler did to one report. Where the worker owns the policy (design 4.8) it maps, classifies and retries here."""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace import _core
from headrace.outcomes import BpmnError, Fault, Retry, Status
from headrace.types import seconds_of

if TYPE_CHECKING:
    from headrace.job import Job
    from headrace.worker import Signal

logger = logging.getLogger("headrace.worker")
_MARGIN = 30.0  # seconds of lock beyond a wait inside it


def report(job: Job, call: Callable[[], dict[str, Any]], signal: Signal, stopping: threading.Event) -> None:
    """Runs a handler, again as its policy says when the worker owns it, and reports exactly once."""
    failures = 0
    while True:
        outcome = _run(job, call)
        if signal.abandoned:
            return
        fault = outcome if isinstance(outcome, Fault) else _send(job, outcome, signal)
        if fault is None:
            return
        failures += 1
        ending = _fault(job, fault, failures, stopping)
        if ending is not None:
            _send(job, ending, signal)
            return


Ending = Callable[[], None]


def _run(job: Job, call: Callable[[], dict[str, Any]]) -> Ending | Fault:
    """One execution: the report to make, or a fault."""
    try:
        output = call()
    except BpmnError as error:
        return lambda e=error: job.bpmn_error(e.code, e.message, e.variables)  # type: ignore[misc]
    except Status as status:
        return lambda s=status: job.report_status(s.value)  # type: ignore[misc]
    except Fault as fault:
        return fault
    except Retry as retry:
        return _AskedRetry(retry)
    except BaseException as error:
        return fault_of(error)
    if job.owner == "worker":
        try:
            output = _core.map_output(job, output)
        except _core.ValidationError as error:
            return fault_of(error)
        except _core.HeadraceError as error:
            return _Mismatch(output, error)
    return lambda: job.complete(output)


class _Mismatch(Fault):
    """Output that the mapping cannot be taken from; the raw result is kept."""

    def __init__(self, output: dict[str, Any], error: Exception) -> None:
        super().__init__(None, output, f"output mismatch: {error}")


class _AskedRetry(Fault):
    """hr.Retry: a fault whose delay the handler names."""

    def __init__(self, retry: Retry) -> None:
        super().__init__("Retry", None, str(retry))
        self.after = retry.after


def fault_of(error: BaseException) -> Fault:
    """Any exception as a fault with its type and text."""
    name = type(error).__name__
    try:
        text = str(error)
        text.encode()
    except BaseException:
        text = "<its text cannot be read>"
    return Fault(name, None, f"{name}: {text}"[:4000] if text else name)


def _fault(job: Job, fault: Fault, failures: int, stopping: threading.Event) -> Ending | None:
    """What becomes of a fault: the report to make, or None: run it again, the wait is over."""
    message = _message(fault)
    code, body = _sendable(fault)
    after = getattr(fault, "after", None)
    if isinstance(fault, _Mismatch) and (job.policy or {}).get("on_mismatch") == "incident":
        return lambda: job.fail(code, body, message, retries=0, executions=failures)
    if job.owner != "worker":
        return _to_engine(job, code, body, message, after, asked=isinstance(fault, _AskedRetry))
    kind, first, second = _core.judge(job, code, body, message, failures, random.random())
    if kind == "bpmn_error":
        return lambda: job.bpmn_error(first, second)
    if kind == "status":
        return lambda: job.report_status(first)
    if kind == "retry":
        delay = seconds_of(first if after is None else after)
        if _rest(job, delay, stopping):
            return None
        return lambda: job.fail(code, body, message, retries=second, retry_after=delay, executions=failures)
    if after is not None and job.retries is None and (job.policy or {}).get("retry") == "none":
        # Without a policy (camunda7) the handler's own wish is all there is.
        return lambda: job.fail(code, body, message, retries=1, retry_after=after, executions=failures)
    return lambda: job.fail(code, body, f"{message}; {first}" if first else message, retries=0, executions=failures)


def _to_engine(job: Job, code: Any, body: Any, message: str, after: Any, asked: bool) -> Ending:
    """The engine owns the policy: it gets the raw fault."""
    maps = (job.policy or {}).get("maps_errors", False)
    if maps and not asked and code is not None and not _core.reads_as_success(job, code):
        return lambda: job.report_raw(code, body if body is not None else {"message": message})
    return lambda: job.fail(code, body, message, retry_after=after)


def _message(fault: Fault) -> str:
    return fault.message if isinstance(fault.message, str) else f"fault {fault.code!r}"[:4000]


def _sendable(fault: Fault) -> tuple[Any, Any]:
    """Code and body; what cannot be sent is left out and said in the log."""
    sent = []
    for name, value in (("code", fault.code), ("body", fault.body)):
        try:
            _core.encode_decode(value, name)
            sent.append(value)
        except _core.ValidationError as error:
            logger.warning("left out of a fault: %s", error)
            sent.append(None)
    return sent[0], sent[1]


def _rest(job: Job, seconds: float, stopping: threading.Event) -> bool:
    """Waits inside the lock; False when it cannot: the cap would be passed, the lock is lost, or the worker stops."""
    if stopping.is_set():
        return False
    try:
        job.extend_lock(seconds + _MARGIN)
    except _core.HeadraceError:
        return False
    return not stopping.wait(seconds)


def _send(job: Job, ending: Ending, signal: Signal) -> Fault | None:
    """Makes a report. A fault when it could not be sent as it is: what the handler gave does not fit, and nothing has changed."""
    try:
        ending()
    except (_core.ValidationError, TypeError) as error:
        return fault_of(error)
    except _core.JobNotFound:
        logger.debug("job %s is over already", job.id)
    except (_core.NotLockHolder, _core.LockExpired) as error:
        logger.warning("the work on job %s came too late: %s", job.id, error)
    except _core.InstanceSuspended:
        logger.info("the instance of job %s is suspended: handed back", job.id)
        job.unlock()
    except (_core.EngineError, _core.ExpressionError) as error:
        if signal.closed:
            logger.warning("the work on job %s is not reported: %s", job.id, error)
            return None
        # The step behind the report failed and was undone (camunda7): the job is still ours.
        logger.warning("the report on job %s was refused: %s", job.id, error)
        job.fail(message=str(error)[:4000])
    return None
