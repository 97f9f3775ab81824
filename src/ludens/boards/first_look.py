"""A first look at a game: facts for drawing from the rules and the first state alone, within milliseconds.

An analysis that plays the game knows more: who owns what, whose turn it is, and what later states look like.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import prod

import numpy as np

from ludens.analysis.boards import MAX_CONTENTS, Axis, Board, Content, Words, find_board
from ludens.analysis.domain_graph import DomainGraph
from ludens.analysis.extensions import Extensions
from ludens.analysis.facts import GameFacts
from ludens.analysis.kind import GameKind
from ludens.analysis.modes import MAX_ARITY, FluentModes, FluentTable, Key, fluent_tables, sampled_modes
from ludens.analysis.orders import Orders
from ludens.analysis.quantities import find_quantity
from ludens.analysis.relations import StaticRelation, sheet_place, static_relations, word_order
from ludens.analysis.states import SampledStates
from ludens.analysis.symmetry import Symmetries
from ludens.game import Game
from ludens.gdl.formulas import Signature
from ludens.runtime.deadline import Deadline

MAX_FACTS = 5_000
"""The limit on possible facts of a board that is empty at the start."""
UNKNOWN = GameKind(constant_sum=False, total=None, teams=(), turns=False, best=(), worst=())
NOBODY = np.full(1, -1, np.int32)


@dataclass(frozen=True)
class StaticFacts:
    """Facts that follow from the rules without play."""

    extensions: Extensions
    graph: DomainGraph
    relations: tuple[StaticRelation, ...]
    orders: Orders

    @classmethod
    def of(cls, game: Game) -> StaticFacts:
        rules = game.reference_engine.rules
        extensions = Extensions(game.reference_engine, Deadline.never())
        graph = DomainGraph.of(rules.rules)
        relations, _ = static_relations(extensions, rules, graph)
        return cls(extensions, graph, tuple(relations), Orders(relations, graph, rules.roles))


def first_look(game: Game) -> GameFacts:
    """Return facts that serve only to draw a game. They do not depend on its engine."""
    return _Look(game).facts()


class _Look:
    def __init__(self, game: Game) -> None:
        self.game, self.static = game, StaticFacts.of(game)
        self.rules = game.reference_engine.rules
        self.sheet_order = word_order(self.rules)
        self.states = self._first_state()
        self.tables = fluent_tables(self.states, self.sheet_order, self.static.extensions.domains)

    def facts(self) -> GameFacts:
        static = self.static
        modes = {
            signature: FluentModes(signature, tuple(_keys(self.tables[signature], mode)))
            for signature, mode in sampled_modes(self.tables).items()
        }
        boards = [board for signature, mode in modes.items() if (board := self._board(self.tables[signature], mode))]
        if all(len(board.axes) < 2 for board in boards):
            boards += sorted(self._empty_boards(), key=lambda board: board.places)[-1:]
        by_signature = {board.signature: board for board in boards}
        quantities = (
            find_quantity(self.tables[signature], mode, static.orders, by_signature.get(signature))
            for signature, mode in modes.items()
        )
        return GameFacts(
            rules=self.rules,
            spelling=self.game.rules.spelling,
            roles=self.game.roles,
            graph=static.graph,
            relations=static.relations,
            orders=static.orders,
            modes=modes,
            boards=tuple(boards),
            quantities=tuple(quantity for quantity in quantities if quantity),
            counter=None,
            control=None,
            kind=UNKNOWN,
            symmetries=Symmetries(),
            fluents=(),
            states=1,
            left_out=("the game was not played, so that little is known",),
            seconds=0.0,
        )

    def _first_state(self) -> SampledStates:
        engine = self.game.reference_engine
        (initial,) = engine.decode(engine.initial(1))
        fluents = tuple(sorted(initial, key=lambda fact: sheet_place(fact, self.sheet_order)))
        return SampledStates(
            fluents=fluents,
            bits=np.ones((1, len(fluents)), np.bool_),
            depths=np.zeros(1, np.int32),
            followers=NOBODY,
            choices=np.zeros((1, len(self.game.roles)), np.int32),
            terminal=np.zeros(1, np.bool_),
            ends=frozenset(),
            exhaustive=False,
            seconds=0.0,
        )

    def _board(self, table: FluentTable, modes: FluentModes) -> Board | None:
        found = find_board(table, modes, self.static.orders, self.states, NOBODY)
        if found is None:
            return None
        board = replace(found, axes=self._sorted(found.axes), selectors=self._sorted(found.selectors))
        if board.content_order or not board.content_arguments:
            return board
        lying = Counter(_chosen(fact, board.content_arguments) for fact in table.facts)
        most, count = _most_common(lying)
        roles = {role.lower() for role in self.game.roles}
        empty = most if board.key.full and 2 * count >= len(table.facts) and roles.isdisjoint(map(str, most)) else None
        possible = [table.allowed_words(index) for index in board.content_arguments]
        more = product(*possible) if prod(map(len, possible)) <= MAX_CONTENTS else ()
        contents = tuple(
            Content(words, "blank" if words == empty else "marker", lying[words], lying[words] == 1, "sampled", None)
            for words in dict.fromkeys([*lying, *more])
        )
        return replace(board, contents=contents if len(contents) <= MAX_CONTENTS else ())

    def _sorted(self, axes: Iterable[Axis]) -> tuple[Axis, ...]:
        """Return the axes with unordered words in the order of the sheet."""
        return tuple(
            axis
            if axis.order
            else replace(axis, words=tuple(sorted(axis.words, key=lambda word: sheet_place(word, self.sheet_order))))
            for axis in axes
        )

    def _empty_boards(self) -> Iterator[Board]:
        """Yield boards of two coordinates that are empty at the start."""
        domains = self.static.extensions.domains
        for signature in sorted(self._fluents() - self.tables.keys()):
            words = [
                tuple(sorted(self.sheet_order.keys() & found, key=self.sheet_order.__getitem__))
                for found in (domains.words("function", *signature, index) for index in range(signature[1]))
            ]
            if 2 <= signature[1] <= MAX_ARITY and 0 < prod(map(len, words)) <= MAX_FACTS:
                facts = tuple(product(*words))
                table = FluentTable(signature, facts, np.zeros((1, len(facts)), np.bool_), tuple(words))
                board = find_board(table, FluentModes(signature, ()), self.static.orders, self.states, NOBODY)
                if board and len(board.axes) == 2 and not board.selectors:
                    yield board

    def _fluents(self) -> set[Signature]:
        """Return the signatures of the fluents."""
        names = self.static.extensions.domains.words("relation", "true", 1, 0)
        parts = [word.rpartition("/") for word in names]
        return {(name, int(arity)) for name, _, arity in parts if name and arity.isdecimal()}


def _keys(table: FluentTable, modes: FluentModes) -> Iterator[Key]:
    """Yield the keys whose inputs have all allowed words, or else the smallest; one state alone shows too many.

    A place that nothing lies on has a word for that, if most places have the same.
    """
    covering = {key: _covers(table, key.inputs) for key in modes.keys}
    least = min((len(key.inputs) for key in modes.keys), default=0)
    for key in modes.keys:
        if covering[key] or (len(key.inputs) == least and not any(covering.values())):
            outputs = [index for index in range(table.arity) if index not in key.inputs]
            _, count = _most_common(Counter(_chosen(fact, outputs) for fact in table.facts))
            full = covering[key] or (bool(key.inputs) and 2 * count > len(table.facts))
            yield replace(key, full=full, full_evidence="sampled" if full else "refuted")


def _covers(table: FluentTable, inputs: Iterable[int]) -> bool:
    allowed = [table.allowed_words(index) for index in inputs]
    return bool(allowed) and len({_chosen(fact, inputs) for fact in table.facts}) == prod(map(len, allowed))


def _chosen(fact: Words, arguments: Iterable[int]) -> Words:
    return tuple(fact[index] for index in arguments)


def _most_common(lying: Counter[Words]) -> tuple[Words, int]:
    """Return the most common words and their number; none if two are equally common."""
    (words, count), *others = lying.most_common(2)
    return ((), 0) if others and others[0][1] == count else (words, count)
