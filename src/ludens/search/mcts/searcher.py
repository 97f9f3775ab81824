"""Monte Carlo tree search for every kind of game."""

from __future__ import annotations

from operator import attrgetter
from random import Random
from typing import Literal

from ludens.core import Decision
from ludens.engines.rows import Rows
from ludens.game import Game
from ludens.runtime.cores import available_cores
from ludens.runtime.deadline import Deadline
from ludens.runtime.threads import map_in_threads
from ludens.search.base import BaseSearcher, Watch
from ludens.search.mcts.decision import RootSummary
from ludens.search.mcts.line import Line
from ludens.search.mcts.selection_kernel import MctsOptions
from ludens.search.mcts.sliced import SlicedWorker
from ludens.search.mcts.stepping import SteppingWorker
from ludens.search.mcts.tree import hashfull
from ludens.search.mcts.tree_kernel import DEEPEST, ITERATIONS, MAST, NO_PRIORS, PLAYOUTS, RAVE
from ludens.search.mcts.worker import TreeWorker
from ludens.search.view import GameView

MEMORY = 256 * 2**20
MAX_SELECTION_DEPTH = 128
MIXING = 0.1
SUMMARY_SECONDS_PER_MOVE = 15e-6
"""The time that summing up a move of the root takes after the search."""
PORTION_FROM = 10_000
PRIORS = {"none": NO_PRIORS, "mast": MAST, "rave": RAVE}


class MctsSearcher(BaseSearcher):
    """Grows a tree by playouts from its leaves (UCT), each role for itself; proven nodes are not searched again.

    Nodes are counted as iterations. With a limit on nodes one tree is grown, so that the result does not depend on the
    number of threads; without it each thread has its own, and their roots are added up.
    """

    def __init__(
        self,
        game: Game,
        role: str,
        *,
        exploration: float = 0.5,
        simultaneous: Literal["decoupled", "regret"] = "decoupled",
        expand_at: int = 8,
        portion: int = 16,
        priors: Literal["none", "mast", "rave"] = "none",
        memory: int = MEMORY,
        threads: int | None = None,
    ) -> None:
        """Options to compare.

        `exploration`: the weight of the confidence bound, for values from 0 to 1. `simultaneous`: how roles that move
        at the same time choose, by bounds of their own or by regret matching, which plays mixed strategies.
        `expand_at`: the visits at which a child joins the tree. `portion`: the playouts from a leaf at a time, once the
        tree has some size. `priors`: what guides the search where an edge has few visits of its own, the mean value of
        all playouts with its move ("mast"), or of the playouts through its node with the move there or later ("rave");
        see `priors_kernel`. They live as long as the tree, do not change how regret matching chooses, and know the
        moves of playouts only where the game is compiled. `memory`: bytes for all trees. `threads`: by default one for
        each core.
        """
        super().__init__("uct", game, role)
        if simultaneous not in ("decoupled", "regret"):
            raise ValueError(f"simultaneous moves are chosen 'decoupled' or by 'regret', not {simultaneous!r}")
        for what, number in (("expand_at", expand_at), ("portion", portion), ("memory", memory), ("threads", threads)):
            if number is not None and number < 1:
                raise ValueError(f"{what} is {number}; give at least 1")
        if priors not in PRIORS:
            raise ValueError(f"priors are 'none', 'mast' or 'rave', not {priors!r}")
        if exploration < 0:
            raise ValueError(f"exploration is {exploration}; give 0 or more")
        self._options = MctsOptions(
            exploration=exploration,
            expand_at=expand_at,
            max_depth=MAX_SELECTION_DEPTH,
            regret=simultaneous == "regret",
            mixing=MIXING,
            portion=portion,
            portion_from=PORTION_FROM,
        )
        self._priors = PRIORS[priors]
        self._memory = memory
        self._threads = threads or len(available_cores())
        self._workers: list[TreeWorker] = []
        self._line = Line()

    def _search(self, view: GameView, row: Rows, watch: Watch, rng: Random) -> Decision:
        seeds = [rng.getrandbits(64) for _ in range(self._threads)]
        nodes = watch.samples
        alone = nodes is not None or view.engine.circuit is None
        workers = self._workers_for(view, 1 if alone else self._threads)
        depth = min(watch.limit.depth or MAX_SELECTION_DEPTH, MAX_SELECTION_DEPTH)

        for worker, seed in zip(workers, seeds, strict=False):
            worker.options = self._options._replace(max_depth=depth)
            worker.take_root(row, Random(seed))
        watch.spare(SUMMARY_SECONDS_PER_MOVE * workers[0].root().edge_count)
        self._grow(workers, nodes, watch.share())
        return self._decide(view, workers, row, watch, rng)

    def _grow(self, workers: list[TreeWorker], nodes: int | None, deadline: Deadline) -> None:
        """Grow all trees until the deadline, which is cancelled as soon as a root is proven."""

        def work(worker: TreeWorker) -> None:
            worker.work(deadline, nodes)
            if worker.root().proven:
                deadline.cancel()

        if len(workers) == 1:
            work(workers[0])
        else:
            map_in_threads(work, workers, len(workers), on_failure=deadline.cancel)

    def _workers_for(self, view: GameView, count: int) -> list[TreeWorker]:
        """Return the workers of the last search, or new ones if the game has moved to another engine."""
        if self._workers and self._workers[0].view is not view:
            self._workers = []
        memory, options, priors = self._memory // self._threads, self._options, self._priors
        while len(self._workers) < count:
            rng = Random(len(self._workers))
            worker = SteppingWorker if view.engine.circuit is None else SlicedWorker
            self._workers.append(worker(view, options, memory, rng, priors))
        return self._workers[:count]

    def _decide(self, view: GameView, workers: list[TreeWorker], row: Rows, watch: Watch, rng: Random) -> Decision:
        mixing = self._options.mixing if self._options.regret else None
        summary = RootSummary(workers, self.role, mixing, rng)
        decision = self._decision(view, workers, summary, watch)
        if len(view.roles) > 1:
            return decision
        known = self._line.after(view, row)
        self._line = max(known, *(worker.best_line(row) for worker in workers), key=attrgetter("goal"))
        return self._line.improve(decision, view)

    def _decision(self, view: GameView, workers: list[TreeWorker], summary: RootSummary, watch: Watch) -> Decision:
        goals = workers[0].goals(summary.values())
        counters = [worker.tree.counters for worker in workers]
        return Decision(
            move=view.move(summary.chosen.move),
            values=dict(zip(view.roles, map(float, goals), strict=True)),
            pv=summary.pv(),
            candidates=summary.candidates(),
            proven=summary.proven,
            nodes=int(sum(counter[ITERATIONS] for counter in counters)),
            playouts=int(sum(counter[PLAYOUTS] for counter in counters)),
            depth=int(max(counter[DEEPEST] for counter in counters)),
            hashfull=max(hashfull(worker.tree) for worker in workers),
            seconds=watch.seconds,
        )
