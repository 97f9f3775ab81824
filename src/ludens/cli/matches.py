"""`ludens matches`, `ludens export` and `ludens import`: the matches in a store."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from ludens.arena.records import Record, game_of
from ludens.arena.store import Store
from ludens.arena.summaries import StoredMatch
from ludens.cli.arguments import AsJson
from ludens.cli.common import ExitCode, output, print_error, print_json
from ludens.cli.files import STANDARD_INPUT, print_text, replace_file
from ludens.cli.stores import StorePath, moment_text, open_store, read_record
from ludens.errors import LudensError, RecordError, StoreError
from ludens.game import Game, load
from ludens.gdl.keywords import CHANCE
from ludens.printable import shown

SHOWN = 50
WIDEST = 10_000
"""As wide as a table may be while it is measured."""


def matches(
    store: StorePath = None,
    game: Annotated[str | None, typer.Option("--game", metavar="GAME", help="Only matches of this game.")] = None,
    player: Annotated[str | None, typer.Option("--player", metavar="NAME", help="Only those it took part in.")] = None,
    tournament: Annotated[
        str | None, typer.Option("--tournament", metavar="NAME", help="Only matches of this tournament.")
    ] = None,
    status: Annotated[
        str | None, typer.Option("--status", help="Only those that are completed, aborted, or still playing.")
    ] = None,
    last: Annotated[int, typer.Option("--last", metavar="N", min=1, help="Only the last N of them.")] = SHOWN,
    as_json: AsJson = False,
) -> None:
    """List the matches in the store, the latest last; `ludens replay MATCH` shows one."""
    with open_store(store) as opened:
        found = opened.matches(game=game, player=player, tournament=tournament, status=status, limit=last + 1)
    if as_json:
        print_json([_document(match) for match in found[-last:]])
        return
    _list(found[-last:])
    more = "; there are more, --last shows them" if len(found) > last else ""
    output.print(f"\n{_count(len(found[-last:]), 'match', 'matches')}{more}")


def export(
    names: Annotated[list[str] | None, typer.Argument(metavar="MATCH", help="The ids of the matches.")] = None,
    store: StorePath = None,
    everything: Annotated[bool, typer.Option("--all", help="All matches of the store.")] = False,
    target: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="PATH", help="A file for one match, a folder for several; else standard output."
        ),
    ] = None,
) -> None:
    """Write matches of the store as JSON, in the match format of ggp.org.

    ludens export --all -o records
    """
    if bool(names) == everything:
        raise typer.BadParameter("name the matches to export, or use --all")
    with open_store(store) as opened:
        wanted = [match.match_id for match in opened.matches()] if everything else list(dict.fromkeys(names or []))
        if target is None or (len(wanted) == 1 and not everything and not target.is_dir()):
            _export_to_file(opened, wanted, target)
        else:
            _export_to_folder(opened, wanted, target)


def import_matches(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Records in JSON, of ludens or other servers.")],
    store: StorePath = None,
    game: Annotated[
        str | None,
        typer.Option("--game", metavar="GAME", help="What was played, whatever the records say: a name or a sheet."),
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify/--no-verify", help="Check each match against the rules of its game.")
    ] = True,
) -> None:
    """Put records into the store; those that are wrong are named, and the others go in.

    ludens import records/*.json
    """
    if game is not None and not verify:
        raise typer.BadParameter("--game says by which rules to check, --no-verify not to; use one of them")
    given = None if game is None else load(game)
    taken = 0
    with open_store(store, create=True) as opened:
        for file in files:
            try:
                opened.add(*_checked(file, given, verify))
                taken += 1
            except (LudensError, OSError) as error:
                print_error(error if str(file) in str(error) else RecordError(f"{file}: {error}"))
        output.print(f"{taken} of {len(files)} imported into {opened.path}", markup=False)
    if taken < len(files):
        raise typer.Exit(ExitCode.FAULT)


def _checked(file: Path, given: Game | None, verify: bool) -> tuple[Record, Game | None]:
    """The record in a file and its game; RecordError for a match that the rules do not allow."""
    record = read_record(file)
    if not verify:
        return record, None
    game = given or game_of(record)
    if game is None:
        raise RecordError("the record does not say by which rules it was played; use --game, or --no-verify")
    for _ in record.replay(game):
        pass
    return record, game


def _export_to_file(store: Store, names: list[str], target: Path | None) -> None:
    if len(names) != 1:
        raise typer.BadParameter("several matches go into a folder; name one with -o")
    text = _record_text(store, names[0])
    if target is None or str(target) == STANDARD_INPUT:
        print_text(text)
    else:
        replace_file(target, text.encode())


def _export_to_folder(store: Store, names: list[str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    used: set[str] = set()
    damaged = 0
    for name in names:
        try:
            text = _record_text(store, name)
        except StoreError as error:
            print_error(error)
            damaged += 1
            continue
        plain = re.sub(r"[^\w.+-]|^\.", "_", name)
        free = next(each for each in (plain, *(f"{plain}.{n}" for n in range(2, len(names) + 2))) if each not in used)
        used.add(free)
        replace_file(folder / f"{free}.json", text.encode())
    output.print(f"{len(names) - damaged} exported to {folder}", markup=False)
    if damaged:
        raise typer.Exit(ExitCode.FAULT)


def _record_text(store: Store, name: str) -> str:
    return json.dumps(store.record(name).to_json(), indent=1) + "\n"


def _list(found: Sequence[StoredMatch]) -> None:
    """A table, or two lines for each match where the lines are too short for that."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("match", "game", "players", "turns", "faults", "began"):
        table.add_column(heading, justify="right" if heading in ("turns", "faults") else "left", no_wrap=True)
    for match in found:
        faults = f"[yellow]{match.faults}[/yellow]" if match.faults else ""
        words = (shown(match.match_id), _game_text(match), _players_text(match), str(match.turns))
        table.add_row(*map(escape, words), faults, moment_text(match.start_time))
    if output.measure(table, options=output.options.update(max_width=WIDEST)).maximum <= output.width:
        output.print(table)
        return
    for match in found:
        faults = f", [yellow]{_count(match.faults, 'fault')}[/yellow]" if match.faults else ""
        began = f"  {moment_text(match.start_time)}" if match.start_time else ""
        output.print(f"[bold]{escape(shown(match.match_id))}[/bold]{began}")
        played = f"{_game_text(match)}, {_count(match.turns, 'turn')}"
        output.print(f"  {escape(played)}{faults}: {escape(_players_text(match))}", soft_wrap=False)


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def _game_text(match: StoredMatch) -> str:
    return shown(match.game) or "?"


def _players_text(match: StoredMatch) -> str:
    """The players with what they got, or why there is no result."""
    if match.status != "completed":
        return f"{', '.join(name for name, _ in _seated(match)) or '?'} ({match.status})"
    return ", ".join(f"{name} {'?' if goal is None else goal}" for name, goal in _seated(match))


def _seated(match: StoredMatch) -> list[tuple[str, int | None]]:
    """Players and goals without those of chance."""
    seats = zip(match.roles, match.players, match.goals, strict=True)
    return [(shown(name or "?"), goal) for role, name, goal in seats if (role or "").lower() != CHANCE]


def _document(match: StoredMatch) -> dict[str, object]:
    return {
        "match": match.match_id,
        "game": match.game or None,
        "roles": list(match.roles),
        "players": list(match.players),
        "goals": list(match.goals),
        "status": match.status,
        "startTime": match.start_time or None,
        "turns": match.turns,
        "faults": match.faults,
        "tournament": match.tournament,
        "job": match.job,
    }
