"""Taking out what the branches of ORs, and of ANDs, have in common."""

from __future__ import annotations

from typing import Final

import numpy as np

from ludens.circuit.circuit import Circuit
from ludens.circuit.passes.factor_kernel import factor_gates
from ludens.circuit.passes.rebuild import count_uses, from_store
from ludens.circuit.store_kernel import new_store

ROUNDS: Final = 4
WORTHWHILE: Final = 0.01
"""What is left after taking something out often has more in common; until a round saves less than this part."""


def factor(circuit: Circuit) -> Circuit:
    for _ in range(ROUNDS):
        before = circuit.cost
        circuit = _factored(circuit)
        if circuit.cost > (1 - WORTHWHILE) * before:
            break
    return circuit


def _factored(circuit: Circuit) -> Circuit:
    mapped = 2 * np.arange(circuit.node_count, dtype=np.int32)
    store = new_store(circuit.first_gate, 4 * circuit.gate_count, 4 * len(circuit.inputs) + 1)
    factor_gates(store, circuit.starts, circuit.inputs, count_uses(circuit), mapped)
    return from_store(circuit, store, mapped)
