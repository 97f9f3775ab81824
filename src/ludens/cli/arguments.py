"""Arguments and options that several commands take."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from ludens.gdl.rules import Syntax

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
