"""Nothing in a picture but its words depends on the words of the rules."""

from __future__ import annotations

from random import Random

import pytest

from ludens import Game
from ludens.boards import BoardLayout, Hints, Picture, draw
from ludens.game import find_rules
from ludens.gdl.scramble import scramble
from tests.boards.drawn import layout_of
from tests.tiers import first

NAMES = (
    "checkers",
    "dicerace",
    "hex",
    "racetrackcorridor",
    "hallway",
    "kalah",
    "ninemensmorris",
    "treasurehunt",
    "tron",
)


def look(drawn: Picture) -> object:
    """All that is seen, without words."""
    grids = [
        [
            (
                cell.plan.x,
                cell.plan.y,
                cell.plan.dark,
                cell.last,
                [
                    (thing.shape, thing.paint, thing.role, thing.count, thing.small, thing.field)
                    for thing in cell.things
                ],
                [amount.part for amount in cell.amounts],
            )
            for cell in grid.cells
        ]
        for grid in drawn.grids
    ]
    panels = [[(gauge.amount.part, gauge.colour) for gauge in panel.gauges] for panel in drawn.panels]
    roles = [(role.paint, role.to_move, role.goal) for role in drawn.roles]
    return grids, panels, roles, [len(rows) for _, rows in drawn.facts], drawn.over


def frame(layout: BoardLayout) -> object:
    return [(grid.shape, grid.wraps, grid.links, grid.fillers, len(grid.blocks)) for grid in layout.grids]


@pytest.mark.parametrize("name", first(4, NAMES))
def test_scrambled_games_look_the_same(name: str) -> None:
    rules, _ = find_rules(name)
    scrambling = scramble(rules, Random(name))
    here, there = Game(rules), Game(scrambling.rules)
    layout, twin = (layout_of(game, Hints()) for game in (here, there))
    assert frame(layout) == frame(twin)
    rng, state, other = Random(1), here.initial_state(), there.initial_state()
    for _ in range(4):
        assert look(draw(layout, state)) == look(draw(twin, other))
        if state.is_terminal:
            break
        joint = [rng.choice(state.legal_moves(role)) for role in here.roles]
        state = state.next(joint)
        other = other.next([there.move_of(scrambling.scramble_term(move.term)) for move in joint])  # type: ignore[arg-type]
