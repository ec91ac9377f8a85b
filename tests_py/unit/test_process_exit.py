"""Python ends while daemon threads are inside calls of Headrace: the process ends with 0 and says nothing."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

RUNS = 10
MODEL = """
import contextlib, threading
import headrace as hr
engine = hr.Engine()
order = hr.Process("order")
order.start_event("s") >> order.user_task("u") >> order.end_event("e")
engine.deploy(order)
instance = engine.start("order", {})
inside = threading.Event()
"""
CALLS = {
    "fetch": 'inside.set(); engine.dispatcher.fetch_and_lock("w", ["t"], wait=3600)',
    "afetch": 'import asyncio; inside.set(); asyncio.run(engine.dispatcher.afetch_and_lock("w", ["t"], wait=3600))',
    "instance": "inside.set(); instance.wait(3600)",
    "worker": 'worker = hr.Worker("w"); worker.task("t")(lambda: None); inside.set(); worker.run(engine)',
    "worker until": 'worker = hr.Worker("w"); worker.task("t")(lambda: None); inside.set(); worker.run(engine, until=instance)',
    "starts": 'inside.set()\n        while True: engine.start("order", {"a": [1] * 10})',
    "starts and metrics": 'inside.set()\n        while True: engine.start("order", {}).snapshot(); engine.metrics_text()',
    "a call of Python": """
        calc = hr.Process("calc")
        calc.start_event("s") >> calc.service_task("work", lambda: {"a": sum(range(1000))}) >> calc.end_event("e")
        engine.deploy(calc)
        inside.set()
        while True: engine.start("calc", {}).wait(60)""",
    "a clock of one's own": """
        import datetime
        class Clock:
            def now(self): return datetime.datetime.now(datetime.timezone.utc)
        other = hr.Engine(clock=Clock())
        other.deploy(order)
        inside.set()
        while True: other.start("order", {})""",
}


def script(call: str, ending: str) -> str:
    return f"""{MODEL}
def work():
    with contextlib.suppress(hr.EngineError):
        {call}
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
inside.wait()
{ending}
"""


def python(code: str) -> tuple[int, str]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stderr


@pytest.mark.parametrize("ending", ["", "engine.close()"], ids=["open", "closed"])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_python_ends_cleanly_while_daemon_threads_are_inside_a_call(call: str, ending: str) -> None:
    # given
    code = script(call, ending)
    # when
    with ThreadPoolExecutor(4) as pool:
        ended = set(pool.map(python, [code] * RUNS))
    # then
    assert ended == {(0, "")}


REPORTS = """
        task = hr.Process("task")
        task.start_event("s") >> task.service_task("pay", None, hr.WithWorker("t")) >> task.end_event("e")
        engine.deploy(task)
        inside.set()
        while True:
            engine.start("task", {})
            for job in engine.dispatcher.fetch_and_lock("w", ["t"]): job.complete()"""


@pytest.mark.parametrize(
    "call", [CALLS["fetch"], CALLS["instance"], CALLS["starts"], REPORTS], ids=["fetch", "instance", "starts", "reports"]
)
def test_an_error_of_the_closing_at_exit_reaches_no_daemon_thread(call: str) -> None:
    # given a thread that would show any error
    code = script(call, "").replace("contextlib.suppress(hr.EngineError)", "contextlib.nullcontext()")
    # when
    with ThreadPoolExecutor(4) as pool:
        ended = set(pool.map(python, [code] * RUNS))
    # then
    assert ended == {(0, "")}


def test_no_error_reaches_a_daemon_thread_while_the_closing_waits_for_an_operation() -> None:
    # given an operation that takes longer than a thread waits for the end once the engines are closed
    call = """
        def slow():
            inside.set()
            threading.Event().wait(2.5)
        calc = hr.Process("calc")
        calc.start_event("s") >> calc.service_task("work", slow) >> calc.end_event("e")
        engine.deploy(calc)
        engine.start("calc").wait(3600)"""
    code = script(call, "").replace("contextlib.suppress(hr.EngineError)", "contextlib.nullcontext()")
    # then
    assert python(code) == (0, "")


def test_an_atexit_function_may_wait_for_a_thread_that_waits_for_the_engine() -> None:
    # given a function that runs after Headrace's own
    code = f"""
import atexit, threading
joined = []
atexit.register(lambda: [t.join() for t in joined])
{MODEL}
def work():
    with contextlib.suppress(hr.EngineError):
        inside.set(); engine.dispatcher.fetch_and_lock("w", ["t"], wait=3600)
joined.append(threading.Thread(target=work, daemon=True))
joined[0].start()
inside.wait()
"""
    # then
    assert python(code) == (0, "")
