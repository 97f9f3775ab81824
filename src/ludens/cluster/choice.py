"""The choice of heuristics to try, and of the move among the suggestions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from random import Random

from ludens.analysis.kind import GameKind
from ludens.cluster.orders import Share, Suggestion, Task
from ludens.core import Move

EXHAUSTIVE_SHARE = 8
"""One in this many workers searches exhaustively; at least one, if there are several."""
EVEN = 0.5
"""The record of a heuristic that tells nothing."""
PRIOR_TURNS = 4.0
"""The number of turns that the trial of a heuristic by playouts counts as."""
WORTH_SHARE = 0.5
"""Heuristics are tried whose lead on chance is at least this share of the lead of the best one."""
DEPTH_TOLERANCE = 1
"""A search that is at most this much less deep is as good: which one gets further is often mere luck."""
UNSHARED_EVERY, MIN_SHARING = 3, 3
"""One in this many workers searches all moves, if the others are enough to split the moves among them."""
MAX_SHARE = 20
"""The most moves of a share; with more it is hardly better than all moves."""
MIN_VOICE = 0.01
"""The voice of a heuristic without a record."""
ROUNDING = 9
"""Digits of voices, so that the order in which they are added up does not matter."""


class Certainty:
    """The worth of a proof to one role of a game.

    Where roles move at the same time, or there are more than two sides, a loss is proven only against others who know
    our move, or who all play against us: that is no certainty.
    """

    def __init__(self, kind: GameKind, role: int) -> None:
        self._worst = kind.worst[role]
        self._is_duel = kind.turns and len(kind.teams) <= 2

    def is_hopeless(self, suggestion: Suggestion) -> bool:
        """Return whether the worst is proven to be unavoidable, as far as such proofs go."""
        return suggestion.proven and suggestion.value <= self._worst

    def is_certain(self, suggestion: Suggestion) -> bool:
        return suggestion.proven and (self._is_duel or suggestion.value > self._worst)


class Records:
    """The record of each heuristic, from 0 to 1: first by playouts, then by the moves it suggested.

    A suggestion was good if it was the move that turned out to be certainly best, bad if it is certainly worse.
    """

    def __init__(self, priors: Sequence[float]) -> None:
        """`priors`: the correlation of the worth of states with the goals of playouts, from -1 to 1."""
        self._good = [PRIOR_TURNS * (1 + prior) / 2 for prior in priors]
        self._turns = [PRIOR_TURNS] * len(priors)

    def of(self, heuristic: int | None) -> float:
        return 0.0 if heuristic is None else self._good[heuristic] / self._turns[heuristic]

    def ranking(self) -> list[int]:
        """Return the heuristics that are worth trying, the best first.

        Those that have done no better than chance, or far worse than the best, are left out, unless there are no
        others: who says nothing, or says always the same, looks deepest, and would be heard first.
        """
        ranked = sorted(range(len(self._turns)), key=lambda heuristic: -self.of(heuristic))
        least = WORTH_SHARE * (self.of(ranked[0]) - EVEN) if ranked else 0.0
        return [heuristic for heuristic in ranked if self.of(heuristic) - EVEN >= least > 0] or ranked

    def voice(self, heuristic: int | None) -> float:
        """Return the weight of the suggestions of a heuristic."""
        return max(self.of(heuristic) - EVEN, MIN_VOICE)

    def learn(self, suggestions: Iterable[Suggestion], proof: Suggestion) -> None:
        """Update the records of those who suggested the move that is proven best, or one that is proven worse."""
        worse = {one.move for one in proof.candidates if one.proven and one.value < proof.value}
        for suggestion in suggestions:
            heuristic, is_best = suggestion.task.heuristic, suggestion.move == proof.move
            if heuristic is not None and not suggestion.proven and (is_best or suggestion.move in worse):
                self._turns[heuristic] += 1
                self._good[heuristic] += is_best


def assign(workers: int, records: Records, turn: int, rng: Random, moves: int = 0) -> list[Task]:
    """Return a task for each worker: some search exhaustively, the others by the heuristics with the best records.

    Where the root can be split, into `moves` moves, most workers do so: those with the same heuristic take a share of
    the moves each, beside one who searches all of them. Otherwise heuristics are repeated with other seeds where there
    are more workers. Where there are fewer, the last worker tries the remaining ones in turn.
    """
    ranking: list[int | None] = [*records.ranking()]
    exhaustive = max(workers > 1, workers // EXHAUSTIVE_SHARE) if ranking else workers
    chosen, shared = _shared_out([None], exhaustive, moves)
    free = workers - exhaustive
    whole = math.ceil(free / UNSHARED_EVERY)
    if not _can_share(free - whole, moves):
        whole = free
    if len(ranking) > whole > 1:
        others = ranking[whole - 1 :]
        ranking = [*ranking[: whole - 1], others[turn % len(others)]]
    more, parts = _shared_out(ranking[:whole] if free else [], free, moves)
    seeds = iter(lambda: rng.getrandbits(32), -1)
    tasks = [Task(heuristic, next(seeds)) for heuristic in [*chosen, *more]]
    return tasks + [Task(heuristic, next(seeds), share) for heuristic, share in [*shared, *parts]]


def _can_share(workers: int, moves: int) -> bool:
    return moves > 1 and workers >= MIN_SHARING and moves <= MAX_SHARE * workers


def _shared_out(
    ranking: Sequence[int | None], workers: int, moves: int
) -> tuple[list[int | None], list[tuple[int | None, Share]]]:
    """Return the ideas that workers try on all moves, and those on a share of them."""
    whole, shared = list(ranking[:workers]), list[tuple[int | None, Share]]()
    rest = workers - len(whole)
    for idea in ranking if _can_share(rest, moves) else ():
        count = min(rest, moves)
        if count > 1:
            shared += [(idea, Share(place, count)) for place in range(count)]
            rest -= count
    whole += [ranking[number % len(ranking)] for number in range(rest)] if ranking else []
    return whole, shared


def latest(known: Mapping[Task, Suggestion], new: Iterable[Suggestion], certainty: Certainty) -> dict[Task, Suggestion]:
    """Return the last suggestion for each task.

    One that only says that all is lost does not replace an earlier one, nor does one that is less deep: a worker in the
    place of another that was lost begins anew.
    """
    found = dict(known)
    for suggestion in new:
        before = found.get(suggestion.task)
        gives_up = certainty.is_hopeless(suggestion) and not certainty.is_certain(suggestion)
        falls_back = before is not None and not suggestion.proven and suggestion.depth < before.depth
        if before is None or not (gives_up or falls_back):
            found[suggestion.task] = suggestion
    return found


def choose(suggestions: Mapping[Task, Suggestion], records: Records, certainty: Certainty) -> Suggestion | None:
    """Return the best of the last suggestions for each task; None if there are none.

    What is certainly best comes first. Of what was looked at deepest, or a step less deep, it is what the heuristics
    with the best records agree on; then the deeper search, the better record and the higher value count. Exhaustive
    search that has not seen the end knows nothing.
    """
    certain = [suggestion for suggestion in suggestions.values() if certainty.is_certain(suggestion)]
    if certain:
        return certain[0]
    hopeful = [suggestion for suggestion in suggestions.values() if not suggestion.proven]
    considered = hopeful or list(suggestions.values())
    by_heuristics = [suggestion for suggestion in considered if suggestion.task.heuristic is not None]
    candidates = by_heuristics or considered
    deepest = max((suggestion.depth for suggestion in candidates), default=0)
    support = _support(candidates, records)

    def rank(suggestion: Suggestion) -> tuple[float, ...]:
        record = records.of(suggestion.task.heuristic)
        return support[suggestion.move], suggestion.depth, record, suggestion.value

    return max((one for one in candidates if one.depth >= deepest - DEPTH_TOLERANCE), key=rank, default=None)


def _support(suggestions: Sequence[Suggestion], records: Records) -> dict[Move, float]:
    """Return the support of each move; workers with the same heuristic share its voice."""
    workers = Counter(suggestion.task.heuristic for suggestion in suggestions)
    support: dict[Move, float] = {}
    for suggestion in suggestions:
        heuristic, move = suggestion.task.heuristic, suggestion.move
        support[move] = support.get(move, 0.0) + records.voice(heuristic) / workers[heuristic]
    return {move: round(voices, ROUNDING) for move, voices in support.items()}
