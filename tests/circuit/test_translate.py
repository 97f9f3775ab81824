"""Circuits say what the reference engine says, before and after the passes."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate, pairwise
from random import Random

import numpy as np
import pytest

from ludens.circuit import Circuit, optimise, translate
from ludens.engines.reference.engine import ReferenceEngine
from ludens.errors import CompileError
from ludens.game import load
from ludens.ground import GroundProgram
from tests.circuit.evaluation import ALL, LANES, evaluate
from tests.circuit.samples import circuit_of, program_of
from tests.tiers import every_game

GAMES = ["tictactoe", "connectfour", "hex", "dicerace", "biddingtictactoe", "ninemensmorris", "checkers", "sudoku"]


def walk(program: GroundProgram, circuit: Circuit, engine: ReferenceEngine, rng: Random, steps: int) -> None:
    """Random games, one in each lane, compared fact by fact; games that have ended stay as they are."""
    states = engine.initial(LANES)
    for _ in range(steps):
        facts = engine.decode(states)
        fluents = [sum((fluent in facts[lane]) << lane for lane in range(LANES)) for fluent in program.fluents]
        terminal = engine.terminal(states)
        values = evaluate(circuit, fluents, [0] * circuit.move_count)
        assert values.terminal == sum(int(ended) << lane for lane, ended in enumerate(terminal))
        for lane, goals in enumerate(engine.goal_terms(states)):
            given = [[value >> lane & 1 for value in part] for part in parts(values.goals, circuit.goal_counts)]
            held = [
                [term for term, bit in zip(terms, bits, strict=True) if bit]
                for terms, bits in zip(program.goal_values, given, strict=True)
            ]
            assert list(map(frozenset, held)) == goals
        joint, moves = [], [0] * circuit.move_count
        for lane, legal in enumerate(engine.legal(states)):
            choices = []
            for role, numbers in enumerate(legal):
                begin = sum(circuit.move_counts[:role])
                terms = [engine.move_term(number) for number in numbers]
                bits = parts(values.legal, circuit.move_counts)[role]
                assert set(terms) == {
                    term for term, bit in zip(program.moves[role], bits, strict=True) if bit >> lane & 1
                }
                if numbers and not terminal[lane]:
                    choices.append(rng.choice(numbers))
                    moves[begin + program.moves[role].index(engine.move_term(choices[-1]))] |= 1 << lane
            joint.append(choices)
        going = [lane for lane in range(LANES) if not terminal[lane]]
        after = evaluate(circuit, fluents, moves).next
        states[going] = engine.step(states[going], [joint[lane] for lane in going])
        for lane, found in zip(going, engine.decode(states[going]), strict=True):
            assert found == {fluent for fluent, bits in zip(program.fluents, after, strict=True) if bits >> lane & 1}


def parts(values: list[int], counts: tuple[int, ...]) -> list[list[int]]:
    return [values[begin:end] for begin, end in pairwise(accumulate(counts, initial=0))]


@pytest.mark.parametrize("game", every_game(of=GAMES))
def test_the_reference_engine_agrees(game: str) -> None:
    engine, program, circuit = ReferenceEngine(load(game).engine_rules), program_of(game), circuit_of(game)
    walk(program, circuit, engine, Random(1), steps=2)
    walk(program, optimise(circuit), engine, Random(2), steps=8)


def program(heads: list[int], bodies: list[list[int]]) -> GroundProgram:
    """Fluent 1, move 2, further atoms up to 5; `legal` and `terminal` are atom 3, `next` is atom 4."""
    literals = np.array([literal for body in bodies for literal in body], np.int32)
    starts = np.cumsum([0, *map(len, bodies)], dtype=np.int32)
    return GroundProgram(
        roles=("a",), fluents=("f",), moves=(("m",),), goal_values=((),), atom_count=6,
        heads=np.array(heads, np.int32), body_starts=starts, bodies=literals, init=np.zeros(1, np.bool_),
        next=np.array([8], np.int32), legal=(np.array([6], np.int32),), goals=(np.empty(0, np.int32),), terminal=6,
    )  # fmt: skip


def test_facts_and_atoms_without_rules() -> None:
    circuit = translate(program([3], [[]]))
    assert (circuit.next.tolist(), circuit.legal.tolist(), circuit.terminal) == ([0], [1], 1)
    assert (circuit.gate_count, circuit.stats().depth, circuit.stats().widest) == (0, 0, 0)


def test_recursion_means_the_least_fixed_point() -> None:
    """4 if 5; 5 if 4; 5 if 2 and not 1: the two do not hold each other up."""
    circuit = translate(program([4, 5, 5], [[10], [8], [4, 3]]))
    assert circuit.stats().loops == 1
    values = evaluate(circuit, [0b0011 & ALL], [0b0101])
    assert values.next == [0b0100]


def test_what_is_asked_about_a_state_reads_no_move() -> None:
    with pytest.raises(CompileError, match="depends on `does`"):
        translate(program([3], [[4]]))


def test_a_loop_that_nothing_reads_is_dropped() -> None:
    circuit = optimise(replace(translate(program([4, 5, 5], [[10], [8], [4, 3]])), next=np.array([2], np.int32)))
    assert len(circuit.loop_definitions) == len(circuit.loop_groups) == circuit.gate_count == 0


def test_an_atom_that_depends_on_its_absence() -> None:
    with pytest.raises(CompileError, match="depends on its own absence"):
        translate(program([4, 5], [[11], [8]]))


def test_cone_and_stats() -> None:
    circuit = optimise(circuit_of("tictactoe"))
    gates, inputs = circuit.cone_stats(circuit.outputs)
    assert (
        (gates, inputs) == (circuit.gate_count, len(circuit.inputs)) == (circuit.stats().gates, circuit.stats().inputs)
    )
    state = circuit.cone(circuit.state_outputs())
    assert not state[circuit.first_move : circuit.first_loop].any()
    assert circuit.cone([0]).sum() == 1
