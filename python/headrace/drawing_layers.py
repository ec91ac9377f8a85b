"""The order of a layout: which column and which row each element of one scope stands in. Pure and deterministic, in linear time."""

from __future__ import annotations

import dataclasses
from collections import defaultdict

_LONGEST = 12  # columns that a flow may pass through rows; a longer one runs under all rows


@dataclasses.dataclass(frozen=True, slots=True)
class Link:
    """A flow of the scope; one from a boundary event counts as one from its activity."""

    flow: str
    source: str
    target: str
    boundary: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Grid:
    """Columns and rows. A forward flow over several columns has a row of its own in each column between (``passing``)."""

    column: dict[str, int]
    row: dict[str, int]
    passing: dict[str, list[int]]
    lanes: list[str]  # flows that run under all rows: backward and very long ones


def arrange(ids: list[str], links: list[Link]) -> Grid:
    """Places elements on a grid: columns by the longest way from a start, at most one element in a cell."""
    backward = _backward(ids, links)
    column = _columns(ids, [link for link in links if link.flow not in backward])
    lanes = [link.flow for link in links if link.flow in backward or column[link.target] - column[link.source] > _LONGEST]
    row, passing = _rows(ids, links, column, backward, set(lanes))
    return Grid(column, row, passing, lanes)


def _backward(ids: list[str], links: list[Link]) -> set[str]:
    """The flows that close a loop, by a depth-first walk from the elements that nothing leads to."""
    out: dict[str, list[Link]] = defaultdict(list)
    for link in links:
        out[link.source].append(link)
    entered = {link.target for link in links}
    found: set[str] = set()
    done: set[str] = set()
    for start in [i for i in ids if i not in entered] + ids:
        if start in done:
            continue
        on_way = {start}
        stack = [(start, iter(out[start]))]
        while stack:
            here, rest = stack[-1]
            step = next(rest, None)
            if step is None:
                stack.pop()
                on_way.discard(here)
                done.add(here)
            elif step.target in on_way:
                found.add(step.flow)
            elif step.target not in done:
                on_way.add(step.target)
                stack.append((step.target, iter(out[step.target])))
    return found


def _columns(ids: list[str], links: list[Link]) -> dict[str, int]:
    out: dict[str, list[str]] = defaultdict(list)
    missing = dict.fromkeys(ids, 0)
    for link in links:
        out[link.source].append(link.target)
        missing[link.target] += 1
    column = dict.fromkeys(ids, 0)
    ready = [i for i in ids if missing[i] == 0]
    for here in ready:  # grows while it is walked
        for target in out[here]:
            column[target] = max(column[target], column[here] + 1)
            missing[target] -= 1
            if missing[target] == 0:
                ready.append(target)
    return column


_Item = tuple[str, int]  # (element, -1), or (flow, the column that it passes)


def _rows(
    ids: list[str], links: list[Link], column: dict[str, int], backward: set[str], lanes: set[str]
) -> tuple[dict[str, int], dict[str, list[int]]]:
    columns: dict[int, list[_Item]] = defaultdict(list)
    before: dict[_Item, list[tuple[_Item, tuple[bool, int]]]] = defaultdict(list)
    for id in ids:
        columns[column[id]].append((id, -1))
    for index, link in enumerate(links):
        if link.flow in backward:
            continue
        last: _Item = (link.source, -1)
        order = (bool(link.boundary), index)
        for between in range(column[link.source] + 1, column[link.target]) if link.flow not in lanes else ():
            item = (link.flow, between)
            columns[between].append(item)
            before[item].append((last, order))
            last, order = item, (False, index)
        before[(link.target, -1)].append((last, order))
    row: dict[_Item, int] = {}
    for number in sorted(columns):
        keys = {item: _wish(item, row, before) for item in columns[number]}
        free = 0
        for item in sorted(columns[number], key=lambda i: keys[i]):  # stable: then as added
            row[item] = max(free, keys[item][0])
            free = row[item] + 1
    passing: dict[str, list[int]] = {}
    for (name, between), at in sorted(row.items(), key=lambda entry: entry[0][1]):
        if between >= 0:
            passing.setdefault(name, []).append(at)
    return {name: at for (name, between), at in row.items() if between < 0}, passing


def _wish(item: _Item, row: dict[_Item, int], before: dict[_Item, list[tuple[_Item, tuple[bool, int]]]]) -> tuple[int, tuple[bool, int]]:
    """The row that an item wants: that of what leads to it, and one below for what leaves by a boundary event."""
    wishes = [(row[last] + (1 if order[0] else 0), order) for last, order in before.get(item, ())]
    return min(wishes, default=(0, (False, -1)))
