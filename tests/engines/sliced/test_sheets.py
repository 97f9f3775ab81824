"""Corners of the language, on sheets so small that every set of facts and every joint move can be compared."""

from __future__ import annotations

from itertools import chain, combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.engines.reference import ReferenceEngine
from ludens.engines.sliced import SlicedEngine
from ludens.errors import NoLegalMoveError
from ludens.gdl.rules import Rules
from tests.engines.sliced.agreement import Witness, compare
from tests.tiers import examples

WAIT = "(role me) (legal me wait) "
COUNT = (
    "(init (step 0)) (after 0 1) (after 1 2) (after 2 3) "
    "(<= (next (step ?n)) (true (step ?m)) (after ?m ?n)) (<= terminal (true (step 3))) "
)

FORCED = {
    "everything is constant": WAIT + "(init on) (next on) terminal (goal me 40)",
    "over at the start": WAIT + "(init on) (<= terminal (true on)) (<= (goal me 100) (true on))",
    "no facts at all": WAIT + "terminal (goal me 7)",
    "no fact at the start": WAIT + "(next on) (<= terminal (true on)) (<= (goal me 100) (true on)) "
    "(<= (goal me 0) (not (true on)))",
    "two facts swap": WAIT
    + COUNT
    + "(init left) (<= (next left) (true right)) (<= (next right) (true left)) "
    + "(<= (goal me 10) (true left)) (<= (goal me 90) (true right))",
    "three facts rotate, inverted": WAIT
    + COUNT
    + "(init a) (<= (next a) (not (true b))) (<= (next b) (not (true c))) (<= (next c) (not (true a))) "
    + "(<= (goal me 10) (true a)) (<= (goal me 90) (not (true a)))",
    "a fact that never changes": WAIT + COUNT + "(init stone) (<= (next stone) (true stone)) "
    "(<= (goal me 60) (true stone)) (<= (goal me 0) (not (true stone)))",
    "a fact that nothing asks for": WAIT + COUNT + "(init idle) (goal me 1)",
    "a fact that nothing makes true again": WAIT + COUNT + "(init spark) (<= (goal me 100) (true spark)) "
    "(<= (goal me 0) (not (true spark)))",
    "two goals at once": WAIT + COUNT + "(goal me 20) (<= (goal me 80) terminal)",
    "one goal twice": WAIT + COUNT + "(goal me 20) (<= (goal me 20) terminal)",
    "a goal that is no number": WAIT + COUNT + "(goal me much)",
    "a goal beyond 100": WAIT + COUNT + "(goal me 101)",
    "a goal and one that is no number": WAIT + COUNT + "(goal me much) (<= (goal me 30) terminal)",
    "no goal": WAIT + COUNT,
    "a goal for some roles only": "(role you) " + WAIT + "(legal you wait) " + COUNT + "(goal me 5)",
    "a goal for nobody in the game": WAIT + COUNT + "(goal stranger 5) (goal me 6)",
    "moves of somebody who is no role": WAIT
    + COUNT
    + "(legal stranger wait) (legal stranger jump) (goal me 3) "
    + "(<= (next jumped) (does stranger jump)) (<= (next waited) (does stranger wait))",
    "recursion that goes round": WAIT
    + COUNT
    + "(link a b) (link b c) (link c a) (init (wet a)) (<= (next (wet ?x)) (flooded ?x)) "
    + "(<= (flooded ?x) (true (wet ?x))) (<= (flooded ?y) (flooded ?x) (link ?x ?y)) "
    + "(<= (goal me 50) (flooded c)) (<= (goal me 0) (not (flooded c)))",
    "what is absent from a recursion": WAIT
    + COUNT
    + "(link a b) (link b c) (link c b) (node a) (node b) (node c) (init (wet b)) (<= (next (wet ?x)) (dry ?x)) "
    + "(<= (flooded ?x) (true (wet ?x))) (<= (flooded ?y) (flooded ?x) (link ?x ?y)) "
    + "(<= (dry ?x) (node ?x) (not (flooded ?x))) (<= (goal me 50) (dry c)) (<= (goal me 0) (not (dry c)))",
    "recursion upon what is absent from recursion": WAIT
    + COUNT
    + "(link a b) (link b c) (link c b) (node a) (node b) (node c) (init (wet b)) (<= (next (wet ?x)) (warm ?x)) "
    + "(<= (flooded ?x) (true (wet ?x))) (<= (flooded ?y) (flooded ?x) (link ?x ?y)) "
    + "(<= (dry ?x) (node ?x) (not (flooded ?x))) "
    + "(<= (warm ?x) (dry ?x)) (<= (warm ?x) (warm ?y) (link ?x ?y) (not (true (wet ?x)))) "
    + "(<= (goal me 50) (warm c)) (<= (goal me 0) (not (warm c)))",
    "recursion that adds nothing": WAIT
    + "(init a) (<= (next a) (true b)) (<= (next b) (true a) (not (true c))) (<= (next c) (true d)) (next d) "
    + "(<= odd (true a) (not (true b))) (<= odd (true b) (not (true a))) "
    + "(<= late odd (not (true c))) (<= late (not odd) (true c)) "
    + "(<= told late) (<= told believed late) (<= believed told) (<= believed felt) (<= felt believed (true d)) "
    + "(<= (next e) told (true d)) (<= (next f) believed) (<= (next g) felt) "
    + "(<= terminal (true c)) (<= (goal me 50) told) (<= (goal me 0) (not told))",
}
"""Games in which every role has just one legal move in every state that play reaches."""

FREE = {
    "two roles move at once": "(role left) (role right) (side left) (side right) (hand 0) (hand 1) "
    "(<= (legal ?r (show ?n)) (side ?r) (hand ?n)) "
    "(<= (next even) (does left (show ?n)) (does right (show ?n))) (<= (next shown) (side left)) "
    "(<= terminal (true shown)) (<= (goal left 100) (true even)) (<= (goal left 0) (not (true even))) "
    "(<= (goal right 100) (not (true even))) (<= (goal right 0) (true even))",
    "a move reaches through recursion": "(role me) (link a b) (link b c) (link c a) (node a) (node b) (node c) "
    "(<= (legal me (pour ?x)) (node ?x)) (legal me drain) "
    "(<= (flooded ?x) (does me (pour ?x))) (<= (flooded ?x) (true (wet ?x)) (not (does me drain))) "
    "(<= (flooded ?y) (flooded ?x) (link ?x ?y) (not (true (dam ?x)))) "
    "(<= (next (wet ?x)) (flooded ?x)) (<= (next (dam ?x)) (does me (pour ?x))) "
    "(<= terminal (true (wet a)) (true (wet b))) (goal me 0)",
    "moves that change nothing": "(role me) (init on) (legal me one) (legal me two) (<= (next on) (true on)) "
    "(<= terminal (not (true on))) (goal me 0)",
    "the same move of two roles": "(role one) (role two) (legal one go) (legal two go) (legal two stay) (init a) "
    "(<= (next a) (does one go) (does two stay)) (<= (next b) (does two go)) "
    "(<= terminal (true b)) (goal one 1) (goal two 2)",
    "a role that can get stuck": "(role me) (init a) (<= (legal me left) (true a)) (<= (legal me right) (true a)) "
    "(<= (next b) (does me left)) (<= (next a) (does me right)) (<= terminal (true c)) (goal me 0)",
}
"""Games with a choice."""

SHEETS = FORCED | FREE


def compare_everywhere(rules: Rules, rng: Random) -> None:
    """In every state that the facts of a game can make up, whether play reaches it or not."""
    engine, witness = SlicedEngine.compile(rules), Witness(rules)
    assert len(engine.fluents) < 10
    sizes = range(len(engine.fluents) + 1)
    every = chain.from_iterable(combinations(engine.fluents, size) for size in sizes)
    known = [witness.look(frozenset(facts)) for facts in every]
    for _ in range(4):
        compare(engine, known, rng)
        rng.shuffle(known)
    assert engine.decode(engine.initial(2)) == witness.engine.decode(witness.engine.initial(2))


@pytest.mark.parametrize("name", SHEETS)
def test_every_set_of_facts_agrees(name: str) -> None:
    compare_everywhere(Rules.parse(SHEETS[name]), Random(name))


def random_sheet(rng: Random) -> Rules:
    """Rules over a handful of facts, full of recursion, of what is absent from it, and of recursion upon that."""
    facts = [f"(true {name})" for name in "abcde"]
    moves = [f"(does me {move})" for move in ("go", "stay")]
    lines = ["(role me) (legal me go) (init a) (init c) (goal me 10) (<= terminal (true a) (true e))"]
    known = list(facts)
    for layer in range(3):
        names = [f"p{layer}{number}" for number in range(rng.randrange(2, 6))]
        outside = known + moves if layer else known
        for name in names * 2:
            body = rng.choices(names, k=rng.randrange(3)) + rng.choices(outside, k=rng.randrange(1, 3))
            body += [f"(not {atom})" for atom in rng.choices(outside, k=rng.randrange(2))]
            lines.append(f"(<= {name} {' '.join(body)})")
        if layer == 0:
            lines.append(f"(<= (legal me stay) {rng.choice(names)}) (<= (goal me 90) (not {rng.choice(names)}))")
        known += names
    for fact in "abcde":
        first, second = rng.sample(known, 2)
        lines.append(f"(<= (next {fact}) {first} (not {second})) (<= (next {fact}) {rng.choice(known)})")
    return Rules.parse("\n".join(lines))


@examples(40)
@given(st.integers(0, 2**32))
def test_random_rules_agree_on_every_set_of_facts(seed: int) -> None:
    rng = Random(seed)
    compare_everywhere(random_sheet(rng), rng)


@pytest.mark.parametrize("name", FORCED)
@pytest.mark.parametrize("max_steps", [0, 1, 2, 3, 100])
def test_forced_games_end_as_they_must(name: str, max_steps: int) -> None:
    rules = Rules.parse(FORCED[name])
    engine, reference = SlicedEngine.compile(rules), ReferenceEngine(rules)
    expected = reference.playouts(reference.initial(1), Random(1), max_steps)
    games = engine.playouts(engine.initial(70), Random(1), max_steps)
    np.testing.assert_array_equal(games.goals, np.repeat(expected.goals, 70, axis=0))
    np.testing.assert_array_equal(games.lengths, np.repeat(expected.lengths, 70))
    np.testing.assert_array_equal(games.finished, np.repeat(expected.finished, 70))


def test_role_without_a_move_is_an_error() -> None:
    rules = Rules.parse(FREE["a role that can get stuck"])
    engine = SlicedEngine.compile(rules)
    for games in (1, 3000):
        with pytest.raises(NoLegalMoveError, match="no legal move"):
            engine.playouts(engine.initial(games), Random(1))
    with pytest.raises(NoLegalMoveError, match="no legal move"):
        engine.tally(engine.initial(1), 100, Random(1))
    assert engine.tally(engine.initial(1), 100, Random(1), max_steps=1).cut.tolist() == [100]


def test_error_of_one_batch_leaves_no_trace_in_the_next() -> None:
    rules = Rules.parse(
        "(role me) (init a) (<= (legal me left) (true a)) (<= (legal me right) (true a)) (<= (legal me left) (true b)) "
        "(<= (next b) (does me left)) (<= (next c) (does me right)) (<= (next d) (true b)) "
        "(<= terminal (true d)) (<= (goal me 100) (true d)) (<= (goal me 0) (not (true d)))"
    )
    engine, fresh = SlicedEngine.compile(rules), SlicedEngine.compile(rules)
    with pytest.raises(NoLegalMoveError):
        engine.tally(engine.initial(1), 300, Random(1))
    start = engine.encode([frozenset({"b"})])
    for seed in range(3):
        after, alone = (each.tally(start, 300, Random(seed)) for each in (engine, fresh))
        assert after.histogram("me") == alone.histogram("me") == {0: 0, 100: 300}
