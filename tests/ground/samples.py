"""Rules that several tests of grounding use, and how programs are compared."""

from __future__ import annotations

from ludens.gdl.rules import Rules
from ludens.ground import GroundProgram
from ludens.ground.asp import needed_rules, translate
from ludens.ground.aspif import read_aspif
from ludens.ground.cache import to_bytes
from ludens.ground.limits import GroundingLimits, GroundingWatch
from ludens.ground.process import run_grounder
from ludens.ground.simplify import to_program
from ludens.runtime.sealed_cache import SealedCache

NO_CACHE = SealedCache(None)

SMALL = Rules.parse(
    """(role me) (init (at 1)) (next-to 1 2) (next-to 2 3)
    (<= (legal me (go ?y)) (true (at ?x)) (next-to ?x ?y)) (legal me stay)
    (<= (next (at ?y)) (does me (go ?y))) (<= (next (at ?x)) (true (at ?x)) (does me stay))
    (<= terminal (true (at 3))) (<= (goal me 100) terminal) (<= (goal me 0) (not terminal))"""
)

ENDLESS = Rules.parse(
    """(role me) (legal me go) (init (count zero)) (<= (next (count (s ?x))) (true (count ?x)))
    (<= terminal (true (count (s zero)))) (goal me 0)"""
)

HUGE = Rules.parse(
    """(role me) (legal me go) (init a) (<= terminal (p ?a ?b ?c ?d ?e ?f) (not (p ?f ?b ?c ?d ?e ?a))) (goal me 0)
    (<= (p ?a ?b ?c ?d ?e ?f) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e) (n ?f) (true a))"""
    + " ".join(f"(n {number})" for number in range(40))
)
"""Four billion instances, and no way to split them."""


def as_bytes(program: GroundProgram) -> bytes:
    """All of a program, to compare it."""
    return to_bytes(program)


def ground_whole(rules: Rules) -> GroundProgram:
    """The program without any splitting of rules."""
    asp = translate(needed_rules(rules), rules.roles)
    data = run_grounder(asp.text, GroundingWatch.start(GroundingLimits()))
    return to_program(read_aspif(data, asp), rules.roles)
