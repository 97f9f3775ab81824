"""`ludens explain`: what a state is worth, by how nearly it fulfils the goals or by a model of the game, and why."""

from __future__ import annotations

from random import Random
from typing import Annotated, Literal

import typer
from rich.markup import escape

from ludens.analysis.facts import analyse
from ludens.cli.after import state_after
from ludens.cli.arguments import AfterMoves, GameName, SheetSyntax
from ludens.cli.common import errors, output
from ludens.cli.model import MostStates, compile_circuit, known_role, make_model
from ludens.cli.wording import board, result_text
from ludens.evaluation.fuzzy.evaluator import FuzzyEvaluator
from ludens.evaluation.model.evaluator import ModelEvaluator
from ludens.game import Game, load
from ludens.players.fluxplayer import ANALYSIS_SHARE
from ludens.runtime.deadline import Deadline


def explain_state(
    game: GameName,
    role: Annotated[str | None, typer.Option(metavar="ROLE", help="Explain the state for this role only.")] = None,
    after: AfterMoves = None,
    by: Annotated[
        Literal["degrees", "model"],
        typer.Option(help="Explain by how nearly the goals are met, or by a model of what counts in the game."),
    ] = "degrees",
    states: MostStates = None,
    seconds: Annotated[
        float, typer.Option(metavar="S", min=0.01, help="How long to compile and to look at the game at most.")
    ] = 10.0,
    seed: Annotated[int, typer.Option(help="Seed of the random games.")] = 0,
    syntax: SheetSyntax = "auto",
) -> None:
    """Explain what the first state of GAME is worth, or a state after some moves.

    By degrees, the goals are taken as formulas of fuzzy logic: the more of a goal is met, and the nearer the rest is,
    the higher its degree. A `+` stands for what is true in the state, a `-` for what is false.

    By the model, features of the state count that `ludens analyze --role` tells of: how many points each of them adds,
    compared with the first state, the most important first. A `#` stands for the number of something.
    """
    loaded = load(game, syntax=syntax)
    roles = None if role is None else [known_role(loaded, role)]
    state = state_after(loaded, after or [])
    deadline, rng = Deadline(seconds), Random(seed)
    evaluator = _by_degrees(loaded, deadline, rng) if by == "degrees" else _by_model(loaded, deadline, rng, states)
    output.print(board(state))
    if state.is_terminal:
        output.print(f"the game is over; {result_text(state.goals)}", markup=False)
    output.print()
    output.print(evaluator.explain(state, roles), markup=False)


def _by_model(game: Game, deadline: Deadline, rng: Random, most_states: int | None) -> ModelEvaluator:
    return ModelEvaluator(game, *make_model(game, deadline, rng, most_states))


def _by_degrees(game: Game, deadline: Deadline, rng: Random) -> FuzzyEvaluator:
    with errors.status(f"analysing {escape(game.name)}"):
        compile_circuit(game, deadline, "its goals cannot be unrolled")
        facts = analyse(game, Deadline(ANALYSIS_SHARE * deadline.remaining), rng, proofs=False, symmetries=False)
        return FuzzyEvaluator.build(game, facts, deadline, rng)
