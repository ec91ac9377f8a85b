"""Drawings and tables of what really runs."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from processes import INPUT, order

import headrace as hr
from headrace import drawing, drawing_html
from headrace.testing import Engine, mock

SVG = "{http://www.w3.org/2000/svg}"
EXAMPLE = Path(hr.__file__).parent / "examples" / "order.bpmn"


def nodes_of(svg: str) -> dict[str, ET.Element]:
    return {g.attrib["data-node"]: g for g in ET.fromstring(svg).iter(f"{SVG}g") if "data-node" in g.attrib}


def cells_of(html: str) -> list[str]:
    return ["".join(cell.itertext()) for cell in ET.fromstring(f"<div>{html}</div>").iter("td")]


@pytest.fixture
def broken(engine: Engine) -> hr.Instance:
    engine.deploy(order(hr.WithRetryPolicy(hr.NoRetry())))
    mock(engine, "pay", raises=RuntimeError("no <network> & no card 4111"))
    instance = engine.start("order", {**INPUT, "card": "4111 1111"})
    engine.run_until_idle()
    return instance


def test_a_process_and_its_definition_are_drawn_alike(engine: Engine) -> None:
    # given
    process = order()
    definition = engine.deploy(process)
    # then
    assert nodes_of(drawing.to_svg(process)).keys() == nodes_of(drawing.to_svg(definition)).keys() == {n.id for n in process.elements}


def test_an_instance_is_drawn_with_its_tokens_and_incidents(broken: hr.Instance) -> None:
    # when
    nodes = nodes_of(drawing.to_svg(broken))
    # then
    assert nodes["pay"].findtext(f"{SVG}title") == "Charge card (serviceTask), 1 token waits, incident failedExternalTask"
    assert nodes["start"].findtext(f"{SVG}title") == "start (startEvent), ended once"


def test_a_process_may_be_drawn_with_the_marks_of_an_instance(broken: hr.Instance) -> None:
    assert "1 token waits" in drawing.to_svg(order(), broken)
    assert "1 token waits" in drawing.to_svg(broken.definition, broken)


def test_where_an_instance_failed_is_drawn(engine: Engine) -> None:
    # given
    engine.deploy(order())
    instance = engine.start("order", INPUT)
    [job] = engine.dispatcher.fetch_and_lock("w", ["charge-card"])
    job.bpmn_error("NOBODY_CATCHES")
    # then
    assert instance.state is hr.InstanceState.FAILED
    assert "failed here" in (nodes_of(drawing.to_svg(instance))["pay"].findtext(f"{SVG}title") or "")


def test_a_model_from_a_file_keeps_the_places_of_its_author(engine: Engine) -> None:
    # given
    definition = engine.deploy(EXAMPLE)
    shapes = definition.diagram["shapes"]
    # when
    nodes = nodes_of(drawing.to_svg(definition))
    # then
    tasks = [n["id"] for n in definition.nodes if n["kind"].endswith("Task")]
    assert tasks
    for id in tasks:
        rect = nodes[id].find(f"{SVG}rect")
        assert rect is not None
        assert [float(rect.attrib[k]) for k in ("x", "y", "width", "height")] == pytest.approx(list(shapes[id]))


def test_a_condition_that_is_a_function_is_drawn_by_its_name() -> None:
    # given
    def is_large(amount: float) -> bool:
        return amount > 1

    process = hr.Process("p")
    gateway = process.exclusive_gateway("g")
    process.start_event("s") >> gateway
    gateway.when(is_large) >> process.end_event("a")
    gateway.default() >> process.end_event("b")
    # then
    svg = drawing.to_svg(process)
    assert "is_large()" in svg
    assert "g to b (default)" in svg


def test_no_value_of_a_variable_and_no_message_is_in_a_drawing(broken: hr.Instance) -> None:
    # when
    svg = drawing.to_svg(broken)
    # then
    for secret in ("4111", "o-1", "42.0", "network"):
        assert secret not in svg


def test_an_incident_is_a_table_of_what_is_known(broken: hr.Instance) -> None:
    # given
    [incident] = broken.incidents
    incident.annotate("called <them>")
    [incident] = broken.incidents
    # when
    cells = cells_of(drawing_html.incident_table(incident))
    # then
    for text in ("incident", "failedExternalTask", "order", "pay", "charge-card", "called <them>"):
        assert text in cells


def test_an_engine_is_a_table_of_states_processes_and_incidents(engine: Engine, broken: hr.Instance) -> None:
    # when
    html = drawing_html.engine_table(engine)
    # then
    cells = cells_of(html)
    assert cells[:2] == ["active", "1"]
    assert "Order" in cells
    assert broken.incidents[0].id in cells
    assert "<network>" not in html


def test_a_closed_engine_is_shown_as_such() -> None:
    # given
    engine = Engine()
    engine.close()
    # then
    assert cells_of(drawing_html.engine_table(engine)) == ["closed"]


def test_a_list_of_instances_shows_states_and_the_first_twenty(engine: Engine) -> None:
    # given
    engine.deploy(order())
    instances = [engine.start("order", INPUT) for _ in range(25)]
    instances[0].suspend()
    instances[1].cancel()
    # when
    html = drawing_html.instances_table(instances)
    # then
    root = ET.fromstring(f"<div>{html}</div>")
    rows = [["".join(cell.itertext()) for cell in row.iter("td")] for row in root.iter("tr")][1:]
    assert root.findtext("table/caption") == "25 instances, the first 20"
    assert len(rows) == 20
    assert rows[0][2:4] == ["active suspended", "pay"]
    assert rows[1][2] == "cancelled"


def test_what_jupyter_asks_for_is_the_drawing_or_the_table(engine: Engine, broken: hr.Instance) -> None:
    # given
    process, definition, [incident] = order(), broken.definition, broken.incidents
    # then
    assert process._repr_svg_() == drawing.to_svg(process)
    assert definition._repr_svg_() == drawing.to_svg(definition)  # type: ignore[attr-defined]
    assert broken._repr_svg_() == drawing.to_svg(broken)
    assert engine._repr_html_() == drawing_html.engine_table(engine)
    assert incident._repr_html_() == drawing_html.incident_table(incident)


def test_each_has_a_repr_of_one_line_that_names_it(engine: Engine, broken: hr.Instance) -> None:
    # given
    [incident] = broken.incidents
    things = {"order": order(), "'order', version=1": broken.definition, broken.id: broken, incident.id: incident, "closed": engine}
    # then
    for name, thing in things.items():
        assert name in repr(thing)
        assert "\n" not in repr(thing)


@pytest.mark.parametrize("thing", [None, "order", 3])
def test_only_models_and_instances_are_drawn(thing: Any) -> None:
    with pytest.raises(TypeError, match=r"expected an hr\.Process, an hr\.Definition or an hr\.Instance to draw"):
        drawing.to_svg(thing)
