"""Features and heuristics of the UT Austin player, against the same numbers counted fact by fact."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from random import Random

import numpy as np
import pytest

from ludens import load
from ludens.analysis.kind import GameKind, game_kind
from ludens.analysis.templates import find_templates
from ludens.core import GroundTerm, Limit
from ludens.engines.sliced import SlicedEngine
from ludens.evaluation.simple.evaluator import HeuristicEvaluator, correlations
from ludens.evaluation.simple.heuristics import Heuristic, TemplateFeature, features_of, heuristics_of
from ludens.game import Game, State
from ludens.runtime.deadline import Deadline
from ludens.search.alphabeta import AlphaBetaOptions, AlphaBetaSearcher

GAMES = ("minichess", "hallway", "farmers", "nothello", "tictactoe")
COLUMNS = {"a": 0, "b": 1, "c": 2, "d": 3}


@cache
def compiled(name: str) -> Game:
    game = load(name)
    game.compile()
    return game


@cache
def features(name: str) -> tuple[TemplateFeature, ...]:
    return features_of(find_templates(compiled(name), Deadline.never(), Random(1)))


@cache
def kind(name: str) -> GameKind:
    return game_kind(compiled(name), Random(1))


def states(game: Game, count: int, seed: int) -> Iterator[State]:
    """Of random games, ends left out."""
    rng, state = Random(seed), game.initial_state()
    for _ in range(count):
        yield state
        state = state.next({role: rng.choice(state.legal_moves(role)) for role in game.roles})
        state = game.initial_state() if state.is_terminal else state


def terms(state: State) -> set[GroundTerm]:
    return {fact.term for fact in state.facts}


def value(feature: TemplateFeature, state: State) -> float:
    held = terms(state)
    return float(feature.values(np.array([[fact in held for fact in feature.facts]]))[0])


def by_words(name: str, role: str) -> dict[str, Heuristic]:
    return {heuristic.words(role): heuristic for heuristic in heuristics_of(features(name))}


def test_table_1_for_minichess() -> None:
    kinds = [(feature.kind, feature.things) for feature in features("minichess")]
    pieces = ("wk", "wr", "bk")
    expected: list[tuple[str, tuple[str, ...]]] = [(axis, (piece,)) for piece in pieces for axis in ("x", "y")]
    expected += [("distance", pair) for pair in combinations(pieces, 2)]
    assert kinds == [*expected, ("distances", pieces)]


def test_the_rook_of_the_paper_begins_at_3_0() -> None:
    start = compiled("minichess").initial_state()
    found = {feature.kind: value(feature, start) for feature in features("minichess") if feature.things == ("wr",)}
    assert found == {"x": 3.0, "y": 0.0}


def test_distances_of_minichess_are_those_counted_by_hand() -> None:
    for state in states(compiled("minichess"), 60, 2):
        places = {
            fact.args[2]: (COLUMNS[str(fact.args[0])], int(str(fact.args[1])) - 1)
            for fact in state.facts
            if fact.name == "cell" and fact.args[2] != "blank"
        }
        total = 0
        for one, other in combinations(("wk", "wr", "bk"), 2):
            if one not in places or other not in places:
                break
            apart = sum(abs(a - b) for a, b in zip(places[one], places[other], strict=True))
            total += apart
            feature = next(feature for feature in features("minichess") if feature.things == (one, other))
            assert value(feature, state) == apart
        else:
            assert value(features("minichess")[-1], state) == total


def test_markers_are_counted() -> None:
    for state in states(compiled("nothello"), 100, 3):
        for feature in features("nothello"):
            marker = feature.things[0]
            assert value(feature, state) == sum(fact.name == "cell" and fact.args[2] == marker for fact in state.facts)


def test_amounts_are_read_off() -> None:
    for state in states(compiled("farmers"), 60, 4):
        for feature in features("farmers"):
            assert isinstance(feature.subject, tuple)
            (amount,) = (fact.args[-1] for fact in state.facts if (fact.name, *fact.args[:-1]) == feature.subject)
            assert value(feature, state) == int(str(amount)) - (feature.subject[0] == "price")


def test_a_piece_that_is_gone_counts_as_in_the_middle() -> None:
    for feature in features("minichess"):
        nothing = np.zeros((1, len(feature.facts)), np.bool_)
        assert feature.scaled(nothing)[0] == 0.5


@pytest.mark.parametrize("name", GAMES)
def test_all_engines_give_the_same_values_clear_of_the_ends(name: str) -> None:
    game, role = compiled(name), compiled(name).roles[0]
    seen = list(states(game, 80, 5))
    facts = [frozenset(terms(state)) for state in seen]
    reference = game.reference_engine.fork()
    rows, interpreted = game.engine.encode(facts), reference.encode(facts)
    for feature in features(name):
        pair = [HeuristicEvaluator(game, role, kind(name), Heuristic(feature, wanted)) for wanted in (True, False)]
        high, low = (evaluator.evaluate(rows) for evaluator in pair)
        assert np.array_equal(high, pair[0].evaluate(interpreted, reference))
        assert ((high >= 1) & (high <= 99)).all()
        assert np.allclose(high + low, 100)
        assert np.allclose(high[:, 0] + high[:, 1], 100)


def test_a_narrow_range_of_rewards_is_not_left() -> None:
    feature = features("tictactoe")[0]
    some = np.array([[True] * len(feature.facts), [False] * len(feature.facts)])
    values = Heuristic(feature, True).values(some, 50, 51)
    assert (values > 50).all()
    assert (values < 51).all()
    assert values[0] > values[1]


@pytest.mark.parametrize("maximise", [True, False])
def test_a_certain_win_is_better_than_anything_a_heuristic_promises(maximise: bool) -> None:
    game = compiled("tictactoe")
    state = game.initial_state()
    for x, o in (("(mark 1 1)", "(mark 2 1)"), ("(mark 1 2)", "(mark 2 2)")):
        state = state.next({"x": x}).next({"o": o})
    after_x = state.next({"x": "(mark 3 3)"})
    for feature in features("tictactoe"):
        for at, role, wanted in ((state, "x", "(mark 1 3)"), (after_x, "o", "(mark 2 3)")):
            evaluator = HeuristicEvaluator(game, role, kind("tictactoe"), Heuristic(feature, maximise))
            searcher = AlphaBetaSearcher(game, role, evaluator, kind=kind("tictactoe"))
            assert searcher.search(at, Limit.of(depth=1), Random(1)).move == wanted


@pytest.mark.parametrize("maximise", [True, False])
def test_a_certain_loss_is_worse_than_anything_a_heuristic_fears(maximise: bool) -> None:
    game = compiled("tictactoe")
    state = game.initial_state().next({"x": "(mark 1 1)"}).next({"o": "(mark 3 3)"}).next({"x": "(mark 1 2)"})
    for feature in features("tictactoe"):
        evaluator = HeuristicEvaluator(game, "o", kind("tictactoe"), Heuristic(feature, maximise))
        searcher = AlphaBetaSearcher(game, "o", evaluator, kind=kind("tictactoe"))
        assert searcher.search(state, Limit.of(depth=2), Random(1)).move == "(mark 1 3)"


@pytest.mark.parametrize(
    ("name", "role", "best"),
    [
        ("nothello", "black", {"minimise own markers on cell", "maximise markers white on cell"}),
        ("hallway", "white", {"maximise x of own piece on cell", "maximise x of piece black on cell"}),
        ("hallway", "black", {"minimise x of own piece on cell", "minimise x of piece white on cell"}),
        ("treasurehunt", "red", {"maximise own score"}),
    ],
)
def test_random_games_show_which_heuristics_are_worth_trying(name: str, role: str, best: set[str]) -> None:
    heuristics = heuristics_of(features(name))
    found = correlations(compiled(name), role, kind(name), heuristics, Deadline.never(), Random(1))
    words = {heuristic.words(role): correlation for heuristic, correlation in zip(heuristics, found, strict=True)}
    assert max(words, key=words.__getitem__) in best
    for high, low in zip(found[::2], found[1::2], strict=True):
        assert high == pytest.approx(-low)


def test_without_time_random_games_show_nothing() -> None:
    heuristics = heuristics_of(features("hallway"))
    game = compiled("hallway")
    assert not any(correlations(game, "white", kind("hallway"), heuristics, Deadline(0), Random(1)))
    assert not any(correlations(load("hallway"), "white", kind("hallway"), heuristics, Deadline.never(), Random(1)))


@pytest.mark.parametrize("name", ["hallway", "minichess"])
def test_states_that_differ_in_the_step_counter_alone_are_one_to_the_search(name: str) -> None:
    """As the paper wants it; what the search finds stays the same."""
    game, role = compiled(name), compiled(name).roles[0]
    evaluator = HeuristicEvaluator(game, role, kind(name), Heuristic(features(name)[0], True))
    assert isinstance(game.engine, SlicedEngine)
    assert not evaluator.ignores([game.engine.circuit.fluents.index(features(name)[0].facts[0])])
    found = []
    for counters in (True, False):
        searcher = AlphaBetaSearcher(
            game, role, evaluator, AlphaBetaOptions(counters=counters, reductions=False), kind(name)
        )
        own = [state for state in states(game, 20, 6) if len(state.legal_moves(role)) > 1]
        found.append([searcher.search(state, Limit.of(depth=3), Random(1)).values[role] for state in own])
        assert (searcher._counter is not None) == counters
    assert found[0] == found[1]


def test_words() -> None:
    assert {"maximise own markers on cell", "minimise markers white on cell"} <= by_words("nothello", "black").keys()
    assert {"maximise x of own piece on cell", "minimise distance of own piece and black on cell"} <= by_words(
        "hallway", "white"
    ).keys()
    assert {"maximise own money", "minimise own store wheat", "maximise (price wheat)"} <= by_words(
        "farmers", "bob"
    ).keys()


def test_explanation() -> None:
    game = compiled("nothello")
    evaluator = HeuristicEvaluator(
        game, "white", kind("nothello"), by_words("nothello", "white")["minimise own markers on cell"]
    )
    assert evaluator.explain(game.initial_state()) == "minimise own markers on cell: 2 of 0 to 64, worth 95.9 to white"


def test_other_things_are_refused() -> None:
    evaluator = HeuristicEvaluator(
        compiled("tictactoe"), "x", kind("tictactoe"), Heuristic(features("tictactoe")[0], True)
    )
    with pytest.raises(ValueError, match="rows of 1 words"):
        evaluator.evaluate(np.zeros((3, 2), np.uint64))
