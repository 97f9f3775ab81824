"""How a player scores at the games of each property: next to its own mean, and next to each opponent."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, TypeAlias

from experiments.matches import PlayedMatch
from experiments.scores import EVEN, Scores
from ludens.arena.tournament.standings import wilson_interval

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


def property_scores(
    scores: Scores, player: str, opponents: Iterable[str], sheets: Iterable[str]
) -> list[PropertyScore]:
    """First all games that were played, then those with each property; nothing if none was played."""
    games = _games(scores, player, set(opponents))
    known = [sheet for sheet in dict.fromkeys(sheets) if sheet in games and has_properties(scores.sheets.get(sheet))]
    if not known:
        return []
    groups = {ALL_GAMES: known}
    for name, words in WORDS.items():
        groups[words] = [sheet for sheet in known if scores.sheets[sheet][name]]
    average = _mean_score([games[sheet] for sheet in known])
    return [
        _property_score(words, tuple(group), [games[sheet] for sheet in group], average)
        for words, group in groups.items()
    ]


def _games(scores: Scores, player: str, opponents: Container[str]) -> dict[str, ByOpponent]:
    games: dict[str, ByOpponent] = {}
    for match in scores.matches.values():
        first, second = match.players
        if first == player and second in opponents:
            games.setdefault(match.sheet, {}).setdefault(second, []).append(match)
    return games


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
