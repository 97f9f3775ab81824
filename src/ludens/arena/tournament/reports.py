"""The results of a tournament as text: CSV for other programs, and the answer of a sequential test in words."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from ludens.arena.tournament.jobs import Outcomes
from ludens.arena.tournament.plan import Plan
from ludens.arena.tournament.schedule import Timetable
from ludens.arena.tournament.sprt import Sprt, score_elo
from ludens.arena.tournament.standings import Standings

MATCH_COLUMNS = ("match", "game", "role", "player", "goal", "faults", "moves", "finished", "failure")
STANDING_COLUMNS = (
    *("place", "player", "matches", "wins", "draws", "losses", "score", "low", "high"),
    *("rating", "uncertainty", "faults", "note"),
)


def matches_csv(plan: Plan, timetable: Timetable, outcomes: Outcomes) -> str:
    """All matches that count, one line for each role."""
    rows: list[Sequence[object]] = []
    for job in timetable.jobs:
        outcome = outcomes.get(job.key)
        if outcome is None:
            continue
        seats = zip(plan.game(job.game).roles, job.players, outcome.goals, outcome.faults, strict=True)
        rows += [
            (job.key, job.game, role, player, goal, faults, outcome.steps, int(outcome.finished), outcome.failure)
            for role, player, goal, faults in seats
        ]
    return _csv(MATCH_COLUMNS, rows)


def standings_csv(standings: Standings) -> str:
    """One line for each player, the best first."""
    rows = []
    for place, line in enumerate(standings.lines, 1):
        tally, (low, high) = line.tally, line.tally.interval
        score = "" if tally.mean is None else f"{tally.mean:.3f}"
        counts = (tally.matches, tally.wins, tally.draws, tally.losses)
        rating = (f"{line.rating:.3f}", f"{line.uncertainty:.3f}")
        rows.append((place, line.player, *counts, score, f"{low:.3f}", f"{high:.3f}", *rating, line.faults, line.note))
    return _csv(STANDING_COLUMNS, rows)


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def verdict(test: Sprt, first: str, second: str) -> str:
    """What a test came to, or how it stands.

    >>> from ludens.arena.tournament.sprt import SprtBounds
    >>> print(verdict(Sprt.of(SprtBounds(0.5, 0.6), [1.0] * 20), "ann", "bob").replace(": ", ":\\n"))
    ann scores 60.0 (+70 Elo) or more against bob, not 50.0 (+0 Elo) or less:
    mean 100.0 in 17 pairs of matches, where 50 is even
    """
    if not test.pairs:
        return f"nothing is known about {first} and {second}: no pair of matches was played to its end"
    low, high = (f"{100 * mean:.1f} ({score_elo(mean):+.0f} Elo)" for mean in (test.bounds.low, test.bounds.high))
    claims = {
        "higher": f"{first} scores {high} or more against {second}, not {low} or less",
        "lower": f"{first} scores {low} or less against {second}, not {high} or more",
        "open": f"it is open whether {first} scores {low} or less against {second}, or {high} or more",
    }
    return f"{claims[test.answer]}: mean {100 * test.mean:.1f} in {test.pairs} pairs of matches, where 50 is even"
