"""Rule sheets for several tests."""

from __future__ import annotations

COIN = """
(role guesser) (role keeper) (role random)
(init (round 0)) (succ 0 1) (succ 1 2)
(<= (legal random (toss heads)) (true (round 0))) (<= (legal random (toss tails)) (true (round 0)))
(<= (legal random noop) (true (round 1)))
(<= (legal keeper noop) (true (round ?n)))
(<= (legal guesser noop) (true (round 0)))
(<= (legal guesser (say heads)) (true (round 1))) (<= (legal guesser (say tails)) (true (round 1)))
(<= (sees keeper ?side) (does random (toss ?side)))
(<= (next (coin ?side)) (does random (toss ?side)))
(<= (next (coin ?side)) (true (coin ?side)))
(<= (next (round ?m)) (true (round ?n)) (succ ?n ?m))
(<= (next right) (does guesser (say ?side)) (true (coin ?side)))
(<= terminal (true (round 2)))
(<= (goal guesser 100) (true right)) (<= (goal guesser 0) (not (true right)))
(<= (goal keeper 0) (true right)) (<= (goal keeper 100) (not (true right)))
"""
"""One sees how a coin falls, the other guesses."""


SUBMARINE = """
(role white) (role random) (role black) (place 1) (place 2) (place 3) (init (phase lay))
(<= (init (cell ?x ?y empty)) (place ?x) (place ?y))
(<= (legal random (lay ?x ?y)) (true (phase lay)) (place ?x) (place ?y))
(<= (legal random noop) (not (true (phase lay))))
(legal black noop) (<= (legal white noop) (true (phase lay)))
(<= (legal white dig) (true (phase play))) (<= (legal white (shoot submarine)) (true (phase play)))
(<= (legal white (bomb ?x ?y)) (true (phase play)) (place ?x) (place ?y))
(<= (next (phase play)) (true (phase lay))) (<= (next (phase end)) (true (phase play)))
(<= (laid ?x ?y) (does random (lay ?x ?y)))
(<= (next (cell ?x ?y submarine)) (laid ?x ?y))
(<= (next (cell ?x ?y empty)) (true (cell ?x ?y empty)) (not (laid ?x ?y)))
(<= (next (cell ?x ?y submarine)) (true (cell ?x ?y submarine)) (not (does white dig)))
(<= (next (cell ?x ?y treasure)) (true (cell ?x ?y submarine)) (does white dig))
(<= (sees black (at ?x ?y)) (laid ?x ?y))
(<= terminal (true (phase end))) (<= (goal ?r 50) (role ?r))
"""
"""Only one sees where a submarine is laid; a move of the other changes just its cell, and another names it."""


def many_moves(numbers: int) -> str:
    """A game of one move, with as many choices as there are pairs of numbers."""
    return (
        "(role one) (init start) (<= terminal (not (true start))) (goal one 100) (<= (next start) (does one (go 0 0))) "
        + " ".join(f"(d {number})" for number in range(numbers))
        + " (<= (legal one (go ?a ?b)) (d ?a) (d ?b))"
    )
