"""Sheets with all that rules can do, small enough to look at everything in them."""

from __future__ import annotations

from ludens.core import GroundTerm

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

SMALL = FORCED | FREE
"""So small that every set of facts and every joint move can be compared."""

PLAY = "(role me) (legal me wait) (goal me 50) (<= terminal (true over)) "
LETTERS = "(letter a) (letter b) (letter c) (letter d) (init (at a)) "
CIRCLE = "(link a b) (link b c) (link c a) (link c d) "
LIKE_OURS = " ".join(f"?x.{number}" for number in range(10))

JOINS = {
    "a recursion in circles, asked from both ends": PLAY
    + LETTERS
    + CIRCLE
    + "(<= (reach ?x ?y) (open ?x ?y)) (<= (reach ?x ?z) (open ?x ?y) (reach ?y ?z)) "
    + "(<= (open ?x ?y) (link ?x ?y) (not (true (shut ?y)))) "
    + "(<= (legal me (go ?y)) (true (at ?x)) (reach ?x ?y)) (<= (legal me (back ?x)) (true (at ?y)) (reach ?x ?y)) "
    + "(<= (legal me (shut ?x)) (letter ?x)) (<= (next (shut ?x)) (does me (shut ?x))) "
    + "(<= (next (at ?x)) (does me (go ?x))) (<= (next (at ?x)) (does me (back ?x))) "
    + "(<= (next (at ?x)) (true (at ?x)) (not moved)) (<= moved (does me (go ?x))) (<= moved (does me (back ?x))) ",
    "two relations that need each other": PLAY
    + LETTERS
    + CIRCLE
    + "(<= (even ?x ?y) (link ?x ?z) (odd ?z ?y)) (<= (odd ?x ?y) (link ?x ?y) (true (at ?any))) "
    + "(<= (odd ?x ?y) (even ?z ?y) (link ?x ?z)) "
    + "(<= (legal me (even ?x)) (true (at ?y)) (even ?y ?x)) (<= (legal me (odd ?x)) (true (at ?y)) (odd ?y ?x)) "
    + "(<= (next (at ?x)) (does me (even ?x))) (<= (next (at ?x)) (does me (odd ?x))) "
    + "(<= (next (at b)) (does me wait)) ",
    "a recursion that needs the same twice": PLAY
    + LETTERS
    + CIRCLE
    + "(<= (far ?x ?y) (link ?x ?y) (not (true (at ?y)))) (<= (far ?x ?z) (far ?x ?y) (far ?y ?z)) "
    + "(<= (legal me (go ?x ?y)) (far ?x ?y)) (<= (next (at ?x)) (does me (go ?y ?x))) "
    + "(<= (next (at d)) (does me wait)) (<= (next over) (far ?x ?x) (true (at d))) ",
    "a recursion that depends on the move": PLAY
    + LETTERS
    + CIRCLE
    + "(<= (legal me (pour ?x)) (letter ?x)) (<= (wet ?x) (does me (pour ?x))) (<= (wet ?y) (wet ?x) (link ?x ?y)) "
    + "(<= (next (at ?x)) (letter ?x) (not (wet ?x))) (<= (next (dry ?x)) (letter ?x) (not (wet ?x))) ",
    "what is absent from itself further on": PLAY
    + "(after 1 2) (after 2 3) (after 3 4) (init (on 1)) (init (on 2)) (number 1) (number 2) (number 3) (number 4) "
    + "(<= (won ?n) (after ?n ?m) (not (won ?m)) (true (on ?n))) "
    + "(<= (legal me (switch ?n)) (number ?n)) (<= (legal me (win ?n)) (won ?n)) "
    + "(<= (next (on ?n)) (does me (switch ?n)) (not (true (on ?n)))) "
    + "(<= (next (on ?n)) (true (on ?n)) (not (does me (switch ?n)))) ",
    "terms in terms, and terms in place of words": PLAY
    + "(init (cell 1 (piece queen white))) (init (cell 2 empty)) (init (cell 3 (piece rook black))) "
    + "(kind queen) (kind rook) (place 1) (place 2) (place 3) "
    + "(<= (legal me (put ?p (piece ?k white))) (true (cell ?p empty)) (kind ?k)) "
    + "(<= (legal me (clear ?p)) (true (cell ?p ?c)) (distinct ?c empty)) "
    + "(<= (next (cell ?p ?c)) (does me (put ?p ?c))) (<= (next (cell ?p empty)) (does me (clear ?p))) "
    + "(<= (next (cell ?p ?c)) (true (cell ?p ?c)) (not (touched ?p))) "
    + "(<= (touched ?p) (does me (put ?p ?c))) (<= (touched ?p) (does me (clear ?p))) "
    + "(<= (next over) (true (cell ?p (piece ?k white))) (true (cell ?q (piece ?k white))) (distinct ?p ?q)) ",
    "lists that grow and are taken apart": PLAY
    + "(init (stack nil)) (item x) (item y) "
    + "(<= (legal me (push ?i)) (item ?i) (true (stack ?s)) (short ?s)) "
    + "(<= (legal me pop) (true (stack (cons ?i ?s)))) "
    + "(<= (short ?s) (true (stack ?s)) (not (long ?s))) (<= (long (cons ?a (cons ?b (cons ?c ?s)))) "
    + "(true (stack (cons ?a (cons ?b (cons ?c ?s)))))) "
    + "(<= (next (stack (cons ?i ?s))) (does me (push ?i)) (true (stack ?s))) "
    + "(<= (next (stack ?s)) (does me pop) (true (stack (cons ?i ?s)))) "
    + "(<= (next (stack ?s)) (true (stack ?s)) (does me wait)) "
    + "(<= (inside ?i) (true (stack ?s)) (member ?i ?s)) (<= (member ?i (cons ?i ?s)) (part (cons ?i ?s))) "
    + "(<= (member ?i (cons ?j ?s)) (part (cons ?j ?s)) (member ?i ?s)) "
    + "(<= (part ?s) (true (stack ?s))) (<= (part ?s) (part (cons ?i ?s))) (<= (goal me 10) (inside x)) ",
    "facts and moves that only a variable names": PLAY
    + "(init lamp) (init (heat 1)) (thing lamp) (thing (heat 1)) (thing (heat 2)) "
    + "(<= (legal me (toggle ?f)) (thing ?f)) (<= (legal me ?m) (extra ?m)) (extra jump) (extra (hop 1)) "
    + "(<= (next ?f) (true ?f) (not (does me (toggle ?f)))) (<= (next ?f) (does me (toggle ?f)) (not (true ?f))) "
    + "(<= (next (did ?m)) (does me ?m) (extra ?m)) (<= (goal me 20) (true (did (hop ?n)))) "
    + "(<= (goal me 30) (not (true ?anything))) ",
    "equal terms, repeated variables and variables of a negation alone": PLAY
    + "(init (pair a a)) (init (pair a b)) (word a) (word b) "
    + "(<= (legal me (same ?x)) (true (pair ?x ?x))) "
    + "(<= (legal me (twin ?x ?y)) (word ?x) (not (distinct ?x ?y)) (word ?y)) "
    + "(<= (legal me lonely) (not (true (pair ?x ?x)))) (<= (legal me nothing) (not (some ?x ?x))) "
    + "(<= (some ?x ?y) (true (pair ?x ?y))) "
    + "(<= (next (pair ?y ?x)) (true (pair ?x ?y)) (not (does me (same ?x)))) "
    + "(<= (next (pair b b)) (does me (twin b b))) (<= (next (pair ?x b)) (does me lonely) (word ?x)) ",
    "either of several, and roles in variables": "(role you) "
    + PLAY
    + "(<= (legal ?r (say ?w)) (role ?r) (or (spoken ?w) (and (true (said ?w)) (not (true over))))) (spoken hi) "
    + "(<= (next (said ?r)) (does ?r (say ?w))) (<= (next over) (does you (say you)) (does me ?any)) "
    + "(<= (next (heard ?r ?w)) (does ?q (say ?w)) (role ?r) (distinct ?q ?r)) (<= (goal ?r 5) (true (said ?r))) ",
    "a relation with the name of another": PLAY
    + "(next 1 2) (next 2 3) (true 1 2 3) (init (count 1)) (<= (next (count ?n)) (true (count ?m)) (next ?m ?n)) "
    + "(<= (next (count ?m)) (true (count ?m)) (not (next ?m ?n)) (number ?m)) (number 3) "
    + "(<= (next over) (true ?a ?b ?c) (true (count ?c))) ",
    "rules that ask what is legal": PLAY
    + "(init (at a)) (link a b) (link b a) (link b c) (<= (legal me (go ?y)) (true (at ?x)) (link ?x ?y)) "
    + "(<= (next (at ?x)) (does me (go ?x))) (<= (next (could ?r ?x)) (legal ?r (go ?x))) "
    + "(<= (next (able ?r)) (legal ?r ?m) (does ?r ?m)) (<= (next over) (does me ?m) (not (legal me (go a)))) ",
    "what is not so of terms of several kinds": PLAY
    + "(init z) (init (s z)) (thing z) (thing (s z)) (thing (s (s z))) (<= (legal me (put ?m)) (thing ?m)) "
    + "(<= (next ?m) (does me (put ?m))) (<= (legal me (miss ?m)) (thing ?m) (not (true ?m))) "
    + "(<= (next (free ?m)) (thing ?m) (not (does me (put ?m)))) "
    + "(<= (next (did not ?m)) (thing ?m) (not (does me ?m))) "
    + "(<= (lost ?m) (thing ?m) (not (true ?m))) (<= (goal me 8) (lost (s z))) (<= (next (got ?m)) (lost ?m)) ",
    "what is not so of terms that another relation has": PLAY
    + "(init (on a)) (bad (at a)) (bad c) (thing (at a)) (thing (at b)) (thing (to a)) (thing c) (thing d) "
    + "(<= (busy (at ?x)) (true (on ?x))) (<= (ok ?p) (thing ?p) (not (bad ?p))) (<= (legal me (go ?p)) (ok ?p)) "
    + "(<= (legal me (walk ?p)) (thing ?p) (not (busy ?p))) (<= (next (on ?x)) (does me (walk (at ?x)))) "
    + "(<= (next (on ?p)) (does me (go ?p))) (<= (next none) (not (busy (at ?any)))) ",
    "the same twice in what is absent": PLAY
    + "(init (pair (f a) (f a))) (init (pair b (f b))) (<= (both ?x ?y) (true (pair ?x ?y))) (both c d) "
    + "(<= (next single) (not (both ?x ?x))) (<= (next (pair ?y ?x)) (true (pair ?x ?y)) (not (true single))) ",
    "names like our own": PLAY
    + "(init (at a)) (constant a) (constant b) (is word c) (any 0 a) (other true) "
    + "(<= (legal me (go ?x)) (constant ?x)) (<= (legal me ?x) (is ?y ?x)) (<= (next (at ?x)) (does me (go ?x))) "
    + "(<= (next (at c)) (does me wait)) (<= (goal me 10) (true (at ?x)) (not (constant ?x))) "
    + "(<= (next (at (f ?x))) (any ?zero ?x) (not (other ?x))) ",
    "variables and words like those of our own making": PLAY
    + "(init (c (f a))) (init (c (g b))) (init (c a)) (init (c f/1)) (init (d b)) (<= (next (c ?x)) (true (c ?x))) "
    + "(<= (next (d ?x)) (true (d ?x))) (<= (legal me (f/1 ?x)) (true (c (f ?x)))) "
    + "(<= (legal me (f ?x)) (true (d ?x))) (<= (p ?x) (true (c ?x))) "
    + f"(<= (next (h ?x {LIKE_OURS})) (p ?x) {' '.join(f'(true (d {name}))' for name in LIKE_OURS.split())}) "
    + "(<= (next (did ?m)) (does me ?m)) (<= (next (did (f ?x))) (does me (f/1 ?x))) ",
    "equations that give values": PLAY
    + "(letter a) (letter b) (init (on a)) (<= (next (on ?x)) (true (on ?x))) (<= (next (on b)) (does me (go ?x))) "
    + "(<= (p ?y) (true (on ?x)) (not (distinct ?y (f ?x)))) (<= (p (g ?x)) (letter ?x)) (<= (next (r ?y)) (p (f ?y))) "
    + "(<= (next (s ?y)) (p ?y)) (<= (next ?f) (true (on ?x)) (not (distinct (lit b) ?f))) "
    + "(<= (legal me ?m) (letter ?x) (not (distinct ?m (go ?x)))) (<= (legal me (go c)) (true (on b))) "
    + "(<= (two ?x ?y) (letter ?x) (not (distinct ?x ?y))) (<= (next (t ?x)) (two a ?x)) "
    + "(<= (next (t (u ?x))) (two ?x b)) "
    + "(<= (next (v ?y ?z)) (true (on ?x)) (not (distinct ?y (f ?x ?x))) (not (distinct (f ?z b) (f ?y b)))) "
    + "(<= (next never) (true (on ?x)) (not (distinct ?x (f ?x)))) "
    + "(init (on (f a))) (<= (next never) (true (on ?x)) (not (distinct (f ?x) (f ?x ?x)))) "
    + "(<= (next never) (true ?f) (not (distinct (f a) (g a)))) "
    + "(<= (next (w ?x)) (letter ?x) (true (on ?y)) (not (distinct (k ?x a) (k ?y ?x)))) ",
    "what is legal for no role": PLAY
    + "(pawn (piece me)) (<= (legal ?p move) (pawn ?p)) (<= (goal ?p 3) (pawn ?p)) "
    + "(<= (next (able ?p)) (legal ?p move)) ",
    "a recursion along terms that never change": PLAY
    + "(link (at a) (at b)) (link (at b) (at c)) (init (on a)) "
    + "(<= (up (at ?x) (at ?y)) (link (at ?x) (at ?y)) (true (on ?x))) "
    + "(<= (up (at ?x) ?z) (link (at ?x) (at ?y)) (up (at ?y) ?z)) (<= (next (on ?y)) (up (at a) (at ?y))) "
    + "(<= (next (on a)) (does me wait)) (<= (legal me (go ?z)) (up ?y ?z)) ",
    "undefined relations": PLAY + "(<= (legal me fly) (wings me)) (<= (legal me walk) (not (wings me))) "
    "(<= (next over) (does me walk) (not (wings ?x))) ",
}
"""Traps for a compiler of rules to joins."""
UNGROUNDED = frozenset(
    {
        "lists that grow and are taken apart",
        "facts and moves that only a variable names",
        "equal terms, repeated variables and variables of a negation alone",
        "a relation with the name of another",
        "what is not so of terms that another relation has",
        "the same twice in what is absent",
        "equations that give values",
        "undefined relations",
    }
)
"""Those of them that the grounder refuses, for the sake of a variable or of terms without end."""

FORESEEN = (
    "(role me) (role you) (init (left 6)) (init (prize 0)) "
    + " ".join(f"(number {n})" for n in range(24))
    + " ".join(f" (after {n} {n + 1})" for n in range(6))
    + "(<= (legal me (ask ?n)) (number ?n)) (legal you nod) (legal you shrug) (legal you smile) "
    "(<= (next (left ?n)) (true (left ?m)) (after ?n ?m)) "
    "(<= (next (prize ?n)) (does me (ask ?n)) (true (left 6))) "
    "(<= (next (prize ?n)) (true (prize ?n)) (not (true (left 6)))) "
    "(<= terminal (true (left 0))) "
    "(<= (goal me ?n) (true (prize ?n))) (<= (goal you ?n) (true (prize ?n)))"
)
"""After the first step prize and length of a game are certain, whatever anybody does."""


def foreseen(left: int, prize: int) -> frozenset[GroundTerm]:
    return frozenset({("left", str(left)), ("prize", str(prize))})
