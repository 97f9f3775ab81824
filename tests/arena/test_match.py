"""Matches: who moves what, and what happens when a player fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from random import Random

import pytest

from ludens import load
from ludens.arena.match import play_match, seats
from ludens.core import Clocks, Move, Role
from ludens.errors import NoLegalMoveError, PlayError
from ludens.game import State
from ludens.players import LegalPlayer, RandomPlayer
from ludens.runtime.deadline import Deadline

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
    def move(self, deadline: Deadline) -> Move:
        return Move("(mark 2 2)", ("mark", "2", "2"))


class Broken(Scripted):
    def move(self, deadline: Deadline) -> Move:
        raise ZeroDivisionError("oh no")


class Impatient(Scripted):
    def move(self, deadline: Deadline) -> Move:
        raise KeyboardInterrupt


def test_a_match_between_two_players() -> None:
    game = load("tictactoe")
    players = [Scripted(), Scripted()]
    seen: list[tuple[State, State]] = []
    result = play_match(game, players, CLOCKS, Random(1), lambda before, joint, after: seen.append((before, after)))
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


@pytest.mark.parametrize(("player", "reason"), [(Cheat(), "(mark 2 2) is not legal"), (Broken(), "oh no")])
def test_a_player_that_fails_is_replaced_for_that_move(player: Scripted, reason: str) -> None:
    result = play_match(load("tictactoe"), [player, RandomPlayer(Random(3))], CLOCKS, Random(1))
    assert result.finished
    assert result.faults
    assert {fault.role for fault in result.faults} == {"x"}
    assert reason in result.faults[0].reason
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
    assert "not yet" in result.faults[0].reason


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
    assert seats(game) == ("red", "blue")
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
