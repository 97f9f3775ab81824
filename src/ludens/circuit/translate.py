"""Ground rules as a circuit."""

from __future__ import annotations

import numpy as np

from ludens.circuit.circuit import Circuit
from ludens.circuit.store_kernel import new_store
from ludens.circuit.translate_kernel import build_gates, order_atoms
from ludens.errors import CompileError
from ludens.ground.program import GroundProgram


def translate(program: GroundProgram) -> Circuit:
    """Return the circuit of all that a game is asked for: `next`, `legal`, `goal` and `terminal`."""
    by_head = np.argsort(program.heads, kind="stable")
    sizes = np.diff(program.body_starts)[by_head]
    body_starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    places = np.repeat(program.body_starts[:-1][by_head] - body_starts[:-1], sizes) + np.arange(len(program.bodies))
    bodies = program.bodies[places]
    rule_starts = np.searchsorted(program.heads[by_head], np.arange(program.atom_count + 1)).astype(np.int32)

    moves = sum(map(len, program.moves))
    first_derived = 1 + len(program.fluents) + moves
    asked = np.concatenate([program.next, *program.legal, *program.goals, [program.terminal]]).astype(np.int32)
    order, component, cut, negative_cycle = order_atoms(asked >> 1, first_derived, rule_starts, body_starts, bodies)
    if negative_cycle:
        raise CompileError("a fact depends on its own absence, so the rules have no definite meaning")

    cut_atoms = order[cut[order]]
    groups = np.unique(component[cut_atoms], return_inverse=True)[1].astype(np.int32)
    literals = np.zeros(program.atom_count, np.int32)
    literals[:first_derived] = 2 * np.arange(first_derived)
    loop_literals = np.zeros_like(literals)
    loop_literals[cut_atoms] = 2 * (first_derived + np.arange(len(cut_atoms)))
    store = new_store(
        first_derived + len(cut_atoms), len(program.heads) + len(order), len(bodies) + len(program.heads) + 1
    )
    build_gates(store, order, component, loop_literals, literals, rule_starts, body_starts, bodies)

    gates, inputs = store.sizes
    outputs = np.concatenate([literals[asked >> 1] ^ (asked & 1), literals[cut_atoms]])
    circuit = Circuit(
        fluent_count=len(program.fluents),
        move_counts=tuple(map(len, program.moves)),
        goal_counts=tuple(map(len, program.goal_values)),
        starts=store.starts[: gates + 1].copy(),
        inputs=store.inputs[:inputs].copy(),
        loop_definitions=literals[cut_atoms],
        loop_groups=groups,
        next=np.empty(len(program.next), np.int32),
        legal=np.empty(moves, np.int32),
        goals=np.empty(sum(map(len, program.goal_values)), np.int32),
        terminal=0,
    ).with_outputs(outputs)
    if circuit.cone(circuit.state_outputs())[circuit.first_move : circuit.first_loop].any():
        raise CompileError("what is legal, terminal or a goal depends on `does`; let it depend on the state alone")
    return circuit
