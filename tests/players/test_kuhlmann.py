"""The UT Austin player: what it proposes, and how it plays while its workers are killed and frozen."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from random import Random
from threading import Event, Thread

import pytest

from ludens import load
from ludens.arena.direct import play_match
from ludens.cluster import remote_pool
from ludens.cluster.orders import MatchOrder
from ludens.cluster.pool import SerialPool, WorkerPool
from ludens.cluster.remote_pool import LocalPool
from ludens.cluster.searcher import PooledSearcher
from ludens.core import Clocks, Limit
from ludens.game import Game
from ludens.players import RandomPlayer, make_player
from ludens.players.kuhlmann import KuhlmannPlayer, by_chance, by_end, find_ideas
from ludens.runtime.deadline import Deadline

CLOCKS = Clocks(1.0, 1.0)


def player_of(seed: int = 1, nodes: int | None = 60) -> KuhlmannPlayer:
    player = make_player("kuhlmann", Random(seed), nodes)
    assert isinstance(player, KuhlmannPlayer)
    return player


def test_what_it_expects_is_a_line_of_joint_moves() -> None:
    game, player = load("farmers"), player_of()
    player.start(game, "bob", CLOCKS, Deadline.never())
    answer = player.move(Deadline.never())
    assert answer.decision
    first = answer.decision.pv[0]
    assert first.keys() == set(game.roles)
    assert first[game.roles[1]] == answer.move
    assert not game.initial_state().next(first).is_terminal
    player.stop()


def test_who_proposes_what_is_told() -> None:
    game, player = load("hallway"), player_of(nodes=400)
    player.start(game, "white", CLOCKS, Deadline.never())
    answer = player.move(Deadline.never())
    assert answer.decision
    proposals = answer.decision.explanation
    assert len(proposals) > 1
    assert any(one.startswith("search for the end: (") for one in proposals)
    assert any(one.startswith("maximise ") and f": {answer.move}, " in one for one in proposals)
    player.stop()


def test_where_there_is_no_structure_it_says_so_and_looks_ahead() -> None:
    player = player_of()
    game = load("blocksworld")
    (role,) = game.roles
    player.start(game, role, CLOCKS, Deadline.never())
    assert player._pools == []
    player.stop()
    told: list[str] = []
    result = play_match(
        game, [player], CLOCKS, Random(1), lambda turn: told.extend(each.text for each in turn.diagnostics)
    )
    assert result.finished
    assert told == ["it looks ahead without heuristics: there is no board, piece or amount in the game"]


@pytest.mark.full
def test_workers_killed_frozen_and_slowed_during_a_match_cost_no_move() -> None:
    pools: list[LocalPool] = []

    def opened(game: Game) -> WorkerPool:
        pools.append(LocalPool(3))
        return pools[-1]

    over, rng = Event(), Random(7)

    def harm() -> None:
        while not over.wait(0.2):
            for pid in pools[-1].pids if pools else ():
                if rng.random() < 0.2:
                    with suppress(ProcessLookupError):
                        os.kill(pid, rng.choice((signal.SIGKILL, signal.SIGSTOP, signal.SIGCONT)))

    villain = Thread(target=harm, daemon=True)
    villain.start()
    game, player = load("breakthrough"), KuhlmannPlayer(Random(1), pool=opened)
    try:
        result = play_match(game, [player, RandomPlayer(Random(2))], Clocks(20.0, 0.3), Random(3), max_steps=40)
    finally:
        over.set()
        villain.join()
    assert len(result.moves) > 20
    assert result.faults == ()
    assert pools[-1].pids == []


def test_workers_leave_with_the_match() -> None:
    made: list[WorkerPool] = []

    def opened(game: Game) -> WorkerPool:
        made.append(LocalPool(2))
        return made[-1]

    player = KuhlmannPlayer(Random(1), pool=opened)
    player.start(load("breakthrough"), "white", Clocks(60.0, 1.0), Deadline(60.0))
    assert isinstance(player._searcher, PooledSearcher)
    (pool,) = made
    assert isinstance(pool, LocalPool)
    pids = pool.pids
    player.abort()
    assert pids
    assert pool.pids == []


class Looks(Deadline):
    """Passes after so many looks at it, however fast the computer is."""

    def __init__(self, looks: int) -> None:
        super().__init__(float("inf"))
        self._left = looks

    @property
    def passed(self) -> bool:
        self._left -= 1
        return self._left < 0


@pytest.mark.parametrize("looks", [500, 2000])
def test_team_mates_are_known_after_few_states(looks: int) -> None:
    """On the reference engine, which sees few ends."""
    ideas = find_ideas(load("twokeys"), Looks(looks), Random(1))
    assert ideas.kind.teams == ((0, 1),)


def test_what_seems_lost_may_be_won_if_the_others_do_not_know_our_move() -> None:
    """Bob is ahead of Alice; if he buys something, and she does nothing, she has most. Buying is of no use to her."""
    game = load("farmers")
    game.compile()
    goods = ("wheat", "cotton", "flour", "cloth")
    facts = ["(money alice 14)", "(money bob 17)", "(money carol 8)", "(step 9)"]
    facts += [f"(store {role} {thing} 0)" for role in game.roles for thing in goods]
    facts += ["(price wheat 4)", "(price cotton 4)", "(price flour 9)", "(price cloth 9)"]
    ideas = find_ideas(game, Deadline.never(), Random(1))
    match = MatchOrder(game.rules, "alice", ideas.kind, ideas.heuristics)
    pool = SerialPool(4, game)
    pool.begin(match)
    priors = (0.1,) * len(ideas.heuristics)
    searcher = PooledSearcher(game, match, pool, by_end(game, game.roles[0]), priors, by_chance(game, match))
    moves = {str(searcher.search(game.state(facts), Limit.of(nodes=4000), Random(seed)).move) for seed in range(4)}
    assert moves == {"noop"}


def test_why_workers_fail_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_pool, "MODULE", "ludens.no_such_module")
    player = KuhlmannPlayer(Random(1), pool=lambda game: LocalPool(1))
    player.start(load("nim"), load("nim").roles[0], Clocks(0.5, 0.5), Deadline(0.5))
    until, reason = Deadline(60.0), "a worker failed: the process of a worker ended with exit code 1"
    told: list[str] = []
    while not any(text.startswith(reason) for text in told) and not until.passed:
        told += player.move(Deadline(0.1)).diagnostics
    assert any(text.startswith(reason) for text in told)
    player.stop()


WITHOUT_RAY = """
import sys
sys.modules["ray"] = None
from random import Random
from ludens import load
from ludens.core import Clocks
from ludens.runtime.deadline import Deadline
from ludens.players import make_player
for name in ("kuhlmann", "uct"):
    player = make_player(name, Random(1), None)
    player.start(load("nim"), load("nim").roles[0], Clocks(60.0, 1.0), Deadline(60.0))
    answer = player.move(Deadline(0.5))
    print(answer.move, type(player._pools[0]).__name__, *answer.diagnostics)
    player.stop()
"""


@pytest.mark.full
def test_without_ray_a_cluster_is_replaced_by_processes() -> None:
    environment = {**os.environ, "LUDENS_CLUSTER": "127.0.0.1:6379"}
    told = subprocess.run(
        [sys.executable, "-c", WITHOUT_RAY], capture_output=True, text=True, env=environment, timeout=240, check=True
    )
    for line in told.stdout.splitlines():
        assert line.startswith("(")
        assert " LocalPool " in line
        assert "install it by `pip install ludens[cluster]`; until then workers run on this computer" in line
    assert len(told.stdout.splitlines()) == 2


def test_play_that_can_be_repeated_needs_no_processes() -> None:
    player = player_of()
    player.start(load("nim"), load("nim").roles[0], CLOCKS, Deadline.never())
    assert isinstance(player._searcher, PooledSearcher)
    assert [type(pool) for pool in player._pools] == [SerialPool]
    player.stop()
