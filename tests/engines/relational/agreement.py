"""Comparing the relational engine with the reference engine, fact by fact."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from random import Random

from ludens.engines.relational import RelationalEngine
from ludens.gdl.rules import Rules
from tests.engines.sliced.agreement import Known, Witness

MOST_JOINT_MOVES = 12


def compare(engine: RelationalEngine, states: Sequence[Known]) -> None:
    """Ask the engine everything about these states, and compare every answer."""
    batch = engine.encode([known.facts for known in states])
    assert engine.decode(batch) == [known.facts for known in states]
    assert engine.terminal(batch).tolist() == [known.terminal for known in states]
    assert engine.goals(batch).tolist() == [known.goals for known in states]
    assert engine.goal_terms(batch) == [known.goal_terms for known in states]
    legal = [[list(map(engine.move_term, moves)) for moves in roles] for roles in engine.legal(batch)]
    assert legal == [known.legal for known in states]
    for state, known in zip(batch, states, strict=True):
        for joint, after in known.after.items():
            numbers = [engine.move_number(move) for move in joint]
            assert engine.decode(engine.advance([state], [numbers])) == [after], joint


def compare_steps(engine: RelationalEngine, witness: Witness, states: Sequence[Known], rng: Random) -> None:
    """Random games of one step end in a state that one joint move leads to."""
    for known in states:
        if not known.terminal and (not all(known.legal) or prod(map(len, known.legal)) > MOST_JOINT_MOVES):
            continue
        ends = [witness.look(after) for after in set(witness.look(known.facts).after.values())]
        possible = {(1, end.terminal, tuple(end.goals if end.terminal else [-1] * len(end.goals))) for end in ends}
        if known.terminal:
            possible = {(0, True, tuple(known.goals))}
        played = engine.playouts(engine.encode([known.facts]) * 5, rng, max_steps=1)
        rows = zip(played.lengths.tolist(), played.finished.tolist(), map(tuple, played.goals.tolist()), strict=True)
        assert set(rows) <= possible


def compare_walk(rules: Rules, states: int, seed: int) -> RelationalEngine:
    """Compare the states of random games."""
    witness = Witness(rules)
    walk = witness.walk(Random(seed))
    return compare_seen(rules, witness, [next(walk) for _ in range(states)], seed)


def compare_seen(rules: Rules, witness: Witness, seen: Sequence[Known], seed: int) -> RelationalEngine:
    engine = RelationalEngine.compile(rules, witness.engine)
    compare(engine, seen)
    compare_steps(engine, witness, seen[:3], Random(seed))
    assert engine.decode(engine.initial(2)) == witness.engine.decode(witness.engine.initial(2))
    return engine
