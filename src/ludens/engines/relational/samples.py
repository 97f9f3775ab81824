"""Looking at a few states of a game before its rules are compiled, to see how big relations are."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from threading import Event, Thread

from ludens.core import Deadline, GroundTerm
from ludens.engines.reference import ReferenceEngine
from ludens.errors import EngineError

SAMPLE_STEPS = 60
SAMPLING_SECONDS = 0.3
PATIENCE = 0.02


def sample_states(reference: ReferenceEngine, check: Callable[[], None]) -> list[frozenset[GroundTerm]]:
    """The states of a short random walk; fewer if they take too long or the rules fail there.

    One step of some games takes longer than all else, and the reference engine cannot be stopped in it. So the walk is
    made in a thread of its own, which nobody waits for when time is up. `check` may raise to break off sooner.
    """
    walk = _Walk(reference)
    thread = Thread(target=walk.go, name="ludens-samples", daemon=True)
    deadline = Deadline(SAMPLING_SECONDS)
    thread.start()
    try:
        while thread.is_alive() and not deadline.passed:
            thread.join(min(PATIENCE, deadline.remaining))
            check()
    finally:
        walk.enough.set()
    return list(walk.states)


class _Walk:
    """A random game on the reference engine."""

    def __init__(self, reference: ReferenceEngine) -> None:
        self.enough = Event()
        self.states: list[frozenset[GroundTerm]] = []
        self._reference = reference

    def go(self) -> None:
        rng, reference = Random(0), self._reference
        states = reference.initial(1)
        try:
            for _ in range(SAMPLE_STEPS):
                if self.enough.is_set() or reference.terminal(states)[0]:
                    return
                (legal,) = reference.legal(states)
                if not all(legal):
                    return
                states = reference.advance(states, [[rng.choice(moves) for moves in legal]])
                self.states.append(reference.decode(states)[0])
        except EngineError:
            return
