"""Every pass, and all of them in a row, keep the meaning of a circuit and make it smaller."""

from __future__ import annotations

from hashlib import sha256
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.circuit import PASSES, Circuit, optimise
from ludens.circuit.optimise import Pass
from ludens.circuit.passes.factor import factor
from ludens.circuit.passes.moves import use_moves
from ludens.circuit.passes.rebuild import in_order
from ludens.circuit.passes.share import share
from ludens.circuit.passes.simplify import simplify
from tests.child import run_child
from tests.circuit.evaluation import ALL, LANES, differences, legal_moves, random_states
from tests.circuit.samples import circuit_of, random_circuit
from tests.tiers import FULL, every_game, examples

GAMES = ["tictactoe", "connectfour", "hex", "checkers", "pentago", "biddingtictactoe", "dicerace", "minichess"]
ARRAYS = ("starts", "inputs", "loop_definitions", "loop_groups", "next", "legal", "goals")
FOR_ALL_MOVES = [(name, run) for name, run in PASSES if run is not use_moves] + [("order", in_order)]


def assert_well_formed(circuit: Circuit) -> None:
    """Gates have two inputs or more, in order, and read only what comes before them; nothing is dead."""
    assert (np.diff(circuit.starts) >= 2).all()
    for gate in range(circuit.gate_count):
        inputs = circuit.inputs[circuit.starts[gate] : circuit.starts[gate + 1]]
        assert (np.diff(inputs >> 1) > 0).all()
        assert inputs[0] >= 2
        assert inputs[-1] >> 1 < circuit.first_gate + gate
    needed = circuit.cone(np.concatenate([circuit.state_outputs(), circuit.next]))
    assert needed[circuit.first_loop :].all()


def assert_same(before: Circuit, after: Circuit, rng: Random, any_moves: bool) -> None:
    fluents = random_states(before, rng)
    moves, playable = legal_moves(before, fluents, rng)
    assert not differences(before, after, fluents, moves, playable)
    if any_moves:
        assert not differences(before, after, fluents, [rng.getrandbits(LANES) for _ in moves], ALL)


@pytest.mark.parametrize("run", [run for _, run in FOR_ALL_MOVES], ids=[name for name, _ in FOR_ALL_MOVES])
@examples(40)
@given(seed=st.integers(0, 2**32), gates=st.integers(0, 120))
def test_a_pass_keeps_the_meaning_for_all_inputs(run: Pass, seed: int, gates: int) -> None:
    rng = Random(seed)
    circuit = random_circuit(rng, gates)
    after = run(circuit)
    assert_same(circuit, after, rng, any_moves=True)
    assert_same(circuit, run(simplify(circuit)), rng, any_moves=True)


@examples(150)
@given(seed=st.integers(0, 2**32), gates=st.integers(0, 120))
def test_legal_moves_keep_the_meaning(seed: int, gates: int) -> None:
    rng = Random(seed)
    circuit = random_circuit(rng, gates)
    assert_same(circuit, use_moves(circuit), rng, any_moves=False)
    optimised = optimise(circuit)
    assert_same(circuit, optimised, rng, any_moves=False)
    assert_well_formed(optimised)


@pytest.mark.parametrize("game", every_game(of=GAMES))
def test_games_keep_their_meaning_in_any_state(game: str) -> None:
    """Also in states that play never reaches, and with recursive rules."""
    circuit, rng = circuit_of(game), Random(3)
    for _, run in PASSES:
        assert_same(circuit, run(circuit), rng, any_moves=run is not use_moves)
    optimised = optimise(circuit)
    assert_well_formed(optimised)
    for _ in range(3):
        assert_same(circuit, optimised, rng, any_moves=False)


def tiny(gates: list[list[int]], next_: list[int], legal: list[int], fluents: int, moves: int) -> Circuit:
    """A circuit for one role: fluents, moves and gates are numbered on from 1."""
    return Circuit(
        fluent_count=fluents,
        move_counts=(moves,),
        goal_counts=(0,),
        starts=np.cumsum([0, *map(len, gates)], dtype=np.int32),
        inputs=np.array([literal for gate in gates for literal in gate], np.int32),
        loop_definitions=np.empty(0, np.int32),
        loop_groups=np.empty(0, np.int32),
        next=np.array(next_, np.int32),
        legal=np.array(legal, np.int32),
        goals=np.empty(0, np.int32),
        terminal=0,
    )


def gates_of(circuit: Circuit) -> list[list[int]]:
    return [part.tolist() for part in np.split(circuit.inputs, circuit.starts[1:-1])] if circuit.gate_count else []


@pytest.mark.parametrize(
    ("gates", "output", "after", "left"),
    [
        ([[2, 4], [3, 9]], 11, 2, []),  # a | (a & b) is a
        ([[2, 4], [2, 9]], 10, 8, [[2, 5]]),  # a & ~(a & b) is a & ~b
        ([[2, 4], [3, 4], [9, 11]], 13, 4, []),  # (a & b) | (~a & b) is b, once b is taken out
        ([[2, 4], [6, 8]], 10, 8, [[2, 4, 6]]),  # nested ANDs are one
        ([[2, 4], [5, 8]], 10, 0, []),  # b & ~b
        ([[2, 4], [2, 4, 6], [9, 11]], 13, 8, [[2, 4]]),  # (a & b) | (a & b & c) is a & b
    ],
)
def test_absorption(gates: list[list[int]], output: int, after: int, left: list[list[int]]) -> None:
    """Fluents 1 to 3; the gates are numbered on from 4. The passes know nothing of moves here."""
    circuit = simplify(factor(tiny(gates, [output, 0, 0], [], 3, 0)))
    assert (circuit.next[0], gates_of(circuit)) == (after, left)


def test_factoring() -> None:
    """(a & b) | (a & c) | (a & d) is a & (b | c | d)."""
    circuit = factor(tiny([[2, 4], [2, 6], [2, 8], [11, 13, 15]], [17, 0, 0, 0], [], 4, 0))
    assert gates_of(circuit) == [[5, 7, 9], [2, 11]]
    assert circuit.next[0] == 12


def test_sharing() -> None:
    """Four gates with a pair in common; and one gate within another."""
    pairs = share(tiny([[2, 4, 2 * fluent] for fluent in (3, 4, 5, 6)], [14, 16, 18, 20, 0, 0], [], 6, 0))
    assert sorted(map(len, gates_of(pairs))) == [2, 2, 2, 2, 2]
    within = share(tiny([[2, 4, 6], [2, 4, 6, 8]], [10, 12, 0, 0], [], 4, 0))
    assert gates_of(within) == [[2, 4, 6], [8, 10]]


@pytest.mark.parametrize(
    ("gates", "next_", "legal", "after"),
    [
        ([[4, 6]], [8], [2, 2], [0]),  # two moves of one role
        ([[5, 7]], [8], [2, 2], [0]),  # none of them
        ([[2, 4]], [8], [2, 1], [4]),  # a move and what makes it legal
        ([[3, 4]], [8], [2, 1], [0]),  # a move and what makes it illegal
        ([[4, 7]], [8], [2, 2], [4]),  # a move and not another
        ([[2, 5]], [8], [2, 2], [6]),  # not the one move, so the other
    ],
)
def test_what_legal_moves_imply(gates: list[list[int]], next_: list[int], legal: list[int], after: list[int]) -> None:
    """Fluent 1; moves 2 and 3; gate 4."""
    circuit = use_moves(tiny([sorted(gate) for gate in gates], next_, legal, 1, 2))
    assert circuit.next.tolist() == after
    assert circuit.gate_count == 0


def test_most_moves_become_the_few_others() -> None:
    """Fluent 1; moves 2 to 13. Keeping a fact unless one of ten moves is made: if one of the other two is."""
    gate = [2, *(2 * move + 1 for move in range(2, 12))]
    circuit = use_moves(tiny([gate], [2 * 14], [1] * 12, 1, 12))
    assert gates_of(circuit) == [[2 * 12 + 1, 2 * 13 + 1], [2, 2 * 14 + 1]]


def test_moves_that_legal_depends_on_are_left_alone() -> None:
    """No sound rules do this, but a circuit can say it."""
    circuit = tiny([[2, 4]], [8], [4, 2], 1, 2)
    assert gates_of(use_moves(circuit)) == [[2, 4]]


@pytest.mark.parametrize(
    ("game", "part"),
    [
        ("checkers", 0.6),
        ("connectfour", 0.96),
        ("hex", 0.92),
        *(pytest.param(*case, marks=FULL) for case in [("othello", 0.9), ("pentago", 0.95), ("amazons", 0.87)]),
    ],
)
def test_games_become_cheaper(game: str, part: float) -> None:
    circuit = circuit_of(game)
    assert optimise(circuit).cost < part * circuit.cost


def test_report_names_each_pass_with_its_result() -> None:
    seen: list[tuple[str, float]] = []
    last = optimise(circuit_of("pentago"), lambda name, circuit: seen.append((name, circuit.cost)))
    names = [name for name, _ in PASSES]
    repeated = [name for name, _ in seen[:-1]]
    assert repeated == names[:-1] * (len(repeated) // (len(names) - 1))
    assert seen[-1] == (names[-1], last.cost)
    assert last.cost == min(cost for _, cost in seen)


def digest_of_circuit() -> str:
    circuit = optimise(circuit_of("tictactoe"))
    arrays = [getattr(circuit, name) for name in ARRAYS]
    return sha256(b"".join(array.astype("<i4").tobytes() + b"|" for array in arrays)).hexdigest()


def test_the_same_with_and_without_compiling() -> None:
    """The arrays do not depend on the process, nor on whether the kernels run as machine code."""
    program = "from tests.circuit.test_passes import digest_of_circuit; print(digest_of_circuit())"
    assert run_child(program, jit=False).strip() == digest_of_circuit()
