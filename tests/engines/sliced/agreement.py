"""Comparing the sliced engine with the reference engine, fact by fact, in every lane of batches of any size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice, product
from random import Random

from ludens.core import GroundTerm
from ludens.engines.reference import ReferenceEngine
from ludens.engines.sliced import SlicedEngine
from ludens.game import load
from ludens.gdl.rules import Rules

Facts = frozenset[GroundTerm]
Joint = tuple[GroundTerm, ...]


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
                    engine.advance(states, [joint])
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


@cache
def witness_of(name: str) -> Witness:
    """Of a bundled game."""
    return Witness(load(name).engine_rules)


@cache
def known_states(name: str) -> tuple[Known, ...]:
    """Some states of random games, which all engines are compared with; the start comes first."""
    return tuple(islice(witness_of(name).walk(Random(name)), SLOW.get(name, STATES)))


def compare(engine: SlicedEngine, states: Sequence[Known], rng: Random) -> None:
    """Ask the engine for all of these states in one batch, and compare every answer."""
    batch = engine.encode([known.facts for known in states])
    assert engine.decode(batch) == [known.facts for known in states]
    assert engine.terminal(batch).tolist() == [known.terminal for known in states]
    assert engine.goals(batch).tolist() == [known.goals for known in states]
    assert engine.goal_terms(batch) == [known.goal_terms for known in states]
    legal = [[list(map(engine.move_term, moves)) for moves in roles] for roles in engine.legal(batch)]
    assert legal == [known.legal for known in states]

    movable = [row for row, known in enumerate(states) if known.after]
    joints = [rng.choice(list(states[row].after)) for row in movable]
    numbers = [[engine.move_number(move) for move in joint] for joint in joints]
    after = engine.decode(engine.advance(batch[movable], numbers))
    assert after == [states[row].after[joint] for row, joint in zip(movable, joints, strict=True)]


def disturbed(known: Known, fluents: Sequence[GroundTerm], rng: Random) -> Facts:
    """A state that differs in a few facts from one that play reaches; most often no play reaches it."""
    changed = rng.sample(fluents, min(len(fluents), rng.randrange(1, 6)))
    return known.facts.symmetric_difference(changed)
