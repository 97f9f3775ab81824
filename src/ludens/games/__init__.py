"""The games that come with ludens: one rule sheet each, all written for this project.

The sheets share a vocabulary: `(cell column row content)` with columns counted from the left and rows from
the bottom, `(control player)` for whose turn it is, `noop` for those who wait.
"""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable

SUFFIX = ".kif"


def names() -> tuple[str, ...]:
    """The names of all bundled games, in alphabetical order.

    >>> "tictactoe" in names()
    True
    """
    folder = resources.files(__name__)
    return tuple(sorted(file.name.removesuffix(SUFFIX) for file in folder.iterdir() if file.name.endswith(SUFFIX)))


def find(name: str) -> Traversable | None:
    """The rule sheet of a bundled game, whatever the case of its name; None if there is no such game.

    >>> find("TicTacToe").name
    'tictactoe.kif'
    """
    folded = name.lower()
    return resources.files(__name__) / f"{folded}{SUFFIX}" if folded in names() else None
