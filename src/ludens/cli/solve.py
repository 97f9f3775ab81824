"""`ludens solve`: the exact value of a game, by looking at all that can happen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from ludens.cli.after import state_after
from ludens.cli.arguments import AfterMoves, AsJson, GameName, SheetSyntax
from ludens.cli.common import ExitCode, errors, output, print_json
from ludens.cli.wording import board, joint_text, short
from ludens.core import Move, Role
from ludens.game import Game, State, load
from ludens.search.solve import MoveValue, Progress, Solution, SolveLimits, prepare, solve

MEGABYTE = 2**20
NO_VALUE = (
    "this game has no one value: sides choose at the same time, or play in circles, and what one wins is not what "
    "the other loses"
)
FOR_EVER = "nobody can force an end: play can go on for ever"


def solve_game(
    game: GameName,
    after: AfterMoves = None,
    every: Annotated[bool, typer.Option("--all", help="List what each first move is worth.")] = False,
    seconds: Annotated[
        float, typer.Option(metavar="S", min=0.01, help="Give up after S seconds, compiling included.")
    ] = 60.0,
    states: Annotated[
        int, typer.Option(metavar="N", min=1, help="Give up after N states, alpha-beta included.")
    ] = 50_000_000,
    memory: Annotated[int, typer.Option(metavar="MB", min=1, help="Give up beyond MB megabytes.")] = 2048,
    syntax: SheetSyntax = "auto",
    as_json: AsJson = False,
) -> None:
    """Solve GAME: what everybody gets with best play, in how many moves, and how; for a puzzle the shortest solution.

    All states that play can reach are searched, so only small games and endgames can be solved. The result is exact
    for puzzles, for two sides where one wins what the other loses, with chance and with moves at the same time, and
    for more sides that take turns. When all states take too much memory, or more than half of the time, alpha-beta
    tries to prove the value within the same limits, but only for two sides where one wins what the other loses.
    Ctrl-C stops.
    """
    loaded = load(game, syntax=syntax)
    start = state_after(loaded, after or [])
    limits = SolveLimits(seconds, states, memory * MEGABYTE)
    solution = _solve(start, limits, every)
    if solution is None:
        raise typer.Exit(ExitCode.INTERRUPTED)
    if as_json:
        print_json(_document(loaded, solution, every))
    else:
        _print(start, solution, limits, every)
    if solution.outcome == "unsolved":
        raise typer.Exit(ExitCode.FAULT)


def _solve(start: State, limits: SolveLimits, every: bool) -> Solution | None:
    """None if the user stopped it."""
    last = Progress("", 0, 0, 0.0)
    with errors.status("preparing machine code") as status:

        def show(progress: Progress) -> None:
            nonlocal last
            last = progress
            speed = progress.states / max(progress.seconds, 1e-3)
            counted = f": {progress.states:,} states, depth {progress.depth}, {speed:,.0f} states/s"
            status.update(escape(progress.phase) + (counted if progress.states else ""))

        try:
            prepare()  # before the clock starts
            return solve(start, limits, show, all_moves=every)
        except KeyboardInterrupt:
            pass
    errors.print(f"stopped after {last.states:,} states and {last.seconds:.1f} s", style="yellow")
    return None


# -- what is printed -------------------------------------------------------------------------


def _print(start: State, solution: Solution, limits: SolveLimits, every: bool) -> None:
    output.print(f"[bold]{escape(start.game.name)}[/bold]: {escape(_verdict(start, solution, limits))}")
    if solution.several:
        output.print("this is one equilibrium: where moves are equal for who chooses, others may get more or less")
    if solution.pv:
        _print_line(start, solution)
    if every and solution.moves:
        output.print()
        output.print(_move_table(solution.moves))
    if every and solution.method == "alpha-beta":
        output.print("\nalpha-beta does not tell what each first move is worth", style="dim")
    if solution.states:
        how = "" if solution.method == "none" else f", by {solution.method}"
        extent = f"{solution.states:,} states, none more than {solution.depth} joint moves from the start"
        output.print(f"\n{extent}, in {solution.seconds:.2f} s{how}", style="dim")


def _verdict(start: State, solution: Solution, limits: SolveLimits) -> str:
    """What comes out, in words."""
    if solution.outcome == "unsolved":
        bound = {
            "seconds": f"{limits.seconds:g} seconds",
            "states": f"{limits.states:,} states",
            "memory": f"{limits.memory // MEGABYTE:,} megabytes",
        }[solution.limit or "seconds"]
        failed = "solved" if solution.states else "compiled"
        return f"not {failed} within {bound}; raise --{solution.limit}"
    if solution.outcome == "undefined":
        return NO_VALUE
    if solution.outcome == "endless":
        return FOR_EVER
    known = {role: value for role, value in solution.values.items() if value is not None}
    length = _length(solution.distance)
    points = ", ".join(f"{role} {value:.4g}" for role, value in known.items())
    if len(solution.values) == 1:
        return f"{points} of 100 points{length}"
    best = max(known.values())
    winners = [role for role, value in known.items() if value == best]
    if not _end(start, solution).is_terminal:
        return f"on average with best play {points}{length}"
    if len(winners) == len(known):
        return f"a draw with best play ({points}){length}"
    return f"{' and '.join(winners)} {'wins' if len(winners) == 1 else 'win'}{length} ({points})"


def _length(distance: float | None) -> str:
    if distance is None:
        return ""
    about = "" if distance == int(distance) else "about "
    return f" in {about}{distance:.4g} {'move' if distance == 1 else 'moves'}"


def _end(start: State, solution: Solution) -> State:
    """Where the line leads."""
    state = start
    for joint in solution.pv:
        state = state.next(joint)
    return state


def _print_line(start: State, solution: Solution) -> None:
    state = start
    output.print()
    for number, joint in enumerate(solution.pv, 1):
        output.print(f"{number:>3}. {joint_text(state, joint)}", markup=False)
        state = state.next(joint)
    output.print()
    output.print(board(state))
    if not state.is_terminal:
        output.print("from here chance or a mixed strategy decides", style="dim")


def _move_table(moves: tuple[MoveValue, ...]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    roles = list(moves[0].values)
    for heading in ("role", "move"):
        table.add_column(heading)
    for heading in (*(f"for {role}" for role in roles), "moves to the end", "how often"):
        table.add_column(escape(heading), justify="right")
    for move in moves:
        table.add_row(
            escape(move.role),
            escape(short(move.move)),
            *("-" if value is None else f"{value:.6g}" for value in move.values.values()),
            "-" if move.distance is None else f"{move.distance:.4g}",
            "-" if move.probability is None else f"{move.probability:.1%}",
        )
    return table


def _document(game: Game, solution: Solution, every: bool) -> dict[str, object]:
    document = asdict(solution) | {"game": game.name, "pv": [_names(joint) for joint in solution.pv]}
    document["values"] = dict(solution.values)
    document["moves"] = [asdict(move) for move in solution.moves] if every else []
    return document


def _names(joint: Mapping[Role, Move]) -> dict[str, str]:
    return {str(role): str(move) for role, move in joint.items()}
