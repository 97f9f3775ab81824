"""`ludens show`: what kind of game a rule sheet describes."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Annotated

import typer
from rich.markup import escape

from ludens import games
from ludens.analysis.sampling import Sample, Spread, sample
from ludens.cli.arguments import AsJson, GameName, SheetSyntax
from ludens.cli.common import output, print_json
from ludens.cli.wording import board
from ludens.game import Game, load
from ludens.runtime.deadline import Deadline
from ludens.runtime.lazy import load_object

CIRCUIT, ENGINES = "ludens.cli.circuit:show_circuit", "ludens.cli.engines:show_engines"
"""Commands that import more than all the rest needs."""


def show(
    game: GameName,
    samples: Annotated[int, typer.Option(metavar="N", min=0, help="How many random games to learn from.")] = 100,
    seconds: Annotated[float, typer.Option(metavar="S", min=0.0, help="How long to play them at most.")] = 5.0,
    seed: Annotated[int, typer.Option(help="Seed of the random games.")] = 0,
    circuit: Annotated[
        bool, typer.Option("--circuit", help="Show the circuit of the game, and what each pass saves.")
    ] = False,
    engines: Annotated[
        bool, typer.Option("--engines", help="Show which engines the game has, and how fast they are here.")
    ] = False,
    syntax: SheetSyntax = "auto",
    as_json: AsJson = False,
) -> None:
    """Show GAME: its roles, its size, its kind, how wide and long it is, and the board at the start.

    Everything that is not written in the rules is learnt from random play, and holds as far as that has seen.
    """
    if circuit and engines:
        raise typer.BadParameter("--circuit goes without --engines")
    loaded = load(game, syntax=syntax)
    if circuit or engines:
        load_object(CIRCUIT if circuit else ENGINES)(loaded, as_json)
        return
    seen = sample(loaded, samples, Random(seed), Deadline(seconds))
    if as_json:
        print_json(_document(loaded, seen))
        return
    _print_heading(game, loaded)
    for label, text in _lines(loaded, seen, samples):
        output.print(f"  [cyan]{label:<10}[/cyan] {escape(text)}")
    output.print()
    output.print(board(loaded.initial_state()))


def _print_heading(name: str, game: Game) -> None:
    """The name of the game and, for a bundled one, what it is about."""
    if Path(name).is_file() or games.find(name) is None:
        output.print(f"[bold]{escape(game.name)}[/bold]")
        return
    about = games.info(name)
    output.print(f"[bold]{escape(about.title)}[/bold] ({about.name}): {escape(about.description)}")
    output.print(f"\n{escape(about.rules)}\n")
    output.print(f"  [cyan]{'tags':<10}[/cyan] {', '.join(about.tags)}")


def _lines(game: Game, seen: Sample, wanted: int) -> list[tuple[str, str]]:
    rules = game.rules
    lines = [
        ("roles", ", ".join(game.roles)),
        ("rules", f"{len(rules.clauses)} clauses, {len(rules.relations)} relations"),
        ("kind", ", ".join(_kind(game, seen))),
    ]
    if not seen.states:
        return lines
    cut = f" of {wanted}, for lack of time" if seen.plays < wanted else ""
    lines += [
        ("sampled", f"{seen.plays} random games{cut}; {seen.states:,} states, {seen.facts} facts, {seen.moves} moves"),
        ("branching", f"{_spread(seen.joint_moves)} joint moves in a state"),
    ]
    lines += [("", f"{role} chooses from {_spread(spread)}") for role, spread in seen.choices.items() if spread.most]
    if seen.finished:
        lines.append(("length", f"{_spread(seen.lengths)} joint moves"))
    if seen.finished < seen.plays:
        lines.append(("unfinished", f"{seen.plays - seen.finished} games did not end by themselves"))
    return lines


def _spread(spread: Spread) -> str:
    if spread.least == spread.most:
        return str(spread.least)
    return f"{spread.mean:.1f} ({spread.least} to {spread.most})"


def _kind(game: Game, seen: Sample) -> list[str]:
    traits = game.traits
    kind = ["a puzzle for one role" if traits.roles == 1 else f"{traits.roles} roles"]
    if seen.states and traits.roles > 1:
        kind.append("moving at the same time" if seen.simultaneous else "taking turns")
    kind.append("with chance" if traits.chance else "without chance")
    if traits.hidden:
        kind.append("what roles see is ruled by `sees`")
    if seen.constant_sum is not None:
        kind.append(f"zero-sum (goals add up to {seen.constant_sum})")
    elif traits.roles > 1 and seen.goal_sums:
        kind.append(f"not zero-sum (goals add up to {min(seen.goal_sums)} to {max(seen.goal_sums)})")
    return kind


def _document(game: Game, seen: Sample) -> dict[str, object]:
    state = game.initial_state()
    return {
        "game": game.name,
        "digest": game.rules.digest,
        "roles": list(game.roles),
        "clauses": len(game.rules.clauses),
        "relations": len(game.rules.relations),
        "chance": game.traits.chance,
        "sees": game.traits.hidden,
        "initial": sorted(state.facts),
        "sample": {
            "plays": seen.plays,
            "finished": seen.finished,
            "states": seen.states,
            "facts": seen.facts,
            "moves": seen.moves,
            "simultaneous": seen.simultaneous,
            "constant_sum": seen.constant_sum,
            "branching": _json_spread(seen.joint_moves),
            "choices": {role: _json_spread(spread) for role, spread in seen.choices.items()},
            "length": _json_spread(seen.lengths),
        },
    }


def _json_spread(spread: Spread) -> dict[str, float]:
    return {"min": spread.least, "mean": spread.mean, "max": spread.most}
