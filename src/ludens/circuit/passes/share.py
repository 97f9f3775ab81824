"""Sharing between gates: what several of them have in common is evaluated once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ludens.circuit.circuit import GATE_COST, Circuit, Literals
from ludens.circuit.passes.rebuild import in_order
from ludens.circuit.passes.share_kernel import (
    MIN_OCCURRENCES,
    GateSets,
    count_pairs,
    extract_pairs,
    index_gates,
    use_subsets,
)

Integers: TypeAlias = npt.NDArray[np.signedinteger[Any]]

MAX_ROUNDS: Final = 8
MIN_SAVING: Final = 0.002
"""A round that saves a smaller part of the cost is the last."""
MAX_READERS: Final = 200
"""Gates all of whose inputs are read by more gates than this are not searched for in others."""
MAX_PAIRS: Final = 1 << 22


def share(circuit: Circuit) -> Circuit:
    """Share groups of inputs that always occur together, gates within others, and frequent pairs of inputs."""
    for _ in range(MAX_ROUNDS):
        before = circuit.cost
        circuit = in_order(_share_pairs(in_order(_share_groups(circuit))))
        if circuit.cost > (1 - MIN_SAVING) * before:
            break
    return circuit


def _occurrences(circuit: Circuit) -> tuple[Literals, Literals, Literals]:
    """Return the places of each literal in `inputs`, literal after literal; where those of each begin; their gates."""
    gates = np.repeat(np.arange(circuit.gate_count, dtype=np.int32), np.diff(circuit.starts))
    places = np.argsort(circuit.inputs, kind="stable").astype(np.int32)
    starts = np.searchsorted(circuit.inputs[places], np.arange(2 * circuit.node_count + 1)).astype(np.int32)
    return places, starts, gates[places]


def _share_groups(circuit: Circuit) -> Circuit:
    """Make a gate of every group of literals that exactly the same gates read, where it saves something."""
    places, starts, gates = _occurrences(circuit)
    counts = np.diff(starts)
    codes = np.random.default_rng(0).integers(0, 1 << 63, circuit.gate_count, np.uint64)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(codes[gates])])
    sums = sums[starts[1:]] - sums[starts[:-1]]

    literals = np.flatnonzero(counts >= 2)
    literals = literals[np.argsort(sums[literals], kind="stable")]
    first = np.ones(len(literals), np.bool_)
    first[1:] = sums[literals[1:]] != sums[literals[:-1]]
    leaders = literals[first][np.cumsum(first) - 1]
    same = _same_gates(starts, gates, leaders, literals)
    leaders, literals = leaders[same], literals[same]

    sizes = np.bincount(leaders, minlength=2 * circuit.node_count)
    saved = counts * (sizes - 1) - sizes - GATE_COST
    narrowest = np.full(2 * circuit.node_count, np.iinfo(np.int32).max)
    np.minimum.at(narrowest, np.repeat(np.arange(len(counts)), counts), np.diff(circuit.starts)[gates])
    good = (saved > 0) & (narrowest > sizes)
    literals, leaders = literals[good[leaders]], leaders[good[leaders]]

    heads = np.flatnonzero(np.bincount(leaders, minlength=1))
    numbers = np.zeros(2 * circuit.node_count, np.int32)
    numbers[heads] = 2 * (circuit.node_count + np.arange(len(heads)))
    inputs = circuit.inputs.copy()
    lists = _ranges(starts[literals], counts[literals])
    inputs[places[lists]] = np.repeat(np.where(leaders == literals, numbers[leaders], -1), counts[literals])
    return _with_gates(circuit, inputs, literals[np.argsort(leaders, kind="stable")], sizes[heads])


def _same_gates(starts: Literals, gates: Literals, leaders: Integers, literals: Integers) -> npt.NDArray[np.bool_]:
    """Return [literals]: whether exactly the gates of its leader read it; equal sums of codes do not prove it."""
    counts = starts[literals + 1] - starts[literals]
    same: npt.NDArray[np.bool_] = counts == starts[leaders + 1] - starts[leaders]
    sure = np.flatnonzero(same)
    owners = np.repeat(sure, counts[sure])
    different = (
        gates[_ranges(starts[literals[sure]], counts[sure])] != gates[_ranges(starts[leaders[sure]], counts[sure])]
    )
    same[owners[different]] = False
    return same


def _ranges(begins: Integers, sizes: Integers) -> npt.NDArray[np.int64]:
    """Return the concatenated ranges of the given beginnings and sizes."""
    ends = np.cumsum(sizes)
    return np.repeat(begins - (ends - sizes), sizes) + np.arange(ends[-1] if len(ends) else 0)


def _share_pairs(circuit: Circuit) -> Circuit:
    """Let wider gates read the gates they contain, and make gates of frequent pairs of inputs."""
    _, occurrence_starts, occurrences = _occurrences(circuit)
    slots = 1 << max(4, (2 * len(circuit.inputs)).bit_length())
    widths = np.diff(circuit.starts)
    gates = GateSets(
        circuit.first_gate,
        circuit.starts,
        circuit.inputs.copy(),
        widths.copy(),
        occurrence_starts,
        occurrences,
        np.full(slots, -1, np.int64),
        np.empty(slots, np.int32),
    )
    index_gates(gates)
    use_subsets(gates, np.argsort(-widths, kind="stable").astype(np.int32), MAX_READERS)

    keys = np.full(min(MAX_PAIRS, 8 * slots), -1, np.int64)
    counts = np.zeros(len(keys), np.int32)
    count_pairs(gates, keys, counts)
    frequent = np.flatnonzero(counts >= MIN_OCCURRENCES)
    frequent = frequent[np.lexsort((keys[frequent], -counts[frequent]))]
    found = np.empty((len(frequent), 2), np.int32)
    made = extract_pairs(gates, keys[frequent], counts[frequent], found)
    return _with_gates(circuit, gates.inputs, found[:made].ravel(), np.full(made, 2))


def _with_gates(circuit: Circuit, inputs: Literals, more_inputs: Integers, sizes: Integers) -> Circuit:
    """Return the circuit with other inputs, -1 for those that are left out, and further gates at the end."""
    kept = inputs >= 0
    ends = np.concatenate([[0], np.cumsum(kept)])[circuit.starts]
    starts = np.concatenate([ends, ends[-1] + np.cumsum(sizes)]).astype(np.int32)
    return replace(circuit, starts=starts, inputs=np.concatenate([inputs[kept], more_inputs]).astype(np.int32))
