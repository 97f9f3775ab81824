"""The machine code of the evaluation, as `runtime.warm_up` makes it."""

from __future__ import annotations

from random import Random

from ludens.analysis.facts import analyse
from ludens.engines.sliced.warm_up import SMALLEST_GAME
from ludens.evaluation.fuzzy.batches import LARGE_LANES, SMALL_LANES, BatchEvaluation
from ludens.evaluation.fuzzy.fuzzy_kernel import evaluate
from ludens.evaluation.fuzzy.norms import Norm
from ludens.evaluation.fuzzy.unroll import unroll
from ludens.game import load
from ludens.runtime.deadline import Deadline
from ludens.runtime.warm_up import MachineCode, WarmUpPart


def make_evaluation() -> None:
    game = load(SMALLEST_GAME)
    game.compile()
    facts = analyse(game, Deadline.never(), Random(1), proofs=False, symmetries=False)
    batches = BatchEvaluation(unroll(game, facts, Deadline.never()), Norm())
    for states in (SMALL_LANES, SMALL_LANES + 1):
        batches.degrees(game.engine.initial(states))


MACHINE_CODE = MachineCode(
    "ludens.evaluation.fuzzy.warm_up",
    kernels=((evaluate, len({SMALL_LANES, LARGE_LANES})),),
    parts=(WarmUpPart("evaluation", make_evaluation, after="engine"),),
)
warm_up = MACHINE_CODE.warm_up
