"""The Prolog that the benchmark compares with derives the same as the recordings and our reference engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from benchmarks.catalogue import CATALOGUE
from benchmarks.contenders import CannotPlayError
from benchmarks.contenders.swi_prolog import PrologRunner
from benchmarks.prolog.translate import has_recursion, prolog_program
from ludens.core import GroundTerm
from ludens.engines.reference import ReferenceEngine
from ludens.gdl.kif import read_term
from ludens.gdl.rules import Rules
from ludens.gdl.terms import term_text
from tests.corpus_replay import digest, load_trace

STEPS = 12

ODD_WORDS = """
(role it's) (role x\\y) (init (at 'a')) (init |]) (succ 0 1)
(<= (legal ?r (go ?y)) (distinct ?y ?x) (role ?r) (succ ?x ?y))
(<= (legal ?r halt.) (role ?r))
(<= (next (at ?m)) (does it's ?m)) (<= (next _z) (not (true _z)))
(<= terminal (true (at halt.))) (<= (goal ?r 100) (role ?r) (or (true (at halt.)) (not (true _z))))
"""


@pytest.mark.external
@pytest.mark.parametrize("tabled", [False, True])
@pytest.mark.parametrize("name", ["connectFour", "breakthrough", "pentago", "skirmish", "ticTacToe"])
def test_replays_the_recordings(corpus: Path, name: str, tabled: bool) -> None:
    trace = load_trace(corpus, name)
    with PrologRunner(Rules.read(corpus / "games" / f"{name}.kif"), tabled) as prolog:
        for playout in trace["playouts"]:
            steps = playout["steps"][:STEPS]
            joints = [[ground(move) for move in step["moves"]] for step in steps if "moves" in step][: len(steps) - 1]
            answers = prolog.replay(joints, len(trace["roles"]))
            for step, (facts, end, *by_role) in zip(steps, answers, strict=True):
                assert digest(sorted(facts)) == step["state"]
                assert end == ["terminal" if step["terminal"] else "open"]
                if not step["terminal"]:
                    assert [[len(moves), digest(sorted(moves))] for moves in by_role] == step["legal"]


@pytest.mark.external
@pytest.mark.parametrize("name", ["tictactoe", "hex", "dotsandboxes"])
def test_agrees_with_the_reference_engine(name: str) -> None:
    rules = Rules.from_source(CATALOGUE[name].source())
    check_random_walk(rules, tabled=has_recursion(rules))


@pytest.mark.external
def test_words_that_mean_something_to_prolog() -> None:
    check_random_walk(Rules.parse(ODD_WORDS), tabled=False)


@pytest.mark.external
def test_recursion_in_circles_ends_with_tables() -> None:
    rules = Rules.parse(
        "(role a) (edge 1 2) (edge 2 1) (<= (path ?x ?y) (path ?x ?z) (edge ?z ?y)) (<= (path ?x ?y) (edge ?x ?y))"
        "(init s) (<= (legal a (go ?x)) (path 1 ?x)) (<= (next done) (does a (go ?x))) (<= terminal (true done))"
        "(goal a 100)"
    )
    assert has_recursion(rules)
    check_random_walk(rules, tabled=True)
    with PrologRunner(rules, tabled=False, seconds_to_answer=0.5) as prolog, pytest.raises(CannotPlayError):
        prolog.play(0)


@pytest.mark.external
def test_counts_the_moves_it_makes() -> None:
    rules = Rules.from_source(CATALOGUE["dotsandboxes"].source())
    with PrologRunner(rules, tabled=True) as prolog:
        played = prolog.play(0.05)
    assert played.playouts >= 1
    assert played.states == 40 * played.playouts
    assert played.cpu_seconds > 0


def test_fluents_without_a_name_are_refused() -> None:
    with pytest.raises(ValueError, match="variable"):
        prolog_program(Rules.parse("(role a) (init f) (<= (next ?f) (true ?f)) (legal a b) (goal a 0)"), tabled=False)


def check_random_walk(rules: Rules, tabled: bool) -> None:
    """Facts, end and moves or goals of every state of a random game are those of the reference engine."""
    expected = list(random_walk(ReferenceEngine(rules), Random(7)))
    with PrologRunner(rules, tabled) as prolog:
        answers = prolog.replay([joint for _, joint in expected if joint], len(rules.roles))
    shown = [[sorted(terms) for terms in state] for state in answers]
    assert shown == [state for state, _ in expected]


def random_walk(engine: ReferenceEngine, rng: Random) -> Iterator[tuple[list[list[str]], list[GroundTerm]]]:
    """The states of a random game as Prolog tells them, with the joint move made, none at the end."""
    states = engine.initial(1)
    for step in range(STEPS):
        facts = sorted(map(term_text, engine.decode(states)[0]))
        if engine.terminal(states)[0]:
            goals = [sorted(map(term_text, values)) for values in engine.goal_terms(states)[0]]
            yield [facts, ["terminal"], *goals], []
            return
        (legal,) = engine.legal(states)
        joint = [rng.choice(moves) for moves in legal]
        terms = [sorted(term_text(engine.move_term(move)) for move in moves) for moves in legal]
        yield [facts, ["open"], *terms], [engine.move_term(move) for move in joint] if step < STEPS - 1 else []
        states = engine.step(states, [joint])


def ground(text: str) -> GroundTerm:
    return read_term(text)  # type: ignore[return-value]
