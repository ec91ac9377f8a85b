"""The exception tree of design section 2."""

from __future__ import annotations

import builtins
import pickle

import pytest

import headrace as hr

TREE = {
    "ModelError": "HeadraceError",
    "ExpressionError": "HeadraceError",
    "ValidationError": "HeadraceError",
    "EngineError": "HeadraceError",
    "NotFoundError": "EngineError",
    "JobNotFound": "NotFoundError",
    "InstanceNotFound": "NotFoundError",
    "ConflictError": "EngineError",
    "NotLockHolder": "ConflictError",
    "LockExpired": "ConflictError",
    "LockCapExceeded": "ConflictError",
    "InstanceSuspended": "ConflictError",
    "Overloaded": "EngineError",
    "WouldDeadlock": "EngineError",
    "StoreError": "HeadraceError",
    "StoreBusy": "StoreError",
    "RemoteError": "HeadraceError",
    "TimeoutError": "HeadraceError",
}


@pytest.mark.parametrize(("name", "base"), TREE.items())
def test_each_error_stands_in_its_place_of_the_tree(name: str, base: str) -> None:
    # given
    error = getattr(hr, name)
    # then
    assert getattr(hr, base) in error.__bases__
    assert error.__module__ == "headrace"


def test_timeout_is_also_the_builtin() -> None:
    assert issubclass(hr.TimeoutError, builtins.TimeoutError)


@pytest.mark.parametrize("error", [hr.BpmnError, hr.Status, hr.Fault, hr.Retry])
def test_control_flow_is_no_error_of_headrace(error: type[Exception]) -> None:
    assert not issubclass(error, hr.HeadraceError)


@pytest.mark.parametrize("error", [hr.BpmnError("A", "m", {"x": 1}), hr.Status("S"), hr.Fault(409, {"t": 1}, "m"), hr.Retry(5, "m")])
def test_control_flow_travels_between_processes(error: Exception) -> None:
    # when
    back = pickle.loads(pickle.dumps(error))
    # then
    assert type(back) is type(error)
    assert vars(back) == vars(error)
