"""Arguments and options that several commands take."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from ludens.errors import PlayError
from ludens.gdl.rules import Syntax
from ludens.players.registry import PLAYERS, find_player

PLAYER_NAMES = f"{', '.join(PLAYERS)}, one that is installed, or your own as package.module:Class or file.py:Class"
"""How players can be named, for help texts."""

GameName: TypeAlias = Annotated[
    str, typer.Argument(metavar="GAME", help="The name of a bundled game, or the path of a rule sheet.")
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON document, for programs.")]
MaxSteps: TypeAlias = Annotated[
    int, typer.Option("--max-steps", metavar="M", min=1, help="Cut a game after M joint moves.")
]
SheetSyntax: TypeAlias = Annotated[
    Syntax, typer.Option("--syntax", help="The syntax of the rule sheet; by default it is detected.")
]
AfterMoves: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--after",
        metavar="MOVE",
        help="Look at the state after a move, such as `mark 2 2`, or `red: rock, blue: paper` if both have a choice. "
        "Repeat it for one move after the other; chance's moves are given, too.",
    ),
]


def known_players(names: list[str] | None) -> list[str] | None:
    """Return the same names; a usage error for one that no player has, or whose player cannot be made."""
    for name in names or []:
        try:
            find_player(name)
        except PlayError as error:
            raise typer.BadParameter(str(error)) from None
    return names
