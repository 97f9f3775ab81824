"""Rule sheets for tests of single points."""

ROW = "(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)"
LESS = "(<= (less ?a ?b) (succ ?a ?b)) (<= (less ?a ?c) (succ ?a ?b) (less ?b ?c))"

SCORE = f"""
(role me) {ROW} {LESS} (init (score 0)) (legal me more) (legal me wait)
(<= (next (score ?b)) (does me more) (true (score ?a)) (succ ?a ?b))
(<= (next (score ?a)) (does me wait) (true (score ?a)))
(<= rich (true (score ?n)) (less 3 ?n))
(<= terminal rich) (<= (goal me 100) rich) (<= (goal me 0) (not rich))
"""
"""Rich is who has more than 3."""

RACE = f"""
(role a) (role b) (role c) {ROW} {LESS} (init (score a 0)) (init (score b 0)) (init (score c 0)) (init (step 0))
(<= (legal ?r more) (role ?r)) (<= (legal ?r wait) (role ?r))
(<= (next (score ?r ?m)) (does ?r more) (true (score ?r ?n)) (succ ?n ?m))
(<= (next (score ?r ?n)) (does ?r wait) (true (score ?r ?n)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= terminal (true (step 5)))
(<= (beaten ?r) (true (score ?r ?n)) (true (score ?s ?m)) (less ?n ?m))
(<= (goal ?r 100) (role ?r) (not (beaten ?r))) (<= (goal ?r 0) (beaten ?r))
"""

ODD = """
(role me) (init (at (place 1 (deep a)))) (init (count z)) (legal me go) (legal me stay)
(up z (s z)) (up (s z) (s (s z)))
(<= (next (at (place 2 (deep b)))) (does me go)) (<= (next (at ?p)) (does me stay) (true (at ?p)))
(<= (next (count ?m)) (true (count ?n)) (up ?n ?m))
(<= terminal (or (true (count (s (s z)))) (and (true (at (place 2 ?x))) (not (true (count z))))))
(<= (goal me 70) (or (true (at (place 1 ?x))) (not (true (at (place 2 (deep b)))))))
(<= (goal me 30) (true (at (place 2 (deep ?y)))))
(goal me ten)
"""
"""`or`, `and`, functions inside functions, and a goal that is no number."""

PAIRS = """
(role me) (place 1) (place 2) (place 3) (legal me wait)
(<= (legal me (put ?side ?x)) (place ?x) (side ?side)) (side left) (side right)
(<= (next (at ?side ?x)) (does me (put ?side ?x))) (<= (next (at ?side ?x)) (true (at ?side ?x)))
(<= terminal (true (at left ?x)) (true (at right ?y))) (<= (goal me 100) terminal) (<= (goal me 0) (not terminal))
"""
"""The end asks for something on the left and something on the right."""

THREE = """
(role me) (place 1) (place 2) (place 3) (place 4) (init (at 1)) (legal me wait)
(<= (legal me (go ?x)) (place ?x)) (<= (next (at ?x)) (does me (go ?x))) (<= (next (at ?x)) (true (at ?x)))
(<= (all ?x ?y ?z) (true (at ?x)) (true (at ?y)) (true (at ?z)))
(<= terminal (all 2 3 4)) (<= (goal me 100) (all 2 3 4)) (<= (goal me 50) (not (all 2 3 4)))
"""

CIRCLE = """
(role me) (near 1 2) (near 2 3) (near 3 1) (init (lamp 1)) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
(legal me wait) (<= (legal me (light ?x)) (near ?x ?y))
(<= (next (lamp ?x)) (true (lamp ?x))) (<= (next (lamp ?x)) (does me (light ?x)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (lit ?x) (true (lamp ?x)) (not (true (step 0)))) (<= (lit ?y) (lit ?x) (near ?x ?y) (true (lamp ?y)))
(<= terminal (true (step 3))) (<= (goal me 100) (lit 3)) (<= (goal me 0) (not (lit 3)))
"""
"""What is lit depends on itself."""

WORDS = """
(role me) (init (v a)) (init (w b)) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(word a) (word b) (word c) (word z) (le a a) (le b b) (le c c) (le z z) (le a b) (le b c) (le a c)
(<= (legal me ?x) (word ?x)) (<= (next (v ?x)) (does me ?x)) (<= (next (w ?x)) (true (v ?x)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m)) (<= terminal (true (step 4)))
(<= fine (true (v ?x)) (true (w ?y)) (le ?x ?y)) (<= (goal me 100) fine) (<= (goal me 0) (not fine))
"""
"""The word `z` comes neither before nor after another, but is as large as itself."""

TWICE = """
(role me) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (legal me wait) (legal me go)
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m)) (<= (next on) (does me go)) (<= terminal (true (step 3)))
(<= (goal me 50) (true on) (true (step 1))) (<= (goal me 050) (true on) (true (step 2)))
(<= (goal me 100) (true (step 3))) (<= (goal me 0) (not (true on)))
"""
"""Half of the points, written in two ways."""
