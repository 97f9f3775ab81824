"""Which gates are evaluated when: the array work behind `layout`."""

from __future__ import annotations

import numpy as np

from ludens.circuit.store_kernel import Ints
from ludens.runtime.jit import compiled


@compiled
def first_phases(
    first_loop: int,
    first_gate: int,
    starts: Ints,
    inputs: Ints,
    roots: Ints,
    root_starts: Ints,
    loop_definitions: Ints,
    loop_groups: Ints,
) -> Ints:
    """For each node the first phase that needs it, or -1.

    `roots[root_starts[i] : root_starts[i + 1]]` are the literals that phase i asks for.
    """
    nodes = first_gate + len(starts) - 1
    phases = np.full(nodes, -1, np.int32)
    todo = np.empty(nodes, np.int32)
    opened = np.zeros(len(loop_groups) + 1, np.bool_)
    for phase in range(len(root_starts) - 1):
        waiting = 0
        for place in range(root_starts[phase], root_starts[phase + 1]):
            node = roots[place] >> 1
            if phases[node] < 0:
                phases[node] = phase
                todo[waiting] = node
                waiting += 1
        while waiting:
            waiting -= 1
            node = todo[waiting]
            if node >= first_gate:
                for place in range(starts[node - first_gate], starts[node - first_gate + 1]):
                    child = inputs[place] >> 1
                    if phases[child] < 0:
                        phases[child] = phase
                        todo[waiting] = child
                        waiting += 1
            elif node >= first_loop and not opened[loop_groups[node - first_loop]]:
                # All of a component is evaluated together.
                opened[loop_groups[node - first_loop]] = True
                for loop in range(len(loop_groups)):
                    if loop_groups[loop] == loop_groups[node - first_loop]:
                        for child in (first_loop + loop, loop_definitions[loop] >> 1):
                            if phases[child] < 0:
                                phases[child] = phase
                                todo[waiting] = child
                                waiting += 1
    return phases


@compiled
def loop_members(
    first_loop: int, first_gate: int, starts: Ints, inputs: Ints, loop_definitions: Ints, loop_groups: Ints
) -> Ints:
    """For each gate the component it belongs to, or -1: it depends on it, and it depends on it."""
    gates = len(starts) - 1
    depends = np.full(first_gate + gates, -1, np.int32)
    depends[first_loop:first_gate] = loop_groups
    for gate in range(gates):
        for place in range(starts[gate], starts[gate + 1]):
            depends[first_gate + gate] = max(depends[first_gate + gate], depends[inputs[place] >> 1])
    member = np.full(first_gate + gates, -1, np.int32)
    for loop in range(len(loop_groups)):
        node = loop_definitions[loop] >> 1
        if depends[node] == loop_groups[loop]:
            member[node] = loop_groups[loop]
    for gate in range(gates - 1, -1, -1):
        group = member[first_gate + gate]
        if group >= 0:
            for place in range(starts[gate], starts[gate + 1]):
                child = inputs[place] >> 1
                if depends[child] == group:
                    member[child] = group
    return member[first_gate:]


@compiled
def node_levels(
    first_loop: int,
    first_gate: int,
    starts: Ints,
    inputs: Ints,
    members: Ints,
    loop_definitions: Ints,
    loop_groups: Ints,
    groups: int,
) -> Ints:
    """For each node the step at which it is known; all gates and loop inputs of a component have the same.

    The gates of a component need not follow each other, so levels rise until they fit.
    """
    gates = len(starts) - 1
    levels = np.zeros(first_gate + gates, np.int32)
    group_levels = np.zeros(groups, np.int32)
    changed = True
    while changed:
        changed = False
        for loop in range(len(loop_groups)):
            group, definition = loop_groups[loop], loop_definitions[loop] >> 1
            inside = definition >= first_gate and members[definition - first_gate] == group
            inside |= first_loop <= definition < first_gate and loop_groups[definition - first_loop] == group
            if not inside and levels[definition] >= group_levels[group]:
                group_levels[group] = levels[definition] + 1
                changed = True
            levels[first_loop + loop] = group_levels[group]
        for gate in range(gates):
            level = 0
            for place in range(starts[gate], starts[gate + 1]):
                child = inputs[place] >> 1
                inside = members[gate] >= 0 and (
                    (child >= first_gate and members[child - first_gate] == members[gate])
                    or (first_loop <= child < first_gate and loop_groups[child - first_loop] == members[gate])
                )
                if not inside:
                    level = max(level, levels[child] + 1)
            if members[gate] >= 0:
                if level > group_levels[members[gate]]:
                    group_levels[members[gate]] = level
                    changed = True
                level = group_levels[members[gate]]
            if levels[first_gate + gate] != level:
                levels[first_gate + gate] = level
                changed = True
    return levels


@compiled
def loop_distances(
    first_loop: int, first_gate: int, starts: Ints, inputs: Ints, members: Ints, loop_definitions: Ints
) -> Ints:
    """For each loop input how many steps of the recursion it takes at least until it can hold.

    What is outside the loops is taken to be whatever helps. Evaluated in this order, facts flow through a component
    as far as possible in one go.
    """
    loops = len(loop_definitions)
    nodes = first_gate + len(starts) - 1
    can_hold = np.ones(nodes, np.bool_)
    can_fail = np.ones(nodes, np.bool_)
    can_hold[first_loop:first_gate] = False
    distances = np.zeros(loops, np.int32)
    gates_inside = np.flatnonzero(members >= 0)
    changed = True
    while changed:
        changed = False
        for gate in gates_inside:
            hold, fail = True, False
            for place in range(starts[gate], starts[gate + 1]):
                node = inputs[place] >> 1
                if inputs[place] & 1:
                    hold &= can_fail[node]
                    fail |= can_hold[node]
                else:
                    hold &= can_hold[node]
                    fail |= can_fail[node]
            can_hold[first_gate + gate] = hold
            can_fail[first_gate + gate] = fail
        for loop in range(loops):
            definition = loop_definitions[loop]
            holds = can_fail[definition >> 1] if definition & 1 else can_hold[definition >> 1]
            if not can_hold[first_loop + loop]:
                distances[loop] += 1
                if holds:
                    can_hold[first_loop + loop] = True
                    changed = True
    return distances


@compiled
def member_ranks(
    first_gate: int, starts: Ints, inputs: Ints, members: Ints, loop_definitions: Ints, loop_order: Ints
) -> Ints:
    """The place of each gate inside loops when the loop inputs are taken in an order, each after all that it needs."""
    ranks = np.full(len(starts) - 1, -1, np.int32)
    cursor = starts[:-1].copy()
    path = np.empty(len(starts), np.int32)
    ranked = 0
    for loop in loop_order:
        root = (loop_definitions[loop] >> 1) - first_gate
        if root < 0 or members[root] < 0 or ranks[root] >= 0:
            continue
        depth = 1
        path[0] = root
        while depth:
            gate = path[depth - 1]
            if cursor[gate] < starts[gate + 1]:
                child = (inputs[cursor[gate]] >> 1) - first_gate
                cursor[gate] += 1
                if child >= 0 and members[child] == members[root] and ranks[child] < 0:
                    path[depth] = child
                    depth += 1
                continue
            ranks[gate] = ranked
            ranked += 1
            depth -= 1
    return ranks
