"""Making the machine code of all kernels once, so that it lies on disk when a game needs it.

    python -m ludens.engines.sliced.warm_up

Where it is missing, a game has it made by this module in a process of its own: that takes a good part of a minute,
and nobody else has to wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from threading import Event
from typing import Any

import numpy as np

from ludens.circuit import optimise, translate
from ludens.circuit.passes.factor_kernel import factor_gates
from ludens.circuit.passes.share_kernel import extract_pairs, use_subsets
from ludens.circuit.passes.simplify_kernel import simplify_gates
from ludens.circuit.translate_kernel import build_gates, order_atoms
from ludens.core import Deadline
from ludens.engines.process_lock import ProcessLock
from ludens.engines.sliced.engine import NARROW, WIDE, SlicedEngine
from ludens.engines.sliced.expansion import Expander
from ludens.engines.sliced.expansion_kernel import expand, list_all_moves, look
from ludens.engines.sliced.playout_kernel import play
from ludens.engines.sliced.question_kernel import ask
from ludens.engines.sliced.rows import Rows
from ludens.gdl.rules import Rules
from ludens.ground import ground
from ludens.jit import has_disk, versions_on_disk
from ludens.machine_code import end_with_caller, run_module

ONE_AT_A_TIME = ProcessLock()
COSTLY: Sequence[tuple[Callable[..., Any], int]] = (
    (order_atoms, 1),
    (build_gates, 1),
    (factor_gates, 1),
    (use_subsets, 1),
    (extract_pairs, 1),
    (simplify_gates, 1),
    (ask, 1),
    (look, 1),
    (expand, 1),
    (play, len({NARROW, WIDE})),
)
"""Kernels that take a while to compile, and in how many versions; the others are a part of these, or small."""
SMALLEST_GAME = """
(role a) (role b) (init off) (legal a wait) (legal a push) (legal b wait)
(<= (next on) (does a push)) (<= (next off) (true off) (does a wait))
(<= (reached ?x) (true ?x)) (<= (reached ?x) (reached ?x)) (<= terminal (reached on))
(<= (goal a 100) (true on)) (<= (goal a 0) (not (true on))) (goal b 50)
"""


def is_warm() -> bool:
    """Whether the machine code of the kernels is on disk."""
    return all(versions_on_disk(kernel) >= versions for kernel, versions in COSTLY)


def warm_up(deadline: Deadline, cancelled: Event | None = None) -> None:
    """Have the machine code made by another process, unless it is there; without it, it is made when it is needed."""
    with ONE_AT_A_TIME:
        if not is_warm() and has_disk(play):
            run_module(__spec__.name, deadline, cancelled)


def main() -> None:
    end_with_caller()
    program = ground(Rules.parse(SMALLEST_GAME))
    engine = SlicedEngine(program, optimise(translate(program)))  # even if the circuit is on disk
    start = engine.initial(1)
    engine.advance(start, [[moves[0] for moves in engine.legal(start)[0]]])
    _expand(engine.expander, start)
    for games in (1, 64 * NARROW + 1):
        engine.tally(start, games, Random(1))


def _expand(expander: Expander, start: Rows) -> None:
    memory = expander.new_memory()
    seen = expander.look(memory, start)
    starts, moves = np.zeros(len(expander.role_starts), np.int64), np.zeros(expander.role_starts[-1], np.int32)
    list_all_moves(seen.legal, expander.role_starts, starts, moves)
    expander.expand(memory, start, moves[starts[:-1]][np.newaxis])


if __name__ == "__main__":
    main()
