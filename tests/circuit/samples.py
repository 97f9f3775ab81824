"""Random circuits, and the circuits of games."""

from __future__ import annotations

from functools import cache
from random import Random

import numpy as np

from ludens.circuit import Circuit, translate
from ludens.game import load
from ludens.ground import GroundProgram, ground


@cache
def program_of(game: str) -> GroundProgram:
    return ground(load(game).engine_rules)


@cache
def circuit_of(game: str) -> Circuit:
    return translate(program_of(game))


def random_circuit(rng: Random, gates: int) -> Circuit:
    """Gates in random order of any width; only `next` reads moves, and each gate reads earlier nodes."""
    fluents, move_counts = rng.randint(1, 8), tuple(rng.randint(1, 5) for _ in range(rng.randint(1, 2)))
    moves = sum(move_counts)
    first_gate = 1 + fluents + moves
    state_nodes = list(range(1 + fluents))
    all_nodes = list(range(first_gate))
    starts, inputs = [0], []
    for node in range(first_gate, first_gate + gates):
        of_state = rng.random() < 0.5
        readable = state_nodes if of_state else all_nodes
        width = min(len(readable), rng.choice([2, 2, 2, 3, 3, 4, 6, 9]))
        recent = readable[-30:] if rng.random() < 0.5 else readable
        inputs += sorted(2 * read + rng.randint(0, 1) for read in rng.sample(recent, min(width, len(recent))))
        starts.append(len(inputs))
        all_nodes.append(node)
        if of_state:
            state_nodes.append(node)

    def literals(nodes: list[int], count: int) -> list[int]:
        return [2 * rng.choice(nodes[-20:]) + rng.randint(0, 1) for _ in range(count)]

    return Circuit(
        fluent_count=fluents,
        move_counts=move_counts,
        goal_counts=(2,) * len(move_counts),
        starts=np.array(starts, np.int32),
        inputs=np.array(inputs, np.int32),
        loop_definitions=np.empty(0, np.int32),
        loop_groups=np.empty(0, np.int32),
        next=np.array(literals(all_nodes, fluents), np.int32),
        legal=np.array(literals(state_nodes, moves), np.int32),
        goals=np.array(literals(state_nodes, 2 * len(move_counts)), np.int32),
        terminal=literals(state_nodes, 1)[0],
    )
