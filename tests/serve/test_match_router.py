"""Who answers which message, how many matches there may be, and what the log tells of it."""

from __future__ import annotations

import logging
import time

import pytest

from ludens import load
from ludens.core import Move, Role
from ludens.game import State
from ludens.players import LegalPlayer
from ludens.runtime.deadline import Deadline
from ludens.serve.match_router import MatchRouter
from tests.players.test_hard_rules import HARD
from tests.serve.strangers import start_text

GAME = load("tictactoe")


def start(match: str, seconds: float = 5) -> str:
    return start_text(match, "x", GAME.rules, seconds, seconds)


def test_as_many_matches_as_there_are_places() -> None:
    router = MatchRouter(LegalPlayer, matches=3, name="three")
    assert [router.answer(start(f"m{number}")) for number in range(4)] == ["ready"] * 3 + ["busy"]
    assert router.answer("(INFO)") == "((name three) (status busy))"
    assert router.answer("(PLAY m3 NIL)") == "busy"
    for number in range(3):
        assert router.answer(f"(PLAY m{number} NIL)") == "(mark 1 1)"
    assert router.answer("(PLAY m1 ((mark 2 2) noop))") == "noop"
    assert router.answer("(PLAY m2 NIL)") == "(mark 1 1)"
    assert router.answer("(STOP m1 (noop (mark 1 1)))") == "done"
    assert router.answer("(PING)") == "ready"
    assert router.answer(start("m3")) == "ready"
    assert router.answer("(STOP m1 NIL)") == "busy", "its place belongs to another match now"


def test_a_match_that_begins_again_keeps_its_place() -> None:
    router = MatchRouter(LegalPlayer, matches=2)
    assert [router.answer(start(match)) for match in ("a", "b", "b", "a", "c")] == ["ready"] * 4 + ["busy"]


def test_a_refused_match_takes_no_place() -> None:
    router = MatchRouter(LegalPlayer)
    for number in range(3):
        assert router.answer(f"(START m{number} x ((role x)) 5 5)") == "busy"
    assert router.answer("(PING)") == "ready"


def wait_until(router: MatchRouter, message: str, answer: str) -> None:
    """Ask again and again."""
    until = time.monotonic() + 60
    while router.answer(message) != answer:
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.full
def test_a_server_that_vanished_does_not_keep_the_player() -> None:
    router = MatchRouter(LegalPlayer, patience=0.4)
    assert router.answer(start("lost", 0.1)) == "ready"
    assert router.answer("(PING)") == "busy"
    assert router.answer(start("next", 0.1)) == "busy"
    wait_until(router, "(PING)", "ready")
    assert router.answer("(PLAY lost NIL)") == "(mark 1 1)", "nobody else wanted to play"
    assert router.answer(start("next", 0.1)) == "busy"
    wait_until(router, start("next", 0.1), "ready")
    assert router.answer("(PLAY lost NIL)") == "busy"


def test_long_clocks_are_waited_for_longer() -> None:
    router = MatchRouter(LegalPlayer, patience=0.0)
    assert router.answer(start("slow", 10)) == "ready"
    time.sleep(0.3)
    assert router.answer("(PING)") == "busy"


def test_no_clock_is_so_long_that_a_match_keeps_its_place_for_ever() -> None:
    router = MatchRouter(LegalPlayer, max_patience=0.4)
    assert router.answer(start("giant", 1e9)) == "ready"
    assert router.answer(start("next")) == "busy"
    wait_until(router, "(PING)", "ready")
    assert router.answer(start("next")) == "ready"
    assert router.answer("(PLAY giant NIL)") == "busy"


def test_the_log_counts_moves_and_not_messages(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "ludens.serve")
    router = MatchRouter(LegalPlayer)
    router.answer(start("m"))
    for news in ("NIL", "NIL", "(nonsense)", "((mark 1 1) noop)", "((mark 1 1) noop)"):
        router.answer(f"(PLAY m {news})")
    told = [record.getMessage().partition(",")[0] for record in caplog.records if " is " in record.getMessage()]
    assert told == ["match m: move 1 is (mark 1 1)"] * 3 + ["match m: move 2 is noop"] * 2


def test_the_log_does_not_wait_for_a_result_that_is_too_hard_to_find(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "ludens.serve")
    router = MatchRouter(LegalPlayer)
    rules = f"(role x) (init a) (next b) {HARD} (legal x go) (<= terminal (true b)) (<= (goal x 0) hard)"
    assert router.answer(f"(START m x ({rules}) 5 5)") == "ready"
    assert router.answer("(STOP m (go))") == "done"
    assert caplog.records[-1].getMessage() == "match m: over"


def test_the_log_tells_what_happens(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "ludens.serve")
    router = MatchRouter(LegalPlayer)
    router.answer(start("m"))
    news = "NIL"
    for own, other in [("(mark 1 1)", "noop"), ("noop", "(mark 2 1)"), ("(mark 1 2)", "noop"), ("noop", "(mark 2 2)")]:
        assert router.answer(f"(PLAY m {news})") == own
        news = f"({own} {other})"
    router.answer(f"(PLAY m {news})")
    router.answer("(PLAY m (nonsense))")
    router.answer("(STOP m ((mark 1 3) noop))")
    router.answer("(PLAY \x1b[31mred NIL)")
    router.answer("(WHAT")
    lines = [record.getMessage() for record in caplog.records]
    assert lines[0] == "match m: begins as x, clocks 5 and 5 s"
    assert lines[1].startswith("match m: move 1 is (mark 1 1), after 0.")
    assert lines[5].startswith("match m: move 5 is (mark 1 3), after 0.")
    assert lines[6].startswith("match m: the moves announced do not fit: ")
    assert lines[8] == "match m: over: x gets 100, o gets 0"
    assert lines[9] == "match ?[31mred: PLAY refused, busy"
    assert lines[10] == "malformed message: a parenthesis is never closed: (WHAT"


class Reporting(LegalPlayer):
    def choose(self, state: State, role: Role, deadline: Deadline) -> Move:
        self.report("it plays otherwise today")
        return super().choose(state, role, deadline)


def test_the_log_tells_once_in_a_match_what_a_player_reports(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "ludens.serve")
    router = MatchRouter(Reporting)
    for match in ("m", "n"):
        told = f"(PLAY {match} ((mark 1 1) noop))"
        for message in (start(match), f"(PLAY {match} NIL)", told, f"(ABORT {match})"):
            router.answer(message)
    noted = [record for record in caplog.records if "otherwise" in record.getMessage()]
    assert [record.getMessage() for record in noted] == [f"match {match}: it plays otherwise today" for match in "mn"]
    assert {record.levelno for record in noted} == {logging.INFO}


def test_closing_breaks_off_all_matches() -> None:
    router = MatchRouter(LegalPlayer, matches=2)
    for match in ("a", "b"):
        router.answer(start(match))
    router.close()
    assert router.answer("(PING)") == "ready"
    assert router.answer("(PLAY a NIL)") == "busy"
