"""Processes that many tests use."""

from __future__ import annotations

from typing import Any

import headrace as hr


def one_task(*options: hr.options.Option, topic: str = "charge-card", operation: Any = None, process: str = "order") -> hr.Process:
    """start >> pay (a worker's task) >> end"""
    order = hr.Process(process)
    pay = order.service_task("pay", operation, hr.WithWorker(topic), *options)
    order.start_event("start") >> pay >> order.end_event("end")
    return order


def in_process(function: Any, *options: hr.options.Option, process: str = "calc") -> hr.Process:
    """start >> work (in the process) >> end"""
    calc = hr.Process(process)
    calc.start_event("start") >> calc.service_task("work", function, *options) >> calc.end_event("end")
    return calc
