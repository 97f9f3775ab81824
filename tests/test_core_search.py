"""The small types of searches: what a limit takes, and when it is reached; what a decision is."""

from __future__ import annotations

import math
import time
from dataclasses import FrozenInstanceError

import pytest

from ludens.core import Candidate, Decision, Limit, Move, Role
from ludens.runtime.deadline import Deadline


@pytest.mark.parametrize("number", [0, -1, -(10**9)])
@pytest.mark.parametrize("what", ["nodes", "depth"])
def test_a_search_has_to_look_at_something(what: str, number: int) -> None:
    with pytest.raises(ValueError, match=f"cannot be limited to {number} {what}; give at least 1"):
        Limit.of(**{what: number})
    with pytest.raises(ValueError, match=what):
        Limit(Deadline.never(), **{what: number})


def test_what_is_left_out_is_no_limit() -> None:
    limit = Limit.of()
    assert (limit.nodes, limit.depth) == (None, None)
    assert math.isinf(limit.deadline.remaining)
    assert not limit.deadline.passed


def test_a_limit_begins_when_it_is_made() -> None:
    before = time.monotonic()
    limit = Limit.of(seconds=60, nodes=1, depth=1)
    assert before + 60 <= limit.deadline.at <= time.monotonic() + 60
    assert (limit.nodes, limit.depth) == (1, 1)


@pytest.mark.parametrize("seconds", [0, 0.0, -1.0, -math.inf])
def test_no_time_is_a_deadline_that_has_passed(seconds: float) -> None:
    """A player that is late has to move all the same."""
    limit = Limit.of(seconds=seconds)
    assert limit.deadline.passed
    assert limit.deadline.remaining == 0


def test_limits_and_decisions_stay_as_they_are() -> None:
    decision = Decision(Move("go", "go"), {Role("a"): 50.0}, ())
    with pytest.raises(FrozenInstanceError):
        Limit.of().nodes = 7  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        decision.proven = True  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        Candidate(decision.move, 1.0).value = 2.0  # type: ignore[misc]


def test_a_decision_says_little_unless_told() -> None:
    """Nothing is proven or counted by default."""
    decision = Decision(Move("go", "go"), {Role("a"): 50.0}, ({Role("a"): Move("go", "go")},))
    assert decision.move == decision.pv[0][Role("a")] == "go"
    assert decision.candidates == ()
    assert not decision.proven
    assert (decision.nodes, decision.playouts, decision.depth, decision.hashfull, decision.seconds) == (0, 0, 0, 0, 0)
    candidate = Candidate(decision.move, 50.0)
    assert (candidate.visits, candidate.proven) == (0, False)
