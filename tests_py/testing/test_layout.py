"""The layout of models without diagram data: order from left to right, nothing over anything else."""

from __future__ import annotations

import itertools
import random

import pytest
from pictures import chain, node, order

from headrace.drawing_data import Box, DrawnFlow, DrawnNode, Picture, orderly
from headrace.drawing_layout import Layout, layout
from headrace.drawing_text import width


def overlapping(picture: Picture, plan: Layout) -> list[tuple[str, str]]:
    """Pairs of elements that touch, without those that belong on or in each other."""
    nodes = {n.id: n for n in picture.nodes}

    def belong(a: str, b: str) -> bool:
        inner = nodes[a]
        while inner.id != b:
            if inner.attached_to == b or inner.parent == b:
                return True
            if not inner.parent:
                return False
            inner = nodes[inner.parent]
        return True

    def touch(a: Box, b: Box) -> bool:
        return a.x < b.right and b.x < a.right and a.y < b.bottom and b.y < a.bottom

    boxes = plan.shapes
    return [(a, b) for a, b in itertools.combinations(boxes, 2) if touch(boxes[a], boxes[b]) and not belong(a, b) and not belong(b, a)]


def crossing(picture: Picture, plan: Layout) -> list[tuple[str, str]]:
    """Flows that run through an element of their scope that is neither of their ends."""
    nodes = {n.id: n for n in picture.nodes}
    found = []
    for flow in picture.flows:
        ends = {flow.source, flow.target, nodes[flow.source].attached_to}
        others = [n.id for n in picture.nodes if n.parent == nodes[flow.source].parent and n.id not in ends and n.attached_to not in ends]
        for (x0, y0), (x1, y1) in itertools.pairwise(plan.edges.get(flow.id, [])):
            for id in others:
                box = plan.shapes[id]
                if min(x0, x1) < box.right and max(x0, x1) > box.x and min(y0, y1) < box.bottom and max(y0, y1) > box.y:
                    found.append((flow.id, id))
    return found


def grown(seed: int) -> Picture:
    """A random model: tasks, events, gateways, sub-processes, boundary events, flows forward and backward inside each scope."""
    chance = random.Random(seed)
    nodes: list[DrawnNode] = []
    for n in range(chance.randint(1, 30)):
        scopes = [m.id for m in nodes if m.kind == "subProcess"]
        hosts = [m for m in nodes if m.kind in ("serviceTask", "subProcess")]
        if hosts and chance.random() < 0.2:
            host = chance.choice(hosts)
            nodes.append(node(f"n{n}", chance.choice(["boundaryTimer", "boundaryError"]), "late", host.parent, host.id))
        else:
            kind = chance.choice(["startEvent", "endEvent", "serviceTask", "userTask", "exclusiveGateway", "subProcess"])
            nodes.append(node(f"n{n}", kind, "a name " * chance.randint(0, 5), chance.choice([*scopes, ""])))
    flows = []
    for n in range(chance.randint(0, 40)):
        source = chance.choice(nodes)
        target = chance.choice([m for m in nodes if m.parent == source.parent and not m.attached_to])
        flows.append(DrawnFlow(f"f{n}", source.id, target.id, chance.choice(["", "${x > 1}"])))
    return Picture("random", tuple(nodes), tuple(flows))


def test_a_sequence_stands_in_one_row_from_left_to_right() -> None:
    # given
    picture = Picture("p", (node("c"), node("a", "startEvent"), node("b"), node("d", "endEvent")), chain("a>b", "b>c", "c>d"))
    # when
    plan = layout(picture)
    # then
    middles = [plan.shapes[id].middle for id in "abcd"]
    assert [x for x, _ in middles] == sorted({x for x, _ in middles})
    assert len({y for _, y in middles}) == 1
    assert all(len(points) == 2 for points in plan.edges.values())


@pytest.mark.parametrize("picture", [order(), *(grown(seed) for seed in range(150))], ids=lambda p: f"{p.title}-{len(p.nodes)}")
def test_no_shapes_overlap_and_no_flow_runs_through_one(picture: Picture) -> None:
    # when
    plan = layout(orderly(picture))
    # then
    assert set(plan.shapes) == {n.id for n in picture.nodes}
    assert set(plan.edges) == {f.id for f in picture.flows}
    assert overlapping(picture, plan) == []
    assert crossing(picture, plan) == []


def test_a_boundary_event_sits_on_the_lower_border_of_its_activity() -> None:
    # when
    plan = layout(order())
    # then
    pay = plan.shapes["pay"]
    for event in ("pay-error", "pay-timer"):
        x, y = plan.shapes[event].middle
        assert y == pay.bottom
        assert pay.x < x < pay.right


def test_names_of_boundary_events_have_room_between_them() -> None:
    # when
    plan = layout(order())
    # then
    left, right = plan.shapes["pay-timer"], plan.shapes["pay-error"]
    assert right.x - left.right > width("DECLINED")


def test_what_leaves_two_boundary_events_does_not_cross() -> None:
    # when
    plan = layout(order())
    # then
    (_, upper), (_, lower) = plan.edges["f7"][1], plan.edges["f8"][1]
    assert upper < lower
    assert plan.edges["f8"][2][0] < plan.edges["f7"][2][0]


def test_a_sub_process_holds_what_lies_in_it() -> None:
    # when
    plan = layout(order())
    # then
    frame = plan.shapes["ship"]
    for id in ("in", "fork", "pack", "label", "join", "out"):
        box = plan.shapes[id]
        assert frame.x < box.x < box.right < frame.right
        assert frame.y < box.y < box.bottom < frame.bottom


def test_a_flow_ends_at_the_borders_of_what_it_joins() -> None:
    # given
    picture = order()
    # when
    plan = layout(picture)
    # then
    for flow in picture.flows:
        source, target = plan.shapes[flow.source], plan.shapes[flow.target]
        assert plan.edges[flow.id][0] in [(source.right, source.middle[1]), (source.middle[0], source.bottom)]
        assert plan.edges[flow.id][-1] == (target.x, target.middle[1])


def test_a_loop_to_itself_and_a_flow_over_many_columns_run_under_the_rows() -> None:
    # given
    ids = [f"n{i}" for i in range(20)]
    picture = Picture("p", tuple(map(node, ids)), chain(*map(">".join, itertools.pairwise(ids)), "n0>n19", "n5>n5"))
    # when
    plan = layout(picture)
    # then
    lowest = max(box.bottom for box in plan.shapes.values())
    for flow in ("flow-19", "flow-20"):
        assert max(y for _, y in plan.edges[flow]) > lowest
    assert crossing(picture, plan) == []


def test_a_very_long_and_a_very_wide_model_are_laid_out() -> None:
    # given
    ids = [f"n{i}" for i in range(3000)]
    long = Picture("long", tuple(map(node, ids)), chain(*map(">".join, itertools.pairwise(ids))))
    wide = Picture("wide", tuple(map(node, ids)), chain(*(f"n0>{id}" for id in ids[1:])))
    # when
    plans = [layout(long), layout(wide)]
    # then
    assert all(len(plan.shapes) == 3000 for plan in plans)
