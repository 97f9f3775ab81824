"""The properties of games: as people see them in well-known games, in any words, and in games made for each."""

from __future__ import annotations

from dataclasses import asdict
from random import Random

import numpy as np
import pytest

from experiments.mobility import made_up_states, node_truth
from experiments.properties import Properties, find_properties
from ludens import load
from ludens.analysis.states import sample_states
from ludens.engines.rows import pack
from ludens.errors import CompileError
from ludens.evaluation.fuzzy.unroll import unroll
from ludens.game import Game
from ludens.gdl.scramble import scramble
from ludens.runtime.deadline import Deadline
from tests.analysis.analysed import game_of, structure_of
from tests.tiers import first


def properties_of(game: Game) -> set[str]:
    return {name for name, holds in asdict(find_properties(game, Deadline(60), Random(1))).items() if holds}


WELL_KNOWN = {
    "tictactoe": {"mobility"},
    "eightpuzzle": {"concrete_goal", "distance"},
    "pig": {"quantity"},
    "racetrackcorridor": {"distance", "many_moves"},
    "connectfour": {"mobility"},
    "blocksworld": {"concrete_goal"},
    "breakthrough": {"distance", "many_moves"},
    "othello": {"many_moves", "mobility"},
    "chinesecheckers3": {"concrete_goal", "gradual_goals", "distance", "many_moves"},
    "pegsolitaire": {"concrete_goal", "gradual_goals", "distance", "mobility"},
    "checkers": {"mobility"},
    "fourcorners": {"gradual_goals", "quantity", "many_moves"},
    "threeway": {"many_moves", "mobility"},
}


@pytest.mark.parametrize("sheet", first(4, WELL_KNOWN))
def test_properties_of_well_known_games(sheet: str) -> None:
    assert properties_of(game_of(sheet)) == WELL_KNOWN[sheet]


@pytest.mark.parametrize(
    "sheet", first(1, ["pig", "tictactoe", "blocksworld", "breakthrough", "chinesecheckers3", "checkers"])
)
def test_words_do_not_matter(sheet: str) -> None:
    assert properties_of(load(scramble(game_of(sheet).rules, Random(3)).rules)) == WELL_KNOWN[sheet]


LAST_MOVER = """
(role a) (role b) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (other a b) (other b a)
(init (step 0)) (init (control a)) (side left) (side right)
(<= (legal ?p (go ?s)) (true (control ?p)) (side ?s)) (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (next (seen ?s)) (does ?p (go ?s))) (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
(<= terminal (true (step 5))) (<= (goal ?p 100) (true (control ?p))) (<= (goal ?p 0) (other ?p ?q) (true (control ?q)))
"""


def test_a_goal_that_play_cannot_change_is_nondescript() -> None:
    """Whose turn it is depends on the number of moves alone; here each goal is also a single fact."""
    assert properties_of(load(LAST_MOVER)) == {"concrete_goal", "nondescript_goal"}
    seen = LAST_MOVER.replace(
        "(goal ?p 100) (true (control ?p))", "(goal ?p 100) (true (control ?p)) (true (seen left))"
    )
    assert "nondescript_goal" not in properties_of(load(seen))


GRADES = """
(role me) (legal me (press 1)) (legal me (press 2)) (legal me (press 3)) (init (step 0))
(succ 0 1) (succ 1 2) (succ 2 3) (<= (next (lit ?x)) (does me (press ?x))) (<= (next (lit ?x)) (true (lit ?x)))
(<= terminal (true (step 3)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (<= all (true (lit 1)) (true (lit 2)) (true (lit 3)))
(<= some (true (lit 1)) (true (lit 2))) (<= (goal me 100) all)
"""


def test_points_for_a_part_of_the_goal_are_gradual() -> None:
    plain = GRADES + "(<= (goal me 0) (not all))"
    gradual = GRADES + "(<= (goal me 40) some (not all)) (<= (goal me 0) (not some) (not all))"
    assert properties_of(load(plain)) == {"concrete_goal"}
    assert properties_of(load(gradual)) == {"concrete_goal", "gradual_goals"}


def test_a_goal_of_two_ways_or_of_what_must_not_be_is_not_concrete() -> None:
    zero = "(<= (goal me 0) (not all))"
    assert "concrete_goal" not in properties_of(load(GRADES + zero + "(<= all (true (lit 1)) (true (step 1)))"))
    assert "concrete_goal" not in properties_of(
        load(GRADES.replace("(goal me 100) all", "(goal me 100) (not all)") + zero)
    )


def test_a_game_that_is_not_compiled_has_no_properties() -> None:
    with pytest.raises(CompileError, match="cannot be read"):
        find_properties(load("tictactoe"), Deadline(0), Random(1))


@pytest.mark.parametrize("sheet", first(1, ["breakthrough", "othello", "hex"]))
def test_formulas_hold_in_made_up_states_as_the_rules_say(sheet: str) -> None:
    game, facts = game_of(sheet), structure_of(sheet)
    formulas, states = unroll(game, facts, Deadline(60)), sample_states(game, Random(1), Deadline.never())
    bits = made_up_states(facts, states, np.random.default_rng(1), 300)
    truth = node_truth(formulas, bits)
    ends = truth[formulas.terminal >> 1] ^ bool(formulas.terminal & 1)
    assert (ends == game.engine.terminal(pack(bits))).all()
    assert 0 < ends.sum() < 300
    assert len({row.tobytes() for row in bits}) > 250


def test_every_property_is_named() -> None:
    from experiments.fluxplayer_properties import WORDS

    assert tuple(WORDS) == tuple(Properties.__dataclass_fields__)
