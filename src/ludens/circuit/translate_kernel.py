"""From ground rules to gates: the order of the atoms, the cuts of the cycles, the gates."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ludens.circuit.store_kernel import GateStore, Ints, add_and
from ludens.runtime.jit import compiled

UNSEEN, OPEN, DONE = 0, 1, 2


@compiled
def order_atoms(
    roots: Ints, first_derived: int, rule_starts: Ints, body_starts: Ints, bodies: Ints
) -> tuple[Ints, Ints, npt.NDArray[np.bool_], bool]:
    """Return the depth-first order of the derived atoms that the roots need (Tarjan's components on the way).

    `rule_starts` [atoms + 1]: where the rules of each atom begin; the rules are sorted by their atoms.
    Returns the atoms, each after all that it reads but for cut ones; the component of each atom [atoms];
    whether an atom is cut [atoms]; and whether an atom depends on its own absence.
    """
    atoms = len(rule_starts) - 1
    order = np.empty(atoms, np.int32)
    ordered = 0
    component = np.full(atoms, -1, np.int32)
    components = 0
    cut = np.zeros(atoms, np.bool_)
    negative_cycle = False
    status = np.zeros(atoms, np.uint8)
    index = np.zeros(atoms, np.int32)
    low = np.zeros(atoms, np.int32)
    position = np.zeros(atoms, np.int32)
    path = np.empty(atoms, np.int32)
    pending = np.empty(atoms, np.int32)
    waiting = 0
    visited = 0
    for root in roots:
        if root < first_derived or status[root] != UNSEEN:
            continue
        depth = 1
        path[0] = root
        while depth:
            atom = path[depth - 1]
            if status[atom] == UNSEEN:
                status[atom] = OPEN
                index[atom] = low[atom] = visited
                visited += 1
                pending[waiting] = atom
                waiting += 1
                position[atom] = body_starts[rule_starts[atom]]
            if position[atom] < body_starts[rule_starts[atom + 1]]:
                literal = bodies[position[atom]]
                position[atom] += 1
                target = literal >> 1
                if target < first_derived:
                    continue
                if status[target] == UNSEEN:
                    path[depth] = target
                    depth += 1
                elif component[target] < 0:
                    low[atom] = min(low[atom], index[target])
                    cut[target] |= status[target] == OPEN
                continue
            depth -= 1
            status[atom] = DONE
            order[ordered] = atom
            ordered += 1
            if depth:
                low[path[depth - 1]] = min(low[path[depth - 1]], low[atom])
            if low[atom] == index[atom]:
                while True:
                    waiting -= 1
                    component[pending[waiting]] = components
                    if pending[waiting] == atom:
                        break
                components += 1
    for number in range(ordered):
        atom = order[number]
        for place in range(body_starts[rule_starts[atom]], body_starts[rule_starts[atom + 1]]):
            target = bodies[place] >> 1
            if bodies[place] & 1 and target >= first_derived and component[target] == component[atom]:
                negative_cycle = True
    return order[:ordered], component, cut, negative_cycle


@compiled
def build_gates(
    store: GateStore,
    order: Ints,
    component: Ints,
    loop_literals: Ints,
    literals: Ints,
    rule_starts: Ints,
    body_starts: Ints,
    bodies: Ints,
) -> None:
    """Build the gates of all atoms in their order.

    `literals` [atoms] tells what stands for each atom: given for fluents and moves, filled in for the others.
    `loop_literals` [atoms] is what stands for a cut atom inside its own component, and 0 for all other atoms.
    """
    scratch = np.empty(len(bodies) + len(body_starts) + 1, np.int32)
    for atom in order:
        first, last = rule_starts[atom], rule_starts[atom + 1]
        alternatives = np.empty(last - first, np.int32)
        for rule in range(first, last):
            count = 0
            for place in range(body_starts[rule], body_starts[rule + 1]):
                target = bodies[place] >> 1
                inside = loop_literals[target] and component[target] == component[atom]
                literal = loop_literals[target] if inside else literals[target]
                scratch[count] = literal ^ (bodies[place] & 1)
                count += 1
            alternatives[rule - first] = add_and(store, scratch, count) ^ 1
        literals[atom] = add_and(store, alternatives, last - first) ^ 1
