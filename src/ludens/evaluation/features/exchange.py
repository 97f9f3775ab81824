"""What an atom becomes when two roles are exchanged: by a symmetry of the rules, or else by what looks alike.

Rules that treat two roles alike are often not symmetric to the letter, for instance because they count pieces from
one corner of the board. Then words are taken for each other's counterparts if facts of the sheet pair them with the
two roles in the same way, or if they are pieces of the two roles that are mentioned equally often; and coordinates are
turned around if that maps the initial position onto itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ludens.analysis.boards import Board
from ludens.analysis.domain_graph import argument_position, rule_positions
from ludens.analysis.facts import GameFacts
from ludens.analysis.orders import Order
from ludens.analysis.states import signature_of
from ludens.analysis.symmetry.symmetries import Symmetry
from ludens.core import GroundTerm
from ludens.evaluation.features.atoms import Atoms
from ludens.gdl.domains import Position
from ludens.gdl.formulas import Signature

MISSING = -1
Permutation = NDArray[np.int64]
"""[atoms]: the atom that each becomes, or MISSING."""
Facts = frozenset[GroundTerm]


def exchange(facts: GameFacts, atoms: Atoms, initial: Facts, roles: tuple[int, int]) -> Permutation | None:
    """Return what the atoms become when two roles are exchanged; None if nothing of the kind is found."""
    swapped = list(range(len(facts.roles)))
    swapped[roles[0]], swapped[roles[1]] = roles[1], roles[0]
    for symmetry in (*facts.symmetries.exact, *facts.symmetries.apart_from_start):
        if symmetry.roles == tuple(swapped):
            return _permutation(atoms, _SymmetricImage(symmetry))
    lookalike = _Lookalike(facts, initial, roles)
    return _permutation(atoms, lookalike) if lookalike.fits else None


def symmetries_of_roles(facts: GameFacts, atoms: Atoms) -> list[Permutation]:
    """Return what the atoms become by symmetries that leave all roles as they are: a board that is turned around."""
    same = tuple(range(len(facts.roles)))
    return [_permutation(atoms, _SymmetricImage(one)) for one in facts.symmetries.exact if one.roles == same]


def _permutation(atoms: Atoms, image: _SymmetricImage | _Lookalike) -> Permutation:
    columns = {name: column for column, name in enumerate(atoms.names)}
    found = np.full(len(atoms.names), MISSING)
    for column, (kind, name) in enumerate(atoms.names):
        renamed = image.fluent(name) if kind == "function" else image.atom(name)
        found[column] = columns.get((kind, renamed), MISSING)
    return found


class _SymmetricImage:
    """What a symmetry makes of atoms."""

    def __init__(self, symmetry: Symmetry) -> None:
        self._symmetry = symmetry

    def fluent(self, name: GroundTerm) -> GroundTerm:
        return self._symmetry.fluent(name)

    def atom(self, name: GroundTerm) -> GroundTerm:
        if isinstance(name, str):
            return name
        relation, arity = signature_of(name)
        positions = [("relation", relation, arity, place) for place in range(arity)]
        return (relation, *map(self._symmetry.word, name[1:], positions))  # type: ignore[arg-type]


class _Lookalike:
    """What atoms become if words are replaced by their counterparts, and some coordinates turned around."""

    def __init__(self, facts: GameFacts, initial: Facts, roles: tuple[int, int]) -> None:
        self._facts = facts
        self._words = counterparts(facts, roles)
        self._turned: dict[Position, Order] = {}
        self._axes: dict[Position, Order] = {}
        self._turned_in: dict[Signature, dict[Position, Order]] = {}
        self.fits = bool(facts.boards)
        for board in facts.boards:
            found = self._turned_axes(board, initial)
            self.fits = self.fits and found is not None
            self._turned |= found or {}
            for axis in board.axes:
                if axis.order:
                    self._axes[argument_position(board.signature, axis.argument)] = axis.order

    def fluent(self, name: GroundTerm) -> GroundTerm:
        return self._image(name, "function", self._turned)

    def atom(self, name: GroundTerm) -> GroundTerm:
        if isinstance(name, str):
            return name
        signature = signature_of(name)
        if signature not in self._turned_in:
            self._turned_in[signature] = dict(self._turned_places(signature))
        return self._image(name, "relation", self._turned_in[signature])

    def _turned_places(self, signature: Signature) -> Iterator[tuple[Position, Order]]:
        """Yield the arguments of a relation that are turned around, as the coordinate is that they are nearest to."""
        relation, arity = signature
        for place in range(arity):
            position: Position = ("relation", relation, arity, place)
            distances = self._facts.graph.distances(position)
            near = [axis for axis in self._axes if axis in distances]
            nearest = min(near, key=distances.__getitem__, default=None)
            if nearest in self._turned:
                yield position, self._turned[nearest]

    def _image(self, name: GroundTerm, kind: str, turned: Mapping[Position, Order]) -> GroundTerm:
        if isinstance(name, str):
            return self._words.get(name, name)
        word, arity = signature_of(name)
        arguments: list[GroundTerm] = []
        for place, argument in enumerate(name[1:]):
            order = turned.get((kind, word, arity, place))  # type: ignore[arg-type]
            if order is not None and argument in order.words:
                arguments.append(order.words[len(order.words) - 1 - order.words.index(argument)])
            else:
                arguments.append(self._words.get(argument, argument) if isinstance(argument, str) else argument)
        return (word, *arguments)

    def _turned_axes(self, board: Board, initial: Facts) -> dict[Position, Order] | None:
        """Return the fewest coordinates to turn around so that the initial position becomes itself; None if none do."""
        start = {fact for fact in initial if signature_of(fact) == board.signature}
        ordered = [axis for axis in board.axes if axis.order]
        for choice in sorted(product((False, True), repeat=len(ordered)), key=sum):
            turned = {
                argument_position(board.signature, axis.argument): axis.order
                for axis, turn in zip(ordered, choice, strict=True)
                if turn and axis.order
            }
            if {self._image(fact, "function", turned) for fact in start} == start:
                return turned
        return None


def counterparts(facts: GameFacts, roles: tuple[int, int]) -> dict[str, str]:
    """Return the words that take each other's places when two roles do."""
    one, other = (str(facts.roles[role]).lower() for role in roles)
    profiles = _profiles(facts)
    images = {one: other, other: one}
    written = [(rule.head.name, rule.head.args) for rule in facts.rules.rules if not rule.body]
    table: dict[tuple[str, int], list[tuple[GroundTerm, ...]]] = {}
    for name, arguments in written:
        if name not in ("role", "init", "base", "input"):
            table.setdefault((name, len(arguments)), []).append(arguments)  # type: ignore[arg-type]
    changed = True
    while changed:
        new = dict(_paired(table, images, profiles))
        changed = not new.keys() <= images.keys()
        images = {**new, **images}
    return {**dict(_owned_alike(facts, roles, images, profiles)), **images}


def _profiles(facts: GameFacts) -> dict[GroundTerm, Counter[tuple[object, ...]]]:
    """Count each word in each argument position, apart from facts that pair it with other words."""
    found: dict[GroundTerm, Counter[tuple[object, ...]]] = {}
    for rule in facts.rules.rules:
        for position, term in rule_positions(rule):
            if isinstance(term, str):
                found.setdefault(term, Counter())[position] += 1
    return found


def _paired(
    table: Mapping[Signature, Sequence[tuple[GroundTerm, ...]]],
    images: Mapping[str, str],
    profiles: Mapping[GroundTerm, Counter[tuple[object, ...]]],
) -> Iterator[tuple[str, str]]:
    """Words beside one that has a counterpart, and what stands in their places beside that counterpart."""
    for rows in table.values():
        for row in rows:
            if not any(images.get(str(word), word) != word for word in row):
                continue
            fitting = [
                found
                for found in rows
                if all(
                    there == images[str(here)] if str(here) in images else profiles.get(here) == profiles.get(there)
                    for here, there in zip(row, found, strict=True)
                )
            ]
            kept = [sum(here == there for here, there in zip(row, found, strict=True)) for found in fitting]
            best = [found for found, same in zip(fitting, kept, strict=True) if same == max(kept)]
            if len(best) == 1:
                for here, there in zip(row, best[0], strict=True):
                    if isinstance(here, str) and isinstance(there, str) and not here.isdecimal():
                        yield here, there


def _owned_alike(
    facts: GameFacts,
    roles: tuple[int, int],
    images: Mapping[str, str],
    profiles: Mapping[GroundTerm, Counter[tuple[object, ...]]],
) -> Iterator[tuple[str, str]]:
    """Pieces of the two roles that are mentioned equally often, if there is but one way to pair them."""
    for board in facts.boards:
        owned: list[list[str]] = [
            [str(content.words[0]) for content in board.contents if content.owner == role and len(content.words) == 1]
            for role in roles
        ]
        for one in owned[0]:
            alike = [other for other in owned[1] if profiles.get(one) == profiles.get(other)]
            if len(alike) == 1 and one not in images and alike[0] not in images:
                yield one, alike[0]
                yield alike[0], one
