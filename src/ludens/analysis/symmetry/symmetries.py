"""Symmetries of a game: between its roles, and of its boards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ludens.analysis.symmetry.automorphisms import Permutation, find_automorphisms
from ludens.analysis.symmetry.rule_graph import RuleGraph, Slot, Word, rule_graph
from ludens.analysis.symmetry.typed import TypedRules
from ludens.core import GroundTerm
from ludens.gdl.domains import Position
from ludens.gdl.formulas import Signature
from ludens.runtime.deadline import Deadline

MAX_VERTICES = 100_000


@dataclass(frozen=True, eq=False)
class Symmetry:
    """A renaming of the words, and a rearrangement of arguments, after which the rules are the same."""

    words: Mapping[Word, Word]
    """Words with their types, as far as they change."""
    functions: Mapping[Signature, tuple[Signature, tuple[int, ...]]]
    """The image of each function, and the place of each of its arguments."""
    roles: tuple[int, ...]
    """The image of each role, by number."""
    typed: TypedRules

    def fluent(self, fluent: GroundTerm) -> GroundTerm:
        """Return the image of a fact of a state."""
        return self._image(fluent, ("relation", "true", 1, 0))

    def move(self, move: GroundTerm) -> GroundTerm:
        """Return the image of a move; its role is mapped, too."""
        return self._image(move, ("relation", "does", 2, 1))

    def state(self, facts: Iterable[GroundTerm]) -> frozenset[GroundTerm]:
        return frozenset(map(self.fluent, facts))

    def word(self, word: GroundTerm, position: Position) -> GroundTerm:
        """Return the image of a word in an argument position."""
        return self._image(word, position)

    @cached_property
    def changed_words(self) -> dict[str, str]:
        """The renaming as far as it does not depend on where a word stands."""
        images: dict[str, set[str]] = {}
        for (word, _), (image, _) in self.words.items():
            images.setdefault(word, set()).add(image)
        return {word: next(iter(found)) for word, found in images.items() if len(found) == 1 and found != {word}}

    @cached_property
    def is_visible(self) -> bool:
        """Whether it changes a fluent, a move or a role, not only what rules use in between."""
        if any(
            signature != image or places != tuple(sorted(places))
            for signature, (image, places) in self.functions.items()
        ):
            return True
        positions: list[Position] = [("relation", "true", 1, 0), ("relation", "does", 2, 1), ("relation", "role", 1, 0)]
        positions += [("function", name, arity, index) for name, arity in self.functions for index in range(arity)]
        visible = set(map(self.typed.position_type, positions))
        return any(kind in visible for _, kind in self.words)

    def _image(self, term: GroundTerm, position: Position) -> GroundTerm:
        if isinstance(term, str):
            word = term, self.typed.position_type(position)
            return self.words.get(word, word)[0]
        name, arity = str(term[0]), len(term) - 1
        (renamed, _), places = self.functions.get((name, arity), ((name, arity), tuple(range(arity))))
        arguments: list[GroundTerm] = [""] * arity
        for index, part in enumerate(term[1:]):
            arguments[places[index]] = self._image(part, ("function", name, arity, index))
        return (renamed, *arguments)


@dataclass(frozen=True, eq=False)
class Symmetries:
    """Generators of the symmetries of a game, and of its rules without the initial state."""

    exact: tuple[Symmetry, ...] = ()
    apart_from_start: tuple[Symmetry, ...] = ()
    """Those that keep all rules, but perhaps not the initial state and who moves first."""
    complete: bool = False
    """Whether all were found."""
    sampled: tuple[Symmetry, ...] = ()
    """Those of boards that the rules do not show, but that held in states of random games; not certain."""

    def role_groups(self, roles: int, exact: bool = True) -> tuple[tuple[int, ...], ...]:
        """Return the groups of roles, by number, that symmetries exchange."""
        group = list(range(roles))
        for symmetry in self.exact if exact else self.apart_from_start:
            for role, image in enumerate(symmetry.roles):
                old, new = group[image], group[role]
                group = [new if number == old else number for number in group]
        return tuple(tuple(role for role in range(roles) if group[role] == number) for number in dict.fromkeys(group))


def find_symmetries(typed: TypedRules, deadline: Deadline) -> Symmetries:
    """Return the symmetries of the rules of a game."""
    exact, exactly = _generators(typed, True, Deadline(deadline.remaining / 2))
    relaxed, completely = _generators(typed, False, deadline)
    return Symmetries(exact, relaxed, exactly and completely)


def _generators(typed: TypedRules, with_init: bool, deadline: Deadline) -> tuple[tuple[Symmetry, ...], bool]:
    rules = None if deadline.passed else rule_graph(typed, with_init, MAX_VERTICES)
    if rules is None or deadline.passed:
        return (), False
    found = find_automorphisms(rules.colours, rules.edges, rules.symbols, deadline)
    roles = _roles(typed)
    symmetries = (_symmetry(rules, typed, generator, roles) for generator in found.generators)
    return tuple(symmetry for symmetry in symmetries if symmetry.is_visible), found.complete


def _roles(typed: TypedRules) -> list[str]:
    return [str(rule.head.args[0]) for rule in typed.rules if rule.head.signature == ("role", 1)]


def _symmetry(rules: RuleGraph, typed: TypedRules, permutation: Permutation, roles: Sequence[str]) -> Symmetry:
    words = {vertex: word for word, vertex in rules.words.items()}
    functions = {vertex: signature for signature, vertex in rules.functions.items()}
    slots = {vertex: slot for slot, vertex in rules.slots.items()}

    def places(signature: Signature) -> tuple[int, ...]:
        name, arity = signature
        if arity == 1:
            return (0,)
        own = (Slot(("function", name, arity), index) for index in range(arity))
        return tuple(slots[int(permutation[rules.slots[slot]])].index for slot in own)

    role_type = typed.position_type(("relation", "role", 1, 0))
    images = {word: words[int(permutation[vertex])] for word, vertex in rules.words.items()}
    return Symmetry(
        words={word: image for word, image in images.items() if word != image},
        functions={
            signature: (functions[int(permutation[vertex])], places(signature))
            for signature, vertex in rules.functions.items()
        },
        roles=tuple(roles.index(images.get((role, role_type), (role, 0))[0]) for role in roles),
        typed=typed,
    )
