"""Random clauses with words of every kind, for properties that must hold of any sheet."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable

from hypothesis import strategies as st

from ludens.gdl import formulas, terms
from ludens.gdl.formulas import And, Atom, Clause, Formula, Not, Or
from ludens.gdl.kif import NOT_IN_SYMBOLS
from ludens.gdl.reading import CONNECTIVES
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Term, Variable

_ODD_WORDS = (
    *("+", "<", "a.b", "1.5", "-3", "+7", "n++", "o'clock", 'say"', "back\\slash", "%", "a:-b", "_", "_1", "~x"),
    *("é", "ß", "ǆ", "ς", "i̇", "猫", "٣", "ªb", "²"),
)
_NOT_IN_WORDS = re.compile(f"[{NOT_IN_SYMBOLS}\x00-\x20]")


def _can_stand(word: str) -> bool:
    return not word.startswith("?") and not _NOT_IN_WORDS.search(word) and word.lower() == word


_PLAIN = st.text(string.ascii_lowercase + string.digits + "_", min_size=1, max_size=3)
_ODD = st.sampled_from(_ODD_WORDS)
_ANY = st.text(min_size=1, max_size=3).map(str.lower).filter(_can_stand)
_WORDS = st.one_of(_PLAIN, _ODD, _ANY)

NAMES: st.SearchStrategy[str] = _WORDS.filter(lambda word: word not in CONNECTIVES)
"""Names of functions."""

CONSTANTS: st.SearchStrategy[str] = _WORDS | st.sampled_from(sorted(CONNECTIVES))
"""Constants, odd ones and those that look like connectives included."""

VARIABLES: st.SearchStrategy[Variable] = _WORDS.map(Variable) | st.just(Variable("?"))

TERMS: st.SearchStrategy[Term] = st.recursive(
    CONSTANTS | VARIABLES,
    lambda inner: st.tuples(NAMES, inner) | st.tuples(NAMES, inner, inner),
    max_leaves=4,
)

ATOMS: st.SearchStrategy[Atom] = st.builds(
    Atom, NAMES.filter(lambda word: word != "distinct"), st.lists(TERMS, max_size=2).map(tuple)
)
"""Atoms of any relation but `distinct`."""


def _joined(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    parts = st.lists(inner, max_size=3).map(tuple)
    return st.one_of(st.builds(Not, inner), st.builds(And, parts), st.builds(Or, parts))


FORMULAS: st.SearchStrategy[Formula] = st.recursive(
    ATOMS | st.builds(Atom, st.just("distinct"), st.tuples(TERMS, TERMS)), _joined, max_leaves=4
)
"""Formulas of any shape, with `or` and `and` of no or one formula too."""

CLAUSES: st.SearchStrategy[Clause] = st.builds(Clause, ATOMS, st.lists(FORMULAS, max_size=2).map(tuple))


def _spelled(clauses: list[Clause], style: int) -> Rules:
    """Rules whose author writes words as they are, in capitals, or with a capital first."""
    spelling = {}
    for word in _used_words(clauses):
        written = [word, word.upper(), word[:2].upper() + word[2:]][style]
        spelling[word] = written if written.lower() == word else word
    return Rules(clauses, spelling)


def _used_words(clauses: Iterable[Clause]) -> set[str]:
    used: set[str] = set()
    for clause in clauses:
        for formula in (clause.head, *clause.body):
            for atom, _ in formulas.atoms(formula):
                for term in (atom.name, *atom.args):
                    used.update(terms.constants(term), map(str, terms.variables(term)))
    return used


SHEETS: st.SearchStrategy[Rules] = st.builds(_spelled, st.lists(CLAUSES, max_size=3), st.integers(0, 2))
