"""Optimised circuits on disk beside ground programs, so that a game is optimised once on a machine.

A circuit is found by the ground program it was made from and the code that made it. A file that is damaged, stale or
unwritable is ignored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np

from ludens.circuit.circuit import Circuit
from ludens.circuit.optimise import optimise
from ludens.circuit.translate import translate
from ludens.errors import CompileError
from ludens.ground.program import GroundProgram
from ludens.runtime.sealed_cache import SealedCache, pack_arrays, source_digest, unpack_arrays

SUFFIX: Final = ".circuit"


def optimised_circuit(
    program: GroundProgram,
    report: Callable[[str, Circuit], None] | None = None,
    *,
    cache: SealedCache | None = None,
) -> Circuit:
    """Return the circuit of a ground program after all passes, from the cache if it is there.

    `report` gets the name and the result of each pass that is run. Raise CompileError if there is not enough memory.
    """
    cache = cache or SealedCache.from_environment()
    key = circuit_key(program) if cache.folder else ""
    if circuit := cache.load(key, SUFFIX, lambda data: from_bytes(data, program)):
        return circuit
    try:
        circuit = optimise(translate(program), report)
    except MemoryError as error:
        raise CompileError(f"there is not enough memory for the circuit of these rules ({error})") from None
    if cache.folder:
        cache.store(key, SUFFIX, to_bytes(circuit))
    return circuit


def circuit_key(program: GroundProgram) -> str:
    """Return the cache key of a circuit: a digest of the ground program and of the code of the passes."""
    digest = hashlib.sha256(source_digest(Path(__file__).parent).encode())
    counts = {
        "fluents": len(program.fluents),
        "moves": list(map(len, program.moves)),
        "goals": list(map(len, program.goal_values)),
        "atoms": program.atom_count,
        "terminal": program.terminal,
    }
    arrays = [program.heads, program.body_starts, program.bodies, program.next, *program.legal, *program.goals]
    digest.update(pack_arrays(counts, arrays))
    return digest.hexdigest()


def to_bytes(circuit: Circuit) -> bytes:
    header = {
        "fluent_count": circuit.fluent_count,
        "move_counts": circuit.move_counts,
        "goal_counts": circuit.goal_counts,
        "terminal": circuit.terminal,
    }
    gates = [circuit.starts, circuit.inputs, circuit.loop_definitions, circuit.loop_groups]
    return pack_arrays(header, [*gates, circuit.next, circuit.legal, circuit.goals])


def from_bytes(data: bytes, program: GroundProgram) -> Circuit:
    """Return the circuit of a program; ValueError, or another of `UNREADABLE`, for bytes that hold no such circuit."""
    header, (starts, inputs, definitions, groups, following, legal, goals) = unpack_arrays(data)
    circuit = Circuit(
        fluent_count=header["fluent_count"],
        move_counts=tuple(header["move_counts"]),
        goal_counts=tuple(header["goal_counts"]),
        starts=starts,
        inputs=inputs,
        loop_definitions=definitions,
        loop_groups=groups,
        next=following,
        legal=legal,
        goals=goals,
        terminal=header["terminal"],
    )
    _check(circuit, program)
    return circuit


def _check(circuit: Circuit, program: GroundProgram) -> None:
    """Raise ValueError unless every literal refers to something before it, as the kernels rely on."""
    starts, widths = circuit.starts, np.diff(circuit.starts)
    readers = circuit.first_gate + np.repeat(np.arange(len(widths)), np.maximum(widths, 0))
    sound = (
        circuit.fluent_count == len(program.fluents)
        and circuit.move_counts == tuple(map(len, program.moves))
        and circuit.goal_counts == tuple(map(len, program.goal_values))
        and len(circuit.loop_groups) == len(circuit.loop_definitions)
        and bool(np.all(np.diff(circuit.loop_groups, prepend=0) >= 0))
        and len(circuit.next) == len(program.next)
        and len(circuit.legal) == sum(map(len, program.legal))
        and len(circuit.goals) == sum(circuit.goal_counts)
        and starts[0] == 0
        and starts[-1] == len(circuit.inputs)
        and bool(np.all(widths >= 0))
        and bool(np.all((circuit.inputs >= 0) & (circuit.inputs >> 1 < readers)))
        and bool(np.all((circuit.outputs >= 0) & (circuit.outputs < 2 * circuit.node_count)))
    )
    if not sound:
        raise ValueError("the file has dangling references")
