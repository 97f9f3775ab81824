"""What states are worth by a model, against the formula of the paper; and why, in words."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

import ludens
from ludens.analysis.counters import step_counter
from ludens.core import Limit, Role
from ludens.engines.sliced import SlicedEngine
from ludens.errors import CompileError
from ludens.evaluation.features.feature_set import Feature
from ludens.evaluation.features.patterns import Pattern
from ludens.evaluation.model.evaluator import MARGIN, ModelEvaluator
from ludens.evaluation.model.forms import LinearForm
from ludens.evaluation.model.game_model import GameModel, RoleModel, lottery_value
from ludens.evaluation.random_play import play_at_random
from ludens.game import State
from ludens.runtime.deadline import Deadline
from ludens.search.alphabeta import AlphaBetaOptions, AlphaBetaSearcher
from tests.analysis.analysed import game_of
from tests.evaluation.features.modelled import of_game
from tests.evaluation.model.built import evaluator_of
from tests.tiers import first

STEPS = {"white": "(move forward)", "black": "(move right)"}


def runners(with_control: bool = True) -> ModelEvaluator:
    """White has payoff and control, black only a payoff, that of being as far as it can."""
    game = of_game("racetrackcorridor")
    white_way, black_way = (
        game.find("distance", Pattern("function", "cell", (lane, 1, "1", "runner"))) for lane in ("white", "black")
    )
    ahead = Feature(black_way, white_way)
    payoff, opposite = LinearForm((ahead,), (10.0,), 50.0), LinearForm((ahead,), (-10.0,), 50.0)
    control = LinearForm((Feature(black_way),), (0.2,), -0.8)
    white = RoleModel(Role("white"), payoff, control if with_control else None, 3.0, 1.0 if with_control else 0.0)
    black = RoleModel(Role("black"), opposite, None, 3.0, 0.0)
    ending = LinearForm((), (), 0.1)
    model = GameModel((white, black), ending, (0, 0), (100, 100), game.atoms, 100, 9, 5, 1.0, ())
    return ModelEvaluator(game.game, game.facts, model)


def after(*joints: dict[str, str]) -> State:
    state = of_game("racetrackcorridor").game.initial_state()
    for joint in joints:
        state = state.next(joint)
    return state


def worths(evaluator: ModelEvaluator, state: State) -> list[float]:
    rows = of_game("racetrackcorridor").engine.encode([frozenset(fact.term for fact in state.facts)])
    return [float(worth) for worth in evaluator.evaluate(rows)[0]]


def scaled(value: float) -> float:
    return 100 * MARGIN + (1 - 2 * MARGIN) * value


def test_values_are_those_of_the_lottery() -> None:
    """White is a step ahead: P = 60, C = 0.2 * 4 - 0.8 = 0, T = 0.1, S_C = 1/4."""
    value = lottery_value(np.array([60.0]), np.array([0.0]), np.array([0.1]), 0.25)[0]
    assert value == pytest.approx(6 + 0.9 * (50 / 4 + 60 * 3 / 4))
    found = worths(runners(), after(STEPS))
    assert found == pytest.approx([scaled(value), scaled(40)])


def test_without_control_only_the_payoff_counts() -> None:
    assert worths(runners(with_control=False), after(STEPS, STEPS)) == pytest.approx([scaled(70), scaled(30)])


def test_an_outcome_correction_is_added_to_the_worth() -> None:
    game, model = of_game("racetrackcorridor"), runners(with_control=False).model
    white, black = model.roles
    assert white.payoff is not None
    form = LinearForm(white.payoff.features, (3.0,), 0.0)
    roles = replace(white, outcome_correction=form), replace(black, outcome_correction=form.opposite())
    evaluator = ModelEvaluator(game.game, game.facts, replace(model, roles=roles))
    assert worths(evaluator, after(STEPS)) == pytest.approx([scaled(63), scaled(37)])
    lines = evaluator.explain(after(STEPS), ["white"]).splitlines()
    assert [line.split(":")[0].split() for line in lines[1:3]] == [
        ["+9.8", "payoff"],
        ["+2.9", "outcome", "correction"],
    ]


def by_steps() -> ModelEvaluator:
    """The nearer the last step, the more the payoff counts."""
    game, model = of_game("racetrackcorridor"), runners().model
    left = Feature(game.find("distance", Pattern("function", "step", ("20",))))
    return ModelEvaluator(game.game, game.facts, replace(model, termination=LinearForm((left,), (-0.04,), 0.8)))


def test_steps_count_as_on_average_so_that_searches_need_not_tell_them_apart() -> None:
    game = of_game("racetrackcorridor")
    counter, evaluator = step_counter(game.engine.circuit), by_steps()
    assert counter is not None
    assert evaluator.ignores(counter.fluents)
    assert not evaluator.ignores(range(len(game.engine.circuit.fluents)))
    start = game.game.initial_state()
    later = game.game.state(str(fact).replace("(step 0)", "(step 9)") for fact in start.facts)
    assert worths(evaluator, later) == worths(evaluator, start)
    value = lottery_value(np.array([60.0]), np.array([0.0]), np.array([0.8 - 0.04 * 10]), 0.25)[0]
    assert worths(evaluator, after(STEPS))[0] == pytest.approx(scaled(value))
    assert "the end is 76% likely here" in evaluator.explain(game.game.state(["(step 19)"]))


def test_a_search_finds_the_same_with_and_without_the_step_counter() -> None:
    game = of_game("racetrackcorridor")
    found = []
    for counters in (True, False):
        searcher = AlphaBetaSearcher(
            game.game, "white", by_steps(), AlphaBetaOptions(counters=counters, reductions=False)
        )
        decision = searcher.search(after(STEPS), Limit.of(depth=4), Random(1))
        found.append((decision.values, decision.depth))
    assert found[0] == found[1]


def test_reasons_with_their_points_the_most_important_first() -> None:
    both = {"white": "(move right)", "black": "(move forward)"}
    lines = runners().explain(after(both)).splitlines()
    white, black = (scaled(4 + 0.9 * ((50 - 10) / 4 + 40 * 3 / 4)), scaled(60))
    payoff, control = -9.8 * (0.1 + 0.9 * 0.75), 0.98 * 50 * 0.9 * 0.25 * -0.2
    first = scaled(50)
    one, other = (f"distance of runner of {lane} from Y = 1" for lane in ("white", "black"))
    assert lines == [
        f"white: {white:.1f} of 100; {first:.1f} at the beginning",
        f"  {payoff:+6.1f} payoff: ({other} - {one}) is -1, and was 0",
        f"  {control:+6.1f} control: {other} is 3, and was 4",
        f"black: {black:.1f} of 100; {first:.1f} at the beginning",
        f"    +9.8 payoff: ({one} - {other}) is 1, and was 0",
        "the end is 10% likely here",
    ]


def test_where_nothing_has_changed() -> None:
    assert runners().explain(after(), ["WHITE"]).splitlines() == [
        "white: 50.0 of 100; 50.0 at the beginning",
        "  nothing that counts differs from the beginning",
        "the end is 10% likely here",
    ]


def test_the_end_of_a_game_has_points() -> None:
    forward = {"white": "(move forward)", "black": "(move right)"}
    over = after(forward, {**forward, "black": "(move left)"}, forward, {**forward, "black": "(move left)"})
    assert over.is_terminal
    assert runners().explain(over) == "white: 100 points\nblack: 0 points"


def test_facts_that_play_never_reaches_do_not_count() -> None:
    state = after(STEPS)
    odd = state.game.state([*(str(fact) for fact in state.facts), "(cell nowhere 9 9 ghost)"])
    reference = state.game.reference_engine
    batch = reference.encode([frozenset(fact.term for fact in odd.facts)])
    assert runners().evaluate(batch, reference)[0] == pytest.approx(worths(runners(), state))
    assert runners().explain(odd) == runners().explain(state)


def test_a_game_that_is_not_compiled() -> None:
    game = of_game("racetrackcorridor")
    fresh = ludens.load("racetrackcorridor")
    fresh.stop_compiling()
    with pytest.raises(CompileError, match="compiled"):
        ModelEvaluator(fresh, game.facts, runners().model)


@pytest.mark.parametrize("name", first(1, ["connectfour", "cylindercheckers", "chinesecheckers6"]))
def test_a_state_is_worth_the_same_in_whatever_company(name: str) -> None:
    """Searches ask for as many states at once as there is time for; the same search is to find the same again."""
    evaluator, engine = evaluator_of(name), game_of(name).engine
    assert isinstance(engine, SlicedEngine)
    rows = play_at_random(engine, 20, np.random.default_rng(3), Deadline.never())
    assert rows
    together = evaluator.evaluate(rows.rows)
    assert np.ptp(together, axis=0).max() > 0
    for size in (1, 7, 64):
        parts = [evaluator.evaluate(rows.rows[first : first + size]) for first in range(0, len(rows), size)]
        assert np.array_equal(np.concatenate(parts), together)
