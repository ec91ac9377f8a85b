"""Pictures that several tests draw."""

from __future__ import annotations

from headrace.drawing import DrawnFlow, DrawnNode, Mark, Picture


def node(id: str, kind: str = "serviceTask", name: str = "", parent: str = "", attached_to: str = "") -> DrawnNode:
    return DrawnNode(id, kind, name, parent, attached_to)


def chain(*pairs: str) -> tuple[DrawnFlow, ...]:
    """ "a>b" makes a flow from a to b."""
    made = []
    for number, pair in enumerate(pairs):
        source, target = pair.split(">")
        made.append(DrawnFlow(f"flow-{number}", source, target))
    return tuple(made)


def order() -> Picture:
    """All kinds of elements: a gateway, boundary events, a sub-process with a fork, a loop back."""
    nodes = (
        node("start", "startEvent", "Order arrives"),
        node("big", "exclusiveGateway", "Is the order big?"),
        node("approve", "userTask", "Approve by hand"),
        node("pay", "serviceTask", "Charge card"),
        node("pay-error", "boundaryError", "DECLINED", "", "pay"),
        node("pay-timer", "boundaryTimer", "1 hour", "", "pay"),
        node("ship", "subProcess", "Ship the goods"),
        node("in", "startEvent", "", "ship"),
        node("fork", "parallelGateway", "", "ship"),
        node("pack", "serviceTask", "", "ship"),
        node("label", "businessRuleTask", "", "ship"),
        node("join", "parallelGateway", "", "ship"),
        node("out", "endEvent", "packed", "ship"),
        node("end", "endEvent", "done"),
        node("refused", "errorEndEvent", "Refused"),
        node("stop", "terminateEndEvent", "stop"),
    )
    flows = (
        DrawnFlow("f1", "start", "big"),
        DrawnFlow("f2", "big", "approve", "${amount >= 1000}"),
        DrawnFlow("f3", "approve", "pay"),
        DrawnFlow("f4", "big", "pay", default=True),
        DrawnFlow("f5", "pay", "ship"),
        DrawnFlow("f6", "ship", "end"),
        DrawnFlow("f7", "pay-error", "refused"),
        DrawnFlow("f8", "pay-timer", "stop"),
        DrawnFlow("f9", "ship", "big", "${again}"),
        DrawnFlow("g1", "in", "fork"),
        DrawnFlow("g2", "fork", "pack"),
        DrawnFlow("g3", "fork", "label"),
        DrawnFlow("g4", "pack", "join"),
        DrawnFlow("g5", "label", "join"),
        DrawnFlow("g6", "join", "out"),
    )
    marks = {
        "pay": Mark(tokens=1, incidents=("failedExternalTask",)),
        "pack": Mark(tokens=2, completed=3, cancelled=1),
        "big": Mark(completed=2),
    }
    return Picture("order", nodes, flows, marks=marks, state="active")
