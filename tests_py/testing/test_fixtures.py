"""The plugin's fixtures, and time that only the test moves."""

from __future__ import annotations

import datetime as dt
import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest
from processes import INPUT, order, steps

import headrace as hr
from headrace.testing import Engine, assert_that, mock

TEST_FILE = """
import headrace as hr

engines = []

def test_runs(engine, clock):
    engines.append(engine)
    assert engine.clock is clock
    engine.advance("P2D")
    assert clock.now().isoformat() == "2026-01-07T08:00:00+00:00"

def test_gets_an_engine_of_its_own(engine):
    assert engines[0].closed and not engine.closed and engine is not engines[0]

def test_fails(engine):
    process = hr.Process("p")
    process.start_event("start") >> process.service_task("pay", None, hr.WithWorker("t")) >> process.end_event("end")
    engine.deploy(process)
    hr.testing.assert_that(engine.start("p", {"x": 1})).is_completed()
"""


def test_the_plugin_gives_each_test_an_engine_and_closes_it(tmp_path: Path) -> None:
    # given
    (tmp_path / "test_it.py").write_text(TEST_FILE)
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "headrace.testing.plugin",
        "-c",
        os.devnull,
        "--rootdir",
        str(tmp_path),
        str(tmp_path),
    ]
    # when
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
    # then
    assert "1 failed, 2 passed" in ran.stdout, ran.stdout + ran.stderr
    assert "expected the instance to be completed, but it is active" in ran.stdout
    assert "waits at: pay" in ran.stdout


def test_the_clock_starts_at_a_known_time_and_moves_only_by_advance(engine: Engine, clock: hr.ManualClock) -> None:
    # given
    assert clock.now() == dt.datetime(2026, 1, 5, 8, tzinfo=dt.timezone.utc)
    # when
    engine.advance("P2D")
    engine.advance(dt.timedelta(hours=1))
    engine.advance(0.5)
    # then
    assert engine.now() == dt.datetime(2026, 1, 7, 9, 0, 0, 500_000, tzinfo=dt.timezone.utc)


def test_advance_fires_what_is_due_on_the_way(engine: Engine) -> None:
    # given
    engine.deploy(order())
    instance = engine.start("order", INPUT)
    # when
    engine.advance("PT23H")
    assert_that(instance).is_active().waits_at("pay")
    engine.advance("PT1H")
    # then
    assert_that(instance).is_completed().ended_at("stop").was_cancelled_at("pay")


def test_mocks_answer_at_the_time_at_which_their_jobs_come_up(engine: Engine) -> None:
    # given: a user task with a timer of an hour leads to a mocked task, and that to another timer of an hour
    process = hr.Process("chain")
    first, second = process.user_task("first"), process.user_task("second")
    asked = process.service_task("asked", None, hr.WithWorker("asked"))
    process.start_event("start") >> first >> process.end_event("end")
    process.boundary_timer(first, "PT1H") >> asked >> second >> process.end_event("end-2")
    process.boundary_timer(second, "PT1H") >> process.end_event("late")
    engine.deploy(process)
    seen: list[dt.datetime] = []
    mock(engine, "asked", side_effect=lambda: seen.append(engine.now()))
    started = engine.now()
    instance = engine.start("chain", {})
    # when
    engine.advance("PT2H")
    # then
    assert seen == [started + dt.timedelta(hours=1)]
    assert_that(instance).is_completed().ended_at("late")


def test_a_retry_of_a_mock_is_answered_soon_after_its_delay(engine: Engine) -> None:
    # given
    engine.deploy(order(hr.WithRetryPolicy(hr.FixedDelay(3, "PT1H"))))
    times: list[dt.datetime] = []

    def charge() -> None:
        times.append(engine.now())
        raise RuntimeError("down")

    mock(engine, "pay", side_effect=charge)
    instance = engine.start("order", INPUT)
    # when
    engine.advance("PT5H")
    # then
    waits = [(b - a).total_seconds() / 3600 for a, b in itertools.pairwise(times)]
    assert len(waits) == 2
    assert all(1.0 <= w <= 1.06 for w in waits)
    assert_that(instance).has_incident("pay", kind="failedExternalTask")


def test_an_engine_of_tests_runs_until_nothing_is_left(engine: Engine) -> None:
    # given
    topics = [f"t{n}" for n in range(5)]
    engine.deploy(steps(*topics))
    for topic in topics:
        mock(engine, topic)
    instances = [engine.start("steps", {"n": n}) for n in range(20)]
    # when
    done = engine.run_until_idle()
    # then
    assert done >= 100
    for instance in instances:
        assert_that(instance).is_completed().passed(*topics, times=1)


def test_two_engines_do_not_share_mocks(engine: Engine) -> None:
    # given
    with Engine() as other:
        for one in (engine, other):
            one.deploy(steps("a"))
        mock(other, "a")
        instance = engine.start("steps", {})
        # when
        other.run_until_idle()
        engine.run_until_idle()
        # then
        assert_that(instance).waits_at("a")


def test_the_plugin_is_registered_for_those_who_install_the_package() -> None:
    # given
    import importlib.metadata

    points = [p for p in importlib.metadata.entry_points(group="pytest11") if p.value.startswith("headrace")]
    if not points:
        pytest.skip("the package is not installed here")
    # then
    assert [(p.name, p.value) for p in points] == [("headrace", "headrace.testing.plugin")]
