"""Evaluating circuits the plain way, many states at once: the bits of a Python integer are the states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise
from random import Random

from ludens.circuit import Circuit

LANES = 64
ALL = (1 << LANES) - 1


@dataclass(frozen=True)
class Values:
    """What the outputs are; bit i of each number belongs to state i."""

    next: list[int]
    legal: list[int]
    goals: list[int]
    terminal: int


def evaluate(circuit: Circuit, fluents: Sequence[int], moves: Sequence[int]) -> Values:
    nodes = [0, *fluents, *moves, *[0] * len(circuit.loop_definitions), *[0] * circuit.gate_count]
    starts, inputs = circuit.starts.tolist(), circuit.inputs.tolist()

    def value(literal: int) -> int:
        return nodes[literal >> 1] ^ (ALL if literal & 1 else 0)

    def evaluate_gates() -> None:
        for gate in range(circuit.gate_count):
            result = ALL
            for literal in inputs[starts[gate] : starts[gate + 1]]:
                result &= value(literal)
            nodes[circuit.first_gate + gate] = result

    evaluate_gates()
    loops = list(enumerate(zip(circuit.loop_groups.tolist(), circuit.loop_definitions.tolist(), strict=True)))
    for _, members in groupby(loops, key=lambda loop: loop[1][0]):
        component = [(circuit.first_loop + number, definition) for number, (_, definition) in members]
        while any(nodes[node] != value(definition) for node, definition in component):
            for node, new in [(node, value(definition)) for node, definition in component]:
                nodes[node] = new
            evaluate_gates()
    return Values(
        [value(literal) for literal in circuit.next.tolist()],
        [value(literal) for literal in circuit.legal.tolist()],
        [value(literal) for literal in circuit.goals.tolist()],
        value(circuit.terminal),
    )


def random_states(circuit: Circuit, rng: Random) -> list[int]:
    """For each fluent in which of the states it holds: rarely, half the time or often."""
    bits = [rng.getrandbits(LANES) for _ in range(2 * circuit.fluent_count)]
    pairs = zip(bits[::2], bits[1::2], strict=True)
    return [rng.choice([one, one & other, one | other]) for one, other in pairs]


def legal_moves(circuit: Circuit, fluents: Sequence[int], rng: Random) -> tuple[list[int], int]:
    """One random legal move of each role, and the states in which every role has one."""
    legal = evaluate(circuit, fluents, [0] * circuit.move_count).legal
    moves, playable = [0] * circuit.move_count, ALL
    for begin, end in pairwise(accumulate(circuit.move_counts, initial=0)):
        for lane in range(LANES):
            choices = [move for move in range(begin, end) if legal[move] >> lane & 1]
            if choices:
                moves[rng.choice(choices)] |= 1 << lane
            else:
                playable &= ~(1 << lane)
    return moves, playable


def differences(one: Circuit, other: Circuit, fluents: Sequence[int], moves: Sequence[int], lanes: int) -> set[str]:
    """The names of the outputs that differ; those of `next` count in some of the states only."""
    left, right = evaluate(one, fluents, moves), evaluate(other, fluents, moves)
    found = {name for name in ("legal", "goals", "terminal") if getattr(left, name) != getattr(right, name)}
    if any((a ^ b) & lanes for a, b in zip(left.next, right.next, strict=True)):
        found.add("next")
    return found
