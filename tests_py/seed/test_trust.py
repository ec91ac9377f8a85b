"""WithWorkerTrust says where the policy runs: mapping, classification and retries (ADR-021 2.4 to 2.7)."""

from __future__ import annotations

from typing import Any

import pytest
from seed_models import AUTHORITATIVE, LOOK_UP, TRUSTED, both_modes, ended, fetch, fetch_one, looked_up, raising, straight, work_off

import headrace as hr

CONFLICT = hr.rule(409).bpmn_error("ResourceConflict")
MISSING = hr.rule(404).status("NOT_FOUND")


def counted(engine: hr.Engine) -> dict[str, Any]:
    (topic,) = engine.metrics()["topics"]
    return dict(topic)


@pytest.mark.seed("ADR-021 2.6/17")
@pytest.mark.seed("ADR-021 2.6/18")
@pytest.mark.seed("ADR-021 2.6/20")
@pytest.mark.seed("ADR-021 2.4/5")
@pytest.mark.parametrize(("trust", "rounds"), [(TRUSTED, 1), (AUTHORITATIVE, 3)], ids=["trusted", "authoritative"])
def test_the_trusted_worker_maps_and_retries_itself_and_reports_once_where_the_engine_otherwise_re_enqueues(
    trust: hr.WorkerTrust, rounds: int
) -> None:
    # given
    calls: list[int] = []

    def handler(job: hr.Job) -> dict[str, Any]:
        calls.append(job.epoch)
        if len(calls) < 3:
            raise ConnectionResetError("away")
        return {"data": {"name": "Ann"}, "noise": 1}

    options = [
        hr.WithRetryPolicy(hr.FixedDelay(3, 0.001)),
        hr.WithOutputMapping([hr.out("$.data.name", "name")]),
        hr.WithWorkerTrust(trust),
    ]
    # when
    with hr.Engine() as engine:
        engine.deploy(straight(*options))
        instance = work_off(engine, handler, {"id": 7})
        topic = counted(engine)
    # then: the same work and the same result, in one round trip or in three
    assert instance.variables == {"id": 7, "name": "Ann"}
    assert len(calls) == 3
    assert (topic["reports"], topic["fetched"], topic["retries"]) == (rounds, rounds, rounds - 1)
    assert calls == ([1, 1, 1] if rounds == 1 else [1, 2, 3])


@pytest.mark.seed("ADR-021 2.6/18")
def test_a_trusted_worker_is_the_default() -> None:
    with hr.Engine(clock=hr.ManualClock(), threads=0) as engine:
        # given
        engine.deploy(straight())
        engine.start("order", {"id": 7})
        # when
        job = fetch_one(engine, runs_policy=True)
        # then
        assert (job.authoritative, job.owner) == (False, "worker")


@pytest.mark.seed("ADR-021 2.5/5")
def test_a_trusted_worker_gets_mapper_mapping_and_retry_policy_with_its_job() -> None:
    # given
    mapping = hr.WithOutputMapping([hr.out("$.data.name", "name")])
    options = [hr.WithErrorMapper([CONFLICT, MISSING]), hr.WithStatus("state"), mapping, hr.WithRetryPolicy(hr.FixedDelay(4, 9))]
    with hr.Engine(clock=hr.ManualClock(), threads=0) as engine:
        engine.deploy(straight(*options))
        engine.start("order", {"id": 7})
        # when
        job = fetch_one(engine, runs_policy=True)
        # then: it tells of the policy, and the worker can run all three parts by it without the engine
        assert job.policy is not None
        assert (job.policy["maps_errors"], job.policy["maps_output"], job.policy["status"]) == (True, True, "state")
        assert (job.policy["retry"], job.policy["max_attempts"], job.policy["base"].total_seconds()) == ("FixedDelay", 4, 9)
        assert hr._core.judge(job, 409, {}, "", 1, 0.0)[:2] == ("bpmn_error", "ResourceConflict")
        assert hr._core.judge(job, 404, {}, "", 1, 0.0)[:2] == ("status", "NOT_FOUND")
        kind, delay, left = hr._core.judge(job, 500, {}, "", 1, 0.0)
        assert (kind, delay.total_seconds(), left) == ("retry", 9, 3)
        assert hr._core.judge(job, 500, {}, "", 4, 0.0)[0] == "exhausted"
        assert hr._core.map_output(job, {"data": {"name": "Ann"}}) == {"name": "Ann"}


@pytest.mark.seed("ADR-021 2.5/6")
@pytest.mark.parametrize("runs_policy", [False, True])
def test_an_authoritative_job_carries_no_policy_and_the_engine_applies_it_to_the_raw_report(runs_policy: bool) -> None:
    # given
    mapping = hr.WithOutputMapping([hr.out("$.data.name", "name")])
    options = [hr.WithErrorMapper([CONFLICT]), mapping, hr.WithWorkerTrust(AUTHORITATIVE)]
    with hr.Engine(clock=hr.ManualClock(), threads=0) as engine:
        engine.deploy(looked_up(*options))
        good, bad = engine.start("order", {"id": 1, "state": ""}), engine.start("order", {"id": 2, "state": ""})
        # when
        first, second = fetch(engine, max_jobs=2, runs_policy=runs_policy)
        first.report_raw(200, {"data": {"name": "Ann"}})
        second.report_raw(409, {"type": "CONFLICT"})
        # then
        assert (first.policy, first.owner, first.authoritative) == (None, "engine", True)
        assert (ended(good), good.variables["name"]) == (["found"], "Ann")
        assert ended(bad) == ["conflict"]


@pytest.mark.seed("ADR-021 2.5/9")
@both_modes
def test_lock_and_retry_state_stay_on_the_engines_side(trust: hr.WorkerTrust) -> None:
    # given a job with a history: a failure, an expiry, a lock and a cap of its topic
    options = [hr.WithLockDuration(30), hr.WithMaxLockDuration(77), hr.WithRetryPolicy(hr.FixedDelay(9, 1)), hr.WithWorkerTrust(trust)]
    with hr.Engine(clock=hr.ManualClock(), threads=0) as engine:
        engine.deploy(straight(*options))
        engine.start("order", {"id": 7})
        fetch_one(engine, worker="ann").fail(message="last error")
        engine.advance(1)
        fetch_one(engine, worker="bea")
        engine.advance(31)
        # when
        job = fetch_one(engine, worker="cid")
        names = {name for name in dir(job) if not name.startswith("_")}
        # then: the deadline and the worker itself are all that it tells of locks; who had it before and why stays behind
        assert {name for name in names if "lock" in name} == {"lock_lost", "extend_lock", "unlock"}
        assert not {name for name in names if "cap" in name or "holder" in name or "error" in name} - {"bpmn_error"}
        told = " ".join(f"{getattr(job, name)!r}" for name in names)
        assert "ann" not in told and "bea" not in told and "last error" not in told
        # and under EngineAuthoritative nothing of retries either
        assert (job.attempt, job.retries, job.expiries) == ((3, 7, 1) if trust is TRUSTED else (None, None, None))


@pytest.mark.seed("ADR-021 2.6/22")
@pytest.mark.seed("ADR-021 2.6/19")
@pytest.mark.parametrize(
    ("error", "ends"),
    [
        (hr.BpmnError("ResourceMissing"), "failed"),  # explicit, and the mapper is not asked
        (hr.Status("NOT_FOUND"), ["created"]),
        (hr.Fault(409), ["conflict"]),  # raw: by the mapper
        (hr.Fault("ConnectionResetError"), ["missing"]),
        (ConnectionResetError("away"), ["missing"]),  # unclassified: by the mapper, by the type's name
        (hr.Fault(500), "incident"),  # neither: technical
        (ValueError("odd"), "incident"),
    ],
    ids=["explicit-error", "explicit-status", "raw-by-mapper", "raw-by-text", "exception-by-mapper", "raw-default", "exception-default"],
)
def test_a_trusted_workers_own_word_comes_before_the_mapper_and_technical_is_the_default(error: Exception, ends: Any) -> None:
    # given
    rules = [CONFLICT, hr.rule("ConnectionResetError").bpmn_error("ResourceNotFound")]
    options = [hr.WithErrorMapper(rules), hr.WithStatus("state"), hr.WithRetryPolicy(hr.NoRetry())]
    # when
    with hr.Engine() as engine:
        engine.deploy(looked_up(*options))
        instance = work_off(engine, raising(error), {"id": 7})
    # then
    if isinstance(ends, list):
        assert ended(instance) == ends
    else:
        assert ("incident" if instance.incidents else instance.state.value) == ends


@pytest.mark.seed("ADR-021 2.6/23")
@pytest.mark.seed("ADR-021 2.6/21")
@pytest.mark.parametrize("rules", [[], [hr.rule(None).bpmn_error("ResourceNotFound")]], ids=["no-rules", "any-code"])
@pytest.mark.parametrize(
    "report",
    [
        lambda job: job.bpmn_error("ResourceConflict", "declined", {"planted": 1}),
        lambda job: job.report_status("NOT_FOUND"),
        lambda job: job.fail("E", {"planted": 1}, variables={"planted": 1}, local_variables={"planted": 1}),
    ],
    ids=["bpmn_error", "report_status", "fail"],
)
def test_under_engine_authoritative_a_workers_own_verdict_is_ignored_with_its_variables(report: Any, rules: list[hr.policy.Rule]) -> None:
    # given
    policy = [hr.WithErrorMapper(rules), hr.WithStatus("state"), hr.WithRetryPolicy(hr.NoRetry()), hr.WithWorkerTrust(AUTHORITATIVE)]
    with hr.Engine(clock=hr.ManualClock(), threads=0) as engine:
        engine.deploy(looked_up(*policy))
        instance = engine.start("order", {"id": 7})
        # when
        report(fetch_one(engine))
        # then: the mapper alone, then technical
        assert ended(instance) == (["missing"] if rules else [])
        assert len(instance.incidents) == (0 if rules else 1)
        assert instance.variables == {"id": 7}


@pytest.mark.seed("ADR-021 2.5/10")
@pytest.mark.seed("ADR-021 2.5/11")
def test_an_untrusted_worker_cannot_grant_itself_retries_nor_shorten_the_wait() -> None:
    # given
    with hr.Engine(clock=hr.ManualClock(), threads=0) as engine:
        engine.deploy(straight(hr.WithRetryPolicy(hr.FixedDelay(3, 60)), hr.WithWorkerTrust(AUTHORITATIVE)))
        instance = engine.start("order", {"id": 7})
        executions = 0
        # when it asks for a thousand retries at once, each time
        while not instance.incidents:
            fetch_one(engine, runs_policy=True).fail(500, retries=1000, retry_after=0)
            executions += 1
            engine.advance(59)
            assert fetch(engine) == []
            engine.advance(1)
        # then
        assert executions == 3


@pytest.mark.seed("ADR-021 2.5/11")
@both_modes
def test_a_worker_may_give_up_retries_by_its_fail(trust: hr.WorkerTrust) -> None:
    # given
    with hr.Engine(clock=hr.ManualClock(), threads=0) as engine:
        engine.deploy(straight(hr.WithRetryPolicy(hr.FixedDelay(9, 1)), hr.WithWorkerTrust(trust)))
        instance = engine.start("order", {"id": 7})
        # when
        fetch_one(engine).fail(500, retries=1)
        engine.advance(1)
        assert instance.incidents == ()
        fetch_one(engine).fail(500, retries=0)
        # then
        assert len(instance.incidents) == 1


@pytest.mark.seed("ADR-021 2.6/24")
@both_modes
@pytest.mark.parametrize(
    "error",
    [
        hr.Fault("ResourceConflict", {"errorCode": "ResourceConflict"}, "ResourceConflict"),
        hr.Fault(404, {"type": "NOT_FOUND", "status": "NOT_FOUND"}),
        type("ResourceConflict", (Exception,), {})("ResourceConflict"),
    ],
    ids=["code-of-a-declared-error", "status-like-body", "exception-of-that-name"],
)
def test_a_business_outcome_is_never_inferred_from_what_looks_like_one(error: Exception, trust: hr.WorkerTrust) -> None:
    # given a task with boundary events of the declared errors and a status, but no mapper
    with hr.Engine() as engine:
        engine.deploy(looked_up(hr.WithStatus("state"), hr.WithRetryPolicy(hr.NoRetry()), hr.WithWorkerTrust(trust)))
        # when
        instance = work_off(engine, raising(error), {"id": 7})
    # then
    assert ended(instance) == []
    assert len(instance.incidents) == 1
    assert "state" not in instance.variables


def test_an_authoritative_task_wants_a_contract() -> None:
    # given
    loose = straight(hr.WithWorkerTrust(AUTHORITATIVE), operation=None)
    # then
    with pytest.raises(hr.ModelError, match="contract"):
        loose.check()
    straight(hr.WithWorkerTrust(AUTHORITATIVE), operation=LOOK_UP).check()
