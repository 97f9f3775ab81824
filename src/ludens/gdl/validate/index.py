"""Finding the terms that a given term can match, without comparing it with all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from ludens.gdl.terms import Term, Variable, is_ground, unifiable

Shape: TypeAlias = "tuple[Term, int]"
"""Name and number of arguments; a constant has -1 arguments, to be told from a relation without any."""

MAX_COMPARISONS = 200_000
"""The limit on comparisons of one index; no known sheet comes near."""


class TermIndex:
    """Terms by number; for each shape and position, those with a certain ground argument there."""

    def __init__(self, terms: Iterable[Term]) -> None:
        self.terms = tuple(terms)
        self._known = frozenset(self.terms)
        self._left = MAX_COMPARISONS
        self._variables: list[int] = []
        self._shapes: dict[Shape, list[int]] = {}
        self._fixed: dict[tuple[Shape, int, Term], list[int]] = {}
        self._open: dict[tuple[Shape, int], list[int]] = {}
        for number, term in enumerate(self.terms):
            self._add(number, term)

    def _add(self, number: int, term: Term) -> None:
        if isinstance(term, Variable):
            self._variables.append(number)
            return
        shape = _shape(term)
        self._shapes.setdefault(shape, []).append(number)
        for position, argument in _arguments(term):
            if is_ground(argument):
                self._fixed.setdefault((shape, position, argument), []).append(number)
            else:
                self._open.setdefault((shape, position), []).append(number)

    def has_shape(self, term: Term) -> bool:
        """Return whether some term has the same name and number of arguments."""
        return _shape(term) in self._shapes

    def has_match(self, term: Term) -> bool:
        """Return whether some term has a common instance with this one; True once the limit is reached."""
        return term in self._known or next(self.matches(term), None) is not None or self._left < 0

    def matches(self, term: Term) -> Iterator[int]:
        """Yield the numbers of the terms that have a common instance with this one, until the limit is reached."""
        for number in self._candidates(term) if self._left >= 0 else ():
            self._left -= 1
            if self._left < 0:
                return
            if unifiable(term, self.terms[number]):
                yield number

    def _candidates(self, term: Term) -> list[int]:
        if isinstance(term, Variable):
            return list(range(len(self.terms)))
        shape = _shape(term)
        best = self._shapes.get(shape, [])
        for position, argument in _arguments(term):
            if is_ground(argument):
                fixed, open_ = self._fixed.get((shape, position, argument), []), self._open.get((shape, position), [])
                if len(fixed) + len(open_) < len(best):
                    best = fixed + open_
        return best + self._variables


def _shape(term: Term) -> Shape:
    return (term[0], len(term) - 1) if isinstance(term, tuple) else (term, -1)


def _arguments(term: Term) -> Iterator[tuple[int, Term]]:
    if isinstance(term, tuple):
        yield from enumerate(term[1:])
