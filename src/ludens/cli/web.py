"""`ludens web`: everything in the browser."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from ludens import games
from ludens.cli.arguments import known_players
from ludens.cli.common import errors, output
from ludens.cli.stores import StorePath
from ludens.errors import GameNotFoundError
from ludens.players import player_names

UNUSED = ("aiohttp", "kombu", "requests", "websocket")
"""What the library for sockets loads if it is there, to be a client; here it only serves."""


def web(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", help="The bundled game to open; all of them by default.")
    ] = None,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Where to listen.")] = 8090,
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 for the whole network.")] = "127.0.0.1",
    show: Annotated[bool, typer.Option("--show/--no-show", help="Open a browser.")] = True,
    player: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            callback=known_players,
            help="A player of your own that may be chosen, as package.module:Class or file.py:Class; may be repeated.",
        ),
    ] = None,
    store: StorePath = None,
    keep: Annotated[
        bool | None,
        typer.Option(
            "--keep/--no-keep",
            help="Keep matches in the store.",
            show_default="keep, unless others can reach the address and no --store is given",
        ),
    ] = None,
    memory: Annotated[
        int, typer.Option(min=512, metavar="MB", help="Megabytes for each process that works out rules.")
    ] = 3072,
    processes: Annotated[
        int,
        typer.Option(min=1, metavar="N", help="How many of these there are; the longest idle one gives way."),
    ] = 12,
) -> None:
    """Play, watch and write games in the browser, until Ctrl-C.

    Games are kept in the store like all matches: they are on the page Watch.
    Everything stays on this machine, and nothing is loaded from elsewhere.
    """
    path = page_of(game)
    with quick_imports():
        server = import_module("ludens.web.server")
    is_local = server.is_loopback(host)
    if not is_local:
        errors.print(
            f"[yellow]warning[/yellow]: everybody who can reach {escape(host)} can use this; "
            "use --host 127.0.0.1 for this machine alone"
        )
    page = path if show else False
    server.run(
        server.Settings(
            host=host,
            port=port,
            show=page,
            store=store,
            keep=keeps_games(keep, store, is_local),
            memory=memory,
            processes=processes,
            players=tuple(name for name in player or () if name not in player_names()),
        ),
        lambda address: output.print(f"ludens is at [bold]{escape(address + path.rstrip('/'))}[/bold]; Ctrl-C ends it"),
    )
    output.print("ended")


def keeps_games(wish: bool | None, store: Path | None, is_local: bool) -> bool:
    """Return whether games are kept: as is wished, else unless strangers' games would go into the user's own store."""
    return (is_local or store is not None) if wish is None else wish


def page_of(game: str | None) -> str:
    """The page of a game, or the one that shows them all."""
    if game is None:
        return "/"
    if games.find(game) is None:
        raise GameNotFoundError(f"there is no bundled game called {game!r}; `ludens games` lists them")
    return f"/play/{games.info(game).name}"


@contextmanager
def quick_imports() -> Iterator[None]:
    """Load modules without those that nobody needs, and without looking for garbage meanwhile."""
    hidden = [name for name in UNUSED if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
        for name in hidden:
            del sys.modules[name]
