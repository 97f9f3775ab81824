"""Players in games where roles do not see everything."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from ludens import load
from ludens.core import Clocks, Move, Player, Role
from ludens.game import Game, State
from ludens.players import make_player
from ludens.players.base import BasePlayer
from ludens.players.belief_state import BeliefState, shows_moves_apart
from ludens.runtime.deadline import Deadline
from tests.chance.test_percepts import DOOR

SEARCHING = ["uct", "alphabeta", "montecarlo"]


def played(
    game: Game, players: Mapping[Any, Player], rng: Random, told: dict[Any, list[str]] | None = None
) -> list[State]:
    """A match in which players are told what they see; what they say about it goes to `told`."""
    for role, player in players.items():
        player.start(game, role, Clocks(10, 60), Deadline(10))
    states = [game.initial_state()]
    while not states[-1].is_terminal:
        state = states[-1]
        answers = {role: player.move(Deadline(5)) for role, player in players.items()}
        joint = {
            role: answers[role].move if role in answers else rng.choice(state.legal_moves(role)) for role in game.roles
        }
        for role, answer in answers.items():
            (told if told is not None else {}).setdefault(role, []).extend(answer.diagnostics)
        seen = state.percepts(joint)
        for role in game.player_roles:
            players[role].perceive(joint[role], tuple(fact.term for fact in seen[role]))
        states.append(state.next(joint))
    return states


@pytest.mark.parametrize("name", SEARCHING)
def test_who_sees_everything_plays_as_always(name: str) -> None:
    game = load("dicerace")
    players = {role: make_player(name, Random(1), 200) for role in game.player_roles}
    diagnostics: dict[Any, list[str]] = {}
    states = played(game, players, Random(2), diagnostics)
    assert not any(diagnostics.values())
    told = {role: make_player(name, Random(1), 200) for role in game.player_roles}
    for role, player in told.items():
        player.start(game, role, Clocks(10, 60), Deadline(10))
    for state, after in pairwise(states):
        joint = {role: player.move(Deadline(5)).move for role, player in told.items()}
        joint[game.roles[2]] = next(
            move for move in state.legal_moves("random") if state.next({**joint, "random": move}) == after
        )
        for player in told.values():
            player.observe(joint)
    for player in players.values():
        assert isinstance(player, BasePlayer)
        assert player.state == states[-1]


@pytest.mark.parametrize("name", SEARCHING)
def test_who_cannot_know_the_state_says_so_once(name: str) -> None:
    game = load(DOOR)
    seeker, host = make_player(name, Random(1), 100), make_player("legal", Random(1), None)
    for _ in range(2):
        told: dict[Any, list[str]] = {}
        played(game, {"seeker": seeker, "host": host}, Random(3), told)
        (fault,) = told["seeker"]
        why = "after move 2, 2 states are possible for seeker; it moves at random"
        assert fault == f"{name} cannot play a game of which it sees only a part: {why}"
        assert told["host"] == []


@pytest.mark.parametrize("name", ["legal", "random"])
def test_who_does_not_think_need_not_know(name: str) -> None:
    game = load(DOOR)
    seeker, host = make_player(name, Random(1), None), make_player(name, Random(2), None)
    told: dict[Any, list[str]] = {}
    assert played(game, {"seeker": seeker, "host": host}, Random(3), told)[-1].is_terminal
    assert told == {"seeker": [], "host": []}


def test_any_legal_move_is_made_where_the_state_is_not_known() -> None:
    game, opened = load(DOOR), set()
    for seed in range(12):
        players: dict[str, Player] = {
            "seeker": make_player("uct", Random(seed), 50),
            "host": make_player("legal", Random(1), 1),
        }
        final = played(game, players, Random(seed))[-1]
        opened |= {str(fact) for fact in final.facts if fact.name == "opened"}
    assert opened == {"(opened 1)", "(opened 2)", "(opened 3)"}


def test_possible_states_are_looked_at_only_as_long_as_there_is_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the deadline one state is enough to go on with, and what is known is not complete."""
    game = load(DOOR)
    state = game.initial_state().next({"seeker": "wait", "host": "wait", "random": "(hide 1)"})
    others = [
        game.initial_state().next({"seeker": "wait", "host": "wait", "random": f"(hide {door})"}) for door in "23"
    ]
    knowledge = BeliefState(state, Role("seeker"), Random(1))
    knowledge.states = (state, *others)
    looked_at: list[State] = []
    look = BeliefState._choices

    def counted(self: BeliefState, state: State, own_move: Move) -> list[tuple[Move, ...]]:
        looked_at.append(state)
        return look(self, state, own_move)

    monkeypatch.setattr(BeliefState, "_choices", counted)
    knowledge.perceive(Move("wait", "wait"), [("not_behind", "3")], Deadline(0))
    assert looked_at == [state]
    assert len(knowledge.states) == 1
    assert not knowledge.complete


NUMBERS = """
; Three roles name a number at the same time, then another.
(role a) (role b) (role c) (init first)
(<= (legal ?p (pick ?n)) (role ?p) (number ?n))
(<= (next (made ?p ?m)) (does ?p ?m)) (<= (next second) (true first)) (<= (next third) (true second))
(<= terminal (true third)) (<= (goal ?p 50) (role ?p))
""" + " ".join(f"(number {number})" for number in range(60))
SEEN = "(<= (sees ?r (did ?p ?m)) (role ?r) (does ?p ?m))"


def test_who_sees_all_of_many_moves_knows_the_state() -> None:
    """3,600 joint moves are possible, of which just one shows what was seen."""
    game = load(NUMBERS + SEEN)
    players = {role: make_player("montecarlo", Random(1), 10) for role in game.player_roles}
    told: dict[Any, list[str]] = {}
    states = played(game, players, Random(2), told)
    assert not any(told.values())
    for player in players.values():
        assert isinstance(player, BasePlayer)
        assert player.belief.is_certain
        assert player.state == states[-1]


@pytest.mark.parametrize(
    ("sees", "apart"),
    [
        (SEEN, True),
        ("(<= (sees a ?m) (moved ?p ?m)) (<= (moved ?p ?m) (does ?p ?m) (true first))", True),
        ("(<= (sees a same) (does b ?m) (does c ?m))", False),
        ("(<= (sees a (not_by_b ?n)) (number ?n) (not (does b (pick ?n))))", False),
    ],
)
def test_what_is_seen_of_each_move_alone(sees: str, apart: bool) -> None:
    """Only then moves can be ruled out one by one; in either case what is known is true."""
    game = load(NUMBERS + sees)
    assert shows_moves_apart(game.rules) is apart
    joint = {Role(role): Move(f"(pick {number})", ("pick", number)) for role, number in zip("abc", "733", strict=True)}
    state = game.initial_state()
    knowledge = BeliefState(state, Role("a"), Random(1))
    seen = [fact.term for fact in state.percepts(joint)[Role("a")]]
    knowledge.perceive(joint[Role("a")], seen, Deadline(20))
    assert state.next(joint) in knowledge.states or not knowledge.complete


HAND = """
; One of 60 * 60 hands is dealt, of which the player sees only the sum of two cards; it may play these cards.
(role player) (role left) (role right) (init deal)
(<= (legal ?p (card ?n)) (number ?n) (true deal) (other ?p)) (<= (legal ?p wait) (other ?p) (not (true deal)))
(other left) (other right)
(<= (legal player wait) (true deal)) (<= (legal player pass) (not (true deal)))
(<= (legal player (play ?n)) (true (has ?n)))
(<= (next (has ?n)) (does ?p (card ?n)))
(<= (sees player (hand ?x ?y)) (does left (card ?x)) (does right (card ?y)))
(<= terminal (true (played ?x))) (<= (next (played ?m)) (does player ?m) (distinct ?m wait))
(<= (goal ?p 50) (role ?p))
""" + " ".join(f"(number {number})" for number in range(200))


@pytest.mark.parametrize("name", ["legal", "random"])
def test_who_has_lost_track_says_so_and_makes_a_move_that_is_likely_to_be_legal(name: str) -> None:
    game, player = load(HAND), make_player(name, Random(1), None)
    assert isinstance(player, BasePlayer)
    player.start(game, "player", Clocks(10, 60), Deadline(10))
    player.perceive(Move("wait", "wait"), (("hand", "7", "9"),))
    assert player.belief.lost
    assert len(player.belief.states) > 1
    answers = [player.move(Deadline(5)) for _ in range(3)]
    assert [answer.move for answer in answers] == ["pass"] * 3
    (fault,) = [text for answer in answers for text in answer.diagnostics]
    why = "no state was found in which player sees what it was told up to move 1"
    assert fault == f"{name} does not know what is legal: {why}; it makes a move that is likely to be"
