"""Plans of circuits that no small sheet has, and translations that are checked against plain Python."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from ludens.circuit import Circuit, optimise, translate
from ludens.engines.backend.c_writer import CWriter
from ludens.engines.backend.language import read_functions
from ludens.engines.backend.llvm_writer import Fixed, LlvmWriter
from ludens.engines.native import runtime
from ludens.engines.native.plan import plan_of
from ludens.engines.native.single import Frame
from ludens.engines.native.straight import PIECE, Component, straight_code
from ludens.game import load
from ludens.ground import ground


def wide_circuit(fluents: int) -> Circuit:
    """Over when the first half of the fluents holds and the other half does not."""
    half = fluents // 2
    inputs = [2 * (1 + number) for number in range(half)] + [2 * (1 + number) + 1 for number in range(half, fluents)]
    none = np.zeros(0, np.int32)
    return Circuit(
        fluent_count=fluents,
        move_counts=(1,),
        goal_counts=(0,),
        starts=np.array([0, len(inputs)], np.int32),
        inputs=np.array(inputs, np.int32),
        loop_definitions=none,
        loop_groups=none,
        next=2 * np.arange(1, fluents + 1, dtype=np.int32),
        legal=np.array([1], np.int32),
        goals=none,
        terminal=2 * (2 + fluents),
    )


@pytest.mark.parametrize("fluents", [10, 70_000])
def test_gates_of_any_width_count_right(fluents: int) -> None:
    plan = plan_of(wide_circuit(fluents), np.zeros(fluents, np.bool_), [])
    frame = Frame(plan)
    half = fluents // 2
    bits = np.zeros(8 * 8 * plan.scalars["state_words"], np.bool_)

    def terminal() -> int:
        state = np.packbits(bits, bitorder="little")
        return int(frame.call["terminal"](frame.address, state.ctypes.data))

    assert terminal() == 0
    bits[half:fluents] = True
    assert terminal() == 0
    bits[:fluents] = ~bits[:fluents]
    assert terminal() == 1
    bits[half] = True
    assert terminal() == 0


def test_pieces_have_a_bounded_size() -> None:
    circuit = optimise(translate(ground(load("checkers").rules)))
    code = straight_code(circuit, np.concatenate([circuit.legal, circuit.next]))
    lengths = [len(part.assembly.splitlines()) for part in code.parts if not isinstance(part, Component)]
    assert len(lengths) > 3
    assert max(lengths) < 10 * PIECE


@pytest.mark.parametrize(
    "statement", ["x = a / 2", "del a", "x = [a]", "for x in a:\n        pass", "x = w.words.size"]
)
def test_what_cannot_be_translated_is_refused(statement: str) -> None:
    plan = plan_of(wide_circuit(4), np.zeros(4, np.bool_), [])
    (function,) = (each for each in read_functions(runtime).values() if each.name == "least")
    body = tuple(ast.parse(f"def f(a):\n    {statement}").body[0].body)  # type: ignore[attr-defined]
    changed = type(function)(function.name, "", function.parameters, False, False, body)
    with pytest.raises((TypeError, KeyError)):
        CWriter(plan.dtypes, plan.scalars, "workspace").function(changed)
    with pytest.raises((TypeError, KeyError)):
        LlvmWriter({}, Fixed(plan.scalars, plan.workspace)).function(changed)
