"""`ludens show --circuit`: the circuit of a game, and what each pass saves."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import NamedTuple

from rich.markup import escape
from rich.table import Table

from ludens.circuit import Circuit, CircuitStats, optimise, translate
from ludens.cli.common import errors, output, print_json
from ludens.engines.sliced.warm_up import SMALLEST_GAME, warm_up
from ludens.game import Game
from ludens.gdl.rules import Rules
from ludens.ground import GroundProgram, ground
from ludens.runtime.deadline import Deadline

MACHINE_CODE_SECONDS = 300.0


class CircuitStep(NamedTuple):
    """A circuit on its way, by what it was made, and in how many seconds."""

    name: str
    circuit: Circuit
    stats: CircuitStats
    seconds: float


def show_circuit(game: Game, as_json: bool) -> None:
    """Print how many gates a game has, and what each pass leaves of them."""
    with errors.status("preparing machine code") as status:
        load_kernels()
        status.update("grounding")
        program = ground(
            game.engine_rules, progress=lambda phase, rules: status.update(f"grounding: {phase}, {rules:,} rules")
        )
        status.update("optimising")
        steps = _circuit_steps(program)
    if as_json:
        print_json(_circuit_document(game, program, steps))
        return
    output.print(f"[bold]{escape(game.name)}[/bold]")
    for label, text in _ground_lines(program):
        output.print(f"  [cyan]{label:<10}[/cyan] {text}")
    output.print()
    output.print(_circuit_table(steps))
    output.print()
    for label, (gates, inputs) in _cones(steps[-1].circuit).items():
        output.print(f"  [cyan]{label:<10}[/cyan] {gates:,} gates with {inputs:,} inputs")


def load_kernels() -> None:
    """Have the kernels ready as machine code, so that only the passes themselves are timed."""
    warm_up(Deadline(MACHINE_CODE_SECONDS))
    optimise(translate(ground(Rules.parse(SMALLEST_GAME))))


def _circuit_steps(program: GroundProgram) -> list[CircuitStep]:
    """The circuit as it comes from the rules, and after each pass."""
    steps: list[CircuitStep] = []
    started = time.perf_counter()

    def add(name: str, circuit: Circuit) -> None:
        nonlocal started
        seconds = time.perf_counter() - started
        steps.append(CircuitStep(name, circuit, circuit.stats(), seconds))
        started = time.perf_counter()

    circuit = translate(program)
    add("rules", circuit)
    optimise(circuit, add)
    return steps


def _ground_lines(program: GroundProgram) -> list[tuple[str, str]]:
    moves = ", ".join(
        f"{len(moves):,} of {escape(role)}" for role, moves in zip(program.roles, program.moves, strict=True)
    )
    return [
        ("ground", f"{program.rule_count:,} rules for {program.atom_count - 1:,} atoms"),
        ("fluents", f"{len(program.fluents):,}"),
        ("moves", moves),
    ]


def _circuit_table(steps: list[CircuitStep]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("after")
    for heading in ("gates", "inputs", "loops", "depth", "widest", "ms"):
        table.add_column(heading, justify="right")
    for name, _, stats, seconds in steps:
        sizes = (stats.gates, stats.inputs, stats.loops, stats.depth, stats.widest)
        table.add_row(name, *(f"{size:,}" for size in sizes), f"{1000 * seconds:.1f}")
    return table


def _cones(circuit: Circuit) -> dict[str, tuple[int, int]]:
    """How large the parts are that answer each question: about a state, and after the moves."""
    return {
        "legal": circuit.cone_stats(circuit.legal),
        "terminal": circuit.cone_stats([circuit.terminal]),
        "goal": circuit.cone_stats(circuit.goals),
        "state": circuit.cone_stats(circuit.state_outputs()),
        "next": circuit.cone_stats(circuit.next),
    }


def _circuit_document(game: Game, program: GroundProgram, steps: list[CircuitStep]) -> dict[str, object]:
    return {
        "game": game.name,
        "digest": game.rules.digest,
        "rules": program.rule_count,
        "atoms": program.atom_count - 1,
        "fluents": len(program.fluents),
        "moves": {role: len(moves) for role, moves in zip(program.roles, program.moves, strict=True)},
        "passes": [{"name": step.name, "seconds": step.seconds} | asdict(step.stats) for step in steps],
        "cones": {
            name: {"gates": gates, "inputs": inputs} for name, (gates, inputs) in _cones(steps[-1].circuit).items()
        },
    }
