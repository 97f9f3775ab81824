"""States of random games as one table of bits, for all that is learnt by looking at many states."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from random import Random

import numpy as np
from numpy.typing import NDArray

from ludens.core import GroundTerm
from ludens.engines.base import Engine
from ludens.engines.rows import Rows, unpack
from ludens.errors import EngineError
from ludens.game import Game
from ludens.gdl.formulas import Signature
from ludens.gdl.keywords import CHANCE
from ludens.runtime.deadline import Deadline

LANES = 16
"""Games that the compiled engine plays side by side; few, so that they come far."""
MAX_STATES = 4_000
MAX_BITS = 8_000_000

Bits = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class SampledStates:
    """States of random games from the start, and what was so in them."""

    fluents: tuple[GroundTerm, ...]
    bits: Bits
    """[states, fluents]"""
    depths: NDArray[np.int32]
    """[states]: how many joint moves were made."""
    followers: NDArray[np.int32]
    """[states]: the state that came next in the same game, or -1."""
    choices: NDArray[np.int32]
    """[states, roles]: how many legal moves each role had; none at the end, and always none for chance."""
    terminal: Bits
    """[states]"""
    ends: frozenset[tuple[int, ...]]
    """The goals at the ends of games, chance left out, where the rules give each role one."""
    exhaustive: bool
    """Whether the fluents are all that can ever hold; otherwise they are those that were seen."""
    seconds: float
    """How long the games took."""

    def __len__(self) -> int:
        return len(self.bits)

    @property
    def turns(self) -> bool:
        """Whether never several roles had a choice in the same state."""
        return not ((self.choices > 1).sum(axis=1) > 1).any()

    @property
    def initial(self) -> frozenset[GroundTerm]:
        """The facts at the start."""
        return frozenset(fluent for fluent, holds in zip(self.fluents, self.bits[0], strict=True) if holds)

    @cached_property
    def columns(self) -> dict[Signature, list[int]]:
        """The places of the fluents of each name and number of arguments."""
        groups: dict[Signature, list[int]] = {}
        for place, fluent in enumerate(self.fluents):
            groups.setdefault(signature_of(fluent), []).append(place)
        return groups

    @cached_property
    def steps(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The states that have one after them, and those."""
        before = np.flatnonzero(self.followers >= 0).astype(np.int32)
        return before, self.followers[before]


def signature_of(fluent: GroundTerm) -> Signature:
    return (fluent, 0) if isinstance(fluent, str) else (str(fluent[0]), len(fluent) - 1)


def sample_states(
    game: Game,
    rng: Random,
    deadline: Deadline,
    most: int = MAX_STATES,
    least: int = 1,
    patience: Deadline | None = None,
    engine: Engine | None = None,
) -> SampledStates:
    """Play at random, on the engine that the game has now if none is given, and keep every state; at least the first.

    Where the deadline comes before there are the `least` states, play goes on for them, until the patience ends.
    """
    engine = engine or game.engine
    walk = _Walk(engine, LANES if engine.circuit else 1)
    if engine.circuit:
        most = max(LANES, min(most, MAX_BITS // max(1, len(engine.circuit.fluents))))
    try:
        while walk.count < most and walk.visit():
            enough = walk.count >= least or (patience is not None and patience.passed)
            if deadline.passed and enough:
                break
            walk.step(rng)
    except EngineError:
        pass  # what was seen until a rule failed is as good as before
    return walk.result()


class _Walk:
    """Random games under way, and what was noted of them."""

    def __init__(self, engine: Engine, lanes: int) -> None:
        self.engine = engine.fork()
        self.count = 0
        self._begun = time.monotonic()
        self._chance = [index for index, role in enumerate(engine.roles) if role == CHANCE]
        self._players = [index for index, role in enumerate(engine.roles) if role != CHANCE]
        self._ends: set[tuple[int, ...]] = set()
        self._states = self.engine.initial(lanes)
        self._depths = np.zeros(lanes, np.int32)
        self._legal: list[list[list[int]]] = []
        self._rows: list[Rows] = []
        self._facts: list[frozenset[GroundTerm]] = []
        """What the rows stand for where they are no bits."""
        self._notes: list[tuple[NDArray[np.int32], NDArray[np.int32], Bits]] = []
        self._going = np.zeros(lanes, np.bool_)
        self._continues: list[Bits] = []

    def visit(self) -> bool:
        """Note the states as they are; false if no game can go on from the start."""
        states = self._states
        over = self.engine.terminal(states)
        if over.any():
            goals = self.engine.goals(states[over])[:, self._players]
            self._ends.update(map(tuple, goals[(goals >= 0).all(axis=1)].tolist()))
        self._legal = self.engine.legal(states)
        choices = np.array([[len(moves) for moves in legal] for legal in self._legal], np.int32)
        choices = choices.reshape(-1, len(self.engine.roles))
        choices[over] = 0
        self._going, continued = ~over & (choices > 0).all(axis=1), self._going
        self._continues.append(continued)
        choices[:, self._chance] = 0
        if self.engine.circuit:
            self._rows.append(states)
        else:
            self._facts += self.engine.decode(states)
        self._notes.append((self._depths.copy(), choices, over))
        self.count += len(states)
        return bool(self._going.any() or (self._depths > 0).any())

    def step(self, rng: Random) -> None:
        """One joint move in every game; those that are over begin anew."""
        going = np.flatnonzero(self._going)
        moves = [[rng.choice(legal) for legal in self._legal[lane]] for lane in going.tolist()]
        self.engine, after = self.engine.step_apart(self._states[going], moves)
        self._states = self.engine.initial(len(self._depths))
        self._states[going] = after
        self._depths = np.where(self._going, self._depths + 1, 0).astype(np.int32)

    def result(self) -> SampledStates:
        lanes, rounds = len(self._depths), len(self._notes)
        depths, choices, terminal = (np.concatenate(part) for part in zip(*self._notes, strict=True))
        followers = np.full(lanes * rounds, -1, np.int32)
        for number in range(1, rounds):
            lane = np.flatnonzero(self._continues[number])
            followers[lanes * (number - 1) + lane] = lanes * number + lane
        if self.engine.circuit:
            fluents = self.engine.circuit.fluents
            bits = unpack(np.concatenate(self._rows), len(fluents))
        else:
            fluents, bits = _table(self._facts)
        seconds = time.monotonic() - self._begun
        ends, exhaustive = frozenset(self._ends), self.engine.circuit is not None
        return SampledStates(fluents, bits, depths, followers, choices, terminal, ends, exhaustive, seconds)


def _table(states: list[frozenset[GroundTerm]]) -> tuple[tuple[GroundTerm, ...], Bits]:
    places: dict[GroundTerm, int] = {}
    for facts in states:
        for fact in facts:
            places.setdefault(fact, len(places))
    bits = np.zeros((len(states), len(places)), np.bool_)
    for row, facts in enumerate(states):
        bits[row, [places[fact] for fact in facts]] = True
    return tuple(places), bits
