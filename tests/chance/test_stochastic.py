"""Random variables: what is drawn and how often, exactly and on both engines, against the paper's definition."""

from __future__ import annotations

import pickle
import re
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens import load
from ludens.analysis.playtest import playtest
from ludens.errors import InvalidRulesError, NoOutcomeError
from ludens.game import Game
from ludens.gdl.rules import Rules
from ludens.gdl.scramble import scramble
from ludens.gdl.terms import term_text
from tests.chance.paper import Distribution, Joint, State, paper_game
from tests.chance.sheets import CARDS, INFERENCE, LOADED, SHARED, SHEETS, URN
from tests.tiers import FULL, examples

SIX_DICE = "".join(f"(random d{die} 1 {spots})" for die in range(1, 7) for spots in range(1, 7))


def facts_of(state: object) -> State:
    return frozenset(fact.term for fact in state.facts)  # type: ignore[attr-defined]


def after(game: Game, at: State, joint: Joint) -> Distribution:
    """The states that may follow when chance makes each of its moves equally often."""
    state = game.state_of(at)
    draws = state.legal_moves("random")
    moves = [game.move_of(move) for move in joint]
    found: Distribution = defaultdict(Fraction)
    for draw in draws:
        found[facts_of(state.next([*moves, draw]))] += Fraction(1, len(draws))
    return dict(found)


def check_agreement(text: str, compiled: bool) -> None:
    """In every state, every joint move leads to the same states with the same probabilities."""
    game, paper = load(text), paper_game(text)
    if compiled:
        assert game.compile(), game.compile_error
    assert facts_of(game.initial_state()) == paper.start
    for at in paper.states():
        state = game.state_of(at)
        assert state.is_terminal == paper.is_end(at)
        if paper.is_end(at):
            continue
        legal = product(*([move.term for move in state.legal_moves(role)] for role in game.rule_roles))
        assert set(legal) == set(paper.joints(at))
        for joint in paper.joints(at):
            assert after(game, at, joint) == paper.after(at, joint)


@pytest.mark.parametrize("name", SHEETS)
@pytest.mark.parametrize("compiled", [False, True])
def test_probabilities_are_those_of_the_paper(name: str, compiled: bool) -> None:
    check_agreement(SHEETS[name], compiled)


DICE = """
(role a) {weights} (init start)
(legal a (roll x)) (legal a (roll y)) (legal a (pair x (of y x)))
(<= (next (made ?m)) (does a ?m))
(<= terminal (not (true start)))
(goal a 0)
"""
weights = st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abcde")), min_size=1, max_size=6)


@examples(40)
@given(weights, weights, st.integers(1, 10**15), st.booleans())
def test_any_weights(ones: list[tuple[int, str]], others: list[tuple[int, str]], unit: int, by_rule: bool) -> None:
    """Weights that repeat an outcome, that are zero, or that have a huge divisor in common."""
    kinds = [("of_x" if by_rule else "random x", unit, ones), ("of_y" if by_rule else "random y", 1, others)]
    text = " ".join(f"({kind} {factor * weight} {face})" for kind, factor, faces in kinds for weight, face in faces)
    if by_rule:
        text += "(<= (random x ?w ?o) (of_x ?w ?o)) (<= (random y ?w ?o) (of_y ?w ?o) (true start))"
    if any(weight for weight, _ in ones) and any(weight for weight, _ in others):
        check_agreement(DICE.format(weights=text), compiled=False)
    else:
        with pytest.raises(NoOutcomeError, match=r"the random variable (x|y|x or y),"):
            load(DICE.format(weights=text)).initial_state().legal_moves("random")


FACES = {"one": 5, "two": 1, "three": 4, "four": 0, "five": 3, "six": 12}
WORTH = {face: 20 * number for number, face in enumerate(FACES)}
THROW = (
    " ".join(f"(random die {weight} {face}) (worth {face} {WORTH[face]})" for face, weight in FACES.items())
    + """ (role a) (init start) (legal a (roll die)) (<= (next (shown ?x)) (does a (roll ?x)))
    (<= terminal (true (shown ?x))) (<= (goal a ?v) (true (shown ?x)) (worth ?x ?v))"""
)

CHI_SQUARE_99 = 13.28
"""What chi-square with 4 degrees of freedom, for 5 faces, exceeds in one of a hundred cases."""


@pytest.mark.parametrize("compiled", [False, True])
def test_frequencies_follow_the_weights(compiled: bool) -> None:
    game = load(THROW)
    if compiled:
        assert game.compile()
    engine = game.engine if compiled else game.reference_engine
    games = 20_000 if compiled else 4_000
    goals = Counter(engine.playouts(engine.initial(games), Random(7)).goals[:, 0].tolist())
    drawn = {face: goals.pop(worth, 0) for face, worth in WORTH.items()}
    assert not goals
    assert drawn["four"] == 0
    likely = [face for face in FACES if FACES[face]]
    expected = {face: games * FACES[face] / sum(FACES.values()) for face in likely}
    chi_square = sum((drawn[face] - expected[face]) ** 2 / expected[face] for face in likely)
    assert chi_square < CHI_SQUARE_99


def test_cards_never_come_back_and_all_come() -> None:
    game = load(CARDS)
    cards = {"(ace spades)", "(ace hearts)", "two", "three"}
    rng, firsts = Random(1), set()
    for _ in range(60):
        state, drawn = game.initial_state(), list[str]()
        while not state.is_terminal:
            joint = {role: rng.choice(state.legal_moves(role)) for role in game.roles}
            told = game.announced(joint).values()
            drawn += [term_text(move.args[0]) for move in told if move.name == "draw"]
            state = state.next(joint)
        assert len(set(drawn)) == len(drawn)
        assert set(drawn) <= cards
        firsts.add(drawn[0])
    assert firsts == cards


def test_scrambled_sheets_have_the_same_chances() -> None:
    for number, text in enumerate(SHEETS.values()):
        scrambling = scramble(Rules.parse(text), Random(number))
        game, other = load(text), load(scrambling.rules)
        for at in list(paper_game(text).states())[:20]:
            state = game.state_of(at)
            if not state.is_terminal:
                translated = frozenset(map(scrambling.scramble_term, at))
                for joint in product(*([move.term for move in state.legal_moves(role)] for role in game.player_roles)):
                    moves = tuple(map(scrambling.scramble_term, joint))
                    expected = {
                        frozenset(map(scrambling.scramble_term, facts)): chance
                        for facts, chance in after(game, at, joint).items()
                    }
                    assert after(other, translated, moves) == expected  # type: ignore[arg-type]


TAKEN_OVER = """
(role a) (role b) (random d 1 x) (random d 2 y) (init start) (goal a 0) (goal b 0)
(legal a (roll d)) (input a (go d d)) (<= (legal a ?m) (input a ?m))
(<= (legal b ?m) (legal a ?m) (true start)) (<= (legal b (roll ?x)) (legal a (roll ?x)))
(<= (legal ?p (keep ?x)) (true (shown ?p ?x)))
(<= (next (shown ?p ?x)) (does ?p (roll ?x))) (<= (next (shown ?p ?x)) (does ?p (go ?x ?y)))
(<= (next (kept ?p ?x)) (does ?p (keep ?x))) (<= terminal (true (kept ?p ?x))) (<= terminal (true (kept b ?x)))
"""


@pytest.mark.parametrize("compiled", [False, True])
def test_whole_moves_may_be_taken_over(compiled: bool) -> None:
    """From `legal` or `input`; and outcomes that were announced may stand in later moves."""
    check_agreement(TAKEN_OVER, compiled)


def test_a_function_may_be_called_like_a_variable() -> None:
    check_agreement(LOADED.replace("shown", "die"), compiled=False)
    assert not [finding for finding in Rules.parse(LOADED.replace("shown", "die")).validate() if "die" in str(finding)]


@pytest.mark.parametrize("balls", [40, pytest.param(150, marks=FULL)])
def test_an_urn_with_many_balls(balls: int) -> None:
    """Only what is in the urn counts, not all that the table of numbers could stand for."""
    table = " ".join(f"(fewer {number} {number - 1})" for number in range(5, balls + 1))
    text = URN.replace("(init (left red 3))", f"(init (left red {balls}))") + table
    check_agreement(text, compiled=False)
    assert load(text).initial_state().legal_moves("random")[0] == "(ball blue 1 2)"


def test_other_syntax_and_case() -> None:
    texts = [LOADED, LOADED.upper(), Rules.parse(LOADED).to_infix()]
    states = [load(text).initial_state() for text in texts]
    assert [len(state.legal_moves("random")) for state in states] == [6, 6, 6]
    assert str(states[1].legal_moves("RANDOM")[-1]) == "(DIE 3 3)"


# What chance does


def draws(text: str) -> list[str]:
    return [str(move) for move in load(text).initial_state().legal_moves("random")]


def test_draws_read_well() -> None:
    assert set(draws(INFERENCE.replace("10 yes", "1 yes").replace("90 no", "1 no"))) == {
        f"(draw (rule1 {one}) (rule2 {other}))" for one in ("yes", "no") for other in ("yes", "yes 2", "yes 3", "no")
    }
    assert draws(LOADED) == ["(die 1)", "(die 2)", "(die 2 2)", "(die 3)", "(die 3 2)", "(die 3 3)"]


def test_only_what_a_legal_move_mentions_is_drawn() -> None:
    text = SHARED.replace("(<= (legal ?p (bet coin)) (role ?p))", "").replace(
        "(legal a (bet coin coin))", "(legal a x)"
    )
    assert draws(text.replace("(legal a (roll die_a))", "(legal a y)")) == ["(die_b 1)", "(die_b 1 2)", "(die_b 2)"]
    none = text.replace("(roll die_a)", "y").replace("(roll die_b)", "z")
    assert draws(none) == ["nothing"]


def test_a_variable_may_be_called_draw() -> None:
    text = INFERENCE.replace("rule1", "draw").replace("rule2", "draws")
    check_agreement(text, compiled=False)
    assert "(drawss (draw no) (draws no))" in draws(text)


def test_huge_weights_with_a_common_divisor() -> None:
    for zeros in (14, 40):
        text = re.sub(r"\(random die (\d)", r"(random die \g<1>" + "0" * zeros, LOADED)
        assert draws(text) == draws(LOADED)


def test_a_role_that_is_asked_for_never_is_chance() -> None:
    """Rules that speak of all roles, or of all moves, do not meet the role that draws."""
    text = LOADED + "(<= (next (there ?p)) (role ?p)) (<= (next (did ?p ?m)) (does ?p ?m)) (<= (may ?p) (legal ?p ?m))"
    state = load(text).initial_state().next({"player": "(throw 2)"})
    assert {str(fact) for fact in state.facts} == {
        "(shown 2)",
        "(left 2)",
        "(there player)",
        "(did player (throw 2))",
    }
    check_agreement(text, compiled=True)


# What is refused


GAME = """
(role a) (init s) (legal a (roll die)) (goal a 0)
(<= (next (t ?x)) (does a (roll ?x))) (<= terminal (true (t ?x)))
"""


@pytest.mark.parametrize(
    ("rules", "code"),
    [
        ("(random die 1 1) (role random)", "random-twofold"),
        ("(random (die 1) 1 1) (random die 1 1)", "random-name"),
        ("(random die half 1)", "random-weight"),
        ("(random die -1 1)", "random-weight"),
        ("(random die 1 1) (<= (next won) (does a (roll die)))", "random-variable-misplaced"),
        ("(random die 1 1) (init die)", "random-variable-misplaced"),
        ("(random die 1 die)", "random-variable-misplaced"),
        ("(<= (random die 1 1) (does a x))", "forbidden-dependency"),
        ("(random die 1 1) (random die 20001 2)", "random-weights-large"),
        ("(random die 1 2) (random die 123456789012345678901234567890 1)", "random-weights-large"),
        (f"(random die 1 2) (random die {'9' * 900} 1)", "random-weights-large"),
        ("(random die 1 1) (random die 1)", "keyword-arity"),
        ("(random die 1 1) (<= (legal a (copy ?m)) (legal a ?m))", "random-variable-misplaced"),
        ("(random die 1 1) (<= (legal a (two ?m x)) (legal a (roll ?m)))", "random-variable-misplaced"),
        ("(random die 1 1) (<= (may ?m) (legal a ?m)) (<= (legal a (f ?m)) (may ?m))", "random-variable-misplaced"),
        (
            "(random die 1 1) (<= (next (could ?m)) (legal a ?m)) (<= (legal a (again ?m)) (true (could ?m)))",
            "random-variable-misplaced",
        ),
        ("(random die 1 1) (input a (go die)) (<= (legal a (f ?m)) (input a (go ?m)))", "random-variable-misplaced"),
        ("(<= (random die 1 ?m) (legal a (roll ?m)))", "random-variable-misplaced"),
        ("(random die 1 1) (<= (legal a (say ?v)) (random ?v 1 1))", "random-variable-misplaced"),
        (
            "(random die 1 1) (rank 0) (<= (rank (s ?x)) (rank ?x)) (<= (random d 1 ?x) (rank ?x)) (legal a (go d))",
            "random-weights-large",
        ),
        ("(random die 1 1)" + SIX_DICE + "(legal a (roll d1 d2 d3 d4 d5 d6))", "random-combinations"),
    ],
)
def test_sheets_that_are_refused(rules: str, code: str) -> None:
    with pytest.raises(InvalidRulesError) as raised:
        load(GAME + rules)
    assert {finding.code for finding in raised.value.findings} == {code}
    assert code in {finding.code for finding in Rules.parse(GAME + rules).validate()}
    assert all(finding.remedy and finding.place for finding in raised.value.findings)


@pytest.mark.parametrize("compiled", [False, True])
def test_nothing_to_draw_is_an_error_that_names_the_variable(compiled: bool) -> None:
    """At first there is one card, then there is none."""
    text = GAME.replace("(true (t ?x))", "(true (t never))") + (
        "(random coin 1 head) (legal a (flip coin))"
        "(<= (random die 1 last) (true s)) (<= (random die 0 last) (not (true s)))"
    )
    game = load(text)
    if compiled:
        assert game.compile()
    state = game.initial_state().next({"a": "(roll last)"})
    for use in (lambda: state.legal_moves("random"), lambda: state.next({"a": "(roll last)"})):
        with pytest.raises(NoOutcomeError, match="needs the random variable die, but no outcome has a weight above 0"):
            use()
    with pytest.raises(NoOutcomeError, match="needs the random variable die, but no outcome has a weight above 0"):
        game.playouts(game.initial_state(), 20 if compiled else 2, Random(1))
    (finding,) = [one for one in playtest(game, 5, Random(1)) if one.code == "play-failed"]
    assert "die" in finding.message


def test_a_weight_that_is_no_number_spoils_the_draw() -> None:
    text = GAME + "(w 1 1) (w 1 2) (w half 3) (<= (random die ?w ?x) (true s) (w ?w ?x))"
    text = text.replace("(true s)", "(true (weigh ?w))") + "(init (weigh 1)) (<= (next (weigh half)) (true (weigh 1)))"
    state = load(text.replace("(true (t ?x))", "(true (t 9))")).initial_state()
    assert len(state.legal_moves("random")) == 2
    with pytest.raises(NoOutcomeError, match="a weight of the random variable die is half, which is not an integer"):
        state.next({"a": "(roll 1)"}).legal_moves("random")


def codes(text: str) -> set[str]:
    return {finding.code for finding in Rules.parse(text).validate()}


def test_a_weight_of_the_state_that_is_no_number() -> None:
    text = GAME + "(<= (random die ?w 1) (true (w ?w))) (random die 1 2) (init (w half))"
    assert "random-weight-possible" in codes(text)
    assert "random-weight-possible" not in codes(text.replace("half", "3"))


PACKS = """
(role a) (role b) (role c) (init start) (<= (goal ?p 50) (role ?p)) (<= terminal (not (true start)))
(<= (card (c ?r ?s)) (rank ?r) (suit ?s)) (rank 1) (rank 2) (rank 3) (rank 4) (rank 5) (rank 6) (rank 7) (rank 8)
(suit clubs) (suit hearts) (suit spades)
(<= (random d 1 ?c) (card ?c)) (<= (random e 1 ?c) (card ?c)) (<= (random f 1 ?c) (card ?c))
(<= (next (has ?p ?c)) (does ?p (take ?c)))
"""


def test_three_packs_at_once() -> None:
    """24 * 24 * 24 combinations are too many; everybody who asks hears why."""
    one = PACKS + "(legal a (take d e f)) (legal b w) (legal c w)"
    with pytest.raises(InvalidRulesError, match="the random variables d, e, f of one move have more than 10,000"):
        load(one)
    text = PACKS + "(legal a (take d)) (legal b (take e)) (legal c (take f))"
    assert "random-combinations-possible" in codes(text)
    assert "random-combinations-possible" not in codes(text.replace("(legal c (take f))", "(legal c (take e))"))
    game, why = load(text), "need the random variables d, e, f, which have more than 10,000 combinations"
    for games in (2, 20):
        with pytest.raises(NoOutcomeError, match=why):
            game.playouts(game.initial_state(), games, Random(1))
    assert any(why in finding.message for finding in playtest(game, 2, Random(1)))


def many_dice(number: int, condition: str) -> str:
    """A sheet with so many dice, the n-th of which may be rolled under a condition."""
    rules = [f"(random d{die} 1 {spots})" for die in range(number) for spots in range(6)]
    rules += [f"(<= (legal a (roll d{die})) {condition.format(die)})" for die in range(number)]
    rules += [f"(succ {die} {die + 1})" for die in range(number)]
    return (
        " ".join(rules)
        + """(role a) (init (step 0)) (<= terminal (true (step 3))) (goal a 0)
    (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m)) (<= (next (shown ?x)) (does a (roll ?x)))"""
    )


def test_too_many_combinations_are_never_listed() -> None:
    """Ten dice, any of which may be rolled, have 60 million combinations."""
    game = load(many_dice(10, "(true (step ?n))"))
    with pytest.raises(NoOutcomeError, match=r"d0, d1, .*, d9, which have more than 10,000 combinations") as raised:
        game.initial_state().legal_moves("random")
    assert len(raised.value.variables) == 10
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)
    assert not game.compile()
    assert "have too many combinations of outcomes" in str(game.compile_error)


def test_many_variables_one_at_a_time() -> None:
    game = load(many_dice(20, "(true (step {}))"))
    assert [str(move) for move in game.initial_state().legal_moves("random")] == [f"(d0 {spots})" for spots in range(6)]
    assert not game.compile()
    assert game.playouts(game.initial_state(), 20, Random(1)).lengths.tolist() == [3] * 20


def test_too_many_variables() -> None:
    with pytest.raises(InvalidRulesError, match="more than 40 random variables"):
        load(many_dice(41, "(true (step {}))"))
