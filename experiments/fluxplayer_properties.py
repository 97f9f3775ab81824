"""At which games is fluxplayer strong? Figure 2 of the paper on Fluxplayer.

The seven properties of the paper are found for each game. Fluxplayer plays against other players, and its scores are
compared with theirs at the games of each property: next to its own mean, and next to each opponent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, TypeAlias

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

import ludens
from experiments.experiment import Experiment
from experiments.properties import find_properties
from experiments.report import EVEN, PlayedMatch, Report
from experiments.strength import effort
from ludens.arena.tournament.plan import TournamentPlan
from ludens.arena.tournament.standings import wilson_interval
from ludens.drawing import Drawing
from ludens.errors import LudensError
from ludens.runtime.deadline import Deadline

ANALYSIS_SECONDS = 120.0
ByOpponent: TypeAlias = dict[str, list[PlayedMatch]]
"""The matches of one player at a game."""

MOST = 100.0
ROUNDING = 1e-9
ALL_GAMES = "all games"
WORDS: Mapping[str, str] = {
    "concrete_goal": "concrete goal",
    "gradual_goals": "gradual goals",
    "quantity": "quantity in the goal",
    "distance": "distance in the goal",
    "many_moves": "20 moves and more",
    "nondescript_goal": "nondescript goal",
    "mobility": "mobility",
}
WIDTH, MARGIN = 760.0, 16.0
LEFT, RIGHT = 210.0, 690.0
HEAD, ROW, FOOT = 92.0, 62.0, 34.0
BAR, GAP = 12.0, 3.0
KINDS = ("c2", "c3", "c0", "c1")
MAX_OPPONENTS = len(KINDS) - 1
"""More would need more colours."""
LINE, CAP = 1.5, 7.0
"""How thick the line of an interval is, and how high its ends are."""
REACH = MOST
STEP = 50


@dataclass(frozen=True, slots=True)
class Lead:
    """How many points more than an opponent, the mean of the games; each game counts the same."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, games: Sequence[Sequence[float]]) -> Lead:
        """From the leads in the matches of each game.

        The interval is Wilson's, of as many matches as would count as much if all counted the same. It holds for these
        games, not for others with the same property.
        """
        mean = fmean(map(fmean, games))
        matches = len(games) ** 2 / sum(1 / len(leads) for leads in games)
        low, high = (2 * (bound - EVEN) for bound in wilson_interval(EVEN + mean / 2, math.floor(matches + ROUNDING)))
        return cls(mean, low, high)


@dataclass(frozen=True, slots=True)
class PropertyScore:
    """The matches of one player at all games with a property."""

    words: str
    sheets: tuple[str, ...]
    """None if no game has it; then there are no numbers either."""
    score: float = math.nan
    above_own: float = math.nan
    """Points more than its mean over all games."""
    leads: Mapping[str, Lead] = field(default_factory=dict)
    """For each opponent."""


def has_properties(known: Mapping[str, Any] | None) -> bool:
    """Whether all properties are among what is known of a game."""
    return known is not None and WORDS.keys() <= known.keys()


def property_scores(report: Report) -> list[PropertyScore]:
    """First all games that were played, then those with each property; nothing if none is known."""
    games: dict[str, ByOpponent] = {}
    for match in report.matches:
        games.setdefault(match.sheet, {}).setdefault(match.players[1], []).append(match)
    known = [sheet for sheet in games if has_properties(report.sheets.get(sheet))]
    if not known:
        return []
    groups = {ALL_GAMES: known}
    for name, words in WORDS.items():
        groups[words] = [sheet for sheet in known if report.sheets[sheet][name]]
    average = _mean_score([games[sheet] for sheet in known])
    return [
        _property_score(words, tuple(group), [games[sheet] for sheet in group], average)
        for words, group in groups.items()
    ]


def _property_score(words: str, sheets: tuple[str, ...], games: Sequence[ByOpponent], average: float) -> PropertyScore:
    if not games:
        return PropertyScore(words, sheets)
    score = _mean_score(games)
    leads = {
        opponent: Lead.of([[match.lead for match in game[opponent]] for game in games if opponent in game])
        for opponent in dict.fromkeys(opponent for game in games for opponent in game)
    }
    return PropertyScore(words, sheets, score, score - average, leads)


def _mean_score(games: Iterable[ByOpponent]) -> float:
    """Each game counts the same, and each opponent the same at a game."""
    return fmean(fmean(fmean(match.scores[0] for match in matches) for matches in game.values()) for game in games)


def complaint(plan: TournamentPlan) -> str | None:
    """One player meets a few others."""
    if not plan.pairs or len({first for first, _ in plan.pairs}) > 1:
        return "pairs: name the same player first in all of them"
    if len(plan.pairs) > MAX_OPPONENTS:
        return f"pairs: {len(plan.pairs)} opponents are too many for the chart; choose {MAX_OPPONENTS} at most"
    return None


def find_missing(console: Console, report: Report, save: Callable[[], None]) -> None:
    """Find the properties of the games that have none yet; those that cannot be compiled are left out."""
    for sheet in dict.fromkeys(match.sheet for match in report.matches):
        known = report.sheets.get(sheet)
        if has_properties(known):
            continue
        with console.status(f"reading the goals of {sheet}"):
            try:
                found = find_properties(ludens.load(sheet), Deadline(ANALYSIS_SECONDS), Random(report.settings.seed))
            except LudensError as error:
                console.print(f"{sheet} is left out: {error}", style="yellow", markup=False)
                continue
        report.sheets[sheet] = {**(known or {}), **asdict(found)}
        save()


def show(console: Console, report: Report) -> None:
    listed = property_scores(report)
    if not listed:
        console.print("no game has known properties", style="yellow")
        return
    _show_games(console, report, listed[0].sheets)
    _show_scores(console, report, listed)


def _show_games(console: Console, report: Report, sheets: Iterable[str]) -> None:
    table = Table(title="Properties of the games", box=SIMPLE_HEAD, title_justify="left")
    table.add_column("game", no_wrap=True)
    for words in WORDS.values():
        table.add_column(words, justify="center")
    for sheet in sheets:
        table.add_row(sheet, *("x" if report.sheets[sheet][name] else "" for name in WORDS))
    console.print(table)


def _show_scores(console: Console, report: Report, listed: Sequence[PropertyScore]) -> None:
    opponents = list(dict.fromkeys(opponent for score in listed for opponent in score.leads))
    table = Table(
        title=f"{effort(report)}, roles alternating ({report.cpu})",
        caption="points more than the own mean over all games, and than each opponent at the same games (95 %)",
        box=SIMPLE_HEAD,
        title_justify="left",
        caption_justify="left",
    )
    table.add_column("games with", no_wrap=True)
    for heading in ("games", "score", "own mean", *opponents):
        table.add_column(heading, justify="right", no_wrap=True)
    for score in listed:
        if not score.sheets:
            table.add_row(score.words, "none")
            continue
        leads = [score.leads.get(opponent) for opponent in opponents]
        cells = [f"{lead.mean:+.1f} ({lead.low:+.0f} to {lead.high:+.0f})" if lead else "" for lead in leads]
        table.add_row(score.words, str(len(score.sheets)), f"{score.score:.1f}", f"{score.above_own:+.1f}", *cells)
    console.print(table)


def draw(report: Report, path: Path) -> None:
    listed = property_scores(report)
    player = report.matches[0].players[0]
    remark = f"{effort(report)}, roles alternating; lines: 95 % (Wilson)"
    opponents = list(dict.fromkeys(opponent for score in listed for opponent in score.leads))
    bottom = HEAD + ROW * len(listed)
    title = f"Where {player} is strong: points more at the games with a property"
    drawing = Drawing(WIDTH, bottom + FOOT, title)
    drawing.text(MARGIN, 26, title, size=15)
    drawing.text(MARGIN, 46, remark, size=12, kind="faint")
    x = MARGIN
    legend = [f"than {player}'s own mean", *(f"than {name}" for name in opponents)]
    for kind, words in zip(KINDS[: len(legend)], legend, strict=True):
        drawing.bar(x, 60, 12, 12, kind)
        drawing.text(x + 18, 70, words, size=12)
        x += 40 + 7 * len(words)
    for points in range(-int(REACH), int(REACH) + 1, STEP):
        drawing.line(_x(points), HEAD, _x(points), bottom, "grid" if points else "trend")
        drawing.text(_x(points), bottom + 16, f"{points:+d}" if points else "0", 10, "middle", "faint")
    for row, score in enumerate(listed):
        _draw_score(drawing, score, opponents, HEAD + ROW * row)
    drawing.write(path)


def _draw_score(drawing: Drawing, score: PropertyScore, opponents: Sequence[str], top: float) -> None:
    count = f"{len(score.sheets) or 'no'} game{'s' if len(score.sheets) != 1 else ''}"
    drawing.text(LEFT - 14, top + 26, score.words, size=12, anchor="end")
    drawing.text(LEFT - 14, top + 42, count, size=11, anchor="end", kind="faint")
    if not score.sheets:
        return
    y = top + 8
    _draw_bar(drawing, score.above_own, y, KINDS[0])
    for kind, opponent in zip(KINDS[1 : 1 + len(opponents)], opponents, strict=True):
        y += BAR + GAP
        if lead := score.leads.get(opponent):
            _draw_bar(drawing, lead.mean, y, kind)
            _draw_interval(drawing, lead, y + BAR / 2)


def _draw_bar(drawing: Drawing, points: float, y: float, kind: str) -> None:
    begin, end = sorted((_x(0), _x(points)))
    drawing.bar(begin, y, max(1.0, end - begin), BAR, kind)
    drawing.text(RIGHT + 12, y + BAR - 2, f"{points:+.0f}", size=11, kind="faint")


def _draw_interval(drawing: Drawing, lead: Lead, middle: float) -> None:
    low, high = _x(lead.low), _x(lead.high)
    drawing.bar(low, middle - LINE / 2, high - low, LINE, "ink", rounding=0)
    for end in (low, high):
        drawing.bar(end - LINE / 2, middle - CAP / 2, LINE, CAP, "ink", rounding=0)


def _x(points: float) -> float:
    return LEFT + (RIGHT - LEFT) * (points + REACH) / (2 * REACH)


EXPERIMENT = Experiment("fluxplayer_properties", show, draw, complaint, find_missing)
