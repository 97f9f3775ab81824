"""`ludens perft`: count all ways to play, level by level."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import islice
from typing import Annotated

import typer

from ludens.analysis.perft import Level
from ludens.analysis.perft import divide as count_by_move
from ludens.analysis.perft import perft as count_levels
from ludens.cli.arguments import AsJson, GameName, SheetSyntax
from ludens.cli.common import output, print_json
from ludens.cli.wording import joint_text
from ludens.game import State, load

REFERENCE_DEPTH = 1
"""To this depth it is not worth while to compile the game."""


def perft(
    game: GameName,
    depth: Annotated[int, typer.Argument(metavar="DEPTH", min=1, help="How many joint moves to look ahead.")],
    divide: Annotated[bool, typer.Option("--divide", help="Show a count for each first move.")] = False,
    syntax: SheetSyntax = "auto",
    as_json: AsJson = False,
) -> None:
    """Count all ways to play GAME from its start, to a depth of DEPTH joint moves.

    Games that end earlier are counted where they end. The numbers show whether rules are what they were meant to be,
    and how fast they are evaluated.
    """
    loaded = load(game, syntax=syntax)
    if depth > REFERENCE_DEPTH:
        loaded.compile()
    state = loaded.initial_state()
    levels = _timed(state, depth)
    if as_json:
        print_json(_document(state, list(levels), depth if divide else 0))
        return
    output.print(f"{'depth':>5} {'nodes':>20} {'ended':>18} {'positions':>12} {'seconds':>9}", style="bold")
    reached = 0
    for level, seconds in levels:
        reached = level.depth
        output.print(f"{level.depth:>5} {level.nodes:>20,} {level.ended:>18,} {level.positions:>12,} {seconds:>9.2f}")
    if reached < depth:
        output.print(f"all games have ended after {reached} joint moves", style="dim")
    if divide:
        _print_divided(state, depth)


def _timed(state: State, depth: int) -> Iterator[tuple[Level, float]]:
    """The levels, each with the seconds it took."""
    started = time.perf_counter()
    for level in islice(count_levels(state), depth):
        yield level, time.perf_counter() - started
        started = time.perf_counter()


def _divided(state: State, depth: int) -> Iterator[tuple[str, int]]:
    for joint, nodes in count_by_move(state, depth).items():
        yield joint_text(state, dict(zip(state.game.roles, joint, strict=True))), nodes


def _print_divided(state: State, depth: int) -> None:
    rows = list(_divided(state, depth))
    width = max((len(text) for text, _ in rows), default=0)
    output.print(f"\nways of {depth} joint moves by the first of them", style="bold")
    for text, nodes in rows:
        output.print(f"{text:<{width}} {nodes:>16,}", markup=False)


def _document(state: State, levels: list[tuple[Level, float]], divided: int) -> dict[str, object]:
    document: dict[str, object] = {
        "game": state.game.name,
        "levels": [
            {
                "depth": level.depth,
                "nodes": level.nodes,
                "ended": level.ended,
                "positions": level.positions,
                "seconds": round(seconds, 6),
            }
            for level, seconds in levels
        ],
    }
    if divided:
        document["divide"] = [
            {"moves": [str(move) for move in joint], "nodes": nodes}
            for joint, nodes in count_by_move(state, divided).items()
        ]
    return document
