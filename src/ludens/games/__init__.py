"""The games that come with ludens: a rule sheet each, and what is known about it. All written for this project.

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
    "misere": "whoever reaches the usual goal loses",
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
    """What theory or other programs say about a game; the tests compute it from the rules."""

    perft: tuple[int, ...] = ()
    """How many ways there are to make 1, 2, 3, ... joint moves."""
    shortest: int | None = None
    """The least number of moves that solves a puzzle."""


@dataclass(frozen=True, slots=True)
class GameInfo:
    """What a person wants to know about a bundled game."""

    name: str
    title: str
    description: str
    rules: str
    roles: int
    """How many roles there are; the one that moves by chance is not counted."""
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
    """The names of all bundled games, in alphabetical order.

    >>> "tictactoe" in names()
    True
    """
    folder = resources.files(__name__)
    return tuple(sorted(file.name.removesuffix(SUFFIX) for file in folder.iterdir() if file.name.endswith(SUFFIX)))


def find(name: str) -> Traversable | None:
    """The rule sheet of a bundled game, whatever the case and punctuation of its name; None if there is none.

    >>> find("Tic-Tac-Toe").name
    'tictactoe.kif'
    """
    plain = name.lower().translate({ord(mark): None for mark in "-_ '"})
    return resources.files(__name__) / f"{plain}{SUFFIX}" if plain in names() else None


def info(name: str) -> GameInfo:
    """What is known about a bundled game; KeyError if there is none of this name.

    >>> info("connectfour").title
    'Connect four'
    """
    sheet = find(name)
    if sheet is None:
        raise KeyError(name)
    plain = sheet.name.removesuffix(SUFFIX)
    return GameInfo.from_toml(plain, (resources.files(__name__) / f"{plain}.toml").read_text(encoding="utf-8"))


def hints(name: str) -> str | None:
    """The text of the file that says how to draw a bundled game; None if there is none."""
    sheet = find(name)
    file = resources.files(__name__) / (sheet.name.removesuffix(SUFFIX) + HINTS_SUFFIX) if sheet else None
    return file.read_text(encoding="utf-8") if file and file.is_file() else None


def catalogue() -> tuple[GameInfo, ...]:
    """All bundled games, by name."""
    return tuple(info(name) for name in names())
