"""`ludens host`: referee matches between players, wherever they are."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryFile
from types import MappingProxyType
from typing import Annotated

import typer

from ludens.arena.journals import Journal, Journals, RecordFile
from ludens.arena.records import Record, new_match_id
from ludens.arena.result import SEED_BITS, MatchSettings, check_seats
from ludens.arena.seats.make import HUMAN
from ludens.arena.store import Store
from ludens.cli.arguments import PLAYER_NAMES, GameName, MaxSteps, SheetSyntax
from ludens.cli.common import ExitCode
from ludens.cli.hosting import Hosted, Hosting
from ludens.cli.spectator import SEEDED_NODES
from ludens.cli.stores import StorePath, open_store, read_record
from ludens.core import Clocks
from ludens.errors import PlayError
from ludens.game import Game, load

LONGEST = 10_000
JSON = ".json"
KEPT = MappingProxyType(
    {
        "start": "--start",
        "play": "--play",
        "scramble": "--scramble",
        "forfeit": "--forfeit",
        "seed": "--seed",
        "matches": "--matches",
        "name": "--id",
    }
)
"""Options that a match keeps for good."""


def host(
    context: typer.Context,
    game: GameName,
    seats: Annotated[
        list[str],
        typer.Argument(
            metavar="SEAT",
            help="Who plays, in the order of the roles: the address of a player (http://127.0.0.1:9147), the name of "
            f"a player ({PLAYER_NAMES}), one in a process of its own (process:uct), or human.",
        ),
    ],
    start: Annotated[float, typer.Option(metavar="S", min=0.1, help="The start clock in seconds.")] = 30.0,
    play: Annotated[float, typer.Option(metavar="S", min=0.1, help="The play clock in seconds.")] = 10.0,
    scramble: Annotated[
        bool, typer.Option("--scramble", help="Give each player the rules in made-up words of its own.")
    ] = False,
    forfeit: Annotated[
        bool, typer.Option("--forfeit", help="Who moves late or against the rules loses; else a random move is made.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option(min=0, help="For chance and scrambling; our players then search without the clock.")
    ] = None,
    matches: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="How many matches to play at once.")] = 1,
    info: Annotated[
        bool, typer.Option("--info/--no-info", help="Ask the players first who they are and whether they are free.")
    ] = True,
    wait: Annotated[
        float, typer.Option(metavar="S", min=0.0, help="Wait up to S seconds for players that are busy.")
    ] = 0.0,
    name: Annotated[str | None, typer.Option("--id", metavar="ID", help="What the match is called.")] = None,
    record: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write each match to DIR as JSON, too, as it goes.")
    ] = None,
    store: StorePath = None,
    resume: Annotated[
        str | None,
        typer.Option(metavar="ID|FILE", help="Go on with a match that was broken off: its id, or its record in JSON."),
    ] = None,
    max_steps: MaxSteps = LONGEST,
    boards: Annotated[bool, typer.Option("--boards/--no-boards", help="Draw the board after each move.")] = True,
    syntax: SheetSyntax = "auto",
) -> None:
    """Referee a match of GAME between players, over the network or here, and show it as it goes.

    Matches are kept in the store move by move: `ludens replay ID` shows them again.

    ludens host tictactoe http://127.0.0.1:9147 uct --start 30 --play 10
    """
    loaded = load(game, syntax=syntax)
    check_seats(loaded, len(seats))
    people = seats.count(HUMAN)
    if people and matches > 1:
        raise PlayError("a person plays one match at a time; leave out --matches")
    if not math.isfinite(start + play):
        raise PlayError("a clock has to end; give --start and --play in seconds")
    given = {name for name in (*KEPT, "max_steps") if _is_given(context, name)}
    with open_store(store, create=resume is None or resume.endswith(JSON)) as opened:
        begun: Record | None = None
        if resume is not None:
            begun = _begun(resume, loaded, opened)
            settings = _kept_settings(begun, given, max_steps)
        else:
            settings = MatchSettings(
                name or new_match_id(loaded.name),
                Clocks(start, play),
                Random().getrandbits(SEED_BITS) if seed is None else seed,
                scramble,
                "forfeit" if forfeit else "random",
                max_steps,
                nodes=None if seed is None else SEEDED_NODES,
            )
        settings = replace(settings, wait=wait if info else None, one_by_one=settings.one_by_one or people > 1)
        planned = _numbered(settings, matches)
        _check_places((each.match_id for each in planned), record, opened, is_new=begun is None)
        hosted = [Hosted(each, _journal(each.match_id, record, opened), begun) for each in planned]
        hosting = Hosting(loaded, seats, hosted, boards=boards)
        try:
            ended = hosting.run()
        except KeyboardInterrupt:
            hosting.say_interrupted()
            sys.exit(ExitCode.INTERRUPTED)
    if not ended:
        raise typer.Exit(ExitCode.FAULT)


def _is_given(context: typer.Context, parameter: str) -> bool:
    source = context.get_parameter_source(parameter)
    return source is not None and source.name == "COMMANDLINE"


def _kept_settings(record: Record, given: set[str], max_steps: int) -> MatchSettings:
    """The settings with which a match goes on: those it began with, but for how long it may get."""
    refused = [option for name, option in KEPT.items() if name in given]
    if refused:
        raise PlayError(f"a match goes on with the settings that it began with; leave out {', '.join(refused)}")
    settings = MatchSettings.of_record(record)
    if "max_steps" in given:
        settings = replace(settings, max_steps=max_steps)
    if record.turns >= settings.max_steps and not record.is_completed:
        raise PlayError(f"{record.match_id} has {record.turns} moves, as many as it may; give more with --max-steps")
    return settings


def _numbered(settings: MatchSettings, matches: int) -> list[MatchSettings]:
    """The settings of several matches: each has its own name and seed."""
    if matches == 1:
        return [settings]
    return [
        replace(settings, match_id=f"{settings.match_id}.{number}", seed=settings.seed + number)
        for number in range(1, matches + 1)
    ]


def _check_places(ids: Iterable[str], folder: Path | None, store: Store, *, is_new: bool) -> None:
    """PlayError if matches cannot be written down where they should, before anybody is asked to play."""
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with TemporaryFile(dir=folder):
                pass
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise PlayError(
                f"no records can be written to {folder}: {why}; name another folder with --record"
            ) from None
    for match_id in ids if is_new else ():
        if match_id in store:
            remedy = f"give another --id, or go on with it: --resume {match_id}"
            raise PlayError(f"there is a match {match_id} already in {store.path}; {remedy}")
        if folder is not None and (path := folder / f"{match_id}{JSON}").exists():
            raise PlayError(f"there is a record {path} already; give another --id, or move it away")


def _begun(resume: str, game: Game, store: Store) -> Record:
    """The record of the match that is to go on."""
    record = read_record(Path(resume)) if resume.endswith(JSON) else store.record(resume)
    if record.game_digest and record.game_digest != game.rules.digest:
        raise PlayError(f"{record.match_id} is a match of {record.game_name or 'another game'}, not of {game.name}")
    return record


def _journal(match_id: str, folder: Path | None, store: Store) -> Journal:
    return store if folder is None else Journals([store, RecordFile(folder / f"{match_id}{JSON}")])
