"""What the default tier runs of what the full tier runs whole: archetypes of games, pairs, fewer random examples."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

import pytest
from _pytest.mark import ParameterSet
from hypothesis import HealthCheck, settings

from ludens import games

ARCHETYPES: Final = {
    "tictactoe": "turns, small",
    "connectfour": "turns, middling",
    "checkers": "turns, large",
    "rockpaperscissors": "simultaneous",
    "dicerace": "chance as a role, with percepts (GDL-II)",
    "highcard": "chance as random variables (stochastic GDL)",
    "eightpuzzle": "puzzle",
    "hex": "recursive",
    "threeway": "many roles",
}
"""One bundled game of each kind, for the default tier. No bundled game hides anything; sheets in `tests/chance` do."""
FULL = pytest.mark.full
DEFAULT_EXAMPLES, FULL_EXAMPLES = 20, 100
"""Random examples of a property test in either tier, if it asks for no other number."""


def register_profiles() -> None:
    """Register two profiles of Hypothesis: `default`, and `full` for `--hypothesis-profile=full`.

    Both have fixed seeds. Examples may still differ between runs: some are constants of the modules imported so far.
    """
    for name, examples in (("default", DEFAULT_EXAMPLES), ("full", FULL_EXAMPLES)):
        settings.register_profile(
            name,
            max_examples=examples,
            deadline=None,
            derandomize=True,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        )
    settings.load_profile("default")


def examples(full: int, *allowed: HealthCheck) -> settings:
    """Run this many random examples in the full tier, and a fifth of them in the default tier.

    `allowed`: checks of Hypothesis that do not apply.
    """
    profile = settings.get_current_profile_name()
    number = full if profile == "full" else max(1, full * DEFAULT_EXAMPLES // FULL_EXAMPLES)
    checks = [*settings.get_profile(profile).suppress_health_check, *allowed]
    return settings(max_examples=number, suppress_health_check=checks)


def every_game(*, but: Collection[str] = (), of: Iterable[str] | None = None) -> list[ParameterSet]:
    """Return all bundled games, or those given, as parameters: archetypes in the default tier, the others in full."""
    chosen = games.names() if of is None else of
    return [pytest.param(name, marks=() if name in ARCHETYPES else FULL, id=name) for name in chosen if name not in but]


def first(count: int, values: Iterable[object]) -> list[ParameterSet]:
    """Return values, or tuples of several, as parameters: the first `count` in the default tier, the others in full."""
    rows = [value if isinstance(value, tuple) else (value,) for value in values]
    return [pytest.param(*row, marks=() if place < count else FULL) for place, row in enumerate(rows)]


def pairwise(players: Sequence[str], sheets: Sequence[str] | None = None) -> list[ParameterSet]:
    """Return players times games as parameters: in the default tier each player and each archetype occurs, once each
    or more often; the rest of the product is left to the full tier.
    """
    kinds = list(ARCHETYPES)
    chosen = {(players[i % len(players)], kinds[i % len(kinds)]) for i in range(max(len(players), len(kinds)))}
    return [
        pytest.param(player, sheet, marks=() if (player, sheet) in chosen else FULL, id=f"{player}-{sheet}")
        for sheet in sheets or games.names()
        for player in players
    ]
