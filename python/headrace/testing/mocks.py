"""mock(): answers the jobs of a service task in place of its workers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import headrace as hr
from headrace import _core
from headrace.calling import Arguments, as_output
from headrace.compile import flatten
from headrace.model import ServiceTask
from headrace.testing.engine import Engine

_WORKER = "hr.testing"
_Answer = dict[str, Any] | BaseException | type[BaseException] | Callable[..., Any] | None


@dataclasses.dataclass(frozen=True, slots=True)
class Call:
    """One job that a mock answered."""

    input: dict[str, Any]
    node: str
    job: str
    attempt: int | None
    instance_id: str


class Mock:
    """Stands in for the workers of a topic (or of one of its tasks), and remembers what it was asked."""

    def __init__(self, engine: hr.Engine, topic: str, node: str | None, answers: Sequence[_Answer]) -> None:
        self.topic = topic
        self.node = node
        self.calls: list[Call] = []
        self._engine = engine
        self._answers = list(answers)

    @property
    def inputs(self) -> list[dict[str, Any]]:
        """The variables of each job that it answered."""
        return [call.input for call in self.calls]

    @property
    def called(self) -> bool:
        """Whether it answered a job."""
        return bool(self.calls)

    def assert_called(self, times: int | None = None, **variables: Any) -> None:
        """It answered jobs (``times`` of them), and each had these variables among its own."""
        if (not self.calls) if times is None else (len(self.calls) != times):
            wanted = "to be called" if times is None else f"to be called {times} times"
            raise AssertionError(f"expected the mock of {self.topic!r} {wanted}, but it was called {len(self.calls)} times")
        for call in self.calls:
            wrong = sorted(k for k, v in variables.items() if k not in call.input or call.input[k] != v)
            if wrong:
                raise AssertionError(f"expected {', '.join(map(repr, wrong))} in the input of {call.job} to be as given, but it differs")

    def answer(self) -> int:
        """Answers all jobs that can be fetched now; returns how many. hr.testing.Engine calls it when it runs until idle."""
        answered = 0
        passed_over: list[hr.Job] = []
        while jobs := self._engine.dispatcher.fetch_and_lock(_WORKER, [self.topic], lock_duration=3600, max_jobs=100):
            for job in jobs:
                if self.node is not None and job.node != self.node:
                    passed_over.append(job)
                else:
                    self._report(job)
                    answered += 1
        for job in passed_over:
            job.unlock()
        return answered

    def _report(self, job: hr.Job) -> None:
        answer = self._answers[min(len(self.calls), len(self._answers) - 1)]
        self.calls.append(Call(dict(job.variables), job.node, job.id, job.attempt, job.instance_id))
        try:
            output = _output(answer, job)
        except hr.BpmnError as error:
            job.bpmn_error(error.code, error.message, error.variables)
        except hr.Status as status:
            job.report_status(status.value)
        except hr.Retry as retry:
            job.fail(message=str(retry), retry_after=retry.after)
        except hr.Fault as fault:
            if fault.code is None:
                job.fail(body=fault.body, message=str(fault))
            else:
                job.report_raw(fault.code, fault.body)
        except AssertionError:
            job.unlock()
            raise
        except Exception as error:
            job.fail(type(error).__name__, None, f"{type(error).__name__}: {error}")
        else:
            job.complete(output)


def _output(answer: _Answer, job: hr.Job) -> dict[str, Any]:
    if isinstance(answer, BaseException) or (isinstance(answer, type) and issubclass(answer, BaseException)):
        raise answer
    if not callable(answer):
        return as_output("mock", answer)
    arguments = Arguments(answer, ("job", "variables"))
    return as_output(arguments.name, arguments.call(answer, job.variables, {"job": job, "variables": job.variables}))


def mock(
    engine: hr.Engine,
    task: str | ServiceTask,
    *,
    returns: dict[str, Any] | None = None,
    raises: BaseException | type[BaseException] | None = None,
    side_effect: Callable[..., Any] | Sequence[Any] | None = None,
) -> Mock:
    """Answers the jobs of a service task: a topic, the id of a deployed task, or the task of the model.

    ``returns`` is the output; ``raises`` what a handler would raise (hr.BpmnError, hr.Status, hr.Fault, hr.Retry, any exception);
    ``side_effect`` a handler, or a list with one answer for each job (outputs, exceptions, handlers; the last one stays). Without any of
    them the output is empty. With hr.testing.Engine (the fixture ``engine``) jobs are answered whenever it runs until idle; with another
    engine call ``answer()``. An AssertionError in a handler goes to the test; the job is handed back.
    """
    if sum(a is not None for a in (returns, raises, side_effect)) > 1:
        raise TypeError("expected one of returns, raises and side_effect, but found more")
    if isinstance(side_effect, (list, tuple)):
        if not side_effect:
            raise _core.ValidationError("expected answers in side_effect, but found none")
        answers: Sequence[Any] = side_effect
    else:
        answers = [next((a for a in (returns, raises, side_effect) if a is not None), None)]
    topic, node = _resolve(engine, task)
    made = Mock(engine, topic, node, answers)
    if isinstance(engine, Engine):
        # one mock a target; those of one task come first, so that one for the whole topic gets the rest
        engine._mocks = [m for m in engine._mocks if (m.topic, m.node) != (topic, node)]
        engine._mocks.insert(len(engine._mocks) if node is None else 0, made)
    return made


def _resolve(engine: hr.Engine, task: str | ServiceTask) -> tuple[str, str | None]:
    """The topic, and the task when it is one of several that could share the topic."""
    if isinstance(task, ServiceTask):
        topics, _ = flatten(task.options)
        if len(topics) != 1:
            raise _core.ValidationError(f"expected a task with WithWorker to mock, but {task.id!r} runs in the process: mock its operation")
        return topics[0], task.id
    if not isinstance(task, str):
        raise TypeError(f"expected a topic, the id of a task or a service task, but found {type(task).__name__}")
    nodes = [node for definition in engine.definitions() for node in definition.nodes]
    if any(node["topic"] == task for node in nodes):
        return task, None
    found = [node for node in nodes if node["id"] == task]
    if found and not found[0]["topic"]:
        raise _core.ValidationError(f"expected a task with a topic to mock, but {task!r} has none: mock its operation")
    return (found[0]["topic"], task) if found else (task, None)
