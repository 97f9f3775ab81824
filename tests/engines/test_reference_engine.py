"""The reference engine as an engine: playing, limits, and rules that are odd or endless."""

from __future__ import annotations

import threading
from random import Random

import numpy as np
import pytest

from ludens.core import GroundTerm, Playouts
from ludens.engines.reference import ReferenceEngine
from ludens.errors import EvaluationLimitError, InvalidRulesError, NoLegalMoveError, UnstratifiedError
from ludens.game import load
from ludens.gdl.rules import Rules
from tests.tiers import FULL

FRAME = "(role r) (legal r go) (goal r 0) (<= terminal (true end)) (init start) (<= (next end) (does r go)) "


def ask(text: str, relation: str = "p", arity: int = 1) -> set[GroundTerm]:
    return set(ReferenceEngine(Rules.parse(FRAME + text)).ask(relation, arity=arity))


def chain(length: int) -> str:
    return " ".join(f"(succ {number} {number + 1})" for number in range(length))


def test_transitive_closure_of_a_cycle_written_in_every_way() -> None:
    edges = "(e a b) (e b c) (e c a) (e c d)"
    everything = {(x, y) for x in "abc" for y in "abcd"}
    for recursive in ("(p ?x ?z) (e ?z ?y)", "(e ?x ?z) (p ?z ?y)", "(p ?x ?z) (p ?z ?y)"):
        text = f"{edges} (<= (p ?x ?y) (e ?x ?y)) (<= (p ?x ?y) {recursive})"
        assert ask(text, arity=2) == everything


def test_mutual_recursion_over_several_relations() -> None:
    text = f"(even 0) {chain(50)} (<= (odd ?y) (succ ?x ?y) (even ?x)) (<= (even ?y) (succ ?x ?y) (odd ?x))"
    assert ask(text, "even") == {str(number) for number in range(0, 51, 2)}
    assert ask(text, "odd") == {str(number) for number in range(1, 51, 2)}


def test_negation_through_recursion_is_fine_where_no_fact_depends_on_itself() -> None:
    text = "(move a b) (move b c) (move c d) (move a d) (<= (p ?x) (move ?x ?y) (not (p ?y)))"
    assert ask(text) == {"a", "c"}


@pytest.mark.parametrize("length", [10, 51, 100, 301])
@pytest.mark.parametrize("absent", ["(beats ?x ?own)", "(beaten ?x)"])
def test_long_games_of_winning_and_losing(length: int, absent: str) -> None:
    """A place wins if no move from it leads to one that wins: every second one, counted from the end."""
    text = f"""{chain(length)} (n 0) (<= (n ?y) (succ ?x ?y)) (<= (p ?x) (n ?x) (not {absent}))
        (<= (beats ?x ?y) (succ ?x ?y) (p ?y)) (<= (beaten ?x) (beats ?x ?y))"""
    assert ask(text) == {str(number) for number in range(length, -1, -2)}


@pytest.mark.parametrize("order", ["(best ?q ?w) (greater ?w ?v)", "(greater ?w ?v) (best ?q ?w)"])
def test_the_best_value_defined_through_the_absence_of_a_better_one(order: str) -> None:
    text = f"""{chain(9)} (<= (greater ?y ?x) (succ ?x ?y)) (<= (greater ?z ?x) (succ ?x ?y) (greater ?z ?y))
        (score a 3) (score b 7) (score c 5) (<= (best ?p ?v) (score ?p ?v) (not (beaten ?v)))
        (<= (beaten ?v) {order})"""
    assert ask(text, "best", 2) == {("b", "7")}


@pytest.mark.parametrize(
    "text",
    [
        "(<= (p ?x) (role ?x) (not (p ?x)))",
        "(<= (p ?x) (role ?x) (not (q ?x))) (<= (q ?x) (role ?x) (not (p ?x)))",
        "(move a b) (move b a) (<= (p ?x) (move ?x ?y) (not (p ?y)))",
        "(n a) (<= (p ?x) (n ?x) (not (r ?x ?own))) (<= (r ?x ?x) (p ?x))",
    ],
)
def test_a_fact_that_depends_on_its_own_absence_is_an_error(text: str) -> None:
    with pytest.raises(UnstratifiedError):
        ask(text)


@pytest.mark.parametrize(
    "text",
    [
        "(nat z) (<= (nat (s ?x)) (nat ?x)) (<= (p ?x) (nat ?x))",
        pytest.param("(nat z) (<= (nat (s ?x ?y)) (nat ?x) (nat ?y)) (<= (p ?x) (nat ?x))", marks=FULL),
        "(<= (q ?x) (q (s ?x))) (<= (p yes) (q a))",
        "(nat z) (<= (nat (s ?x ?x)) (nat ?x)) (<= (p ?x) (nat ?x))",
        "(<= (q ?x) (q (f ?x ?x))) (<= (p yes) (q a))",
    ],
)
def test_endless_rules_end_in_an_error(text: str) -> None:
    with pytest.raises(EvaluationLimitError):
        ask(text)


def test_growing_terms_are_fine_when_they_are_bounded() -> None:
    text = "(list nil 0) (next-size 0 1) (next-size 1 2) (<= (list (cons x ?l) ?m) (list ?l ?n) (next-size ?n ?m))"
    assert ask(text + "(<= (p ?l) (list ?l 2))") == {("cons", "x", ("cons", "x", "nil"))}


def test_recursion_far_deeper_than_pythons() -> None:
    count = f"(count 0) {chain(3000)} (<= (count ?n) (succ ?m ?n) (count ?m))"
    assert ask(count + "(<= (p yes) (count 3000)) (<= (p no) (count 3001))") == {"yes"}
    assert len(ask(count, "count")) == 3001


def test_a_long_chain_of_relations() -> None:
    rules = " ".join(f"(<= (c{number} ?x) (c{number + 1} ?x))" for number in range(1500))
    assert ask(rules + "(c1500 a)", "c0") == {"a"}


def test_deep_rules_while_other_threads_play() -> None:
    text = FRAME + f"(count 0) {chain(1500)} (<= (count ?n) (succ ?m ?n) (count ?m)) (<= (p yes) (count 1500))"
    answers: list[frozenset[GroundTerm]] = []
    threads = [
        threading.Thread(target=lambda: answers.append(ReferenceEngine(Rules.parse(text)).ask("p"))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [frozenset({"yes"})] * 4


def test_one_engine_serves_many_threads() -> None:
    """Recursive relations of the game and of the state are worked out by whichever thread comes first."""
    text = f"""(role r) (init (at 0)) {chain(60)}
        (<= (less ?x ?y) (succ ?x ?y)) (<= (less ?x ?z) (less ?x ?y) (succ ?y ?z))
        (<= (reach ?x) (true (at ?x))) (<= (reach ?y) (reach ?x) (succ ?x ?y))
        (<= (legal r (go ?x)) (reach ?x) (less ?x 30)) (<= (next (at ?x)) (does r (go ?x)))
        (<= terminal (true (at ?x)) (less 27 ?x)) (<= (goal r 100) terminal)"""
    alone = ReferenceEngine(Rules.parse(text))
    expected = alone.playouts(alone.initial(20), Random(1))
    engine = ReferenceEngine(Rules.parse(text))
    states = engine.initial(20)
    results: list[Playouts] = []
    threads = [threading.Thread(target=lambda: results.append(engine.playouts(states, Random(1)))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(expected.lengths.tolist())) > 3
    assert [result.lengths.tolist() for result in results] == [expected.lengths.tolist()] * 8


def test_an_engine_is_sound_after_an_error() -> None:
    text = (
        FRAME
        + "(<= (legal r (win ?x)) (true (move ?x ?y)) (wins ?x)) (<= (wins ?x) (true (move ?x ?y)) (not (wins ?y)))"
    )
    engine = ReferenceEngine(Rules.parse(text))
    states = engine.encode([frozenset({("move", "a", "b"), ("move", "b", "a")})])
    for _ in range(3):
        with pytest.raises(UnstratifiedError):
            engine.legal(states)
    assert not engine.terminal(states).any()
    (fine,) = engine.legal(engine.encode([frozenset({("move", "a", "b"), ("move", "b", "c")})]))
    assert [engine.move_term(number) for number in fine[0]] == ["go", ("win", "b")]


def test_more_conditions_than_python_nests_loops() -> None:
    body = " ".join(f"(n ?x{number} ?x{number + 1})" for number in range(40))
    steps = "(n 1 1) (n 2 2) (n 3 3) (n 1 2) (n 2 3)"
    assert ask(f"{steps} (<= (p ?x0) {body} (distinct ?x40 3))") == {"1", "2"}
    assert ask(f"{steps} (<= (p yes) {body} (distinct ?x0 1) (distinct ?x40 3))") == {"yes"}


def test_conditions_in_any_order() -> None:
    text = "(n 1) (n 2) (n 3) (m 2) (<= (p ?x ?y) (distinct ?x ?y) (not (m ?x)) (not (distinct ?z ?x)) (n ?y) (n ?z))"
    assert ask(text, arity=2) == {(x, y) for x in "13" for y in "123" if x != y}


def test_a_negated_condition_with_a_variable_of_its_own_means_there_is_none() -> None:
    text = "(n 1) (n 2) (e 1 a) (e 2 b) (f (pair 1 1)) (<= (p ?x) (n ?x) (not (e ?x ?own)))"
    assert ask(text) == set()
    assert ask(text + "(n 3)") == {"3"}
    assert ask("(n 1) (n 2) (f (pair 1 7)) (<= (p ?x) (n ?x) (not (f (pair ?x ?own))))") == {"2"}


def test_the_same_name_as_relation_function_and_with_several_arities() -> None:
    text = "(cell 1) (cell 1 2) (true-cell (cell 3)) (<= (p ?x) (cell ?x ?y)) (<= (p ?z) (true-cell (cell ?z)))"
    assert ask(text) == {"1", "3"}


def test_words_that_would_be_code_are_only_words() -> None:
    word = "'+__import__('os').abort()+'".replace("(", "[").replace(")", "]")
    text = f'(n {word}) (n "\\n") (n {{}}) (n \\) (<= (p ?x) (n ?x) (distinct ?x {word}))'
    assert ask(text) == {'"\\n"', "{}", "\\"}


def test_an_unsafe_rule_is_refused_with_its_place() -> None:
    with pytest.raises(InvalidRulesError) as caught:
        ReferenceEngine(Rules.parse("(role r)\n(legal r go)\n(<= (goal r 0)\n (not (q ?x))\n (distinct ?y r))"))
    (finding,) = caught.value.findings
    assert finding.code == "unsafe-variable"
    assert finding.place is not None
    assert finding.place.line == 3


def test_an_unsafe_rule_is_fine_where_the_question_binds_its_variables() -> None:
    assert ask("(<= (same ?x ?x)) (n 1) (n 2) (<= (p ?x) (n ?x) (same ?x 2))") == {"2"}


def test_legal_moves_come_in_the_order_of_their_words_and_numbers() -> None:
    text = "(role r) (n 10) (n 9) (n b) (n a) (n 1) (<= (legal r (go ?x)) (n ?x)) (goal r 0) (<= terminal (true x))"
    engine = ReferenceEngine(Rules.parse(text))
    ((moves,),) = engine.legal(engine.initial(1))
    assert [engine.move_term(number) for number in moves] == [("go", word) for word in ("1", "9", "10", "a", "b")]


def test_moves_of_the_same_words_have_an_order_of_their_own() -> None:
    text = "(role r) (move (go a b)) (move (go (a b))) (move go-a) (<= (legal r ?m) (move ?m))"
    engine = ReferenceEngine(Rules.parse(text))
    ((moves,),) = engine.legal(engine.initial(1))
    assert [engine.move_term(number) for number in moves] == [("go", ("a", "b")), ("go", "a", "b"), "go-a"]


def test_a_batch_is_as_good_as_its_states_one_by_one() -> None:
    engine = load("connectfour").engine
    rng = Random(3)
    states = engine.initial(5)
    for _ in range(6):
        legal = engine.legal(states)
        joint = [[rng.choice(moves) for moves in state] for state in legal]
        single = [engine.step(states[n : n + 1], joint[n : n + 1]) for n in range(5)]
        states = engine.step(states, joint)
        np.testing.assert_array_equal(states, np.concatenate(single))
    assert len(set(engine.decode(states))) > 1
    assert engine.terminal(states).tolist() == [bool(engine.terminal(states[n : n + 1])[0]) for n in range(5)]
    assert engine.decode(engine.encode(engine.decode(states))) == engine.decode(states)


def test_playouts_repeat_with_the_seed_and_differ_without() -> None:
    engine = load("breakthrough").engine
    first, again = (engine.playouts(engine.initial(4), Random(7)) for _ in range(2))
    assert np.array_equal(first.lengths, again.lengths)
    assert np.array_equal(first.goals, again.goals)
    other = engine.playouts(engine.initial(4), Random(8))
    assert not np.array_equal(first.lengths, other.lengths)


def test_playouts_that_are_cut_have_no_goals() -> None:
    engine = load("tictactoe").engine
    result = engine.playouts(engine.initial(3), Random(1), max_steps=3)
    assert result.lengths.tolist() == [3, 3, 3]
    assert not result.finished.any()
    assert (result.goals == -1).all()


def test_a_playout_stuck_without_a_legal_move_says_who() -> None:
    text = "(role r) (init (step 1)) (<= (legal r go) (true (step 1))) (<= (next (step 2)) (does r go)) (goal r 0)"
    engine = ReferenceEngine(Rules.parse(text + "(<= terminal (true (step 3)))"))
    with pytest.raises(NoLegalMoveError, match=r"^r has no legal move"):
        engine.playouts(engine.initial(1), Random(1))


@pytest.mark.parametrize(
    ("values", "expected"), [("", -1), ("(goal r 40) (goal r 60)", -1), ("(goal r x)", -1), ("(goal r 40)", 40)]
)
def test_goals_need_one_proper_value(values: str, expected: int) -> None:
    engine = ReferenceEngine(Rules.parse(f"(role r) (legal r go) (<= terminal (role r)) {values}"))
    assert engine.goals(engine.initial(1)).tolist() == [[expected]]


def test_simultaneous_moves_meet_in_one_step() -> None:
    text = """(role a) (role b) (bit 0) (bit 1) (<= (legal ?r (say ?b)) (role ?r) (bit ?b))
        (<= (next (both ?x ?y)) (does a (say ?x)) (does b (say ?y))) (<= terminal (true (both ?x ?y)))
        (<= (goal ?r 100) (role ?r) (true (both ?x ?x))) (<= (goal ?r 0) (role ?r) (not (goal ?r 100)))"""
    engine = ReferenceEngine(Rules.parse(text))
    states = engine.initial(1)
    first, second = engine.legal(states)[0]
    for (a, b), facts, goals in (((0, 1), ("both", "0", "1"), [0, 0]), ((1, 1), ("both", "1", "1"), [100, 100])):
        after = engine.step(states, [[first[a], second[b]]])
        assert engine.decode(after) == [frozenset({facts})]
        assert engine.goals(after).tolist() == [goals]


def test_states_from_before_the_second_plan_are_still_answered() -> None:
    """What was asked early is asked again after many states were seen, and so is what was never asked before."""
    rules = load("connectfour").engine_rules
    engine, fresh = ReferenceEngine(rules), ReferenceEngine(rules)
    rng, states = Random(1), [engine.initial(1)]
    asked, unasked = [], []
    while not engine.terminal(states[-1])[0]:
        joint = [rng.choice(moves) for moves in engine.legal(states[-1])[0]]
        states.append(engine.step(states[-1], [joint]))
        asked.append(engine.goal_terms(states[-1]))
        unasked.append(engine.fork())
        unasked[-1].encode(engine.decode(states[-1]))
    while engine.interpreter._counted is not None:
        engine.playouts(engine.initial(1), rng)
        engine.legal(engine.initial(1))
    for state, other, goals in zip(states[1:], unasked, asked, strict=True):
        facts = engine.decode(state)
        expected = fresh.encode(facts)
        for early in (engine, other):
            same = early.encode(facts)
            assert early.goal_terms(same) == goals == fresh.goal_terms(expected)
            assert early.terminal(same) == fresh.terminal(expected)
            terms = [[early.move_term(number) for number in moves] for moves in early.legal(same)[0]]
            assert terms == [[fresh.move_term(number) for number in moves] for moves in fresh.legal(expected)[0]]
