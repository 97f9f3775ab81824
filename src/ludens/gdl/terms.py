"""Terms: the words that rules are made of.

A constant is a `str` in lower case, a compound term a tuple whose first item is the name of the
function, `("cell", "1", "2", "b")`, and a variable a `Variable`. A function without arguments is
the constant of that name. Plain strings and tuples keep states cheap to hash and compare.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ludens.core import GroundTerm as GroundTerm

Term: TypeAlias = "str | Variable | tuple[Term, ...]"
Spelling: TypeAlias = Mapping[str, str]
"""From a folded symbol (`?x` for a variable) to the way the author writes it."""


@dataclass(frozen=True, slots=True, order=True)
class Variable:
    """A variable; the name comes without the question mark and in lower case."""

    name: str

    def __str__(self) -> str:
        return "?" + self.name


def variables(term: Term) -> Iterator[Variable]:
    """Yield the variables of a term, from left to right, with repetitions."""
    if isinstance(term, Variable):
        yield term
    elif isinstance(term, tuple):
        for argument in term[1:]:
            yield from variables(argument)


def constants(term: Term) -> Iterator[str]:
    """Yield the constants and function names of a term."""
    if isinstance(term, str):
        yield term
    elif isinstance(term, tuple):
        for part in term:
            yield from constants(part)


def is_ground(term: Term) -> bool:
    if isinstance(term, tuple):
        return all(is_ground(argument) for argument in term[1:])
    return isinstance(term, str)


def substitute(term: Term, binding: Mapping[Variable, Term]) -> Term:
    """Return the term with its variables replaced; those without a binding stay."""
    if isinstance(term, Variable):
        return binding.get(term, term)
    if isinstance(term, tuple):
        return (term[0], *(substitute(argument, binding) for argument in term[1:]))
    return term


def rename(term: Term, names: Mapping[str, str]) -> Term:
    """Return the term with its constants, function names and variables (as `?x`) renamed."""
    if isinstance(term, Variable):
        return Variable(names.get(str(term), str(term))[1:])
    if isinstance(term, tuple):
        return tuple(rename(part, names) for part in term)
    return names.get(term, term)


def term_text(term: Term, spelling: Spelling | None = None) -> str:
    """Return the term in KIF, with single spaces; in lower case, or as the author writes it."""
    if isinstance(term, tuple):
        return "(" + " ".join(term_text(part, spelling) for part in term) + ")"
    text = term if isinstance(term, str) else str(term)
    return spelling.get(text, text) if spelling else text


def unifiable(left: Term, right: Term) -> bool:
    """Return whether two terms, their variables taken as different, have a common instance."""
    binding: dict[tuple[int, Variable], tuple[int, Term]] = {}

    def resolve(side: int, term: Term) -> tuple[int, Term]:
        while isinstance(term, Variable) and (side, term) in binding:
            side, term = binding[side, term]
        return side, term

    def occurs(variable: tuple[int, Variable], side: int, term: Term) -> bool:
        waiting, seen = [(side, term)], set()
        while waiting:
            side, term = resolve(*waiting.pop())
            if isinstance(term, Variable):
                if (side, term) == variable:
                    return True
            elif isinstance(term, tuple) and (side, id(term)) not in seen:
                seen.add((side, id(term)))
                waiting.extend((side, part) for part in term[1:])
        return False

    compared: set[tuple[int, int, int, int]] = set()
    todo: list[tuple[int, Term, int, Term]] = [(0, left, 1, right)]
    while todo:
        side_a, a, side_b, b = todo.pop()
        side_a, a = resolve(side_a, a)
        side_b, b = resolve(side_b, b)
        if isinstance(b, Variable) and not isinstance(a, Variable):
            side_a, a, side_b, b = side_b, b, side_a, a
        if isinstance(a, Variable):
            if (side_a, a) == (side_b, b):
                continue
            if occurs((side_a, a), side_b, b):
                return False
            binding[side_a, a] = side_b, b
        elif isinstance(a, tuple) and isinstance(b, tuple) and a[0] == b[0] and len(a) == len(b):
            pair = side_a, id(a), side_b, id(b)
            if pair not in compared:
                compared.add(pair)
                todo.extend((side_a, x, side_b, y) for x, y in zip(a[1:], b[1:], strict=True))
        elif a != b or isinstance(a, tuple):
            return False
    return True


def natural_key(term: GroundTerm) -> tuple[tuple[tuple[int, int, str], ...], str]:
    """Return a key that sorts terms by their words, numbers by value and before other words."""
    text = term_text(term)
    words = text.replace("(", " ").replace(")", " ").split()
    return tuple((0, int(word), word) if word.isdecimal() else (1, 0, word) for word in words), text
