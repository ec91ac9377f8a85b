"""assert_that(instance): fluent assertions whose failure tells the whole story."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import headrace as hr
from headrace.testing import story


class _Anything:
    def __repr__(self) -> str:
        return "anything"


ANYTHING: Any = _Anything()


def assert_that(instance: hr.Instance) -> InstanceAssertion:
    """Assertions about the committed state that the instance has now; each returns itself, so that they chain."""
    if not hasattr(instance, "snapshot"):
        raise TypeError(f"expected an hr.Instance, but found {type(instance).__name__}")
    ends = {node["id"] for node in instance.definition.nodes if node["kind"].lower().endswith("endevent")}
    return InstanceAssertion(instance.snapshot(), frozenset(ends))


class InstanceAssertion:
    """Assertions about one state of an instance."""

    def __init__(self, snapshot: hr.Snapshot, ends: frozenset[str] = frozenset()) -> None:
        self.snapshot = snapshot
        self._ends = ends

    def is_active(self) -> InstanceAssertion:
        """It has not ended."""
        return self._state(hr.InstanceState.ACTIVE)

    def is_completed(self) -> InstanceAssertion:
        """It ended normally."""
        return self._state(hr.InstanceState.COMPLETED)

    def is_failed(self, code: str | None = None) -> InstanceAssertion:
        """It failed; with ``code``: by that BPMN error."""
        self._state(hr.InstanceState.FAILED)
        if code is not None and self.snapshot.error_code != code:
            self._fail(f"expected it to fail with error {code!r}, but found {self.snapshot.error_code!r}")
        return self

    def is_cancelled(self) -> InstanceAssertion:
        """It was cancelled."""
        return self._state(hr.InstanceState.CANCELLED)

    def is_suspended(self) -> InstanceAssertion:
        """It is suspended."""
        return self if self.snapshot.suspended else self._fail("expected it to be suspended, but it is not")

    def ended_at(self, node: str) -> InstanceAssertion:
        """It has ended, and this is an end event that it passed, or the element at which it failed."""
        passed = (
            []
            if self.snapshot.state is hr.InstanceState.ACTIVE
            else [n for n in self.snapshot.counts if n in self._ends and self._completed(n)]
        )
        found = list(dict.fromkeys([*passed, *([self.snapshot.end_node] if self.snapshot.end_node else [])]))
        return self if node in found else self._fail(f"expected it to end at {node!r}, but found {_list(found) or 'no end'}")

    def passed(self, *nodes: str, times: int | None = None) -> InstanceAssertion:
        """Each of the elements ended normally at least once; with ``times``: exactly so often."""
        counts = {node: self._completed(node) for node in nodes}
        wrong = {node: n for node, n in counts.items() if (n == 0 if times is None else n != times)}
        if wrong:
            wanted = "at least once" if times is None else f"{times} times"
            self._fail(
                f"expected {_list(nodes)} to be passed {wanted}, but found {', '.join(f'{k!r} {v} times' for k, v in wrong.items())}"
            )
        return self

    def has_not_passed(self, *nodes: str) -> InstanceAssertion:
        """None of the elements ended normally."""
        return self.passed(*nodes, times=0)

    def was_cancelled_at(self, *nodes: str) -> InstanceAssertion:
        """Each of the elements was interrupted or cancelled at least once."""
        wrong = [n for n in nodes if n not in self.snapshot.counts or not self.snapshot.counts[n].cancelled]
        return self if not wrong else self._fail(f"expected {_list(nodes)} to be cancelled, but {_list(wrong)} never was")

    def waits_at(self, *nodes: str) -> InstanceAssertion:
        """A token waits at each of the elements."""
        found = {activity.node for activity in self.snapshot.activities}
        missing = [node for node in nodes if node not in found]
        if missing:
            self._fail(f"expected it to wait at {_list(nodes)}, but it waits at {_list(sorted(found)) if found else 'nothing'}")
        return self

    def does_not_wait_at(self, *nodes: str) -> InstanceAssertion:
        """No token waits at any of the elements."""
        found = sorted({activity.node for activity in self.snapshot.activities} & set(nodes))
        return self if not found else self._fail(f"expected nothing to wait at {_list(nodes)}, but a token waits at {_list(found)}")

    def has_variable(self, name: str, value: Any = ANYTHING, *, scope: str | None = None) -> InstanceAssertion:
        """A variable of the instance (or of the inner ``scope``) is there, and equals ``value``; True and 1 differ."""
        variables = self._variables(scope)
        if name not in variables:
            self._fail(f"expected a variable {name!r}, but there is none")
        found = variables[name]
        if value is not ANYTHING and (found != value or isinstance(found, bool) is not isinstance(value, bool)):
            process = self.snapshot.process
            self._fail(
                f"expected variable {name!r} to be {story.shown(process, name, value)}, but found {story.shown(process, name, found)}"
            )
        return self

    def has_no_variable(self, name: str) -> InstanceAssertion:
        """There is no such variable in the instance's root scope."""
        return self if name not in self.snapshot.variables else self._fail(f"expected no variable {name!r}, but there is one")

    def has_incident(
        self, node: str | None = None, *, kind: hr.IncidentKind | str | None = None, message: str | None = None
    ) -> InstanceAssertion:
        """An open incident at ``node``, of that kind, whose message has ``message`` in it."""
        word = None if kind is None else hr.IncidentKind(kind)
        checks: list[Callable[[hr.Incident], bool]] = [
            lambda i: node is None or i.node == node,
            lambda i: word is None or i.kind is word,
            lambda i: message is None or message in i.message,
        ]
        if not any(all(check(i) for check in checks) for i in self.snapshot.incidents):
            wanted = [f"at {node!r}" if node else "", f"of kind {word.value}" if word else "", f"saying {message!r}" if message else ""]
            self._fail(f"expected {' '.join(['an incident', *filter(None, wanted)])}, but found {len(self.snapshot.incidents)} others")
        return self

    def has_no_incident(self) -> InstanceAssertion:
        """No incident is open."""
        count = len(self.snapshot.incidents)
        return self if not count else self._fail(f"expected no incident, but found {count}")

    def _completed(self, node: str) -> int:
        count = self.snapshot.counts.get(node)
        return count.completed if count else 0

    def _variables(self, scope: str | None) -> dict[str, Any]:
        if scope is None:
            return self.snapshot.variables
        return {name: value for where, variables in self.snapshot.local_variables if where == scope for name, value in variables.items()}

    def _state(self, wanted: hr.InstanceState) -> InstanceAssertion:
        found = self.snapshot.state
        return self if found is wanted else self._fail(f"expected the instance to be {wanted.value}, but it is {found.value}")

    def _fail(self, message: str) -> NoReturn:
        __tracebackhide__ = True
        raise AssertionError(f"{message}\n{story.tell(self.snapshot)}")


def _list(nodes: Any) -> str:
    return ", ".join(map(repr, nodes))
