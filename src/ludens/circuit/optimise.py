"""Making a circuit cheaper to evaluate, pass after pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from ludens.circuit.circuit import Circuit
from ludens.circuit.passes.factor import factor
from ludens.circuit.passes.moves import use_moves
from ludens.circuit.passes.share import share
from ludens.circuit.passes.simplify import simplify

Pass: TypeAlias = Callable[[Circuit], Circuit]

REPEATED: Final[tuple[tuple[str, Pass], ...]] = (("factor", factor), ("moves", use_moves), ("share", share))
"""Run in this order, again and again. Factoring is the fastest and leaves less to the others, so it comes first."""
PASSES: Final[tuple[tuple[str, Pass], ...]] = (*REPEATED, ("simplify", simplify))

MAX_ROUNDS: Final = 4
MIN_SAVING: Final = 0.01
"""A round that saves a smaller part of the cost is the last."""


def optimise(circuit: Circuit, report: Callable[[str, Circuit], None] | None = None) -> Circuit:
    """Return a circuit with the same meaning for every state and every legal joint move, but fewer gates and inputs.

    `report` gets the name and the result of each pass.
    """
    for _ in range(MAX_ROUNDS):
        before = circuit.cost
        for name, run in REPEATED:
            circuit = _run(circuit, name, run, report)
        if circuit.cost > (1 - MIN_SAVING) * before:
            break
    return _run(circuit, *PASSES[-1], report)


def _run(circuit: Circuit, name: str, run: Pass, report: Callable[[str, Circuit], None] | None) -> Circuit:
    circuit = run(circuit)
    if report:
        report(name, circuit)
    return circuit
