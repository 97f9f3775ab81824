"""`GameFacts`: all that is known about the structure of a game, and how sure it is.

Nothing here depends on the words of a game: scrambled rules give the same facts in other words.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from ludens.analysis.boards import Board, find_board
from ludens.analysis.document import document
from ludens.analysis.domain_graph import DomainGraph
from ludens.analysis.extensions import Extensions
from ludens.analysis.induction import Claim, Exclusive, prove
from ludens.analysis.kind import GameKind, game_kind
from ludens.analysis.modes import FluentModes, FluentTable, exclusive_pairs, fluent_tables, sampled_modes
from ludens.analysis.orders import Orders
from ludens.analysis.proofs import claims, proved_board, proved_control, proved_modes
from ludens.analysis.quantities import Counter, Quantity, find_counter, find_quantity
from ludens.analysis.relations import StaticRelation, static_relations, word_order
from ludens.analysis.states import SampledStates, sample_states
from ludens.analysis.symmetry import Symmetries, find_symmetries
from ludens.analysis.turns import Control, find_control, movers
from ludens.core import Deadline, GroundTerm, Role
from ludens.engines.sliced import SlicedEngine
from ludens.errors import EngineError
from ludens.game import Game
from ludens.gdl.domains import Domains
from ludens.gdl.formulas import Signature
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Spelling

MAX_DOMAIN_WORK = 5_000_000
"""How much is done at most to find out which words can stand where."""

FEW_STATES = 10
"""If there is not even time for these, random games tell nothing."""


@dataclass(frozen=True)
class GameFacts:
    """What is known about a game. Words are folded to lower case."""

    rules: Rules
    """The rules as they are played."""
    spelling: Spelling
    """How the author writes the words."""
    roles: tuple[Role, ...]
    graph: DomainGraph
    relations: tuple[StaticRelation, ...]
    orders: Orders
    """What order the words of an argument position have."""
    modes: Mapping[Signature, FluentModes]
    boards: tuple[Board, ...]
    quantities: tuple[Quantity, ...]
    counter: Counter | None
    control: Control | None
    kind: GameKind
    symmetries: Symmetries
    states: int
    """How many states were looked at."""
    left_out: tuple[str, ...]
    """What was not done, and why, in words."""
    seconds: float

    def board(self, signature: Signature) -> Board | None:
        """The fluent as a board, if it is one."""
        return next((board for board in self.boards if board.signature == signature), None)

    def quantity(self, signature: Signature) -> Quantity | None:
        """The fluent as a quantity, if it is one."""
        return next((quantity for quantity in self.quantities if quantity.signature == signature), None)

    def to_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        return document(self)


def analyse(game: Game, deadline: Deadline, rng: Random) -> GameFacts:
    """Find out what can be found until the deadline; what is left out is said."""
    return _Analysis(game, deadline, rng).facts()


class _Analysis:
    """One analysis: from the rules to sampled states, from these to structures, and to proofs of them."""

    def __init__(self, game: Game, deadline: Deadline, rng: Random) -> None:
        self.game, self.rng, self.deadline = game, rng, deadline
        self.rules = game.reference_engine.rules
        self.begun = time.monotonic()
        self.left_out: list[str] = []
        self.extensions = Extensions(game.reference_engine, deadline)

    def facts(self) -> GameFacts:
        graph = DomainGraph.of(self.rules.rules)
        relations = self._relations(graph)
        orders = Orders(relations, graph, self.rules.roles)
        states = self._states()
        tables = fluent_tables(states, word_order(self.rules))
        modes = sampled_modes(tables)
        control = find_control(states, tables)
        boards = self._boards(tables, modes, orders, states, control)
        kind = self._kind(states)
        symmetries = self._symmetries(graph)
        exclusive = [Exclusive(pair) for pair in exclusive_pairs(tables, modes, graph)]
        proved = self._prove(states, modes, boards, control, exclusive)
        modes = {signature: proved_modes(mode, proved) for signature, mode in modes.items()}
        boards = [proved_board(board, modes, proved) for board in boards]
        by_signature = {board.signature: board for board in boards}
        counter = find_counter(self.game, states, tables)
        quantities = [
            quantity
            for signature, mode in modes.items()
            if (not counter or signature != counter.signature)
            and (quantity := find_quantity(tables[signature], mode, orders, by_signature.get(signature)))
        ]
        return GameFacts(
            rules=self.rules,
            spelling=self.game.rules.spelling,
            roles=self.game.roles,
            graph=graph,
            relations=tuple(relations),
            orders=orders,
            modes=modes,
            boards=tuple(boards),
            quantities=tuple(quantities),
            counter=counter,
            control=control and proved_control(control, proved),
            kind=kind,
            symmetries=symmetries,
            states=len(states),
            left_out=tuple(self.left_out),
            seconds=time.monotonic() - self.begun,
        )

    def _part(self, part: float) -> Deadline:
        """A deadline after a part of the time that is left."""
        return Deadline(part * self.deadline.remaining)

    def _relations(self, graph: DomainGraph) -> list[StaticRelation]:
        relations, left_out = static_relations(self.extensions, self.rules, graph)
        if left_out:
            self.left_out.append(f"static relations that are too large: {', '.join(left_out)}")
        return relations

    def _symmetries(self, graph: DomainGraph) -> Symmetries:
        """Those that the rules show; what the terms of the compiled game tell makes types narrower."""
        domains = Domains(self.rules.rules, MAX_DOMAIN_WORK)
        if not domains.complete:
            self.left_out.append("symmetries: there are too many words")
            return Symmetries()
        engine = self.game.engine
        terms: list[GroundTerm] | None = None
        if isinstance(engine, SlicedEngine):
            terms = [*engine.fluents, *(engine.move_term(int(number)) for number in set(engine.column_numbers()))]
        found = find_symmetries(self.rules, self.extensions, graph, domains, terms, self._part(0.4))
        if not found.complete:
            self.left_out.append("symmetries: not all were looked for")
        return found

    def _states(self) -> SampledStates:
        if not self.game.compile(self._part(0.4)):
            reason = self.game.compile_error or "it takes too long"
            self.left_out.append(f"all that needs the compiled game, since it cannot be compiled: {reason}")
        return sample_states(self.game, self.rng, self._part(0.3))

    def _kind(self, states: SampledStates) -> GameKind:
        """By random games, unless these are too slow."""
        deadline = self._part(0.2)
        if deadline.remaining > FEW_STATES * states.seconds / len(states):
            return game_kind(self.game, self.rng, deadline=deadline)
        self.left_out.append("random games, which tell the kind of game: they take too long")
        return game_kind(self.game, self.rng, games=0)

    def _boards(
        self,
        tables: Mapping[Signature, FluentTable],
        modes: Mapping[Signature, FluentModes],
        orders: Orders,
        states: SampledStates,
        control: Control | None,
    ) -> list[Board]:
        mover = movers(states, control)
        found = (find_board(tables[signature], mode, orders, states, mover) for signature, mode in modes.items())
        return [board for board in found if board]

    def _prove(
        self,
        states: SampledStates,
        modes: Mapping[Signature, FluentModes],
        boards: Sequence[Board],
        control: Control | None,
        exclusive: list[Exclusive],
    ) -> set[Claim]:
        if not states.exhaustive:
            return set()
        wanted = [*claims(self.rules, modes, boards, control), *exclusive]
        try:
            return prove(self.rules, states.initial, states.fluents, wanted, self._part(0.9))
        except EngineError as error:
            late = self.deadline.passed
            self.left_out.append(f"proofs: {'there was not enough time' if late else error}")
            return set()
