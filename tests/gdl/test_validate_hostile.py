"""Sheets made to take long: every check ends soon, whatever it then can say."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache

import pytest

from ludens.gdl.rules import Rules
from tests.gdl.test_validate import GAME
from tests.tiers import FULL

SECONDS = {0.2: 6, 1: 30}
"""Limits by size: far more than any of these takes, far less than they took once (minutes, or a stack overflow)."""


@cache
def hostile(size: float) -> dict[str, str]:
    """Return sheets of the size that once took minutes, or of a part of it."""

    def many(number: int, part: Callable[[int], str]) -> str:
        return "\n".join(map(part, range(int(number * size))))

    last = int(2000 * size)
    return {
        "a join of many conditions": many(1500, lambda n: f"(q{n} 5)")
        + f"(<= (goal white ?v) {many(1500, lambda n: f'(q{n} ?v)')})",
        "one condition, many heads": "(q 1) (<= terminal (p 1))" + many(4000, lambda n: f"(<= (p a{n}) (p ?x) (q ?x))"),
        "many conditions, many heads": "(q 1) (<= terminal (p 1 1))"
        + many(3000, lambda n: f"(<= (p a{n} ?x) (not (p ?x b{n})) (q ?x))"),
        "many undefined names": many(2000, lambda n: f"(alpha{n}beta 1) (<= terminal (alpha{n}bet 1))"),
        "long undefined names": many(500, lambda n: f"({'ab' * 400}{n} 1) (<= terminal ({'ba' * 400}{n} 1))"),
        "a rule of many conditions": "(q 1)" + f"(<= terminal {many(20000, lambda n: f'(q ?x{n})')})",
        "a recursive rule of many conditions": "(<= terminal (p 1))"
        + f"(<= (p ?x1) (succ ?x1 2) (not (p ?x1)) {many(20000, lambda n: f'(p ?x{n})')})",
        "a head of many variables": f"(<= (next (f {many(10000, lambda n: f'?x{n}')})) (succ 1 2))",
        "negation of a large table": many(8000, lambda n: f"(p a{n}) (q b{n})")
        + "(<= (goal white ?v) (p ?v) (not (q ?v)))",
        "many joins of a large table": many(5000, lambda n: f"(n {n})")
        + many(300, lambda n: f"(<= (goal white ?v) (n ?v) (z{n} ?v)) (<= (z{n} ?x) (n ?x))"),
        "terms that double": "(p0 a) (<= (goal white ?x) (p60 ?x))"
        + "".join(f"(<= (p{n + 1} (f ?x ?x)) (p{n} ?x))" for n in range(60)),
        "terms that grow": "(p a) (<= (p (f ?x ?y)) (p ?x) (p ?y)) (<= (goal white ?v) (p ?v))",
        "terms that grow deep": "(p a) (<= (p (f ?x)) (p ?x)) (<= (goal white ?v) (p ?v))",
        "many circles of many instances": many(3000, lambda n: f"(e a{n} a{n + 1})")
        + many(100, lambda n: f"(<= (o{n} ?x) (e ?x ?y) (not (o{n} ?y))) (<= terminal (o{n} a1))"),
        "words that flow in a long circle": f"(<= (c0 ?x) (c{last} ?x) (not (c0 ?x))) (<= terminal (c1 1))"
        + many(2000, lambda n: f"(c{last - n} a{n}) (<= (c{last - n} ?x) (c{last - n - 1} ?x))"),
        "facts that almost match": many(1500, lambda n: f"(<= (next (f (h ?x) a{n})) (true (step ?x)))")
        + many(1500, lambda n: f"(<= terminal (true (f (g ?x) ?y)) (true (step c{n})))"),
        "many roles": many(8000, lambda n: f"(role r{n}) (legal r{n} go)"),
    }


@pytest.mark.parametrize("size", [0.2, pytest.param(1, marks=FULL)])
@pytest.mark.parametrize("name", hostile(0))
def test_hostile_sheets_are_checked_in_time(name: str, size: float) -> None:
    rules = Rules.parse(GAME + hostile(size)[name])
    start = time.process_time()
    rules.validate()
    assert time.process_time() - start < SECONDS[size]
