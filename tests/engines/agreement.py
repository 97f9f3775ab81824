"""What the reference engine says about states, and the comparison of any engine with it, fact by fact."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice, product
from math import prod
from random import Random
from typing import Literal, get_args

import numpy as np

from ludens.core import GroundTerm
from ludens.engines.base import Engine
from ludens.engines.fallback import FallbackEngine
from ludens.engines.native import NativeEngine
from ludens.engines.reference import ReferenceEngine
from ludens.engines.relational import RelationalEngine
from ludens.engines.sliced import SlicedEngine
from ludens.game import load
from ludens.gdl.rules import Rules
from ludens.ground import GroundingLimits

Facts = frozenset[GroundTerm]
Joint = tuple[GroundTerm, ...]
EngineName = Literal["reference", "sliced", "native", "relational", "backed"]
ENGINES: tuple[EngineName, ...] = get_args(EngineName)


def make_engine(name: EngineName, rules: Rules, limits: GroundingLimits | None = None) -> Engine:
    """Return an engine that is ready; CompileError if the rules cannot be compiled for it within the limits."""
    if name == "reference":
        return ReferenceEngine(rules)
    if name == "sliced":
        return SlicedEngine.compile(rules, limits)
    if name == "native":
        return ready(NativeEngine.compile(rules, limits))
    relational = RelationalEngine.compile(rules)
    return relational if name == "relational" else FallbackEngine(relational, ReferenceEngine(rules))


def ready(engine: NativeEngine) -> NativeEngine:
    """The same, with what answers about single states made; until then the tables of the sliced engine do."""
    assert engine.single
    return engine


@dataclass(frozen=True)
class Known:
    """What the reference engine says about a state."""

    facts: Facts
    terminal: bool
    legal: list[list[GroundTerm]]
    goals: list[int]
    goal_terms: list[frozenset[GroundTerm]]
    after: dict[Joint, Facts] = field(default_factory=dict)
    """What follows from a few joint moves; nothing where the game is over or a role cannot move."""


class Witness:
    """The reference engine of a game, asked for whole states."""

    def __init__(self, rules: Rules) -> None:
        self.engine = ReferenceEngine(rules)

    def look(self, facts: Facts, rng: Random | None = None, joints: int = 2) -> Known:
        """Everything about a state, and what some random joint moves lead to; all joint moves without `rng`."""
        engine = self.engine
        states = engine.encode([facts])
        (numbers,) = engine.legal(states)
        known = Known(
            facts,
            bool(engine.terminal(states)[0]),
            [[engine.move_term(number) for number in moves] for moves in numbers],
            engine.goals(states)[0].tolist(),
            engine.goal_terms(states)[0],
        )
        if not known.terminal and all(numbers):
            chosen = ([rng.choice(moves) for moves in numbers] for _ in range(joints)) if rng else product(*numbers)
            for joint in chosen:
                (known.after[tuple(engine.move_term(number) for number in joint)],) = engine.decode(
                    engine.step(states, [joint])
                )
        return known

    def walk(self, rng: Random, joints: int = 2) -> Iterator[Known]:
        """The states of random games, one after the other, without end."""
        (start,) = self.engine.decode(self.engine.initial(1))
        facts = start
        while True:
            known = self.look(facts, rng, joints)
            yield known
            facts = rng.choice(list(known.after.values())) if known.after else start


SLOW = {"amazonswhole": 2, "farmers": 8, "minichess": 12, "othello": 16, "chess": 16, "nothello": 16}
"""Games where the reference engine needs long, and how many states are enough there."""
STATES = 40
MAX_JOINT_MOVES = 12


@cache
def witness_of(name: str) -> Witness:
    """Of a bundled game."""
    return Witness(load(name).engine_rules)


@cache
def known_states(name: str) -> tuple[Known, ...]:
    """Some states of random games, which all engines are compared with; the start comes first."""
    return tuple(islice(witness_of(name).walk(Random(name)), SLOW.get(name, STATES)))


def compare(engine: Engine, states: Sequence[Known], rng: Random | None = None) -> None:
    """Ask an engine for all of these states in one batch, and compare every answer.

    With `rng` one joint move is made in each state, else all that are known.
    """
    facts = [known.facts for known in states]
    batch = engine.encode(facts)
    assert engine.decode(batch) == facts
    assert engine.terminal(batch).tolist() == [known.terminal for known in states]
    assert engine.goals(batch).tolist() == [known.goals for known in states]
    assert engine.goal_terms(batch) == [known.goal_terms for known in states]
    legal = [[list(map(engine.move_term, moves)) for moves in roles] for roles in engine.legal(batch)]
    assert legal == [known.legal for known in states]

    steps = [(known, joint) for known in states for joint in known.after]
    if rng:
        steps = [(known, rng.choice(list(known.after))) for known in states if known.after]
    numbers = [[engine.move_number(role, move) for role, move in enumerate(joint)] for _, joint in steps]
    after = engine.decode(engine.step(engine.encode([known.facts for known, _ in steps]), numbers))
    assert after == [known.after[joint] for known, joint in steps]


def disturbed(known: Known, fluents: Sequence[GroundTerm], rng: Random) -> Facts:
    """A state that differs in a few facts from one that play reaches; most often no play reaches it."""
    changed = rng.sample(fluents, min(len(fluents), rng.randrange(1, 6)))
    return known.facts.symmetric_difference(changed)


def check_steps(engine: Engine, witness: Witness, states: Sequence[Known], rng: Random) -> None:
    """Random games of one step end in a state that one joint move leads to."""
    for known in states:
        if not known.terminal and (not all(known.legal) or prod(map(len, known.legal)) > MAX_JOINT_MOVES):
            continue
        ends = [witness.look(after) for after in set(witness.look(known.facts).after.values())]
        possible = {(1, end.terminal, tuple(end.goals if end.terminal else [-1] * len(end.goals))) for end in ends}
        if known.terminal:
            possible = {(0, True, tuple(known.goals))}
        played = engine.playouts(np.repeat(engine.encode([known.facts]), 5, axis=0), rng, max_steps=1)
        rows = zip(played.lengths.tolist(), played.finished.tolist(), map(tuple, played.goals.tolist()), strict=True)
        assert set(rows) <= possible


def compare_walk(rules: Rules, states: int, seed: int) -> None:
    """Compare the relational engine in some states of random games."""
    witness = Witness(rules)
    seen = list(islice(witness.walk(Random(seed)), states))
    engine = RelationalEngine.compile(rules, witness.engine)
    compare(engine, seen)
    check_steps(engine, witness, seen[:3], Random(seed))


def shuffled_batch(pool: Sequence[Known], size: int, rng: Random) -> list[Known]:
    """States of different games and ages side by side, each of the pool as often as any other."""
    lanes = [pool[lane % len(pool)] for lane in range(size)]
    rng.shuffle(lanes)
    return lanes
