"""`headrace run`: one instance of a model from start to end, told line by line."""

from __future__ import annotations

import argparse
import contextlib
import datetime as dt
import json
import runpy
import sys
import threading
import time
from typing import Any, TextIO

import headrace as hr
from headrace.definition import sensitive_fields
from headrace.log import Record

_OVER = ("instance-ended", "incident-raised")


class _Usage(Exception):
    """Wrong use of the command."""


def main(options: argparse.Namespace) -> int:
    """Runs the command; returns the exit code."""
    try:
        workers = [w for path in options.worker for w in _workers(path)]
        with hr.Engine() as engine:
            definition = _deploy(engine, options)
            # What workers print must not get between a script and its JSON.
            with contextlib.redirect_stdout(sys.stderr) if options.json else contextlib.nullcontext():
                return _Run(engine, definition, workers, options).go()
    except hr.ModelError as error:
        return _refused(options, error)
    except _Usage as error:
        print(f"headrace run: error: {error}", file=sys.stderr)
        return 2


def _workers(path: str) -> list[hr.Worker]:
    try:
        names = runpy.run_path(path, run_name="headrace_workers")
    except OSError as error:
        raise _Usage(f"cannot read the worker script {path!r}: {error.strerror}") from None
    except Exception as error:
        raise _Usage(f"the worker script {path!r} failed: {type(error).__name__}: {error}") from error
    found = list({id(v): v for v in names.values() if isinstance(v, hr.Worker)}.values())
    if not found:
        raise _Usage(f"expected an hr.Worker in {path!r}, but found none")
    return found


def _deploy(engine: hr.Engine, options: argparse.Namespace) -> hr.Definition:
    try:
        with open(options.model, "rb") as file:
            xml = file.read()
    except OSError as error:
        raise _Usage(f"cannot read the model {options.model!r}: {error.strerror}") from None
    found = {d.id: d for d in engine.deploy_all(xml, profile=options.profile)}
    if options.process is not None:
        if options.process not in found:
            raise _Usage(f"expected one of the processes {', '.join(found)}, but found --process {options.process}")
        return found[options.process]
    if len(found) > 1:
        raise _Usage(f"the file has the processes {', '.join(found)}: choose one with --process")
    return next(iter(found.values()))


def _refused(options: argparse.Namespace, error: hr.ModelError) -> int:
    if options.json:
        faults = [{"element": f.element, "line": f.line, "rule": f.rule, "message": f.message, "hint": f.hint} for f in error.faults]
        print(json.dumps({"outcome": "bad model", "faults": faults}))
    print(f"headrace run: {options.model}: {error}", file=sys.stderr)
    return 3


class _Run:
    """One run: the story goes to stdout as it happens."""

    def __init__(self, engine: hr.Engine, definition: hr.Definition, workers: list[hr.Worker], options: argparse.Namespace) -> None:
        self._engine = engine
        self._definition = definition
        self._workers = workers
        self._options = options
        self._over = threading.Event()
        self._stopped = threading.Event()
        self._story = _Story(definition, options.json)
        self._instance: hr.Instance | None = None

    def go(self) -> int:
        """Starts, waits, tells."""
        self._engine.subscribe(self._hear, "debug")
        try:
            self._instance = self._engine.start(
                self._definition.id, dict(self._options.var), business_key=self._options.business_key or None
            )
        except hr.HeadraceError as error:
            print(f"headrace run: the instance could not start: {error}", file=sys.stderr)
            return 2 if isinstance(error, hr.ValidationError) else 1
        with _Sigterm(self._stopped):
            for worker in self._workers:
                worker.start(self._engine)
            try:
                in_time = self._wait()
            finally:
                for worker in self._workers:
                    worker.stop()
        self._engine_done()
        return self._close(self._instance, in_time)

    def _hear(self, record: Record) -> None:
        if record.what == "variable-written":
            self._story.written(record, self._values(record.instance))
        else:
            self._story.tell(record)
        if record.what in _OVER:
            self._over.set()

    def _values(self, instance: str) -> dict[str, Any]:
        """Records have no values; the person at the terminal may see them."""
        try:
            return self._engine.instance(instance).variables
        except hr.HeadraceError:
            return {}

    def _wait(self) -> bool:
        """Until the instance has ended, stands in an incident, or nothing more can come; False: waited too long."""
        limit = self._options.timeout
        began = time.monotonic()
        progress = _Progress(sys.stderr)
        try:
            while not self._over.wait(0.1):
                passed = time.monotonic() - began
                if self._stopped.is_set():
                    return True
                if limit is not None and passed >= limit:
                    return False
                progress.show(passed, self._instance)
        finally:
            progress.clear()
        return True

    def _engine_done(self) -> None:
        # Other branches may go on beside an incident for a moment; what they do now is still told.
        if self._instance is not None and self._instance.state is hr.InstanceState.ACTIVE and not self._stopped.is_set():
            try:
                self._instance.wait(0.2, until="idle")
            except hr.TimeoutError:
                return

    def _close(self, instance: hr.Instance, in_time: bool) -> int:
        snapshot = instance.snapshot()
        self._engine.close()  # delivers the last records
        incidents = snapshot.incidents
        if self._stopped.is_set():
            code, outcome = 143, "stopped"
        elif snapshot.state is hr.InstanceState.COMPLETED:
            code, outcome = 0, "completed"
        elif incidents or snapshot.state is not hr.InstanceState.ACTIVE:
            code, outcome = 1, "incident" if incidents else snapshot.state.value
        else:
            code, outcome = (124, "timeout") if not in_time else (1, "stands still")
        self._story.close(snapshot, outcome)
        return code


class _Story:
    """Lines on stdout, or with --json one document at the end."""

    def __init__(self, definition: hr.Definition, as_json: bool) -> None:
        self._names = {n["id"]: n["name"] for n in definition.nodes}
        self._hidden = sensitive_fields(definition)
        self._ends = [n["id"] for n in definition.nodes if "EndEvent" in n["kind"] or n["kind"] == "endEvent"]
        self._out = sys.__stdout__ or sys.stdout
        self._json = as_json
        self._events: list[dict[str, Any]] = []
        self._enqueued: set[str] = set()
        self._early: dict[str, Record] = {}
        self._mutex = threading.Lock()

    def tell(self, record: Record) -> None:
        """One record. A worker on another thread may lock a job before its enqueuing is told: that waits for it."""
        if record.what == "job-fetched" and record.job not in self._enqueued:
            self._early[record.job] = record
            return
        self._tell(record)
        if record.what == "job-enqueued":
            self._enqueued.add(record.job)
            early = self._early.pop(record.job, None)
            if early is not None:
                self._tell(early)

    def _tell(self, record: Record) -> None:
        if self._json:
            self._events.append(_event(record))
            return
        line = _line(record, self._names)
        if line is not None:
            self._print(line)

    def written(self, record: Record, values: dict[str, Any]) -> None:
        """A variable, with the value that it has now."""
        if self._json:
            self._events.append(_event(record))
            return
        value = f" = {self._shown(record.text, values[record.text])}" if record.text in values else ""
        self._print(f"variable   {record.text}{value}")

    def close(self, snapshot: hr.Snapshot, outcome: str) -> None:
        """The end of the story."""
        if self._json:
            variables = {name: "***" if name in self._hidden else value for name, value in snapshot.variables.items()}
            document = _document(snapshot, variables, outcome, self._ended_at(snapshot), self._events)
            print(json.dumps(document, ensure_ascii=False), file=self._out, flush=True)
            return
        for incident in snapshot.incidents:
            self._print(f"incident {incident.id} at {_node(incident.node, self._names)}: {incident.message}")
        if outcome in ("timeout", "stands still", "stopped"):
            for activity in snapshot.activities:
                self._print(f"waits at {_node(activity.node, self._names)} ({activity.waits_for})")
        where = ", ".join(_node(n, self._names) for n in self._ended_at(snapshot))
        where = f" at {where}" if where else ""
        why = f": {snapshot.reason}" if snapshot.reason else ""
        self._print(f"{outcome}{where}{why}")
        for name, value in snapshot.variables.items():
            self._print(f"  {name} = {self._shown(name, value)}")

    def _shown(self, name: str, value: Any) -> str:
        return "***" if name in self._hidden else _value(value)

    def _ended_at(self, snapshot: hr.Snapshot) -> list[str]:
        if snapshot.end_node is not None and snapshot.state is not hr.InstanceState.COMPLETED:
            return [snapshot.end_node]
        return [n for n in self._ends if n in snapshot.counts and snapshot.counts[n].completed > 0]

    def _print(self, line: str) -> None:
        with self._mutex:
            print(line, flush=True)


def _node(node: str, names: dict[str, str]) -> str:
    name = names.get(node)
    return f"'{name}' ({node})" if name else f"'{node}'"


def _line(record: Record, names: dict[str, str]) -> str | None:
    node = _node(record.node, names) if record.node else ""
    by = f" by {record.worker}" if record.worker else ""
    attempt = f", attempt {record.attempt}" if record.attempt > 1 else ""
    lines = {
        "instance-started": f"started    instance {record.instance} of {record.process}",
        "node-entered": f"entered    {node}",
        "job-enqueued": f"enqueued   {record.topic}: {record.job}",
        "job-fetched": f"locked     {record.topic}: {record.job}{by}{attempt}",
        "job-completed": f"completed  {record.topic}: {record.job}{by}",
        "job-retried": f"retry      {record.topic}: {record.job}",
        "job-backed-off": f"backs off  {record.topic}: {record.job}",
        "job-failed": f"failed     {record.topic}: {record.job}{by}",
        "job-cancelled": f"withdrawn  {record.topic}: {record.job}",
        "job-exhausted": f"exhausted  {record.topic}: {record.job}",
        "lock-expired": f"expired    {record.topic}: {record.job}",
        "incident-raised": f"incident   {node}",
        "timer-fired": f"timer      {node}",
    }
    line = lines.get(record.what)
    if line is None:
        return None
    return f"{line}  {record.text}" if record.text and record.what in ("incident-raised", "job-failed", "job-backed-off") else line


def _event(record: Record) -> dict[str, Any]:
    fields = ("what", "level", "instance", "job", "process", "node", "topic", "worker", "attempt", "text")
    return {"at": record.at.isoformat(), **{f: v for f in fields if (v := getattr(record, f))}}


def _document(
    snapshot: hr.Snapshot, variables: dict[str, Any], outcome: str, ends: list[str], events: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "outcome": outcome,
        "instance": snapshot.id,
        "process": snapshot.process,
        "version": snapshot.version,
        "state": snapshot.state.value,
        "ends": ends,
        "error": snapshot.error_code,
        "reason": snapshot.reason,
        "variables": _plain(variables),
        "incidents": [
            {"id": i.id, "kind": i.kind.value, "node": i.node, "message": i.message, "attempts": i.attempts} for i in snapshot.incidents
        ],
        "waiting": [{"node": a.node, "for": a.waits_for} for a in snapshot.activities],
        "story": events,
    }


def _plain(value: Any) -> Any:
    """Bytes and times as JSON has them."""
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_plain(v) for v in value]
    if isinstance(value, dt.datetime):
        return value.isoformat()
    if isinstance(value, bytes):
        import base64

        return base64.b64encode(value).decode()
    return value


def _value(value: Any) -> str:
    text = json.dumps(_plain(value), ensure_ascii=True)
    return text if len(text) <= 200 else text[:197] + "..."


class _Progress:
    """A line that is overwritten, on a terminal only."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream if stream.isatty() else None
        self._shown = False

    def show(self, passed: float, instance: hr.Instance | None) -> None:
        """Where the instance waits."""
        if self._stream is None or passed < 1 or instance is None:
            return
        waits = ", ".join(f"{a.node} ({a.waits_for})" for a in instance.activities)
        self._stream.write(f"\r\x1b[K… {passed:.0f} s, waits at {waits}")
        self._stream.flush()
        self._shown = True

    def clear(self) -> None:
        """Takes the line away."""
        if self._stream is not None and self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


class _Sigterm:
    """SIGTERM as an event, so that workers drain."""

    def __init__(self, event: threading.Event) -> None:
        self._event = event
        self._before: Any = None

    def __enter__(self) -> None:
        import signal

        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGTERM, lambda *_: self._event.set())

    def __exit__(self, *exc: object) -> None:
        import signal

        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, self._before if self._before is not None else signal.SIG_DFL)
