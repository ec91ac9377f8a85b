"""Headrace: a BPMN 2.0 process engine, driven from Python."""

from __future__ import annotations

import atexit
import logging
from typing import Any

from headrace import _core
from headrace._core import (
    ConflictError,
    EngineError,
    ExpressionError,
    HeadraceError,
    InstanceNotFound,
    InstanceSuspended,
    JobNotFound,
    LockCapExceeded,
    LockExpired,
    ManualClock,
    ModelError,
    NotFoundError,
    NotLockHolder,
    OperationCall,
    Overloaded,
    RemoteError,
    StoreBusy,
    StoreError,
    TimeoutError,
    ValidationError,
    WouldDeadlock,
)
from headrace.definition import Definition
from headrace.dispatcher import Dispatcher
from headrace.engine import Engine
from headrace.enums import UNBOUNDED, ActivityState, IncidentKind, InstanceState, Profile, WorkerTrust
from headrace.incidents import Incident
from headrace.instance import Activity, Count, Instance, Snapshot, Timer
from headrace.job import Job, JobData
from headrace.log import Record
from headrace.model import ModelFault, Process
from headrace.operations import Error, Message, Operation, Optional, Sensitive
from headrace.options import (
    WithBinding,
    WithErrorMapper,
    WithExpiryAsAttempt,
    WithJobTimeout,
    WithLockDuration,
    WithMaxLockDuration,
    WithOnExhausted,
    WithOnMismatch,
    WithOnUncaughtError,
    WithOutputMapping,
    WithOutputSchema,
    WithRetryPolicy,
    WithStatus,
    WithTimeout,
    WithWorker,
    WithWorkerBinding,
    WithWorkerDispatcher,
    WithWorkerErrorMapper,
    WithWorkerLockDuration,
    WithWorkerMaxLockDuration,
    WithWorkerRetryPolicy,
    WithWorkerTrust,
    WithWorkerTrustDefault,
)
from headrace.outcomes import BpmnError, Fault, Retry, Status
from headrace.policy import Binding, ErrorMapper, ExponentialBackoff, Failure, FixedDelay, NoRetry, RetryPolicy, out, path, rule
from headrace.queue import WorkerDispatcher
from headrace.worker import Worker

__version__: str = _core.versions()["headrace"]

__all__ = [
    "UNBOUNDED",
    "Activity",
    "ActivityState",
    "Binding",
    "BpmnError",
    "ConflictError",
    "Count",
    "Definition",
    "Dispatcher",
    "Engine",
    "EngineError",
    "Error",
    "ErrorMapper",
    "ExponentialBackoff",
    "ExpressionError",
    "Failure",
    "Fault",
    "FixedDelay",
    "HeadraceError",
    "Incident",
    "IncidentKind",
    "Instance",
    "InstanceNotFound",
    "InstanceState",
    "InstanceSuspended",
    "Job",
    "JobData",
    "JobNotFound",
    "LockCapExceeded",
    "LockExpired",
    "ManualClock",
    "Message",
    "ModelError",
    "ModelFault",
    "NoRetry",
    "NotFoundError",
    "NotLockHolder",
    "Operation",
    "OperationCall",
    "Optional",
    "Overloaded",
    "Process",
    "Profile",
    "Record",
    "RemoteError",
    "Retry",
    "RetryPolicy",
    "Sensitive",
    "Snapshot",
    "Status",
    "StoreBusy",
    "StoreError",
    "TimeoutError",
    "Timer",
    "ValidationError",
    "WithBinding",
    "WithErrorMapper",
    "WithExpiryAsAttempt",
    "WithJobTimeout",
    "WithLockDuration",
    "WithMaxLockDuration",
    "WithOnExhausted",
    "WithOnMismatch",
    "WithOnUncaughtError",
    "WithOutputMapping",
    "WithOutputSchema",
    "WithRetryPolicy",
    "WithStatus",
    "WithTimeout",
    "WithWorker",
    "WithWorkerBinding",
    "WithWorkerDispatcher",
    "WithWorkerErrorMapper",
    "WithWorkerLockDuration",
    "WithWorkerMaxLockDuration",
    "WithWorkerRetryPolicy",
    "WithWorkerTrust",
    "WithWorkerTrustDefault",
    "Worker",
    "WorkerDispatcher",
    "WorkerTrust",
    "WouldDeadlock",
    "__version__",
    "out",
    "path",
    "rule",
    "show_versions",
]

_core.install(
    Instance=Instance,
    Job=Job,
    JobData=JobData,
    Dispatcher=Dispatcher,
    UNBOUNDED=UNBOUNDED,
    ModelFault=ModelFault,
    Failure=Failure,
    BpmnError=BpmnError,
    Status=Status,
    Fault=Fault,
    Retry=Retry,
)
logging.getLogger("headrace").addHandler(logging.NullHandler())


def show_versions() -> dict[str, Any]:
    """Prints what a bug report should have, and returns it."""
    import platform
    import sys

    versions = {**_core.versions(), "python": sys.version.split()[0], "platform": platform.platform()}
    for name, value in versions.items():
        print(f"{name}: {value}")
    return versions


def __getattr__(name: str) -> Any:
    if name == "testing":
        import importlib

        return importlib.import_module("headrace.testing")
    raise AttributeError(f"module 'headrace' has no attribute {name!r}")


@atexit.register
def _finish() -> None:
    """Workers first, then engines, then the last records: no thread of ours may be left when the interpreter goes."""
    from headrace import log, worker

    worker.stop_all()
    _core.shut_down()
    log.join_all()
