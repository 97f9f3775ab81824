"""Symmetries: the search against all permutations of small graphs, what it finds against play of the game."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens import load
from ludens.analysis.boards import Board
from ludens.analysis.facts import GameFacts
from ludens.analysis.symmetry import Symmetry
from ludens.analysis.symmetry.automorphisms import find_automorphisms
from ludens.analysis.symmetry.effects import board_effect
from ludens.core import GroundTerm
from ludens.engines.reference import ReferenceEngine
from ludens.gdl.rules import Rules
from ludens.gdl.scramble import scramble
from ludens.runtime.deadline import Deadline
from tests.analysis.analysed import board_of, facts_of, facts_of_rules
from tests.tiers import every_game, first

SYMMETRIC_GAMES = (
    *("tictactoe", "breakthrough", "racetrackcorridor", "connectfour", "checkers", "eightpuzzle", "lightsout", "nim"),
    *("ninemensmorris", "twokeys", "fourcorners", "rockpaperscissors", "minichess", "treasurehunt", "tron", "threeway"),
)
VERTICES = 6
EDGES = st.sets(st.tuples(st.integers(0, VERTICES - 1), st.integers(0, VERTICES - 1)).filter(lambda e: e[0] < e[1]))
COLOURS = st.lists(st.sampled_from("ab"), min_size=VERTICES, max_size=VERTICES)


def generated(generators: list[tuple[int, ...]], size: int) -> set[tuple[int, ...]]:
    """The whole group."""
    group = {tuple(range(size))}
    todo = list(group)
    while todo:
        one = todo.pop()
        for generator in generators:
            product = tuple(generator[image] for image in one)
            if product not in group:
                group.add(product)
                todo.append(product)
    return group


@given(COLOURS, EDGES)
def test_generators_give_all_automorphisms(colours: list[str], edges: set[tuple[int, int]]) -> None:
    found = find_automorphisms(colours, sorted(edges), range(VERTICES), Deadline.never())
    everyone = {
        order
        for order in permutations(range(VERTICES))
        if all(colours[order[v]] == colours[v] for v in range(VERTICES))
        and {tuple(sorted((order[a], order[b]))) for a, b in edges} == edges
    }
    assert found.complete
    assert generated([tuple(generator.tolist()) for generator in found.generators], VERTICES) == everyone


def test_graphs_that_refinement_cannot_tell_apart() -> None:
    """Two triangles beside a ring of six: all vertices look alike at first."""
    edges = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), *((6 + i, 6 + (i + 1) % 6) for i in range(6))]
    found = find_automorphisms(["v"] * 12, edges, range(12), Deadline.never())
    assert found.complete
    assert len(generated([tuple(generator.tolist()) for generator in found.generators], 12)) == 72 * 12


def test_no_time() -> None:
    found = find_automorphisms(["v"] * 5, [], range(5), Deadline(0))
    assert not found.complete
    assert found.generators == ()


# -- symmetries of games ---------------------------------------------------------------------


def check_by_play(rules: Rules, symmetry: Symmetry, exact: bool, rng: Random, steps: int = 40) -> None:
    """Play a game and its image side by side: everything about them must correspond."""
    engine = ReferenceEngine(rules)
    (facts,) = engine.decode(engine.initial(1))
    both = engine.encode([facts, symmetry.state(facts)])
    assert not exact or facts == symmetry.state(facts)
    roles = range(len(engine.roles))
    for _ in range(steps):
        here, there = engine.decode(both)
        assert there == symmetry.state(here)
        over, (goals, images) = engine.terminal(both), engine.goals(both)
        assert over[0] == over[1]
        assert [images[symmetry.roles[role]] for role in roles] == list(goals)
        if over[0]:
            return
        legal, image_legal = engine.legal(both)
        for role in roles:
            expected = {symmetry.move(engine.move_term(move)) for move in legal[role]}
            assert {engine.move_term(move) for move in image_legal[symmetry.roles[role]]} == expected
        joint = [rng.choice(moves) for moves in legal]
        image = [0] * len(joint)
        for role in roles:
            image[symmetry.roles[role]] = engine.move_number(
                symmetry.roles[role], symmetry.move(engine.move_term(joint[role]))
            )
        both = engine.step(both, [joint, image])


def all_symmetries(facts: GameFacts) -> list[tuple[Symmetry, bool]]:
    found = facts.symmetries
    return [(symmetry, True) for symmetry in found.exact] + [(symmetry, False) for symmetry in found.apart_from_start]


@pytest.mark.parametrize("name", every_game(of=SYMMETRIC_GAMES))
def test_symmetries_hold_in_play(name: str) -> None:
    facts = facts_of(name)
    found = all_symmetries(facts)
    assert found
    for symmetry, exact in found:
        for seed in range(2):
            check_by_play(facts.rules, symmetry, exact, Random(seed))


def group_on(board: Board, symmetries: tuple[Symmetry, ...]) -> int:
    """How many different images of the places of a board all symmetries together make."""
    name, arity = board.signature
    content = dict.fromkeys(board.content_arguments, "blank")
    places: list[GroundTerm] = [
        (name, *(content.get(index) or words[board.coordinates.index(index)] for index in range(arity)))
        for words in np.array(np.meshgrid(*[axis.words for axis in board.axes])).reshape(board.dimension, -1).T.tolist()
    ]
    generators = [tuple(places.index(symmetry.fluent(place)) for place in places) for symmetry in symmetries]
    return len(generated(generators, len(places)))


def test_the_square_has_eight_symmetries() -> None:
    facts = facts_of("tictactoe")
    assert group_on(board_of(facts, "cell"), facts.symmetries.exact) == 8
    assert facts.symmetries.complete


@pytest.mark.parametrize(
    ("name", "size"), first(2, [("connectfour", 2), ("atarigo", 8), ("pentago", 8), ("gomoku", 8)])
)
def test_symmetries_of_boards(name: str, size: int) -> None:
    facts = facts_of(name)
    assert group_on(board_of(facts, "cell"), facts.symmetries.exact) == size


def test_what_the_rules_hide_is_only_sampled() -> None:
    """Othello is as symmetric as its board, but the sheet counts discs from one corner to the other."""
    facts = facts_of("othello")
    found = facts.symmetries
    assert found.complete
    assert found.exact == ()
    assert found.role_groups(2, exact=False) == ((0, 1),)
    assert group_on(board_of(facts, "cell"), found.sampled) == 8
    for symmetry in found.sampled:
        check_by_play(facts.rules, symmetry, False, Random(1), steps=30)


def test_a_goal_that_random_games_never_reach_is_not_taken_as_symmetric() -> None:
    """Turned around, the eight puzzle plays the same, but is not solved by the same order of tiles."""
    assert facts_of("eightpuzzle").symmetries.sampled == ()


def test_effects_have_names() -> None:
    facts = facts_of("tictactoe")
    board = board_of(facts, "cell")
    effects = {board_effect(symmetry, board) for symmetry in facts.symmetries.exact}
    assert effects <= {
        "reflection of argument 1",
        "reflection of argument 2",
        "reflection at a diagonal",
        "half turn",
        "quarter turn",
    }
    breakthrough = facts_of("breakthrough")
    (mirror,) = breakthrough.symmetries.exact
    assert board_effect(mirror, board_of(breakthrough, "cell")) == "reflection of argument 1"


def test_roles_that_are_alike() -> None:
    """Whoever moves first is another, but both may do the same."""
    breakthrough = facts_of("breakthrough").symmetries
    assert breakthrough.role_groups(2) == ((0,), (1,))
    assert breakthrough.role_groups(2, exact=False) == ((0, 1),)
    assert facts_of("racetrackcorridor").symmetries.role_groups(2) == ((0, 1),)
    assert facts_of("fourcorners").symmetries.role_groups(4) == ((0, 1, 2, 3),)


def test_roles_that_differ() -> None:
    sheet = """
    (role cat) (role mouse) (init (hole 1)) (legal cat wait) (legal mouse wait) (legal mouse dig)
    (<= (next (hole 2)) (does mouse dig)) (<= (next (hole 1)) (not (does mouse dig))) (<= terminal (true (hole 2)))
    (<= (goal cat 100) (true (hole 1))) (<= (goal cat 0) (true (hole 2)))
    (<= (goal mouse 100) (true (hole 2))) (<= (goal mouse 0) (true (hole 1)))
    """
    found = facts_of_rules(sheet, proofs=False).symmetries
    assert found.complete
    assert found.role_groups(2, exact=False) == ((0,), (1,))


def test_goal_values_are_not_renamed() -> None:
    sheet = """
    (role a) (role b) (legal a x) (legal b x) (legal a y) (legal b y) (init start)
    (<= (next (won a)) (does a x)) (<= (next (won b)) (does b y)) (<= terminal (not (true start)))
    (<= (goal a 70) (true (won a))) (<= (goal a 0) (not (true (won a))))
    (<= (goal b 60) (true (won b))) (<= (goal b 0) (not (true (won b))))
    """
    assert facts_of_rules(sheet).symmetries.role_groups(2, exact=False) == ((0,), (1,))
    alike = facts_of_rules(sheet.replace("70", "60")).symmetries
    assert alike.role_groups(2) == ((0, 1),)
    (exchange,) = [symmetry for symmetry in alike.exact if symmetry.roles == (1, 0)]
    assert (exchange.move("x"), exchange.fluent(("won", "a"))) == ("y", ("won", "b"))


@pytest.mark.parametrize(
    "name", first(2, ["tictactoe", "racetrackcorridor", "breakthrough", "connectfour", "minichess"])
)
@pytest.mark.parametrize("seed", first(1, range(2)))
def test_scrambled_rules_have_the_same_symmetries(name: str, seed: int) -> None:
    facts = facts_of(name)
    scrambled = facts_of_rules(scramble(facts.rules, Random(seed)).rules, proofs=False)
    for here, there in (
        (facts.symmetries.exact, scrambled.symmetries.exact),
        (facts.symmetries.apart_from_start, scrambled.symmetries.apart_from_start),
    ):
        assert len(here) == len(there)
        assert sorted(symmetry.roles for symmetry in here) == sorted(symmetry.roles for symmetry in there)
    for symmetry, exact in all_symmetries(scrambled):
        check_by_play(scrambled.rules, symmetry, exact, Random(seed), steps=10)


@pytest.mark.parametrize("name", ["ticTacToe", "minichess", "lightsOut", "nim4", "slidingpieces", "knightThrough"])
def test_symmetries_of_real_sheets_hold_in_play(corpus: Path, name: str) -> None:
    facts = facts_of_rules(Rules.read(corpus / "games" / f"{name}.kif"), proofs=False)
    found = all_symmetries(facts)
    assert found
    for symmetry, exact in found:
        check_by_play(facts.rules, symmetry, exact, Random(1), steps=15)


def test_words_of_legal_moves_that_input_lists() -> None:
    """The moves are those that `input` gives, but only one of them counts."""
    sheet = """
    (role me) (init (at home)) (button left) (button right) (<= (input me (press ?b)) (button ?b))
    (<= (legal ?r ?m) (input ?r ?m)) (<= (next (at away)) (does me (press left))) (<= terminal (true (at away)))
    (<= (next (at home)) (not (does me (press left)))) (goal me 50)
    """
    found = facts_of_rules(sheet, proofs=False).symmetries
    assert found.complete
    assert found.exact == found.apart_from_start == ()
    both = facts_of_rules(
        sheet.replace("(does me (press left))", "(does me (press ?b))").replace(
            "(not (does me (press ?b)))", "(true (at lost))"
        )
    )
    (swap,) = both.symmetries.exact
    assert swap.move(("press", "left")) == ("press", "right")


def filling(rules: str) -> str:
    """Fill a board of eight by eight; an order of its places that play does not ask for."""
    numbers = " ".join(f"(succ {n} {n + 1}) (index {n + 1})" for n in range(8))
    return f"""(role me) {numbers} (<= (init (cell ?x ?y empty)) (index ?x) (index ?y))
    (<= (legal me (fill ?x ?y)) (true (cell ?x ?y empty))) (<= (next (cell ?x ?y full)) (does me (fill ?x ?y)))
    (<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (not (does me (fill ?x ?y))))
    (<= (near ?x ?y) (true (cell ?x ?z full)) (true (cell ?x ?y full)) (succ ?z ?y))
    (<= (nearby ?x ?y) (true (cell ?x ?z full)) (true (cell ?y ?z full)) (succ ?x ?y))
    (<= open (true (cell ?x ?y empty))) (<= terminal (not open)) {rules}"""


def test_a_board_whose_places_may_be_exchanged_at_will() -> None:
    """All rearrangements together are far too many to look at one by one."""
    facts = facts_of_rules(filling("(<= (goal me 100) (not open)) (<= (goal me 0) open)"), proofs=False)
    assert board_of(facts, "cell").is_ordered
    assert facts.symmetries.complete
    for symmetry in (*facts.symmetries.exact, *facts.symmetries.sampled):
        check_by_play(facts.rules, symmetry, True, Random(1), steps=3)


STUCK = """
(role a) (role b) (init (at 1)) (succ 1 2) (succ 2 3)
(<= (legal a go) (true (at ?x))) (<= (legal a stay) (true (at ?x))) (<= (legal b go) (not (true (at 3))))
(<= (next (at ?y)) (true (at ?x)) (does a go) (succ ?x ?y)) (<= (next (at ?x)) (true (at ?x)) (does a stay))
(<= terminal (true (at 9))) (goal a 0) (goal b 0)
"""


@pytest.mark.parametrize("role", ["b", "random"])
def test_a_game_in_which_one_role_gets_stuck(role: str) -> None:
    facts = facts_of_rules(STUCK.replace("role b", f"role {role}").replace("legal b", f"legal {role}"))
    assert facts.left_out == ()
    assert facts.symmetries.sampled == ()


HIDDEN = """
(role a) (role b) (init start) (legal a up) (legal b up) (legal a down) (legal b down)
(<= (next (up ?r)) (does ?r up)) (<= terminal (true (up ?r)))
(<= (goal ?r 100) (role ?r) (true (up ?r))) (<= (goal ?r 0) (role ?r) (not (true (up ?r))))
"""


def test_roles_that_are_told_different_things_differ() -> None:
    """GDL-II: only one of them sees what the other does."""
    alone = facts_of_rules(HIDDEN + "(<= (sees a ?m) (does b ?m))", proofs=False)
    assert alone.symmetries.role_groups(2) == ((0,), (1,))
    fair = facts_of_rules(HIDDEN + "(<= (sees ?r ?m) (role ?r) (does ?q ?m))", proofs=False)
    assert fair.symmetries.role_groups(2) == ((0, 1),)


def test_what_is_seen_may_break_the_symmetry_of_a_board() -> None:
    """Othello in which one is told whether the first place is taken: tried in play, its reflections seem to hold."""
    rules = load("othello").rules
    told = Rules.parse("(<= (sees ?r (taken ?c)) (role ?r) (true (cell 1 1 ?c)))")
    assert facts_of_rules(Rules((*rules.clauses, *told.clauses)), proofs=False).symmetries.sampled == ()
