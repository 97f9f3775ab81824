"""Parts shared by the passes: rebuilding a circuit from new gates, without dead ones, in evaluation order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ludens.circuit.circuit import Circuit, Literals
from ludens.circuit.order_kernel import order_gates
from ludens.circuit.store_kernel import GateStore


def from_store(circuit: Circuit, store: GateStore, mapped: Literals) -> Circuit:
    """Return the circuit with the gates of a store; `mapped` [nodes] tells the new literal of each old node."""
    gates, inputs = store.sizes
    outputs = circuit.outputs
    new = replace(circuit, starts=store.starts[: gates + 1], inputs=store.inputs[:inputs])
    return in_order(new.with_outputs(mapped[outputs >> 1] ^ (outputs & 1)))


def in_order(circuit: Circuit) -> Circuit:
    """Return the same circuit without dead gates and loops, each gate near to what it reads.

    First comes all that does not depend on the moves: the gates for `terminal`, `legal` and `goal` in this order.
    """
    states = circuit.state_outputs()
    needed = circuit.cone(np.concatenate([states, circuit.next]))
    loops = slice(circuit.first_loop, circuit.first_gate)
    early, kept = circuit.cone(states)[loops], needed[loops]
    definitions = circuit.loop_definitions
    roots = np.concatenate([definitions[early], states, definitions[kept & ~early], circuit.next])
    order = order_gates(circuit.first_gate, circuit.starts, circuit.inputs, roots)
    return _renumbered(circuit, order, kept)


def _renumbered(circuit: Circuit, order: Literals, kept_loops: npt.NDArray[np.bool_]) -> Circuit:
    """Return the circuit with the given gates in the given order, and the loops that are kept."""
    loops = int(kept_loops.sum())
    numbers = np.zeros(circuit.node_count, np.int32)
    numbers[: circuit.first_loop] = np.arange(circuit.first_loop)
    numbers[circuit.first_loop : circuit.first_gate][kept_loops] = circuit.first_loop + np.arange(loops)
    numbers[circuit.first_gate + order] = circuit.first_loop + loops + np.arange(len(order))

    widths = np.diff(circuit.starts)[order]
    starts = np.zeros(len(order) + 1, np.int32)
    np.cumsum(widths, out=starts[1:])
    inputs = circuit.inputs[np.repeat(circuit.starts[order] - starts[:-1], widths) + np.arange(starts[-1])]
    inputs = 2 * numbers[inputs >> 1] + (inputs & 1)
    inputs = np.sort(np.repeat(np.arange(len(order), dtype=np.int64) << 32, widths) | inputs)
    outputs = circuit.outputs
    renumbered = circuit.with_outputs(2 * numbers[outputs >> 1] + (outputs & 1))
    return replace(
        renumbered,
        starts=starts,
        inputs=(inputs & 0xFFFFFFFF).astype(np.int32),
        loop_definitions=renumbered.loop_definitions[kept_loops],
        loop_groups=np.unique(circuit.loop_groups[kept_loops], return_inverse=True)[1].astype(np.int32),
    )


def count_uses(circuit: Circuit) -> Literals:
    """Return [nodes]: how often gates and outputs read it."""
    read = np.concatenate([circuit.inputs, circuit.outputs]) >> 1
    return np.bincount(read, minlength=circuit.node_count).astype(np.int32)
