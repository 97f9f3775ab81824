"""`ludens workers`: computers that search together, and what they are thinking of."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from ludens.cli.arguments import AsJson
from ludens.cli.common import errors, interrupt_by_signals, output, print_json
from ludens.cluster.connect import (
    LAST_PORT,
    LOOPBACK,
    VARIABLE,
    ClusterMonitor,
    cluster_address,
    ray_environment,
    require_answer,
    require_ray,
)
from ludens.errors import ClusterError
from ludens.runtime.cores import available_cores
from ludens.runtime.lazy import load_object

if TYPE_CHECKING:
    from ludens.cluster.activity import Activity
    from ludens.cluster.node import Computer

REFRESH_SECONDS = 0.5
PORT = 6379
JOIN_SECONDS = 30.0
"""So long somebody waits who only wants to look at a cluster."""

workers = typer.Typer(
    add_completion=False,
    name="workers",
    help="Let several computers search together for the players kuhlmann and uct, using Ray.",
    no_args_is_help=True,
)

Address = Annotated[
    str | None,
    typer.Option(
        metavar="HOST:PORT",
        show_default=f"what {VARIABLE} says, or else {LOOPBACK}:{PORT}",
        help="Where the cluster is.",
    ),
]
HeadAddress = Annotated[
    str | None, typer.Option(metavar="HOST:PORT", help="Join the cluster that is there instead of beginning one.")
]
Count = Annotated[
    int | None, typer.Option(metavar="N", min=0, max=256, help="How many workers run here; by default one a core.")
]
Host = Annotated[
    str | None,
    typer.Option(
        metavar="HOST",
        show_default=f"{LOOPBACK}, where nobody else can join",
        help="This computer, as the others of the cluster know it.",
    ),
]


@workers.command()
def start(
    count: Count = None,
    address: HeadAddress = None,
    host: Host = None,
    port: Annotated[
        int | None,
        typer.Option(metavar="PORT", min=1, max=LAST_PORT, show_default=str(PORT), help="The port of a new cluster."),
    ] = None,
) -> None:
    """Have this computer search for players until Ctrl-C or `ludens workers stop`, and show what it does.

    The first one begins a cluster, others join it by its address, and with the token of Ray (`ray get-auth-token`).
    All who have it can run code on all computers of the cluster.
    """
    if address and port:
        raise typer.BadParameter("--port is for a new cluster, --address joins one; use one of them")
    _prepare(address or f"{host or LOOPBACK}:{port or PORT}")
    places = len(available_cores()) if count is None else count
    interrupt_by_signals()
    with output.status("Ray gets ready"):
        node = _ray("node:Node")(places, address, host, port or PORT)
    interrupt_by_signals()  # Ray takes them for itself
    try:
        output.print(f"{_number(places, 'worker')} at [bold]{escape(node.address)}[/bold]")
        output.print(f"players use them with {VARIABLE}={escape(node.address)}", style="dim")
        _watch(lambda: not node.is_over)
    except KeyboardInterrupt:
        output.print("the workers here end")
    finally:
        node.close()


@workers.command(name="list")
def list_workers(
    address: Address = None,
    watch: Annotated[bool, typer.Option("--watch", help="Go on showing it, until Ctrl-C.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the computers of a cluster, and which worker tries which heuristic and proposes what."""
    if watch and (as_json or not output.is_terminal):
        raise typer.BadParameter("--watch needs a terminal and goes without --json; leave it out", param_hint="--watch")
    where = _join(address)
    found, silent = _ray("node:computers")()
    if as_json:
        print_json({"computers": [_computer_json(one) for one in found], "workers": _json(_activities())})
    else:
        for one in found:
            output.print(f"{escape(one.host)} is good for {_number(one.places, 'worker')}")
        if not watch:
            output.print(_picture(_activities()))
    _tell_silent(silent)
    if watch:
        _watch_until_it_is_gone(where)


@workers.command()
def stop(address: Address = None) -> None:
    """Have all computers leave a cluster that joined it by `ludens workers start`; it ends with the first of them."""
    _join(address)
    heard, silent = _ray("node:send_away")()
    output.print(f"asked {_number(heard, 'computer')} to leave")
    _tell_silent(silent)


def _tell_silent(silent: list[str]) -> None:
    for name in silent:
        errors.print(f"{escape(name)} does not answer; try again, or end it there")


def _prepare(address: str) -> None:
    """Make this process, which does nothing else, one of Ray's; before that is imported."""
    require_ray()
    os.environ.update(ray_environment(address))


def _ray(name: str) -> Any:
    """Return what a module of `ludens.cluster` has that imports Ray; only after `_prepare`."""
    return load_object(f"ludens.cluster.{name}")


def _activities(*seconds: float) -> list[Activity]:
    found: list[Activity] = _ray("on_ray:activities")(*seconds)
    return found


def _join(address: str | None) -> str:
    """Become part of a cluster; its address."""
    where = address or cluster_address() or f"{LOOPBACK}:{PORT}"
    _prepare(where)
    require_answer(where)
    _ray("on_ray:connect")(where, JOIN_SECONDS)
    return where


def _watch_until_it_is_gone(address: str) -> None:
    monitor = ClusterMonitor(address)

    def goes_on() -> bool:
        monitor.check()
        return True

    _watch(goes_on)


def _watch(goes_on: Callable[[], bool]) -> None:
    """Show what workers do, as long as it goes on; nothing where nobody looks."""
    if not output.is_terminal:
        while goes_on():
            time.sleep(REFRESH_SECONDS)
        return
    with Live(console=output, auto_refresh=False) as picture:
        while goes_on():
            with suppress(ClusterError):  # it may answer again
                picture.update(_picture(_activities(REFRESH_SECONDS)), refresh=True)
            time.sleep(REFRESH_SECONDS)


def _picture(found: list[Activity]) -> Table | str:
    if not found:
        return "nobody searches at the moment"
    table = Table("worker", "for", "tries", "proposes", "value", "depth", box=None, header_style="bold")
    for one in found:
        best = one.suggestion
        proposed = (str(best.move), f"{best.value:.0f}" + ("!" if best.proven else ""), str(best.depth)) if best else ()
        style = "" if one.is_searching else "dim"
        words = (f"{one.host}:{one.pid}", one.role or "nobody yet", one.idea or "", *proposed)
        table.add_row(*map(escape, words), style=style)
    return table


def _computer_json(computer: Computer) -> dict[str, object]:
    return {"host": computer.host, "workers": computer.places}


def _json(found: list[Activity]) -> list[dict[str, object]]:
    return [
        {
            "host": one.host,
            "pid": one.pid,
            "role": one.role,
            "idea": one.idea,
            "searching": one.is_searching,
            "move": one.suggestion and str(one.suggestion.move),
            "value": one.suggestion and one.suggestion.value,
            "proven": one.suggestion and one.suggestion.proven,
            "depth": one.suggestion and one.suggestion.depth,
        }
        for one in found
    ]


def _number(count: int, what: str) -> str:
    return f"{count} {what}" + ("" if count == 1 else "s")
