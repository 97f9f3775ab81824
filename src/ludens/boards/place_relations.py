"""Static relations about the places of a board: what lies between two of them, what roles call them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from ludens.analysis.boards import Board, Words
from ludens.analysis.domain_graph import argument_position
from ludens.analysis.extensions import Extensions, Row
from ludens.analysis.facts import GameFacts
from ludens.core import GroundTerm
from ludens.game import Game
from ludens.gdl.domains import Position
from ludens.runtime.deadline import Deadline

MAX_ROWS = 5_000
ROLE: Position = ("relation", "role", 1, 0)

Names = Mapping[int, Mapping[Words, GroundTerm]]
"""The names of places by role."""


class PlaceRelations:
    """Static relations by the domains of their arguments."""

    def __init__(self, game: Game, facts: GameFacts) -> None:
        self._game, self._facts = game, facts

    @cached_property
    def _extensions(self) -> Extensions:
        return Extensions(self._game.reference_engine, Deadline.never())

    def rows(
        self, positions: Sequence[Position | None], accept: Callable[[Sequence[Position]], bool] = bool
    ) -> Iterator[frozenset[Row]]:
        """Yield the rows of the relations with arguments of these domains, in this order; None stands for any.

        `accept` can refuse a relation by its argument positions.
        """
        for name, arity in self._extensions.signatures:
            own: list[Position] = [("relation", name, arity, index) for index in range(arity)]
            if arity != len(positions) or not accept(own):
                continue
            if all(
                wanted is None or self._facts.graph.connected(wanted, here)
                for wanted, here in zip(positions, own, strict=True)
            ):
                rows = self._extensions.rows((name, arity), MAX_ROWS)
                if rows:
                    yield rows

    def names(self, board: Board, places: Sequence[Words]) -> Names:
        """Return the names that roles give to the places of a board in their moves, if a relation tells them.

        Its arguments are the role, the name, and the coordinates; the name is nearer to an argument of a move than
        the coordinates are.
        """
        arguments = sorted(axis.argument for axis in board.axes)
        coordinates = [argument_position(board.signature, index) for index in arguments]
        order = [arguments.index(axis.argument) for axis in board.axes]
        for rows in self.rows([None, None, *coordinates], self._is_naming) if not board.selectors else ():
            found: dict[int, dict[Words, GroundTerm]] = {}
            for role, name, *spot in rows:
                number = self._roles.get(str(role), -1)
                found.setdefault(number, {})[tuple(spot[index] for index in order)] = name
            if min(found) >= 0 and all(
                names.keys() == set(places) and len(set(names.values())) == len(places) for names in found.values()
            ):
                return found
        return {}

    def _is_naming(self, own: Sequence[Position]) -> bool:
        """Return whether the first argument can be a role, and moves name the second one rather than the others."""
        words = self._facts.graph.domain(own[0]).words
        return self._roles.keys() <= set(words) and any(self._is_nearest(move, own) for move in self._move_positions)

    def _is_nearest(self, move: Position, own: Sequence[Position]) -> bool:
        distances = self._facts.graph.distances(move)
        far = len(distances)
        return distances.get(own[1], far) < min(distances.get(position, far) for position in own[2:])

    @cached_property
    def _roles(self) -> Mapping[str, int]:
        return {role.lower(): number for number, role in enumerate(self._facts.roles)}

    @cached_property
    def _move_positions(self) -> Sequence[Position]:
        """The arguments of moves, wherever the rules speak of these."""
        found: dict[Position, None] = {}
        for rule in self._facts.rules.rules:
            for atom in (rule.head, *(literal.atom for literal in rule.body)):
                move = atom.args[1] if atom.name in ("legal", "does", "input") and len(atom.args) == 2 else None
                if isinstance(move, tuple):
                    signature = (str(move[0]), len(move) - 1)
                    found |= dict.fromkeys(argument_position(signature, index) for index in range(signature[1]))
        return list(found)
