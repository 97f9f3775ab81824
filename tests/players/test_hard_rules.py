"""Rules that take for ever to evaluate, and players that do not end: neither keeps the place, nor a thread."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations

import pytest

from ludens import load
from ludens.core import Move, Role
from ludens.game import State
from ludens.players import LegalPlayer
from ludens.players.protocol_player import ProtocolPlayer
from ludens.protocol import Abort, Ping, Play, Start
from ludens.runtime.deadline import Deadline

TICTACTOE = load("tictactoe").rules.to_kif()
HARD = " ".join(f"(number {value})" for value in range(13)) + (
    "(<= hard "
    + " ".join(f"(number ?v{number})" for number in range(14))
    + " ".join(f"(distinct ?v{a} ?v{b})" for a, b in combinations(range(14), 2))
    + ")"
)
"""A relation that takes for ever to evaluate: fourteen different numbers out of thirteen."""
HARD_AT_ONCE = (
    f"(role x) (init on) (next on) {HARD} (legal x wait) (<= (legal x go) hard) (<= terminal over) (goal x 0)"
)
HARD_LATER = (
    f"(role x) (init (step 0)) {HARD} (legal x wait) (<= (legal x go) (true (step 25)) hard) (goal x 0)"
    + "(<= (next (step ?m)) (true (step ?n)) (after ?n ?m)) (<= terminal (true (step 30)))"
    + " ".join(f"(after {step} {step + 1})" for step in range(30))
)
NOISE = 5.0
"""Seconds for which a busy machine may forget a process."""


def start(rules: str = TICTACTOE, clock: float = 5) -> Start:
    return Start("m", "x", rules, clock, clock)


def others_in(threads: set[threading.Thread]) -> list[str]:
    """The threads that came since, when they have had time to end."""
    until = time.monotonic() + 10
    while (left := set(threading.enumerate()) - threads) and time.monotonic() < until:
        time.sleep(0.05)
    return [thread.name for thread in left]


def test_rules_that_are_too_hard_are_refused_in_time_and_let_go() -> None:
    before = set(threading.enumerate())
    player = ProtocolPlayer(LegalPlayer())
    began = time.monotonic()
    assert player.answer(start(rules=HARD_AT_ONCE, clock=1)) == "busy"
    assert time.monotonic() - began < 1 + NOISE
    assert "could not be understood in the start clock" in player.faults[0]
    assert others_in(before) == []
    assert player.answer(start()) == "ready"


def test_reading_hard_rules_ends_with_their_match() -> None:
    before = set(threading.enumerate())
    player = ProtocolPlayer(LegalPlayer())
    with ThreadPoolExecutor() as pool:
        beginning = pool.submit(player.answer, start(rules=HARD_AT_ONCE, clock=50))
        time.sleep(0.2)
        assert player.answer(Ping()) == "busy"
        assert player.answer(Abort("m")) == "aborted"
        assert beginning.result(5) == "busy"
        beginning = pool.submit(player.answer, start(rules=HARD_AT_ONCE, clock=50))
        time.sleep(0.2)
        assert player.answer(start()) == "ready", "the same match begins anew"
        assert beginning.result(5) == "busy"
    assert player.answer(Play("m", None)) == "(mark 1 1)"
    assert others_in(before) == []


def test_rules_that_become_too_hard_do_not_keep_the_place() -> None:
    before = set(threading.enumerate())
    player = ProtocolPlayer(LegalPlayer())
    assert player.answer(start(rules=HARD_LATER, clock=2)) == "ready"
    assert player.answer(Play("m", None)) == "wait"
    for _ in range(24):
        assert player.answer(Play("m", ("wait",))) == "wait"
    assert player.faults == []
    assert player.answer(Play("m", ("wait",))) == "wait"
    assert "too hard to evaluate" in player.faults[0]
    assert player.answer(Abort("m")) == "aborted"
    assert others_in(before) == []
    assert player.answer(start()) == "ready"


class Stubborn(LegalPlayer):
    """Thinks until its deadline is cancelled, or not even then."""

    def __init__(self, looks_at_deadline: bool) -> None:
        super().__init__()
        self.looks_at_deadline = looks_at_deadline
        self.released = threading.Event()

    def choose(self, state: State, role: Role, deadline: Deadline) -> Move:
        while not self.released.wait(0.01):
            if deadline.cancelled and self.looks_at_deadline:
                break
        return super().choose(state, role, deadline)


@pytest.mark.parametrize("looks_at_deadline", [True, False])
def test_a_thought_that_does_not_end_with_its_match_is_not_waited_for(looks_at_deadline: bool) -> None:
    """It keeps its thread if it does not look at its deadline, and all matches have legal moves all the same."""
    before = set(threading.enumerate())
    inner = Stubborn(looks_at_deadline)
    player = ProtocolPlayer(inner)
    assert player.answer(start(clock=60)) == "ready"
    with ThreadPoolExecutor() as pool:
        thought = pool.submit(player.answer, Play("m", None))
        time.sleep(0.2)
        assert player.answer(Abort("m")) == "aborted"
        assert thought.result(NOISE) == "(mark 1 1)"
    if not looks_at_deadline:
        assert player.answer(start(clock=0.3)) == "ready"
        assert "the player was not ready when the start clock was over" in player.faults
        assert player.answer(Play("m", None)) == "(mark 1 1)"
        assert player.answer(Abort("m")) == "aborted"
        inner.released.set()
    assert others_in(before) == []
    assert player.answer(start()) == "ready"
    assert player.answer(Abort("m")) == "aborted"
