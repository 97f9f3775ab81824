"""Which nodes are needed, and in which order."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ludens.circuit.store_kernel import Ints
from ludens.runtime.jit import compiled


@compiled
def needed_nodes(
    first_loop: int, first_gate: int, starts: Ints, inputs: Ints, loop_definitions: Ints, roots: Ints
) -> npt.NDArray[np.bool_]:
    """Return [nodes]: whether the roots depend on it, through loops too."""
    needed = np.zeros(first_gate + len(starts) - 1, np.bool_)
    todo = np.empty(len(needed) + 1, np.int32)
    for root in roots:
        todo[0] = root >> 1
        waiting = 1 - needed[root >> 1]
        needed[root >> 1] = True
        while waiting:
            waiting -= 1
            node = todo[waiting]
            if node >= first_gate:
                read = inputs[starts[node - first_gate] : starts[node - first_gate + 1]]
            elif node >= first_loop:
                read = loop_definitions[node - first_loop : node - first_loop + 1]
            else:
                continue
            for literal in read:
                if not needed[literal >> 1]:
                    needed[literal >> 1] = True
                    todo[waiting] = literal >> 1
                    waiting += 1
    return needed


@compiled
def order_gates(first_gate: int, starts: Ints, inputs: Ints, roots: Ints) -> Ints:
    """Return the gates that the roots read, each soon after what it reads: depth first, root after root."""
    gates = len(starts) - 1
    order = np.empty(gates, np.int32)
    ordered = 0
    position = np.full(gates, -1, np.int32)
    path = np.empty(gates + 1, np.int32)
    for root in roots:
        top = (root >> 1) - first_gate
        if top < 0 or position[top] >= 0:
            continue
        path[0] = top
        position[top] = starts[top]
        depth = 1
        while depth:
            gate = path[depth - 1]
            if position[gate] == starts[gate + 1]:
                order[ordered] = gate
                ordered += 1
                depth -= 1
                continue
            child = (inputs[position[gate]] >> 1) - first_gate
            position[gate] += 1
            if child >= 0 and position[child] < 0:
                position[child] = starts[child]
                path[depth] = child
                depth += 1
    return order[:ordered]


@compiled
def gate_depths(first_gate: int, starts: Ints, inputs: Ints) -> Ints:
    """Return [nodes]: the longest path from an input of the circuit, in gates."""
    depths = np.zeros(first_gate + len(starts) - 1, np.int32)
    for gate in range(len(starts) - 1):
        deepest = 0
        for place in range(starts[gate], starts[gate + 1]):
            deepest = max(deepest, depths[inputs[place] >> 1])
        depths[first_gate + gate] = deepest + 1
    return depths
