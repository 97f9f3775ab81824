"""The games of the papers and their relatives are what they claim to be: beside models in Python, and by counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from itertools import islice, product
from random import Random

import pytest

from ludens import games
from ludens.analysis.perft import joint_moves, perft
from ludens.game import State
from tests.analysis.analysed import game_of
from tests.games.models import Joint, Model
from tests.games.papers_models import MODELS, ChineseCheckers, Farmers, PrisonersDilemma, words
from tests.tiers import first

Policy = Callable[[Model, str, list[str]], str]
"""Chooses one of the legal moves for a role."""


def start(name: str) -> State:
    return game_of(name).initial_state()


def compare(state: State, model: Model) -> None:
    """What a state of the sheet and a model must have in common."""
    assert state.is_terminal == model.over()
    assert state.goals == model.goals()
    if not model.over():
        assert {str(role): set(map(str, state.legal_moves(role))) for role in state.game.roles} == {
            role: model.legal(role) for role in model.roles
        }


def play_beside_model(name: str, policy: Policy) -> tuple[Model, list[Joint]]:
    """One game on the sheet and in the model at once."""
    state, model, history = start(name), MODELS[name](), list[Joint]()
    compare(state, model)
    while not model.over():
        joint = {role: policy(model, role, sorted(model.legal(role))) for role in model.roles}
        state = state.next(joint)
        model.play(joint)
        history.append(joint)
        compare(state, model)
    return model, history


def all_models(name: str, depth: int) -> list[dict[State, Model]]:
    """All states of the first layers with their models; whatever way leads to a state, its model must agree."""
    layers: list[dict[State, Model]] = [{start(name): MODELS[name]()}]
    for _ in range(depth):
        following: dict[State, Model] = {}
        for state, model in layers[-1].items():
            for joint in joint_moves(state):
                after = state.next(joint)
                other = deepcopy(model)
                other.play({str(role): str(move) for role, move in zip(state.game.roles, joint, strict=True)})
                compare(after, other)
                following[after] = other
        layers.append(following)
    return layers


def model_perft(model: Model, depth: int) -> int:
    """How many sequences of joint moves a model allows."""
    if depth == 0:
        return 1
    if model.over():
        return 0
    count = 0
    for moves in product(*(sorted(model.legal(role)) for role in model.roles)):
        after = deepcopy(model)
        after.play(dict(zip(model.roles, moves, strict=True)))
        count += model_perft(after, depth - 1)
    return count


@pytest.mark.parametrize("name", MODELS)
def test_random_play_agrees_with_the_model(name: str) -> None:
    rng = Random(name)
    for _ in range(3 if name.startswith("chinese") else 12):
        play_beside_model(name, lambda model, role, legal: rng.choice(legal))


@pytest.mark.parametrize(
    ("name", "depth"),
    first(
        3,
        [
            ("simultaneousconnectfour", 2),
            ("fourcorners", 1),
            ("farmers", 1),
            ("biddingtictactoe", 3),
            ("chinesecheckers3", 3),
            ("chinesecheckers6", 3),
            ("racetrackcorridor", 2),
            ("tron", 4),
        ],
    ),
)
def test_counts_agree_with_the_model(name: str, depth: int) -> None:
    levels = islice(perft(start(name)), depth)
    assert [level.nodes for level in levels] == [model_perft(MODELS[name](), n) for n in range(1, depth + 1)]


def test_step_counter_every_play() -> None:
    layers = all_models("stepcounter", 3)
    assert [len(layer) for layer in layers] == [1, 2, 2, 2]
    assert all(state.is_terminal for state in layers[3])


def test_blocks_world_is_complete_and_needs_three_moves() -> None:
    """There are 13 ways to pile three blocks: 6 towers of three, 6 of two beside one, and all apart."""
    layers = all_models("blocksworld", 6)
    piles = {frozenset(fact for fact in state.facts if fact.name != "step") for layer in layers for state in layer}
    assert len(piles) == 13
    solved = [any(set(state.goals.values()) == {100} for state in layer) for layer in layers]
    assert solved.index(True) == games.info("blocksworld").facts.shortest == 3


def test_prisoners_dilemma_every_play() -> None:
    """All 1,024 plays: as many of each result as the payoffs of the matrix say."""
    totals = Counter[int]()
    for history in product(PrisonersDilemma.points.values(), repeat=5):
        totals[4 * sum(points for points, _ in history)] += 1
    game = game_of("prisonersdilemma")
    plays = Counter({game.initial_state(): 1})
    for _ in range(5):
        following = Counter[State]()
        for state, ways in plays.items():
            for joint in joint_moves(state):
                following[state.next(joint)] += ways
        plays = following
    for role in game.roles:
        results = Counter[int | None]()
        for state, ways in plays.items():
            results[state.goals[role]] += ways
        assert results == totals
    assert len(totals) == 24
    assert {min(totals), max(totals)} == {0, 100}


def test_racetrack_corridor_starts_with_ten_moves_each() -> None:
    """The paper on Cluneplayer counts a hundred joint moves at the start."""
    state = start("racetrackcorridor")
    assert [len(state.legal_moves(role)) for role in state.game.roles] == [10, 10]


def test_racetrack_corridor_race_without_walls_is_won_by_both() -> None:
    state = start("racetrackcorridor")
    for _ in range(4):
        assert not state.is_terminal
        state = state.next(["(move forward)", "(move forward)"])
    assert state.is_terminal
    assert state.goals == {"white": 100, "black": 100}


def test_farmers_who_are_busy_do_everything() -> None:
    """Random play hardly ever gets as far as making cloth or flour; who would rather work than buy does."""
    rng = Random(3)

    def busy(model: Model, role: str, legal: list[str]) -> str:
        work = [move for move in legal if words(move)[0] in ("build", "grow", "make")]
        return rng.choice(work if work and rng.random() < 0.7 else legal)

    kinds = Counter[str]()
    for _ in range(10):
        _, history = play_beside_model("farmers", busy)
        kinds.update(words(move)[0] for joint in history for move in joint.values())
    assert set(kinds) == {"buy", "sell", "build", "grow", "make", "noop"}


def test_farmers_never_have_more_money_than_the_sheet_can_count() -> None:
    """Even if every price moved by one in each step, always in favour of the same farmer."""
    model = Farmers()
    prices = list(model.prices.values())

    @cache
    def most(step: int, money: int, owned: frozenset[str], store: tuple[int, ...]) -> int:
        if step == 10:
            return money

        def with_store(changes: dict[int, int]) -> tuple[int, ...]:
            return tuple(changes.get(good, loads) for good, loads in enumerate(store))

        best = most(step + 1, money, owned, store)
        for building, cost in model.costs.items():
            if cost <= money and building not in owned:
                best = max(best, most(step + 1, money - cost, owned | {building}, store))
        for good, loads in enumerate(store):
            low, high = max(1, prices[good] - step), min(10, prices[good] + step)
            best = max(best, most(step + 1, money + loads * high, owned, with_store({good: 0})))
            if loads < 3 and low <= money:
                best = max(best, most(step + 1, money - low, owned, with_store({good: loads + 1})))
        for crop in (0, 1):
            if "farm" in owned and store[crop] < 3:
                best = max(best, most(step + 1, money, owned, with_store({crop: store[crop] + 1})))
            if "factory" in owned and store[crop + 2] == 0:
                best = max(best, most(step + 1, money, owned, with_store({crop: 0, crop + 2: store[crop]})))
        return best

    richest = most(0, 10, frozenset(), (0, 0, 0, 0))
    amounts = {int(str(fact.args[1])) for fact in game_of("farmers").base_facts() or () if fact.name == "money"}
    assert max(amounts) >= richest


@pytest.mark.parametrize("players", [3, 6])
def test_chinese_checkers_can_be_won(players: int) -> None:
    """Who always makes the longest way home gets there, while the others are in the way at random."""
    rng = Random(players)

    def racing(model: Model, role: str, legal: list[str]) -> str:
        assert isinstance(model, ChineseCheckers)
        if legal == ["noop"] or role != "red" or rng.random() < 0.1:
            return rng.choice(legal)
        ways = model.ways()
        return max(legal, key=lambda move: (ways[move][1][2] - ways[move][0][2], rng.random()))

    plays = [play_beside_model(f"chinesecheckers{players}", racing) for _ in range(4)]
    assert any(model.goals()["red"] == 100 for model, _ in plays)
    assert any(len(history) < 30 * players for _, history in plays)


@pytest.mark.full
def test_bidding_nothing_is_tic_tac_toe() -> None:
    """When nobody bids, the token and with it the right to mark goes to and fro: 255,168 games, 5,478 positions."""
    layer = Counter({start("biddingtictactoe"): 1})
    complete, positions = 0, 1
    while layer:
        following = Counter[State]()
        for state, ways in layer.items():
            auctioned = state.next(["(bid 0)", "(bid 0)"])
            for joint in joint_moves(auctioned):
                following[auctioned.next(joint)] += ways
        complete += sum(ways for state, ways in following.items() if state.is_terminal)
        positions += len(following)
        layer = Counter({state: ways for state, ways in following.items() if not state.is_terminal})
    assert (complete, positions) == (255_168, 5_478)


def test_simultaneous_lines_are_a_draw() -> None:
    state = start("simultaneousconnectfour")
    for _ in range(4):
        assert not state.is_terminal
        state = state.next(["(drop 1)", "(drop 7)"])
    assert state.is_terminal
    assert state.goals == {"red": 50, "yellow": 50}


def test_four_corners_everybody_wants_the_middle() -> None:
    """Two who head for the same square stay; who gets a coin alone leads."""
    state = start("fourcorners")
    state = state.next(["(move up)", "(move down)", "noop", "noop"])
    blocked = state.next(["(move up)", "(move down)", "noop", "noop"])
    assert {fact for fact in blocked.facts if fact.name == "cell"} == {
        fact for fact in state.facts if fact.name == "cell"
    }
    ahead = state.next(["(move right)", "noop", "noop", "noop"])
    assert ahead.goals == {"red": 100, "yellow": 0, "green": 0, "blue": 0}


@pytest.mark.full
def test_two_keys_every_state_and_the_shortest_way() -> None:
    layers = all_models("twokeys", 20)
    opened = [any(set(state.goals.values()) == {100} for state in layer) for layer in layers]
    assert opened.index(True) == 11
    ends = {value for layer in layers for state in layer if state.is_terminal for value in state.goals.values()}
    assert ends == {0, 25, 50, 100}


def test_tron_head_on_is_a_draw() -> None:
    state = start("tron")
    for _ in range(5):
        state = state.next(["(move right)", "(move down)"])
    assert state.is_terminal
    assert state.goals == {"red": 50, "blue": 50}
