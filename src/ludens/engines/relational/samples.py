"""Looking at a few states of a game before its rules are compiled, to see how big relations are."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from ludens.core import GroundTerm
from ludens.engines.reference import ReferenceEngine
from ludens.errors import EngineError
from ludens.runtime.deadline import Deadline
from ludens.runtime.threads import POLL_SECONDS, start_thread

SAMPLE_STEPS = 60
SAMPLING_SECONDS = 0.3


def sample_states(reference: ReferenceEngine, check: Callable[[], None]) -> list[frozenset[GroundTerm]]:
    """The states of a short random walk; fewer if they take too long or the rules fail there.

    One step of some games takes longer than all else, and the reference engine cannot be stopped in it. So the walk is
    made in a thread of its own, which nobody waits for when time is up. `check` may raise to break off sooner.
    """
    deadline, found = Deadline(SAMPLING_SECONDS), list[frozenset[GroundTerm]]()
    thread = start_thread(lambda: _walk(reference, deadline, found), "ludens-samples")
    try:
        while thread.is_alive() and not deadline.passed:
            thread.join(min(POLL_SECONDS, deadline.remaining))
            check()
    finally:
        deadline.cancel()
    return list(found)


def _walk(reference: ReferenceEngine, deadline: Deadline, found: list[frozenset[GroundTerm]]) -> None:
    """Play a random game on the reference engine."""
    rng, engine = Random(0), reference.fork()
    states = engine.initial(1)
    try:
        for _ in range(SAMPLE_STEPS):
            if deadline.passed or engine.terminal(states)[0]:
                return
            (legal,) = engine.legal(states)
            if not all(legal):
                return
            states = engine.step(states, [[rng.choice(moves) for moves in legal]])
            found.append(engine.decode(states)[0])
    except EngineError:
        return
