"""Finding boards: which facts of a state form tables, whatever words the rules use.

A fluent forms a board when some of its arguments, the coordinates, determine the others, the contents. Which
words can be coordinates and how they are ordered follows from the rules, not from what the words mean.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import TypeAlias

from ludens.gdl.domains import Domains
from ludens.gdl.rules import Rules

MAX_AXIS = 40
"""A longer coordinate is a counter rather than the side of a board."""
MAX_SLICES = 27
MAX_SLICED_CELLS = 400
WIDTH = 78
"""How many characters fit side by side."""

Words: TypeAlias = tuple[str, ...]
Signature: TypeAlias = tuple[str, int]
Facts: TypeAlias = dict[Signature, list[Words]]
"""The arguments of all facts of the same name and arity."""


@dataclass(frozen=True)
class Axis:
    """The values of a coordinate in their order; rows of an ordered axis are drawn upwards."""

    values: Words
    ordered: bool

    @property
    def downwards(self) -> Words:
        return self.values[::-1] if self.ordered else self.values


@dataclass(frozen=True)
class Board:
    """A fluent as a table of contents over one or more axes.

    `labels` says how contents are shown, `blank` is the content that stands for nothing. A board without
    contents only tells which of its places are marked.
    """

    name: str
    axes: tuple[Axis, ...]
    cells: Mapping[Words, Words]
    labels: Mapping[Words, str]
    blank: Words | None
    contentless: bool

    @property
    def size(self) -> int:
        return prod(len(axis.values) for axis in self.axes)


class BoardFinder:
    """Finds the boards in the states of one game."""

    def __init__(self, rules: Rules, initial: Facts) -> None:
        self.initial = initial
        self.spelling = rules.spelling
        self.domains = Domains(rules.rules)
        self.chains = list(_chains(rules))
        self.roles = tuple(self.spelling.get(role, role) for role in rules.roles)

    def boards(self, facts: Facts) -> dict[Signature, Board]:
        """The boards of a state; if it shows none, the largest that later states may fill."""
        found = self._boards_of(facts | self.initial, facts)
        if found:
            return found
        names = [word.rpartition("/") for word in sorted(self.domains.words("relation", "true", 1, 0))]
        later = self._boards_of([(self.spelling.get(name, name), int(arity)) for name, _, arity in names if name], {})
        return dict(sorted(later.items(), key=lambda item: item[1].size)[-1:])

    def _boards_of(self, signatures: Iterable[Signature], facts: Facts) -> dict[Signature, Board]:
        found = {signature: self._board(signature, facts.get(signature, [])) for signature in signatures}
        return {signature: board for signature, board in found.items() if board}

    def _board(self, signature: Signature, rows: list[Words]) -> Board | None:
        """The board with the best choice of coordinates; what was seen helps where the rules tell too little."""
        initial = self.initial.get(signature, [])
        seen = [{row[index] for row in [*rows, *initial]} for index in range(signature[1])]
        possible = [words | self._possible(signature, index) for index, words in enumerate(seen)]
        for domains in (possible, seen):
            axes = [_axis(words, self.chains, self.roles) for words in domains]
            usable = [index for index, axis in enumerate(axes) if 1 < len(axis.values) <= MAX_AXIS]
            choices = [chosen for size in range(1, 5) for chosen in combinations(usable, size)]
            scores = {chosen: _score(chosen, axes, rows, initial) for chosen in choices}
            best = max(choices, key=lambda chosen: scores[chosen], default=())
            if scores.get(best, 0) > 0:
                board = _board(signature[0], best, axes, rows, initial)
                return board if domains is possible or board.size == len(initial) else None
        return None

    def _possible(self, signature: Signature, index: int) -> set[str]:
        words = self.domains.words("function", signature[0].lower(), signature[1], index)
        return {self.spelling.get(word, word) for word in words if "/" not in word}


def natural_order(text: str) -> list[tuple[bool, int, str]]:
    """A sort key that puts 10 after 9."""
    parts = re.split(r"([0-9]+)", text)
    return [(True, 0, part) if number % 2 == 0 else (False, int(part), "") for number, part in enumerate(parts) if part]


def _chains(rules: Rules) -> Iterator[Words]:
    """The words that some relation puts in a row, as a successor relation does."""
    for (_, arity), defining in rules.relations.items():
        pairs = [rule.head.args for rule in defining if not rule.body]
        after = {str(args[0]): str(args[1]) for args in pairs} if arity == 2 else {}
        starts = after.keys() - set(after.values())
        if len(after) == len(pairs) == len(set(after.values())) and len(starts) == 1:
            chain = list(starts)
            while chain[-1] in after:
                chain.append(after[chain[-1]])
            yield tuple(rules.spelling.get(word, word) for word in chain)


def _axis(words: set[str], chains: Iterable[Words], roles: Words) -> Axis:
    """The words, in order if they are numbers (gaps are filled), numbered words, letters in a row or in a chain."""
    if words and words <= set(roles):
        return Axis(tuple(role for role in roles if role in words), False)
    values = tuple(sorted(words, key=natural_order))
    if _successive(values):
        if all(re.fullmatch("0|[1-9][0-9]{0,3}", word) for word in words):
            values = tuple(map(str, range(int(values[0]), int(values[-1]) + 1)))
        return Axis(values, True)
    chain = next((chain for chain in chains if words <= set(chain)), ())
    return Axis(tuple(word for word in chain if word in words) or values, bool(chain))


def _successive(words: Sequence[str]) -> bool:
    """Whether words in natural order are numbers, numbers with the same letters before them, or letters in a row."""
    stems = {re.sub(r"[0-9]+$", "", word) for word in words}
    numbered = len(stems) == 1 and stems.isdisjoint(words)
    return numbered or (bool(words) and "".join(words).lower() in string.ascii_lowercase)


def _score(chosen: Sequence[int], axes: Sequence[Axis], rows: list[Words], initial: list[Words]) -> int:
    """How well the chosen arguments serve as coordinates; 0 or less if they do not."""
    if any(len({_pick(row, chosen) for row in facts}) < len(facts) for facts in (rows, initial)):
        return 0
    sizes = [len(axes[index].values) for index in chosen]
    covered = len(initial) == prod(sizes)
    contents = [axes[index] for index in range(len(axes)) if index not in chosen]
    if len(chosen) == 1:
        longest = max(len(word) for axis in axes for word in axis.values)
        if not covered or not contents or sizes[0] < 3 or sizes[0] * (longest + 3) > WIDTH:
            return 0
    countable = sum(axis.ordered for axis in contents)
    if len(chosen) > 2 and prod(sizes[:-2]) > MAX_SLICES:
        return 0
    if len(chosen) > 2 and not covered and (countable or prod(sizes) > MAX_SLICED_CELLS):
        return 0
    if not contents and (len(chosen) != 2 or not any(axes[index].values[0].isdecimal() for index in chosen)):
        return 0
    score = 3 * sum(axes[index].ordered for index in chosen) - len(chosen)
    doubts = 2 * countable if contents else 3
    return score + 3 if covered else score - doubts


def _pick(row: Words, indices: Iterable[int]) -> Words:
    return tuple(row[index] for index in indices)


def _board(
    name: str, coordinates: Sequence[int], axes: Sequence[Axis], rows: list[Words], initial: list[Words]
) -> Board:
    contents = [index for index in range(len(axes)) if index not in coordinates]
    chosen = tuple(axes[index] for index in coordinates)
    counts = Counter(_pick(row, contents) for row in initial)
    is_full = counts.total() == prod(len(axis.values) for axis in chosen)
    mostly_one = len(contents) == 1 and counts.total() > 2 and max(counts.values()) > 0.6 * counts.total()
    has_blank = contents and (is_full or mostly_one)
    blank = _blank(counts) if has_blank else None
    cells = {_pick(row, coordinates): _pick(row, contents) for row in rows}
    if len(chosen) > 1:
        short = [_abbreviations([word for word in axes[index].values if (word,) != blank]) for index in contents]
    else:
        short = [{} for _ in contents]
    labels = {
        content: "".join(names.get(word, word) for names, word in zip(short, content, strict=True)) or "●"
        for content in set(cells.values()) - {blank}
    }
    return Board(name, chosen, cells, labels, blank, not contents)


def _blank(contents: Counter[Words]) -> Words | None:
    """The content that stands for nothing: on a full board the most common one that is no number."""
    words = [(content, count) for content, count in contents.most_common() if not re.search("[0-9]", "".join(content))]
    tie = len(words) > 1 and words[0][1] == words[1][1]
    return words[0][0] if words and not tie else None


def _abbreviations(words: Sequence[str]) -> dict[str, str]:
    """A short label for each long word; those made of two parts, as `whitePawn`, get a letter for each."""
    if all(len(word) <= 2 for word in words):
        return {}
    parts = [re.fullmatch(r"([a-z]+)_?([A-Z].*|(?<=_).+)", word) for word in words]
    if not all(parts):
        return _letters(words)
    pairs = {part.string: part.groups() for part in parts if part}
    first, second = (_letters(list(dict.fromkeys(pair[side] for pair in pairs.values()))) for side in (0, 1))
    return {word: first[left] + second[right] for word, (left, right) in pairs.items()}


def _letters(words: Sequence[str]) -> dict[str, str]:
    """For each word a letter that tells it from the others, with the number at its end.

    >>> _letters(["bishop", "king", "knight", "disc1"])
    {'bishop': 'b', 'king': 'k', 'knight': 'n', 'disc1': 'd1'}
    """
    shared = next((n for n, letters in enumerate(zip(*words, strict=False)) if len(set(letters)) > 1), 0)
    skipped = shared if shared > 2 else 0
    labels: dict[str, str] = {}
    for word in words:
        stem = word.rstrip(string.digits)
        choices = [letter + word[len(stem) :] for letter in stem[skipped:] or stem]
        labels[word] = next((label for label in choices if label not in labels.values()), word)
    return labels
