"""GDL-II: what roles see, and what they can know."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from ludens import load
from ludens.core import Clocks, Move, Role
from ludens.errors import GameOverError, IllegalMoveError, InvalidRulesError, PlayError
from ludens.game import Game, State
from ludens.players import LegalPlayer, RandomPlayer
from ludens.players.base import BasePlayer
from ludens.players.belief_state import MAX_STATES
from ludens.runtime.deadline import Deadline

SHEETS = [
    "backgammon",
    "guessSix",
    "kriegTTT5x5",
    "latenttictactoe",
    "mastermind",
    "mastermind2x3",
    "meier",
    "montyhall",
    "pennies",
    "small_dominion",
    "stratego",
    "transit",
    "visPacman3p",
]

DOOR = """
; A prize is hidden behind one of three doors; the host tells one of them where it is not, and sees all.
(role seeker) (role host) (role random)
(door 1) (door 2) (door 3)
(init hiding)
(<= (legal random (hide ?d)) (door ?d) (true hiding))
(<= (legal random wait) (not (true hiding)))
(<= (legal ?p wait) (role ?p) (distinct ?p random) (true hiding))
(<= (legal host (hint ?d)) (door ?d) (true (hidden ?e)) (distinct ?d ?e) (not (true told)))
(<= (legal host wait) (true told))
(<= (legal seeker wait) (not (true hiding)) (not (true told)))
(<= (legal seeker (open ?d)) (door ?d) (true told))
(<= (next (hidden ?d)) (does random (hide ?d)))
(<= (next (hidden ?d)) (true (hidden ?d)))
(<= (next told) (does host (hint ?d)))
(<= (next (opened ?d)) (does seeker (open ?d)))
(<= (sees host (moved ?p ?m)) (does ?p ?m))
(<= (sees seeker (not_behind ?d)) (does host (hint ?d)))
(<= terminal (true (opened ?d)))
(<= (goal seeker 100) (true (opened ?d)) (true (hidden ?d)))
(<= (goal seeker 0) (not (goal seeker 100)))
(<= (goal host 50) (role host))
"""


def perceived(game: Game, state: State, joint: dict[str, str], player: BasePlayer, role: str) -> State:
    """Make a joint move and tell a player what its role sees."""
    seen = state.percepts(joint)[game.roles[game.role_index(role)]]
    own = next(move for move in state.legal_moves(role) if move == joint[role])
    player.perceive(own, tuple(fact.term for fact in seen))
    return state.next(joint)


def started(game: Game, role: str, player: BasePlayer | None = None) -> BasePlayer:
    player = player or RandomPlayer(Random(1))
    player.start(game, role, Clocks(10, 60), Deadline(10))
    return player


def test_what_roles_see() -> None:
    state = load(DOOR).initial_state()
    hide = {"random": "(hide 2)", "seeker": "wait", "host": "wait"}
    assert state.percepts(hide) == {
        "seeker": (),
        "host": ("(moved host wait)", "(moved random (hide 2))", "(moved seeker wait)"),
        "random": (),
    }
    assert state.next(hide).percepts({"host": "(hint 3)"})[Role("seeker")] == ("(not_behind 3)",)


def test_percepts_are_the_same_on_the_compiled_engine() -> None:
    game = load(DOOR)
    moves = {"random": "(hide 2)"}
    before = game.initial_state().percepts(moves)
    assert game.compile()
    assert game.initial_state().percepts(moves) == before


def test_percepts_of_moves_that_cannot_be() -> None:
    state = load(DOOR).initial_state()
    with pytest.raises(IllegalMoveError):
        state.percepts({"random": "(hide 4)"})
    for moves in ({"random": "(hide 1)"}, {"host": "(hint 2)"}, {"seeker": "(open 1)"}):
        state = state.next(moves)
    with pytest.raises(GameOverError):
        state.percepts({})


def test_nobody_sees_anything_in_particular_where_rules_do_not_say() -> None:
    assert load("tictactoe").initial_state().percepts({"x": "(mark 1 1)"}) == {"x": (), "o": ()}


def test_who_sees_everything_knows_the_state() -> None:
    game = load(DOOR)
    state, player = game.initial_state(), started(game, "host")
    for joint in ({"random": "(hide 3)", "host": "wait"}, {"host": "(hint 1)"}):
        state = perceived(game, state, joint, player, "host")
        assert player.belief.is_certain
        assert player.state == state


def test_what_is_seen_narrows_down_what_is_possible() -> None:
    game = load(DOOR)
    state, player = game.initial_state(), started(game, "seeker")
    state = perceived(game, state, {"random": "(hide 3)", "seeker": "wait"}, player, "seeker")
    assert len(player.belief.states) == 3
    assert not player.belief.is_certain
    state = perceived(game, state, {"host": "(hint 1)", "seeker": "wait"}, player, "seeker")
    hidden = {str(fact) for possible in player.belief.states for fact in possible.facts if fact.name == "hidden"}
    assert hidden == {"(hidden 2)", "(hidden 3)"}
    assert player.move(Deadline(1)).move in state.legal_moves("seeker")


def test_a_server_that_tells_everything() -> None:
    game = load(DOOR)
    state, player = game.initial_state(), started(game, "seeker")
    joint = {role: state.legal_moves(role)[0] for role in game.roles}
    player.observe(joint)
    assert player.belief.is_certain
    assert player.state == state.next(joint)


def test_percepts_against_the_rules() -> None:
    """The player says so, and can go on."""
    game = load(DOOR)
    player = started(game, "seeker", LegalPlayer())
    with pytest.raises(PlayError, match="no state was found in which seeker sees"):
        player.perceive(Move("wait", "wait"), (("not_behind", "1"),))
    assert not player.belief.complete
    assert player.move(Deadline(1)).move == "wait"
    player.perceive(Move("wait", "wait"), (("not_behind", "2"),))
    assert player.move(Deadline(1)).move == "(open 1)"


def test_percepts_of_random_variables() -> None:
    """Own moves may be told with the outcome or with the variable."""
    text = """(role a) (role b) (random die 1 1) (random die 2 2) (init s) (legal a (roll die)) (legal b wait)
    (<= (next (shown ?x)) (does a (roll ?x))) (<= (sees ?p small) (role ?p) (does a (roll 1)))
    (<= terminal (true (shown ?x))) (goal a 0) (goal b 0)"""
    game = load(text)
    state = game.initial_state()
    assert state.percepts({"a": "(roll 1)"}) == {"a": ("small",), "b": ("small",)}
    assert state.percepts({"a": "(roll die)", "random": "(die 2 2)"}) == {"a": (), "b": ()}
    for told in (Move("(roll die)", ("roll", "die")), Move("(roll 2)", ("roll", "2"))):
        player = started(game, "a")
        player.perceive(told, ())
        assert player.belief.is_certain
        assert player.state == state.next({"a": "(roll 2)"})


def test_a_sheet_without_meaning_says_why(corpus: Path) -> None:
    with pytest.raises(InvalidRulesError) as raised:
        load(corpus / "gdl2" / "oneCardGame.kif")
    assert {finding.code for finding in raised.value.findings} == {"unsafe-variable"}
    assert all(finding.remedy and finding.place for finding in raised.value.findings)


@pytest.mark.parametrize("name", SHEETS)
def test_the_true_state_is_possible(corpus: Path, name: str) -> None:
    game = load(corpus / "gdl2" / f"{name}.kif")
    rng, state = Random(5), game.initial_state()
    players = {role: started(game, role, RandomPlayer(Random(6))) for role in game.player_roles}
    for _ in range(8):
        if state.is_terminal:
            break
        joint = {role: rng.choice(state.legal_moves(role)) for role in game.roles}
        seen, state = state.percepts(joint), state.next(joint)
        for role, player in players.items():
            player.perceive(joint[role], tuple(fact.term for fact in seen[role]))
            known = player.belief
            assert 1 <= len(known.states) <= MAX_STATES
            assert state in known.states or not known.complete
            if not state.is_terminal and known.complete:
                assert player.move(Deadline(5)).move in state.legal_moves(role)
