"""Rows H47 to H57 of the hostile inputs: durations, ids and numbers that are given to the job queue."""

from __future__ import annotations

import datetime as dt
import math
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from standing import Standing

import headrace as hr
from models import one_task

NO_POSITIVE_DURATION = [
    0,
    -1,
    0.0,
    "PT0S",
    "-PT1S",
    dt.timedelta(seconds=-1),
    2**63 - 1,
    1e300,
    math.nan,
    math.inf,
    "10",
    "soon",
    True,
    [],
    b"1",
]
DURATIONS: dict[str, Callable[[Standing, Any], object]] = {
    "lock_duration": lambda s, d: s.engine.dispatcher.fetch_and_lock("w", ["charge-card"], d),
    "duration": lambda s, d: s.job.extend_lock(d),
}


@pytest.mark.parametrize("duration", NO_POSITIVE_DURATION, ids=repr)
@pytest.mark.parametrize("field", DURATIONS)
def test_h47_a_duration_that_is_none_is_refused_by_the_name_of_its_field(standing: Standing, field: str, duration: Any) -> None:
    standing.refuses(lambda: DURATIONS[field](standing, duration), field, error=(hr.ValidationError, TypeError))  # type: ignore[arg-type]
    standing.goes_on()


@pytest.mark.parametrize("wait", [-1, 2**63 - 1, math.nan, "10", "soon", True, []], ids=repr)
def test_h47_a_wait_that_is_no_duration_is_refused_by_its_name(standing: Standing, wait: Any) -> None:
    fetch = standing.engine.dispatcher.fetch_and_lock
    standing.refuses(lambda: fetch("w", ["charge-card"], 60, wait=wait), "wait", error=(hr.ValidationError, TypeError))  # type: ignore[arg-type]
    standing.goes_on()


@pytest.mark.parametrize("after", [-1, 2**63 - 1, math.nan, "10"], ids=repr)
def test_h47_a_pause_before_a_retry_that_is_no_duration_is_refused_by_its_name(standing: Standing, after: Any) -> None:
    standing.refuses(lambda: standing.job.fail(retry_after=after), "retry_after")
    standing.goes_on()


def test_h47_no_lock_duration_means_that_of_the_topic(hand_driven: hr.Engine) -> None:
    # given
    hand_driven.deploy(one_task(hr.WithLockDuration(77)))
    hand_driven.start("order", {})
    # when
    [job] = hand_driven.dispatcher.fetch_and_lock("w", ["charge-card"], None)
    # then
    assert job.deadline == hand_driven.now() + dt.timedelta(seconds=77)


VERBS: dict[str, Callable[[Standing, Any, str], object]] = {
    "complete": lambda s, id, w: s.engine.dispatcher.complete(id, w, {}),
    "report_status": lambda s, id, w: s.engine.dispatcher.report_status(id, w, "x"),
    "bpmn_error": lambda s, id, w: s.engine.dispatcher.bpmn_error(id, w, "E"),
    "fail": lambda s, id, w: s.engine.dispatcher.fail(id, w),
    "report_raw": lambda s, id, w: s.engine.dispatcher.report_raw(id, w, 500),
    "extend_lock": lambda s, id, w: s.engine.dispatcher.extend_lock(id, w, 60),
    "unlock": lambda s, id, w: s.engine.dispatcher.unlock(id, w),
}
UNKNOWN_IDS = ["", "x", "9:9:9:9:pay", "1:1:1:1", "1:1:1:1:", "01:1:1:1:pay", "-1:1:1:1:pay", "1:1:1:1:pay'; DROP TABLE jobs; --", "\x00"]


@pytest.mark.parametrize("verb", VERBS)
def test_h49_a_report_on_a_job_of_another_worker_is_refused(standing: Standing, verb: str) -> None:
    standing.refuses(lambda: VERBS[verb](standing, standing.job.id, "another"), "pay", "another", error=hr.NotLockHolder)
    standing.goes_on()


@pytest.mark.parametrize("id", UNKNOWN_IDS, ids=repr)
@pytest.mark.parametrize("verb", VERBS)
def test_h49_an_id_that_nobody_has_is_named_whole_in_the_refusal(standing: Standing, verb: str, id: str) -> None:
    if id.startswith("1:1:1:1:pay"):
        id = id.replace("1:1:1:1", standing.job.id.rsplit(":", 1)[0].replace("1", "9", 1))
    standing.refuses(lambda: VERBS[verb](standing, id, "w"), f"'{id}'", error=hr.JobNotFound)
    standing.goes_on()


@pytest.mark.parametrize("verb", VERBS)
def test_h49_an_id_of_a_megabyte_is_refused_without_being_repeated(standing: Standing, verb: str) -> None:
    standing.refuses(lambda: VERBS[verb](standing, "1" * 1_000_000, "w"), "1111", error=hr.JobNotFound)
    standing.refuses(lambda: VERBS[verb](standing, "9:9:9:9:" + "x" * 1_000_000, "w"), "9:9:9:9:xxx", error=hr.JobNotFound)
    standing.goes_on()


@pytest.mark.parametrize("id", [None, 7, b"1:1:1:1:pay", ["x"]], ids=repr)
@pytest.mark.parametrize("verb", VERBS)
def test_h49_an_id_that_is_no_text_is_refused(standing: Standing, verb: str, id: Any) -> None:
    standing.refuses(lambda: VERBS[verb](standing, id, "w"), "id", type(id).__name__, error=TypeError)
    standing.goes_on()


@pytest.mark.parametrize("verb", VERBS)
def test_h49_a_finished_job_is_named_whole_and_stays_finished(standing: Standing, verb: str) -> None:
    # given
    id = standing.job.id
    standing.goes_on()
    # then
    assert id.endswith(":pay")
    standing.refuses(lambda: VERBS[verb](standing, id, "w"), f"'{id}'", error=hr.JobNotFound)
    standing.refuses(lambda: VERBS[verb](standing, standing.job, "w"), f"'{id}'", error=hr.JobNotFound)


def test_h49_a_batch_names_each_id_that_nobody_has_and_does_the_rest(standing: Standing) -> None:
    # when
    answers = standing.engine.dispatcher.complete_many([("9:9:9:9:gone", {}), (standing.job, {"result": 1}), ("no id", {})], "w")
    # then
    assert [type(a) for a in answers] == [hr.JobNotFound, type(None), hr.JobNotFound]
    assert "'9:9:9:9:gone'" in str(answers[0])
    assert "'no id'" in str(answers[2])
    assert standing.instance.variables["result"] == 1


def test_h51_the_same_complete_from_100_threads_is_taken_once_and_makes_one_step(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task())
    instance = engine.start("order", {})
    [job] = engine.dispatcher.fetch_and_lock("w", ["charge-card"])
    before = instance.snapshot().sequence
    barrier, answers = threading.Barrier(100), Counter[str]()

    def complete() -> None:
        barrier.wait()
        try:
            engine.dispatcher.complete(job.id, "w", {"x": 1})
            answers["taken"] += 1
        except hr.EngineError as error:
            answers[type(error).__name__] += 1

    threads = [threading.Thread(target=complete) for _ in range(100)]
    # when
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # then
    assert answers["taken"] == 1
    assert answers["JobNotFound"] + answers["ConflictError"] == 99
    assert instance.snapshot().sequence == before + 1
    assert instance.counts["end"].completed == 1


def test_h53_a_lock_that_is_extended_for_ever_is_capped_and_the_job_comes_back(hand_driven: hr.Engine) -> None:
    # given
    hand_driven.deploy(one_task(hr.WithLockDuration(10), hr.WithMaxLockDuration(30)))
    hand_driven.start("order", {})
    [job] = hand_driven.dispatcher.fetch_and_lock("hog", ["charge-card"])
    # when
    extended = 0
    refusals: list[str] = []
    for _ in range(1_000):
        hand_driven.advance(1)
        try:
            job.extend_lock(10)
            extended += 1
        except hr.ConflictError as refused:
            refusals.append(type(refused).__name__)
    # then
    assert extended == 20
    assert refusals[0] == "LockCapExceeded"
    assert len(refusals) == 980
    [again] = hand_driven.dispatcher.fetch_and_lock("other", ["charge-card"])
    assert again.id == job.id
    again.complete({})


def test_h53_an_extension_that_overflows_is_refused_and_the_lock_stands(standing: Standing) -> None:
    standing.refuses(lambda: standing.job.extend_lock(2**62 / 1000), "duration")
    standing.refuses(lambda: standing.job.extend_lock(hr.UNBOUNDED), error=(hr.ValidationError, hr.LockCapExceeded))  # type: ignore[arg-type]
    assert standing.engine.dispatcher.fetch_and_lock("other", ["charge-card"]) == []
    standing.goes_on()


@pytest.mark.parametrize("most", [0, -1, 2**31, 2**70, 1.5, True, "1", None], ids=repr)
def test_h55_a_number_of_jobs_that_is_none_is_refused_by_name(standing: Standing, most: Any) -> None:
    fetch = standing.engine.dispatcher.fetch_and_lock
    standing.refuses(lambda: fetch("w", ["charge-card"], 60, most), "max_jobs", error=(hr.ValidationError, TypeError))  # type: ignore[arg-type]
    standing.goes_on()


@pytest.mark.parametrize(
    ("topics", "told"),
    [
        ([f"t{n}" for n in range(10_000)], "topics"),
        (["charge-card", "charge-card"], "charge-card"),
        ([], "topics"),
        ([""], "topic"),
        (["x" * 1_000_000], "topic"),
        ("charge-card", "topics"),
        (None, "topics"),
        (7, "topics"),
        ([None], "topic"),
        ([b"charge-card"], "topic"),
        (["\ud800"], "topic"),
    ],
    ids=["10,000", "twice", "none", "empty", "1 MB", "text", "None", "number", "list of None", "bytes", "surrogate"],
)
def test_h55_topics_that_are_none_are_refused_by_name(standing: Standing, topics: Any, told: str) -> None:
    fetch = standing.engine.dispatcher.fetch_and_lock
    standing.refuses(lambda: fetch("w", topics, 60), told, error=(hr.ValidationError, TypeError))  # type: ignore[arg-type]
    standing.goes_on()


@pytest.mark.parametrize("worker", ["", None, 7, "\ud800", "x" * 1_000_000], ids=["empty", "None", "number", "surrogate", "1 MB"])
def test_h55_a_worker_without_a_name_is_refused(standing: Standing, worker: Any) -> None:
    fetch = standing.engine.dispatcher.fetch_and_lock
    standing.refuses(lambda: fetch(worker, ["charge-card"], 60), "worker", error=(hr.ValidationError, TypeError))  # type: ignore[arg-type]
    standing.goes_on()


@pytest.mark.parametrize("code", ["", "x" * 1_000_000, None, 5, "\ud800"], ids=["empty", "1 MB", "None", "number", "surrogate"])
def test_h57_a_bpmn_error_without_a_sound_code_is_refused(standing: Standing, code: Any) -> None:
    standing.refuses(lambda: standing.job.bpmn_error(code), "code", error=(hr.ValidationError, TypeError))  # type: ignore[arg-type]
    standing.goes_on()


def test_h57_an_error_that_nobody_declares_fails_the_instance_and_ends_the_job_once(standing: Standing) -> None:
    # when
    standing.job.bpmn_error("NOBODY_CATCHES", "why not")
    # then
    assert standing.instance.state is hr.InstanceState.FAILED
    assert (standing.instance.error_code, standing.instance.end_node) == ("NOBODY_CATCHES", "pay")
    standing.refuses(lambda: standing.job.complete({}), "pay", error=hr.JobNotFound)
    [topic] = standing.engine.metrics()["topics"]
    assert (topic["failed"], topic["completed"]) == (1, 0)
