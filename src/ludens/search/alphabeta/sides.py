"""`Sides`: who plays with whom, as a search takes it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ludens.analysis.kind import GameKind
from ludens.engines.base import UNKNOWN_GOAL
from ludens.engines.rows import Rows
from ludens.search.alphabeta.options import AlphaBetaOptions
from ludens.search.view import GameView

MAX_RIVALRY = 2.0**-7
"""How much 1 of all others together counts against the value of a side: all they can get, less than 1 of its own."""


@dataclass(frozen=True, slots=True)
class Sides:
    """The sides of a game, that of the role which searches first."""

    teams: tuple[tuple[int, ...], ...]
    """Roles; the first of each team stands for it."""
    maxn: bool
    """Whether each side wants its own value high."""
    total: float | None
    """What the values of all sides add up to, if the search relies on it."""
    lowest: tuple[float, ...]
    highest: tuple[float, ...]
    """For each side."""
    rivalry: float = 0.0
    """How much of what each other side gets is taken from the value of the first, so that of equal ends the one is
    chosen that gives others less; 0 where ends are means, which may differ by less than that. Exact in binary, as
    values are put together and taken apart again."""

    @property
    def taken(self) -> NDArray[np.float64]:
        """[sides]: how much of the value of each is taken from that of the first."""
        return np.array([0.0] + [self.rivalry] * (len(self.teams) - 1))

    @property
    def representatives(self) -> NDArray[np.int32]:
        return np.array([team[0] for team in self.teams], np.int32)

    def apart(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what each side gets [sides], by the values of a search, without what is taken from the first."""
        found = values.copy()
        found[0] += values[1:] @ self.taken[1:]
        return found

    def side_of(self, roles: int) -> NDArray[np.int32]:
        """[roles]: -1 for chance."""
        sides = np.full(roles, -1, np.int32)
        for side, team in enumerate(self.teams):
            sides[list(team)] = side
        return sides

    def order(self, roles: int) -> NDArray[np.int32]:
        """[roles]: who chooses before whom where several do: we before all others, chance last."""
        players = [role for team in self.teams for role in team]
        return np.array(players + [role for role in range(roles) if role not in players], np.int32)


def sides_of(kind: GameKind, role: int, options: AlphaBetaOptions) -> Sides:
    """Return the sides of a game, for one of its roles."""
    own = next((team for team in kind.teams if role in team), (role,))
    ours = (role, *(mate for mate in own if mate != role))
    teams = (ours, *(team for team in kind.teams if role not in team))
    duel = kind.constant_sum and len(teams) == 2
    if options.simultaneous == "equilibrium" or len(teams) == 1:
        maxn = False
    elif options.mode is not None:
        maxn = options.mode == "maxn"
    else:
        maxn = kind.turns and not duel
    relies_on_total = kind.constant_sum and (maxn or (duel and options.mode is None))
    by_chance = options.simultaneous != "paranoid" or sum(map(len, teams)) < len(kind.best)
    has_rivals = len(teams) > 1 and not maxn and not kind.constant_sum and not by_chance
    return Sides(
        teams=teams,
        maxn=maxn,
        total=kind.total if relies_on_total else None,
        lowest=tuple(min(kind.worst[team[0]], UNKNOWN_GOAL) for team in teams),
        highest=tuple(max(kind.best[team[0]], UNKNOWN_GOAL) for team in teams),
        rivalry=MAX_RIVALRY / 2 ** (len(teams) - 2).bit_length() if has_rivals else 0.0,
    )


def guessed_kind(view: GameView, row: Rows) -> GameKind:
    """Return what most games are like, for when there is no time to find out; the search notices where it is wrong."""
    roles = len(view.roles)
    players = [role for role in range(roles) if role != view.chance]
    here = view.engine.look(row)
    choosers = sum(len(here.legal(0, role)) > 1 for role in players)
    return GameKind(
        constant_sum=len(players) == 2,
        total=100 if len(players) == 2 else None,
        teams=tuple((role,) for role in players),
        turns=choosers < 2,
        best=(100,) * roles,
        worst=(0,) * roles,
    )


def without_sums(kind: GameKind) -> GameKind:
    """Return what is left of a kind of game when goals were met that contradict it."""
    teams = tuple((role,) for team in kind.teams for role in team)
    return replace(kind, constant_sum=False, total=None, teams=tuple(sorted(teams)))
