"""Reading the output of the grounder, right and wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.errors import CompileError
from ludens.gdl.rules import Rules
from ludens.gdl.terms import natural_key
from ludens.ground.asp import AspProgram, needed_rules, translate
from ludens.ground.aspif import read_aspif
from ludens.ground.limits import GroundingLimits, GroundingWatch
from ludens.ground.process import run_grounder
from ludens.ground.simplify import to_program
from tests.ground.samples import SMALL

PROGRAM = AspProgram("", ("a", "f", "me"))
TEXT = b"""asp 1 0 0 incremental
1 0 1 1 0 0
1 1 1 2 0 0
1 0 1 3 0 2 2 -4
4 12 true(f1(0,1)) 1 2
4 10 next(0) 1 3
4 8 terminal 0
0
"""


def test_rules_and_symbols() -> None:
    rules = read_aspif(TEXT, PROGRAM)
    assert rules.heads.tolist() == [1, 2, 3]
    assert rules.choice.tolist() == [False, True, False]
    assert rules.lengths.tolist() == [0, 0, 2]
    assert rules.bodies.tolist() == [2, -4]
    assert rules.symbols == {"true": [((("f", "a", "f"),), 2)], "next": [(("a",), 3)], "terminal": [((), 0)]}


def test_no_rules_and_no_symbols() -> None:
    rules = read_aspif(b"asp 1 0 0 incremental\n0\n", PROGRAM)
    assert len(rules.heads) == len(rules.bodies) == len(rules.symbols) == 0


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00" * 100,
        b"asp 2 0 0\n0\n",
        TEXT[:-2],
        TEXT[: len(TEXT) // 2],
        TEXT.replace(b"2 2 -4", b"3 2 -4"),  # a body that ends too early
        TEXT.replace(b"1 0 1 3", b"1 0 2 3"),  # two heads
        TEXT.replace(b"1 0 1 3", b"6 0 1 3"),  # another statement
        TEXT.replace(b"1 0 1 3", b"1 0 x 3"),
        TEXT.replace(b"0,1", b"0,9"),  # a word that does not exist
        TEXT.replace(b"f1(0,1)", b"f1(0,1"),
        TEXT.replace(b" 1 2\n4", b" 2 2 3\n4"),
        TEXT.replace(b"terminal", "términal".encode()),
    ],
)
def test_anything_else_is_an_error(data: bytes) -> None:
    with pytest.raises(CompileError, match="the output of the grounder cannot be read"):
        read_aspif(data, PROGRAM)


_SMALL_ASP = translate(needed_rules(SMALL), SMALL.roles)
_SMALL_DATA = run_grounder(_SMALL_ASP.text, GroundingWatch.start(GroundingLimits()))


@given(st.integers(0, len(_SMALL_DATA) - 1), st.binary(max_size=4), st.integers(0, 6))
def test_damaged_output_gives_a_program_or_a_clear_error(place: int, inserted: bytes, removed: int) -> None:
    data = _SMALL_DATA[:place] + inserted + _SMALL_DATA[place + removed :]
    try:
        program = to_program(read_aspif(data, _SMALL_ASP), SMALL.roles)
    except CompileError:
        return
    assert program.roles == ("me",)


def test_symbols_are_in_natural_order_whatever_their_depth() -> None:
    rules = Rules.parse(
        """(role me) (legal me go) (init (f 10 a)) (init (f 9 a)) (init (f (g 9) a)) (init (f (g 9 a))) (init b)
        (<= (next ?f) (true ?f)) (<= terminal (true b))"""
    )
    asp = translate(needed_rules(rules), rules.roles)
    program = to_program(read_aspif(run_grounder(asp.text, GroundingWatch.start(GroundingLimits())), asp), rules.roles)
    assert len(program.fluents) == 5
    assert list(program.fluents) == sorted(program.fluents, key=natural_key)
