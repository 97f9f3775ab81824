"""What the relational engine does at its limits, and that nothing remains of it."""

from __future__ import annotations

import gc
import os
import time
from random import Random
from threading import Event, Thread
from weakref import ref

import numpy as np
import pytest

from ludens.engines.fallback import FallbackEngine
from ludens.engines.reference import ReferenceEngine
from ludens.engines.relational import RelationalEngine, code, compiler, flatten, runtime, samples, statics
from ludens.errors import CompileError, EvaluationLimitError, UnknownFactError
from ludens.gdl.rules import Rules
from ludens.runtime.deadline import Deadline
from tests.engines.agreement import compare_walk
from tests.engines.beyond import is_beyond
from tests.engines.sheets import PLAY

COUNTING = "(init (count zero)) (<= (next (count (s ?x))) (true (count ?x)))"


@pytest.fixture(autouse=True)
def plain_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "SHORT_CODE", 0)


def few_terms(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(code, "POOLS", {**code.POOLS, "most_terms": (most, code.POOLS["most_terms"][1])})


def test_terms_and_rules_may_have_very_many_arguments() -> None:
    names, words = " ".join(f"?x{i}" for i in range(260)), " ".join("a" for _ in range(260))
    compare_walk(
        Rules.parse(
            f"{PLAY} (init (h {words})) (e a b) (e b a) (<= (p {names} ?y) (true (h {names})) (e ?x1 ?y)) "
            f"(<= (p {names} ?z) (p {names} ?y) (e ?y ?z)) (<= (legal me (q ?y)) (p {names} ?y)) "
            f"(<= (next (h {names})) (true (h {names})))"
        ),
        2,
        1,
    )


def test_random_games_leave_no_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    few_terms(monkeypatch, 300)
    stack = "(init (stack nil)) (item x) (item y) (<= (legal me (push ?i)) (item ?i)) "
    stack += "(<= (next (stack (cons ?i ?s))) (true (stack ?s)) (does me (push ?i))) "
    engine = RelationalEngine.compile(Rules.parse(f"{PLAY} {stack} (<= (next (stack nil)) (does me wait))"))
    for seed in range(100):
        assert engine.playouts(engine.initial(1), Random(seed), max_steps=100).lengths == [100]


def test_states_leave_only_their_own_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is asked of a state needs terms of its own each time; nobody gets to see them."""
    few_terms(monkeypatch, 150)
    words = " ".join(f"(w {i})" for i in range(10))
    rules = Rules.parse(
        f"{PLAY} {words} {COUNTING} (init (at 0)) (<= (pair (s (p ?x ?z))) (w ?x) (true (at ?z))) "
        "(<= (odd ?p ?p) (pair ?p)) (<= (next (at ?x)) (does me (go ?x))) "
        "(<= (legal me (go ?x)) (odd ?p (s ?q)) (w ?x))"
    )
    engine, states = RelationalEngine.compile(rules), [frozenset([("at", str(i))]) for i in range(10)]
    used: set[int] = set()
    for row in [*range(10)] * 3:
        state = engine.encode(states[row : row + 1])
        (moves,) = engine.legal(state)[0]
        used.add(int(engine.interpreter.memory["control"][runtime.TERMS]))
        assert len(moves) == 11
        assert engine.decode(engine.step(state, [[engine.move_number(0, ("go", "3"))]])) == [states[3]]
    assert max(used) > 20


def test_what_finds_no_room_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    few_terms(monkeypatch, 200)
    engine = RelationalEngine.compile(Rules.parse(PLAY + COUNTING))
    for _ in range(2):
        with pytest.raises(EvaluationLimitError, match="too many different moves or terms"):
            engine.playouts(engine.initial(1), Random(1), max_steps=300)
    deep = engine.decode(engine.initial(1))[0]
    for _ in range(300):
        deep = frozenset([("count", ("s", fact[1])) for fact in deep])
    with pytest.raises(EvaluationLimitError, match="too many different"):
        engine.encode([deep])
    assert engine.playouts(engine.initial(1), Random(1), max_steps=100).lengths == [100]
    assert not engine.terminal(engine.initial(1)).any()


def test_very_deep_terms() -> None:
    engine = RelationalEngine.compile(Rules.parse(PLAY + COUNTING))
    state = engine.initial(1)
    (joint,) = engine.legal(state)
    for _ in range(3000):
        state = engine.step(state, joint)
    facts = engine.decode(state)
    assert engine.decode(engine.encode(facts)) == facts
    (fact,) = facts[0]
    with pytest.raises(UnknownFactError, match="can hold in no state") as refused:
        engine.encode([frozenset([("count", ("t", fact))])])
    assert len(str(refused.value)) < 200


def test_stamps_begin_anew_between_random_games() -> None:
    rules = Rules.parse(
        f"{PLAY} (init a) (<= (next (x b)) (true a)) (<= (next (x c)) (true (x b))) (<= (next over) (true (x c)))"
    )
    engine = RelationalEngine.compile(rules)
    for start in (2**32 - 3, 2**31 + 1):
        engine.interpreter.memory["control"][[runtime.EPOCH, runtime.ROUND]] = np.uint32(start)
        assert engine.playouts(engine.initial(2), Random(1), max_steps=10).lengths.tolist() == [3, 3]
        assert engine.interpreter.memory["control"][runtime.EPOCH] < 100


def test_no_steps_at_all() -> None:
    engine = RelationalEngine.compile(Rules.parse(PLAY + COUNTING))
    for most in (0, -1):
        played = engine.playouts(engine.initial(1), Random(1), max_steps=most)
        assert (played.lengths.tolist(), played.finished.tolist()) == ([0], [False])


def test_rules_for_very_many_kinds_of_terms_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    facts, free = " ".join(f"(init (f{i} a))" for i in range(20)), " ".join(f"(true ?v{i})" for i in range(6))
    rules = Rules.parse(f"{PLAY} {facts} (<= (next over) {free} (true (f0 b)))")
    with pytest.raises(CompileError, match="in time"):
        RelationalEngine.compile(rules, deadline=Deadline(0.5))
    monkeypatch.setattr(flatten, "MAX_RULES", 1_000)
    with pytest.raises(CompileError, match="more than 1,000 rules"):
        RelationalEngine.compile(rules)
    monkeypatch.setattr(flatten, "MAX_TRIED", 500)
    with pytest.raises(CompileError, match="too many variables"):
        RelationalEngine.compile(rules)


FACTS = " ".join(f"(n {i}) (p {i} {i + 1})" for i in range(60))
BAD = {
    "by their number": "(<= (bad ?a ?b ?c) (n ?a) (n ?b) (n ?c))",
    "by a recursion": "(<= (bad ?a ?b ?b) (p ?a ?b)) (<= (bad ?a ?b ?c) (bad ?a ?b ?d) (p ?d ?c) (n ?b))"
    "(<= (bad ?a ?b ?c) (n ?a) (n ?c) (bad ?b ?a ?a))",
    "without an end": "(bad z z z) (<= (bad (s ?a) ?b ?c) (bad ?a ?b ?c))",
}


@pytest.mark.parametrize("kind", BAD)
def test_facts_without_number_are_not_listed(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are asked on demand, and what does not need them is listed."""
    rules = Rules.parse(f"(role me) {FACTS} {BAD[kind]} (<= (far ?a ?c) (p ?a ?b) (p ?b ?c))").rules
    monkeypatch.setattr(statics, "MAX_FACTS", 1_000)
    listed = statics.static_facts(rules)
    assert ("bad", 3) not in listed
    assert sorted(listed["far", 2]) == sorted((str(i), str(i + 2)) for i in range(59))

    def check() -> None:
        raise CompileError("enough")

    with pytest.raises(CompileError, match="enough"):
        statics.static_facts(rules, check)


def test_facts_are_not_listed_where_that_would_cost_too_much() -> None:
    """Nothing is found, but there would be very much to look at."""
    rules = Rules.parse(
        f"(role me) {FACTS} (<= (bad ?a ?b ?c ?d ?e) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e) (odd ?a ?b ?c ?d ?e))"
        "(<= (odd ?a ?b ?c ?d ?e) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e) (distinct ?a ?a))"
    ).rules
    assert ("bad", 5) not in statics.static_facts(rules)


def test_nobody_waits_for_a_slow_step(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = Rules.parse(PLAY + COUNTING)
    reference, released = ReferenceEngine(rules), Event()

    def slow(state: object, _: object) -> object:
        released.wait(60)
        return state

    monkeypatch.setattr(reference.interpreter, "advance", slow)
    assert samples.sample_states(reference, lambda: None) == []

    def check() -> None:
        raise CompileError("cancelled")

    with pytest.raises(CompileError, match="cancelled"):
        samples.sample_states(reference, check)
    released.set()


def test_a_recursion_with_very_many_ways_is_kept_in_tables() -> None:
    steps, marks = " ".join(f"(succ {i} {i + 1})" for i in range(11)), " ".join(f"(init (m {i}))" for i in range(30))
    rules = Rules.parse(
        f"{PLAY} {steps} {marks} (<= (p ?x ?y) (succ ?x ?z) (true (m ?y)) (true (m ?w)) (distinct ?w ?y) (p ?z ?w)) "
        "(<= (p 11 ?y) (true (m ?y)) (true win)) (<= (next over) (true (m ?y)) (p 0 ?y)) (<= (next win) (true (m no)))"
    )
    engine = RelationalEngine.compile(rules)
    start = engine.initial(1)
    assert engine.decode(engine.step(start, engine.legal(start)[0])) == [frozenset()]
    assert engine.interpreter.memory["control"][runtime.WORK] < 1_000_000


def test_a_recursion_where_very_many_wait_for_tests() -> None:
    """A closure, whose steps are tests of all pairs for all words."""
    words = " ".join(f"(init (m {i}))" for i in range(12))
    compare_walk(
        Rules.parse(
            f"{PLAY} {words} (<= (r ?x ?y) (true (m ?x)) (true (m ?y))) (<= (r ?x ?z) (r ?x ?y) (r ?z ?y)) "
            "(<= (next (win ?x)) (r ?x ?y) (r ?y ?x)) (<= (next (m ?x)) (true (m ?x)) (true (m no)))"
        ),
        3,
        1,
    )


def test_random_games_do_not_depend_on_what_was_asked_before(monkeypatch: pytest.MonkeyPatch) -> None:
    few_terms(monkeypatch, 300)
    words = " ".join(f"(w {i})" for i in range(20))
    rules = Rules.parse(
        f"(role me) {words} (init (n nil)) (<= terminal (true (n (cons ?a (cons ?b (cons ?c ?d)))))) "
        "(<= (goal me ?x) (true (n (cons ?x ?y)))) (<= (legal me (push ?i)) (w ?i)) "
        "(<= (next (n (cons ?i ?s))) (true (n ?s)) (does me (push ?i)))"
    )
    reference = ReferenceEngine(rules)
    engine = FallbackEngine(RelationalEngine.compile(rules, reference), reference)
    before = engine.playouts(engine.initial(6), Random(3)).goals.tolist()
    start, beyond = engine.initial(1), 0
    for first in engine.legal(start)[0][0]:
        states = engine.step(start, [[first]])
        for second in engine.legal(states)[0][0]:
            beyond += is_beyond(engine, engine.step(states, [[second]]))
    assert beyond > 100
    assert engine.playouts(engine.initial(6), Random(3)).goals.tolist() == before
    assert engine.relational.playouts(engine.relational.initial(6), Random(3)).goals.tolist() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be copied here")
def test_an_engine_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[object] = []
    monkeypatch.setattr(os, "register_at_fork", lambda **callbacks: kept.append(callbacks))
    engine = RelationalEngine.compile(Rules.parse(PLAY + COUNTING))
    assert engine.legal(engine.initial(1))
    watched = ref(engine)
    del engine
    gc.collect()
    assert watched() is None
    assert kept == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be copied here")
def test_a_copy_of_the_process_does_not_wait_for_a_thread_that_is_not_there() -> None:
    engine = RelationalEngine.compile(Rules.parse(PLAY + COUNTING))
    start = engine.initial(1)
    after = engine.step(start, engine.legal(start)[0])
    begun = Event()

    def play() -> None:
        begun.set()
        for seed in range(60):
            engine.playouts(engine.initial(1), Random(seed), max_steps=10_000)

    thread = Thread(target=play)
    thread.start()
    begun.wait()
    time.sleep(0.05)
    child = os.fork()
    if child == 0:
        facts = engine.decode(engine.step(after, engine.legal(after)[0]))
        os._exit(facts != [frozenset([("count", ("s", ("s", "zero")))])])
    assert os.waitpid(child, 0)[1] == 0
    thread.join()
