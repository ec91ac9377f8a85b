"""Drawings: well-formed, complete, escaped, marked, the same each time."""

from __future__ import annotations

import dataclasses
import hashlib
import math
import xml.etree.ElementTree as ET

import pytest
from pictures import chain, node, order

from headrace import drawing_html
from headrace.drawing import Box, DrawnFlow, Mark, Picture, render
from headrace.drawing_text import clean, escape, shorten, wrap

SVG = "{http://www.w3.org/2000/svg}"


def drawn(picture: Picture) -> ET.Element:
    return ET.fromstring(render(picture))


def groups(root: ET.Element, attribute: str) -> dict[str, ET.Element]:
    found = [g for g in root.iter(f"{SVG}g") if attribute in g.attrib]
    assert len({g.attrib[attribute] for g in found}) == len(found)
    return {g.attrib[attribute]: g for g in found}


def texts(element: ET.Element) -> str:
    return " ".join("".join(t.itertext()) for t in element.iter(f"{SVG}text"))


def test_every_element_and_every_flow_is_drawn_once() -> None:
    # given
    picture = order()
    # when
    root = drawn(picture)
    # then
    assert groups(root, "data-node").keys() == {n.id for n in picture.nodes}
    assert groups(root, "data-flow").keys() == {f.id for f in picture.flows}


def test_a_drawing_says_in_words_what_it_shows() -> None:
    # when
    root = drawn(order())
    # then
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert desc is not None
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"].split() == [title.attrib["id"], desc.attrib["id"]]
    assert title.text == "Process order, instance active"
    assert "Order arrives leads to Is the order big?." in (desc.text or "")
    assert "Charge card: 1 token waits, incident failedExternalTask." in (desc.text or "")


def test_tokens_ends_cancellations_and_incidents_are_marked() -> None:
    # when
    nodes = groups(drawn(order()), "data-node")
    # then
    badges = {g.attrib["class"]: texts(g) for g in nodes["pack"].iter(f"{SVG}g") if g is not nodes["pack"]}
    assert badges == {"hr-token": "2", "hr-done": "✓3", "hr-gone": "✕1"}
    assert "hr-bad" in nodes["pay"].attrib["class"].split()
    assert any(g.attrib["class"] == "hr-incident" for g in nodes["pay"].iter(f"{SVG}g"))
    assert nodes["end"].attrib["class"] == "hr-node"
    assert nodes["big"].findtext(f"{SVG}title") == "Is the order big? (exclusiveGateway), ended 2 times"


def test_where_an_instance_failed_is_marked() -> None:
    # when
    root = drawn(Picture("p", (node("a"),), marks={"a": Mark(failed=True)}))
    # then
    assert "failed here" in (groups(root, "data-node")["a"].findtext(f"{SVG}title") or "")


def test_a_frame_hides_nothing_that_lies_in_it() -> None:
    # when
    order_of = [g.attrib.get("data-node") or g.attrib.get("data-flow") for g in drawn(order()) if g.tag == f"{SVG}g"]
    # then
    assert order_of.index("ship") < min(order_of.index(flow) for flow in ("g1", "g2", "g6"))
    assert max(order_of.index(flow) for flow in ("f1", "g6")) < min(order_of.index(node) for node in ("start", "pack", "pay-error"))


HOSTILE = [
    "<script>alert(1)</script>",
    "\"'&<>]]>",
    "a\x00b\x07c\x1b[31m",
    "lone \ud800 surrogate",
    "\ufffe\uffff",
    "turned \u202e round",
    "</svg><svg onload=alert(1)>",
    "javascript:alert(1)",
    "x" * 100_000,
    "日本語のタスク名" * 50,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_stays_text_everywhere(text: str) -> None:
    # given
    nodes = (
        node(text, "startEvent", text),
        node("b", "serviceTask", text),
        node("s", "subProcess", text),
        node("t", "boundaryTimer", text, "", "b"),
    )
    picture = Picture(text, nodes, (DrawnFlow(f"f{text}", text, "b", text), DrawnFlow("g", "t", "s")), marks={text: Mark(1, 1, 1, (text,))})
    # when
    root = drawn(picture)
    # then
    assert {e.tag.removeprefix(SVG) for e in root.iter()} <= {
        "svg",
        "title",
        "desc",
        "style",
        "rect",
        "g",
        "path",
        "circle",
        "text",
        "tspan",
    }
    assert not [a for e in root.iter() for a in e.attrib if a.startswith("on") or a.endswith("href")]
    assert len(groups(root, "data-node")) == 4
    for line in root.iter(f"{SVG}tspan"):
        assert len(line.text or "") <= 60


def test_a_drawing_needs_nothing_from_elsewhere_and_follows_the_theme() -> None:
    # when
    text = render(order())
    # then
    assert text.count("http") == text.count('xmlns="http://www.w3.org/2000/svg"') == 1
    assert "url(" not in text
    assert "@import" not in text
    assert "prefers-color-scheme:dark" in text


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", ["_LIGHT", "_DARK"])
def test_text_can_be_read_in_both_themes(theme: str) -> None:
    # given
    from headrace import drawing_style

    colours = getattr(drawing_style, theme)
    # then
    for text in ("ink", "soft", "good", "bad", "gone"):
        for ground in ("paper", "fill"):
            light, dark = sorted((luminance(colours[text]), luminance(colours[ground])), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (text, ground)


def test_the_same_picture_gives_the_same_text() -> None:
    # then
    assert render(order()) == render(order())
    small = Picture("p", (node("a", "startEvent"), node("b", "endEvent")), chain("a>b"))
    body = render(small).split("</style>")[1]
    assert body == (
        '<rect class="hr-paper" x="-24" y="-24" width="164" height="84" rx="6"/>'
        '<g data-flow="flow-0"><title>a to b</title><path class="hr-flow" d="M36 18 L80 18"/>'
        '<path class="hr-head" d="M80 18 L71 22 L71 14 Z"/></g>'
        '<g class="hr-node" data-node="a"><title>a (startEvent)</title><circle class="hr-shape" cx="18" cy="18" r="18"/></g>'
        '<g class="hr-node" data-node="b"><title>b (endEvent)</title><circle class="hr-shape hr-thick" cx="98" cy="18" r="18"/></g></svg>'
    )


def test_the_models_own_diagram_is_kept() -> None:
    # given
    shapes = {"a": Box(100, 200, 36, 36), "b": Box(300, 50, 100, 80)}
    picture = Picture(
        "p", (node("a", "startEvent"), node("b")), chain("a>b"), shapes, {"flow-0": ((136.0, 218.0), (220.0, 218.0), (300.0, 90.0))}
    )
    # when
    root = drawn(picture)
    # then
    rect = groups(root, "data-node")["b"].find(f"{SVG}rect")
    line = groups(root, "data-flow")["flow-0"].find(f"{SVG}path")
    assert rect is not None
    assert line is not None
    assert [rect.attrib[k] for k in ("x", "y", "width", "height")] == ["300", "50", "100", "80"]
    assert line.attrib["d"] == "M136 218 L220 218 L300 90"


@pytest.mark.parametrize("bad", [Box(math.nan, 0, 1, 1), Box(0, math.inf, 1, 1), Box(1e300, 0, 1, 1), Box(0, 0, 0, 10), None])
def test_an_unusable_diagram_is_laid_out_instead(bad: Box | None) -> None:
    # given
    shapes = {"a": Box(0, 0, 36, 36), **({"b": bad} if bad else {})}
    # when
    picture = Picture("p", (node("a"), node("b")), chain("a>b"), shapes)
    # then
    assert render(picture) == render(dataclasses.replace(picture, shapes={}))


def test_a_flow_without_usable_waypoints_is_a_straight_line() -> None:
    # given
    shapes = {"a": Box(0, 0, 100, 40), "b": Box(200, 0, 100, 40)}
    picture = Picture("p", (node("a"), node("b")), chain("a>b", "b>b"), shapes, {"flow-0": ((math.nan, 0.0), (1.0, 1.0))})
    # when
    flows = groups(drawn(picture), "data-flow")
    # then
    line = flows["flow-0"].find(f"{SVG}path")
    assert line is not None
    assert line.attrib["d"] == "M100 20 L200 20"


def test_a_model_that_is_still_being_built_is_drawn_as_far_as_it_goes() -> None:
    # given
    nodes = (
        node("a"),
        node("a", "endEvent"),
        node("b", parent="nowhere"),
        node("s", "subProcess", parent="t"),
        node("t", "subProcess", parent="s"),
        node("e", "boundaryError", attached_to="gone"),
        node("f", "boundaryError", attached_to="f"),
        node("inner", parent="s"),
    )
    picture = Picture("p", nodes, (*chain("a>b", "a>missing", "a>inner", "inner>e"), DrawnFlow("flow-0", "b", "a")))
    # when
    root = drawn(picture)
    # then
    assert groups(root, "data-node").keys() == {"a", "b", "s", "t", "e", "f", "inner"}
    assert groups(root, "data-flow").keys() == {"flow-0", "flow-2", "flow-3"}
    assert drawn(Picture("empty", ())).attrib["viewBox"] == "-24 -24 48 48"


def test_ids_in_the_page_differ_between_drawings() -> None:
    # given
    other = dataclasses.replace(order(), title="another")
    # then
    ids = [e.attrib["id"] for picture in (order(), other) for e in drawn(picture).iter() if "id" in e.attrib]
    assert len(set(ids)) == 4


def test_text_is_wrapped_and_shortened_to_what_fits() -> None:
    # then
    assert wrap("Charge the card", 70, 3) == ["Charge the", "card"]
    assert wrap("one two three four five six", 70, 2) == ["one two", "three fou…"]
    assert wrap("a" * 50, 64, 2) == ["a" * 10, "a" * 9 + "…"]
    assert wrap("", 64, 2) == []
    assert shorten("abcdef", 4) == "abc…"
    assert clean(" a\n\tb  c ") == "a b c"
    assert escape("<&\"'>") == "&lt;&amp;&quot;&#x27;&gt;"


def test_a_table_escapes_and_gives_a_state_as_a_word() -> None:
    # when
    text = drawing_html.table("<b>", ["<i>"], [(drawing_html.badge("failed"),), (drawing_html.badge("<x>"),)])
    # then
    root = ET.fromstring(f"<div>{text}</div>")
    assert root.findtext("table/caption") == "<b>"
    assert [e.text for e in root.iter("span")] == ["failed", "<x>"]
    assert hashlib.sha256(text.encode()).hexdigest() == hashlib.sha256(text.encode("ascii")).hexdigest()
