"""Matches: who moves what, and what happens when a player fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens import load
from ludens.arena.direct import play_match
from ludens.arena.match import Match
from ludens.arena.records import Record
from ludens.arena.result import MatchSettings, PlayedTurn
from ludens.core import Answer, Clocks, Move, Role
from ludens.errors import GameOverError, LudensError, MissingMoveError, NoLegalMoveError, PlayError
from ludens.game import Game, State
from ludens.players import LegalPlayer, RandomPlayer
from ludens.protocol import Percepts
from ludens.runtime.deadline import Deadline
from tests.arena.refereeing import NotedRecords
from tests.tiers import examples

CLOCKS = Clocks(10.0, 10.0)


class Scripted(LegalPlayer):
    """Plays the first legal move, apart from what a test adds to it; remembers how its match ended."""

    def __init__(self) -> None:
        super().__init__()
        self.ended = ""
        self.observed: list[Mapping[Role, Move]] = []

    def observe(self, joint: Mapping[Role, Move]) -> None:
        self.observed.append(joint)
        super().observe(joint)

    def stop(self) -> None:
        self.ended = "stop"

    def abort(self) -> None:
        self.ended = "abort"


class Cheat(Scripted):
    def move(self, deadline: Deadline) -> Answer:
        return Answer(Move("(mark 2 2)", ("mark", "2", "2")))


class Broken(Scripted):
    def move(self, deadline: Deadline) -> Answer:
        raise ZeroDivisionError("oh no")


class Odd(Scripted):
    def move(self, deadline: Deadline) -> Answer:
        return "(mark 1 1)"  # type: ignore[return-value]


class Impatient(Scripted):
    def move(self, deadline: Deadline) -> Answer:
        raise KeyboardInterrupt


def test_a_match_between_two_players() -> None:
    game = load("tictactoe")
    players = [Scripted(), Scripted()]
    seen: list[tuple[State, State]] = []
    result = play_match(game, players, CLOCKS, Random(1), lambda turn: seen.append((turn.before, turn.after)))
    assert result.finished
    assert result.faults == ()
    assert result.goals == {"x": 100, "o": 0}
    assert [joint["x" if turn % 2 == 0 else "o"] for turn, joint in enumerate(as_text(result.moves))][:3] == [
        "(mark 1 1)",
        "(mark 1 2)",
        "(mark 1 3)",
    ]
    assert seen[0][0] == game.initial_state()
    assert seen[-1][1] == result.final
    assert all(earlier[1] == later[0] for earlier, later in pairwise(seen))
    assert [player.ended for player in players] == ["stop", "stop"]
    assert all(player.observed == list(result.moves) for player in players)


def as_text(moves: tuple[Mapping[Role, Move], ...]) -> list[dict[str, str]]:
    return [{str(role): str(move) for role, move in joint.items()} for joint in moves]


@pytest.mark.parametrize(
    ("player", "reason"),
    [(Cheat(), "(mark 2 2) is not legal"), (Broken(), "oh no"), (Odd(), "in place of an Answer")],
)
def test_a_player_that_fails_is_replaced_for_that_move(player: Scripted, reason: str) -> None:
    result = play_match(load("tictactoe"), [player, RandomPlayer(Random(3))], CLOCKS, Random(1))
    assert result.finished
    assert result.faults
    assert {fault.role for fault in result.faults} == {"x"}
    assert reason in result.faults[0].text
    state = load("tictactoe").initial_state()
    for joint in result.moves:
        state = state.next(joint)
    assert state == result.final


def test_a_player_that_cannot_start_is_replaced_throughout() -> None:
    class Sleeping(Scripted):
        def start(self, *arguments: object) -> None:
            raise RuntimeError("not yet")

    result = play_match(load("nim"), [Sleeping(), LegalPlayer()], CLOCKS, Random(1))
    assert result.finished
    assert result.faults[0].step == 1
    assert "not yet" in result.faults[0].text


def test_an_interruption_aborts_the_match_for_all() -> None:
    players = [Scripted(), Impatient()]
    with pytest.raises(KeyboardInterrupt):
        play_match(load("tictactoe"), players, CLOCKS, Random(1))
    assert [player.ended for player in players] == ["abort", "abort"]


def test_a_match_that_is_too_long_is_cut() -> None:
    players = [Scripted(), Scripted()]
    result = play_match(load("breakthrough"), players, CLOCKS, Random(1), max_steps=3)
    assert not result.finished
    assert len(result.moves) == 3
    assert players[0].ended == "abort"


def test_the_number_of_players_must_fit() -> None:
    with pytest.raises(PlayError, match="needs 2 players, for x, o; 1 were given"):
        play_match(load("tictactoe"), [LegalPlayer()], CLOCKS, Random(1))


def test_chance_takes_no_seat_and_is_drawn_evenly() -> None:
    game = load("dicerace")
    assert game.player_roles == ("red", "blue")
    rolls: Counter[str] = Counter()
    for seed in range(12):
        result = play_match(game, [LegalPlayer(), LegalPlayer()], CLOCKS, Random(seed))
        assert result.faults == ()
        rolls.update(joint["random"] for joint in as_text(result.moves) if joint["random"] != "noop")
    assert set(rolls) == {f"(roll {number})" for number in range(1, 7)}
    assert min(rolls.values()) > rolls.total() / 6 * 0.6


def test_a_role_without_a_move_is_an_error_of_the_game() -> None:
    stuck = "(role a) (init p) (<= (legal a go) (true q)) (<= terminal (true q)) (goal a 0)"
    with pytest.raises(NoLegalMoveError, match="a has no legal move"):
        play_match(load(stuck), [LegalPlayer()], CLOCKS, Random(1))


# -- the match without anybody who drives it ------------------------------------------------------

COIN_GUESS = """
(role guesser) (role keeper) (role random) (init (step 1)) (succ 1 2) (succ 2 3) (face heads) (face tails)
(<= (legal random (toss ?f)) (true (step 1)) (face ?f)) (<= (legal random noop) (true (step 2)))
(<= (legal guesser noop) (true (step 1))) (<= (legal guesser (say ?f)) (true (step 2)) (face ?f))
(legal keeper noop)
(<= (next (coin ?f)) (does random (toss ?f))) (<= (next (coin ?f)) (true (coin ?f)))
(<= (next (said ?f)) (does guesser (say ?f))) (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (sees keeper ?f) (does random (toss ?f)))
(<= right (true (coin ?f)) (true (said ?f))) (<= terminal (true (step 3)))
(<= (goal guesser 100) right) (<= (goal guesser 0) (not right)) (goal keeper 50) (goal random 0)
"""
DICE = """
(role alice) (role bob) (init (turn 1)) (succ 1 2) (succ 2 3) (succ 3 4)
(random dice 1 one) (random dice 2 two)
(<= (legal alice (roll dice)) (true (turn ?n))) (<= (legal alice pass) (true (turn ?n)))
(<= (legal bob noop) (true (turn ?n)))
(<= (next (turn ?m)) (true (turn ?n)) (succ ?n ?m)) (<= (next (rolled ?d)) (does alice (roll ?d)))
(<= terminal (true (turn 4))) (goal alice 50) (goal bob 50)
"""
SHEETS = {"coin": COIN_GUESS, "dice": DICE}
KINDS = ("eightpuzzle", "tictactoe", "threeway", "rockpaperscissors", "dicerace", "coin", "dice")
"""One role, two, many, moves at the same time, chance as a role, hidden information, random variables."""


@cache
def game_of_kind(kind: str) -> Game:
    return load(SHEETS.get(kind, kind))


def new_match(kind: str, seed: int, **options: Any) -> Match:
    match = Match(game_of_kind(kind), MatchSettings("m", CLOCKS, seed, **options), clock=lambda: 7)
    match.seat([f"player of {role}" for role in match.game.player_roles])
    return match


def random_turn(match: Match, rng: Random, faults: float = 0.0) -> PlayedTurn:
    """Everybody answers, or fails now and then; some who have no choice are not asked."""
    for role in match.to_ask():
        if rng.random() < faults:
            match.fail(role, "TO", "too late")
        elif len(match.legal(role)) > 1 or rng.random() < 0.5:
            match.answer(role, rng.choice(match.legal(role)))
    return match.step()


def play_out(match: Match, rng: Random, turns: int = 60, faults: float = 0.0) -> Match:
    while not match.is_over and len(match.turns) < turns:
        random_turn(match, rng, faults)
    return match


kinds = st.sampled_from(KINDS)
seeds = st.integers(0, 2**31)


@examples(100)
@given(kinds, seeds, st.integers(0, 20))
def test_the_record_of_a_match_leads_to_the_same_states_and_goes_on(kind: str, seed: int, turns: int) -> None:
    match = play_out(new_match(kind, seed), Random(seed), turns, faults=0.1)
    record = Record.from_json(match.record.to_json())
    states = [match.game.initial_state(), *(turn.after for turn in match.turns)]
    assert list(record.replay(match.game)) == states
    resumed = Match.resume(match.game, match.settings, record, clock=lambda: 7)
    assert resumed.turns == [replace(turn, diagnostics=()) for turn in match.turns]
    if not match.is_over:
        rng = Random(seed + 1)
        assert random_turn(resumed, Random(seed + 1)).moves == random_turn(match, rng).moves
        assert resumed.record.states == match.record.states


@examples(100)
@given(kinds, seeds)
def test_the_same_seed_and_answers_give_the_same_match(kind: str, seed: int) -> None:
    first, second = (play_out(new_match(kind, seed), Random(seed), faults=0.1) for _ in range(2))
    assert first.turns == second.turns
    assert first.record == second.record


@examples(100)
@given(kinds, seeds, st.integers(1, 12), st.integers(0, 12))
def test_undo_then_the_same_moves_again_gives_the_same_match(kind: str, seed: int, turns: int, back: int) -> None:
    match = play_out(new_match(kind, seed), Random(seed), turns)
    if match.is_over:
        match.end()
    whole = Record.from_json(match.record.to_json())
    taken = match.turns[max(0, len(match.turns) - back) :]
    match.undo(len(taken))
    assert match.state == (taken[0].before if taken else match.state)
    assert match.record.states == whole.states[: len(whole.states) - len(taken)]
    assert not match.record.is_completed
    for turn in taken:
        for role in match.choosers():
            match.answer(role, next(move for move in match.legal(role) if can_be(match, move, turn.moves[role])))
        assert match.step().moves == turn.moves, "chance draws the same again"
    if match.is_over:
        match.end()
    assert match.record == whole


def can_be(match: Match, move: Move, announced: Move) -> bool:
    return match.game.matches_announcement(move, announced)


@examples(100)
@given(kinds, seeds, st.integers(0, 6), st.text(max_size=12) | st.sampled_from(["noop", "(mark 1 1)", "(say heads)"]))
def test_refused_answers_change_nothing(kind: str, seed: int, turns: int, answer: str) -> None:
    match = play_out(new_match(kind, seed), Random(seed), turns)
    for role in (*match.game.roles, Role("nobody")):
        before = match.state, dict(match.answers), list(match.turns), match.record.to_json()
        try:
            move = match.answer(role, answer)
        except LudensError:
            assert (match.state, match.answers, match.turns, match.record.to_json()) == before
        else:
            assert move in match.legal(role)
            assert match.state is before[0]
    match.withdraw()
    if match.choosers():
        before = match.state, dict(match.answers), list(match.turns), match.record.to_json()
        with pytest.raises(MissingMoveError):
            match.step()
        assert (match.state, match.answers, match.turns, match.record.to_json()) == before


def test_everybody_is_told_what_the_rules_let_them_see() -> None:
    match = new_match("coin", 3)
    guesser, keeper = match.game.player_roles
    assert match.news(guesser) == Percepts(0, None, ())
    random_turn(match, Random(1))
    face = match.turns[0].moves[Role("random")].args[0]
    assert match.news(guesser) == Percepts(1, "noop", ())
    assert match.news(keeper) == Percepts(1, "noop", (face,))
    open_match = new_match("dice", 3)
    assert open_match.news(Role("alice")) is None
    open_match.answer(Role("alice"), "(roll dice)")
    turn = open_match.step()
    assert open_match.news(Role("bob")) == tuple(move.term for move in turn.moves.values())
    assert turn.moves[Role("alice")] in ("(roll one)", "(roll two)"), "the outcome is announced"
    assert open_match.news(Role("bob"), 0) is None


def test_a_fault_is_replaced_or_forfeits() -> None:
    x, o = Role("x"), Role("o")
    match = new_match("tictactoe", 5)
    match.fail(x, "TO", "too late")
    turn = match.step()
    assert turn.replaced == (x,)
    assert turn.moves[x] in turn.before.legal_moves(x)
    assert [(each.step, each.role, each.text) for each in turn.diagnostics] == [(1, x, "too late")]
    assert match.record.errors == [["", ""], ["TO", ""]]
    lost = new_match("tictactoe", 5, on_fault="forfeit")
    lost.fail(x, "TO", "too late")
    lost.step()
    assert lost.is_over
    assert lost.to_ask() == lost.choosers() == ()
    assert lost.end().goals == {x: 0, o: 100}
    with pytest.raises(GameOverError):
        lost.answer(o, "(mark 1 1)")
    lost.undo()
    assert not lost.is_over


def test_undo_takes_back_what_was_said_about_players() -> None:
    match = new_match("tictactoe", 5)
    match.report(Role("x"), ["slow"], is_fault=False)
    random_turn(match, Random(1))
    match.fail(Role("o"), "TO", "too late")
    match.step()
    assert match.record.notes["diagnostics"] == ["move 1, x: slow", "move 2, o: too late"]
    assert [each.text for each in match.result().faults] == ["too late"]
    match.undo()
    assert match.record.notes["diagnostics"] == ["move 1, x: slow"]
    match.undo()
    assert "diagnostics" not in match.record.notes
    assert match.diagnostics == []


def test_who_failed_may_still_answer_in_the_same_turn() -> None:
    match = new_match("tictactoe", 5)
    match.fail(Role("x"), "TO")
    match.answer(Role("x"), "(mark 2 2)")
    assert match.step().replaced == ()


def test_other_players_who_go_on_are_in_the_record() -> None:
    match = Match(load("tictactoe"), MatchSettings("m", CLOCKS, 5))
    match.seat(["ann", "bob"])
    match.seat(["ann", "bob"])
    assert "earlierPlayers" not in match.record.notes
    random_turn(match, Random(1))
    match.seat(["bob", "ann"], [Role("o")])
    assert match.record.player_names == ["bob", "ann"]
    assert match.record.is_player_human == [False, True]
    assert match.record.notes["earlierPlayers"] == [{"players": ["ann", "bob"], "turns": 1}]


def test_there_is_no_record_before_the_players_are_known() -> None:
    match = Match(load("nim"), MatchSettings("m", CLOCKS, 1))
    with pytest.raises(PlayError, match="call seat first"):
        _ = match.record
    with pytest.raises(PlayError, match="needs 2 players"):
        match.seat(["ann"])
    with pytest.raises(PlayError, match="1 turns cannot be taken back; 0 were made"):
        match.undo()


def test_a_journal_hears_of_a_match_in_this_process() -> None:
    journal = NotedRecords()
    play_match(load("nim"), [LegalPlayer(), LegalPlayer()], CLOCKS, Random(1), match_id="n", journal=journal)
    assert journal.last is not None
    turns = journal.last.turns
    assert journal.calls == [("began", 0), *(("moved", number) for number in range(1, turns + 1)), ("ended", turns)]
    assert journal.last.is_completed
    broken = NotedRecords()
    with pytest.raises(KeyboardInterrupt):
        play_match(load("tictactoe"), [Scripted(), Impatient()], CLOCKS, Random(1), journal=broken)
    assert broken.calls == [("began", 0), ("aborted", 0)]
