"""`ludens replay`: a recorded match, move by move."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from ludens.arena.records import Record, game_from, game_of
from ludens.cli.common import output
from ludens.cli.stores import StorePath, error_text, moment_text, open_store, read_record
from ludens.cli.wording import board, joint_text, result_text, short
from ludens.errors import RecordError
from ludens.game import Game, State, load
from ludens.printable import shown


def replay(
    match: Annotated[
        str, typer.Argument(metavar="FILE|MATCH", help="A record in JSON, or the id of a match in the store.")
    ],
    store: StorePath = None,
    game: Annotated[
        str | None,
        typer.Option("--game", metavar="GAME", help="What was played, whatever the record says: a name or a sheet."),
    ] = None,
    step: Annotated[bool, typer.Option("--step", help="Wait for Enter after each move; q leaves.")] = False,
    turn: Annotated[
        int | None, typer.Option("--turn", metavar="N", min=0, help="Show only turn N; 0 is the first state.")
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Show nothing, only check that the match follows the rules.")
    ] = False,
    boards: Annotated[bool, typer.Option("--boards/--no-boards", help="Draw the board after each move.")] = True,
) -> None:
    """Show a recorded match move by move, and check it against the rules.

    ludens replay match.json --step
    """
    record, played = _find(match, store, game)
    if played is None:
        raise RecordError(f"{match} does not say by which rules it was played; name the game with --game")
    if turn is not None and turn > record.turns:
        raise RecordError(f"the match has {record.turns} turns; there is no turn {turn}")
    if verify:
        states = sum(1 for _ in record.replay(played))
        output.print(f"{match}: {states - 1} turns, all by the rules of {played.name}", markup=False)
        return
    _show(record, played, boards, step, turn)


def _find(match: str, store: Path | None, game: str | None) -> tuple[Record, Game | None]:
    """The record, and the game that is named or that it tells."""
    path, rules = Path(match), None
    if path.is_file() or path.suffix == ".json":
        record = read_record(path)
    else:
        with open_store(store) as opened:
            record, rules = opened.record(match), opened.rules(match)
    if game is not None:
        return record, load(game)
    return record, game_of(record) if rules is None else game_from(rules[1], rules[0])


def _show(record: Record, game: Game, boards: bool, step: bool, turn: int | None) -> None:
    _show_heading(record, game)
    before: State | None = None
    for number, state in enumerate(record.replay(game)):
        if turn in (None, number):
            _show_turn(record, game, number, before, state, boards)
            if step and number < record.turns and not _goes_on():
                return
        before = state
    if turn is None and before is not None:
        if not boards:
            output.print()
            output.print(board(before))
        output.print(f"\n[bold green]{escape(_end_text(record, game))}[/bold green]")


def _show_heading(record: Record, game: Game) -> None:
    names = zip_longest(game.rule_roles, record.player_names or (), fillvalue="")
    players = ", ".join(f"{role} is {shown(name) or 'somebody'}" for role, name in names if role in game.player_roles)
    output.print(f"[bold]{escape(shown(record.match_id))}[/bold]: {escape(game.name)}, {escape(players)}")
    clocks = f"start clock {record.clocks.start:g} s, play clock {record.clocks.play:g} s"
    begin = f"{moment_text(record.start_time)}, " if record.start_time else ""
    output.print(f"[dim]{begin}{clocks}{', scrambled' if record.scrambled else ''}[/dim]")


def _show_turn(record: Record, game: Game, number: int, before: State | None, state: State, boards: bool) -> None:
    """A move, what went wrong with it, and the state it led to; turn 0 is the beginning."""
    errors = record.errors[number] if number < len(record.errors) else [""] * len(game.rule_roles)
    failed = [(role, shown(code)) for role, code in zip(game.rule_roles, errors, strict=True) if code]
    if before is None:
        lines = [f"before the first move {role} {error_text(code)}" for role, code in failed]
    else:
        joint = record.joint(game, number - 1)
        output.print(f"\n[bold]{number}.[/bold] {escape(joint_text(before, joint))}")
        lines = [f"   {role} {error_text(code)}; {short(joint[role])} was made in its place" for role, code in failed]
    for line in lines:
        output.print(line, style="yellow", markup=False)
    if boards:
        output.print("\n" if before is None else "", end="")
        output.print(board(state))


def _goes_on() -> bool:
    try:
        return output.input("[dim]Enter goes on, q leaves> [/dim]").strip().lower() not in ("q", "quit", "exit")
    except EOFError:
        return False


def _end_text(record: Record, game: Game) -> str:
    if record.goal_values is not None:
        goals = dict(zip(game.rule_roles, record.goal_values, strict=True))
        return result_text({role: None if value < 0 else value for role, value in goals.items()})
    return "the match was broken off" if record.is_aborted else "the match is not over yet"
