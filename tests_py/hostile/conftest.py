"""What the tests of bad input share."""

from __future__ import annotations

import pytest
from standing import Standing

import headrace as hr
from models import one_task


@pytest.fixture
def standing(hand_driven: hr.Engine) -> Standing:
    hand_driven.deploy(one_task())
    instance = hand_driven.start("order", {"kept": [1, "two"]}, business_key="b-1")
    [job] = hand_driven.dispatcher.fetch_and_lock("w", ["charge-card"], 60)
    return Standing(hand_driven, instance, job)
