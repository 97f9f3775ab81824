"""`ludens serve`: a player that takes part in matches over the network."""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Callable
from random import Random
from typing import Annotated

import typer
from rich.markup import escape

from ludens.cli.arguments import PLAYER_NAMES, known_players
from ludens.cli.common import errors, output
from ludens.core import Player
from ludens.players import find_player, player_names
from ludens.serve import PlayerServer, serve_player

COLOURS = {logging.WARNING: "yellow", logging.ERROR: "red"}


def serve(
    player: Annotated[
        str, typer.Option(metavar="NAME", help=f"Who plays: {PLAYER_NAMES}.", callback=lambda name: _known(name))
    ] = "uct",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where to listen; 0 for any port that is free.")] = 9147,
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 for the whole network.")] = "127.0.0.1",
    matches: Annotated[int, typer.Option(min=1, max=1000, help="How many matches to play at once.")] = 1,
    name: Annotated[
        str | None, typer.Option(help="What it says its name is; by default ludens- and the player.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="For what the player leaves to chance.")] = None,
    nodes: Annotated[
        int | None, typer.Option(min=1, help="Search N nodes for each move, however long the clock is.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say only what goes wrong.")] = False,
) -> None:
    """Let a player take part in matches over the network, until Ctrl-C.

    Game servers reach it by HTTP: ludens serve --player uct --port 9147
    """
    if not _is_loopback(host):
        errors.print(
            f"[yellow]warning[/yellow]: everybody who can reach {escape(host)} can have this player play; "
            "use --host 127.0.0.1 for this machine alone"
        )
    _show_log(logging.WARNING if quiet else logging.INFO)
    default_name = f"ludens-{player}" if player in player_names() else None  # else the player's own
    make_player = _maker(player, Random(seed), nodes)

    def say_where(server: PlayerServer) -> None:
        at_once = "one match at a time" if matches == 1 else f"{matches} matches at once"
        output.print(f"{escape(server.router.name)} plays {at_once} at [bold]{server.address}[/bold]; Ctrl-C ends it")

    serve_player(
        make_player,
        host=host,
        port=port,
        matches=matches,
        name=name or default_name,
        on_ready=say_where,
    )
    output.print("ended")


def _known(name: str) -> str:
    known_players([name])
    return name


def _maker(name: str, rng: Random, nodes: int | None) -> Callable[[], Player]:
    find = find_player(name)
    return lambda: find(Random(rng.random()), nodes)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class _Console(logging.Handler):
    """Log lines with the time of day."""

    def emit(self, record: logging.LogRecord) -> None:
        colour = COLOURS.get(record.levelno)
        text = escape(self.format(record))
        output.print(f"[{colour}]{text}[/{colour}]" if colour else text)


def _show_log(level: int) -> None:
    handler = _Console()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    log = logging.getLogger("ludens.serve")
    log.addHandler(handler)
    log.setLevel(level)
