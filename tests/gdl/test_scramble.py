"""Scrambling: all words change, nothing else does, and it can be undone."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.gdl.keywords import KEYWORDS
from ludens.gdl.rules import Rules
from ludens.gdl.scramble import scramble
from ludens.gdl.terms import Variable
from tests.gdl.strategies import SHEETS

SHEET = """
(role White) (role random)
(init (cell 1 -2 cell))
(<= (legal ?w (mark ?X +3)) (role ?w) (cell ?X) (not (or (true (cell ?x 1 b)) (distinct ?w random))))
(<= (goal white 100) terminal)
"""


def test_words_change_and_the_language_stays() -> None:
    rules = Rules.parse(SHEET)
    scrambling = scramble(rules, Random(3))
    forward = scrambling.forward
    assert set(forward) == {"white", "cell", "mark", "b", "?w", "?x"}
    cell, mark, white, w, x, b = (forward[word] for word in ("cell", "mark", "white", "?w", "?x", "b"))
    assert scrambling.rules.to_kif() == (
        f"(role {white})\n(role random)\n"
        f"(init ({cell} 1 -2 {cell}))\n"
        f"(<= (legal {w} ({mark} {x} +3))\n"
        f"    (role {w})\n    ({cell} {x})\n"
        f"    (not (or (true ({cell} {x} 1 {b})) (distinct {w} random))))\n"
        f"(<= (goal {white} 100) terminal)\n"
    )


def test_terms_go_both_ways() -> None:
    scrambling = scramble(Rules.parse(SHEET), Random(3))
    move = ("mark", Variable("x"), ("cell", "1"), "random", "new")
    hidden = scrambling.scramble_term(move)
    assert isinstance(hidden, tuple)
    assert hidden[0] == scrambling.forward["mark"]
    assert hidden[-2:] == ("random", "new")
    assert scrambling.unscramble_term(hidden) == move


def test_the_seed_decides() -> None:
    rules = Rules.parse(SHEET)
    first, again, other = (scramble(rules, Random(seed)) for seed in (1, 1, 2))
    assert first == again
    assert first.forward != other.forward


def test_a_known_result_stays_the_same() -> None:
    """Players of one match may scramble on different machines, with different versions of Python."""
    assert dict(scramble(Rules.parse("(role white) (role black)"), Random(0)).forward) == KNOWN


KNOWN = {"white": "mounan", "black": "romoun"}


@given(SHEETS, st.integers(0, 100))
def test_undoing_gives_the_original(rules: Rules, seed: int) -> None:
    scrambling = scramble(rules, Random(seed))
    assert scrambling.unscramble(scrambling.rules) == rules
    assert scrambling.unscramble(Rules.parse(scrambling.rules.to_kif(), syntax="kif")) == rules
    assert scrambling.unscramble(Rules.parse(scrambling.rules.to_infix(), syntax="infix")) == rules


@given(SHEETS, st.integers(0, 100))
def test_made_up_words(rules: Rules, seed: int) -> None:
    scrambling = scramble(rules, Random(seed))
    made_up = list(scrambling.forward.values())
    assert len(set(made_up)) == len(made_up)
    assert not KEYWORDS & set(made_up)
    assert not set(scrambling.forward) & set(made_up)
    assert all(re.fullmatch(r"\??[a-z]{4,}", word) for word in made_up)
    assert all(old.startswith("?") == new.startswith("?") for old, new in scrambling.forward.items())
    assert dict(scrambling.backward) == {new: old for old, new in scrambling.forward.items()}


def test_many_words() -> None:
    rules = Rules.parse(" ".join(f"(p word{n})" for n in range(3000)))
    assert len(set(scramble(rules, Random(0)).forward.values())) == 3001


def test_a_scrambling_can_be_stored() -> None:
    scrambling = scramble(Rules.parse(SHEET), Random(3))
    assert pickle.loads(pickle.dumps(scrambling)) == scrambling


@pytest.mark.parametrize("name", ["ticTacToe", "connectFour", "checkers", "chineseCheckers3"])
def test_sheets_of_the_corpus(corpus: Path, name: str) -> None:
    rules = Rules.read(corpus / "games" / f"{name}.kif")
    scrambling = scramble(rules, Random(name))
    back = scrambling.unscramble(scrambling.rules)
    assert back == rules
    assert back.digest == rules.digest
    assert scrambling.rules.digest != rules.digest
    assert len(scrambling.rules.rules) == len(rules.rules)


class _Favourite(Random):
    """Draws the first syllables again and again, so that made-up words meet the words of the sheet."""

    def choice(self, options):  # type: ignore[no-untyped-def]
        return options[0] if self.random() < 0.8 else super().choice(options)


def test_a_made_up_word_is_never_one_of_the_sheet() -> None:
    rules = Rules.parse("(role baba) (init babal) (p bababa babam)")
    for seed in range(20):
        scrambling = scramble(rules, _Favourite(seed))
        assert scrambling.forward.keys().isdisjoint(scrambling.backward)
