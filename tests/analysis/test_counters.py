"""Step counters, found in the circuit and checked against play."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

from ludens import load
from ludens.analysis.counters import StepCounter, step_counter
from ludens.engines.sliced import SlicedEngine
from ludens.gdl.rules import Rules
from ludens.gdl.scramble import scramble
from ludens.gdl.terms import term_text
from tests.analysis.analysed import facts_of_rules
from tests.tiers import first

COUNTING = """
(role me) (init (step 0)) (init (at a)) (succ 0 1) (succ 1 2) (succ 2 3)
(legal me stay) (legal me go)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (at a)) (does me stay) (true (at a)))
(<= (next (at b)) (does me go))
(<= (next (at b)) (true (at b)))
"""


def counter_of(text: str) -> StepCounter | None:
    return step_counter(SlicedEngine.compile(Rules.parse(text)).circuit)


def compiled(name: str | Path) -> SlicedEngine:
    game = load(name)
    assert game.compile()
    assert isinstance(game.engine, SlicedEngine)
    return game.engine


@pytest.mark.parametrize(
    ("rules", "first_effect", "ends_at"),
    [
        ("(<= terminal (true (step 3))) (<= (goal me 100) (true (at b)))", 3, 3),
        ("(<= terminal (true (at b))) (<= terminal (true (step 2))) (goal me 50)", 2, 2),
        ("(<= terminal (true (at b))) (goal me 50)", 4, None),
        ("(<= terminal (true (step 3))) (<= (goal me 100) (true (step 1)))", 1, None),
        ("(<= terminal (true (at b)) (true (step 3))) (goal me 50)", 3, None),
        ("(<= terminal (not (true (step 2)))) (goal me 50)", 2, None),
        ("(<= terminal (true (step 2))) (<= terminal (true (step 3)) (true (at b))) (goal me 50)", 2, None),
        ("(<= terminal (true (step 3))) (goal me 50) (<= (legal me jump) (true (step 0)))", 0, None),
        ("(<= terminal (true (step 3))) (goal me 50) (<= (next rung) (true (step 2)) (does me go))", 2, None),
    ],
)
def test_what_a_counter_does(rules: str, first_effect: int, ends_at: int | None) -> None:
    counter = counter_of(COUNTING + rules)
    assert counter is not None
    assert len(counter.fluents) == 4
    assert counter.first_effect == first_effect
    assert counter.ends_at == ends_at


@pytest.mark.parametrize(
    "rules",
    [
        "(init (step 0)) (<= (next (step 1)) (true (step 0)) (does me go)) (<= terminal (true (step 1)))",
        "(init (step 0)) (<= (next (step 0)) (true (step 1))) (<= (next (step 1)) (true (step 0)))",
        "(init (step 0)) (init (step 1)) (<= (next (step 1)) (true (step 0)))",
        "(init (step 0)) (<= (next (step 0)) (true (step 0))) (<= (next (step 1)) (true (step 0)))",
        "(init (step 0)) (<= (next (step 1)) (not (true (step 0))))",
    ],
)
def test_what_is_no_counter(rules: str) -> None:
    text = (
        "(role me) (legal me go) (legal me stay) (goal me 50) (<= terminal (true over)) (<= (next over) (does me stay))"
    )
    assert counter_of(text + rules) is None


@pytest.mark.parametrize(
    "name", first(3, ["eightpuzzle", "rockpaperscissors", "hanoi", "minichess", "cylindercheckers", "farmers"])
)
def test_the_counter_counts_the_steps_of_play(name: str) -> None:
    engine = compiled(name)
    counter = step_counter(engine.circuit)
    assert counter is not None
    rng = Random(name)
    for _ in range(5):
        row, steps = engine.initial(1), 0
        while not engine.terminal(row)[0]:
            assert counter.count(row[0]) == steps
            assert np.bitwise_count(row[0] & counter.mask).sum() == 1
            row = engine.step(row, [[rng.choice(moves) for moves in engine.legal(row)[0]]])
            steps += 1
        assert counter.ends_at is None or steps <= counter.ends_at
    assert counter.count(np.zeros_like(counter.mask)) is None
    assert counter.count(counter.mask) is None


@pytest.mark.parametrize(("name", "steps"), [("eightpuzzle", 30), ("lightsout", 20), ("rockpaperscissors", 5)])
def test_bundled_limits(name: str, steps: int) -> None:
    engine = compiled(name)
    counter = step_counter(engine.circuit)
    assert counter is not None
    assert counter.ends_at == counter.first_effect == steps


@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "nim", "dicerace"])
def test_games_without_counter(name: str) -> None:
    assert step_counter(compiled(name).circuit) is None


def test_names_play_no_part() -> None:
    rules = load("hanoi").rules
    counter = step_counter(SlicedEngine.compile(scramble(rules, Random(3)).rules).circuit)
    assert counter is not None
    assert (len(counter.fluents), counter.ends_at) == (41, 40)


TWO_COUNTERS = """
(role me) (init (one 0)) (init (two 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (init (went 2)) (legal me go)
(legal me stay) (<= (next (one ?y)) (true (one ?x)) (succ ?x ?y)) (<= (next (two ?y)) (true (two ?x)) (succ ?x ?y))
(<= (next (went 1)) (does me go)) (<= terminal (true (one 4)))
(<= (goal me 100) (true (two 4)) (true (went 1))) (<= (goal me 0) (not (true (went 1))))
"""


@pytest.mark.parametrize(("one", "two"), [("aa", "bb"), ("bb", "aa")])
def test_of_two_counters_the_one_that_ends_the_game_counts_whatever_its_name(one: str, two: str) -> None:
    facts = facts_of_rules(TWO_COUNTERS.replace("(one", f"({one}").replace("(two", f"({two}"), proofs=False)
    assert facts.counter is not None
    assert facts.counter.facts == tuple((one, str(n)) for n in range(5))
    assert facts.counter.ends_at == 4
    assert facts.quantities == ()


@pytest.mark.parametrize(("one", "two"), [("aa", "bb"), ("bb", "aa")])
def test_of_two_counters_that_do_the_same_the_one_written_first_counts(one: str, two: str) -> None:
    alike = TWO_COUNTERS.replace("(true (two 4)) ", "").replace("(true (one 4))", "(true (one 4)) (true (two 4))")
    facts = facts_of_rules(alike.replace("(one", f"({one}").replace("(two", f"({two}"), proofs=False)
    assert facts.counter is not None
    assert facts.counter.signature == (one, 1)


@pytest.mark.parametrize(("counter", "shadow"), [("aa", "bb"), ("bb", "aa")])
def test_a_counter_and_its_shadow(counter: str, shadow: str) -> None:
    """The last number may be that of the counter or of what follows it: it is the one that is written first."""
    sheet = f"""(role me) (legal me go) (init ({counter} 0)) (succ 0 1) (succ 1 2) (succ 2 3) (goal me 50)
    (<= (next ({counter} ?y)) (true ({counter} ?x)) (succ ?x ?y))
    (<= (next ({shadow} ?y)) (true ({counter} ?x)) (succ ?x ?y)) (<= terminal (true ({counter} 3)))"""
    facts = facts_of_rules(sheet, proofs=False)
    assert facts.counter is not None
    assert facts.counter.facts == tuple((counter, str(n)) for n in range(4))


def test_a_counter_of_the_corpus(corpus: Path) -> None:
    engine = compiled(corpus / "games" / "eightPuzzle.kif")
    counter = step_counter(engine.circuit)
    assert counter is not None
    assert {term_text(engine.circuit.fluents[fluent]).split()[0] for fluent in counter.fluents} == {"(step"}
