"""`ludens simulate`: play at random many times, and tell how the games end."""

from __future__ import annotations

import time
from random import Random
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from ludens.analysis.outcomes import Outcomes, RoleOutcomes
from ludens.analysis.sampling import Spread
from ludens.cli.arguments import AsJson, GameName, MaxSteps, SheetSyntax
from ludens.cli.common import ExitCode, errors, output, print_json
from ludens.game import MAX_REFERENCE_PLAYOUTS, Game, load

BATCH, COMPILED_BATCH = 10, 1 << 17
"""Games between two looks at the progress bar; fixed, so that a seed gives the same games everywhere."""
MAX_STEPS = 1_000


def simulate(
    game: GameName,
    count: Annotated[int, typer.Option("-n", "--count", metavar="N", min=1, help="How many games to play.")] = 1_000,
    seed: Annotated[int | None, typer.Option(help="Play the same games each time.")] = None,
    max_steps: MaxSteps = MAX_STEPS,
    syntax: SheetSyntax = "auto",
    as_json: AsJson = False,
) -> None:
    """Play GAME at random many times: who wins, with which goals, after how many moves.

    Ctrl-C stops early and prints what there is so far.
    """
    loaded = load(game, syntax=syntax)
    outcomes = Outcomes(loaded)
    started = time.perf_counter()
    complete = _play(loaded, outcomes, count, Random(seed), max_steps)
    seconds = time.perf_counter() - started
    if as_json:
        print_json(_document(loaded, outcomes, seed, seconds))
    else:
        _print(loaded, outcomes, max_steps, seconds)
    if not complete:
        raise typer.Exit(ExitCode.INTERRUPTED)


def _play(game: Game, outcomes: Outcomes, count: int, rng: Random, max_steps: int) -> bool:
    """Fill the outcomes; false if the user stopped it."""
    state = game.initial_state()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as progress:
        bar = progress.add_task(f"compiling {escape(game.name)}", total=None)
        try:
            compiled = count > MAX_REFERENCE_PLAYOUTS and game.compile(
                progress=lambda phase: progress.update(bar, description=escape(phase))
            )
            if game.circuit_error:
                slower = "slow" if game.compile_error else "relational"
                reason = game.compile_error or game.circuit_error
                errors.print(f"[yellow]playing on the {slower} engine[/yellow]: {escape(str(reason))}")
            progress.update(bar, description=f"playing {escape(game.name)}", total=count)
            while outcomes.games < count:
                batch = min(COMPILED_BATCH if compiled and not game.circuit_error else BATCH, count - outcomes.games)
                outcomes.add(game.playouts(state, batch, rng, max_steps))
                progress.update(bar, completed=outcomes.games)
        except KeyboardInterrupt:
            return False
    return True


def _print(game: Game, outcomes: Outcomes, max_steps: int, seconds: float) -> None:
    lengths = Spread.of(outcomes.lengths)
    output.print(f"[bold]{escape(game.name)}[/bold]: {outcomes.games:,} random games in {seconds:.1f} s")
    if outcomes.unfinished:
        output.print(f"[yellow]{outcomes.unfinished:,} were cut after {max_steps:,} joint moves[/yellow]")
    if not outcomes.finished:
        return
    output.print(f"length: {lengths.mean:.1f} joint moves on average, {lengths.least} to {lengths.most}\n")
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("role")
    for heading in ("mean goal", "95 % interval", "wins"):
        table.add_column(heading, justify="right")
    table.add_column("how often each goal")
    for role, result in outcomes.roles.items():
        table.add_row(escape(role), *_cells(result, outcomes.finished))
    output.print(table)


def _cells(result: RoleOutcomes, finished: int) -> tuple[str, str, str, str]:
    mean, margin = result.mean, result.margin
    shares = "  ".join(f"{goal}: {times / finished:.1%}" for goal, times in sorted(result.goals.items()))
    none = finished - result.goals.total()
    return (
        "-" if mean is None else f"{mean:.2f}",
        "-" if mean is None or margin is None else f"{max(0.0, mean - margin):.2f} to {min(100.0, mean + margin):.2f}",
        f"{result.wins / finished:.1%}",
        shares + (f"  no value: {none / finished:.1%}" if none else ""),
    )


def _document(game: Game, outcomes: Outcomes, seed: int | None, seconds: float) -> dict[str, object]:
    lengths = Spread.of(outcomes.lengths)
    return {
        "game": game.name,
        "seed": seed,
        "games": outcomes.games,
        "finished": outcomes.finished,
        "seconds": round(seconds, 6),
        "length": {"mean": lengths.mean, "min": lengths.least, "max": lengths.most} if outcomes.finished else None,
        "roles": {
            role: {
                "mean": result.mean,
                "margin95": result.margin,
                "wins": result.wins,
                "goals": {str(goal): times for goal, times in sorted(result.goals.items())},
            }
            for role, result in outcomes.roles.items()
        },
    }
