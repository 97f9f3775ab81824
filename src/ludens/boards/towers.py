"""Towers: things that stand on each other, as `(on c a)` says; where they are drawn depends on the state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ludens.analysis.boards import Axis, Board, Words
from ludens.analysis.domain_graph import argument_position
from ludens.analysis.facts import GameFacts
from ludens.analysis.modes import Key
from ludens.boards.grids import Spell
from ludens.boards.picture import CellPlan, GridPlan
from ludens.gdl.formulas import Signature

MAX_THINGS = 40
APART = 1.2
"""From one tower to the next, in cells."""


def is_tower(facts: GameFacts, board: Board) -> bool:
    """Whether a fluent relates things of one kind, of which each stands on one at most, and carries one at most."""
    return board.signature in _towers(facts)


def tower_boards(facts: GameFacts, known: Mapping[Signature, Sequence[Words]]) -> Iterator[Board]:
    """The places are the things themselves."""
    for signature in _towers(facts):
        words = tuple(dict.fromkeys(word for row in known.get(signature, ()) for word in row))
        if 1 < len(words) <= MAX_THINGS:
            yield Board(
                signature=signature,
                key=Key((0,)),
                axes=(Axis(0, words, None),),
                selectors=(),
                content_arguments=(1,),
                content_order=None,
                exclusive=True,
                places=len(words),
                contents=(),
            )


def _towers(facts: GameFacts) -> list[Signature]:
    found: list[Signature] = []
    for signature, modes in facts.modes.items():
        keys = {key.inputs for key in modes.keys if not key.trivial}
        ends = [argument_position(signature, index) for index in range(signature[1])]
        if keys == {(0,), (1,)} and facts.graph.connected(*ends) and not facts.quantity(signature):
            found.append(signature)
    return found


def tower_plan(name: str, board: Board, spell: Spell) -> tuple[GridPlan, dict[Words, int]]:
    """All things side by side."""
    words = board.axes[0].words
    cells = tuple(CellPlan((spell(word),), APART * number + 0.5, 0.5) for number, word in enumerate(words))
    plan = GridPlan(name, "square", cells, (), (False, False), look="blocks", named=True, towers=True)
    return plan, {(word,): number for number, word in enumerate(words)}


def piled(plan: GridPlan, below: Mapping[int, int]) -> GridPlan:
    """The things where they are, if each stands on the one `below` it; those of a circle stay on the ground."""
    heights = {cell: _height(cell, below) for cell in range(len(plan.cells))}
    above = {lower: upper for upper, lower in below.items() if heights[upper]}
    highest = max(heights.values(), default=0)
    cells = list(plan.cells)
    for tower, bottom in enumerate(cell for cell, height in heights.items() if height == 0):
        cell: int | None = bottom
        while cell is not None:
            cells[cell] = replace(cells[cell], x=APART * tower + 0.5, y=highest - heights[cell] + 0.5)
            cell = above.get(cell)
    return replace(plan, cells=tuple(cells))


def _height(cell: int, below: Mapping[int, int]) -> int:
    height, lower = 0, below.get(cell)
    while lower is not None:
        height, lower = height + 1, below.get(lower)
        if height > len(below):
            return 0
    return height
