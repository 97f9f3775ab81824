"""Expressions: a fluent or a derived relation, with words or variables as its arguments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import TypeAlias

from ludens.core import GroundTerm
from ludens.gdl.domains import Position
from ludens.gdl.formulas import Atom
from ludens.gdl.terms import Term, Variable, is_ground

AtomKind = OneOf["function", "relation"]
"""A fluent, or something derived."""
Table: TypeAlias = tuple[AtomKind, str, int]
"""All atoms of one name and number of arguments."""
Argument: TypeAlias = "GroundTerm | int"
"""A word, or the number of a variable."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """An expression; the same number stands for the same variable.

    >>> Pattern("function", "cell", (0, "8", "king")).matches(("a", "8", "king"))
    True
    """

    kind: AtomKind
    name: str
    arguments: tuple[Argument, ...]

    @property
    def table(self) -> Table:
        return self.kind, self.name, len(self.arguments)

    @property
    def fixed(self) -> tuple[int, ...]:
        """The places of the arguments that are words."""
        return tuple(place for place, argument in enumerate(self.arguments) if not isinstance(argument, int))

    def position(self, place: int) -> Position:
        return (*self.table, place)

    def matches(self, arguments: tuple[GroundTerm, ...]) -> bool:
        values: dict[int, GroundTerm] = {}
        for wanted, found in zip(self.arguments, arguments, strict=True):
            if (values.setdefault(wanted, found) if isinstance(wanted, int) else wanted) != found:
                return False
        return True

    def with_words(self, words: Mapping[int, GroundTerm]) -> Pattern:
        """With words for the arguments at some places; a variable that stands there gets its word everywhere."""
        values = {self.arguments[place]: word for place, word in words.items()}
        arguments = tuple(
            words.get(place, values.get(argument, argument) if isinstance(argument, int) else argument)
            for place, argument in enumerate(self.arguments)
        )
        return Pattern(self.kind, self.name, arguments)

    def without_words(self, places: Iterable[int]) -> Pattern:
        """With new variables at some places."""
        free = len(self.arguments)
        changed = {place: free + place for place in places}
        return Pattern(self.kind, self.name, tuple(changed.get(i, old) for i, old in enumerate(self.arguments)))


def general(table: Table) -> Pattern:
    """Return the expression that all atoms of a table match."""
    kind, name, arity = table
    return Pattern(kind, name, tuple(range(arity)))


def pattern_of(atom: Atom) -> Pattern | None:
    """Return the expression of an atom in a rule: the fluent of `true`, or a relation; None for other keywords."""
    if atom.name == "true":
        term = atom.args[0]
        if isinstance(term, str):
            return Pattern("function", term, ())
        if isinstance(term, tuple):
            return Pattern("function", str(term[0]), tuple(_arguments(term[1:])))
        return None
    return Pattern("relation", atom.name, tuple(_arguments(atom.args)))


def _arguments(terms: Iterable[Term]) -> Iterator[Argument]:
    numbers: dict[Term, int] = {}
    for place, term in enumerate(terms):
        if isinstance(term, Variable):
            yield numbers.setdefault(term, place)
        elif is_ground(term):
            yield term  # type: ignore[misc]
        else:
            yield place  # a compound term with variables: anything may stand there
