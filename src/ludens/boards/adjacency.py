"""The neighbours on a board, by how the rules step from place to place.

Rules that speak of two places of a board tell how far apart these are: `(successor ?x ?to_x)` is one step along a
coordinate. A board whose rules know steps along both coordinates and along one diagonal only has hexagonal cells.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise, product
from math import prod
from typing import Literal

from ludens.analysis.boards import Axis, Board, Words
from ludens.analysis.domain_graph import argument_position
from ludens.analysis.facts import GameFacts
from ludens.analysis.relations import StaticRelation
from ludens.core import GroundTerm
from ludens.gdl.domains import Position, argument_positions
from ludens.gdl.formulas import Atom, Rule, Signature
from ludens.gdl.terms import Term, Variable, is_ground, substitute

Lattice = Literal["square", "rising", "falling", "rows", "columns"]
"""Squares; hexagons where (1, 1) or (1, -1) are neighbours; hexagons of which every other coordinate is left out."""

Delta = tuple[int, int]
TermPair = tuple[Term, Term]
Steps = Mapping[tuple[str, int, tuple[int, int], tuple[GroundTerm, ...]], int]
"""The step of a static relation along a coordinate."""

MAX_STEP = 2
MAX_RULES = 20_000
MAX_BINDINGS = 64


def lattice(facts: GameFacts, board: Board, places: Iterable[tuple[int, int]]) -> Lattice:
    """Return the arrangement of the cells of a board with two ordered coordinates."""
    if len(board.axes) != 2 or not board.is_ordered:
        return "square"
    groups: dict[object, set[Delta]] = {}
    for group, delta in _deltas(facts, board):
        groups.setdefault(group, set()).add(_unsigned(delta))
    known = set().union(*groups.values())
    same_parity = len({(x + y) % 2 for x, y in places}) == 1
    for found in groups.values():
        if {(1, 0), (0, 1), (1, 1)} <= found and (1, -1) not in known:
            return "rising"
        if {(1, 0), (0, 1), (1, -1)} <= found and (1, 1) not in known:
            return "falling"
        if same_parity and {(1, 1), (1, -1)} <= found and ((2, 0) in found) != ((0, 2) in found):
            return "rows" if (2, 0) in found else "columns"
    return "square"


def linked_places(facts: GameFacts, board: Board) -> list[tuple[Words, Words]]:
    """Return pairs of places that follow each other in one fact of the rules, as `(line 1 1 4 1 7 1)` names three."""
    domains = _domains(facts, board)
    found: dict[tuple[Words, Words], None] = {}
    for rule in facts.rules.rules[:MAX_RULES]:
        if not rule.body:
            places = [place for place in _places(rule.head, domains) if is_ground(place[0]) and is_ground(place[1])]
            found |= dict.fromkeys(pairwise(places))  # type: ignore[arg-type]
    return list(found)


def _unsigned(delta: Delta) -> Delta:
    """Return the same value for a step there and back."""
    return delta if delta > (0, 0) else (-delta[0], -delta[1])


def _domains(facts: GameFacts, board: Board) -> list[set[Position]]:
    positions = [argument_position(board.signature, axis.argument) for axis in board.axes]
    return [set(facts.graph.domain(position).positions) for position in positions]


def _deltas(facts: GameFacts, board: Board) -> Iterator[tuple[object, Delta]]:
    """Yield the steps between related places, grouped by the relation that has both or whose rule does."""
    steps = [_steps(facts.relations, axis) for axis in board.axes]
    words = [{word: number for number, word in enumerate(axis.words)} for axis in board.axes]
    domains = _domains(facts, board)
    for rule in facts.rules.rules[:MAX_RULES]:
        pairs = list(dict.fromkeys(_pairs(rule, domains)))
        for binding in _bindings(rule, steps) if pairs else ():
            offsets = [_Offsets(rule, steps[side], words[side], binding) for side in (0, 1)]
            for group, one, other in pairs:
                x, y = (offsets[side].between(one[side], other[side]) for side in (0, 1))
                if x is not None and y is not None and max(abs(x), abs(y)) <= MAX_STEP and (x, y) != (0, 0):
                    yield group, (x, y)


def _pairs(rule: Rule, domains: list[set[Position]]) -> Iterator[tuple[object, TermPair, TermPair]]:
    """Yield two places that one atom names, or that are all a rule names."""
    atoms = [rule.head, *(literal.atom for literal in rule.body)]
    places = [list(dict.fromkeys(_places(atom, domains))) for atom in atoms]
    for atom, named in zip(atoms, places, strict=True):
        if len(named) == 2:
            yield ("relation", _innermost(atom)), named[0], named[1]
    together = list(dict.fromkeys(place for named in places for place in named))
    if len(together) == 2:
        yield ("rule", rule.head.signature), together[0], together[1]


def _innermost(atom: Atom) -> Signature:
    """Return the signature of an atom; moves and fluents by their own names."""
    term = atom.args[-1] if atom.args else ""
    return (str(term[0]), len(term) - 1) if isinstance(term, tuple) else atom.signature


def _bindings(rule: Rule, steps: Iterable[Steps]) -> Iterator[Mapping[Variable, GroundTerm]]:
    """Yield the bindings of the variables on which the step of a relation depends, as directions."""
    choices: dict[Variable, dict[GroundTerm, None]] = {}
    for literal in rule.body:
        for name, arity, sides, fixed in {key: None for some in steps for key in some}:
            if literal.atom.signature == (name, arity):
                for term, word in zip(_others(literal.atom, sides), fixed, strict=True):
                    if isinstance(term, Variable):
                        choices.setdefault(term, {}).setdefault(word)
    if prod(map(len, choices.values())) <= MAX_BINDINGS:
        for words in product(*choices.values()):
            yield dict(zip(choices, words, strict=True))


def _others(atom: Atom, sides: tuple[int, int]) -> tuple[Term, ...]:
    return tuple(term for index, term in enumerate(atom.args) if index not in sides)


def _steps(relations: Iterable[StaticRelation], axis: Axis) -> Steps:
    """Return the relations whose pairs are all equally far apart."""
    place = {word: number for number, word in enumerate(axis.words)}
    found = {}
    for relation in relations:
        far = {place[y] - place[x] for x, y in relation.pairs if x in place and y in place}
        if axis.order and axis.order.wraps:
            far = {(step + len(place) // 2) % len(place) - len(place) // 2 for step in far}
        if len(far) == 1:
            found[relation.name, relation.arity, relation.sides, relation.fixed] = far.pop()
    return found


def _places(atom: Atom, domains: list[set[Position]]) -> Iterator[TermPair]:
    """Yield pairs of arguments one after the other that can be the coordinates of a place."""
    if atom.name in ("distinct", "role"):
        return
    positions = [*argument_positions("relation", atom.name, atom.args)]
    index = 0
    while index + 1 < len(positions):
        (here, first), (then, second) = positions[index : index + 2]
        beside = here[:3] == then[:3] and then[3] == here[3] + 1
        if beside and here in domains[0] and then in domains[1]:
            yield first, second
            index += 1
        index += 1


class _Offsets:
    """The distances between the terms of a rule along one coordinate."""

    def __init__(
        self, rule: Rule, steps: Steps, words: Mapping[GroundTerm, int], binding: Mapping[Variable, GroundTerm]
    ) -> None:
        self._words = words
        self._edges: dict[Term, list[tuple[Term, int]]] = {}
        for atom in (literal.atom for literal in rule.body if literal.positive):
            for (name, arity, sides, fixed), step in steps.items():
                if (name, arity) == atom.signature and fixed == tuple(
                    substitute(term, binding) for term in _others(atom, sides)
                ):
                    one, other = (atom.args[side] for side in sides)
                    self._edges.setdefault(one, []).append((other, step))
                    self._edges.setdefault(other, []).append((one, -step))

    def between(self, start: Term, end: Term) -> int | None:
        """Return the step from one term to another; None if the rule does not say."""
        if start in self._words and end in self._words:
            return self._words[end] - self._words[start]  # type: ignore[index]
        found, todo = {start: 0}, deque([start])
        while todo:
            term = todo.popleft()
            for other, step in self._edges.get(term, ()):
                if other not in found:
                    found[other] = found[term] + step
                    todo.append(other)
        return found.get(end)
