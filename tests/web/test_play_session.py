"""Games at a table, without a browser: whoever plays, the rules and the seed decide what happens."""

from __future__ import annotations

from random import Random

import pytest

from ludens.core import Decision, Move, Player, Role
from ludens.errors import GameOverError, LudensError, PlayError
from ludens.game import Game, load
from ludens.gdl.rules import Rules
from ludens.web.play_session import PERSON, PlaySession
from tests.tiers import every_game
from tests.web.sheets import COIN

X, Y = Role("x"), Role("o")
PATIENT = 30.0
"""Seconds; players stop before, at their number of nodes."""


def session(name: str, seed: int = 1, **seats: str) -> PlaySession:
    game = load(name)
    return PlaySession(game, {Role(role): seat for role, seat in seats.items()}, PATIENT, seed, nodes=200)


def play_out(playing: PlaySession, rng: Random, most: int = 200) -> None:
    while not playing.is_over and len(playing.past) < most:
        role = playing.asked
        if role is None:
            playing.think()
        else:
            playing.choose(role, rng.choice(playing.legal(role)))


def move(playing: PlaySession, role: Role, words: str) -> Move:
    return next(each for each in playing.legal(role) if each == words)


def test_people_take_turns_and_the_rules_say_who_wins() -> None:
    playing = session("tictactoe")
    for role, words in ((X, "1 1"), (Y, "2 1"), (X, "1 2"), (Y, "2 2"), (X, "1 3")):
        assert playing.asked == role
        playing.choose(role, move(playing, role, f"(mark {words})"))
    assert playing.is_over
    assert playing.state.goals == {X: 100, Y: 0}
    with pytest.raises(GameOverError):
        playing.choose(Y, playing.past[0].joint[Y])


def test_a_player_answers_and_says_what_it_thought() -> None:
    playing = session("tictactoe", o="uct")
    playing.choose(X, move(playing, X, "(mark 2 2)"))
    assert playing.asked is None
    assert playing.thinkers == (Y,)
    playing.think()
    assert playing.asked == X
    decision = playing.past[-1].decisions[Y]
    assert isinstance(decision, Decision)
    assert decision.move == playing.past[-1].joint[Y]
    playing.close()


def test_the_same_seed_gives_the_same_game() -> None:
    games = []
    for _ in range(2):
        playing = session("pig", seed=7, red="random", blue="random")
        play_out(playing, Random(0), most=60)
        games.append([turn.joint for turn in playing.past])
        playing.close()
    assert games[0] == games[1]
    assert len(games[0]) > 10


def test_chance_follows_from_the_seed() -> None:
    def rolls(seed: int) -> list[dict[Role, Move]]:
        playing = session("pig", seed=seed)
        for _ in range(20):
            role = playing.asked
            if role is None:
                playing.think()
            else:
                playing.choose(role, playing.legal(role)[-1])
        return [dict(turn.joint) for turn in playing.past]

    assert rolls(1) == rolls(1)
    assert rolls(1) != rolls(2)


def test_moves_at_the_same_time_stay_hidden_until_all_have_moved() -> None:
    playing = session("rockpaperscissors")
    left, right = playing.game.player_roles
    before = playing.state
    playing.choose(left, playing.legal(left)[0])
    assert playing.state is before
    assert playing.past == []
    assert playing.asked == right
    playing.choose(right, playing.legal(right)[1])
    assert len(playing.past) == 1
    assert playing.past[0].joint[left] == before.legal_moves(left)[0]


def test_undo_goes_back_to_the_last_choice_of_a_person() -> None:
    playing = session("tictactoe", o="random")
    start = playing.state
    playing.choose(X, move(playing, X, "(mark 2 2)"))
    playing.think()
    playing.undo()
    assert playing.state == start
    assert playing.asked == X
    with pytest.raises(PlayError):
        playing.undo()


def test_undo_of_a_hidden_choice_only_forgets_it() -> None:
    playing = session("rockpaperscissors")
    left, _ = playing.game.player_roles
    playing.choose(left, playing.legal(left)[0])
    playing.undo()
    assert playing.chosen == {}
    assert playing.asked == left


def test_changing_sides_keeps_the_game() -> None:
    playing = session("tictactoe", o="random")
    playing.choose(X, move(playing, X, "(mark 2 2)"))
    state = playing.state
    playing.change_sides()
    assert playing.seats == {X: "random", Y: PERSON}
    assert playing.state == state
    assert playing.asked == Y


def test_restart_begins_anew() -> None:
    playing = session("tictactoe")
    playing.choose(X, move(playing, X, "(mark 2 2)"))
    playing.restart()
    assert playing.past == []
    assert playing.state == playing.game.initial_state()


def test_a_hint_is_a_good_legal_move() -> None:
    playing = session("tictactoe")
    for role, words in ((X, "1 1"), (Y, "2 1"), (X, "1 2"), (Y, "2 2")):
        playing.choose(role, move(playing, role, f"(mark {words})"))
    advice = playing.advise(X)
    assert advice.move == "(mark 1 3)"
    assert advice.decision
    assert advice.decision.values[X] == 100
    playing.close()


def test_a_game_can_be_looked_through_afterwards() -> None:
    playing = session("tictactoe")
    for role, words in ((X, "1 1"), (Y, "2 1"), (X, "1 2"), (Y, "2 2"), (X, "1 3")):
        playing.choose(role, move(playing, role, f"(mark {words})"))
    last = playing.assess(4, 0.05)
    assert last
    assert last.values == {X: 100, Y: 0}
    playing.close()


def test_a_player_is_hurried_while_it_gets_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    playing = session("connectfour", red="uct", yellow=PERSON)
    playing.nodes = None
    ready = playing._started

    def started(name: str, role: Role) -> Player:
        playing.interrupt()
        return ready(name, role)

    monkeypatch.setattr(playing, "_started", started)
    playing.think()
    assert playing.past[0].decisions[Role("red")].seconds < playing.seconds


def test_late_people_get_a_legal_move() -> None:
    playing = session("tictactoe")
    playing.choose_any()
    assert len(playing.past) == 1
    assert playing.asked == Y


@pytest.mark.parametrize(
    "name",
    every_game(
        of=[
            "connectfour",
            "dicerace",
            "rockpaperscissors",
            "tron",
            "farmers",
            "eightpuzzle",
            "hanoi",
            "highcard",
            "simultaneousconnectfour",
        ]
    ),
)
def test_games_of_every_kind_are_played_to_their_end_by_the_rules(name: str) -> None:
    game = load(name)
    first = game.player_roles[0]
    playing = PlaySession(game, {role: PERSON if role == first else "random" for role in game.player_roles}, PATIENT, 3)
    play_out(playing, Random(3), most=400)
    state = game.initial_state()
    for turn in playing.past:
        assert turn.before == state
        state = state.next(turn.joint)
    assert state == playing.state
    assert playing.is_over
    playing.close()


def test_a_person_is_shown_only_what_it_can_know() -> None:
    game = Game(Rules.parse(COIN))
    guesser, keeper = game.player_roles
    playing = PlaySession(game, {guesser: PERSON, keeper: "random"}, PATIENT, 5)
    playing.think()
    assert playing.asked == guesser
    possible = playing.known_states(guesser)
    assert {fact for state in possible for fact in state.facts} >= {"(coin heads)", "(coin tails)"}
    assert playing.state in possible
    playing.choose(guesser, playing.legal(guesser)[0])
    assert playing.is_over
    playing.undo()
    assert len(playing.known_states(guesser)) == 2
    playing.close()


def test_hidden_means_that_somebody_does_not_know_the_state() -> None:
    game = Game(Rules.parse(COIN))
    guesser, keeper = game.player_roles
    playing = PlaySession(game, {guesser: PERSON, keeper: "random"}, PATIENT, 5)
    assert not playing.is_unclear
    playing.think()
    assert playing.is_unclear
    playing.change_sides()
    assert not playing.is_unclear
    playing.close()
    assert not session("pig", blue="random").is_unclear


def test_undo_brings_back_what_a_restart_gave_up() -> None:
    playing = session("tictactoe")
    assert not playing.can_undo
    playing.choose(X, move(playing, X, "(mark 2 2)"))
    playing.choose(Y, move(playing, Y, "(mark 1 1)"))
    state = playing.state
    playing.restart()
    playing.restart()
    assert playing.can_undo
    playing.undo()
    assert playing.state == state
    assert len(playing.past) == 2
    playing.restart()
    playing.choose(X, move(playing, X, "(mark 1 1)"))
    playing.undo()
    assert not playing.can_undo


@pytest.mark.parametrize(("role", "words"), [("x", "(mark 9 9)"), ("nobody", "(mark 1 1)"), ("o", "(mark 1 1)")])
def test_moves_that_are_not_possible_change_nothing(role: str, words: str) -> None:
    playing = session("tictactoe")
    with pytest.raises(LudensError):
        playing.choose(Role(role), Move(words, ("mark", *words[6:-1].split())))
    assert playing.past == []
    assert playing.chosen == {}


def test_a_player_that_there_is_not_is_refused() -> None:
    with pytest.raises(PlayError, match="there is no player 'deepthought'"):
        session("tictactoe", o="deepthought")
