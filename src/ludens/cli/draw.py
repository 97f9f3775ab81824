"""`ludens draw`: a state of a game as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from ludens.cli.after import state_after
from ludens.cli.arguments import AfterMoves, GameName, SheetSyntax
from ludens.cli.common import errors, output
from ludens.cli.pictures import TerminalArtist, check_ending
from ludens.game import load
from ludens.runtime.deadline import Deadline

SECONDS = 30.0
"""How long a game that was never drawn before is analysed at most."""


def draw(
    game: GameName,
    after: AfterMoves = None,
    to: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the picture to a file: .svg, .html or .txt."),
    ] = None,
    hints: Annotated[
        Path | None, typer.Option("--hints", metavar="FILE", help="A TOML file that says how things look.")
    ] = None,
    syntax: SheetSyntax = "auto",
) -> None:
    """Draw the first state of GAME, or a state after some moves: in the terminal, or as a file.

    What is drawn follows from the rules alone: boards, pieces in the colours of their roles, numbers, and whose turn it
    is; whatever is none of these is listed.
    """
    if to is not None:
        check_ending(to)
    loaded = load(game, syntax=syntax)
    before = state_after(loaded, (after or [])[:-1])
    state = state_after(loaded, after or [])
    with errors.status(f"analysing {escape(loaded.name)}"):
        artist = TerminalArtist.of(loaded, hints)
        artist.wait(Deadline(SECONDS))
    last_state = before if after else None
    if to is None:
        output.print(artist.text(state, last_state))
        return
    artist.write(to, state, last_state)
    output.print(f"{to} is written", style="green", markup=False)
