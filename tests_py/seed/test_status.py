"""A business status is written to one variable, and the task goes on (ADR-021 2.6)."""

from __future__ import annotations

from typing import Any

import pytest
from seed_models import both_modes, ended, fetch, fetch_one, looked_up, straight

import headrace as hr

RULES = [hr.rule(404).status("NOT_FOUND"), hr.rule(406).status(hr.path("$.why"))]


@pytest.mark.seed("ADR-021 2.6/8")
@pytest.mark.seed("ADR-021 2.6/9")
@both_modes
def test_a_status_completes_the_task_and_a_gateway_branches_on_it_and_nothing_is_retried(
    hand_driven: hr.Engine, trust: hr.WorkerTrust
) -> None:
    # given
    hand_driven.deploy(looked_up(hr.WithErrorMapper(RULES), hr.WithStatus("state"), hr.WithWorkerTrust(trust)))
    created, found = hand_driven.start("order", {"id": 1}), hand_driven.start("order", {"id": 2})
    # when
    fetch_one(hand_driven).report_raw(404)
    fetch_one(hand_driven).report_raw(406, {"why": "GONE_HOME"})
    hand_driven.advance("P1D")
    # then
    assert (ended(created), created.counts["look"].completed) == (["created"], 1)
    assert (ended(found), found.counts["look"].completed) == (["found"], 1)
    assert (created.variables["state"], found.variables["state"]) == ("NOT_FOUND", "GONE_HOME")
    assert fetch(hand_driven) == []
    (topic,) = hand_driven.metrics()["topics"]
    assert (topic["fetched"], topic["retries"], topic["completed"]) == (2, 0, 2)


@pytest.mark.seed("ADR-021 2.6/26")
def test_a_status_goes_to_the_variable_of_with_status_alone_in_the_scope_that_holds_the_task(hand_driven: hr.Engine) -> None:
    # given a task in a sub-process
    order = hr.Process("order")
    inner = order.sub_process("inner")
    look = inner.service_task("look", None, hr.WithWorker("look-up"), hr.WithStatus("state"))
    inner.start_event("begin") >> look >> inner.user_task("check") >> inner.end_event("done")
    order.start_event("start") >> inner >> order.end_event("end")
    hand_driven.deploy(order)
    instance = hand_driven.start("order", {"id": 7})
    # when
    fetch_one(hand_driven).report_status("NOT_FOUND")
    # then
    assert instance.variables == {"id": 7}
    assert instance.local_variables == (("inner", {"state": "NOT_FOUND"}),)


@pytest.mark.seed("ADR-021 2.6/27")
@both_modes
def test_without_overwrite_a_variable_of_that_name_is_an_incident_at_once_and_keeps_its_value(
    hand_driven: hr.Engine, trust: hr.WorkerTrust
) -> None:
    # given
    hand_driven.deploy(straight(hr.WithErrorMapper(RULES), hr.WithStatus("state"), hr.WithWorkerTrust(trust)))
    instance = hand_driven.start("order", {"id": 7, "state": "mine"})
    # when
    fetch_one(hand_driven).report_raw(404)
    # then: it is told by name, and never retried
    (incident,) = instance.incidents
    assert "state" in incident.message and "look" in incident.message
    assert instance.variables == {"id": 7, "state": "mine"}
    hand_driven.advance("P1D")
    assert fetch(hand_driven) == []


@pytest.mark.seed("ADR-021 2.6/27")
def test_with_on_exhausted_fail_a_collision_ends_the_instance_failed(hand_driven: hr.Engine) -> None:
    # given
    hand_driven.deploy(straight(hr.WithErrorMapper(RULES), hr.WithStatus("state"), hr.WithOnExhausted("fail")))
    instance = hand_driven.start("order", {"id": 7, "state": "mine"})
    # when
    fetch_one(hand_driven).report_raw(404)
    # then
    assert instance.state is hr.InstanceState.FAILED
    assert instance.variables["state"] == "mine"


@pytest.mark.seed("ADR-021 2.6/28")
@both_modes
@pytest.mark.parametrize("before", [{}, {"state": "mine"}], ids=["create", "overwrite"])
def test_with_overwrite_the_variable_is_written_or_made(hand_driven: hr.Engine, trust: hr.WorkerTrust, before: dict[str, Any]) -> None:
    # given
    hand_driven.deploy(straight(hr.WithErrorMapper(RULES), hr.WithStatus("state", overwrite=True), hr.WithWorkerTrust(trust)))
    instance = hand_driven.start("order", {"id": 7, **before})
    # when
    fetch_one(hand_driven).report_raw(404)
    # then
    assert instance.state is hr.InstanceState.COMPLETED
    assert instance.variables == {"id": 7, "state": "NOT_FOUND"}


@pytest.mark.seed("ADR-021 2.6/29")
@both_modes
def test_a_rule_that_gives_a_status_without_a_variable_for_it_is_refused_at_build(trust: hr.WorkerTrust) -> None:
    with pytest.raises(hr.ModelError, match="WithStatus") as refused:
        straight(hr.WithErrorMapper(RULES), hr.WithWorkerTrust(trust)).check()
    assert [f.element for f in refused.value.faults] == ["look"]
