"""Records reach Python's logging after the fact, in order, without values of variables."""

from __future__ import annotations

import logging

import pytest

import headrace as hr
from models import one_task


def story(engine: hr.Engine) -> None:
    engine.deploy(one_task())
    engine.start("order", {"card": "4111-secret"})
    engine.dispatcher.fetch_and_lock("w", ["charge-card"])[0].complete({"pin": "secret"})


def test_records_arrive_as_log_records_with_their_fields(caplog: pytest.LogCaptureFixture) -> None:
    # given
    caplog.set_level(logging.DEBUG, "headrace.core")
    # when
    with hr.Engine() as engine:
        story(engine)
    # then
    fetched = next(r for r in caplog.records if getattr(r, "what", "") == "job-fetched")
    assert (fetched.name, fetched.levelno) == ("headrace.core", logging.DEBUG)
    assert (fetched.topic, fetched.worker, fetched.attempt) == ("charge-card", "w", 1)  # type: ignore[attr-defined]
    assert "job-fetched" in fetched.getMessage()
    assert "secret" not in caplog.text


def test_what_nobody_wants_is_not_made(caplog: pytest.LogCaptureFixture) -> None:
    # given
    caplog.set_level(logging.ERROR, "headrace.core")
    # when
    with hr.Engine() as engine:
        assert hr._core.records(engine).level == "error"
        story(engine)
    # then
    assert caplog.records == []


def test_a_level_that_changes_is_pushed_down(caplog: pytest.LogCaptureFixture) -> None:
    with hr.Engine() as engine:
        # when
        caplog.set_level(logging.INFO, "headrace.core")
        engine.refresh_log_level()
        # then
        assert hr._core.records(engine).level == "info"


def test_subscribers_hear_records_in_order_and_may_fail(caplog: pytest.LogCaptureFixture) -> None:
    # given
    heard: list[str] = []

    def failing(record: hr.Record) -> None:
        raise RuntimeError("no")

    # when
    with hr.Engine() as engine:
        engine.subscribe(failing, "error")
        engine.subscribe(lambda r: heard.append(r.what), "debug")
        story(engine)
    # then
    wanted = ["instance-started", "job-enqueued", "job-fetched", "instance-ended"]
    assert [w for w in heard if w in wanted] == wanted


def test_the_library_configures_no_handlers() -> None:
    assert [type(h) for h in logging.getLogger("headrace").handlers] == [logging.NullHandler]
