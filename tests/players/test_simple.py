"""The players that do not think."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from ludens import games, load
from ludens.core import Clocks, Deadline, Player
from ludens.errors import PlayError, UnknownRoleError
from ludens.players import PLAYERS, LegalPlayer, RandomPlayer, cluneplayer
from ludens.players.shelf import GameShelf

CLOCKS = Clocks(1.0, 1.0)
STUDIOUS = ("cluneplayer", "fluxplayer", "kuhlmann")
"""Players that study a game first."""
HUGE = "amazonswhole"
"""A game that takes long to study."""


def started(player: Player, name: str, role: str) -> Player:
    player.start(load(name).rules, role, CLOCKS, Deadline(CLOCKS.start))
    return player


def test_legal_player_makes_the_first_legal_move() -> None:
    state = load("tictactoe").initial_state()
    player = started(LegalPlayer(), "tictactoe", "x")
    assert player.move(Deadline(1)) == state.legal_moves("x")[0]


def test_random_player_makes_all_moves_equally_often() -> None:
    player = started(RandomPlayer(Random(4)), "tictactoe", "x")
    counts = Counter(player.move(Deadline(1)) for _ in range(1_800))
    assert set(counts) == set(load("tictactoe").initial_state().legal_moves("x"))
    assert all(150 < count < 250 for count in counts.values())


def test_a_player_follows_the_match() -> None:
    player = started(LegalPlayer(), "tictactoe", "o")
    assert player.move(Deadline(1)) == "noop"
    state = load("tictactoe").initial_state()
    player.observe({state.game.roles[0]: state.legal_moves("x")[0], state.game.roles[1]: state.legal_moves("o")[0]})
    assert player.move(Deadline(1)) == "(mark 1 2)"


@pytest.mark.parametrize("name", PLAYERS)
def test_a_player_needs_a_match(name: str) -> None:
    player = PLAYERS[name](Random(1), 10)
    assert player.name == name
    with pytest.raises(PlayError, match="call start first"):
        player.move(Deadline(1))
    with pytest.raises(UnknownRoleError):
        started(player, "tictactoe", "nobody")
    for leave in (player.stop, player.abort):
        started(player, "tictactoe", "x")
        leave()
        with pytest.raises(PlayError):
            player.move(Deadline(1))


@pytest.fixture(scope="module")
def shelf() -> GameShelf:
    """Those who play a game one after the other share it."""
    return GameShelf()


@pytest.mark.parametrize("name", PLAYERS)
@pytest.mark.parametrize("game", games.names())
def test_every_player_plays_every_game(name: str, game: str, shelf: GameShelf, monkeypatch: pytest.MonkeyPatch) -> None:
    """In any role; those who study a game do the same for every role, so one of them is enough.

    A huge game is studied as far as the clock allows.
    """
    monkeypatch.setattr(cluneplayer, "REPEATABLE_STATES", cluneplayer.USEFUL_STATES)
    loaded = load(game)
    state = loaded.initial_state()
    nodes = None if name in STUDIOUS and game == HUGE else 20
    for role in [Random(f"{name} {game}").choice(loaded.roles)] if name in STUDIOUS else loaded.roles:
        player = PLAYERS[name](Random(1), nodes)
        player.games = shelf  # type: ignore[attr-defined]
        player.start(loaded.rules, role, CLOCKS, Deadline(CLOCKS.start))
        assert player.move(Deadline(1)) in state.legal_moves(role)
        assert not [note for note in getattr(player, "notes", []) if "getting ready failed" in note]
        player.stop()
