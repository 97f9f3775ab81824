"""How findings speak: in the syntax of the sheet, in the words of its author, and in one short line."""

from __future__ import annotations

import pytest

from ludens.errors import Finding
from ludens.gdl.rules import Rules
from tests.gdl.test_validate import CASES, GAME, MARK, only

# Infix syntax

INFIX = """
role(white)
init(step(1))
succ(1,2)
legal(white,go)
next(step(M)) :- true(step(N)) & succ(N,M)
terminal :- true(step(2))
goal(white,50) :- true(step(2))
"""


def test_infix_sheets_are_checked_too() -> None:
    assert Rules.parse(INFIX, syntax="infix").validate() == []
    (finding,) = Rules.parse(INFIX + "goal(white,0) :- ~true(step(K))\n", syntax="infix").validate()
    assert finding.code == "unsafe-variable"
    assert finding.place
    assert (finding.place.line, finding.place.column) == (9, 29)


def infix_finding(code: str, line: str) -> Finding:
    (finding,) = [found for found in Rules.parse(INFIX + line, syntax="infix").validate() if found.code == code]
    return finding


def test_infix_sheets_get_examples_in_infix_syntax() -> None:
    assert infix_finding("keyword-arity", "goal(white)").remedy == "write `goal(player,value)`"
    finding = infix_finding("negated-formula", "terminal :- ~(succ(1,1) | succ(2,2))")
    assert finding.remedy == "negate the parts: `~(a | b)` is `~a & ~b`"
    (remedy,) = [
        found.remedy for found in Rules.parse("role(a)", syntax="infix").validate() if found.code == "no-legal"
    ]
    assert remedy == "add rules such as `legal(Player,noop) :- role(Player)`"


def test_kif_sheets_get_examples_in_kif() -> None:
    assert only("keyword-arity", GAME + "(goal white)").remedy == "write `(goal player value)`"
    assert "`(role white)`" in only("no-role", "").remedy


def test_no_example_is_left_in_kif() -> None:
    """Every message of every case, made for an infix sheet."""
    for marked, _ in CASES.values():
        rules = Rules.parse(Rules.parse(marked.replace(MARK, "")).to_infix(), syntax="infix")
        assert not [str(found) for found in rules.validate() if "`(" in found.message + found.remedy]


def test_anonymous_variables_are_shown_as_written() -> None:
    finding = infix_finding("unsafe-variable", "terminal :- succ(A,B) & ~true(step(_))")
    assert "the variable `_` negated" in finding.message
    assert finding.place
    assert (finding.place.column, finding.place.length) == (36, 1)
    assert "`_`" not in infix_finding("unsafe-variable", "terminal :- ~true(step(_1))").message


def test_infix_variables_in_other_cases_are_one_variable() -> None:
    finding = infix_finding("mixed-case", "terminal :- succ(Xa,_) & succ(XA,1)")
    assert "`Xa`/`XA`" in finding.message
    assert finding.place
    assert (finding.place.line, finding.place.column) == (9, 31)
    twin = INFIX + "terminal :- succ(Xa,1)\nterminal :- succ(2,XA) & succ(xa,1)"
    assert Rules.parse(twin, syntax="infix").validate() == []


# What messages show


@pytest.mark.parametrize("odd", ["\u202e", "\u2066", "\x85", "\u200b"])
def test_no_message_holds_characters_that_change_the_line(odd: str) -> None:
    word = f"a{odd}b" if not odd.isspace() else "ab"
    text = GAME + f"({word} 1) ({word.upper()} 2) (<= terminal (x{word} 1) (true ({word} 2))) (legal r{word} 1)"
    for finding in Rules.parse(text).validate():
        assert finding.message.isprintable()
        assert finding.remedy.isprintable()


def test_long_terms_and_chains_are_cut() -> None:
    long = f"(p {' '.join(f'argument{n}' for n in range(1000))})"
    assert len(only("duplicate-clause", GAME + long + long + f"(<= terminal {long})").message) < 300
    circle = " ".join(f"(<= c{n} (not c{(n + 1) % 100}))" for n in range(100))
    assert len(only("unstratified", GAME + circle + "(<= terminal c1)").message) < 300
