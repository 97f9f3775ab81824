"""`HeuristicEvaluator`: what states are worth by one heuristic."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from ludens.analysis.kind import GameKind
from ludens.core import GroundTerm
from ludens.engines.sliced import SlicedEngine
from ludens.engines.sliced.rows import unpack
from ludens.evaluation.simple.features import Bits, Floats
from ludens.evaluation.simple.heuristics import Heuristic
from ludens.game import Game, State


class HeuristicEvaluator:
    """Values states for one role by a heuristic; all who are not on its team have what it leaves.

    For several threads at the same time, on whatever engine the game has.
    """

    def __init__(self, game: Game, role: str, kind: GameKind, heuristic: Heuristic) -> None:
        self.heuristic = heuristic
        self._game = game
        self._role = game.role_index(role)
        self._team = list(next((team for team in kind.teams if self._role in team), (self._role,)))
        self._worst, self._best = float(kind.worst[self._role]), float(kind.best[self._role])
        self._places = {fact: place for place, fact in enumerate(heuristic.feature.facts)}
        self._engine: SlicedEngine | None = None
        self._columns = self._known = np.zeros(0, np.int64)

    def evaluate(self, states: Any) -> Floats:
        """[batch, roles]: from 0 to 100; the states may be a batch of either engine of the game."""
        bits = self._bits_of_rows(states) if isinstance(states, np.ndarray) else self._bits_of_facts(states)
        own = self.heuristic.values(bits, self._worst, self._best)
        values = np.repeat((self._worst + self._best - own)[:, np.newaxis], len(self._game.roles), axis=1)
        values[:, self._team] = own[:, np.newaxis]
        return values

    def ignores(self, fluents: Collection[int]) -> bool:
        """Whether the worth of a state does not depend on any of these fluents of the compiled engine."""
        engine = self._game.engine
        return isinstance(engine, SlicedEngine) and self._places.keys().isdisjoint(
            engine.fluents[number] for number in fluents
        )

    def explain(self, state: State) -> str:
        """What the heuristic wants, how much of it there is, and what that is worth."""
        batch = self._game.reference_engine.encode([frozenset(fact.term for fact in state.facts)])
        feature, bits = self.heuristic.feature, self._bits_of_facts(batch)
        role = self._game.roles[self._role]
        words = self.heuristic.words(role.lower(), self._game.rules.spelling)
        amount, worth = feature.values(bits)[0], self.heuristic.values(bits, self._worst, self._best)[0]
        return f"{words}: {amount:g} of {feature.lowest:g} to {feature.highest:g}, worth {worth:.1f} to {role}"

    def _bits_of_rows(self, rows: Any) -> Bits:
        """[states, facts]; facts that the compiled engine does not know never hold."""
        engine = self._game.engine
        assert isinstance(engine, SlicedEngine)
        if self._engine is not engine:
            numbers = {fluent: number for number, fluent in enumerate(engine.fluents)}
            known = [(place, numbers[fact]) for fact, place in self._places.items() if fact in numbers]
            self._known, self._columns = np.array(known, np.int64).reshape(-1, 2).T
            self._engine = engine
        bits = np.zeros((len(rows), len(self._places)), np.bool_)
        bits[:, self._known] = unpack(rows, len(engine.fluents))[:, self._columns]
        return bits

    def _bits_of_facts(self, states: Any) -> Bits:
        try:
            decoded: list[frozenset[GroundTerm]] = self._game.reference_engine.decode(states)
        except (AttributeError, TypeError):
            raise TypeError(f"{states!r:.60} is no batch of states of {self._game.name}; encode them first") from None
        bits = np.zeros((len(decoded), len(self._places)), np.bool_)
        for row, facts in enumerate(decoded):
            bits[row, [self._places[fact] for fact in facts if fact in self._places]] = True
        return bits
