"""The players that do not think."""

from __future__ import annotations

from collections import Counter
from random import Random

from ludens import load
from ludens.core import Clocks, Player
from ludens.players import LegalPlayer, RandomPlayer
from ludens.runtime.deadline import Deadline

CLOCKS = Clocks(1.0, 1.0)


def started(player: Player, name: str, role: str) -> Player:
    player.start(load(name), role, CLOCKS, Deadline(CLOCKS.start))
    return player


def test_legal_player_makes_the_first_legal_move() -> None:
    state = load("tictactoe").initial_state()
    player = started(LegalPlayer(), "tictactoe", "x")
    assert player.move(Deadline(1)).move == state.legal_moves("x")[0]


def test_random_player_makes_all_moves_equally_often() -> None:
    player = started(RandomPlayer(Random(4)), "tictactoe", "x")
    counts = Counter(player.move(Deadline(1)).move for _ in range(1_800))
    assert set(counts) == set(load("tictactoe").initial_state().legal_moves("x"))
    assert all(150 < count < 250 for count in counts.values())


def test_a_player_follows_the_match() -> None:
    player = started(LegalPlayer(), "tictactoe", "o")
    assert player.move(Deadline(1)).move == "noop"
    state = load("tictactoe").initial_state()
    player.observe({state.game.roles[0]: state.legal_moves("x")[0], state.game.roles[1]: state.legal_moves("o")[0]})
    assert player.move(Deadline(1)).move == "(mark 1 2)"
