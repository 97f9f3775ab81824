"""The bundled games: a rule sheet each, with known facts about it. All written for this project.

The sheets share a vocabulary: `(cell column row content)` with columns counted from the left and rows from
the bottom, `(control player)` for whose turn it is, `noop` for those who wait.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

SUFFIX = ".kif"
HINTS_SUFFIX = ".hints.toml"

TAGS = {
    "turns": "one role chooses at a time",
    "simultaneous": "several roles choose at once",
    "chance": "dice, cards or the like",
    "puzzle": "for one player",
    "cooperative": "the players win or lose together",
    "board": "played on a board",
    "misere": "reaching the usual goal loses",
    "recursive": "moves or the end follow chains on the board, by rules that refer to themselves",
    "many-values": "has many different results",
    "clune": "named in the paper on Cluneplayer",
    "fluxplayer": "named in the paper on Fluxplayer",
    "gdlcc": "named in the paper on the gdlcc compiler",
    "kuhlmann": "named in the paper on the UT Austin player",
    "stochastic": "named in the paper on stochastic GDL",
}
"""Every tag a game can have, with its meaning."""


@dataclass(frozen=True, slots=True)
class KnownFacts:
    """Known results from theory or other programs; the tests compute them from the rules."""

    perft: tuple[int, ...] = ()
    """The numbers of sequences of 1, 2, 3, ... joint moves."""
    shortest: int | None = None
    """The least number of moves that solves a puzzle."""


@dataclass(frozen=True, slots=True)
class GameInfo:
    """The description of a bundled game."""

    name: str
    title: str
    description: str
    rules: str
    roles: int
    """The number of roles without chance."""
    tags: tuple[str, ...]
    facts: KnownFacts

    @classmethod
    def from_toml(cls, name: str, text: str) -> GameInfo:
        data: dict[str, Any] = tomllib.loads(text)
        facts: dict[str, Any] = data.pop("facts", {})
        perft = tuple(facts.pop("perft", ()))
        rules = data.pop("rules").strip()
        return cls(name=name, rules=rules, tags=tuple(data.pop("tags")), facts=KnownFacts(perft, **facts), **data)


def names() -> tuple[str, ...]:
    """Return the names of all bundled games, in alphabetical order.

    >>> "tictactoe" in names()
    True
    """
    folder = resources.files(__name__)
    return tuple(sorted(file.name.removesuffix(SUFFIX) for file in folder.iterdir() if file.name.endswith(SUFFIX)))


def find(name: str) -> Traversable | None:
    """Return the rule sheet of a bundled game, ignoring case and punctuation; None if there is none.

    >>> find("Tic-Tac-Toe").name
    'tictactoe.kif'
    """
    plain = name.lower().translate({ord(mark): None for mark in "-_ '"})
    return resources.files(__name__) / f"{plain}{SUFFIX}" if plain in names() else None


def info(name: str) -> GameInfo:
    """Return the information about a bundled game; raise KeyError if there is none of this name.

    >>> info("connectfour").title
    'Connect four'
    """
    sheet = find(name)
    if sheet is None:
        raise KeyError(name)
    plain = sheet.name.removesuffix(SUFFIX)
    return GameInfo.from_toml(plain, (resources.files(__name__) / f"{plain}.toml").read_text(encoding="utf-8"))


def hints(name: str) -> str | None:
    """Return the text of the drawing hints of a bundled game; None if there are none."""
    sheet = find(name)
    file = resources.files(__name__) / (sheet.name.removesuffix(SUFFIX) + HINTS_SUFFIX) if sheet else None
    return file.read_text(encoding="utf-8") if file and file.is_file() else None


def catalogue() -> tuple[GameInfo, ...]:
    """Return all bundled games, by name."""
    return tuple(info(name) for name in names())
