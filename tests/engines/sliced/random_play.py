"""What random play comes to, worked out exactly; and the playout kernel run by hand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod, sqrt
from random import Random

import numpy as np
from numpy.typing import NDArray

from ludens.core import GroundTerm
from ludens.engines.reference import ReferenceEngine
from ludens.engines.rows import Rows
from ludens.engines.sliced import SlicedEngine
from ludens.engines.sliced.layout import FIRST_FLUENT
from ludens.engines.sliced.playout_kernel import Tally, play
from ludens.engines.sliced.random_kernel import seeded_state
from ludens.gdl.rules import Rules

Facts = frozenset[GroundTerm]
End = tuple[tuple[int, ...], int]
"""The goals of all roles, and the number of steps."""


class RandomPlay:
    """The exact probabilities of all ends of a small game, by going through all of its states."""

    def __init__(self, rules: Rules) -> None:
        self.engine = ReferenceEngine(rules)
        self._ends: dict[Facts, dict[End, float]] = {}

    def ends(self, facts: Facts) -> dict[End, float]:
        """How probable each end is when every role moves uniformly at random."""
        if facts not in self._ends:
            self._ends[facts] = self._look(facts)
        return self._ends[facts]

    def successors(self, facts: Facts) -> dict[Facts, float]:
        states = self.engine.encode([facts])
        (legal,) = self.engine.legal(states)
        chance = 1 / prod(map(len, legal))
        after: dict[Facts, float] = {}
        for joint in product(*legal):
            (reached,) = self.engine.decode(self.engine.step(states, [joint]))
            after[reached] = after.get(reached, 0) + chance
        return after

    def end(self, facts: Facts) -> tuple[int, ...] | None:
        """The goals if the game is over."""
        states = self.engine.encode([facts])
        return tuple(self.engine.goals(states)[0].tolist()) if self.engine.terminal(states)[0] else None

    def _look(self, facts: Facts) -> dict[End, float]:
        goals = self.end(facts)
        if goals is not None:
            return {(goals, 0): 1.0}
        ends: dict[End, float] = {}
        for reached, chance in self.successors(facts).items():
            for (goals, steps), part in self.ends(reached).items():
                ends[goals, steps + 1] = ends.get((goals, steps + 1), 0) + chance * part
        return ends


def deviation(count: float, games: int, chance: float) -> float:
    """How many standard deviations a count is away from what is expected."""
    spread = sqrt(games * chance * (1 - chance))
    if spread < 1e-6:
        return 0.0 if abs(count - games * chance) < 0.5 else float("inf")
    return abs(count - games * chance) / spread


def run_kernel(
    engine: SlicedEngine, width: int, starts: Rows, games: Sequence[int], seed: int, max_steps: int = 1000
) -> tuple[Tally, Rows]:
    """Play so many games from each start in lanes of a given width, in one piece.

    Gives what came of them, and the states in which the lanes were left when the last of them was over.
    """
    memory = engine.circuit.new_memory(width)
    memory.random_state[:] = seeded_state(seed, width)
    ended, cut, steps = np.zeros((3, len(starts)), np.int64)
    tally = Tally(ended, cut, steps, np.zeros((len(starts), len(engine.circuit.gates.goals)), np.int64))
    row_of = np.arange(len(starts), dtype=np.int32)
    play(engine.circuit.machine, memory, starts, row_of, np.array(games, np.int64), max_steps, tally)
    lanes: NDArray[np.uint8] = memory.words[FIRST_FLUENT : FIRST_FLUENT + len(engine.circuit.fluents)].view(np.uint8)
    bits = np.unpackbits(lanes, axis=1, bitorder="little").astype(np.bool_).T
    facts = [frozenset(engine.circuit.fluents[number] for number in np.flatnonzero(lane)) for lane in bits]
    return tally, engine.encode(facts)


def random_states(engine: SlicedEngine, count: int, max_depth: int, rng: Random) -> Rows:
    """States of different depths, none of them over."""
    states = engine.initial(count)
    for _ in range(max_depth):
        moves = [[rng.choice(choices) for choices in roles] for roles in engine.legal(states)]
        after = engine.step(states, moves)
        stays = engine.terminal(after) | np.array([rng.random() < 1 / max_depth for _ in range(count)])
        states = np.where(stays[:, np.newaxis], states, after)
    return states
