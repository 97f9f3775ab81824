"""Small sheets with the relation `random`."""

from __future__ import annotations

INFERENCE = """
; The paper's example: two rules that are independent of each other lead to the same conclusion, one in 10 % of all
; cases and the other in 75 %.
(role expert)
(random rule1 10 yes) (random rule1 90 no)
(random rule2 75 yes) (random rule2 25 no)
(init asked)
(<= (legal expert (conclude rule1 rule2)) (true asked))
(<= (next (found ?x ?y)) (does expert (conclude ?x ?y)))
(<= terminal (not (true asked)))
(<= conclusion (true (found yes ?y)))
(<= conclusion (true (found ?x yes)))
(<= (goal expert 100) conclusion)
(<= (goal expert 0) (not conclusion))
"""

LOADED = """
; A loaded die: 1, 2 and 3 in the proportions 1 : 2 : 3. It may be thrown up to three times; the last throw counts.
(role player)
(random die 1 1) (random die 2 2) (random die 3 3)
(init (left 3)) (init (shown 0))
(fewer 3 2) (fewer 2 1) (fewer 1 0)
(<= (legal player (throw die)) (true (left ?n)) (distinct ?n 0))
(<= (legal player stop) (true (shown ?x)) (distinct ?x 0))
(<= (next (shown ?x)) (does player (throw ?x)))
(<= (next (shown ?x)) (does player stop) (true (shown ?x)))
(<= (next (left ?m)) (does player (throw ?x)) (true (left ?n)) (fewer ?n ?m))
(<= (next over) (does player stop))
(<= terminal (true over))
(<= terminal (true (left 0)))
(worth 0 0) (worth 1 10) (worth 2 40) (worth 3 100)
(<= (goal player ?value) (true (shown ?x)) (worth ?x ?value))
"""

CARDS = """
; Cards are drawn from a pack of four without putting them back, in turn. Who draws the ace of spades wins; who does
; not want to draw says so, once.
(role north) (role south)
(other north south) (other south north)
(card (ace spades)) (card (ace hearts)) (card two) (card three)
(<= (random pack 0 ?card) (card ?card) (true (drawn ?card ?who)))
(<= (random pack 1 ?card) (card ?card) (not (taken ?card)))
(<= (taken ?card) (true (drawn ?card ?who)))
(init (control north)) (init (may_pass north)) (init (may_pass south))
(<= (legal ?p (draw pack)) (true (control ?p)))
(<= (legal ?p pass) (true (control ?p)) (true (may_pass ?p)))
(<= (legal ?p noop) (true (control ?q)) (other ?q ?p))
(<= (next (drawn ?card ?p)) (does ?p (draw ?card)))
(<= (next (drawn ?card ?p)) (true (drawn ?card ?p)))
(<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
(<= (next (may_pass ?p)) (true (may_pass ?p)) (not (does ?p pass)))
(<= terminal (true (drawn (ace spades) ?p)))
(<= (goal ?p 100) (true (drawn (ace spades) ?p)))
(<= (goal ?p 0) (other ?p ?q) (true (drawn (ace spades) ?q)))
(<= (goal ?p 50) (role ?p) (not terminal))
"""

SHARED = """
; Two roles move at once: both may use the same coin, or a die of their own. Who calls `(bet coin coin)` has it twice.
(role a) (role b)
(random coin 1 head) (random coin 3 tail) (random die_a 1 1) (random die_a 1 2) (random die_b 2 1) (random die_b 1 2)
(init start)
(<= (legal ?p (bet coin)) (role ?p))
(<= (legal a (bet coin coin)) (true start))
(<= (legal a (roll die_a)) (true start))
(<= (legal b (roll die_b)) (true start))
(legal b wait)
(<= (next (made ?p ?m)) (does ?p ?m))
(<= terminal (not (true start)))
(<= (goal ?p 50) (role ?p))
"""

ADDED = """
; Weights of the same outcome add up: 6 is drawn in 1 + 2 of 5 cases.
(role a)
(random d 1 6) (random d 2 6) (random d 2 1) (random d 0 3)
(init start)
(legal a (roll d))
(<= (next (shown ?x)) (does a (roll ?x)))
(<= terminal (true (shown ?x)))
(<= (goal a 100) (true (shown 6)))
(<= (goal a 0) (not (true (shown 6))))
"""

URN = """
; An urn with 3 red and 2 blue balls; the weights are the numbers that are left.
(role a)
(init (left red 3)) (init (left blue 2)) (init (step 0))
(fewer 3 2) (fewer 2 1) (fewer 1 0) (fewer 4 3)
(<= (random ball ?n ?colour) (true (left ?colour ?n)))
(<= (legal a (take ball)) (true (step ?n)))
(<= (next (left ?c ?m)) (does a (take ?c)) (true (left ?c ?n)) (fewer ?n ?m))
(<= (next (left ?c ?n)) (true (left ?c ?n)) (not (does a (take ?c))))
(<= (next (step ?m)) (true (step ?n)) (fewer ?m ?n))
(<= terminal (true (step 4)))
(<= (goal a 100) (true (left red 1)) (true (left blue 0)))
(<= (goal a 30) (true (left red 0)) (true (left blue 1)))
(<= (goal a 0) (not terminal))
"""

MIXED = """
; Patterns that overlap: what stands for a plain word in one move is a random variable in the other.
(role a)
(word p) (word (f q))
(random d 1 p) (random d 3 z) (random e 2 y) (random e 5 x)
(init start)
(<= (legal a (say ?x d)) (word ?x))
(legal a (say d d)) (legal a (say (f d) d)) (legal a (say e d)) (legal a (say p p)) (legal a d)
(<= (next (said ?m)) (does a ?m))
(<= terminal (not (true start)))
(goal a 0)
"""

SHEETS = {
    "inference": INFERENCE,
    "loaded": LOADED,
    "cards": CARDS,
    "shared": SHARED,
    "added": ADDED,
    "urn": URN,
    "mixed": MIXED,
}
