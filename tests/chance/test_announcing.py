"""Moves of stochastic games as they are made and as they are announced."""

from __future__ import annotations

import pickle
from itertools import product

import pytest

from ludens import load
from ludens.core import Move, Role
from ludens.errors import GameOverError, IllegalMoveError, MissingMoveError, PlayError, UnknownRoleError
from ludens.game import State
from tests.chance.sheets import LOADED, MIXED, SHARED, SHEETS


def test_who_takes_part() -> None:
    game = load(SHARED)
    assert game.roles == ("a", "b", "random")
    assert game.rule_roles == game.player_roles == ("a", "b")
    assert (game.traits.roles, game.traits.chance, game.traits.hidden) == (2, True, False)


def test_who_takes_part_in_other_games() -> None:
    plain, chance = load("tictactoe"), load("dicerace")
    assert plain.roles == plain.rule_roles == plain.player_roles == ("x", "o")
    assert chance.roles == chance.rule_roles == ("red", "blue", "random")
    assert chance.player_roles == ("red", "blue")
    joint = {"RED": "noop", "blue": "noop", "random": "(roll 3)"}
    assert chance.announced(joint) == {"red": "noop", "blue": "noop", "random": "(roll 3)"}


def test_outcomes_are_announced_in_place_of_variables() -> None:
    game = load(SHARED)
    joint = {"random": "(draw (coin tail 3) (die_a 2) (die_b 1))", "b": "(roll die_b)", "a": "(bet coin coin)"}
    told = game.announced(joint)
    assert list(told.items()) == [(Role("a"), "(bet tail tail)"), (Role("b"), "(roll 1)")]
    assert all(isinstance(move, Move) for move in told.values())
    assert game.announced(told) == told


@pytest.mark.parametrize("name", SHEETS)
def test_both_forms_lead_to_the_same_state(name: str) -> None:
    game = load(SHEETS[name])
    for compiled in (False, True):
        assert not compiled or game.compile()
        state = game.initial_state()
        for joint in product(*(state.legal_moves(role) for role in game.roles)):
            played = dict(zip(game.roles, joint, strict=True))
            told = game.announced(played)
            assert list(told) == list(game.rule_roles)
            after = state.next(joint)
            assert state.next(played) == after
            assert state.next(told) == after
            assert state.next(list(map(str, told.values()))) == after
            assert all(move in state.announced_moves(role) for role, move in told.items())
            assert all(game.matches_announcement(played[role], move) for role, move in told.items())


def start(text: str = LOADED) -> State:
    return load(text).initial_state()


def test_an_outcome_that_cannot_be() -> None:
    with pytest.raises(IllegalMoveError) as raised:
        start().next({"player": "(throw 7)"})
    assert str(raised.value) == "(throw 7) is not legal for player; legal: (throw 1), (throw 2), (throw 3)"
    assert raised.value.legal == ("(throw 1)", "(throw 2)", "(throw 3)")


@pytest.mark.parametrize(
    "move", ["(catch 1)", "throw", "(throw 1 2)", "(throw", "(throw ?x)", "(throw (die 1))", "stop"]
)
def test_moves_that_are_not_legal(move: str) -> None:
    for moves in ({"player": move}, [move], {"player": move, "random": "(die 1)"}):
        with pytest.raises(IllegalMoveError):
            start().next(moves)


def test_a_ticket_that_there_is_not() -> None:
    with pytest.raises(IllegalMoveError, match="for random"):
        start().next({"player": "(throw die)", "random": "(die 1 2)"})


def test_an_outcome_is_missing() -> None:
    with pytest.raises(MissingMoveError, match=r"the outcome of die is missing in \(throw die\)"):
        start().next({"player": "(throw die)"})


def test_where_only_one_outcome_is_possible_none_need_be_given() -> None:
    state = start(LOADED.replace("(random die 1 1) (random die 2 2)", ""))
    assert state.next({"player": "(throw die)"}) == state.next({"player": "(throw 3)"}) == state.next([("(throw die)")])


def test_moves_that_contradict_each_other() -> None:
    """One variable has one value, whoever uses it."""
    state = start(SHARED)
    assert state.next(["(bet head)", "(bet head)"])
    with pytest.raises(IllegalMoveError):
        state.next(["(bet head tail)", "wait"])
    together = "the moves of a and b cannot be announced together: coin would be both head and tail"
    with pytest.raises(PlayError, match=together):
        state.next(["(bet head)", "(bet tail)"])


def test_the_outcome_and_the_draw_are_given() -> None:
    with pytest.raises(PlayError, match=r"\(throw 1\) of player has outcomes, and the move of random is given too"):
        start().next({"player": "(throw 1)", "random": "(die 1)"})


def test_legal_moves_are_listed_as_they_can_be_announced() -> None:
    for move in ("(throw", "(throw ?x)", "(throw 9)"):
        with pytest.raises(IllegalMoveError, match=r"legal: \(throw 1\), \(throw 2\), \(throw 3\)"):
            start().next({"player": move})


@pytest.mark.parametrize("draw", ["zzz", "(draw x)", "draw", "die", "(coin head)", "(draw (die 1) (coin head))"])
def test_draws_that_are_none(draw: str) -> None:
    with pytest.raises(PlayError, match="draws no outcomes of die"):
        load(LOADED).announced({"player": "(throw die)", "random": draw})


def test_number_of_moves() -> None:
    for moves in ([], ["wait"], ["wait"] * 4):
        with pytest.raises(MissingMoveError, match="one move for each of a, b, in this order"):
            start(SHARED).next(moves)
    with pytest.raises(UnknownRoleError):
        start(SHARED).next({"a": "(bet head)", "c": "wait"})


def test_after_the_end() -> None:
    state = start(MIXED).next({"a": "(say p p)"})
    assert state.is_terminal
    assert state.legal_moves("random") == ()
    with pytest.raises(GameOverError):
        state.next({"a": "(say p p)"})


def test_states_and_games_can_be_copied_to_other_processes() -> None:
    state = start().next({"player": "(throw 2)"})
    copy = pickle.loads(pickle.dumps(state))
    assert copy == state
    assert copy.legal_moves("random") == state.legal_moves("random")
    assert copy.game.roles == ("player", "random")


def test_rules_stay_those_of_the_author() -> None:
    game = load(LOADED)
    assert game.rules.roles == ("player",)
    assert "throw" in game.rules.to_kif()
    assert game.engine_rules.roles == ("player", "random")
    assert load("tictactoe").engine_rules is not game.rules


def test_declared_moves_have_variables() -> None:
    game = load(LOADED + "(input player (throw die)) (input player stop) (base over)")
    assert game.input_moves() == {Role("player"): frozenset({"(throw die)", "stop"})}
    assert set(map(str, game.base_facts() or ())) == {"over"}
