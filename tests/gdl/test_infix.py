"""The infix reader, checked against the KIF reader: each text says the same as one in KIF."""

from __future__ import annotations

import time
from functools import partial

import pytest

from ludens.errors import GdlSyntaxError
from ludens.gdl.infix import infix_tokens, looks_infix, read_infix
from ludens.gdl.rules import Rules, Syntax
from ludens.gdl.source import ReadingLimits, Source
from ludens.gdl.terms import Variable
from tests.gdl import errors_of
from tests.tiers import FULL


def infix(text: str | bytes) -> Rules:
    return Rules.parse(text, syntax="infix")


findings = partial(errors_of.findings, syntax="infix")
places = partial(errors_of.places, syntax="infix")


@pytest.mark.parametrize(
    ("text", "kif"),
    [
        ("role(white)", "(role white)"),
        (
            "legal(white,mark(X,Y)) :- true(cell(X,Y,b)) & true(control(white))",
            "(<= (legal white (mark ?x ?y)) (true (cell ?x ?y b)) (true (control white)))",
        ),
        ("role(white) role(black)", "(role white) (role black)"),
        ("role(white)role(black)", "(role white) (role black)"),
        ("role(white).role(black).", "(role white) (role black)"),
        ("p :- q\nr :- s", "(<= p q) (<= r s)"),
        ("p :- q r :- s", "(<= p q) (<= r s)"),
        ("terminal() open :- ~p()", "terminal (<= open (not p))"),
        ("p( a , f( ) )", "(p a (f))"),
        ("p (a)", "(p a)"),
        ("p :- ~q & ~~r", "(<= p (not q) (not (not r)))"),
        ("p :- ~(q & r)", "(<= p (not (and q r)))"),
        ("p :- q | r", "(<= p (or q r))"),
        ("p :- q & r | s & t", "(<= p (or (and q r) (and s t)))"),
        ("p :- q & (r | s) & t", "(<= p q (or r s) t)"),
        ("p :- (q & r)", "(<= p (and q r))"),
        ("p :- (q & r) & s", "(<= p (and q r) s)"),
        ("p :- (q | r) | s", "(<= p (or (or q r) s))"),
        ("p :- ((q))", "(<= p q)"),
        ("p :- q, r, (s, t)", "(<= p q r (and s t))"),
        ("p :- or(q, r & s) & and() & not(t)", "(<= p (or q (and r s)) (and) (not t))"),
        ("p :- or((q, r), s)", "(<= p (or (and q r) s))"),
        ("p(X) :- q(X,Y) & distinct(X,Y)", "(<= (p ?x) (q ?x ?y) (distinct ?x ?y))"),
        ("p(_x,Some_Name)", "(p ?_x ?some_name)"),
        ("p(-1,+2,3,1.5,-0.5)", "(p -1 +2 3 1.5 -0.5)"),
        ("p(1).q(2).", "(p 1) (q 2)"),
        ("p(8puzzle,x2)", "(p 8puzzle x2)"),
        ('"<"(a,"+"(b,c))', "(< a (+ b c))"),
        (r'p("say\"","back\\slash","%","A.b")', '(p say" back\\slash % a.b)'),
        ('p(?1,?"n++",?x,X)', "(p ?1 ?n++ ?x ?x)"),
        ("p(not,or,and)", "(p not or and)"),
        ("% all\np(a) % one\n%two\n:- % three\nq%four", "(<= (p a) q)"),
        ("p(a)\r\n% c\r\nq(b)\r\n", "(p a) (q b)"),
        ("p(a)\r%old\rq(b)", "(p a) (q b)"),
        ("\ufeffp(a)\x1a", "(p a)"),
        ("état(é,É)", "(état é ?é)"),
        ("", ""),
        ("% nothing", ""),
    ],
)
def test_says_the_same_in_kif(text: str, kif: str) -> None:
    assert infix(text) == Rules.parse(kif, syntax="kif")


def test_anonymous_variables_are_all_different() -> None:
    (rule, other) = infix('p(_) :- q(_,_,_1,?"_3")  r(_)').clauses
    assert [str(variable) for formula in (rule.head, *rule.body) for variable in formula.variables()] == [  # type: ignore[union-attr]
        "?_2",
        "?_4",
        "?_5",
        "?_1",
        "?_3",
    ]
    assert other.head.args == (Variable("_2"),)


def test_case_is_folded_and_the_spelling_kept() -> None:
    rules = infix("p(moveTo,MyCell) q(moveto,MYCELL)")
    assert rules.to_infix() == "p(moveTo,MyCell)\nq(moveTo,MyCell)\n"
    assert rules.to_kif() == "(p moveTo ?MyCell)\n(q moveTo ?MyCell)\n"
    assert infix('p(fooBar) q("FOOBAR")').to_infix() == "p(fooBar)\nq(fooBar)\n"


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("p(a", "unclosed", 1, 2),
        ("p(a\nq(b)", "unclosed", 1, 2),
        ("p(X,f(Y) :- q", "unclosed", 1, 2),
        ("p :- (q & r", "unclosed", 1, 6),
        ("p(a. q(b)", "unclosed", 1, 2),
        ("p(a))", "unopened", 1, 5),
        ("p(a b)", "unexpected", 1, 5),
        ("p(a,,b)", "unexpected", 1, 5),
        ("p(a,)", "unexpected", 1, 5),
        ("p :- & q", "unexpected", 1, 6),
        ("p :-", "unexpected", 1, 5),
        ("p :- q &\n", "unexpected", 1, 9),
        (":- p", "unexpected", 1, 1),
        ("(p) :- q", "unexpected", 1, 1),
        ("p :- q = r", "unexpected", 1, 8),
        ("; comment", "unexpected", 1, 1),
        ("~p :- q", "bad-head", 1, 1),
        ("or(p,q) :- r", "bad-head", 1, 1),
        ("distinct(a,b)", "bad-head", 1, 1),
        ("X :- q", "variable-as-formula", 1, 1),
        ("p :- X", "variable-as-formula", 1, 6),
        ("p(F(a))", "unexpected", 1, 4),
        ("p :- not q", "stray-operator", 1, 6),
        ("p :- not(q,r)", "bad-not", 1, 6),
        ("p :- distinct(X)", "bad-distinct", 1, 6),
        ("p(or(a,b))", "operator-in-term", 1, 3),
        ('"<="(a,b)', "nested-rule", 1, 1),
        ('p("abc)\nq(a)', "unclosed-quote", 1, 3),
        (r'p("a\nb")', "bad-escape", 1, 3),
        ('p("")', "bad-symbol", 1, 3),
        ('p("a b")', "bad-symbol", 1, 3),
        ('p("a;b")', "bad-symbol", 1, 3),
        ('p("?x")', "bad-symbol", 1, 3),
        ("p(?)", "unexpected", 1, 3),
        ("p(a)\r\n\tq(b))", "unopened", 2, 6),
    ],
)
def test_each_error_has_its_place(text: str, code: str, line: int, column: int) -> None:
    assert places(text)[0] == (code, line, column)


def test_reading_goes_on_with_the_next_statement() -> None:
    text = (
        "role(white\n"
        "role(black)\n"
        "legal(white,mark(X,Y) :-\n"
        "  true(cell(X,Y,b))\n"
        "p(a b)\n"
        "q :- r(X) & =\n"
        "X :- p\n"
        "good :- p &\n"
        "  q(b)\n"
        "s(a). t(,). u(,).\n"
        "v :- w)\n"
    )
    assert places(text) == [
        ("unclosed", 1, 5),
        ("unclosed", 3, 6),
        ("unexpected", 5, 5),
        ("unexpected", 6, 13),
        ("variable-as-formula", 7, 1),
        ("unexpected", 10, 9),
        ("unexpected", 10, 15),
        ("unopened", 11, 7),
    ]


def test_error_shows_the_line_and_a_caret() -> None:
    (found,) = findings("role(white)\nlegal(white,noop) :- true(X) & not p\n")
    assert str(found) == (
        "sheet:2:32: error: `not` stands alone [stray-operator]\n"
        "    legal(white,noop) :- true(X) & not p\n"
        "                                   ^^^\n"
        "    remedy: write `~`"
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("p(" * 100_000, "too-deep"),
        ("p :- " + "(" * 100_000, "too-deep"),
        ("p :- " + "~" * 100_000 + "q", "too-deep"),
        ("(" * 100_000, "unexpected"),
        ("(\n" * 100_000, "unexpected"),
        ("p :- q & " * 20_000, "unexpected"),
        pytest.param("p :- q & " * 100_000, "unexpected", marks=FULL),
        (")\n" * 100_000, "unopened"),
        ("X\n" * 100_000, "more-errors"),
        ('"\n' * 100_000, "more-errors"),
        pytest.param("a " * 500_001, "too-many-tokens", marks=FULL),
        ("p(" + "a" * 2_000_000 + ")", "symbol-too-long"),
        ("A" * 2_000_000 + " :- b", "variable-as-formula"),
        ("p(" + '"' + "a" * 2_000_000, "unclosed-quote"),
        ("p(" + '"' + r"\"" * 1_000_000, "unclosed-quote"),
        ("x" * (8 * 1024 * 1024 + 1), "too-large"),
    ],
)
def test_hostile_texts_end_soon_and_with_a_short_message(text: str, code: str) -> None:
    errors_of.assert_ends_soon(text, "infix", code)


@pytest.mark.parametrize("syntax", ["kif", "infix"])
def test_tokens_up_to_the_limit(syntax: Syntax) -> None:
    limits = ReadingLimits(max_tokens=7)
    assert len(Rules.parse("a " * 7, syntax=syntax, limits=limits).clauses) == 7
    assert [found.code for found in errors_of.findings("a " * 8, syntax, limits)] == ["too-many-tokens"]


def test_what_is_read_can_be_printed_in_kif_and_read_again() -> None:
    """In KIF a formula nests deeper than in infix; the limit counts for both."""
    nested = "q(a)"
    for _ in range(32):
        nested = f"(a & {nested} | b)"
    rules = infix(f"p :- {nested}")
    assert Rules.parse(rules.to_kif(), syntax="kif") == rules
    for _ in range(30):
        nested = f"(a & {nested} | b)"
    assert [found.code for found in findings(f"p :- {nested}")] == ["too-deep"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(role white)", False),
        ("; role(white)\n(role white)", False),
        ("% comment\n(role white)", False),
        ("; comment\nrole(white)", True),
        ("% comment\nrole(white)", True),
        ("role(white)", True),
        ("  \n\trole(white). role(black).", True),
        ("terminal :- open", True),
        ("p :- ~q", True),
        ('"+"(a)', True),
        ("terminal (role white)", False),
        ("p\n(<= q r)", False),
        ("p (<= (q) (r(f a)))", False),
        ("p\n( <= q r)", False),
        ("terminal", False),
        ("", False),
        ("; only a comment", False),
        ("% only a comment", True),
        ("\ufeff(role white)", False),
        ("\ufeffrole(white)", True),
        (")", False),
    ],
)
def test_detection(text: str, expected: bool) -> None:
    assert looks_infix(text) == expected


def test_detection_is_quick_on_hostile_texts() -> None:
    started = time.process_time()
    for text in ("; c\n" * 500_000, " " * 2_000_000, "a" * 2_000_000, "a;" * 1_000_000, "a\n" * 1_000_000):
        looks_infix(text)
    assert time.process_time() - started < 10


def test_tokens_cover_the_text() -> None:
    text = 'p(X) :- "a b" & ?"n++" % done\n @@ ? ; "open'
    pieces = [token.text for token in infix_tokens(text)]
    assert "".join(pieces).replace(" ", "") == text.replace(" ", "").replace("\n", "")


def test_clauses_know_their_place() -> None:
    source = Source("% c\np(a).\n  q :- r\n & s  t")
    spans = [clause.span for clause in read_infix(source).clauses]
    assert [source.text[slice(*span)] for span in spans if span] == ["p(a)", "q :- r\n & s", "t"]


@pytest.mark.parametrize("comment", ["% (<= old rule)", "% see (cell 1 1)", "% ;", "%(<= (p ?x) (q ?x))"])
def test_what_stands_in_a_comment_does_not_decide_the_syntax(comment: str) -> None:
    sheet = f"role(white)\n{comment}\nlegal(P,go) :- role(P)\n"
    assert looks_infix(sheet)
    assert looks_infix(f"{comment}\n{sheet}")
    assert not looks_infix("; legal(P,go) :- role(P)\nterminal\n(<= (legal ?p go) (role ?p)) ; p(X) :- q(X)")


def test_a_rule_with_too_many_alternatives_is_refused_at_its_place() -> None:
    body = " & ".join(["(p(a) | q(b))"] * 101)
    with pytest.raises(GdlSyntaxError) as caught:
        Rules.parse(f"role(x)\ngoal(x,1) :- {body}", syntax="infix")
    (finding,) = caught.value.findings
    assert finding.code == "too-many-alternatives"
    assert finding.place is not None
    assert finding.place.line == 2
