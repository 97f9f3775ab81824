"""Which matches are to be played, as far as the results so far tell.

Everything follows from the plan and the results alone, so an interrupted tournament goes on with the
same pairings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from ludens.arena.tournament.jobs import Job, Outcomes, points
from ludens.arena.tournament.pairing import Pair, Slots, first_slots, round_robin, seatings, swiss_pairs
from ludens.arena.tournament.plan import TournamentPlan
from ludens.arena.tournament.sprt import Sprt

SEMIFINAL, THIRD_PLACE = "semifinal", "third place"
STAGES = {2: "final", 4: SEMIFINAL, 8: "quarterfinal"}
WINNER, STILL_IN = "winner", "still in"
AHEAD = 64
"""Pairs that are played ahead of the first that is not over."""


@dataclass(frozen=True, slots=True)
class Timetable:
    """All matches known so far, played or not; once all are played, the tournament is over."""

    jobs: tuple[Job, ...]
    most: int
    """How many there will be at most."""
    is_exact: bool = True
    """Whether that is the exact number; otherwise it depends on the results."""
    ranking: tuple[str, ...] = ()
    """The players by their places, where it is not the mean score that decides."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """Why a player has its place, in a word or two."""
    test: Sprt | None = None


class Schedule(Protocol):
    """The timetable of a plan as it follows from the results so far."""

    def timetable(self, outcomes: Outcomes) -> Timetable: ...


def schedule(plan: TournamentPlan) -> Schedule:
    kinds: dict[str, Callable[[TournamentPlan], Schedule]] = {
        "roundrobin": RoundRobin,
        "swiss": Swiss,
        "knockout": Knockout,
        "sprt": SprtSchedule,
    }
    return kinds[plan.kind](plan)


class RoundRobin:
    """Everybody with everybody in every role of every game."""

    def __init__(self, plan: TournamentPlan) -> None:
        jobs = tuple(
            Job.at(plan.seed, "", game.name, seating, repeat)
            for game, repeat in plan.rounds_of_games()
            for seating in round_robin(list(plan.players), game.seats, repeat, plan.seating, plan.pairs)
        )
        self._timetable = Timetable(jobs, len(jobs))

    def timetable(self, outcomes: Outcomes) -> Timetable:
        return self._timetable


class Swiss:
    """Rounds of pairs with about the same score, who play every game in every role."""

    def __init__(self, plan: TournamentPlan) -> None:
        self._plan = plan
        self._scores = dict.fromkeys(plan.players, Fraction())
        self._opponents: dict[str, list[str]] = {player: [] for player in plan.players}
        self._met: Counter[frozenset[str]] = Counter()
        self._byes: Counter[str] = Counter()
        self._played: list[Job] = []
        self._round = 0
        self._begin_round()

    def timetable(self, outcomes: Outcomes) -> Timetable:
        while self._meetings and all(job.key in outcomes for jobs in self._meetings.values() for job in jobs):
            self._end_round(outcomes)
            self._begin_round()
        current = [job for jobs in self._meetings.values() for job in jobs]
        total = self._plan.rounds * (len(self._plan.players) // 2) * _meeting_size(self._plan)
        ranking, notes = self._ranking()
        return Timetable((*self._played, *current), total, ranking=ranking, notes=notes)

    def _begin_round(self) -> None:
        self._meetings: dict[Pair, list[Job]] = {}
        if self._round == self._plan.rounds:
            return
        self._round += 1
        pairs, self._bye = swiss_pairs(self._scores, self._met, self._byes)
        for pair in pairs:
            self._meetings[pair] = _meeting(self._plan, f"round {self._round}, {pair[0]}-{pair[1]}, ", pair)

    def _end_round(self, outcomes: Outcomes) -> None:
        if self._bye:
            self._byes[self._bye] += 1
            self._scores[self._bye] += 1
        for (first, second), jobs in self._meetings.items():
            self._met[frozenset((first, second))] += 1
            self._opponents[first].append(second)
            self._opponents[second].append(first)
            shares = _shares(jobs, outcomes, (first, second))
            self._scores[first] += shares[0]
            self._scores[second] += shares[1]
            self._played += jobs

    def _ranking(self) -> tuple[tuple[str, ...], dict[str, str]]:
        """By points, then by those of the opponents, then by seed."""
        scores = self._scores
        others = {player: sum((scores[other] for other in met), Fraction()) for player, met in self._opponents.items()}
        ranking = tuple(sorted(scores, key=lambda player: (-scores[player], -others[player])))
        byes = {player: f" ({number} by a bye)" for player, number in self._byes.items()}
        return ranking, {player: f"{float(scores[player]):.2f} points{byes.get(player, '')}" for player in ranking}


class Knockout:
    """Who loses a meeting is out. The best seeds meet last, and have the byes if there are any."""

    def __init__(self, plan: TournamentPlan) -> None:
        self._plan = plan
        self._seeds = {player: seed for seed, player in enumerate(plan.players)}

    def timetable(self, outcomes: Outcomes) -> Timetable:
        jobs: list[Job] = []
        out: list[tuple[str, str]] = []
        slots: Slots = first_slots(list(self._plan.players))
        while len(slots) > 1:
            stage = STAGES.get(len(slots), f"last {len(slots)}")
            winners = [self._meet(stage, pair, jobs, outcomes) for pair in zip(slots[::2], slots[1::2], strict=True)]
            if None in winners:
                break
            losers = sorted((player for player in slots if player and player not in winners), key=self._seed)
            out = [(player, stage) for player in losers] + out
            slots = tuple(winners)
        remaining = sorted((player for player in slots if player), key=self._seed)
        ranking = [*remaining, *(player for player, _ in out)]
        notes = dict.fromkeys(remaining, STILL_IN if len(remaining) > 1 else WINNER) | dict(out)
        third = self._third([player for player, stage in out if stage == SEMIFINAL], jobs, outcomes)
        if third:
            ranking.remove(third)
            ranking.insert(2, third)
            notes[third] = THIRD_PLACE
        meetings = len(self._seeds) - 1 + self._plan.third_place
        most = meetings * (self._plan.tiebreaks + 1) * _meeting_size(self._plan)
        return Timetable(tuple(jobs), most, False, tuple(ranking), notes)

    def _third(self, semifinalists: Sequence[str], jobs: list[Job], outcomes: Outcomes) -> str | None:
        """Who of those who lost a semifinal has the third place, if they play for it and that is known."""
        if not self._plan.third_place or len(semifinalists) < 2:
            return None
        return self._meet(THIRD_PLACE, semifinalists, jobs, outcomes)

    def _meet(self, stage: str, pair: Sequence[str | None], jobs: list[Job], outcomes: Outcomes) -> str | None:
        """Who wins a meeting, if that is known; adds its matches, and further ones while it is tied."""
        first, second = pair
        if first is None or second is None:
            return first or second
        for attempt in range(self._plan.tiebreaks + 1):
            again = f"tie-break {attempt}, " if attempt else ""
            new = _meeting(self._plan, f"{stage}, {first}-{second}, {again}", (first, second))
            jobs += new
            if any(job.key not in outcomes for job in new):
                return None
            shares = _shares(new, outcomes, (first, second))
            if shares[0] != shares[1]:
                return first if shares[0] > shares[1] else second
        return min(first, second, key=self._seed)

    def _seed(self, player: str) -> int:
        return self._seeds[player]


class SprtSchedule:
    """Pairs of matches with the roles swapped, at one game after the other, until the test is decided.

    Pairs count in their order, whichever end first; those that were played ahead of a decision do not count.
    """

    def __init__(self, plan: TournamentPlan) -> None:
        self._plan = plan
        first, second = plan.players
        self._pair: Pair = (first, second)
        self._test = Sprt(plan.sprt)
        self._counted: list[Job] = []
        self._number = 0

    def timetable(self, outcomes: Outcomes) -> Timetable:
        while self._goes_on and all(job.key in outcomes for job in self._jobs(self._number)):
            jobs = self._jobs(self._number)
            self._counted += jobs
            self._number += 1
            score = self._score(jobs, outcomes)
            if score is not None:
                self._test.add(score)
        last = min(self._number + AHEAD, self._plan.max_pairs) if self._goes_on else self._number
        ahead = [job for number in range(self._number, last) for job in self._jobs(number)]
        return Timetable((*self._counted, *ahead), 2 * self._plan.max_pairs, False, test=self._test)

    @property
    def _goes_on(self) -> bool:
        return self._test.answer == "open" and self._number < self._plan.max_pairs

    def _jobs(self, number: int) -> list[Job]:
        game = self._plan.games[number % len(self._plan.games)]
        place = f"pair {number + 1}, "
        return [Job.at(self._plan.seed, place, game.name, seating, 0) for seating in seatings(self._pair, game.seats)]

    def _score(self, jobs: Sequence[Job], outcomes: Outcomes) -> float | None:
        """How far the first is ahead in a pair: 1 by all points, 0.5 even; None if one of the matches failed."""
        shares = [points(job, outcomes[job.key]) for job in jobs]
        if not all(shares):
            return None
        first, second = self._pair
        return float(sum((1 + share[first] - share[second]) / 2 for share in shares) / len(shares))


def _meeting(plan: TournamentPlan, place: str, pair: Pair) -> list[Job]:
    """All matches of two players: every game, in every role."""
    return [
        Job.at(plan.seed, place, game.name, seating, repeat)
        for game, repeat in plan.rounds_of_games()
        for seating in seatings(pair, game.seats, repeat)
    ]


def _meeting_size(plan: TournamentPlan) -> int:
    return 2 * sum(game.repeats for game in plan.games)


def _shares(jobs: Iterable[Job], outcomes: Outcomes, pair: Pair) -> tuple[Fraction, Fraction]:
    """The mean points of both in the matches they had; 0 if all of these failed."""
    gained: dict[str, list[Fraction]] = {player: [] for player in pair}
    for job in jobs:
        for player, share in points(job, outcomes[job.key]).items():
            gained[player].append(share)
    first, second = (sum(gained[player], Fraction()) / max(1, len(gained[player])) for player in pair)
    return first, second
