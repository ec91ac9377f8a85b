"""``headrace bench``: what this machine does, from C++ and from Python, as one table or as JSON.

One instance has two start variables and a 300-byte input; a worker's output has 300 bytes, of which one field is bound; each job's
expiry is armed; an instance counts when it is completed. Each figure is the median of the rounds, with min and max, beside the CPU
time of the whole process per operation. The C++ figures drive the same engine without Python in between.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import headrace as hr
from headrace import _core

Run = Callable[[int], tuple[float, float]]

ORDER = "x" * 276
LOG = "y" * 240


def _process(*options: Any) -> hr.Process:
    charge = hr.Operation("charge", in_message=hr.Message("ChargeRequest", {"orderId": str, "order": str}))
    order = hr.Process("order")
    task = order.service_task(
        "pay", charge, hr.WithWorker("charge-card"), hr.WithOutputMapping([hr.out("$.receiptId", "receiptId")]), *options
    )
    order.start_event("start") >> task >> order.end_event("end")
    return order


def _timed(run: Callable[[], None]) -> tuple[float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    run()
    return time.perf_counter() - wall, time.process_time() - cpu


def _expect(engine: hr.Engine, n: int) -> None:
    done = engine.metrics()["instances_completed"]
    if done != n:
        raise RuntimeError(f"expected {n} completed instances, found {done}")


def python_round_trips(n: int) -> tuple[float, float]:
    """One Python thread starts n instances one by one, then fetches and completes them in batches of 100."""
    with hr.Engine(threads=1, keep_ended=1000) as engine:
        engine.deploy(_process())
        dispatcher = engine.dispatcher

        def run() -> None:
            for _ in range(n):
                engine.start("order", {"orderId": "o-12345", "order": ORDER})
            done = 0
            while done < n:
                jobs = dispatcher.fetch_and_lock("w", ["charge-card"], lock_duration=60, max_jobs=100)
                answers = dispatcher.complete_many([(job, {"receiptId": "r-12345", "log": LOG, "ok": True}) for job in jobs], "w")
                done += answers.count(None)

        times = _timed(run)
        _expect(engine, n)
        return times


def python_function(n: int) -> tuple[float, float]:
    """In-process: start, a Python function as the service task, end."""

    def work() -> dict[str, Any]:
        return {"receiptId": "r-12345"}

    order = hr.Process("order")
    order.start_event("start") >> order.service_task("pay", work) >> order.end_event("end")
    with hr.Engine(threads=1, keep_ended=1000) as engine:
        engine.deploy(order)

        def run() -> None:
            last = None
            for _ in range(n):
                last = engine.start("order", {"orderId": "o-12345", "order": ORDER})
            if last is not None:
                last.wait(60)
            while engine.metrics()["instances_active"]:
                time.sleep(0)

        times = _timed(run)
        _expect(engine, n)
        return times


def python_latencies(n: int) -> list[float]:
    """Microseconds from start to completed with a waiting Python worker, one instance at a time."""
    worker = hr.Worker("w", concurrency=1)

    @worker.task("charge-card", timeout=60)
    def charge(job: hr.Job) -> dict[str, Any]:
        return {"receiptId": "r-12345", "log": LOG, "ok": True}

    found: list[float] = []
    with hr.Engine(threads=1, keep_ended=1000) as engine:
        engine.deploy(_process())
        with engine.worker(worker):
            for _ in range(n):
                begin = time.perf_counter()
                engine.start("order", {"orderId": "o-12345", "order": ORDER}).wait(60)
                found.append((time.perf_counter() - begin) * 1e6)
    return found


def _cpp(name: str) -> Run:
    return lambda n: _core.bench_run(name, n)


def _among(waiting: int) -> Run:
    return lambda n: _core.bench_run("external_among_waiting", n, waiting)


RATES: dict[str, tuple[str, Run]] = {
    "cpp_in_process_inline": ("C++: in-process, function inside the step", _cpp("in_process_inline")),
    "cpp_in_process_pooled": ("C++: in-process, function on the pool", _cpp("in_process_pooled")),
    "cpp_external": ("C++: external round trip, worker on its own thread", _cpp("external")),
    "cpp_external_trusted": ("C++: the same with mapper, mapping and retry, worker trusted", _cpp("external_trusted")),
    "cpp_external_authoritative": ("C++: the same, engine authoritative", _cpp("external_authoritative")),
    "cpp_external_one_thread": ("C++: external round trip, one thread", _cpp("external_one_thread")),
    "cpp_external_among_waiting": ("C++: the same with 1,000,000 jobs waiting", _cpp("external_among_waiting")),
    "python_external": ("Python: external round trip, one thread, batches of 100", python_round_trips),
    "python_in_process": ("Python: in-process with a Python function", python_function),
}


def _percentiles(us: list[float]) -> dict[str, float]:
    ordered = sorted(us)
    return {"p50_us": ordered[len(ordered) // 2], "p99_us": ordered[len(ordered) * 99 // 100]}


def measure(rounds: int, n: int, only: list[str], parked: list[int], waiting: int = 1_000_000, single: int = 5000) -> dict[str, Any]:
    """All figures as plain data."""
    report: dict[str, Any] = {
        "machine": {"cpus": os.cpu_count(), "platform": platform.platform(), "python": platform.python_version(), "load": os.getloadavg()},
        "versions": _core.versions(),
        "rounds": rounds,
        "operations": n,
        "rates": {},
    }
    for name, (title, run) in RATES.items():
        if only and name not in only:
            continue
        if name == "cpp_external_among_waiting":
            title, run = f"C++: the same with {waiting:,} jobs waiting", _among(waiting)
        times = [run(n) for _ in range(rounds)]
        rates = [n / wall for wall, _ in times]
        report["rates"][name] = {
            "title": title,
            "per_second": {"median": statistics.median(rates), "min": min(rates), "max": max(rates)},
            "cpu_us_per_operation": statistics.median(cpu / n * 1e6 for _, cpu in times),
        }
    if not only or "latency" in only:
        report["latency"] = {
            "cpp": [_percentiles(_core.bench_latencies(single)) for _ in range(rounds)],
            "python": [_percentiles(python_latencies(single)) for _ in range(rounds)],
        }
    if not only or "parked" in only:
        report["parked"] = {
            str(count): dict(zip(("heap_bytes", "resident_bytes"), _core.bench_parked(count), strict=True)) for count in parked
        }
    report["load_after"] = os.getloadavg()
    return report


def show(report: dict[str, Any]) -> str:
    """The report as a table for people."""
    machine = report["machine"]
    lines = [
        f"{machine['cpus']} CPUs, {machine['platform']}, Python {machine['python']}, load {machine['load'][0]:.1f}",
        f"median of {report['rounds']} rounds of {report['operations']} (min-max)",
    ]
    for figure in report["rates"].values():
        rate = figure["per_second"]
        band = f"({rate['min']:,.0f}-{rate['max']:,.0f})"
        lines.append(f"{figure['title']:<62} {rate['median']:>11,.0f}/s {band} {figure['cpu_us_per_operation']:6.2f} us CPU")
    for who, rounds in report.get("latency", {}).items():
        p50 = statistics.median(r["p50_us"] for r in rounds)
        p99 = statistics.median(r["p99_us"] for r in rounds)
        lines.append(f"start to completed with a waiting worker, {who:<6} p50 {p50:,.0f} us, p99 {p99:,.0f} us")
    for count, memory in report.get("parked", {}).items():
        heap, resident = memory["heap_bytes"], memory["resident_bytes"]
        lines.append(f"{int(count):>9,} parked instances: {heap:,.0f} bytes each on the heap, {resident:,.0f} resident")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """The command line of ``headrace bench``."""
    parser = argparse.ArgumentParser(prog="headrace bench", description="Measure this machine.")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each figure (default 5)")
    parser.add_argument("--operations", type=int, default=20_000, help="operations of a round (default 20000)")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help=f"one of {', '.join(RATES)}, latency, parked; may be repeated"
    )
    parser.add_argument("--parked", type=int, action="append", metavar="N", help="parked instances to weigh (default 100000 and 1000000)")
    parser.add_argument(
        "--waiting", type=int, default=1_000_000, metavar="N", help="jobs that wait while others go through (default 1000000)"
    )
    parser.add_argument(
        "--single", type=int, default=5000, metavar="N", help="instances started one at a time for latencies (default 5000)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    given = parser.parse_args(arguments)
    unknown = [name for name in given.only if name not in RATES and name not in ("latency", "parked")]
    parked = given.parked or [100_000, 1_000_000]
    if unknown:
        parser.error(f"unknown figure {unknown[0]!r}")
    if given.rounds < 1 or given.operations < 100 or min(given.waiting, given.single, *parked) < 1:
        parser.error("expected at least 100 operations, and every other number to be at least 1")
    report = measure(given.rounds, given.operations, given.only, parked, given.waiting, given.single)
    print(json.dumps(report, indent=2) if given.json else show(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
