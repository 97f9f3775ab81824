"""The solver's process: which claims of a logic program it drops, and that it ends."""

from __future__ import annotations

import time

import pytest

from ludens.errors import CompileError
from ludens.ground.limits import GroundingLimits, GroundingWatch
from ludens.ground.process import run_refuter
from ludens.runtime.deadline import Deadline

FRAME = "claim(1..3). #external on(I) : claim(I). {a; b}. :- on(1), a. :- on(2), b. "
PIGEONS = 11


def left_after(program: str, seconds: float = 20.0, budget: int = 5_000) -> list[str]:
    """What the process writes."""
    watch = GroundingWatch.start(GroundingLimits(seconds=60.0), Deadline(seconds))
    return run_refuter(f"budget({budget}). {program}", watch).decode().split()


def test_claims_that_nothing_breaks_are_proved() -> None:
    assert left_after(FRAME + "wrong(1,x) :- on(1), a. wrong(2,x) :- on(2), b.") == ["proved"]


def test_a_claim_falls_with_the_one_that_it_needs() -> None:
    """Claim 3 is always wrong, 2 is right only as long as 3 holds, and 1 needs nobody."""
    program = "claim(1..3). #external on(I) : claim(I). {a; b}. :- on(3), b. "
    program += "wrong(1,x) :- on(1), a, not a. wrong(2,x) :- on(2), b. wrong(3,y) :- on(3), a."
    assert left_after(program) == ["3", "2", "proved"]


def test_what_cannot_be_decided_in_its_time_is_dropped() -> None:
    """Pigeons in too few holes: a proof that takes for ever, next to one that is trivial."""
    program = f"""claim(1..2). #external on(I) : claim(I).
    1 {{in(P,H) : H=1..{PIGEONS}}} 1 :- P=1..{PIGEONS + 1}. :- in(P,H), in(Q,H), P<Q.
    ok :- on(2). wrong(2,x) :- on(2), not ok. wrong(1,x) :- on(1), ok."""
    squeezed = program.replace(":- in(P,H), in(Q,H), P<Q.", "{try}. :- try, in(P,H), in(Q,H), P<Q.")
    squeezed = squeezed.replace("wrong(1,x) :- on(1), ok.", "wrong(1,x) :- on(1), try.")
    begun = time.monotonic()
    assert left_after(squeezed, budget=600) == ["1", "proved"]
    assert time.monotonic() - begun < 15


def test_a_program_that_cannot_be_read() -> None:
    with pytest.raises(CompileError, match="failed"):
        left_after("this is (no program")


def test_the_deadline_is_kept_even_in_grounding() -> None:
    begun = time.monotonic()
    with pytest.raises(CompileError, match="longer than allowed"):
        left_after("claim(1). p(0). p(f(X)) :- p(X).", seconds=0.2)
    assert time.monotonic() - begun < 15
