"""The KIF reader: what it accepts, what it says, and that nothing makes it crash or hang."""

from __future__ import annotations

import random
import time
from functools import partial
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ludens.errors import Finding, GdlSyntaxError
from ludens.gdl.formulas import And, Atom, Clause, Not, Or
from ludens.gdl.kif import read_kif, read_term
from ludens.gdl.rules import Rules, Syntax
from ludens.gdl.source import ReadingLimits, Source
from ludens.gdl.terms import Variable
from tests.gdl import errors_of
from tests.tiers import FULL

X = Variable("x")


def clauses(text: str | bytes) -> tuple[Clause, ...]:
    return Rules.parse(text, syntax="kif").clauses


findings = partial(errors_of.findings, syntax="kif")
places = partial(errors_of.places, syntax="kif")


def test_facts_and_rules() -> None:
    assert clauses("(role white) terminal (<= (p ?x) (q ?x (f a)) r)") == (
        Clause(Atom("role", ("white",))),
        Clause(Atom("terminal")),
        Clause(Atom("p", (X,)), (Atom("q", (X, ("f", "a"))), Atom("r"))),
    )


def test_connectives() -> None:
    body = clauses("(<= p (not q) (or a (and b (distinct ?x c))) (or) (not (or d)))")[0].body
    assert body == (
        Not(Atom("q")),
        Or((Atom("a"), And((Atom("b"), Atom("distinct", (X, "c")))))),
        Or(()),
        Not(Or((Atom("d"),))),
    )


@pytest.mark.parametrize("text", ["terminal", "(terminal)", "( terminal )", "(<= terminal)", "(<= (terminal))"])
def test_no_arguments_in_any_form(text: str) -> None:
    assert clauses(text) == (Clause(Atom("terminal")),)


def test_function_without_arguments_is_the_constant() -> None:
    assert clauses("(p (f) (g (h)))") == (Clause(Atom("p", ("f", ("g", "h")))),)


@pytest.mark.parametrize(
    "text",
    [
        "; first\n(p a);last\n(q b)",
        "(p;inside )))\na)(q b);no line end",
        "(p a)\r\n; (r c)\r\n\r\n(q b)\r\n",
        "(p a)\r;an old Macintosh\r(q b)\r",
        "\t(p\ta)\n\f(q\v\u00a0b)\x1a",
        "\ufeff(p a)\n(q b)",
        "(p a)(q b)",
    ],
)
def test_comments_and_white_space(text: str) -> None:
    assert clauses(text) == (Clause(Atom("p", ("a",))), Clause(Atom("q", ("b",))))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16", "utf-16-be"])
def test_encodings(encoding: str) -> None:
    data = "(état é)".encode(encoding)
    if encoding == "utf-16-be":
        data = b"\xfe\xff" + data
    assert clauses(data) == (Clause(Atom("état", ("é",))),)


@pytest.mark.parametrize(
    "word", ["+", "<", ">=", "*", "/", "o'clock", "a.b", "#1", "-3", "+7", "1.5", '"', "%", "$", "ß"]
)
def test_odd_symbols(word: str) -> None:
    assert clauses(f"(p {word} ?{word})") == (Clause(Atom("p", (word, Variable(word)))),)


def test_case_is_folded_and_the_first_spelling_kept() -> None:
    rules = Rules.parse("(Role WHITE) (ROLE white) (<= (P ?Xy) (Q ?xY))")
    assert rules.clauses[0] == rules.clauses[1]
    assert rules.clauses[2] == Clause(Atom("p", (Variable("xy"),)), (Atom("q", (Variable("xy"),)),))
    assert rules.to_kif() == "(Role WHITE)\n(Role WHITE)\n(<= (P ?Xy) (Q ?Xy))\n"


@pytest.mark.parametrize("text", ["", " \n\t", "; only a comment", "\ufeff", b"", b"\xef\xbb\xbf"])
def test_nothing_in_it(text: str | bytes) -> None:
    assert clauses(text) == ()


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("(p a", "unclosed", 1, 1),
        ("\n  (p (q a)", "unclosed", 2, 3),
        ("(p a))", "unopened", 1, 6),
        (")", "unopened", 1, 1),
        ("()", "empty-list", 1, 1),
        ("(p ())", "empty-list", 1, 4),
        ("((p a))", "list-as-name", 1, 2),
        ("(p ((f) a))", "list-as-name", 1, 5),
        ("(<=)", "no-head", 1, 1),
        ("(=> a b)", "forward-arrow", 1, 1),
        ("(<= (p) (=> a b))", "nested-rule", 1, 9),
        ("(<= (not p) q)", "bad-head", 1, 5),
        ("(or a b)", "bad-head", 1, 1),
        ("(distinct a b)", "bad-head", 1, 1),
        ("(<= p (distinct a))", "bad-distinct", 1, 7),
        ("(<= p distinct)", "bad-distinct", 1, 7),
        ("(<= p (not))", "bad-not", 1, 7),
        ("(<= p (not a b))", "bad-not", 1, 7),
        ("(<= p not q)", "stray-operator", 1, 7),
        ("<= p q", "stray-operator", 1, 1),
        ("(<= p ?x)", "variable-as-formula", 1, 7),
        ("(<= p (?x a))", "variable-as-name", 1, 8),
        ("(p (?f a))", "variable-as-name", 1, 5),
        ("(p ?)", "nameless-variable", 1, 4),
        ("(p (or a b))", "operator-in-term", 1, 4),
        ("(p a)\r\n(q b))", "unopened", 2, 6),
        ("(p a)\r(q b))", "unopened", 2, 6),
        ("(p é))", "unopened", 1, 6),
    ],
)
def test_each_error_has_its_place(text: str, code: str, line: int, column: int) -> None:
    assert places(text) == [(code, line, column)]


def test_several_errors_at_once_in_the_order_of_the_text() -> None:
    text = "(role white)\n(p ?)\n(<= q\n    (r a)\n(<= s (not))\n(t u))\n(<= (v)\n  (w ?x)\n  ?y)"
    assert places(text) == [
        ("nameless-variable", 2, 4),
        ("unclosed", 3, 1),
        ("bad-not", 5, 7),
        ("unopened", 6, 6),
        ("variable-as-formula", 9, 3),
    ]


def test_error_shows_the_line_and_a_caret() -> None:
    (found,) = findings("(role white)\n\t(<= (p ?x) (distinct ?x))\n")
    assert str(found) == (
        "sheet:2:13: error: `distinct` takes two terms, here are 1 [bad-distinct]\n"
        "     (<= (p ?x) (distinct ?x))\n"
        "                ^^^^^^^^^^^^^\n"
        "    remedy: write `(distinct ?x ?y)`"
    )


def test_error_in_a_very_long_line_shows_a_part_of_it() -> None:
    (found,) = findings("(p a) " * 10_000 + "(wrong ?) " + "(p a) " * 10_000)
    assert found.place is not None
    assert found.place.column == 60_000 + 8
    line, carets = found.place.excerpt().split("\n")
    assert len(line) < 130
    assert line[carets.index("^")] == "?"
    assert line.startswith("...")


def test_a_hundred_thousand_open_parentheses() -> None:
    assert places("(" * 100_000) == [("too-deep", 1, 101)]
    assert places("(p " * 100_000) == [("too-deep", 1, 301)]


def test_nesting_up_to_the_limit() -> None:
    deep = "(p " + "(f " * 99 + "a" + ")" * 100
    assert len(clauses(deep)) == 1
    assert findings("(p " + "(f " * 100 + "a" + ")" * 101)[0].code == "too-deep"


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.kif"
    with path.open("wb") as file:
        file.truncate(50 * 1024 * 1024)
    started = time.process_time()
    with pytest.raises(GdlSyntaxError) as caught:
        Rules.read(path)
    assert caught.value.findings[0].code == "too-large"
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("a " * 500_001, "too-many-tokens", marks=FULL),
        (")" * 2_000_000, "more-errors"),
        ("? " * 100_000, "more-errors"),
        ("a" * 2_000_000, "symbol-too-long"),
        ("(?" + "a" * 2_000_000 + ")", "symbol-too-long"),
        ("(p " + "a" * 1001 + ")", "symbol-too-long"),
        ("x" * (8 * 1024 * 1024 + 1), "too-large"),
    ],
)
def test_hostile_texts_end_soon_and_with_a_short_message(text: str, code: str) -> None:
    errors_of.assert_ends_soon(text, "kif", code)


def test_only_so_many_errors_are_shown() -> None:
    found = findings("(p ?)\n" * 1000, limits=ReadingLimits(max_findings=7))
    assert [finding.code for finding in found] == ["nameless-variable"] * 7 + ["more-errors"]


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
        b"\x7fELF\x02\x01\x01\x00" + bytes(range(256)),
        b"(role white)\x00",
        "(role white)".encode("utf-16-le"),
        random.Random(1).randbytes(100_000),
    ],
)
def test_binary_files_are_refused(data: bytes) -> None:
    (found,) = findings(data)
    assert found.code == "not-text"
    assert found.place is not None


def test_control_character_is_pointed_out() -> None:
    (found,) = findings(b"(role white)\n(role\x00black)\x01")
    assert found.place is not None
    assert (found.place.line, found.place.column) == (2, 6)
    assert "0x00" in found.message


@given(st.binary(max_size=200))
@example(b"\xff\xfe")
@example(b"\xff\xfe(")
@example(b"\xff\xfe\x00\xd8")
def test_byte_noise_never_crashes_the_reader(data: bytes) -> None:
    read_or_complain(data)


@given(st.text("()<=;? \n\rabnotrd%\"&|~:-,.'", max_size=60))
def test_noise_of_the_right_characters_never_crashes_the_reader(text: str) -> None:
    read_or_complain(text.encode())


@given(
    st.lists(
        st.sampled_from(["(", ")", "<=", "=>", "not", "or", "and", "distinct", "?x", "?", "p", "; c\n"]), max_size=30
    )
)
def test_noise_of_the_right_words_never_crashes_the_reader(words: list[str]) -> None:
    read_or_complain(" ".join(words).encode())


def read_or_complain(data: bytes) -> None:
    """Either clauses, or errors with places inside the text; in both syntaxes."""
    syntaxes: tuple[Syntax, ...] = ("kif", "infix", "auto")
    for syntax in syntaxes:
        for finding in diagnostics(data, syntax):
            assert finding.place is not None
            line, carets = finding.place.excerpt().split("\n")
            assert carets.strip() == "^" * finding.place.length
            assert len(carets) <= len(line) + 1


def diagnostics(data: bytes, syntax: Syntax) -> tuple[Finding, ...]:
    try:
        Rules.parse(data, "noise", syntax)
    except GdlSyntaxError as error:
        return error.findings
    return ()


def test_clauses_know_their_place() -> None:
    source = Source("; c\n(p a)\n  (<= q\n r)")
    assert [source.text[slice(*clause.span)] for clause in read_kif(source).clauses if clause.span] == [
        "(p a)",
        "(<= q\n r)",
    ]


def test_read_term() -> None:
    assert read_term("(mark 1 ?X)") == ("mark", "1", X)
    assert read_term(" NOOP ; nothing\n") == "noop"


@pytest.mark.parametrize("text", ["", "a b", "(mark 1", ")", "()", "(mark 1) 2", "(or a b)", "(p\x00)"])
def test_read_term_refuses(text: str) -> None:
    with pytest.raises(GdlSyntaxError):
        read_term(text)


def test_every_sheet_of_the_corpus_is_read(corpus: Path) -> None:
    paths = sorted(corpus.glob("g*/*.kif"))
    assert len(paths) > 200
    for path in paths:
        assert Rules.read(path).roles, path.name
