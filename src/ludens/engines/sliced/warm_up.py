"""The machine code of circuits and of the engine that evaluates them, as `runtime.warm_up` makes it."""

from __future__ import annotations

from random import Random

from ludens.circuit import optimise, translate
from ludens.circuit.passes.factor_kernel import factor_gates
from ludens.circuit.passes.share_kernel import extract_pairs, use_subsets
from ludens.circuit.passes.simplify_kernel import simplify_gates
from ludens.circuit.translate_kernel import build_gates, order_atoms
from ludens.engines.sliced.engine import SlicedEngine
from ludens.engines.sliced.expansion_kernel import expand, look
from ludens.engines.sliced.playout_kernel import play
from ludens.engines.sliced.question_kernel import ask
from ludens.engines.sliced.tables import NARROW, WIDE
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
    joint = [[moves[0] for moves in engine.legal(start)[0]]]
    engine.step(start, joint)
    engine.expand(engine.look(start).rows, joint)
    for games in (1, 64 * NARROW + 1):
        engine.tally(start, games, Random(1))


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
