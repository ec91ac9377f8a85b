"""afetch_and_lock: waits on the running loop; cancelling gives jobs back."""

from __future__ import annotations

import asyncio

import pytest

import headrace as hr
from models import one_task


def test_a_fetch_waits_on_the_loop_until_a_job_comes(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task())

    async def both() -> list[hr.Job]:
        fetch = asyncio.create_task(engine.dispatcher.afetch_and_lock("w", ["charge-card"], wait=60))
        await asyncio.sleep(0)
        engine.start("order", {"a": 1})
        return await fetch

    # when
    (job,) = asyncio.run(both())
    # then
    assert job.variables == {"a": 1}


def test_a_fetch_ends_empty_after_its_wait(engine: hr.Engine) -> None:
    assert asyncio.run(engine.dispatcher.afetch_and_lock("w", ["t"], wait=0.01)) == []


def test_cancelling_leaves_no_job_locked(engine: hr.Engine) -> None:
    # given
    engine.deploy(one_task())

    async def cancelled() -> None:
        fetch = asyncio.create_task(engine.dispatcher.afetch_and_lock("w", ["charge-card"], wait=60))
        await asyncio.sleep(0)
        engine.start("order", {})  # answers the fetch
        fetch.cancel()
        with pytest.raises(asyncio.CancelledError):
            await fetch

    # when
    asyncio.run(cancelled())
    # then
    (job,) = engine.dispatcher.fetch_and_lock("other", ["charge-card"])
    assert job.attempt == 1


def test_waiting_fetches_need_no_thread_each(engine: hr.Engine) -> None:
    # given
    import threading

    engine.deploy(one_task())

    async def many() -> list[list[hr.Job]]:
        fetches = [asyncio.create_task(engine.dispatcher.afetch_and_lock(f"w{n}", ["charge-card"], wait=60)) for n in range(200)]
        await asyncio.sleep(0)
        before = threading.active_count()
        engine.start_many("order", [{}] * 200)
        done = await asyncio.gather(*fetches)
        assert threading.active_count() == before
        return done

    # when
    answers = asyncio.run(many())
    # then
    assert [len(a) for a in answers] == [1] * 200
