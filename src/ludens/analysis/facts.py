"""`GameFacts`: the known structure of a game, with the evidence for it.

Nothing here depends on the words of a game: scrambled rules give the same facts in other words.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from ludens.analysis.boards import Board, find_board
from ludens.analysis.document import document
from ludens.analysis.domain_graph import DomainGraph
from ludens.analysis.extensions import Extensions
from ludens.analysis.induction import Claim, Exclusive, prove
from ludens.analysis.kind import GAMES, GameKind, game_kind
from ludens.analysis.modes import FluentModes, FluentTable, exclusive_pairs, fluent_tables, sampled_modes
from ludens.analysis.orders import Orders
from ludens.analysis.proofs import claims, proved_board, proved_control, proved_modes, stacked_claims
from ludens.analysis.quantities import Counter, Quantity, find_counters, find_quantity
from ludens.analysis.relations import StaticRelation, static_relations, word_order
from ludens.analysis.states import SampledStates, sample_states
from ludens.analysis.symmetry import Symmetries, find_symmetries
from ludens.analysis.symmetry.typed import typed_rules
from ludens.analysis.turns import Control, find_control, movers
from ludens.core import GroundTerm, Role
from ludens.errors import EngineError
from ludens.game import Game
from ludens.gdl.formulas import Signature
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Spelling, natural_key
from ludens.runtime.deadline import Deadline
from ludens.runtime.lazy import load_object

KIND_GAMES = 4 * GAMES
"""The number of playouts that determine the kind of a game, where they are fast."""
EXTRA_TIME_SHARE = 0.5
"""The time for further playouts, as a share of the time of the sampled states."""


@dataclass(frozen=True)
class GameFacts:
    """The facts about a game. Words are folded to lower case."""

    rules: Rules
    """The rules as they are played."""
    spelling: Spelling
    """The words in the author's spelling."""
    roles: tuple[Role, ...]
    graph: DomainGraph
    relations: tuple[StaticRelation, ...]
    orders: Orders
    """The orders of the words of argument positions."""
    modes: Mapping[Signature, FluentModes]
    boards: tuple[Board, ...]
    quantities: tuple[Quantity, ...]
    counter: Counter | None
    control: Control | None
    kind: GameKind
    symmetries: Symmetries
    fluents: tuple[GroundTerm, ...]
    """All facts that can ever hold; none if that is not known."""
    states: int
    """The number of sampled states."""
    left_out: tuple[str, ...]
    """The parts that were skipped, with reasons."""
    seconds: float

    def board(self, signature: Signature) -> Board | None:
        """Return the fluent as a board, if it is one."""
        return next((board for board in self.boards if board.signature == signature), None)

    def quantity(self, signature: Signature) -> Quantity | None:
        """Return the fluent as a quantity, if it is one."""
        return next((quantity for quantity in self.quantities if quantity.signature == signature), None)

    def to_json(self) -> dict[str, Any]:
        """Return all facts as plain values."""
        return document(self)


def analyse(
    game: Game,
    deadline: Deadline,
    rng: Random,
    *,
    proofs: bool = True,
    symmetries: bool = True,
    states: SampledStates | None = None,
) -> GameFacts:
    """Analyse a game until the deadline; `left_out` says what was skipped and why.

    Without `proofs` all evidence stays sampled. Proofs and symmetries take longest and can be left out.
    With `states` sampled before, no more games are played: the same states and enough time give the same facts.
    """
    return _Analysis(game, deadline, rng).facts(proofs, symmetries, states)


class _Analysis:
    """One analysis: from the rules to sampled states, from these to structures, and to proofs of them."""

    def __init__(self, game: Game, deadline: Deadline, rng: Random) -> None:
        self.game, self.rng, self.deadline = game, rng, deadline
        self.rules = game.reference_engine.rules
        self.begun = time.monotonic()
        self.left_out: list[str] = []
        self.extensions = Extensions(game.reference_engine, deadline)

    def facts(self, proofs: bool, symmetries: bool, given: SampledStates | None) -> GameFacts:
        graph = DomainGraph.of(self.rules.rules)
        relations = self._relations(graph)
        orders = Orders(relations, graph, self.rules.roles)
        states = given or self._states()
        domains = None if states.exhaustive else self.extensions.domains
        sheet_order = word_order(self.rules)
        tables = fluent_tables(states, sheet_order, domains)
        modes = sampled_modes(tables)
        control = find_control(states, tables)
        boards = self._boards(tables, modes, orders, states, control)
        kind = self._kind(states) if given is None else game_kind(self.game, self.rng, 0, seen=states)
        counters = find_counters(self.game, states, tables, sheet_order)
        found_symmetries = self._symmetries(graph, boards, states) if symmetries else Symmetries()
        if proofs:
            helpful: list[Claim] = [Exclusive(pair) for pair in exclusive_pairs(tables, modes, graph)]
            helpful += stacked_claims(boards, tables)
            proved = self._prove(states, modes, boards, control, helpful)
            modes = {signature: proved_modes(mode, proved, tables[signature]) for signature, mode in modes.items()}
            boards = [proved_board(board, modes, proved) for board in boards]
            control = control and proved_control(control, proved)
        by_signature = {board.signature: board for board in boards}
        quantities = [
            quantity
            for signature, mode in modes.items()
            if all(signature != counter.signature for counter in counters)
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
            counter=counters[0] if counters else None,
            control=control,
            kind=kind,
            symmetries=found_symmetries,
            fluents=states.fluents if states.exhaustive else (),
            states=len(states),
            left_out=tuple(self.left_out),
            seconds=time.monotonic() - self.begun,
        )

    def _part(self, part: float) -> Deadline:
        """Return a deadline after a part of the time that is left."""
        return Deadline(part * self.deadline.remaining)

    def _relations(self, graph: DomainGraph) -> list[StaticRelation]:
        relations, left_out = static_relations(self.extensions, self.rules, graph)
        if left_out:
            self.left_out.append(
                f"static relations that are too large, or for which time was too short: {', '.join(left_out)}"
            )
        return relations

    def _symmetries(self, graph: DomainGraph, boards: Sequence[Board], states: SampledStates) -> Symmetries:
        """Return the symmetries of the rules, and further ones of boards that hold in sampled states."""
        if self.deadline.passed:
            self.left_out.append("symmetries: there was not enough time")
            return Symmetries()
        domains = self.extensions.domains
        if not domains.complete:
            self.left_out.append("symmetries: there are too many words")
            return Symmetries()
        engine = self.game.engine
        tables = engine.circuit if states.exhaustive else None
        terms: list[GroundTerm] | None = None
        if tables is not None:
            terms = [*tables.fluents, *sorted(set(tables.moves), key=natural_key)]
        typed = typed_rules(self.rules, self.extensions, graph, domains, terms)
        found = find_symmetries(typed, self._part(0.4))
        if not found.complete:
            self.left_out.append("symmetries: not all were looked for")
        if tables is None or self.deadline.passed:
            return found
        sampled_symmetries = load_object("ludens.analysis.symmetry.candidates:sampled_symmetries")
        known = found.exact + found.apart_from_start
        sampled, tried = sampled_symmetries(typed, boards, known, engine, states, self.rng, self.deadline)
        if found.complete and not tried:
            self.left_out.append("symmetries: not all that boards may have were tried")
        return replace(found, sampled=sampled)

    def _states(self) -> SampledStates:
        self.game.compile(self._part(0.7))
        if self.game.engine.circuit is None:
            error = self.game.circuit_error
            reason = f"does not become a circuit ({error})" if error else "was not compiled in time"
            self.left_out.append(f"the game {reason}, so nothing is proved and few states were sampled")
        return sample_states(self.game, self.rng, self._part(0.3))

    def _kind(self, states: SampledStates) -> GameKind:
        """Return the kind of the game by the sampled states, and by further playouts if they are fast."""
        deadline = self._part(0.2)
        slow = deadline.remaining < EXTRA_TIME_SHARE * states.seconds
        return game_kind(self.game, self.rng, 0 if slow else KIND_GAMES, deadline, seen=states)

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
        helpful: Sequence[Claim],
    ) -> set[Claim]:
        if not states.exhaustive:
            return set()
        wanted = [*claims(self.rules, modes, boards, control), *helpful]
        try:
            return prove(self.rules, states.initial, states.fluents, wanted, self._part(0.9))
        except EngineError as error:
            late = self.deadline.passed
            self.left_out.append(f"proofs: {'there was not enough time' if late else error}")
            return set()
