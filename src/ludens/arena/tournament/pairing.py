"""Who meets whom, and in which roles. Pure functions of names: nothing here knows of games or results.

A seating says who takes each seat of a match. In all of these the players are in the order of their seeds.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations
from random import Random
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Seating: TypeAlias = tuple[str, ...]
Pair: TypeAlias = tuple[str, str]
Slots: TypeAlias = tuple[str | None, ...]
SeatingRule: TypeAlias = str
SEATING_RULES = ("rotation", "alone", "halves")
"""How two players share the roles of a game: they alternate round the table; the first has one role and the second all
others; or each has half of them, divided in all ways.
"""

PRIME = (1 << 31) - 1


def seatings(players: Sequence[str], seats: int, repeat: int = 0) -> list[Seating]:
    """As many seatings as there are players, such that each of them takes every seat once.

    Where there are more seats than players, they take several; where there is only one, each plays alone. Every
    other repeat goes round the other way, so that with three or more it is not always the same one who is next.

    >>> seatings(["ann", "bob"], 3)
    [('ann', 'bob', 'ann'), ('bob', 'ann', 'bob')]
    """
    order = players[::-1] if repeat % 2 else players
    return [tuple(order[(seat + turn) % len(order)] for seat in range(seats)) for turn in range(len(order))]


def shared_seatings(pair: Pair, seats: int, rule: SeatingRule, repeat: int = 0) -> list[Seating]:
    """All ways in which two players share the seats of a game by a rule.

    Halves come in pairs: what the first player has in one match, the second has in the next. Of an odd number the first
    has the smaller half.

    >>> shared_seatings(("ann", "bob"), 3, "alone")
    [('ann', 'bob', 'bob'), ('bob', 'ann', 'bob'), ('bob', 'bob', 'ann')]
    >>> ["".join(seating) for seating in shared_seatings(("a", "b"), 4, "halves")]
    ['aabb', 'bbaa', 'abab', 'baba', 'abba', 'baab']
    """
    if rule == "rotation" or seats == 1:
        return seatings(pair, seats, repeat)
    own = list(combinations(range(seats), seats // 2 if rule == "halves" else 1))
    if rule == "halves" and seats % 2 == 0:
        own = [half for first in own if 0 in first for half in (first, tuple(sorted({*range(seats)} - {*first})))]
    return [tuple(pair[seat not in chosen] for seat in range(seats)) for chosen in own]


def round_robin(
    players: Sequence[str], seats: int, repeat: int = 0, rule: SeatingRule = "rotation", pairs: Sequence[Pair] = ()
) -> Iterator[Seating]:
    """Everybody with everybody in every role: all groups that fill the seats, seated in turn.

    With `pairs`, or with a rule for two, only two meet. A game for one is played by each player once.
    """
    if seats == 1:
        yield from ((player,) for player in (dict.fromkeys(chain(*pairs)) if pairs else players))
    elif pairs or rule != "rotation":
        for pair in pairs or combinations(players, 2):
            yield from shared_seatings(pair, seats, rule, repeat)
    else:
        for group in combinations(players, min(seats, len(players))):
            yield from seatings(group, seats, repeat)


def match_count(players: int, seats: int, rule: SeatingRule = "rotation", pairs: int = 0) -> int:
    """How many matches a round robin has at most at a game.

    >>> match_count(4, 2), match_count(2, 6, "halves"), match_count(2, 3, "alone")
    (12, 20, 3)
    """
    if seats == 1:
        return players
    if pairs or rule != "rotation":
        ways = {"rotation": 2, "alone": seats, "halves": math.comb(seats, seats // 2)}[rule]
        return ways * (pairs or math.comb(players, 2))
    return min(seats, players) * math.comb(players, min(seats, players))


def swiss_pairs(
    scores: Mapping[str, Fraction], met: Counter[frozenset[str]], byes: Counter[str]
) -> tuple[list[Pair], str | None]:
    """The pairs of a round and who has a bye, if the number of players is odd.

    As few as possible meet again who have met already. Within that, from the best on, everybody gets an opponent
    with the same score, the upper half of a score group from the lower half, or else the best of the next group. The
    bye goes to the last of those who had the fewest.
    """
    meetings = _Meetings(list(scores), met)
    waiting = sorted(scores, key=lambda player: -scores[player])
    bye = _bye(waiting, meetings, byes) if len(waiting) % 2 else None
    waiting = _without(waiting, bye)
    return _simple_pairs(waiting, scores, meetings) or _best_pairs(waiting, scores, meetings), bye


def first_slots(players: Sequence[str]) -> Slots:
    """The first round of a knock-out: neighbours meet, and the best seeds meet last; None is a bye for the neighbour.

    >>> first_slots(["a", "b", "c", "d", "e", "f"])
    ('a', None, 'd', 'e', 'b', None, 'c', 'f')
    """
    order = [0]
    while len(order) < len(players):
        order = [place for seed in order for place in (seed, 2 * len(order) - 1 - seed)]
    return tuple(players[seed] if seed < len(players) else None for seed in order)


def _without(players: Sequence[str], left_out: str | None) -> list[str]:
    return [player for player in players if player != left_out]


def _bye(ranking: Sequence[str], meetings: _Meetings, byes: Counter[str]) -> str:
    fewest = min(byes[player] for player in ranking)
    candidates = [player for player in reversed(ranking) if byes[player] == fewest]
    possible = {}
    for player in candidates:
        possible[player] = meetings.most_new(_without(ranking, player))
        if possible[player] == len(ranking) // 2:
            break
    return max(possible, key=lambda player: possible[player])


def _simple_pairs(waiting: Sequence[str], scores: Mapping[str, Fraction], meetings: _Meetings) -> list[Pair]:
    """The same as the best pairs, found quickly, if everybody can have a new meeting just like that; else none."""
    pairs: list[Pair] = []
    while waiting:
        first, *others = waiting
        second = next((other for other in _wishes(first, others, scores) if meetings.is_new(first, other)), None)
        if second is None:
            return []
        pairs.append((first, second))
        waiting = _without(others, second)
    return pairs


def _best_pairs(waiting: Sequence[str], scores: Mapping[str, Fraction], meetings: _Meetings) -> list[Pair]:
    """As many new meetings as possible, and within that from the best on whom everybody would best meet."""
    pairs: list[Pair] = []
    possible = meetings.most_new(waiting)
    while waiting:
        first, *others = waiting
        for second in _wishes(first, others, scores):
            waiting = _without(others, second)
            left = possible - meetings.is_new(first, second)
            if left <= len(waiting) // 2 and meetings.most_new(waiting) == left:
                break
        pairs.append((first, second))
        possible = left
    return pairs


def _wishes(first: str, others: Sequence[str], scores: Mapping[str, Fraction]) -> list[str]:
    """Whom the first would best meet: from the middle of its score group outwards, then the next best."""
    equals = [other for other in others if scores[other] == scores[first]]
    middle = len(equals) // 2
    nearest = sorted(range(len(equals)), key=lambda place: abs(place - middle))
    return [equals[place] for place in nearest] + list(others[len(equals) :])


class _Meetings:
    """Who has met whom how often; a meeting is new for those who met less often than others did."""

    def __init__(self, players: Sequence[str], met: Counter[frozenset[str]]) -> None:
        self._met = met
        self._fewest = min((met[frozenset(pair)] for pair in combinations(players, 2)), default=0)
        self._places = {player: place for place, player in enumerate(players)}
        self._tutte = np.zeros((len(players), len(players)), np.int64)
        rng = Random(0)
        for first, second in combinations(players, 2):
            if self.is_new(first, second):
                i, j, number = self._places[first], self._places[second], rng.randrange(1, PRIME)
                self._tutte[i, j], self._tutte[j, i] = number, PRIME - number

    def is_new(self, first: str, second: str) -> bool:
        return self._met[frozenset((first, second))] == self._fewest

    def most_new(self, players: Sequence[str]) -> int:
        """How many new meetings these players can have at most at the same time.

        The largest matching of a graph has half as many edges as the rank of its Tutte matrix: antisymmetric, with
        a random number for each edge. That errs with a chance of about the number of players in 2 thousand million.
        """
        chosen = [self._places[player] for player in players]
        return _rank(self._tutte[np.ix_(chosen, chosen)]) // 2


def _rank(matrix: npt.NDArray[np.int64]) -> int:
    """The rank over the numbers modulo a prime, by elimination; uses up the matrix."""
    rank = 0
    for column in range(matrix.shape[1]):
        pivots = np.flatnonzero(matrix[rank:, column])
        if not len(pivots):
            continue
        pivot = rank + int(pivots[0])
        matrix[[rank, pivot]] = matrix[[pivot, rank]]
        row = matrix[rank, column:] * pow(int(matrix[rank, column]), -1, PRIME) % PRIME
        below = matrix[rank + 1 :, column:]
        below[:] = (below - below[:, :1] * row) % PRIME
        rank += 1
    return rank
