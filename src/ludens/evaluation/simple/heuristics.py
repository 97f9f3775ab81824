"""`TemplateFeature`, a number of a state (coordinate, distance, count, amount), and `Heuristic`, more or less of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ludens.analysis.templates import AmountTemplate, MarkedBoard, Templates
from ludens.analysis.templates.syntax import Successor
from ludens.core import GroundTerm
from ludens.gdl.terms import Spelling, term_text

Floats = NDArray[np.float64]
Bits = NDArray[np.bool_]
Axis = Literal["x", "y"]
FeatureKind = Literal["x", "y", "distance", "distances", "count", "amount"]

MAX_PAIRED, MAX_SUMMED = 8, 32
"""Of more pieces the distance of each pair is not told, only their sum; and of still more not even that."""
MARGIN = 1.0
"""The least distance of uncertain values from the lowest and the highest goal."""
NARROW_SHARE = 0.25
"""The same as a share of the range, where it is narrow."""


@dataclass(frozen=True)
class TemplateFeature:
    """A number of each state, and the facts that it depends on."""

    kind: FeatureKind
    subject: GroundTerm
    """The fluent; with its inputs, if it is an amount."""
    things: tuple[GroundTerm, ...]
    """The pieces or the marker it is about; none of an amount."""
    facts: tuple[GroundTerm, ...]
    """Of distances, first all of the first piece, then in the same order those of the next, and so on."""
    parts: tuple[tuple[float, ...], ...]
    """Sums that the number is made of: for each a weight for each fact, or for each fact of one piece.

    A count has one. A coordinate or an amount has two: the number, and whether it is there. Distances have three: both
    coordinates, and whether the piece is there.
    """
    lowest: float
    highest: float

    @cached_property
    def _weights(self) -> NDArray[np.float32]:
        """[facts, parts]"""
        return np.ascontiguousarray(np.array(self.parts, np.float32).T)

    def values(self, bits: Bits) -> Floats:
        """[states]: the number, from [states, facts]; in the middle if something it is about is not there."""
        numbers, missing = bits.astype(np.float32), (self.lowest + self.highest) / 2
        if self.kind in ("distance", "distances"):
            pieces = numbers.reshape(len(bits), len(self.things), -1) @ self._weights
            return self._distances(pieces.astype(np.float64), missing)
        sums = (numbers @ self._weights).astype(np.float64)
        return sums[:, 0] if self.kind == "count" else np.where(sums[:, 1] > 0, sums[:, 0], missing)

    def _distances(self, pieces: Floats, missing: float) -> Floats:
        """[states]: the sum over all pairs of pieces, from [states, pieces, 3]."""
        pairs = list(combinations(range(pieces.shape[1]), 2))
        total = np.zeros(len(pieces))
        for one, other in pairs:
            apart = np.abs(pieces[:, one, :2] - pieces[:, other, :2]).sum(axis=1)
            both = (pieces[:, one, 2] > 0) & (pieces[:, other, 2] > 0)
            total += np.where(both, apart, missing / len(pairs))
        return total

    def scaled(self, bits: Bits) -> Floats:
        """[states]: the number as a part of its range, from 0 to 1."""
        return np.asarray(np.clip((self.values(bits) - self.lowest) / (self.highest - self.lowest), 0.0, 1.0))

    def words(self, role: GroundTerm | None = None, spelling: Spelling | None = None) -> str:
        """Return what it is; a thing that is called like the role is its own."""

        def text(term: GroundTerm) -> str:
            return "own piece" if term == role else term_text(term, spelling)

        name = self.subject if isinstance(self.subject, str) else self.subject[0]
        of_board = f"on {text(name)}"
        if self.kind == "count":
            own = self.things[0] == role
            return f"own markers {of_board}" if own else f"markers {text(self.things[0])} {of_board}"
        if self.kind in ("x", "y"):
            piece = "own piece" if self.things[0] == role else f"piece {text(self.things[0])}"
            return f"{self.kind} of {piece} {of_board}"
        if self.kind == "distance":
            return f"distance of {text(self.things[0])} and {text(self.things[1])} {of_board}"
        if self.kind == "distances":
            return f"distances of all pieces {of_board}"
        return self._amount_words(role, spelling)

    def _amount_words(self, role: GroundTerm | None, spelling: Spelling | None) -> str:
        if isinstance(self.subject, str):
            return term_text(self.subject, spelling)
        name, *inputs = self.subject
        if role in inputs:
            inputs.remove(role)
            return " ".join(["own", term_text(name, spelling), *(term_text(word, spelling) for word in inputs)])
        return term_text(self.subject, spelling)


def features_of(templates: Templates) -> tuple[TemplateFeature, ...]:
    """Return the features of Table 1, in the order of the structures."""
    found: list[TemplateFeature] = []
    for board in templates.boards:
        found += _piece_features(board) if board.is_ordered and board.pieces else _marker_features(board)
    for amount in templates.amounts:
        found += _amount_features(amount)
    return tuple(feature for feature in found if feature.lowest < feature.highest)


def _piece_features(board: MarkedBoard) -> Iterator[TemplateFeature]:
    first, second = (_places(order) for order in board.orders)
    for piece in board.pieces:
        facts = tuple(board.fact(cell, piece) for cell in board.cells)
        there = (1.0,) * len(facts)
        for axis, places, index in (("x", first, 0), ("y", second, 1)):
            numbers = tuple(places[cell[index]] for cell in board.cells)
            kind: Axis = "x" if axis == "x" else "y"
            subject = board.signature[0]
            yield TemplateFeature(kind, subject, (piece,), facts, (numbers, there), min(numbers), max(numbers))
    coordinates = [(first[x], second[y], 1.0) for x, y in board.cells]
    if len(board.pieces) <= MAX_PAIRED:
        for pair in combinations(board.pieces, 2):
            yield _distance("distance", board, pair, coordinates)
    if 2 < len(board.pieces) <= MAX_SUMMED:
        yield _distance("distances", board, board.pieces, coordinates)


def _distance(
    kind: FeatureKind,
    board: MarkedBoard,
    pieces: Sequence[GroundTerm],
    coordinates: Sequence[tuple[float, float, float]],
) -> TemplateFeature:
    """Return the Manhattan distance of two pieces, or its sum over all pairs, by the coordinates of all cells."""
    facts = tuple(board.fact(cell, piece) for piece in pieces for cell in board.cells)
    parts = tuple(zip(*coordinates, strict=True))
    pairs = len(pieces) * (len(pieces) - 1) // 2
    longest = sum(max(places) - min(places) for places in parts[:2])
    return TemplateFeature(kind, board.signature[0], tuple(pieces), facts, parts, 0.0, pairs * longest)


def _marker_features(board: MarkedBoard) -> Iterator[TemplateFeature]:
    for marker in board.markers:
        facts = tuple(board.fact(cell, marker) for cell in board.cells)
        yield TemplateFeature("count", board.signature[0], (marker,), facts, ((1.0,) * len(facts),), 0.0, len(facts))


def _amount_features(amount: AmountTemplate) -> Iterator[TemplateFeature]:
    name, places = amount.signature[0], _places(amount.order)
    groups: dict[tuple[GroundTerm, ...], list[tuple[GroundTerm, ...]]] = {}
    for fact in amount.facts:
        groups.setdefault(tuple(fact[index] for index in amount.inputs), []).append(fact)
    for inputs, facts in groups.items():
        numbers = tuple(places[fact[amount.output]] for fact in facts)
        terms = tuple((name, *fact) for fact in facts)
        subject: GroundTerm = (name, *inputs) if inputs else name
        there = (1.0,) * len(facts)
        yield TemplateFeature("amount", subject, (), terms, (numbers, there), min(numbers), max(numbers))


def _places(order: Successor | None) -> dict[GroundTerm, float]:
    assert order is not None
    return {word: float(place) for place, word in enumerate(order.words)}


@dataclass(frozen=True, slots=True)
class Heuristic:
    """Wants a feature to be high, or low."""

    feature: TemplateFeature
    maximise: bool

    def values(self, bits: Bits, worst: float, best: float) -> Floats:
        """[states]: the worth of states between what a certain loss and a certain win give, and clear of both."""
        margin = min(MARGIN, NARROW_SHARE * (best - worst))
        part = self.feature.scaled(bits)
        return worst + margin + (best - worst - 2 * margin) * (part if self.maximise else 1 - part)

    def words(self, role: GroundTerm | None = None, spelling: Spelling | None = None) -> str:
        """In words, such as `minimise own markers on cell`."""
        return f"{'maximise' if self.maximise else 'minimise'} {self.feature.words(role, spelling)}"


def heuristics_of(features: Iterable[TemplateFeature]) -> tuple[Heuristic, ...]:
    """Both heuristics of each feature."""
    return tuple(Heuristic(feature, maximise) for feature in features for maximise in (True, False))
