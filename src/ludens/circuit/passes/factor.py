"""Factor out what the branches of ORs, and of ANDs, have in common."""

from __future__ import annotations

from typing import Final

import numpy as np

from ludens.circuit.circuit import Circuit
from ludens.circuit.passes.factor_kernel import factor_gates
from ludens.circuit.passes.rebuild import count_uses, from_store
from ludens.circuit.store_kernel import new_store

MAX_ROUNDS: Final = 4
MIN_SAVING: Final = 0.01
"""A round that saves a smaller part of the cost is the last; one round often makes room for the next."""


def factor(circuit: Circuit) -> Circuit:
    for _ in range(MAX_ROUNDS):
        before = circuit.cost
        circuit = _factored(circuit)
        if circuit.cost > (1 - MIN_SAVING) * before:
            break
    return circuit


def _factored(circuit: Circuit) -> Circuit:
    mapped = 2 * np.arange(circuit.node_count, dtype=np.int32)
    store = new_store(circuit.first_gate, 4 * circuit.gate_count, 4 * len(circuit.inputs) + 1)
    factor_gates(store, circuit.starts, circuit.inputs, count_uses(circuit), mapped)
    return from_store(circuit, store, mapped)
