"""Step counters: facts that tell only the number of joint moves made, whatever these were.

Games that have no natural end count their steps and end at a limit. Two states that differ in nothing else are then
different states, although a search may treat them as the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ludens.circuit import Circuit
from ludens.circuit.circuit import FALSE
from ludens.engines.rows import pack

if TYPE_CHECKING:
    from ludens.engines.sliced.tables import CircuitTables

MAX_CHAINS = 32
"""The limit on equally long chains that are examined; where there are more, they are short and tell little."""


@dataclass(frozen=True, slots=True, eq=False)
class StepCounter:
    """Fluents of which the i-th holds after i joint moves, and at no other time."""

    fluents: tuple[int, ...]
    mask: NDArray[np.uint64]
    """[words]: the bits of these fluents in the row of a state."""
    first_effect: int
    """The first count that anything else depends on: the end, goals, legal moves, other facts.

    It is the number of fluents if nothing does.
    """
    ends_at: int | None
    """The count at which the game ends whatever happened, if that is all that the counter does; None if it is not."""

    @property
    def rank(self) -> tuple[bool, int]:
        """The sort key: counters that end the game first, then those with a later effect."""
        return self.ends_at is None, -self.first_effect

    def count(self, row: NDArray[np.uint64]) -> int | None:
        """Return the number of moves that the counter shows in a state [words]; None if it shows no single number."""
        shown = [number for number, fluent in enumerate(self.fluents) if _bit(row, fluent)]
        return shown[0] if len(shown) == 1 else None


def step_counter(tables: CircuitTables) -> StepCounter | None:
    """Return the best of the longest step counters of a game; None if it has none.

    >>> from ludens import load
    >>> rules = '''(role me) (init (step 1)) (succ 1 2) (succ 2 3) (legal me go) (<= terminal (true (step 3)))
    ... (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (<= (goal me 100) (true (step 3)))'''
    >>> compiled = load(rules)
    >>> compiled.compile()
    True
    >>> step_counter(compiled.engine.circuit).first_effect
    2
    """
    return next(iter(step_counters(tables)), None)


def step_counters(tables: CircuitTables) -> list[StepCounter]:
    """Return the longest step counters of a game: first those that end it, then those with a later effect.

    A counter begins with a fact that holds in the initial state only, and each of its facts makes just the next one
    hold. The names of the facts play no part in this, but in the order of those that are equally good.
    """
    chains = _chains(tables.gates, tables.initial[0])
    longest = max(map(len, chains), default=0)
    if longest < 2:
        return []
    equal = [chain for chain in chains if len(chain) == longest][:MAX_CHAINS]
    return sorted((_counter(tables.gates, chain) for chain in equal), key=lambda counter: counter.rank)


def _counter(circuit: Circuit, fluents: tuple[int, ...]) -> StepCounter:
    """Return the counter with its effects."""
    bits = np.zeros((1, circuit.fluent_count), np.bool_)
    bits[0, list(fluents)] = True
    others = np.concatenate([circuit.next[~bits[0]], circuit.legal, circuit.goals])
    shapes_others = _influence(circuit, fluents, others)
    ends = _influence(circuit, fluents, np.array([circuit.terminal], np.int32))
    effects = np.flatnonzero(shapes_others | ends)
    only_ends = not shapes_others.any() and len(effects) == 1 and _forces_end(circuit, fluents[effects[0]])
    return StepCounter(
        fluents=fluents,
        mask=pack(bits)[0],
        first_effect=int(effects[0]) if len(effects) else len(fluents),
        ends_at=int(effects[0]) if only_ends else None,
    )


def _chains(circuit: Circuit, initial: NDArray[np.uint64]) -> list[tuple[int, ...]]:
    """Return the longest chains from each fluent that can begin one."""
    followers: defaultdict[int, list[int]] = defaultdict(list)
    for fluent, literal in enumerate(circuit.next.tolist()):
        node, inverted = divmod(literal, 2)
        if not inverted and 1 <= node <= circuit.fluent_count and not _bit(initial, fluent):
            followers[node - 1].append(fluent)
    begins = [
        fluent for fluent, literal in enumerate(circuit.next.tolist()) if literal == FALSE and _bit(initial, fluent)
    ]
    return [chain for begin in begins for chain in _longest(begin, followers)]


def _longest(begin: int, followers: dict[int, list[int]]) -> Iterator[tuple[int, ...]]:
    """Yield the paths from a fluent through its followers to the farthest ones; each follows just one other."""
    before: dict[int, int] = {}
    level = last = [begin]
    while level:
        last = level
        before |= {follower: fluent for fluent in level for follower in followers.get(fluent, ())}
        level = [follower for fluent in level for follower in followers.get(fluent, ())]
    for end in last:
        chain = [end]
        while chain[-1] != begin:
            chain.append(before[chain[-1]])
        yield tuple(reversed(chain))


def _influence(circuit: Circuit, fluents: tuple[int, ...], outputs: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return [fluents]: whether any of the outputs depends on each."""
    depends: NDArray[np.bool_] = circuit.cone(outputs)[1 + np.array(fluents)]
    return depends


def _forces_end(circuit: Circuit, fluent: int) -> bool:
    """Return whether the end is an OR of the fluent and other things, as far as the gates show it."""
    wanted = 2 * (1 + fluent)
    left = [circuit.terminal ^ 1]
    while left:
        literal = left.pop()
        if literal == wanted ^ 1:
            return True
        gate = (literal >> 1) - circuit.first_gate
        if gate >= 0 and not literal & 1:
            left += circuit.inputs[circuit.starts[gate] : circuit.starts[gate + 1]].tolist()
    return False


def _bit(row: NDArray[np.uint64], place: int) -> bool:
    return bool(int(row[place >> 6]) >> (place & 63) & 1)
