"""Random games in the lanes of the sliced engine: each follows the rules, and all together the right frequencies."""

from __future__ import annotations

from functools import cache
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.core import Playouts, Tallies
from ludens.engines.reference import ReferenceEngine
from ludens.engines.sliced import SlicedEngine
from ludens.engines.sliced.playout_kernel import Tally
from ludens.game import find_rules
from ludens.gdl.rules import Rules
from tests.child import run_child
from tests.engines.sheets import FORESEEN, foreseen
from tests.engines.sliced.random_play import RandomPlay, deviation, random_states, run_kernel
from tests.tiers import every_game, examples

SIGMAS = 4.5


@cache
def engine_of(name: str) -> SlicedEngine:
    return SlicedEngine.compile(find_rules(name)[0] if name else Rules.parse(FORESEEN))


@cache
def exact(name: str) -> RandomPlay:
    return RandomPlay(find_rules(name)[0])


def assert_same(one: Playouts | Tallies, other: Playouts | Tallies) -> None:
    for name in type(one).__slots__:
        np.testing.assert_equal(getattr(one, name), getattr(other, name))


# -- frequencies -----------------------------------------------------------------------------------


def test_tictactoe_frequencies() -> None:
    engine = engine_of("tictactoe")
    games = 2_000_000
    tally = engine.tally(engine.initial(1), games, Random(7))
    assert tally.ended.tolist() == [games]
    known = {100: 0.5849206, 0: 0.2880952, 50: 0.1269841}
    for value, count in tally.histogram("x").items():
        assert deviation(count, games, known[value]) < SIGMAS, value


@pytest.mark.parametrize("name", ["tictactoe", "nim", "rockpaperscissors", "prisonersdilemma", "stepcounter"])
def test_ends_are_as_frequent_as_enumeration_says(name: str) -> None:
    engine = engine_of(name)
    ends = exact(name).ends(engine.decode(engine.initial(1))[0])
    assert abs(sum(ends.values()) - 1) < 1e-9
    games = 30_000
    played = engine.playouts(engine.initial(games), Random(3))
    counts: dict[tuple[tuple[int, ...], int], int] = {}
    for goals, length in zip(played.goals.tolist(), played.lengths.tolist(), strict=True):
        counts[tuple(goals), length] = counts.get((tuple(goals), length), 0) + 1
    assert counts.keys() <= ends.keys()
    squares = [deviation(counts.get(end, 0), games, chance) ** 2 for end, chance in ends.items() if games * chance > 9]
    assert sum(squares) < len(squares) + SIGMAS * (2 * len(squares)) ** 0.5 + SIGMAS


def test_each_start_has_its_own_frequencies() -> None:
    engine, random_play = engine_of("tictactoe"), exact("tictactoe")
    starts = random_states(engine, 300, 7, Random(11))
    games = 500
    tally = engine.tally(starts, games, Random(12))
    squares = []
    for row, facts in enumerate(engine.decode(starts)):
        ends = random_play.ends(facts)
        for role in range(2):
            for value, count in tally.histogram(engine.roles[role], row).items():
                chance = sum(part for (goals, _), part in ends.items() if goals[role] == value)
                squares.append(deviation(count, games, chance) ** 2)
        mean = sum(part * steps for (_, steps), part in ends.items())
        variance = sum(part * (steps - mean) ** 2 for (_, steps), part in ends.items())
        assert abs(tally.steps[row] - games * mean) <= SIGMAS * (games * variance) ** 0.5 + 1e-6
    assert sum(squares) < len(squares) * 1.2


@pytest.mark.parametrize(
    "name",
    every_game(
        of=(
            "connectfour", "dicerace", "dotsandboxes", "hallway", "pegsolitaire", "threeway", "treasurehunt", "tron",
            "wirepuller",
        )
    ),
)  # fmt: skip
def test_means_are_those_of_the_reference_engine(name: str) -> None:
    engine = engine_of(name)
    reference = ReferenceEngine(find_rules(name)[0])
    few = reference.playouts(reference.initial(50), Random(5), 60)
    many = engine.playouts(engine.initial(5000), Random(5), 60)
    for one, other in ((few.lengths[:, None], many.lengths[:, None]), (few.goals, many.goals)):
        error = (one.var(axis=0) / len(one) + other.var(axis=0) / len(other)) ** 0.5
        assert (np.abs(one.mean(axis=0) - other.mean(axis=0)) <= SIGMAS * error + 1e-9).all()
    share = many.finished.mean()
    assert deviation(int(few.finished.sum()), 50, float(share)) < SIGMAS or share in (0, 1)


# -- single games ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "steps"), [("tictactoe", 9), ("biddingtictactoe", 8), ("dicerace", 8), ("threeway", 8)]
)
def test_each_game_follows_the_rules(name: str, steps: int) -> None:
    """With the same seed and one step more at a time, the states of all lanes show the games move by move."""
    engine, random_play = engine_of(name), exact(name)
    lanes, seed = 64, 5
    going = dict.fromkeys(range(lanes), engine.decode(engine.initial(1))[0])
    for step in range(steps + 1):
        tally, states = run_kernel(engine, 8, engine.initial(lanes), [1] * lanes, seed, step)
        reached = engine.decode(states)
        goals = engine.circuit.single_goals(tally.goals > 0).tolist()
        for lane, before in list(going.items()):
            assert tally.steps[lane] == step
            if step == 0:
                assert reached[lane] == before
                continue
            ends = {facts: random_play.end(facts) for facts in random_play.successors(before)}
            if tally.cut[lane]:
                assert ends[reached[lane]] is None
                going[lane] = reached[lane]
            else:
                assert tuple(goals[lane]) in ends.values()
                del going[lane]
    assert not going or name != "tictactoe"


@pytest.mark.parametrize("games", [1, 64, 65, 512, 1000])
def test_limit_cuts_games_that_are_otherwise_the_same(games: int) -> None:
    engine = engine_of("tictactoe")
    whole = engine.playouts(engine.initial(games), Random(9))
    assert whole.finished.all()
    for limit in range(11):
        cut = engine.playouts(engine.initial(games), Random(9), limit)
        ended = whole.lengths <= limit
        np.testing.assert_array_equal(cut.finished, ended)
        np.testing.assert_array_equal(cut.lengths, np.minimum(whole.lengths, limit))
        np.testing.assert_array_equal(cut.goals[ended], whole.goals[ended])
        assert (cut.goals[~ended] == -1).all()


# -- many starts -----------------------------------------------------------------------------------


@examples(25)
@given(st.integers(1, 3000), st.integers(0, 2**32), st.sampled_from([1, 2, 3, 5, 100]))
def test_every_game_is_counted_for_its_start(count: int, seed: int, max_steps: int) -> None:
    engine = engine_of("")
    rng = Random(seed)
    plan = [(rng.randrange(6), rng.randrange(24)) for _ in range(count)]
    starts = engine.encode([foreseen(left, prize) for left, prize in plan])
    lengths = np.array([min(left, max_steps) for left, _ in plan])
    ended = np.array([left <= max_steps for left, _ in plan])
    prizes = np.array([prize for _, prize in plan])

    games = engine.playouts(starts, rng, max_steps)
    np.testing.assert_array_equal(games.lengths, lengths)
    np.testing.assert_array_equal(games.finished, ended)
    np.testing.assert_array_equal(games.goals, np.where(ended, prizes, -1)[:, np.newaxis].repeat(2, axis=1))

    each = rng.choice([1, 2, 7, 40])
    sums = engine.tally(starts, each, rng, max_steps)
    tally = Tally(sums.ended, sums.cut, sums.steps, np.concatenate(sums.counts, axis=1))
    check_counts(tally, plan, [each] * count, max_steps)


@examples(25)
@given(st.sampled_from([8, 16]), st.integers(1, 200), st.integers(0, 2**32), st.sampled_from([0, 1, 4, 100]))
def test_starts_may_have_different_numbers_of_games(width: int, count: int, seed: int, max_steps: int) -> None:
    engine = engine_of("")
    rng = Random(seed)
    plan = [(rng.randrange(6), rng.randrange(24)) for _ in range(count)]
    games = [rng.choice([0, 1, 3, 50]) for _ in plan]
    games[rng.randrange(count)] = 2
    starts = engine.encode([foreseen(left, prize) for left, prize in plan])
    tally, _ = run_kernel(engine, width, starts, games, seed, max_steps)
    check_counts(tally, plan, games, max_steps)


def check_counts(tally: Tally, plan: list[tuple[int, int]], games: list[int], max_steps: int) -> None:
    """Compare with what is certain about starts of so many steps and such a prize."""
    engine = engine_of("")
    values = engine.circuit.goal_values
    left, prizes = np.array(plan).T
    ended = np.where(left <= max_steps, games, 0)
    np.testing.assert_array_equal(tally.ended, ended)
    np.testing.assert_array_equal(tally.cut, games - ended)
    np.testing.assert_array_equal(tally.steps, games * np.minimum(left, max_steps))
    np.testing.assert_array_equal(tally.goals, (values == prizes[:, np.newaxis]) * ended[:, np.newaxis])


# -- the same again --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tictactoe", "dicerace"])
def test_seed_decides_and_threads_do_not(name: str) -> None:
    rules, _ = find_rules(name)
    alone, together = (SlicedEngine.compile(rules, threads=threads) for threads in (1, 2))
    starts = random_states(alone, 50, 4, Random(1))
    many = np.repeat(starts, 1400, axis=0)
    for one, other in ((alone, together), (alone, alone)):
        assert_same(one.playouts(many, Random(3)), other.playouts(many, Random(3)))
        assert_same(one.tally(starts, 1400, Random(4)), other.tally(starts, 1400, Random(4)))
        assert_same(one.tally(starts[:1], 70_001, Random(5)), other.tally(starts[:1], 70_001, Random(5)))
    assert (alone.playouts(many, Random(3)).goals != alone.playouts(many, Random(4)).goals).any()


def plain_games() -> list[object]:
    """A few games, in plain numbers."""
    results: list[object] = []
    for name, width in (("nim", 8), ("nim", 16), ("rockpaperscissors", 8)):
        engine = engine_of(name)
        starts = random_states(engine, 5, 2, Random(2))
        tally, _ = run_kernel(engine, width, starts, [1, 0, 900, 7, 300], 6, 6)
        results.append([part.tolist() for part in tally])
    games = engine_of("nim").playouts(engine_of("nim").initial(70), Random(8))
    return [*results, games.goals.tolist(), games.lengths.tolist()]


# -- nothing to do ---------------------------------------------------------------------------------


def test_games_that_are_over_have_no_length() -> None:
    engine = engine_of("")
    starts = engine.encode([foreseen(0, prize) for prize in range(24)])
    games = engine.playouts(starts, Random(1))
    assert not games.lengths.any()
    assert games.finished.all()
    assert games.goals[:, 0].tolist() == list(range(24))


NOTHING = """
from random import Random
from tests.engines.sliced.test_playouts import engine_of
engine = engine_of("tictactoe")
print(engine.playouts(engine.initial(0), Random(1)).goals.shape)
print(engine.tally(engine.initial(0), 5, Random(1)).ended.shape)
print(engine.tally(engine.initial(3), 0, Random(1)).ended.tolist())
"""


@pytest.mark.full
def test_no_games_are_played_at_once() -> None:
    """In a process of its own, which can be stopped if it waits for the end of games that never began."""
    assert run_child(NOTHING).splitlines() == ["(0, 2)", "(0,)", "[0, 0, 0]"]


def test_tally_sums_up() -> None:
    engine = engine_of("tictactoe")
    tally = engine.tally(engine.initial(2), 1000, Random(1), max_steps=7)
    assert (tally.ended + tally.cut).tolist() == [1000, 1000]
    for role, name in enumerate(engine.roles):
        for start in range(2):
            histogram = tally.histogram(name, start)
            assert sum(histogram.values()) == tally.ended[start]
            mean = sum(value * count for value, count in histogram.items()) / tally.ended[start]
            assert tally.means()[start, role] == pytest.approx(mean)
    assert np.isnan(engine.tally(engine.initial(1), 10, Random(1), max_steps=0).means()).all()
