"""Back from the ends where play can go round in circles: who can force which end, and how fast."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ludens.runtime.jit import compiled

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

ANYBODY = -1


@compiled
def reverse_edges(edge_starts: Longs, edges: Ints, starts: Longs, parents: Ints) -> None:
    """The states before each: `starts` [states + 1] is zero at first, `parents` [edges] becomes the lists."""
    states = len(starts) - 1
    for edge in range(len(edges)):
        starts[edges[edge] + 1] += 1
    for state in range(states):
        starts[state + 1] += starts[state]
    places = starts.copy()
    for state in range(states):
        for edge in range(edge_starts[state], edge_starts[state + 1]):
            child = edges[edge]
            parents[places[child]] = state
            places[child] += 1


@compiled
def attract(
    starts: Longs, parents: Ints, mover: Ints, side: int, reached: Ints, distances: Ints, left: Ints, queue: Ints
) -> int:
    """Find all states from which a side can force play into those that are reached already; return their number.

    `mover` [states] is the side that has the choice, or ANYBODY; with `side` = ANYBODY all want to get there.
    `reached` are the states to begin with; `distances` [states] is 0 for these, -1 for those not reached, and at most
    -2 for those that are not to be entered. `left` [states] counts the ways out of a state that do not lead there yet.
    `queue` has room for all states.
    """
    first, last = 0, len(reached)
    queue[:last] = reached
    while first < last:
        state = queue[first]
        first += 1
        for place in range(starts[state], starts[state + 1]):
            parent = parents[place]
            left[parent] -= 1
            free = side == ANYBODY or mover[parent] == side or mover[parent] == ANYBODY
            if distances[parent] == -1 and (free or left[parent] == 0):
                distances[parent] = distances[state] + 1
                queue[last] = parent
                last += 1
    return last
