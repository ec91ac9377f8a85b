"""Processes that several tests run."""

from __future__ import annotations

import headrace as hr

CHARGE = hr.Operation(
    "charge card",
    in_message=hr.Message(
        "ChargeRequest", {"orderId": str, "amount": float, "note": hr.Optional(str), "card": hr.Optional(hr.Sensitive(str))}
    ),
    out_message=hr.Message("ChargeReceipt", {"receiptId": str, "fee": hr.Optional(float)}),
    errors=[hr.Error("CARD_DECLINED")],
)


def order(*options: hr.options.Option, operation: hr.Operation | None = CHARGE) -> hr.Process:
    """start >> pay >> end; a declined card >> refused; after a day >> stop"""
    order = hr.Process("order", "Order")
    pay = order.service_task("pay", operation, hr.WithWorker("charge-card"), *options, name="Charge card")
    order.start_event("start") >> pay >> order.end_event("end")
    order.boundary_error(pay, "CARD_DECLINED") >> order.end_event("refused")
    order.boundary_timer(pay, "P1D") >> order.terminate_end("stop")
    return order


def steps(*topics: str) -> hr.Process:
    """start >> one task a topic, named as its topic >> end"""
    process = hr.Process("steps")
    here: hr.model.Node = process.start_event("start")
    for topic in topics:
        here = here >> process.service_task(topic, None, hr.WithWorker(topic))
    here >> process.end_event("end")
    return process


INPUT = {"orderId": "o-1", "amount": 42.0}
