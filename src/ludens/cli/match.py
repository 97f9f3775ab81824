"""`ludens match`: players against each other, with what they think."""

from __future__ import annotations

from itertools import cycle
from random import Random
from typing import Annotated

import typer

from ludens.cli.arguments import PLAYER_NAMES, GameName, SheetSyntax, known_players
from ludens.cli.common import interrupt_by_signals
from ludens.cli.spectator import SEEDED_NODES, START_SECONDS, show_match
from ludens.cli.stores import KeepMatch, StorePath, make_archive
from ludens.core import Clocks
from ludens.errors import PlayError
from ludens.game import load
from ludens.players import make_player


def match(
    game: GameName,
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME",
            callback=known_players,
            help=f"Who plays, in the order of the roles: {PLAYER_NAMES}. Fewer than there are roles take turns.",
        ),
    ],
    players: Annotated[
        bool, typer.Option("--players", help="May stand before the names: `--players uct alphabeta`.")
    ] = False,
    clock: Annotated[float, typer.Option(metavar="S", min=0.01, help="Seconds for each move.")] = 1.0,
    start: Annotated[float, typer.Option(metavar="S", min=0.0, help="Seconds before the first move.")] = START_SECONDS,
    seed: Annotated[
        int | None, typer.Option(help="Play the same match each time; the clock does not count then.")
    ] = None,
    boards: Annotated[bool, typer.Option("--boards/--no-boards", help="Draw the board after each move.")] = True,
    store: StorePath = None,
    keep: KeepMatch = True,
    syntax: SheetSyntax = "auto",
) -> None:
    """Let players play GAME against each other, and see what they expect, and which line of play.

    ludens match connectfour --players uct alphabeta --clock 1
    """
    interrupt_by_signals()
    loaded = load(game, syntax=syntax)
    roles = loaded.player_roles
    if len(names) > len(roles):
        raise PlayError(f"{loaded.name} is played by {', '.join(roles)}; {len(names)} players are too many")
    rng = Random(seed)
    nodes = None if seed is None else SEEDED_NODES
    seated = {
        role: make_player(name, Random(rng.random()), nodes) for role, name in zip(roles, cycle(names), strict=False)
    }
    show_match(
        loaded, seated, Clocks(start, clock), rng, boards=boards, thoughts=True, archive=make_archive(store, keep)
    )
