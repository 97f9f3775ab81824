"""Ground programs say what the reference engine says."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.errors import CompileError
from ludens.gdl.rules import Rules
from ludens.gdl.terms import natural_key
from ludens.ground import GroundProgram, ground
from ludens.ground.decompose import split_rules
from tests.ground.evaluator import check_walks
from tests.ground.samples import NO_CACHE, SMALL, as_bytes, ground_whole
from tests.tiers import every_game, examples

GAMES = Path(__file__).parents[2] / "src" / "ludens" / "games"
BUNDLED = [
    "tictactoe",
    "connectfour",  # long bodies
    "breakthrough",
    "hex",  # recursion
    "othello",
    "tron",  # simultaneous moves
    "farmers",  # three roles, simultaneous
    "threeway",
    "dicerace",  # chance
    "biddingtictactoe",
    "blocksworld",
    "amazons",
    "minichess",
]
CORPUS = ["ticTacToe", "connectFour", "pentago", "3pConnectFour", "blocker", "bidding-tictactoe", "skirmish", "hex"]


def bundled(name: str) -> Rules:
    return Rules.read(GAMES / f"{name}.kif")


@pytest.mark.parametrize("name", every_game(of=BUNDLED))
def test_bundled_games_agree_with_the_reference_engine(name: str) -> None:
    rules = bundled(name)
    check_walks(rules, ground(rules, cache=NO_CACHE), walks=2, steps=12, seed=1)


def test_corpus_games_agree_with_the_reference_engine(corpus: Path) -> None:
    sheets = [corpus / "games" / f"{name}.kif" for name in CORPUS]
    found = [sheet for sheet in sheets if sheet.exists()]
    assert len(found) >= len(CORPUS) // 2
    for sheet in found:
        rules = Rules.read(sheet)
        check_walks(rules, ground(rules, cache=NO_CACHE), walks=1, steps=6, seed=2)


def test_the_small_program_is_as_worked_out_by_hand() -> None:
    program = ground(SMALL, cache=NO_CACHE)
    assert program.fluents == (("at", "1"), ("at", "2"), ("at", "3"))
    assert program.moves == ((("go", "2"), ("go", "3"), "stay"),)
    assert program.init.tolist() == [True, False, False]
    assert program.goal_values == (("0", "100"),)
    at_1, at_2, at_3, go_2, go_3, stay = (2 * atom for atom in range(1, 7))
    assert _bodies(program, program.legal[0][0]) == {frozenset({at_1})}
    assert _bodies(program, program.legal[0][1]) == {frozenset({at_2})}
    assert program.legal[0][2] == 1, "always legal"
    assert _bodies(program, program.next[0]) == {frozenset({at_1, stay})}
    assert _bodies(program, program.next[1]) == {frozenset({go_2}), frozenset({at_2, stay})}
    assert _bodies(program, program.next[2]) == {frozenset({go_3}), frozenset({at_3, stay})}
    assert _bodies(program, program.terminal) == {frozenset({at_3})}
    assert _bodies(program, program.goals[0][1]) == {frozenset({program.terminal})}
    assert _bodies(program, program.goals[0][0]) == {frozenset({program.terminal + 1})}


def _bodies(program: GroundProgram, literal: int) -> set[frozenset[int]]:
    """The bodies of all rules of an atom."""
    starts = program.body_starts.tolist()
    return {
        frozenset(program.bodies[starts[rule] : starts[rule + 1]].tolist())
        for rule, head in enumerate(program.heads.tolist())
        if 2 * head == literal
    }


def test_terms_are_in_natural_order_and_numbers_refer_to_atoms() -> None:
    program = ground(bundled("breakthrough"), cache=NO_CACHE)
    for terms in (program.fluents, *program.moves, *program.goal_values):
        assert list(terms) == sorted(terms, key=natural_key)
    assert program.body_starts[-1] == len(program.bodies)
    assert program.bodies.min() >= 2, "constants are folded away"
    assert program.bodies.max() < 2 * program.atom_count
    inputs = len(program.fluents) + sum(map(len, program.moves))
    assert program.heads.min() > inputs, "fluents and moves are not derived"
    assert set(program.bodies // 2) - set(range(inputs + 1)) <= set(program.heads)


def test_goals_and_moves_of_others_than_roles_are_left_out() -> None:
    rules = Rules.parse("(role me) (legal me go) (legal it go) (goal me 1) (goal it 2) (<= terminal (true a)) (init a)")
    program = ground(rules, cache=NO_CACHE)
    assert program.moves == (("go",),)
    assert program.goal_values == (("1",),)


def test_a_game_without_fluents_or_end() -> None:
    program = ground(Rules.parse("(role me) (<= (legal me go) (not (true over))) (goal me 0)"), cache=NO_CACHE)
    assert program.fluents == ()
    assert program.legal[0].tolist() == [1]
    assert program.terminal == 0


# -- splitting --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", every_game(of=("connectfour", "hex", "kalah", "pentago")))
def test_splitting_does_not_change_answers(name: str) -> None:
    rules = bundled(name)
    check_walks(rules, ground_whole(rules), walks=1, steps=6, seed=3)
    check_walks(rules, ground(rules, cache=NO_CACHE), walks=1, steps=6, seed=3)


def _sheet(rng: Random) -> Rules:
    """A game whose `next` and `goal` rules are random joins of facts, fluents, negations and `distinct`."""

    def conditions(count: int) -> tuple[list[str], set[str]]:
        names = [f"?v{number}" for number in range(rng.randint(2, 5))]
        positive = [
            rng.choice(["(e {} {})", "(true (f {} {}))", "(q {} {})", "(does me (m {} {}))"]).format(
                *rng.choices([*names, "1"], k=2)
            )
            for _ in range(count)
        ]
        bound = {name for name in names if any(name in part for part in positive)}
        tests = ["(distinct {} {})", "(not (true (f {} {})))", "(not (q {} {}))", "(not (e {} {}))"]
        values = [*sorted(bound), "2"]
        return positive + [rng.choice(tests).format(*rng.choices(values, k=2)) for _ in range(count // 2)], bound

    lines = ["(role me) (init (f 1 2)) (init (f 3 3))"]
    lines += [f"(n {number})" for number in range(1, 5)]
    lines += [f"(e {rng.randint(1, 4)} {rng.randint(1, 4)})" for _ in range(8)]
    lines.append("(<= (legal me (m ?x ?y)) (n ?x) (n ?y) (not (true (f ?x ?y))))")
    lines.append("(<= (legal me (m 1 1)) (true (f 1 1)))")
    lines.append("(<= (q ?x ?z) (true (f ?x ?y)) (e ?y ?z)) (<= (q ?x ?z) (q ?x ?y) (q ?y ?z))")
    lines.append("(<= terminal (true (f 4 ?x)) (q ?x 4)) (<= (goal me 0) (not terminal)) (<= (goal me 100) terminal)")
    for _ in range(3):
        body, bound = conditions(rng.randint(2, 6))
        head = rng.choices([*sorted(bound), "3"], k=2)
        lines.append(f"(<= (next (f {head[0]} {head[1]})) {' '.join(body)})")
    return Rules.parse("\n".join(lines))


@given(st.integers(0, 10**6))
@examples(25)
def test_splitting_random_joins_does_not_change_answers(seed: int) -> None:
    rules = _sheet(Random(seed))
    check_walks(rules, ground(rules, cache=NO_CACHE), walks=2, steps=4, seed=seed)


def test_random_joins_are_split() -> None:
    """So that the test above tests something."""
    split = [
        any(rule.head.name.startswith("part ") for rule in split_rules(_sheet(Random(n)).rules)) for n in range(20)
    ]
    assert sum(split) > 10


def test_large_joins_are_split_and_small_ones_are_not() -> None:
    numbers = " ".join(f"(n {number})" for number in range(20))
    chain = Rules.parse(f"(<= (p ?a) (true (f ?a ?b)) (true (f ?b ?c)) (true (f ?c ?d)) (n ?d)) {numbers}"
                        "(<= (init (f ?a ?b)) (n ?a) (n ?b)) (<= small (true (f 1 2)) (true (f 2 1)))")  # fmt: skip
    heads = [rule.head.name for rule in split_rules(chain.rules)]
    assert sum(name.startswith("part ") for name in heads) == 3 - 1
    assert heads.count("p") == heads.count("small") == 1


# -- the same game, the same program ----------------------------------------------------------------------------------


def _shuffled(rules: Rules, rng: Random) -> Rules:
    """The same game: other order of clauses, other names of variables."""
    roles = [clause for clause in rules.clauses if clause.head.name == "role"]
    others = [clause for clause in rules.clauses if clause.head.name != "role"]
    rng.shuffle(others)
    text = Rules([*others[:5], *roles, *others[5:]], rules.spelling).to_kif()
    return Rules.parse(text.replace("?", "?other-").upper())


@pytest.mark.parametrize("name", every_game(of=("hex", "amazons", "farmers")))
def test_equal_digests_give_equal_programs(name: str) -> None:
    rules = bundled(name)
    other = _shuffled(rules, Random(5))
    assert other.digest == rules.digest
    assert other.clauses != rules.clauses
    programs: list[GroundProgram] = [ground(sheet, cache=NO_CACHE) for sheet in (rules, rules, other)]
    first, second, third = map(as_bytes, programs)
    assert first == second == third


# -- rules that cannot be ground --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sheet", "message"),
    [
        ("(role me)\n(<= (legal me ?x) (not (true ?x)))", r"sheet:2:1: the variable \?x is bound by no positive"),
        ("(role me) (legal me ?x)", r"sheet:1:11: the variable \?x"),
        ("(role me) (<= (legal me go) (distinct ?x a))", r"the variable \?x"),
        ("(role me) (<= (true a) (true b)) (<= (legal me go) (true a))", "a rule defines true"),
        ("(role me) (legal me go) (init a) (<= (init b) (true a)) (<= (next a) (true a))", "initial state depends"),
    ],
)
def test_what_cannot_be_ground_is_named(sheet: str, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        ground(Rules.parse(sheet, "sheet"), cache=NO_CACHE)


def test_unsafe_rules_that_play_does_not_need_are_left_out() -> None:
    rules = Rules.parse("(role me) (legal me go) (<= (odd ?x ?y) (true ?x)) (<= (base ?x) (not (odd ?x ?x)))")
    assert ground(rules, cache=NO_CACHE).moves == (("go",),)
