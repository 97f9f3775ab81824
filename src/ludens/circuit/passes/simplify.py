"""Constant folding, equal gates, nested ANDs, absorption."""

from __future__ import annotations

import numpy as np

from ludens.circuit.circuit import Circuit
from ludens.circuit.passes.rebuild import count_uses, from_store
from ludens.circuit.passes.simplify_kernel import MoveNodes, simplify_gates
from ludens.circuit.store_kernel import new_store


def simplify(circuit: Circuit) -> Circuit:
    """Return a circuit with the same outputs for any fluents and moves."""
    nothing = np.empty(0, np.int32)
    return simplify_knowing(circuit, MoveNodes(circuit.first_move, nothing, nothing, nothing, -1))


def simplify_knowing(circuit: Circuit, moves: MoveNodes) -> Circuit:
    """Return a circuit with the same outputs wherever the knowledge about the moves is true."""
    gates, inputs = circuit.gate_count, len(circuit.inputs)
    uses = count_uses(circuit)
    inside = np.zeros(circuit.node_count, np.bool_)
    inside[circuit.inputs[circuit.inputs & 1 == 0] >> 1] = True
    inside = (inside & (uses == 1))[circuit.first_gate :]
    mapped = 2 * np.arange(circuit.node_count, dtype=np.int32)
    store = new_store(circuit.first_gate, 2 * gates + inputs // 2, 4 * inputs + 1)
    simplify_gates(store, circuit.starts, circuit.inputs, uses, inside, mapped, moves)
    return from_store(circuit, store, mapped)
