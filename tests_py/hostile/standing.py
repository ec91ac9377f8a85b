"""An instance with a locked job, as it stands before bad input and must stand after it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

import headrace as hr

LONGEST = 4_000  # characters of a message: input of megabytes is not repeated


@dataclasses.dataclass
class Standing:
    engine: hr.Engine
    instance: hr.Instance
    job: hr.Job

    def state(self) -> tuple[hr.instance.Snapshot, list[dict[str, Any]]]:
        """Everything that can be seen, but for the count of refusals."""
        topics = [{k: v for k, v in topic.items() if k != "reports_refused"} for topic in self.engine.metrics()["topics"]]
        return self.instance.snapshot(), topics

    def refuses(self, call: Callable[[], object], *told: str, error: type[Exception] = hr.ValidationError) -> None:
        """One clear error with these texts; nothing has changed, and the job can still be completed."""
        before = self.state()
        with pytest.raises(error) as refused:
            call()
        message = str(refused.value)
        assert [text for text in told if text not in message] == [], message
        assert len(message) <= LONGEST
        assert self.state() == before

    def goes_on(self) -> None:
        """The work can be done as if nothing had been."""
        self.job.complete({"result": 1})
        assert self.instance.state is hr.InstanceState.COMPLETED
        assert self.instance.variables["result"] == 1
