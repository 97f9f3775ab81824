"""`ludens explain`: what a state is worth by the degree to which it fulfils the goals, and why."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from ludens.cli.after import state_after
from ludens.cli.arguments import AfterMoves, GameName, SheetSyntax
from ludens.cli.common import errors, output
from ludens.cli.wording import board, result_text
from ludens.core import Deadline
from ludens.errors import CompileError, UnknownRoleError
from ludens.game import Game, load

if TYPE_CHECKING:  # importing these takes longer than most commands do
    from ludens.evaluation.fuzzy.evaluator import FuzzyEvaluator

ANALYSIS_SHARE = 0.5
"""The part of the time in which the structure of the game is found out."""


def explain_state(
    game: GameName,
    role: Annotated[str | None, typer.Option(metavar="ROLE", help="Explain the goals of this role only.")] = None,
    after: AfterMoves = None,
    seconds: Annotated[
        float, typer.Option(metavar="S", min=0.01, help="How long to compile and to look at the game at most.")
    ] = 10.0,
    seed: Annotated[int, typer.Option(help="Seed of the random games.")] = 0,
    syntax: SheetSyntax = "auto",
) -> None:
    """Explain what the first state of GAME is worth, or a state after some moves.

    The goals are taken as formulas of fuzzy logic: the more of a goal is met, and the nearer the rest is, the higher
    its degree. A `+` stands for what is true in the state, a `-` for what is false.
    """
    loaded = load(game, syntax=syntax)
    roles = None if role is None else [seat for seat in loaded.seats if seat.lower() == role.lower()]
    if roles == []:
        raise UnknownRoleError(str(role), loaded.seats)
    state = state_after(loaded, after or [])
    with errors.status(f"analysing {escape(loaded.name)}"):
        evaluator = _evaluator(loaded, Deadline(seconds), Random(seed))
    output.print(board(state))
    if state.is_terminal:
        output.print(f"the game is over; {result_text(state.goals)}", markup=False)
    output.print()
    output.print(evaluator.explain(state, roles), markup=False)


def _evaluator(game: Game, deadline: Deadline, rng: Random) -> FuzzyEvaluator:
    from ludens.analysis.facts import analyse
    from ludens.evaluation.fuzzy.evaluator import FuzzyEvaluator

    if not game.compile(deadline):
        reason = game.compile_error or "it takes too long; raise --seconds"
        raise CompileError(f"{game.name} cannot be compiled, so its goals cannot be unrolled: {reason}")
    facts = analyse(game, Deadline(ANALYSIS_SHARE * deadline.remaining), rng, proofs=False, symmetries=False)
    return FuzzyEvaluator.build(game, facts, deadline, rng)
