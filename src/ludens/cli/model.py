"""Models of games, for the commands that show them or explain by them."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Annotated, TypeAlias

import typer
from rich.markup import escape

from ludens.analysis.facts import GameFacts, analyse
from ludens.cli.common import errors, output, print_json
from ludens.errors import CompileError, UnknownRoleError
from ludens.evaluation.model.build import ANALYSIS_SHARE, MAX_STATES, ModelBuilder
from ludens.evaluation.model.game_model import GameModel
from ludens.evaluation.model.report import chart as draw
from ludens.evaluation.model.report import document, report
from ludens.game import Game
from ludens.runtime.deadline import Deadline

MostStates: TypeAlias = Annotated[
    int | None,
    typer.Option("--states", metavar="N", min=1, help="Make a model from about N states at most."),
]


def compile_circuit(game: Game, deadline: Deadline, so: str) -> None:
    """Compile a game for what needs its circuit; CompileError that says why there is none, and what follows."""
    game.compile(deadline)
    if game.circuit_error:
        raise CompileError(f"{game.name} cannot be compiled to a circuit, so {so}: {game.circuit_error}")
    if game.engine.circuit is None:
        raise CompileError(f"{game.name} cannot be compiled in time, so {so}; raise --seconds")


def known_role(game: Game, role: str) -> str:
    """Return a role of a player as the sheet spells it; UnknownRoleError for another."""
    for seat in game.player_roles:
        if seat.lower() == role.lower():
            return seat
    raise UnknownRoleError(role, game.player_roles)


def make_model(game: Game, deadline: Deadline, rng: Random, most_states: int | None) -> tuple[GameFacts, GameModel]:
    """Return the facts and the last model that is ready in time, or that of `most_states`; show progress meanwhile."""
    name = escape(game.name)
    with errors.status(f"compiling {name}") as status:
        compile_circuit(game, deadline, "there is no model of it")
        status.update(f"analysing {name}")
        facts = analyse(game, Deadline(ANALYSIS_SHARE * deadline.remaining), rng, proofs=False)
        status.update(f"looking for features of {name}")
        models = ModelBuilder(game, facts, deadline, rng).models(most_states or MAX_STATES)
        model = next(models)
        for model in models:
            status.update(f"{name}: the model from {model.states:,} states is ready, the next takes twice as many")
    return facts, model


def _check_writable(path: Path) -> None:
    """Fail now, not when the time is up, if a file cannot be written; leave no empty file behind."""
    path.parent.mkdir(parents=True, exist_ok=True)
    existed = path.exists()
    path.open("ab").close()
    if not existed:
        path.unlink()


def print_model(
    game: Game,
    role: str,
    deadline: Deadline,
    rng: Random,
    most_states: int | None,
    *,
    as_json: bool,
    chart: Path | None,
) -> None:
    """Print what counts for a role: payoff, control and termination, each as a sum of features."""
    seat = known_role(game, role)
    if chart:
        _check_writable(chart)
    facts, model = make_model(game, deadline, rng, most_states)
    if chart:
        draw(model, facts, f"What counts for {seat} in {game.name}", seat).write(chart)
    if as_json:
        print_json({"game": game.name} | document(model, facts, seat))
        return
    output.print(f"[bold]{escape(game.name)}[/bold]")
    output.print(report(model, facts, seat), markup=False)
    if chart:
        output.print(f"written: {chart}", markup=False)
