"""`ludens play`: a game against the machine, or a match to watch."""

from __future__ import annotations

import sys
from itertools import cycle
from random import Random
from typing import Annotated

import typer

from ludens.arena.interactive import PERSON, InteractiveMatch
from ludens.arena.result import SEED_BITS
from ludens.cli.arguments import PLAYER_NAMES, GameName, SheetSyntax, known_players
from ludens.cli.common import interrupt_by_signals
from ludens.cli.spectator import SEEDED_NODES, START_SECONDS, show_match
from ludens.cli.stores import KeepMatch, StorePath, make_archive, say_kept
from ludens.cli.table import GameTable
from ludens.core import Clocks, Role
from ludens.errors import UnknownRoleError
from ludens.game import Game, load
from ludens.players import make_player

DEFAULT_PLAYER = "uct"
EVERYBODY = "all"


def play(
    game: GameName = "tictactoe",
    role: Annotated[
        str | None, typer.Option(metavar="ROLE", help="The role you take; `all` if people play all roles.")
    ] = None,
    player: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            show_default=DEFAULT_PLAYER,
            callback=known_players,
            help=f"Who plays the other roles: {PLAYER_NAMES}. Repeat it for one player after the other.",
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(metavar="S", min=0.01, help="Seconds the machine thinks for a move.")] = 1.0,
    seed: Annotated[int | None, typer.Option(help="Make the machine play the same way each time.")] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Watch the machine play all roles.")] = False,
    store: StorePath = None,
    keep: KeepMatch = True,
    syntax: SheetSyntax = "auto",
) -> None:
    """Play GAME against the machine; without a terminal, or with --watch, see a match between machines.

    Moves are made by their number or by their words. At any time `help` tells what else can be typed.
    """
    interrupt_by_signals()
    loaded = load(game, syntax=syntax)
    rng = Random(seed)
    clocks = Clocks(START_SECONDS, seconds)
    nodes = None if seed is None else SEEDED_NODES
    machines = dict(zip(loaded.player_roles, cycle(player or [DEFAULT_PLAYER]), strict=False))
    people = _people(loaded, role) if not watch and (role is not None or _at_terminal()) else ()
    archive = make_archive(store, keep)
    if people:
        seats = {seat: PERSON if seat in people else name for seat, name in machines.items()}
        match = InteractiveMatch(loaded, seats, clocks, rng.getrandbits(SEED_BITS), nodes, journal=archive)
        GameTable(match).play()
        say_kept(match.match.record, archive)
    else:
        players = {seat: make_player(name, Random(rng.random()), nodes) for seat, name in machines.items()}
        show_match(loaded, players, clocks, rng, archive=archive)


def _at_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def _people(game: Game, role: str | None) -> tuple[Role, ...]:
    """The roles that people take: the first, unless a role is named."""
    roles = game.player_roles
    if role is None:
        return roles[:1]
    named = tuple(seat for seat in roles if seat.lower() == role.lower())
    if not named and role.lower() == EVERYBODY:
        return roles
    if not named:
        raise UnknownRoleError(role, [*roles, EVERYBODY])
    return named
