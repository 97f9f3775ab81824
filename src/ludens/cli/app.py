"""The command line as a whole: which commands there are, and what happens to errors.

A command is imported when it is called: each needs only a part of ludens, and all of it would take a second.
"""

from __future__ import annotations

import io
import sys
from functools import cache
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

import ludens
from ludens.cli.common import ExitCode, print_error
from ludens.errors import LudensError
from ludens.runtime.lazy import load_object

COMMANDS = {
    "check": (
        "check:check",
        "Check rule sheets: what breaks the language, what looks odd, and (with --play) how the games turn out.",
    ),
    "format": ("format:format_sheets", "Indent rule sheets afresh and print them; every comment stays."),
    "convert": ("convert:convert", "Write a rule sheet in the other syntax: prefix (KIF) or infix."),
    "games": (
        "games:games",
        "List the bundled games; `ludens show NAME` tells more about one, `ludens play NAME` plays it.",
    ),
    "show": (
        "show:show",
        "Show GAME: its roles, its size, its kind, how wide and long it is, and the board at the start.",
    ),
    "draw": (
        "draw:draw",
        "Draw the first state of GAME, or a state after some moves: in the terminal, or as a file.",
    ),
    "play": (
        "play:play",
        "Play GAME against the machine; without a terminal, or with --watch, see a match between machines.",
    ),
    "match": (
        "match:match",
        "Let players play GAME against each other, and see what they expect, and which line of play.",
    ),
    "serve": ("serve:serve", "Let a player take part in matches over the network, until Ctrl-C."),
    "host": (
        "host:host",
        "Referee a match of GAME between players, over the network or here, and show it as it goes.",
    ),
    "analyze": (
        "analyze:analyze",
        "Analyze GAME: its boards, pieces, quantities, turns, relations and symmetries.",
    ),
    "explain": (
        "explain:explain_state",
        "Explain what the first state of GAME is worth, or a state after some moves.",
    ),
    "perft": ("perft:perft", "Count all ways to play GAME from its start, to a depth of DEPTH joint moves."),
    "simulate": (
        "simulate:simulate",
        "Play GAME at random many times: who wins, with which goals, after how many moves.",
    ),
    "compile": ("compile:compile_game", "Compile GAME to a C library that any program can use."),
    "solve": (
        "solve:solve_game",
        "Solve GAME: what everybody gets with best play, in how many moves, and how; for a puzzle the shortest "
        "solution.",
    ),
    "replay": ("replay:replay", "Show a recorded match move by move, and check it against the rules."),
    "matches": (
        "matches:matches",
        "List the matches in the store, the latest last; `ludens replay MATCH` shows one.",
    ),
    "export": ("matches:export", "Write matches of the store as JSON, in the match format of ggp.org."),
    "import": (
        "matches:import_matches",
        "Put records into the store; those that are wrong are named, and the others go in.",
    ),
    "tournament": ("tournament:tournament", "Play all matches of PLAN and show who did how well."),
    "web": ("web:web", "Play, watch and write games in the browser, until Ctrl-C."),
    "workers": (
        "workers:workers",
        "Let several computers search together for the players kuhlmann and uct, using Ray.",
    ),
}
"""The function or group of each command in this package, and the first sentence of its help."""


@cache
def load_command(name: str) -> Any:
    """Import a command, with its options."""
    found = load_object(f"ludens.cli.{COMMANDS[name][0]}")
    if not isinstance(found, typer.Typer):
        alone = typer.Typer(rich_markup_mode="rich", add_completion=False)
        alone.command(name=name)(found)
        found = alone
    return typer.main.get_command(found)


class LazyCommands(TyperGroup):
    """Lists commands by the table alone; the one that is called is loaded."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = {
            name: TyperCommand(name, help=text, rich_markup_mode="rich") for name, (_, text) in COMMANDS.items()
        }

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return name, command and load_command(str(command.name)), rest


app = typer.Typer(
    cls=LazyCommands,
    name="ludens",
    help="Read, check, simulate and play any game from its rules in the Game Description Language.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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
        app(prog_name="ludens")
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
