"""A model that people of Camunda 7 start with, unchanged, through a Python worker."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import headrace as hr

REFERENCE = Path(os.environ.get("HEADRACE_REFERENCE", Path(__file__).parents[3] / "shared"))
MODEL = REFERENCE / "models" / "payment.bpmn"

pytestmark = pytest.mark.skipif(not MODEL.exists(), reason=f"the reference data is not at {REFERENCE}")


def test_a_small_payment_ends_at_payment_received_through_a_worker() -> None:
    # given
    worker = hr.Worker("cards", concurrency=2)
    charged: list[int] = []

    @worker.task("charge-card", timeout=60)
    def charge(amount: int) -> dict[str, object]:
        charged.append(amount)
        return {"receiptId": "r-1"}

    with hr.Engine() as engine:
        [definition] = engine.deploy_all(MODEL.read_bytes())
        # when
        instance = engine.start(definition.id, {"amount": 30})
        worker.run(engine, until=instance)
        # then
        names = {node["id"]: node["name"] for node in definition.nodes}
        ends = [names[node] for node, count in instance.counts.items() if count.completed and "Received" in names[node]]
        assert instance.state is hr.InstanceState.COMPLETED
        assert ends == ["Payment Received"]
        assert instance.variables == {"amount": 30, "receiptId": "r-1"}
        assert charged == [30]


def test_a_large_payment_stands_in_an_incident_at_approve_payment() -> None:
    # given
    with hr.Engine() as engine:
        [definition] = engine.deploy_all(MODEL.read_bytes())
        # when
        instance = engine.start(definition.id, {"amount": 1500})
        # then
        [incident] = instance.incidents
        names = {node["id"]: node["name"] for node in definition.nodes}
        assert instance.state is hr.InstanceState.ACTIVE
        assert incident.kind is hr.IncidentKind.FAILED_STEP
        assert names[incident.node] == "Approve Payment"
        assert "decision engine" in incident.message
