"""What is told of the queue: records, counters, alarms; and what is never told (ADR-021 section 6)."""

from __future__ import annotations

import logging
import re
from typing import Any

import pytest
from seed_models import TOPIC, fetch_one, looked_up, straight

import headrace as hr

RULES = [hr.rule(409).bpmn_error("ResourceConflict"), hr.rule(404).status("NOT_FOUND")]


def eventful(engine: hr.Engine) -> None:
    """Each event of ADR-021 section 6 once at least."""
    retry = hr.WithRetryPolicy(hr.FixedDelay(3, 10))
    options = [retry, hr.WithErrorMapper(RULES), hr.WithStatus("state", overwrite=True), hr.WithMaxLockDuration(100)]
    engine.deploy(looked_up(*options))
    for n in range(5):
        engine.start("order", {"id": n, "state": ""})
    job = fetch_one(engine, lock_duration=30)
    job.extend_lock(40)
    with pytest.raises(hr.LockCapExceeded):
        job.extend_lock(101)
    job.fail(500)  # backs off
    fetch_one(engine).report_raw(409)
    fetch_one(engine).report_raw(404)
    fetch_one(engine).complete({"name": "Ann"})
    fetch_one(engine, lock_duration=20)  # and is never heard of again
    engine.advance(20)
    for _ in range(2):
        fetch_one(engine).fail(500, retries=1, retry_after=0)  # tried again at once
        fetch_one(engine).fail(500, retries=0)
    engine.start("order", {"id": 9, "state": ""}).cancel()


@pytest.mark.seed("ADR-021 6/1")
def test_each_event_of_a_job_leaves_a_record_that_can_be_traced_to_its_job(clock: hr.ManualClock) -> None:
    # given
    records: list[hr.Record] = []
    with hr.Engine(clock=clock, threads=0, seed=1) as engine:
        engine.subscribe(records.append, "debug")
        # when
        eventful(engine)
    # then
    wanted = {
        "job-enqueued": "debug",
        "job-fetched": "debug",
        "job-reported": "debug",
        "lock-extended": "debug",
        "job-retried": "debug",
        "job-backed-off": "debug",
        "job-classified": "debug",
        "lock-cap-hit": "warning",
        "lock-expired": "warning",
        "job-completed": "info",
        "job-failed": "info",
        "job-cancelled": "info",
        "job-exhausted": "info",
        "incident-raised": "error",
    }
    told = {r.what: r.level for r in records}
    assert {what: told.get(what) for what in wanted} == wanted
    assert [r for r in records if r.what in wanted and not re.match(r"\d+:\d+:\d+:\d+:", r.job)] == []
    assert [r.text for r in records if r.what == "job-classified"] == [
        "technical fault",
        "BPMN error ResourceConflict",
        "status",
        "success",
        *["technical fault"] * 4,
    ]


@pytest.mark.seed("ADR-021 6/2")
def test_the_metrics_of_a_topic_count_what_happened_and_show_what_stands_now(hand_driven: hr.Engine) -> None:
    # given
    eventful(hand_driven)
    queued, locked = hand_driven.start("order", {"id": 10, "state": ""}), hand_driven.start("order", {"id": 11, "state": ""})
    fetch_one(hand_driven)
    # when
    (topic,) = hand_driven.metrics()["topics"]
    text = hand_driven.metrics_text()
    # then
    expected = {
        "topic": TOPIC,
        "queued": 1,
        "locked": 1,
        "incidents": 2,
        "enqueued": 8,
        "extensions": 1,
        "cap_hits": 1,
        "expiries": 1,
        "exhausted": 2,
        "completed": 2,
        "failed": 1,
        "cancelled": 1,
    }
    assert {name: topic[name] for name in expected} == expected
    assert topic["attempts"] > 0
    assert (queued.state, locked.state) == (hr.InstanceState.ACTIVE, hr.InstanceState.ACTIVE)
    for family, name in (
        ("jobs_queued", "queued"),
        ("jobs_locked", "locked"),
        ("job_attempts_total", "attempts"),
        ("lock_extensions_total", "extensions"),
        ("lock_cap_hits_total", "cap_hits"),
        ("lock_expiries_total", "expiries"),
        ("job_exhausted_total", "exhausted"),
    ):
        assert f'headrace_{family}{{topic="{TOPIC}"}} {topic[name]}\n' in text


@pytest.mark.seed("ADR-021 6/3")
def test_every_hit_of_the_cap_is_counted_for_its_topic_and_warned_of_by_name(clock: hr.ManualClock) -> None:
    # given
    records: list[hr.Record] = []
    with hr.Engine(clock=clock, threads=0) as engine:
        engine.subscribe(records.append, "warning")
        engine.deploy(straight(hr.WithMaxLockDuration(100)))
        engine.start("order", {"id": 7})
        # when: extensions and a first lock above the cap
        job = fetch_one(engine, worker="hung")
        for _ in range(3):
            with pytest.raises(hr.LockCapExceeded):
                job.extend_lock(101)
        with pytest.raises(hr.LockCapExceeded):
            fetch_one(engine, worker="greedy", lock_duration=101)
        (topic,) = engine.metrics()["topics"]
    # then
    assert topic["cap_hits"] == 4
    hits = [(r.level, r.topic, r.worker) for r in records if r.what == "lock-cap-hit"]
    assert hits == [("warning", TOPIC, "hung")] * 3 + [("warning", TOPIC, "greedy")]


@pytest.mark.seed("ADR-021 6/10")
def test_a_sensitive_field_reaches_its_worker_and_no_text_for_people(caplog: pytest.LogCaptureFixture, clock: hr.ManualClock) -> None:
    # given
    caplog.set_level(logging.DEBUG)
    secret = "4111-1111"
    operation = hr.Operation(
        "pay", hr.Message("In", {"card": hr.Sensitive(str), "id": int}), hr.Message("Out", {"name": hr.Sensitive(str)})
    )
    records: list[hr.Record] = []
    told: list[Any] = []
    with hr.Engine(clock=clock, threads=0) as engine:
        engine.subscribe(records.append, "debug")
        engine.deploy(straight(hr.WithRetryPolicy(hr.NoRetry()), operation=operation))
        instance = engine.start("order", {"card": secret, "id": 7})
        # when
        job = fetch_one(engine)
        told += [job, job.data(), instance, instance.snapshot(), engine]
        job.complete({"name": secret, "unknown": secret})
        (incident,) = instance.incidents
        told += [
            incident,
            incident.body,
            incident.message,
            instance.snapshot(),
            instance._repr_svg_(),
            engine._repr_html_(),
            incident._repr_html_(),
        ]
    # then
    assert job.variables["card"] == secret
    assert [text for thing in [*told, *records] if secret in (text := f"{thing!r} {thing}")] == []
    assert secret not in caplog.text
    assert incident.body == "***"


@pytest.mark.seed("ADR-021 6/10")
def test_the_documentation_says_what_a_transport_must_do_for_sensitive_fields() -> None:
    # given
    text = hr.Sensitive.__doc__ or ""
    # then
    assert "***" in text
    assert "reaches the worker" in text
    assert "encrypt" in text
