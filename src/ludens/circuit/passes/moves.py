"""Simplification by what follows from every role making exactly one move, and a legal one."""

from __future__ import annotations

import numpy as np

from ludens.circuit.circuit import Circuit
from ludens.circuit.passes.simplify import simplify, simplify_knowing
from ludens.circuit.passes.simplify_kernel import MoveNodes


def use_moves(circuit: Circuit) -> Circuit:
    """Simplify, given that every role makes exactly one move and a legal one; only `next` can change otherwise.

    So a move stands for all that makes it legal, excludes the others of its role, and is made if they are not.
    """
    needed_by_legal = circuit.cone(circuit.state_outputs())
    if needed_by_legal[circuit.first_move : circuit.first_loop].any():
        return simplify(circuit)
    gates = np.flatnonzero(needed_by_legal[circuit.first_gate :])
    role_starts = circuit.first_move + np.cumsum([0, *circuit.move_counts])
    roles = np.repeat(np.arange(len(circuit.move_counts)), circuit.move_counts)
    ready = int(gates[-1]) + 1 if len(gates) else 0
    moves = MoveNodes(circuit.first_move, role_starts.astype(np.int32), roles.astype(np.int32), circuit.legal, ready)
    return simplify_knowing(circuit, moves)
