"""`HeuristicEvaluator`: the worth of states by one heuristic, and the trial of heuristics by playouts."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from ludens.analysis.kind import GameKind
from ludens.core import GroundTerm
from ludens.engines.base import Engine
from ludens.engines.rows import Rows, unpack
from ludens.evaluation.random_play import mean_correlation, play_at_random, playout_means
from ludens.evaluation.simple.heuristics import Bits, Floats, Heuristic
from ludens.game import Game, State
from ludens.runtime.deadline import Deadline

if TYPE_CHECKING:
    from ludens.engines.sliced.tables import CircuitTables


TRIAL_GAMES, MAX_TRIAL_STATES = 128, 512
"""The playouts of a trial of heuristics, and the most of their states that it uses."""


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
        self._circuit: CircuitTables | None = None
        self._columns = self._known = np.zeros(0, np.int64)

    def evaluate(self, rows: Rows, engine: Engine | None = None) -> Floats:
        """[states, roles]: from 0 to 100; the rows are of any engine of the game, by default the one that it has."""
        engine = engine or self._game.engine
        bits = self._bits_of_rows(rows, engine.circuit) if engine.circuit else self._bits_of_facts(engine.decode(rows))
        own = self.heuristic.values(bits, self._worst, self._best)
        values = np.repeat((self._worst + self._best - own)[:, np.newaxis], len(self._game.roles), axis=1)
        values[:, self._team] = own[:, np.newaxis]
        return values

    def ignores(self, fluents: Collection[int]) -> bool:
        """Return whether the worth of a state does not depend on any of these fluents of the compiled engine."""
        circuit = self._game.engine.circuit
        return circuit is not None and self._places.keys().isdisjoint(circuit.fluents[number] for number in fluents)

    def explain(self, state: State) -> str:
        """Return what the heuristic wants, how much of it there is, and what that is worth."""
        feature, bits = self.heuristic.feature, self._bits_of_facts([state.terms])
        role = self._game.roles[self._role]
        words = self.heuristic.words(role.lower(), self._game.rules.spelling)
        amount, worth = feature.values(bits)[0], self.heuristic.values(bits, self._worst, self._best)[0]
        return f"{words}: {amount:g} of {feature.lowest:g} to {feature.highest:g}, worth {worth:.1f} to {role}"

    def _bits_of_rows(self, rows: Rows, circuit: CircuitTables) -> Bits:
        """[states, facts]; facts that the compiled engine does not know never hold."""
        if self._circuit is not circuit:
            numbers = {fluent: number for number, fluent in enumerate(circuit.fluents)}
            known = [(place, numbers[fact]) for fact, place in self._places.items() if fact in numbers]
            self._known, self._columns = np.array(known, np.int64).reshape(-1, 2).T
            self._circuit = circuit
        bits = np.zeros((len(rows), len(self._places)), np.bool_)
        bits[:, self._known] = unpack(circuit.checked(rows), len(circuit.fluents))[:, self._columns]
        return bits

    def _bits_of_facts(self, states: Sequence[frozenset[GroundTerm]]) -> Bits:
        bits = np.zeros((len(states), len(self._places)), np.bool_)
        for row, facts in enumerate(states):
            bits[row, [self._places[fact] for fact in facts if fact in self._places]] = True
        return bits


def correlations(
    game: Game, role: str, kind: GameKind, heuristics: Sequence[Heuristic], deadline: Deadline, rng: Random
) -> tuple[float, ...]:
    """Return for each heuristic the correlation of the worth of states with what the role gets in playouts from them.

    All are 0 where the game is not compiled, or time is too short.
    """
    begun, numbers = time.monotonic(), np.random.default_rng(rng.getrandbits(64))
    engine = game.engine
    played = play_at_random(engine, TRIAL_GAMES, numbers, deadline) if engine.circuit is not None else None
    if played is None:
        return (0.0,) * len(heuristics)
    going = np.flatnonzero(~played.terminal)
    rows, own = played.rows[numbers.permutation(going)[:MAX_TRIAL_STATES]], [game.role_index(role)]
    outcomes = playout_means(game, rows, deadline, rng, time.monotonic() - begun)[:, own]
    evaluators = (HeuristicEvaluator(game, role, kind, heuristic) for heuristic in heuristics)
    return tuple(mean_correlation(evaluator.evaluate(rows)[:, own], outcomes) for evaluator in evaluators)
