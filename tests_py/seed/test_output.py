"""From a worker's result to the task's output: the contract, the mapping, the schema (ADR-021 2.5)."""

from __future__ import annotations

from typing import Any

import pytest
from seed_models import AUTHORITATIVE, LOOK_UP, both_modes, ended, fetch, fetch_one, looked_up, straight

import headrace as hr
from headrace.testing import check_contract

MAPPING = hr.WithOutputMapping([hr.out("$.data.name", "name"), hr.out("$.data.extra", "extra", optional=True)])
TWO_FIELDS = hr.Operation("look up", hr.Message("Query", {"id": int}), hr.Message("Answer", {"name": str, "extra": hr.Optional(int)}))


def in_process(operation: hr.Operation) -> hr.Process:
    order = hr.Process("order")
    order.start_event("start") >> order.service_task("look", operation) >> order.end_event("end")
    return order


@pytest.mark.seed("ADR-021 2.5/1")
def test_one_operation_is_the_contract_of_both_loci(hand_driven: hr.Engine) -> None:
    # given an operation with an implementor, and the same input
    seen: list[dict[str, Any]] = []

    def implementor(query: dict[str, Any]) -> dict[str, Any]:
        seen.append(query)
        return {"name": "Ann"}

    operation = hr.Operation("look up", LOOK_UP.in_message, LOOK_UP.out_message, ["ResourceConflict"], implementor)
    variables = {"id": 7, "unasked": "x"}
    # when it runs here, and by a worker
    hand_driven.deploy(in_process(operation))
    here = hand_driven.start("order", variables)
    hand_driven.run_until_idle()
    hand_driven.deploy(straight(operation=operation))
    there = hand_driven.start("order", variables)
    job = fetch_one(hand_driven)
    job.complete({"name": "Ann"})
    # then: the executor differs, input and output do not
    assert seen == [job.variables] == [{"id": 7}]
    assert here.variables == there.variables == {"id": 7, "unasked": "x", "name": "Ann"}


@pytest.mark.seed("ADR-021 2.5/12")
@both_modes
def test_output_in_the_shape_of_the_out_message_is_bound_as_it_is(hand_driven: hr.Engine, trust: hr.WorkerTrust) -> None:
    # given
    hand_driven.deploy(straight(hr.WithWorkerTrust(trust), operation=TWO_FIELDS))
    instance = hand_driven.start("order", {"id": 7})
    # when
    fetch_one(hand_driven).complete({"name": "Ann", "extra": 2**62})
    # then
    assert instance.state is hr.InstanceState.COMPLETED
    assert instance.variables == {"id": 7, "name": "Ann", "extra": 2**62}


@pytest.mark.seed("ADR-021 2.5/13")
@both_modes
@pytest.mark.parametrize("raw", [False, True], ids=["complete", "report_raw"])
def test_a_mapping_takes_its_paths_into_its_targets_and_leaves_the_rest(hand_driven: hr.Engine, trust: hr.WorkerTrust, raw: bool) -> None:
    # given
    hand_driven.deploy(straight(MAPPING, hr.WithWorkerTrust(trust), operation=TWO_FIELDS))
    instance = hand_driven.start("order", {"id": 7})
    body = {"data": {"name": "Ann", "noise": 1}, "more": [1, 2]}
    # when
    job = fetch_one(hand_driven)
    job.report_raw(201, body) if raw else job.complete(body)
    # then
    assert instance.variables == {"id": 7, "name": "Ann"}


@pytest.mark.seed("ADR-021 2.5/15")
@both_modes
@pytest.mark.parametrize(
    "output",
    [{}, {"name": 7}, {"name": None}, {"name": "Ann", "unknown": 1}, {"data": {"name": "Ann"}}],
    ids=["missing", "ill-typed", "null", "unknown-field", "another-shape"],
)
def test_without_a_mapping_output_that_is_not_of_the_shape_is_a_technical_fault(
    hand_driven: hr.Engine, trust: hr.WorkerTrust, output: dict[str, Any]
) -> None:
    # given
    hand_driven.deploy(straight(hr.WithRetryPolicy(hr.FixedDelay(2, 10)), hr.WithWorkerTrust(trust)))
    instance = hand_driven.start("order", {"id": 7})
    # when
    fetch_one(hand_driven).complete(output)
    # then: tried again after the delay, and then an incident that keeps the result
    assert instance.state is hr.InstanceState.ACTIVE
    assert fetch(hand_driven) == []
    hand_driven.advance(10)
    fetch_one(hand_driven).complete(output)
    (incident,) = instance.incidents
    assert incident.body == output
    assert instance.variables == {"id": 7}


@pytest.mark.seed("ADR-021 2.5/16")
@both_modes
def test_a_required_path_that_the_response_does_not_have_is_a_technical_fault_that_names_it(
    hand_driven: hr.Engine, trust: hr.WorkerTrust
) -> None:
    # given
    hand_driven.deploy(straight(MAPPING, hr.WithRetryPolicy(hr.FixedDelay(2, 10)), hr.WithWorkerTrust(trust), operation=TWO_FIELDS))
    instance = hand_driven.start("order", {"id": 7})
    # when
    fetch_one(hand_driven).complete({"data": {}})
    hand_driven.advance(10)
    fetch_one(hand_driven).report_raw(200, {"data": {}})
    # then
    (incident,) = instance.incidents
    assert "$.data.name" in incident.message and "name" in incident.message
    assert incident.body == {"data": {}}
    assert instance.variables == {"id": 7}


BODY = {"data": {"id": "v", "two words": ["a", "v"], "list": [{"k": 1, "x": "a"}, {"k": 2, "x": "v"}]}, "type": "T"}


@pytest.mark.seed("ADR-021 2.5/14")
@pytest.mark.seed("ADR-021 2.6/31")
@pytest.mark.parametrize("path", ["$.data.id", "$['data']['id']", "$.data['two words'][-1]", "$.data.list[1].x"])
def test_mapper_and_mapping_read_a_body_by_the_same_paths(hand_driven: hr.Engine, path: str) -> None:
    # given a path as a target's source, as a clause, and as a status' value
    rules = [hr.rule(500, body=f"{path} == 'other'").technical(), hr.rule(500, body=f"{path} == 'v'").status(hr.path(path))]
    mapping = hr.WithOutputMapping([hr.out(path, "name")])
    hand_driven.deploy(straight(mapping, hr.WithErrorMapper(rules), hr.WithStatus("state")))
    success, fault = hand_driven.start("order", {"id": 1}), hand_driven.start("order", {"id": 2})
    # when
    fetch_one(hand_driven).report_raw(200, BODY)
    fetch_one(hand_driven).report_raw(500, BODY)
    # then
    assert success.variables["name"] == "v"
    assert fault.variables["state"] == "v"


@pytest.mark.seed("ADR-021 2.6/25")
@both_modes
def test_a_worker_that_lies_about_its_success_is_met_by_a_check_of_its_output(hand_driven: hr.Engine, trust: hr.WorkerTrust) -> None:
    # given: the shape fits, the claim does not
    def check(output: dict[str, Any]) -> None:
        if not output["name"].startswith("name of"):
            raise ValueError("that is no name of ours")

    hand_driven.deploy(straight(hr.WithOutputSchema(check), hr.WithRetryPolicy(hr.NoRetry()), hr.WithWorkerTrust(trust)))
    liar, honest = hand_driven.start("order", {"id": 1}), hand_driven.start("order", {"id": 2})
    # when
    first, second = fetch(hand_driven, max_jobs=2)
    first.report_raw(200, {"name": "planted"})
    second.report_raw(200, {"name": "name of Ann"})
    # then
    (incident,) = liar.incidents
    assert "no name of ours" in incident.message
    assert "name" not in liar.variables
    assert honest.state is hr.InstanceState.COMPLETED


@pytest.mark.seed("ADR-021 6/8")
def test_the_shapes_of_a_topics_messages_are_checked_against_its_handler_without_an_engine() -> None:
    # given
    def fits(id: int) -> dict[str, str]:
        return {"name": str(id)}

    def misfits(identity: int) -> dict[str, str]:
        return {"nom": str(identity)}

    # when
    check_contract(straight(), fits)
    with pytest.raises(AssertionError) as told:
        check_contract(straight(), misfits)
    # then
    assert "identity" in str(told.value) and "nom" in str(told.value)


@pytest.mark.seed("ADR-021 2.6/7")
def test_a_mapped_error_that_the_operation_does_not_declare_is_a_warning_at_build_and_the_declared_one_is_caught(
    hand_driven: hr.Engine,
) -> None:
    # given
    rules = [hr.rule(409).bpmn_error("ResourceConflict"), hr.rule(410).bpmn_error("Gone")]
    # when
    definition = hand_driven.deploy(looked_up(hr.WithErrorMapper(rules)))
    # then
    (warning,) = definition.warnings
    assert "Gone" in warning and "ResourceConflict" not in warning.split("declares")[0]
    # and
    instance = hand_driven.start("order", {"id": 7})
    fetch_one(hand_driven).report_raw(409)
    assert ended(instance) == ["conflict"]


def test_the_worker_of_a_task_in_a_sub_process_sees_the_data_around_it(hand_driven: hr.Engine) -> None:
    # given a variable of the instance, and one that a task of the sub-process wrote
    order = hr.Process("order")
    inner = order.sub_process("inner")
    first = inner.service_task("first", None, hr.WithWorker("first"), hr.WithOutputMapping([hr.out("$.b", "b")]))
    look = inner.service_task("look", hr.Operation("o", hr.Message("In", {"a": int, "b": int})), hr.WithWorker("bound"))
    loose = inner.service_task("open", None, hr.WithWorker("open"))
    inner.start_event("begin") >> first >> look >> loose >> inner.end_event("done")
    order.start_event("start") >> inner >> order.end_event("end")
    hand_driven.deploy(order)
    instance = hand_driven.start("order", {"a": 1})
    fetch_one(hand_driven, topic="first").complete({"b": 2})
    # when
    bound = fetch_one(hand_driven, topic="bound")
    bound.complete()
    free = fetch_one(hand_driven, topic="open")
    free.complete()
    # then
    assert bound.variables == {"a": 1, "b": 2}
    assert free.variables == {"a": 1, "b": 2}
    assert instance.state is hr.InstanceState.COMPLETED


def test_local_variables_of_an_untrusted_worker_are_dropped(hand_driven: hr.Engine) -> None:
    # given
    hand_driven.deploy(straight(hr.WithWorkerTrust(AUTHORITATIVE)))
    instance = hand_driven.start("order", {"id": 7, "secret": "s"})
    # when
    fetch_one(hand_driven).complete({"name": "Ann"}, {"secret": "planted"})
    # then
    assert instance.variables == {"id": 7, "secret": "s", "name": "Ann"}
