"""Table 2 of the paper on the UT Austin player: its figures, and a whole small run."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path
from random import Random

import pytest

from experiments.chosen_heuristic import TwoLooks, choice
from experiments.experiment import PLANS
from experiments.kuhlmann_table2 import BY_NODES, PAPER, chance_of, winning_by_chance
from ludens.arena.tournament.plan import load_plan
from ludens.arena.tournament.schedule import schedule
from ludens.core import Limit, Move, Role
from ludens.errors import PlayError
from ludens.players.kuhlmann import find_ideas
from ludens.runtime.deadline import Deadline
from tests.analysis.analysed import game_of
from tests.experiments.runs import files_in, refusal, write_plan
from tests.tiers import first

PLAYERS = """
heuristic = "experiments.chosen_heuristic:chosen_heuristic"
exhaustive = "experiments.chosen_heuristic:exhaustive"
"""


def test_the_method_gives_the_figures_of_the_paper() -> None:
    assert chance_of(11, 25, 0.3515) == pytest.approx(PAPER["farmers"].p, abs=0.001)
    assert chance_of(14, 25, 0.3515) < 0.05 < chance_of(13, 25, 0.3515)
    assert 1e-11 < chance_of(15, 15, 0.2) < 1e-10
    assert chance_of(0, 15, 0.2) == pytest.approx(1)


def test_winning_by_chance_at_a_game_of_pure_luck() -> None:
    """Of two roles one wins, if there is no draw."""
    assert winning_by_chance(game_of("breakthrough"), 1) == 0.5


@pytest.mark.parametrize(
    ("sheet", "role", "words"),
    first(
        1,
        [
            ("farmers", "carol", "maximise own money"),
            ("nothello", "white", "minimise own markers on cell"),
            ("hallway", "black", "minimise x of own piece on cell"),
            ("hallway", "white", "maximise x of own piece on cell"),
        ],
    ),
)
def test_the_chosen_heuristics_are_found(sheet: str, role: str, words: str) -> None:
    heuristics = find_ideas(game_of(sheet), Deadline(60), Random(1)).heuristics
    assert choice(role, heuristics).words(role) == words
    with pytest.raises(PlayError, match="0 heuristics of nobody"):
        choice("nobody", heuristics)


def test_a_move_that_may_win_is_made_though_it_loses_if_it_is_known() -> None:
    """In the last step all moves of alice lose if the others answer to them; most of hers lose whatever they do."""
    game = game_of("farmers")
    money = {"alice": 14, "bob": 17, "carol": 8}
    kept = [fact for fact in map(str, game.initial_state().facts) if not fact.startswith(("(money", "(step"))]
    state = game.state([*kept, "(step 9)", *(f"(money {role} {amount})" for role, amount in money.items())])
    alice, bob, carol = game.roles

    def wins(move: Move) -> int:
        others = product(state.legal_moves(bob), state.legal_moves(carol))
        ends = (state.next({alice: move, bob: one, carol: other}) for one, other in others)
        return sum(end.goals[alice] == 100 for end in ends)

    chances = {move: wins(move) for move in state.legal_moves(alice)}
    assert max(chances.values()) > min(chances.values()) == 0
    kind = find_ideas(game, Deadline(60), Random(1)).kind
    for seed in range(4):
        searcher = TwoLooks(game, Role(alice), kind, None)
        decision = searcher.search(state, Limit.of(nodes=5000), Random(seed))
        assert chances[decision.move] == max(chances.values())
        assert searcher.second_looks == 1


@pytest.mark.full
def test_a_small_run_shows_our_wins_beside_those_of_the_paper(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_plan(tmp_path, '["farmers"]', 'nodes = 60\nseating = "alone"', PLAYERS)
    assert BY_NODES.main(files_in(tmp_path)) == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if "farmers" in line)
    assert " of 3 " in row
    assert row.split()[-4:] == ["11", "of", "25", "0.234"]
    assert BY_NODES.main(["--redraw", *files_in(tmp_path)]) == 0
    assert row in capsys.readouterr().out


@pytest.mark.parametrize("name", ["kuhlmann_table2", "kuhlmann_table2_timed"])
def test_each_game_has_its_own_number_of_matches(name: str) -> None:
    plan = load_plan(PLANS / f"{name}.toml")
    counts = Counter(job.game for job in schedule(plan).timetable({}).jobs)
    assert counts == {"nothello": 16, "hallway": 16, "farmers": 99}
    assert chance_of(counts["farmers"] // 2, counts["farmers"], 0.37) < 0.05, "enough for a rate of a half to show"


def test_other_games_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_plan(tmp_path, players=PLAYERS)
    assert "no heuristic was chosen for tictactoe" in refusal(BY_NODES, files_in(tmp_path), capsys)
