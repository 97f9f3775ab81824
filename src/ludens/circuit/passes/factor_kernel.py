"""ORs of ANDs that share inputs: `(a & b) | (a & c)` becomes `a & (b | c)`; the same for ANDs of ORs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ludens.circuit.store_kernel import GateStore, Ints, add_and
from ludens.runtime.jit import compiled

GATE = 1.5
"""The cost of a gate on top of its inputs, each of which costs 1."""


class Branches(NamedTuple):
    """The inverted ANDs among the inputs of a gate that only this gate reads, and where their inputs occur.

    Branch b is `items[starts[b] : starts[b + 1]]`; the places of a literal are `heads[literal]` and on by `chain`.
    """

    starts: Ints
    items: Ints
    owners: Ints
    """[items]: the branch."""
    chain: Ints
    taken: npt.NDArray[np.bool_]
    """[branches]: whether it has become part of a factor."""
    heads: Ints
    """[literals]"""
    counts: Ints
    """[literals]: in how many branches that are not taken it occurs."""
    common: Ints
    """[literals]: in how many branches of the present group."""


@compiled
def load_inputs(
    store: GateStore, owned: npt.NDArray[np.bool_], inputs: Ints, mapped: Ints, literals: Ints, branches: Branches
) -> tuple[int, int]:
    """Take a gate apart; return the numbers of its plain literals and of its branches."""
    plain = count = end = 0
    branches.starts[0] = 0
    for old in inputs:
        literal = mapped[old >> 1] ^ (old & 1)
        child = (literal >> 1) - store.first_gate
        if literal & 1 == 0 or child < 0 or not owned[child]:
            literals[plain] = literal
            plain += 1
            continue
        for place in range(store.starts[child], store.starts[child + 1]):
            item = store.inputs[place]
            branches.items[end] = item
            branches.owners[end] = count
            branches.chain[end] = branches.heads[item]
            branches.heads[item] = end
            branches.counts[item] += 1
            end += 1
        branches.taken[count] = False
        count += 1
        branches.starts[count] = end
    return plain, count


@compiled
def find_group(branches: Branches, literal: int, group: Ints) -> int:
    """Collect the free branches with a literal, and count what they have in common; return their number."""
    members = 0
    place = branches.heads[literal]
    while place >= 0:
        branch = branches.owners[place]
        if not branches.taken[branch]:
            group[members] = branch
            members += 1
            for inner in range(branches.starts[branch], branches.starts[branch + 1]):
                branches.common[branches.items[inner]] += 1
        place = branches.chain[place]
    return members


@compiled
def is_worth_it(branches: Branches, group: Ints, members: int, alone: bool) -> bool:
    """Return whether taking out what a group has in common saves more than the two gates that this needs."""
    shared = 0
    for place in range(branches.starts[group[0]], branches.starts[group[0] + 1]):
        shared += branches.common[branches.items[place]] == members
    single = 0
    for i in range(members):
        single += branches.starts[group[i] + 1] - branches.starts[group[i]] == shared + 1
    saved = shared * (members - 1) - 2 + single - GATE * (2 - single)
    return (saved + 1 + GATE if alone else saved) > 0


@compiled
def take_out(store: GateStore, branches: Branches, group: Ints, members: int, part: Ints, rests: Ints) -> int:
    """Return the group as one AND of the common literals and the OR of what is left of each branch."""
    for i in range(members):
        branch = group[i]
        branches.taken[branch] = True
        left = 0
        for place in range(branches.starts[branch], branches.starts[branch + 1]):
            item = branches.items[place]
            branches.counts[item] -= 1
            if branches.common[item] != members:
                part[left] = item
                left += 1
        rests[i] = add_and(store, part, left) ^ 1
    left = 0
    for place in range(branches.starts[group[0]], branches.starts[group[0] + 1]):
        if branches.common[branches.items[place]] == members:
            part[left] = branches.items[place]
            left += 1
    part[left] = add_and(store, rests, members) ^ 1
    return add_and(store, part, left + 1)


@compiled
def factor_gates(store: GateStore, starts: Ints, inputs: Ints, uses: Ints, mapped: Ints) -> None:
    """Rebuild all gates in a new store; see `simplify_gates`."""
    first_gate = store.first_gate
    size = len(store.inputs) + 1
    owned = np.zeros(len(store.starts), np.bool_)
    codes = 2 * (first_gate + len(store.starts))
    branches = Branches(
        np.empty(size, np.int32),
        np.empty(size, np.int32),
        np.empty(size, np.int32),
        np.empty(size, np.int32),
        np.empty(size, np.bool_),
        np.full(codes, -1, np.int32),
        np.zeros(codes, np.int32),
        np.zeros(codes, np.int32),
    )
    literals, group = np.empty(size, np.int32), np.empty(size, np.int32)
    part, rests = np.empty(size, np.int32), np.empty(size, np.int32)
    for gate in range(len(starts) - 1):
        plain, count = load_inputs(store, owned, inputs[starts[gate] : starts[gate + 1]], mapped, literals, branches)
        end = branches.starts[count]
        # 1. Take out literals, the more frequent ones first.
        most = 0
        for place in range(end):
            most = max(most, branches.counts[branches.items[place]])
        width = plain + count
        while most > 1:
            most //= 2
            for place in range(end):
                literal = branches.items[place]
                if branches.heads[literal] != place or branches.counts[literal] < max(2, most):
                    continue
                members = find_group(branches, literal, group)
                worth = is_worth_it(branches, group, members, members == width)
                if worth:
                    literals[plain] = take_out(store, branches, group, members, part, rests) ^ 1
                    plain += 1
                    width += 1 - members
                for i in range(members):
                    for inner in range(branches.starts[group[i]], branches.starts[group[i] + 1]):
                        branches.common[branches.items[inner]] = 0
        # 2. The other branches stay as they are.
        for branch in range(count):
            if not branches.taken[branch]:
                begin = branches.starts[branch]
                left = branches.starts[branch + 1] - begin
                part[:left] = branches.items[begin : begin + left]
                literals[plain] = add_and(store, part, left) ^ 1
                plain += 1
        for place in range(end):
            branches.heads[branches.items[place]] = -1
            branches.counts[branches.items[place]] = 0
        before = store.sizes[0]
        result = add_and(store, literals, plain)
        mapped[first_gate + gate] = result
        if result >= 2 * first_gate:
            owned[(result >> 1) - first_gate] = store.sizes[0] > before and uses[first_gate + gate] == 1
