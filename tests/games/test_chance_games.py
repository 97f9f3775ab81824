"""The bundled games with random variables, next to models of their rules, to OpenSpiel and to theory."""

from __future__ import annotations

import re
from collections import Counter
from copy import deepcopy
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pyspiel
import pytest

from ludens import Game, games
from ludens.core import Move
from ludens.game import State
from ludens.search.solve import solve
from tests.analysis.analysed import game_of
from tests.games.chance_models import BAR, MODELS, OFF, Backgammon, ChanceModel, Weights, high_card_value
from tests.tiers import first


def drawn_chances(state: State) -> dict[frozenset[tuple[str, str]], Fraction]:
    """The outcomes that chance may draw, each of its moves with the same chances."""
    draws = state.legal_moves("random")
    counts = Counter(frozenset(outcomes(draw)) for draw in draws)
    return {drawn: Fraction(count, len(draws)) for drawn, count in counts.items()}


def outcomes(draw: Move) -> list[tuple[str, str]]:
    """Variables and values in a move of chance: `(die 6)`, `(top gift 2)`, `(draw (die1 6) (die2 1))`, `nothing`."""
    pairs = draw.args if draw.name == "draw" else [draw.term] if draw.args else []
    return [(str(pair[0]), str(pair[1])) for pair in pairs]


def expected_chances(weights: Weights) -> dict[frozenset[tuple[str, str]], Fraction]:
    """Variables are independent, and an outcome of weight v has a chance of v in the sum of all weights."""
    found = {frozenset[tuple[str, str]](): Fraction(1)}
    for name, values in weights.items():
        found = {
            before | {(name, value)}: chance * Fraction(weight, sum(values.values()))
            for (before, chance), (value, weight) in product(found.items(), values.items())
            if weight
        }
    return found


@pytest.mark.parametrize(
    ("name", "plays"), first(2, [("diagnosis", 20), ("highcard", 20), ("landlord", 8), ("backgammon", 2)])
)
def test_play_agrees_with_a_model_in_python(name: str, plays: int) -> None:
    """Facts, legal moves, chances, goals and the end are the same in every state of random games."""
    game = game_of(name)
    rng = Random(name)
    for _ in range(plays):
        state, model = game.initial_state(), MODELS[name]()
        assert game.player_roles == tuple(model.roles)
        while not model.over():
            assert not state.is_terminal
            assert state.facts == model.facts()
            assert {role: set(state.legal_moves(role)) for role in game.player_roles} == {
                role: model.legal(role) for role in model.roles
            }
            assert drawn_chances(state) == expected_chances(model.weights())
            assert {role: state.goals[role] for role in game.player_roles} == model.goals()
            joint = {role: rng.choice(state.legal_moves(role)) for role in game.roles}
            told = game.announced(joint)
            assert state.next(told) == state.next(joint)
            state = state.next(told)
            model.play({str(role): str(move) for role, move in told.items()})
        assert state.is_terminal
        assert state.facts == model.facts()
        assert {role: state.goals[role] for role in game.player_roles} == model.goals()


def ways(model: ChanceModel, depth: int) -> int:
    """How many ways there are to make so many joint moves, where an outcome of weight v counts v times."""
    if depth == 0 or model.over():
        return int(depth == 0)
    total = 0
    draws = [[(name, *pair) for pair in values.items() if pair[1]] for name, values in model.weights().items()]
    for moves in product(*(sorted(model.legal(role)) for role in model.roles)):
        for drawn in product(*draws):
            told, weight = " ".join(moves), 1
            for name, value, share in drawn:
                told, weight = re.sub(rf"\b{name}\b", value, told), weight * share
            after = deepcopy(model)
            after.play(dict(zip(model.roles, re.findall(r"\(.*?\)|\w+", told), strict=True)))
            total += weight * ways(after, depth - 1)
    return total


@pytest.mark.parametrize("name", ["backgammon", "highcard", "landlord"])
def test_known_counts_are_those_of_the_model(name: str) -> None:
    known = games.info(name).facts.perft[:3]
    assert known == tuple(ways(MODELS[name](), depth) for depth in (1, 2, 3))


# -- diagnosis and high card: solved -------------------------------------------------------------------------------


def test_the_conclusion_of_the_diagnosis_has_the_probability_of_the_paper() -> None:
    """0.1 + 0.9 * 0.75, whichever of the two rules is applied first; no other pair of rules is as good."""
    game = game_of("diagnosis")
    start = game.initial_state()
    assert solve(start).values == {"doctor": pytest.approx(77.5)}
    chances = {"rule1": 0.1, "rule2": 0.75, "rule3": 0.05}
    for one, other in product(chances, repeat=2):
        if one == other:
            continue
        applied = start.next([f"(choose {one})"])
        silent = applied.next(["(apply silent)"]).next([f"(choose {other})"])
        assert applied.next(["(apply confirmed)"]).goals[game.player_roles[0]] == 100
        assert solve(silent).values == {"doctor": pytest.approx(100 * chances[other])}


def test_high_card_is_worth_what_a_search_in_python_finds() -> None:
    value = high_card_value(frozenset(), frozenset(), None)
    assert solve(game_of("highcard").initial_state()).values == {
        "red": pytest.approx(value),
        "blue": pytest.approx(100 - value),
    }


def test_high_card_never_draws_a_card_twice() -> None:
    game = game_of("highcard")
    rng = Random(7)
    for _ in range(200):
        state, cards = game.initial_state(), list[str]()
        while not state.is_terminal:
            joint = {role: rng.choice(state.legal_moves(role)) for role in game.roles}
            cards += [str(move.args[0]) for move in game.announced(joint).values() if move.name == "draw"]
            state = state.next(joint)
        assert len(cards) == len(set(cards)) == 6


# -- backgammon --------------------------------------------------------------------------------------------------------


CRITICAL = {10: 29.6, 35: 66.6}
"""By degrees of freedom what chi-square exceeds with a probability of 0.001."""


def chi_square(counts: Counter[Any], chances: dict[Any, float]) -> float:
    total = counts.total()
    return sum((counts[value] - total * chance) ** 2 / (total * chance) for value, chance in chances.items())


def test_dice_of_backgammon_are_fair_and_independent() -> None:
    """The referee of a match draws among the moves of chance; sums are from 2 to 12, with 7 the likeliest."""
    state = game_of("backgammon").initial_state()
    game, rng = state.game, Random(2)
    pairs = Counter[tuple[int, int]]()
    for _ in range(7200):
        told = game.announced(
            {**{role: state.legal_moves(role)[0] for role in game.player_roles}, "random": draw(state, rng)}
        )
        white, black = (int(str(move.args[0])) for move in told.values())
        pairs[white, black] += 1
    assert chi_square(pairs, dict.fromkeys(product(range(1, 7), repeat=2), 1 / 36)) < CRITICAL[35]
    sums = Counter[int]()
    for pair, count in pairs.items():
        sums[sum(pair)] += count
    assert chi_square(sums, {n: (6 - abs(7 - n)) / 36 for n in range(2, 13)}) < CRITICAL[10]


def random_position(rng: Random) -> Backgammon:
    """Few or many checkers anywhere, often all at home, and a throw; more varied than what random games come to."""
    position = Backgammon()
    position.mover = rng.choice(position.roles)
    taken: set[int] = set()
    for role in position.roles:
        farthest, count = rng.choice([3, 6, 6, 12, 24]), rng.randint(1, 15)
        points = [point for point in range(1, farthest + 1) if point not in taken] or [BAR]
        pairs = rng.choices([*points, *([BAR] if rng.random() < 0.2 else [])], k=count) * 2
        places = Counter(pairs[:count] if rng.random() < 0.5 else sorted(pairs)[:count])
        position.men[role] = tuple(15 - count if point == OFF else places[point] for point in range(26))
        taken = {25 - point for point in places}
    one, two = rng.randint(1, 6), rng.randint(1, 6)
    position.dice = (one,) * rng.randint(1, 4) if one == two else (one, two)
    return position


@pytest.mark.full
def test_backgammon_allows_what_can_be_played_in_any_position() -> None:
    """Both numbers, the greater one, bearing off before men that are held back: next to trying everything."""
    game, rng = game_of("backgammon"), Random(7)
    kinds = Counter[int]()
    for _ in range(2000):
        position = random_position(rng)
        state = game.state(position.facts())
        legal = position.legal(str(position.mover))
        assert set(state.legal_moves(str(position.mover))) == legal, position.facts()
        kinds[len(legal)] += 1
    assert min(kinds[size] for size in range(1, 8)) >= 20


def test_backgammon_begins_with_the_greater_throw() -> None:
    start = game_of("backgammon").initial_state()
    for white, black in product(range(1, 7), repeat=2):
        model = Backgammon()
        model.play({"white": f"(throw {white})", "black": f"(throw {black})"})
        assert start.next([f"(throw {white})", f"(throw {black})"]).facts == model.facts()


def test_backgammon_counts_gammons_and_backgammons_and_ends_after_200_turns() -> None:
    game, rng = game_of("backgammon"), Random(6)
    values = Counter[int | None]()
    for _ in range(300):
        position = random_position(rng)
        assert not game.state(position.facts()).is_terminal
        position.turn = 200
        drawn = game.state(position.facts())
        assert drawn.is_terminal
        assert {role: drawn.goals[role] for role in game.player_roles} == {"white": 50, "black": 50}
        off, first, *others = position.men[position.other]
        position.men[position.other] = (0, first + off, *others) if rng.random() < 0.7 else (off, first, *others)
        position.men[str(position.mover)] = (15, *[0] * 25)
        won = game.state(position.facts())
        assert won.is_terminal
        assert {role: won.goals[role] for role in game.player_roles} == position.goals()
        values[won.goals[game.player_roles[0]]] += 1
    assert set(values) == {0, 17, 33, 67, 83, 100}


def draw(state: State, rng: Random) -> Move:
    return rng.choice(state.legal_moves("random"))


class SpielBackgammon:
    """OpenSpiel's backgammon: two moves of checkers are one action, and a double gives a second one."""

    def __init__(self) -> None:
        self.state: Any = pyspiel.load_game("backgammon(scoring_type=full_scoring)").new_initial_state()

    def roll(self, dice: tuple[int, int], starter: str = "") -> None:
        """Say what was thrown; in the first turn also who begins."""
        sign = {"white": "X starts", "black": "O starts", "": ""}[starter]
        for action, _ in self.state.chance_outcomes():
            text = self.state.action_to_string(action)
            rolled = re.search(r"roll: (\d)(\d)", text)
            if rolled and sorted(map(int, rolled.groups())) == sorted(dice) and sign in text:
                self.state.apply_action(action)
                return
        raise AssertionError(f"OpenSpiel cannot roll {dice}")

    def plays(self) -> dict[tuple[str, ...], int]:
        """What can be played with two numbers, in the words of our sheet; nothing stands for a pass."""
        player = self.state.current_player()
        found = {}
        for action in self.state.legal_actions():
            checkers = self.state.spiel_move_to_checker_moves(player, action)
            found[tuple(word for checker in checkers if (word := self.word(player, checker)))] = action
        return found

    @staticmethod
    def word(player: int, checker: Any) -> str | None:
        if checker.pos < 0:
            return None
        point = "bar" if checker.pos == 100 else checker.pos + 1 if player else 24 - checker.pos
        return f"(move {point} {checker.num})"


def plays_of_two(state: State, role: str) -> dict[tuple[str, ...], State]:
    """All ways to play up to two numbers of this turn by our sheet, with what they lead to."""
    layer: dict[tuple[str, ...], State] = {(): state}
    for _ in range(2):
        following: dict[tuple[str, ...], State] = {}
        for played, at in layer.items():
            moves = [move for move in at.legal_moves(role) if move.name == "move"]
            following |= {(*played, str(move)): at.next({role: move}) for move in moves} or {played: at}
        layer = following
    return layer


def thrown(state: State) -> list[int]:
    """The numbers still to be played."""
    facts = [fact for fact in state.facts if fact.name == "dice"]
    return [int(str(fact.args[0])) for fact in facts for _ in range(int(str(fact.args[1])))]


def opened(game: Game, rng: Random) -> tuple[State, SpielBackgammon]:
    """The start of a game, here and in OpenSpiel, when it is known who begins."""
    state, spiel = game.initial_state(), SpielBackgammon()
    while "opening" in state.facts:
        state = state.next(
            {**{role: state.legal_moves(role)[0] for role in game.player_roles}, "random": draw(state, rng)}
        )
    one, two = thrown(state)
    spiel.roll((one, two), next(role for role in game.player_roles if f"(control {role})" in state.facts))
    return state, spiel


@pytest.mark.parametrize("seed", range(3))
def test_backgammon_allows_what_openspiel_allows(seed: int) -> None:
    """Whole games: for every roll the same plays, in any order of the numbers, and the same points at the end."""
    game, rng = game_of("backgammon"), Random(seed)
    state, spiel = opened(game, rng)
    while not state.is_terminal and not spiel.state.is_terminal():
        if spiel.state.is_chance_node():
            mover = next(role for role in game.player_roles if f"(control {role})" in state.facts)
            state = state.next({mover: "(roll die1 die2)", "random": draw(state, rng)})
            numbers = thrown(state)
            spiel.roll((numbers[0], numbers[-1]))
            continue
        mover = game.player_roles[spiel.state.current_player()]
        plays, theirs = plays_of_two(state, mover), spiel.plays()
        assert set(plays) == set(theirs)
        chosen = rng.choice(sorted(plays))
        state = plays[chosen]
        spiel.state.apply_action(theirs[chosen])
        if state.legal_moves(mover) == ("pass",) and spiel.state.is_chance_node():
            state = state.next({mover: "pass"})
    assert state.is_terminal
    assert spiel.state.is_terminal()
    points = spiel.state.returns()
    assert [state.goals[role] for role in game.player_roles] == [round(50 + 50 * value / 3) for value in points]
