"""Making the machine code of the evaluation once, so that it lies on disk when a player needs it.

    python -m ludens.evaluation.fuzzy.warm_up

Where it is missing, evaluators have it made by this module in a process of its own.
"""

from __future__ import annotations

from random import Random
from threading import TIMEOUT_MAX, Event

from ludens.analysis.facts import analyse
from ludens.core import Deadline
from ludens.engines.process_lock import ProcessLock
from ludens.engines.sliced.warm_up import SMALLEST_GAME
from ludens.evaluation.fuzzy.batches import FEW, MANY, BatchEvaluation
from ludens.evaluation.fuzzy.fuzzy_kernel import evaluate
from ludens.evaluation.fuzzy.norms import Norm
from ludens.evaluation.fuzzy.unroll import unroll
from ludens.game import load
from ludens.jit import has_disk, versions_on_disk
from ludens.machine_code import end_with_caller, run_module

ONE_AT_A_TIME = ProcessLock()


def is_warm() -> bool:
    """Whether the machine code is on disk."""
    return versions_on_disk(evaluate) >= len({FEW, MANY})


def warm_up(deadline: Deadline, cancelled: Event | None = None) -> None:
    """Have the machine code made by another process, unless it is there; without it, it is made when it is needed."""
    if is_warm() or not has_disk(evaluate):
        return
    if ONE_AT_A_TIME.acquire(timeout=min(deadline.remaining, TIMEOUT_MAX)):
        try:
            if not is_warm():
                run_module(__spec__.name, deadline, cancelled)
        finally:
            ONE_AT_A_TIME.release()


def main() -> None:
    end_with_caller()
    game = load(SMALLEST_GAME)
    game.compile()
    facts = analyse(game, Deadline.never(), Random(1), proofs=False, symmetries=False)
    batches = BatchEvaluation(unroll(game, facts, Deadline.never()), Norm())
    for states in (FEW, FEW + 1):
        batches.degrees(game.engine.initial(states))


if __name__ == "__main__":
    main()
