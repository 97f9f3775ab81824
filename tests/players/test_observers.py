"""Where roles see only a part, people and players learn just that."""

from __future__ import annotations

from random import Random

import pytest

from ludens import load
from ludens.core import Clocks, Role
from ludens.players.observers import Observers, tell
from ludens.players.simple import RandomPlayer
from ludens.runtime.deadline import Deadline
from tests.web.sheets import COIN

GUESSER, KEEPER = Role("guesser"), Role("keeper")


@pytest.mark.parametrize(("role", "possible"), [(KEEPER, 1), (GUESSER, 2)])
def test_each_role_learns_what_it_sees(role: Role, possible: int) -> None:
    game = load(COIN)
    before = game.initial_state()
    joint = {each: before.legal_moves(each)[0] for each in game.roles}
    person = Observers(before, [role], Random(1))
    player = RandomPlayer(Random(1))
    player.start(game, role, Clocks(1, 1), Deadline.never())
    assert person.are_certain
    person.follow(before, joint)
    tell(player, role, before, joint)
    assert person.are_certain == (possible == 1)
    assert len(person.states(role)) == len(player.belief.states) == possible
    assert before.next(joint) in person.states(role)


def test_where_all_is_seen_there_is_no_doubt() -> None:
    game = load("tictactoe")
    before = game.initial_state()
    joint = {role: before.legal_moves(role)[0] for role in game.roles}
    people = Observers(before, game.roles, Random(1))
    people.follow(before, joint)
    assert people.are_certain
    player = RandomPlayer(Random(1))
    player.start(game, game.roles[1], Clocks(1, 1), Deadline.never())
    tell(player, game.roles[1], before, joint)
    assert player.state == before.next(joint)
