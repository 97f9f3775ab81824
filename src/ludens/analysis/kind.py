"""The kind of a game, by which a search is chosen: teams, sum of goals, turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from ludens.analysis.sampling import sample
from ludens.analysis.states import SampledStates
from ludens.core import goal_number
from ludens.errors import NoLegalMoveError
from ludens.game import Game
from ludens.gdl.keywords import CHANCE
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Variable, is_ground
from ludens.runtime.deadline import Deadline

GAMES = 512
"""The number of playouts of the compiled engine in one pass."""
WATCHED_GAMES = 8
"""The number of playouts examined state by state; on the reference engine these are all."""
MAX_STEPS = 1_000
ANY_VALUE = frozenset(range(101))
"""The possible goals if the rules do not tell."""

Values = tuple[frozenset[int], ...]
"""For each role the goal values from 0 to 100 that the rules can give it; chance has some, too, if the rules say so."""
Ends = frozenset[tuple[int, ...]]
"""Goals of all roles but chance at the ends of games, where the rules give each of them one."""


@dataclass(frozen=True, slots=True)
class GameKind:
    """The kind of a game as random play shows it: sampled, not proved. Only `best` and `worst` are certain.

    >>> import ludens
    >>> game_kind(ludens.load("tictactoe"), Random(1))
    GameKind(constant_sum=True, total=100, teams=((0,), (1,)), turns=True, best=(100, 100), worst=(0, 0))
    """

    constant_sum: bool
    """Whether what one team wins the others lose: the goals of the teams, one role for each, always add up alike."""
    total: int | None
    """The constant sum."""
    teams: tuple[tuple[int, ...], ...]
    """Roles that always get the same, by their places; chance is left out."""
    turns: bool
    """Whether there was never a state where several roles had a choice, chance left out."""
    best: tuple[int, ...]
    """For each role the highest goal value that the rules can give."""
    worst: tuple[int, ...]
    """For each role the lowest one."""


def game_kind(
    game: Game, rng: Random, games: int = GAMES, deadline: Deadline | None = None, seen: SampledStates | None = None
) -> GameKind:
    """Return the kind of a game, from `games` playouts on the compiled engine, or a few on the reference engine.

    `seen` states of playouts take the place of new ones that are examined state by state.

    The compiled engine is not waited for. After the deadline the ends seen so far decide. Games that end in one way
    only, or never, are judged by the values in their rules.
    """
    deadline = deadline or Deadline.never()
    players = [index for index, role in enumerate(game.roles) if role.lower() != CHANCE]
    values = _goal_values(game)
    turns, ends = (seen.turns, seen.ends) if seen else _watch(game, min(games, WATCHED_GAMES), rng, deadline)
    ends |= _play(game, players, games, rng, deadline)
    teams = teams_of(players, ends)
    total = _total(teams, players, values, ends)
    return GameKind(
        constant_sum=total is not None,
        total=total,
        teams=teams,
        turns=turns,
        best=tuple(max(own, default=100) for own in values),
        worst=tuple(min(own, default=0) for own in values),
    )


def _goal_values(game: Game) -> Values:
    tables = game.engine.circuit
    if tables is not None:
        return tuple(frozenset(value for value in own if value >= 0) for own in tables.role_goals)
    return tuple(_written_values(game.rules, role.lower()) for role in game.roles)


def _written_values(rules: Rules, role: str) -> frozenset[int]:
    """Return the values in the heads of goal rules; all, if one of them is a variable."""
    heads = [rule.head.args for rule in rules.rules_for("goal", 2)]
    terms = [value for who, value in heads if isinstance(who, Variable) or who == role]
    if not all(map(is_ground, terms)):
        return ANY_VALUE
    return frozenset(value for value in map(goal_number, terms) if value >= 0)  # type: ignore[arg-type]


def _watch(game: Game, games: int, rng: Random, deadline: Deadline) -> tuple[bool, Ends]:
    """Play state by state; return whether roles took turns, and the ends."""
    turns, ends = True, Ends()
    for _ in range(games):
        try:
            seen = sample(game, 1, rng, deadline, MAX_STEPS)
        except NoLegalMoveError:
            continue
        turns &= not seen.simultaneous
        ends |= seen.ends
    return turns, ends


def _play(game: Game, players: list[int], games: int, rng: Random, deadline: Deadline) -> Ends:
    """Play many games at once, if the game is compiled; return the ends."""
    ends = Ends()
    while games > 0 and not deadline.passed and game.engine.circuit is not None:
        try:
            seen = game.playouts(game.initial_state(), min(games, GAMES), rng, MAX_STEPS, wait=False)
        except NoLegalMoveError:
            break
        goals = np.unique(seen.goals[seen.finished][:, players], axis=0)
        ends |= frozenset(map(tuple, goals[(goals >= 0).all(axis=1)].tolist()))
        games -= GAMES
    return ends


def teams_of(players: list[int], ends: Ends) -> tuple[tuple[int, ...], ...]:
    """Return the roles with the same goals in all games; a role whose goal never varied is a team of its own."""
    columns = list(zip(*sorted(ends), strict=True)) or [()] * len(players)
    teams: dict[object, list[int]] = {}
    for role, goals in zip(players, columns, strict=True):
        teams.setdefault(goals if len(set(goals)) > 1 else role, []).append(role)
    return tuple(map(tuple, teams.values()))


def _completed(values: Sequence[frozenset[int]], total: int) -> bool:
    """Return whether every value that a team can get leaves the others a possible sum.

    If not, ends with that value would break the sum; they are rare if random games did not show one.
    """
    for place, own in enumerate(values):
        rests = {total}
        for other in (*values[:place], *values[place + 1 :]):
            rests = {rest - value for rest in rests for value in other}
        if own != ANY_VALUE and not own <= rests:
            return False
    return True


def _total(teams: tuple[tuple[int, ...], ...], players: list[int], values: Values, ends: Ends) -> int | None:
    """Return the sum of the goals of the teams, if it is constant."""
    if len(teams) < 2:
        return None
    representatives = [players.index(team[0]) for team in teams]
    sums = {sum(goals[member] for member in representatives) for goals in ends}
    if len(ends) > 1:
        total = sums.pop()
        return total if not sums and _completed([values[team[0]] for team in teams], total) else None
    if len(teams) > 2 or (not ends and any(len(values[team[0]]) < 2 for team in teams)):
        return None
    ours, theirs = (values[team[0]] for team in teams)
    total = max(ours, default=0) + min(theirs, default=0)
    return total if theirs == {total - value for value in ours} and sums <= {total} else None
