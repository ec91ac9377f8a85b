"""Workers of the order model (order.bpmn): one script, against an engine in this process or a server.

headrace run order.bpmn --var amount=30 --var item=book --worker workers.py
"""

from __future__ import annotations

import headrace as hr

worker = hr.Worker("order-desk", concurrency=4)


@worker.task("charge-card", timeout=60)
def charge_card(job: hr.Job) -> dict[str, object]:
    """Charges the card of an order; the job's id is the idempotency key for the payment provider."""
    amount = job.variables["amount"]
    print(f"charging {amount} for {job.variables.get('item', 'an order')}")
    return {"receiptId": f"receipt-{job.id}", "charged": amount}


@worker.task("approve-order", timeout=60)
def approve_order(amount: float, item: str = "an order") -> dict[str, object]:
    """Approves large orders up to 10,000; parameters are filled from the variables of their names."""
    return {"approved": amount <= 10_000, "approvedItem": item}
