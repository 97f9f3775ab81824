"""The command line as a whole: which commands there are, and what happens to errors."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

import ludens
from ludens.cli.analyze import analyze
from ludens.cli.check import check
from ludens.cli.common import ExitCode, print_error
from ludens.cli.compile import compile_game
from ludens.cli.convert import convert
from ludens.cli.draw import draw
from ludens.cli.explain import explain_state
from ludens.cli.format import format_sheets
from ludens.cli.games import games
from ludens.cli.host import host
from ludens.cli.match import match
from ludens.cli.matches import export, import_matches, matches
from ludens.cli.perft import perft
from ludens.cli.play import play
from ludens.cli.replay import replay
from ludens.cli.serve import serve
from ludens.cli.show import show
from ludens.cli.simulate import simulate
from ludens.cli.solve import solve_game
from ludens.cli.tournament import tournament
from ludens.cli.web import web
from ludens.cli.workers import workers
from ludens.errors import LudensError

app = typer.Typer(
    name="ludens",
    help="Read, check, simulate and play any game from its rules in the Game Description Language.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(check)
app.command(name="format")(format_sheets)
app.command()(convert)
app.command()(games)
app.command()(show)
app.command()(draw)
app.command()(play)
app.command()(match)
app.command()(serve)
app.command()(host)
app.command()(analyze)
app.command(name="explain")(explain_state)
app.command()(perft)
app.command()(simulate)
app.command(name="compile")(compile_game)
app.command(name="solve")(solve_game)
app.command()(replay)
app.command()(matches)
app.command()(export)
app.command(name="import")(import_matches)
app.command()(tournament)
app.command()(web)
app.add_typer(workers)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ludens {ludens.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line; a user's mistake gives a message and an exit code, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except LudensError as error:
        print_error(error)
        sys.exit(ExitCode.FAULT)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            sys.stderr.close()
            sys.exit(ExitCode.OK)
        print_error(error)
        sys.exit(ExitCode.FAULT)
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)
