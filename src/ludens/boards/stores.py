"""Stores: what roles have of what lies on a board in amounts is drawn beside it, as the stores of kalah are."""

from __future__ import annotations

from collections.abc import Callable

from ludens.analysis.boards import Axis, Board
from ludens.analysis.domain_graph import argument_position
from ludens.analysis.facts import GameFacts
from ludens.analysis.quantities import Quantity
from ludens.boards.grids import Coordinate, Spell, lay_out
from ludens.boards.hints import FluentHint
from ludens.boards.layers import Layer
from ludens.boards.lines import attached, moved
from ludens.boards.picture import GridPlan
from ludens.boards.related import ROLE
from ludens.gdl.formulas import Signature

GAP = 0.15
"""Between the board and a store, in cells."""


def add_stores(
    facts: GameFacts,
    grids: list[GridPlan],
    layers: dict[Signature, Layer],
    label: Callable[[Signature], str],
    spell: Spell,
) -> None:
    """The store of the first role to the right of the board, that of the second one to the left."""
    roles = tuple(role.lower() for role in facts.roles)
    for base in [layer for layer in layers.values() if layer.board.content_order]:
        for quantity in facts.quantities:
            if len(roles) == 2 and quantity.signature not in layers and _is_store(facts, quantity, base.board):
                plan = grids[base.grid]
                width, height = plan.size
                board = _board(quantity, roles)
                coordinates = [Coordinate(board.axes[0].argument, roles, ordered=False, wraps=False)]
                places = [(role,) for role in roles]
                more, cells = lay_out(label(quantity.signature), coordinates, 0, places, "square", FluentHint(), spell)
                spots = [(width + 1.5 + 2 * GAP, height / 2), (0.5, height / 2)]
                grids[base.grid] = attached(moved(plan, 1 + GAP), more, spots, (1.0, height))
                shifted = {place: len(plan.cells) + cell for place, cell in cells.items()}
                layers[quantity.signature] = Layer(board, base.grid, quantity.key.inputs, shifted)
                break


def _is_store(facts: GameFacts, quantity: Quantity, board: Board) -> bool:
    """Whether it is an amount of each role of the same things as lie on the board."""
    if len(quantity.key.inputs) != 1 or quantity.signature[1] != 2:
        return False
    owner = argument_position(quantity.signature, quantity.key.inputs[0])
    amount = argument_position(quantity.signature, quantity.argument)
    content = argument_position(board.signature, board.content_arguments[0])
    return facts.graph.connected(owner, ROLE) and facts.graph.connected(amount, content)


def _board(quantity: Quantity, roles: tuple[str, ...]) -> Board:
    return Board(
        signature=quantity.signature,
        key=quantity.key,
        axes=(Axis(quantity.key.inputs[0], roles, None),),
        selectors=(),
        content_arguments=(quantity.argument,),
        content_order=quantity.order,
        exclusive=True,
        places=len(roles),
        contents=(),
    )
