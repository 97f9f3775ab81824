"""The relations of a rule sheet as a picture: what depends on what, from what the game asks down to plain facts."""

from __future__ import annotations

from html import escape

from ludens.gdl.dependencies import DependencyGraph
from ludens.gdl.formulas import Signature
from ludens.gdl.rules import Rules

MAX_RELATIONS = 150
MAX_IN_ROW = 7
LETTER, HEIGHT, GAP_X, GAP_Y, MARGIN = 7.4, 26.0, 18.0, 46.0, 14.0
MAX_NAME = 24


def dependency_svg(rules: Rules) -> str:
    """One node for each relation; dashed lines for what stands under `not`. Empty for sheets that are too large."""
    graph = DependencyGraph.of(rules.rules)
    nodes = sorted({*graph.positive, *(target for node in graph.positive for target in graph.uses(node))})
    if not nodes or len(nodes) > MAX_RELATIONS:
        return ""
    names = {node: _name(rules, node) for node in nodes}
    rows = _rows(graph, nodes)
    places = _places(rows, names)
    width = max(x + w for x, _, w in places.values()) + MARGIN
    height = max(y for _, y, _ in places.values()) + HEIGHT + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="graph" role="img" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}"><title>which relation depends on which</title>'
    ]
    for node in nodes:
        for target in sorted(graph.uses(node)):
            kind = "no" if target in graph.negative.get(node, frozenset()) else "yes"
            parts.append(_edge(places[node], places[target], kind, names[node], names[target]))
    parts += [_node(places[node], names[node], node in graph.recursive, node not in graph.positive) for node in nodes]
    return "\n".join([*parts, "</svg>"])


def _name(rules: Rules, node: Signature) -> str:
    name = rules.spelling.get(node[0], node[0])
    return f"{name if len(name) <= MAX_NAME else name[: MAX_NAME - 1] + '…'}/{node[1]}"


def _rows(graph: DependencyGraph, nodes: list[Signature]) -> list[list[Signature]]:
    """By height above plain facts, the highest first; within a row near to what they are used by."""
    height: dict[Signature, int] = dict.fromkeys(nodes, 0)
    for component in graph.components:
        members = set(component)
        below = [height[target] for node in component for target in graph.uses(node) - members]
        height.update(dict.fromkeys(component, 1 + max(below) if below else 0))
    levels: dict[int, list[Signature]] = {}
    for node in nodes:
        levels.setdefault(height[node], []).append(node)
    rows: list[list[Signature]] = []
    column: dict[Signature, float] = {}
    for level in sorted(levels, reverse=True):
        users = {
            node: [column[user] for user in column if node in graph.uses(user)] or [len(levels[level]) / 2]
            for node in levels[level]
        }
        ordered = sorted(levels[level], key=lambda node: (sum(users[node]) / len(users[node]), node))
        for start in range(0, len(ordered), MAX_IN_ROW):
            row = ordered[start : start + MAX_IN_ROW]
            rows.append(row)
            column.update({node: number for number, node in enumerate(row)})
    return rows


def _places(rows: list[list[Signature]], names: dict[Signature, str]) -> dict[Signature, tuple[float, float, float]]:
    """Left, top and width of each node; rows are centred."""
    widths = {node: LETTER * len(name) + 18 for node, name in names.items()}
    totals = [sum(widths[node] for node in row) + GAP_X * (len(row) - 1) for row in rows]
    widest = max(totals)
    places: dict[Signature, tuple[float, float, float]] = {}
    for number, (row, total) in enumerate(zip(rows, totals, strict=True)):
        x = MARGIN + (widest - total) / 2
        for node in row:
            places[node] = x, MARGIN + number * (HEIGHT + GAP_Y), widths[node]
            x += widths[node] + GAP_X
    return places


def _edge(start: tuple[float, float, float], end: tuple[float, float, float], kind: str, user: str, used: str) -> str:
    x1, y1 = start[0] + start[2] / 2, start[1] + HEIGHT
    x2, y2 = end[0] + end[2] / 2, end[1]
    if start is end or end[1] <= start[1]:
        x1, y1, x2, y2 = start[0] + start[2], start[1] + HEIGHT / 2, end[0] + end[2], end[1] + HEIGHT / 2
        path = f"M{x1:.0f} {y1:.0f} C{x1 + 30:.0f} {y1 - 26:.0f} {x2 + 30:.0f} {y2 + 26:.0f} {x2:.0f} {y2:.0f}"
    else:
        middle = (y1 + y2) / 2
        path = f"M{x1:.0f} {y1:.0f} C{x1:.0f} {middle:.0f} {x2:.0f} {middle:.0f} {x2:.0f} {y2:.0f}"
    return f'<path d="{path}" class="edge {kind}" data-from="{escape(user)}" data-to="{escape(used)}"/>'


def _node(place: tuple[float, float, float], name: str, recursive: bool, undefined: bool) -> str:
    x, y, width = place
    kinds = "node" + (" recursive" if recursive else "") + (" undefined" if undefined else "")
    words = escape(name)
    note = f"{words} refers to itself" if recursive else words
    return (
        f'<g class="{kinds}" data-name="{words}" tabindex="0" role="button"><title>{note}</title>'
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{HEIGHT:.0f}" rx="7"/>'
        f'<text x="{x + width / 2:.0f}" y="{y + HEIGHT / 2 + 4.5:.0f}" text-anchor="middle">{words}</text></g>'
    )
