"""Many workers against one: that the simulation is fair, and a whole small run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from experiments.worker_pools import SimulatedPool
from experiments.worker_scaling import SIMULATED, measure_curves
from experiments.worker_states import Position, positions, tasks
from ludens.cluster.choice import Records
from ludens.cluster.orders import MatchOrder, Suggestion, Task, TurnOrder
from ludens.core import Move
from ludens.game import Game
from ludens.players.kuhlmann import find_ideas
from ludens.runtime.deadline import Deadline
from tests.analysis.analysed import game_of
from tests.experiments.runs import files_in, refusal, write_plan

NODES = 40


@pytest.fixture(scope="module")
def game() -> Game:
    return game_of("tictactoe")


def _suggested(game: Game, given: Sequence[Task]) -> list[Suggestion]:
    ideas = find_ideas(game, Deadline(60), Random(1))
    pool = SimulatedPool(len(given), game)
    pool.begin(MatchOrder(game.rules, "x", ideas.kind, ideas.heuristics))
    pool.search([TurnOrder(game.initial_state().facts, task, math.inf, NODES) for task in given])
    assert pool.busy == len(given)
    found = pool.suggestions(0)
    assert not pool.busy
    return found


def test_simulated_workers_do_not_depend_on_each_other(game: Game) -> None:
    given = [Task(None, 0), Task(0, 0), Task(0, 1), Task(1, 0)]
    together = {(one.task, one.nodes): one.move for one in _suggested(game, given)}
    backwards = {(one.task, one.nodes): one.move for one in _suggested(game, given[::-1])}
    alone = {(one.task, one.nodes): one.move for task in given for one in _suggested(game, [task])}
    assert together == backwards == alone


def test_each_simulated_worker_has_all_the_time(game: Game) -> None:
    found = _suggested(game, [Task(0, seed) for seed in range(3)])
    spent = {one.task: one.nodes for one in found}
    assert set(spent.values()) == {NODES}
    assert [one.nodes for one in found] == sorted(one.nodes for one in found)


def test_a_stopped_turn_gives_nothing_more(game: Game) -> None:
    pool = SimulatedPool(2, game)
    pool.search([TurnOrder(game.initial_state().facts, Task(None, seed), math.inf, NODES) for seed in range(2)])
    pool.stop()
    assert pool.busy == 0
    assert pool.suggestions(0) == []


def test_more_workers_do_what_fewer_do_and_something_else() -> None:
    records = Records((0.5, 0.4, -0.5, -0.4))
    counts = (4, 8, 16, 64, 200)
    given = [tasks(count, records, turn=1) for count in counts]
    assert [len(set(one)) for one in given] == list(counts)
    assert all(set(fewer) < set(more) for fewer, more in pairwise(given))


def test_positions_are_judged_by_what_play_from_them_comes_to(game: Game) -> None:
    for position in positions(game, 4, 2000, Random(3)):
        moves = set(position.state.legal_moves(position.role))
        assert len(moves) > 1
        assert set(position.worth) <= moves
        assert min(position.loss(move) for move in moves) == 0
    known = Position(position.role, position.state, {Move("a", "a"): 80.0, Move("b", "b"): 20.0})
    assert [known.loss(Move(name, name)) for name in ("a", "b", "unknown")] == [0, 60, 60]


def _rows(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [line for line in capsys.readouterr().out.splitlines() if line.strip().startswith("tictactoe")]


PLAYERS = """
4-workers = "experiments.worker_pools:workers_4"
1-worker = "experiments.worker_pools:workers_1"
"""


@pytest.mark.full
def test_a_small_run_is_kept_and_shown_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = replace(SIMULATED, measure=partial(measure_curves, states=1))
    write_plan(tmp_path, more="nodes = 20", players=PLAYERS)
    assert small.main(files_in(tmp_path)) == 0
    rows = _rows(capsys)
    assert " 4-workers " in rows[0]
    assert [row.split()[1] for row in rows[1:]] == ["1", "2", "4", "8", "16", "32", "64", "128", "200"]
    written = (tmp_path / "report.json").read_bytes()
    assert small.main(files_in(tmp_path)) == 0
    assert small.main(["--redraw", *files_in(tmp_path)]) == 0
    assert _rows(capsys) == 2 * rows
    assert (tmp_path / "report.json").read_bytes() == written
    assert "200 workers" in (tmp_path / "chart.svg").read_text(encoding="utf-8")


def test_names_without_a_number_of_workers_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_plan(tmp_path, players=PLAYERS.replace("4-workers", "many"))
    assert "players.many: begin the name with the number" in refusal(SIMULATED, files_in(tmp_path), capsys)
