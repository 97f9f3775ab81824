"""Places that random variables reach by way of rules, though their text does not show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from ludens.gdl.formulas import Atom, Rule, Signature
from ludens.gdl.keywords import CHANCE, RANDOM_ARITY
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Term, Variable

Path: TypeAlias = tuple[tuple[str, int, int], ...]
"""A place in an atom: relation, number of arguments and index; then the same for each function on the way inside."""

_SHARED = {"init": "true", "next": "true", "base": "true", "input": "legal"}
"""Relations with the same arguments; `does` is not among them, since announced moves have no random variables."""
_MOVES: frozenset[Signature] = frozenset({("legal", 2), ("input", 2)})
_SHOWN = _MOVES | {(CHANCE, RANDOM_ARITY)}


class _VariablePlaces:
    """The places where random variables can stand."""

    def __init__(self) -> None:
        self._inside: set[Path] = set()
        """A term at such a place can have a random variable somewhere in it."""
        self._around: set[Path] = set()
        """These places, and the terms that have one of them inside."""

    def add(self, path: Path) -> bool:
        is_new = path not in self._inside
        self._inside.add(path)
        self._around.update(path[:length] for length in range(1, len(path) + 1))
        return is_new

    def may_hold(self, path: Path) -> bool:
        return path in self._around or any(path[:length] in self._inside for length in range(1, len(path)))


def carried_variables(rules: Rules, names: Sequence[str]) -> Iterator[tuple[Rule, Variable]]:
    """Variables of rules in moves and outcomes that can stand for a random variable or for a term with one."""
    places = _VariablePlaces()
    places.add(((CHANCE, RANDOM_ARITY, 0),))
    for relation, arity in _MOVES if names else ():
        for rule in rules.rules_for(relation, arity):
            for path, term in _leaves(rule.head):
                if term in names:
                    places.add(path)
    sources = [_sources(rule) for rule in rules.rules]
    readers: dict[tuple[str, int, int], list[int]] = {}
    for number, origins in enumerate(sources):
        for start in {path[0] for paths in origins.values() for path in paths}:
            readers.setdefault(start, []).append(number)
    waiting = dict.fromkeys(range(len(sources)) if names else ())
    while waiting:
        number = next(iter(waiting))
        del waiting[number]
        rule, origins = rules.rules[number], sources[number]
        for path, term in _leaves(rule.head):
            if isinstance(term, Variable) and term in origins and all(map(places.may_hold, origins[term])):
                if rule.head.signature in _SHOWN:
                    if not _takes_over(rule):
                        yield rule, term
                elif places.add(path):
                    waiting.update(dict.fromkeys(readers.get(path[0], ())))


def _takes_over(rule: Rule) -> bool:
    """Return whether the move of a rule is, as a whole, also one that a condition says to be legal."""
    if rule.head.signature not in _MOVES:
        return False
    conditions = (literal.atom for literal in rule.body if literal.positive)
    return any(atom.signature in _MOVES and atom.args[1] == rule.head.args[1] for atom in conditions)


def _sources(rule: Rule) -> dict[Variable, list[Path]]:
    """Return the places from which the variables of a rule get their values."""
    found: dict[Variable, list[Path]] = {}
    for literal in rule.body:
        if literal.positive and literal.atom.name != "distinct":
            for path, term in _leaves(literal.atom):
                if isinstance(term, Variable):
                    found.setdefault(term, []).append(path)
    return found


def _leaves(atom: Atom) -> Iterator[tuple[Path, Term]]:
    """Yield the words and variables of an atom with their places."""
    waiting: list[tuple[Path, str, tuple[Term, ...]]] = [((), _SHARED.get(atom.name, atom.name), atom.args)]
    while waiting:
        path, name, arguments = waiting.pop()
        for index, argument in enumerate(arguments):
            here = (*path, (name, len(arguments), index))
            if isinstance(argument, tuple):
                waiting.append((here, str(argument[0]), argument[1:]))
            else:
                yield here, argument
