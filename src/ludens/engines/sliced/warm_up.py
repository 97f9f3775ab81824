"""The machine code of circuits and of the engine that evaluates them, as `runtime.warm_up` makes it."""

from __future__ import annotations

from random import Random

import numpy as np

from ludens.circuit import optimise, translate
from ludens.circuit.passes.factor_kernel import factor_gates
from ludens.circuit.passes.share_kernel import extract_pairs, use_subsets
from ludens.circuit.passes.simplify_kernel import simplify_gates
from ludens.circuit.translate_kernel import build_gates, order_atoms
from ludens.engines.sliced.engine import NARROW, WIDE, SlicedEngine
from ludens.engines.sliced.expansion import Expander
from ludens.engines.sliced.expansion_kernel import expand, list_all_moves, look
from ludens.engines.sliced.playout_kernel import play
from ludens.engines.sliced.question_kernel import ask
from ludens.engines.sliced.rows import Rows
from ludens.gdl.rules import Rules
from ludens.ground import ground
from ludens.runtime.warm_up import MachineCode, WarmUpPart

SMALLEST_GAME = """
(role a) (role b) (init off) (legal a wait) (legal a push) (legal b wait)
(<= (next on) (does a push)) (<= (next off) (true off) (does a wait))
(<= (reached ?x) (true ?x)) (<= (reached ?x) (reached ?x)) (<= terminal (reached on))
(<= (goal a 100) (true on)) (<= (goal a 0) (not (true on))) (goal b 50)
"""


def make_engine() -> None:
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


MACHINE_CODE = MachineCode(
    "ludens.engines.sliced.warm_up",
    kernels=(
        (play, len({NARROW, WIDE})),
        (order_atoms, 1),
        (build_gates, 1),
        (factor_gates, 1),
        (use_subsets, 1),
        (extract_pairs, 1),
        (simplify_gates, 1),
        (ask, 1),
        (look, 1),
        (expand, 1),
    ),
    parts=(WarmUpPart("engine", make_engine),),
)
warm_up = MACHINE_CODE.warm_up
