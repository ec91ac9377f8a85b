"""Tests of whole processes without waiting: a hand-driven engine, assertions that tell the story, mocks, handlers and contracts alone.

def test_an_order_is_paid(engine):  # the fixtures of the pytest plugin: engine, clock
    engine.deploy(order)
    charge = hr.testing.mock(engine, "charge-card", returns={"receiptId": "r-1"})
    instance = engine.start("order", {"orderId": "o-1", "amount": 42.0})
    engine.run_until_idle()
    hr.testing.assert_that(instance).is_completed().passed("pay", "end").has_variable("receiptId", "r-1")
    assert charge.inputs[0]["amount"] == 42.0
"""

from __future__ import annotations

from headrace.testing.assertions import InstanceAssertion, assert_that
from headrace.testing.contract import check_contract
from headrace.testing.engine import Engine
from headrace.testing.handlers import Outcome, run
from headrace.testing.mocks import Call, Mock, mock

__all__ = ["Call", "Engine", "InstanceAssertion", "Mock", "Outcome", "assert_that", "check_contract", "mock", "run"]
