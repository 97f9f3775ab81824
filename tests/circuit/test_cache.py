"""Circuits on disk: found again, made anew when damaged, never believed without a check."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ludens.circuit import Circuit, optimise, optimised_circuit, translate
from ludens.circuit.cache import circuit_key, from_bytes, to_bytes
from ludens.runtime.sealed_cache import UNREADABLE, SealedCache
from tests.circuit.samples import program_of
from tests.tiers import every_game


def passes(game: str, cache: SealedCache) -> tuple[Circuit, list[str]]:
    """The circuit of a game, and the passes that were run for it."""
    run: list[str] = []
    return optimised_circuit(program_of(game), lambda name, _: run.append(name), cache=cache), run


def as_bytes(circuit: Circuit) -> bytes:
    return to_bytes(circuit)


@pytest.mark.parametrize("game", every_game(but=["amazonswhole"]))
def test_a_circuit_is_optimised_once(game: str, tmp_path: Path) -> None:
    cache = SealedCache(tmp_path / "new")
    first, run = passes(game, cache)
    assert run
    second, again = passes(game, cache)
    assert again == []
    assert as_bytes(first) == as_bytes(second) == as_bytes(optimise(translate(program_of(game))))


def test_without_a_folder_nothing_is_kept() -> None:
    assert passes("tictactoe", SealedCache(None))[1]
    assert passes("tictactoe", SealedCache(None))[1]


def test_every_part_of_the_program_counts() -> None:
    program = program_of("tictactoe")
    keys = {
        circuit_key(changed)
        for changed in (
            program,
            replace(program, terminal=program.terminal ^ 1),
            replace(program, bodies=program.bodies[::-1]),
            replace(program, next=program.next ^ 1),
            replace(program, legal=program.legal[::-1]),
            replace(program, goals=tuple(goals ^ 1 for goals in program.goals)),
        )
    }
    assert len(keys) == 6


@pytest.mark.parametrize("damage", [b"", b"garbage", "cut", "bit", "folder"])
def test_damaged_files_are_replaced(damage: bytes | str, tmp_path: Path) -> None:
    cache = SealedCache(tmp_path)
    expected, _ = passes("tictactoe", cache)
    (path,) = tmp_path.glob("*.circuit")
    data = path.read_bytes()
    if damage == "folder":
        path.unlink()
        path.mkdir()
    else:
        cut, bit = data[:-7], data[:-7] + bytes([data[-7] ^ 1]) + data[-6:]
        path.write_bytes(damage if isinstance(damage, bytes) else {"cut": cut, "bit": bit}[damage])
    circuit, run = passes("tictactoe", cache)
    assert run
    assert as_bytes(circuit) == as_bytes(expected)
    assert bool(passes("tictactoe", cache)[1]) == (damage == "folder"), "a good file takes the place of a bad one"


def test_references_to_nowhere_are_not_believed_even_with_a_right_checksum() -> None:
    circuit = optimise(translate(program_of("connectfour")))
    program = program_of("connectfour")
    assert as_bytes(from_bytes(as_bytes(circuit), program)) == as_bytes(circuit)
    inputs, starts = circuit.inputs.copy(), circuit.starts.copy()
    inputs[0] = 2 * circuit.node_count
    own_output = circuit.inputs.copy()
    own_output[0] = 2 * circuit.first_gate
    starts[1] = starts[2] + 1
    for wrong in (
        replace(circuit, inputs=inputs),
        replace(circuit, inputs=own_output),
        replace(circuit, inputs=-circuit.inputs),
        replace(circuit, inputs=circuit.inputs[:-1]),
        replace(circuit, starts=starts),
        replace(circuit, next=circuit.next[1:]),
        replace(circuit, legal=circuit.legal[1:]),
        replace(circuit, goals=circuit.goals + 2 * circuit.node_count),
        replace(circuit, terminal=-1),
        replace(circuit, loop_groups=np.zeros(1, np.int32)),
    ):
        with pytest.raises(ValueError, match="dangling references"):
            from_bytes(as_bytes(wrong), program)
    with pytest.raises(ValueError, match="dangling references"):
        from_bytes(as_bytes(circuit), program_of("tictactoe"))


@given(st.binary(max_size=200))
def test_garbage_gives_no_circuit(garbage: bytes) -> None:
    with pytest.raises(UNREADABLE):
        from_bytes(garbage, program_of("tictactoe"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)
FIELDS = ("lengths", "fluent_count", "move_counts", "goal_counts", "terminal")


@given(JSON | st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS, JSON)), st.binary(max_size=64))
@example({**dict.fromkeys(FIELDS, 0), "lengths": [0] * 7}, b"")
@example(0, b"")
def test_a_header_of_another_shape_gives_no_circuit(header: object, arrays: bytes) -> None:
    head = json.dumps(header).encode()
    with pytest.raises(UNREADABLE):
        from_bytes(len(head).to_bytes(8, "little") + head + arrays, program_of("tictactoe"))
