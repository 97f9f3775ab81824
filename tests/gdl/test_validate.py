"""The validator: for every code a sheet that earns it, at the right place, and a twin that does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludens.errors import Finding
from ludens.gdl.rules import Rules
from ludens.gdl.validate import CHECKS, thinned
from ludens.gdl.validate.codes import SEVERITIES

GAME = """
(role white)
(role black)
(init (step 1))
(succ 1 2)
(succ 2 3)
(<= (legal ?p go) (role ?p))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m) (does white go))
(<= terminal (true (step 3)))
(<= (goal ?p 50) (role ?p))
"""
MARK = "§"
"""Stands before the place that a finding is expected to show."""

SIX_DICE = "".join(f"(random d{die} 1 {spots})" for die in range(1, 7) for spots in range(1, 7))
DICE = "(random dice 1 1) (random dice 2 6) (<= (legal ?p (roll dice)) (role ?p))"


def without(*lines: str) -> str:
    text = GAME
    for line in lines:
        assert line in text
        text = text.replace(line, "")
    return text


CASES: dict[str, tuple[str, str]] = {
    "no-role": (without("(role white)", "(role black)"), GAME),
    "no-legal": (without("(<= (legal ?p go) (role ?p))"), GAME),
    "no-goal": (without("(<= (goal ?p 50) (role ?p))"), GAME),
    "no-terminal": (without("(<= terminal (true (step 3)))"), GAME),
    "no-next": (without("(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m) (does white go))"), GAME),
    "no-init": (without("(init (step 1))"), GAME),
    "role-without-moves": (
        without("(<= (legal ?p go) (role ?p))").replace("(role black)", "§(role black)") + "(legal white go)",
        without("(<= (legal ?p go) (role ?p))") + "(legal white go) (legal black go)",
    ),
    "role-without-goals": (
        without("(<= (goal ?p 50) (role ?p))").replace("(role black)", "§(role black)") + "(goal white 1)",
        without("(<= (goal ?p 50) (role ?p))") + "(goal white 1) (goal black 1) (role random) (legal random go)",
    ),
    "keyword-arity": (GAME + "(<= §(goal white) (true (step 1)))", GAME + "(<= (goal white 1) (true (step 1)))"),
    "keyword-in-term": (GAME + "(init (§next (step 1)))", GAME + "(init (after (step 1)))"),
    "keyword-as-constant": (GAME + "(init (at §base))", GAME + "(init (at home))"),
    "role-not-a-fact": (GAME + "§(<= (role red) (succ 1 2))", GAME + "(role red)"),
    "role-not-a-word": (GAME + "§(role (player 3))", GAME + "(role player3)"),
    "only-in-bodies": (GAME + "(<= §(true (step 9)) (true (step 1)))", GAME + "(<= (next (step 9)) (true (step 1)))"),
    "only-in-heads": (GAME + "(<= terminal (not §(init (step 1))))", GAME + "(<= terminal (not (true (step 1))))"),
    "forbidden-dependency": (
        GAME + "(<= (moved ?p) (does ?p go)) (<= (legal ?p stay) §(moved ?p))",
        GAME + "(<= (moved ?p) (role ?p)) (<= (legal ?p stay) (moved ?p))",
    ),
    "unsafe-variable": (GAME + "(<= (next (step §?k)) (does white go))", GAME + "(<= (next (step ?k)) (succ ?k 2))"),
    "unstratified": (
        GAME + "(<= (win ?p) (role ?p) (not §(lose ?p))) (<= (lose ?p) (role ?p) (win ?p)) (<= terminal (win white))",
        GAME + "(<= (win ?p) (role ?p) (not (lose ?p))) (<= (lose ?p) (role ?p)) (<= terminal (win white))",
    ),
    "unbounded-recursion": (
        GAME + "(num 0) (<= (num (s ?n)) §(num ?n)) (<= terminal (num 1))",
        GAME + "(num 0) (<= (num (s ?n)) (num ?n) (succ ?n ?m)) (<= terminal (num 1))",
    ),
    "loose-recursion": (
        GAME + "(<= (lt ?a ?b) (succ ?a ?b)) (<= (lt ?a ?c) §(lt ?a ?b) (lt ?b ?c)) (<= terminal (lt 1 1))",
        GAME + "(<= (lt ?a ?b) (succ ?a ?b)) (<= (lt ?a ?c) (lt ?a ?b) (succ ?b ?c)) (<= terminal (lt 1 1))",
    ),
    "goal-value": (GAME + "(<= §(goal white 101) (true (step 2)))", GAME + "(<= (goal white 100) (true (step 2)))"),
    "goal-value-possible": (
        GAME + "(pay 1 100) (pay 2 200) (<= §(goal white ?v) (true (step ?n)) (pay ?n ?v))",
        GAME + "(pay 1 100) (pay 2 0) (<= (goal white ?v) (true (step ?n)) (pay ?n ?v))",
    ),
    "random-name": (GAME + DICE + "§(random (dice 1) 1 3)", GAME + DICE + "(random dice 1 3)"),
    "random-weight": (GAME + DICE + "§(random dice -1 3)", GAME + DICE + "(random dice 0 3)"),
    "random-weight-possible": (
        GAME + DICE + "(w 1 half) (<= §(random dice ?w 3) (true (step ?n)) (w ?n ?w))",
        GAME + DICE + "(w 1 5) (<= (random dice ?w 3) (true (step ?n)) (w ?n ?w))",
    ),
    "random-variable-misplaced": (
        GAME + DICE + "(<= (next (step 3)) (does white (roll §dice)))",
        GAME + DICE + "(<= (next (step 3)) (does white (roll ?n)))",
    ),
    "random-variable-unused": (GAME + DICE + "§(random coin 1 head)", GAME + DICE),
    "random-weights-large": (
        GAME + DICE.replace("(random dice 1 1)", "§(random dice 1 1)") + "(random dice 10000 3)",
        GAME + DICE + "(random dice 9990 3)",
    ),
    "random-combinations": (
        GAME + SIX_DICE + "§(legal white (roll d1 d2 d3 d4 d5 d6))",
        GAME + SIX_DICE + "(legal white (roll d1 d2 d3 d4 d5)) (<= (legal white (roll d6)) (true (step 2)))",
    ),
    "random-weightless": (
        GAME + "§(random d 0 1) (<= (legal ?p (roll d)) (role ?p))",
        GAME + "(random d 0 1) (random d 1 2) (<= (legal ?p (roll d)) (role ?p))",
    ),
    "random-combinations-possible": (
        GAME + SIX_DICE + "§(legal white (roll d1 d2 d3)) (legal black (roll d4 d5 d6))",
        GAME + SIX_DICE + "(legal white (roll d1 d2 d3)) (<= (legal black (roll d4)) (true (step 1)))"
        "(<= (legal white (roll d5 d6)) (true (step 2)))",
    ),
    "random-twofold": (GAME + DICE + "§(role random)", GAME + DICE),
    "arity-clash": (GAME + "(<= terminal §(succ 1))", GAME + "(<= terminal (succ 1 2))"),
    "several-arities": (
        GAME + "(init (cell 1)) (init (§cell 1 2))",
        GAME + "(init (cell 1)) (init (square 1 2)) (init cell)",
    ),
    "undefined-relation": (GAME + "(<= terminal §(sucs 1 2))", GAME + "(<= terminal (succ 1 2))"),
    "unused-relation": (GAME + "§(board 1)", GAME + "(board 1) (<= terminal (board 2))"),
    "unknown-role": (GAME + "(legal §whit stay)", GAME + "(legal white stay)"),
    "fluent-never-true": (GAME + "(<= terminal §(true (stop 3)))", GAME + "(<= terminal (true (step 3)))"),
    "move-never-legal": (
        GAME + "(<= (next (step 1)) §(does black going))",
        GAME + "(<= (next (step 1)) (does black go))",
    ),
    "fluent-not-in-base": (
        GAME.replace("(init", "§(init") + "(base (stop 1))",
        GAME + "(<= (base (step ?n)) (succ ?n 2))",
    ),
    "move-not-in-input": (
        GAME.replace("(legal", "§(legal") + "(<= (input ?p stay) (role ?p))",
        GAME + "(<= (input ?p go) (role ?p))",
    ),
    "base-never-true": (
        GAME + "(<= (base (step ?n)) (role ?n)) §(base (ghost 1))",
        GAME + "(<= (base (step ?n)) (role ?n)) (base (ghost 1)) (<= (next (ghost ?x)) (succ ?x 2))",
    ),
    "input-never-legal": (
        GAME + "(<= (input ?p go) (role ?p)) §(input white (fly 1))",
        GAME + "(<= (input ?p go) (role ?p)) (input white (fly 1)) (<= (legal white (fly ?x)) (succ ?x 2))",
    ),
    "duplicate-clause": (
        GAME + "§(<= (next (step ?b)) (true (step ?a)) (succ ?a ?b) (does white go))",
        GAME + "(<= (next (step ?b)) (true (step ?a)) (succ ?b ?a) (does white go))",
    ),
    "needless-parentheses": (GAME + "(<= §(terminal) (true (step 2)))", GAME + "(<= terminal (true (step 2)))"),
    "empty-body": (GAME + "§(<= (succ 3 4))", GAME + "(succ 3 4)"),
    "empty-connective": (GAME + "(<= terminal §(or))", GAME + "(<= terminal (true (step 1)))"),
    "single-or": (GAME + "(<= terminal §(or (succ 1 3)))", GAME + "(<= terminal (or (succ 1 3) (succ 3 1)))"),
    "and-in-body": (
        GAME + "(<= terminal (or §(and (succ 1 2) (succ 2 1)) (succ 3 3)))",
        GAME + "(<= terminal (succ 1 2) (succ 2 1)) (<= terminal (succ 3 3))",
    ),
    "double-negation": (GAME + "(<= terminal §(not (not (succ 1 2))))", GAME + "(<= terminal (succ 1 2))"),
    "negated-distinct": (
        GAME + "(<= terminal (succ ?a ?b) §(not (distinct ?a ?b)))",
        GAME + "(<= terminal (succ ?a ?a))",
    ),
    "negated-formula": (
        GAME + "(<= terminal §(not (or (succ 1 3) (succ 3 1))))",
        GAME + "(<= terminal (not (succ 1 3)) (not (succ 3 1)))",
    ),
    "mixed-case": (GAME + "(<= terminal (§SUCC 1 3))", GAME + "(<= terminal (succ 1 3))"),
}


def codes(text: str) -> set[str]:
    return {finding.code for finding in Rules.parse(text).validate()}


def only(code: str, text: str) -> Finding:
    """The one finding of a code."""
    (finding,) = [finding for finding in Rules.parse(text).validate() if finding.code == code]
    return finding


def test_the_plain_game_has_no_findings() -> None:
    assert Rules.parse(GAME).validate() == []


def test_every_code_has_a_case() -> None:
    assert set(CASES) == set(SEVERITIES)


@pytest.mark.parametrize("code", CASES)
def test_bad_sheet(code: str) -> None:
    marked, _ = CASES[code]
    assert marked.count(MARK) <= 1
    finding = only(code, marked.replace(MARK, ""))
    assert finding.severity == SEVERITIES[code]
    assert finding.message[0] in "`" or finding.message[0].islower() or finding.message[0].isdigit()
    assert not finding.message.endswith(".")
    assert finding.remedy
    before = marked.partition(MARK)[0]
    if before != marked:
        assert finding.place
        assert (finding.place.line, finding.place.column) == (
            before.count("\n") + 1,
            len(before.rpartition("\n")[2]) + 1,
        )
    else:
        assert finding.place is None


@pytest.mark.parametrize("code", CASES)
def test_corrected_twin(code: str) -> None:
    assert code not in codes(CASES[code][1])


@pytest.mark.parametrize("code", CASES)
def test_without_a_source(code: str) -> None:
    """Rules built by a program have no text to point at; what is wrong with them is the same."""
    read = Rules.parse(CASES[code][0].replace(MARK, ""))
    built = Rules(read.clauses, read.spelling)
    needs_text = {"needless-parentheses", "empty-body", "mixed-case"}
    assert {finding.code for finding in built.validate()} == {finding.code for finding in read.validate()} - needs_text
    assert all(finding.place is None for finding in built.validate())


def test_errors_come_first() -> None:
    text = "(unused 1)" + GAME + "(<= terminal (lost 1)) (<= (goal ?x 0) (succ 1 2)) (succ 1 2)"
    severities = [finding.severity for finding in Rules.parse(text).validate()]
    assert severities == ["error", "warning", "warning", "info"]


def test_every_check_is_documented() -> None:
    assert all(check.__doc__ for check in CHECKS)
    assert len(set(CHECKS)) == len(CHECKS)


# Dependencies


def test_chain_of_relations_is_shown_in_the_authors_spelling() -> None:
    text = GAME + "(<= (Helper ?p) (deeper ?p)) (<= (deeper ?p) (does ?p go)) (<= (legal ?p x) (Helper ?p))"
    assert "legal -> Helper -> deeper -> does" in only("forbidden-dependency", text).message


@pytest.mark.parametrize("head", ["(init (step 5))", "(base (step 5))", "(input white go)"])
@pytest.mark.parametrize(
    "condition", ["(true (step 1))", "(does white go)", "(legal white go)", "(goal white 1)", "terminal"]
)
def test_what_is_fixed_before_play_does_not_depend_on_it(head: str, condition: str) -> None:
    assert "forbidden-dependency" in codes(GAME + f"(base (step 1)) (<= {head} {condition})")


@pytest.mark.parametrize("head", ["(legal white x)", "(goal white 1)", "terminal"])
def test_moves_are_made_after_these_are_asked(head: str) -> None:
    assert "forbidden-dependency" in codes(GAME + f"(<= {head} (not (does white go)))")
    assert "forbidden-dependency" not in codes(GAME + f"(<= {head} (not (true (step 1))))")


def test_sees_may_depend_on_moves() -> None:
    assert codes(GAME + "(<= (sees ?p (does ?q ?m)) (role ?p) (does ?q ?m))") == set()


# Names


def test_did_you_mean() -> None:
    assert only("undefined-relation", GAME + "(Lines 1) (<= terminal (Line 1)) ").remedy == "did you mean `Lines`?"
    assert only("unknown-role", GAME + "(legal whit x)").remedy == "did you mean `white`?"


def test_only_the_first_undefined_names_get_a_guess() -> None:
    text = GAME + " ".join(f"(alpha{n}beta 1) (<= terminal (alpha{n}bet 1))" for n in range(20))
    remedies = [finding.remedy for finding in Rules.parse(text).validate() if finding.code == "undefined-relation"]
    assert remedies[0] == "did you mean `alpha0beta`?"
    assert remedies[-1] == "define `alpha19bet`, or remove the condition"


@pytest.mark.parametrize(
    ("head", "remedy"),
    [
        ("(nxt (step 1))", "did you mean `next`?"),
        ("(leagl white stay)", "did you mean `legal`?"),
        ("(leagl stay)", "remove it, or use it where it was meant"),
    ],
)
def test_misspelt_keywords_in_heads(head: str, remedy: str) -> None:
    assert only("unused-relation", GAME + f"(<= {head} (true (step 1)))").remedy == remedy


@pytest.mark.parametrize(
    ("condition", "definition"), [("(base (step 1))", "(base (step 2))"), ("(input white go)", "(input red go)")]
)
def test_declarations_that_are_asked_for_and_missing(condition: str, definition: str) -> None:
    text = GAME + f"(<= terminal {condition})"
    finding = only("undefined-relation", text)
    assert finding.remedy.startswith("define `")
    assert "undefined-relation" not in codes(text + definition)


def test_arity_clash_names_both_numbers() -> None:
    assert (
        "1 argument here, but it is only defined with 2" in only("arity-clash", GAME + "(<= terminal (succ 1))").message
    )


def test_relations_with_two_defined_arities_are_a_warning() -> None:
    assert codes(GAME + "(succ 3) (<= terminal (succ 4))") == {"several-arities"}


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (
            "(init (cell 1 1)) (<= terminal §(true (cell 1 1 b)))",
            "`cell` has 3 arguments here, but it is only made true",
        ),
        ("(<= (next (cell 1 1)) (succ 1 2)) (<= terminal (not §(true cell)))", "`cell` has 0 arguments here"),
        ("(<= (next (step 9)) §(does white (go 1)))", "`go` has 1 argument here, but it is only made legal with 0"),
    ],
)
def test_facts_and_moves_that_only_have_another_arity(rules: str, message: str) -> None:
    before = (GAME + rules).partition(MARK)[0]
    finding = only("arity-clash", GAME + rules.replace(MARK, ""))
    assert message in finding.message
    assert finding.place
    assert finding.place.column == len(before.rpartition("\n")[2]) + 1
    assert codes(GAME + rules.replace(MARK, "")) == {"arity-clash"}


@pytest.mark.parametrize(
    ("rules", "found"),
    [
        ("(init (cell 1)) (init (cell 1 2)) (<= terminal (true (cell 1 2)))", {"several-arities"}),
        ("(init (cell 1)) (<= (next ?f) (true ?f)) (<= terminal (true (cell 1 2)))", {"several-arities"}),
        ("(<= (legal ?p ?m) (role ?p) (succ ?m 2)) (<= (next (step 1)) (does white (go 1)))", set()),
        ("(<= terminal (true (flag 1 2)))", {"fluent-never-true"}),
    ],
)
def test_facts_and_moves_that_may_have_this_arity(rules: str, found: set[str]) -> None:
    assert codes(GAME + rules) == found


def test_moves_belong_to_roles() -> None:
    text = GAME + "(<= (legal white stay) (true (step 1))) (<= (next (step 3)) (does {} stay))"
    assert "the move `stay` for `black`" in only("move-never-legal", text.format("black")).message
    assert codes(text.format("white")) == set()
    assert codes(text.replace("(does {} stay)", "(does ?p stay)")) == set()


def test_inputs_belong_to_roles() -> None:
    assert "allows `go` for `black`," in only("move-not-in-input", GAME + "(input white go)").message
    assert codes(GAME + "(input white go) (input black go)") == set()
    some = GAME.replace("(legal ?p go) (role ?p)", "(legal ?p go) (role ?p) (true (turn ?p))") + "(init (turn white))"
    assert codes(some + "(input white go)") == set()


def test_base_lists_what_next_gives() -> None:
    """Only `next` gives `(step 3)`: that the fact at the start is declared does not help."""
    text = GAME + "(base (step 1)) (<= (next (stage 3)) (succ 1 2))"
    assert "`next` gives `(stage 3)`" in only("fluent-not-in-base", text).message


def test_declarations_match_anything_that_a_variable_gives() -> None:
    assert codes(GAME + "(base (step 1)) (base (ghost 1)) (<= (next ?f) (true ?f))") == set()


def test_unused_relations_are_found_through_others() -> None:
    text = GAME + "(a 1) (<= (b ?x) (a ?x)) (<= (c ?x) (b ?x))"
    findings = [finding for finding in Rules.parse(text).validate() if finding.code == "unused-relation"]
    assert [finding.message.split("`")[1] for finding in findings] == ["a", "b", "c"]


def test_role_random_is_no_keyword_misuse() -> None:
    assert codes(GAME + "(role random) (<= (next (step 1)) (does random go))") == set()


def test_random_relation_takes_three_arguments() -> None:
    assert "keyword-arity" in codes(GAME + "(random dice 1)")


def test_random_relation_is_no_condition() -> None:
    assert "only-in-heads" in codes(GAME + DICE + "(<= terminal (random ?n 1 ?e))")


def test_random_variable_may_stand_in_input() -> None:
    assert codes(GAME + DICE + "(<= (input ?p (roll dice)) (role ?p)) (<= (input ?p go) (role ?p))") == set()


def test_chance_that_depends_on_moves() -> None:
    assert "forbidden-dependency" in codes(GAME + DICE + "(<= (random dice 1 3) (does white go))")


def test_variables_in_other_cases_are_one_variable() -> None:
    assert "mixed-case" in codes(GAME + "(<= terminal (succ ?X 2) (succ 2 ?x))")
    assert "mixed-case" not in codes(GAME + "(<= terminal (succ ?X 2)) (<= terminal (succ 2 ?x) (true (step 1)))")


# Floods


def test_all_findings_are_returned_and_people_are_shown_some() -> None:
    text = GAME + " ".join(f"(relation{n} a)" for n in range(40))
    findings = [finding for finding in Rules.parse(text).validate() if finding.code == "unused-relation"]
    assert len(findings) == 40
    shown = list(thinned(findings))
    assert shown[:4] == findings[:4]
    assert shown[4].message == findings[4].message + "; and 35 more of this kind"
    assert len(shown) == 5
    assert list(thinned(findings[:5])) == findings[:5]


def test_a_form_used_often_is_one_finding() -> None:
    assert "(3 times)" in only("needless-parentheses", GAME + "(<= (terminal) (true (go))) (init (go))").message


def test_sees_with_a_wrong_number_of_arguments_is_no_percept() -> None:
    assert "keyword-in-term" in codes(GAME + "(sees white (does black go) now)")
    assert "keyword-in-term" not in codes(GAME + "(sees white (does black go))")


# Real sheets


def test_real_sheets_have_no_errors(corpus: Path) -> None:
    """The sheets of competitions were played; whatever the validator calls an error there is its own."""
    for path in sorted((corpus / "games").glob("*.kif"))[::4]:
        findings = Rules.read(path).validate()
        assert not [str(finding) for finding in findings if finding.severity == "error"]
        assert len(findings) <= 8, path.name


def test_real_sheets_with_known_faults(corpus: Path) -> None:
    """The corpus says that some of these are odd: percepts as conditions, `next` in bodies, unbound variables."""
    faults = {
        path.name: {finding.code for finding in Rules.read(path).validate() if finding.severity == "error"}
        for path in (corpus / "gdl2").glob("*.kif")
    }
    assert {name: found for name, found in faults.items() if found} == {
        "mastermind2x3.kif": {"only-in-heads"},
        "transit.kif": {"only-in-heads"},
        "visPacman3p.kif": {"only-in-heads"},
        "oneCardGame.kif": {"unsafe-variable"},
    }
