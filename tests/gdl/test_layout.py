"""Laying out sheets: nothing but white space changes, and a second time nothing at all."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.errors import GdlSyntaxError
from ludens.gdl.infix import infix_tokens
from ludens.gdl.kif import tokens
from ludens.gdl.layout import convert_sheet, format_infix, format_kif, format_sheet
from ludens.gdl.rules import Rules
from ludens.gdl.source import Source
from tests.gdl.strategies import SHEETS

GAPS = (" ", " ", " ", "\n", "\n\n", "\n\n\n\n\n", "\t", "\r\n", "  # \n", "\n   ##  inside (a & b  \n", "\n#\n\n# x\n")


def kif_words(text: str) -> list[str]:
    return [token.text.rstrip() for token in tokens(text)]


def infix_words(text: str) -> list[str]:
    return [token.text.rstrip() for token in infix_tokens(text)]


def spread(words: list[str], comment: str, rng: Random) -> str:
    """The words with all kinds of space and comments between them."""
    return "".join(word + rng.choice(GAPS).replace("#", comment) for word in words)


@given(SHEETS, st.integers(0, 1000))
def test_kif_words_and_comments_stay(rules: Rules, seed: int) -> None:
    text = spread(kif_words(rules.to_kif()), ";", Random(seed))
    formatted = format_kif(text)
    assert kif_words(formatted) == kif_words(text)
    assert format_kif(formatted) == formatted
    assert Rules.parse(formatted, syntax="kif") == rules


@given(SHEETS, st.integers(0, 1000))
def test_infix_words_and_comments_stay(rules: Rules, seed: int) -> None:
    text = spread(infix_words(rules.to_infix()), "%", Random(seed))
    formatted = format_infix(text)
    assert infix_words(formatted) == infix_words(text)
    assert format_infix(formatted) == formatted
    assert Rules.parse(formatted, syntax="infix") == rules


@given(SHEETS, st.integers(0, 1000), st.booleans())
def test_converting_keeps_rules_and_comments(rules: Rules, seed: int, to_infix: bool) -> None:
    if to_infix:
        text = spread(kif_words(rules.to_kif()), ";", Random(seed))
        converted = convert_sheet(Source(text), "infix", "kif")
        kept = [word for word in infix_words(converted) if word[0] == "%"]
        comments = [word.replace(";", "%") for word in kif_words(text) if word[0] == ";"]
    else:
        text = spread(infix_words(rules.to_infix()), "%", Random(seed))
        converted = convert_sheet(Source(text), "kif", "infix")
        kept = [word for word in kif_words(converted) if word[0] == ";"]
        comments = [word.replace("%", ";") for word in infix_words(text) if word[0] == "%"]
    assert kept == comments
    assert Rules.parse(converted, syntax="infix" if to_infix else "kif") == rules


def test_sheets_of_the_corpus(corpus: Path) -> None:
    for path in sorted(corpus.glob("g*/*.kif"))[::4]:
        source = Source.from_path(path)
        formatted = format_sheet(source)
        assert kif_words(formatted) == kif_words(source.text), path.name
        assert format_kif(formatted) == formatted, path.name
        infix = convert_sheet(source, "infix")
        laid_out = format_infix(infix)
        assert infix_words(laid_out) == infix_words(infix), path.name
        assert format_infix(laid_out) == laid_out, path.name


KIF_BEFORE = """

;;;; A made-up sheet
;;;;   with a heading

(ROLE  white)   (role black);two of them


    ; indented



(init
  (cell 1 1))
(<= (next ?x) (true ?x) (not (gone ?x)) )
(<= terminal
(true (control white)))
(<= (legal ?w noop) ;;why
; alone
(role ?w)
(not (or (true (control ?w)) ; one
 (true (over))))
)
(<= (goal ?w 100) (role ?w) (or (and (line ?w) (not (other_line_of_the_same ?w))) (and (open ?w) (last ?w))))
"""

KIF_AFTER = """\
;;;; A made-up sheet
;;;;   with a heading

(ROLE white) (role black)  ;two of them


; indented


(init (cell 1 1))
(<= (next ?x) (true ?x) (not (gone ?x)))
(<= terminal
    (true (control white)))
(<= (legal ?w noop)  ;;why
    ; alone
    (role ?w)
    (not (or (true (control ?w))  ; one
             (true (over)))))
(<= (goal ?w 100)
    (role ?w)
    (or (and (line ?w) (not (other_line_of_the_same ?w))) (and (open ?w) (last ?w))))
"""


def test_kif_example() -> None:
    assert format_kif(KIF_BEFORE) == KIF_AFTER
    assert format_kif(KIF_AFTER) == KIF_AFTER


INFIX_BEFORE = """
%% A made-up sheet
role( white ).   role(black)  % two


legal(W, noop):-role(W)&~(true(control(W))|true(over)).
next(X) :-   % why
   true(X) & % first
  % alone
  ~ gone(X)
p :- a
 , b
goal(W,100) :- role(W) & (line(W) & ~other_line_of_the_same(W) | open(W) & last_of_them(W)) & long_enough(W)
"""

INFIX_AFTER = """\
%% A made-up sheet
role(white). role(black)  % two


legal(W,noop) :- role(W) & ~(true(control(W)) | true(over)).
next(X) :-  % why
  true(X) &  % first
  % alone
  ~gone(X)
p :-
  a,
  b
goal(W,100) :-
  role(W) &
  (line(W) & ~other_line_of_the_same(W) | open(W) & last_of_them(W)) &
  long_enough(W)
"""


def test_infix_example() -> None:
    assert format_infix(INFIX_BEFORE) == INFIX_AFTER
    assert format_infix(INFIX_AFTER) == INFIX_AFTER


def test_long_conditions_are_broken_at_their_joins() -> None:
    words = [f"a_condition_with_a_long_name({n})" for n in range(4)]
    assert format_infix(f"p :- ~({' | '.join(words)}) & q") == (
        "p :-\n"
        "  ~(a_condition_with_a_long_name(0) |\n"
        "    a_condition_with_a_long_name(1) |\n"
        "    a_condition_with_a_long_name(2) |\n"
        "    a_condition_with_a_long_name(3)) &\n"
        "  q\n"
    )
    lists = [f"(a_condition_with_a_long_name {n})" for n in range(4)]
    assert format_kif(f"(<= p (not (or {' '.join(lists)})) q)") == (
        "(<= p\n"
        "    (not (or (a_condition_with_a_long_name 0)\n"
        "             (a_condition_with_a_long_name 1)\n"
        "             (a_condition_with_a_long_name 2)\n"
        "             (a_condition_with_a_long_name 3)))\n"
        "    q)\n"
    )


CONVERTED = """\
%%%% A made-up sheet
%%%%   with a heading

role(white) role(black)  %two of them


% indented


init(cell(1,1))
next(X) :- true(X) & ~gone(X)
terminal :- true(control(white))
%%why
% alone
% one
legal(W,noop) :- role(W) & ~(true(control(W)) | true(over))
goal(W,100) :- role(W) & ((line(W) & ~other_line_of_the_same(W)) | (open(W) & last(W)))
"""


def test_converting_example() -> None:
    assert convert_sheet(Source(KIF_BEFORE), "infix") == CONVERTED
    assert convert_sheet(Source(CONVERTED), "infix", "infix") == CONVERTED


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff"])
def test_nothing_gives_nothing(text: str) -> None:
    assert format_kif(text) == ""
    assert format_infix(text) == ""


def test_broken_sheets_are_refused() -> None:
    with pytest.raises(GdlSyntaxError, match="1:1"):
        format_kif("(p (q a)")
    with pytest.raises(GdlSyntaxError, match="1:2"):
        format_infix("p(q(a)")
    with pytest.raises(GdlSyntaxError, match="never opened"):
        convert_sheet(Source("(role a))"), "infix")


def test_deep_and_long_sheets() -> None:
    deep = "(<= p " + "(not " * 98 + "q" + ")" * 99
    assert kif_words(format_kif(deep)) == kif_words(deep)
    commented = "(<= p " + "(not ; c\n" * 98 + "q" + ")" * 99
    formatted = format_kif(commented)
    assert kif_words(formatted) == kif_words(commented)
    assert format_kif(formatted) == formatted
    wide = "(p " + " ".join(f"argument_{n}" for n in range(3000)) + ")"
    assert kif_words(format_kif(wide)) == kif_words(wide)
