"""Growing a tree on the bit-sliced engine, with playouts in all lanes."""

from __future__ import annotations

import time
from random import Random

import numpy as np

from ludens.engines.base import MAX_STEPS, UNKNOWN_GOAL
from ludens.engines.rows import Rows, row_words
from ludens.engines.sliced.random_kernel import seeded_state
from ludens.engines.sliced.vectors import aligned_vectors, words_of
from ludens.runtime.deadline import Deadline
from ludens.search.mcts.lanes_kernel import (
    FINISHED,
    FIRST_LANE_COUNT,
    FREE_GROUPS,
    LANE_COUNTERS,
    LANE_MASKS,
    NO_ROOM,
    NOW,
    SOLVED,
    TO_BEGIN,
    Lanes,
    PlayoutTables,
    drop_lanes,
    grow_tree,
)
from ludens.search.mcts.line import Line
from ludens.search.mcts.selection_kernel import MctsOptions
from ludens.search.mcts.tree import new_selection, scaled
from ludens.search.mcts.tree_kernel import ITERATIONS, NO_PRIORS, Floats
from ludens.search.mcts.worker import TreeWorker
from ludens.search.view import GameView

SLICE_SECONDS = 0.004
FIRST_LANES = 64
UNBOUNDED = 2**62
MAX_LOG = 1024
LOG_BYTES = 32 * 2**20
"""Memory for logs of moves; of longer playouts no line is kept, and for priors only the last moves."""


class SlicedWorker(TreeWorker):
    """Search and playouts in one kernel."""

    def __init__(
        self,
        view: GameView,
        options: MctsOptions,
        memory: int,
        rng: Random,
        priors: int = NO_PRIORS,
        width: int | None = None,
    ) -> None:
        """`width`: the number of words of lanes, NARROW or WIDE; by default the faster one."""
        circuit = view.engine.circuit
        assert circuit is not None, "lanes need a circuit"
        self._circuit = circuit
        super().__init__(view, options, memory, len(circuit.moves), rng, priors)
        self._machine, self._memory, legal_wires = circuit.new_player(width)
        words = self._memory.words.shape[1]
        fluents, roles = len(circuit.fluents), len(circuit.roles)
        wires = np.arange(self._machine.first_fluent, self._machine.first_fluent + fluents, dtype=np.int32)
        role_of_goal = np.repeat(np.arange(roles), circuit.gates.goal_counts)
        goals = np.where(circuit.goal_values < 0, UNKNOWN_GOAL, circuit.goal_values)
        self._game = PlayoutTables(
            fluents=np.arange(fluents, dtype=np.int32),
            fluent_wires=wires,
            legal_wires=legal_wires,
            role_starts=circuit.role_starts,
            goal_values=scaled(goals, self.low[role_of_goal], self.high[role_of_goal]),
            unknown=self.unknown,
            max_steps=MAX_STEPS,
        )
        self._lanes = _new_lanes(words, self._game, view.engine.words, options.max_depth, priors)
        self._selection = new_selection(64 * words, options.max_depth, roles, self.edges)
        self._passes = 4

    def _goal_range(self) -> tuple[Floats, Floats]:
        goals = [[value for value in own if value >= 0] or [0] for own in self._circuit.role_goals]
        return np.array(list(map(min, goals)), np.float64), np.array(list(map(max, goals)), np.float64)

    def best_line(self, row: Rows) -> Line:
        lanes = self._lanes
        if lanes.best_line[0] == 0:
            return Line()
        moves = lanes.best_line[1 : 1 + lanes.best_line[0]].tolist()
        return Line(row, tuple(moves), float(self.goals(lanes.best_value)[0]))

    def work(self, deadline: Deadline, nodes: int | None) -> None:
        lanes = self._lanes
        self._memory.random_state[:] = seeded_state(int(self.tree.random[0]), self._memory.words.shape[1])
        lanes.counters[:] = 0
        lanes.counters[FREE_GROUPS] = len(lanes.free)
        lanes.counters[TO_BEGIN] = UNBOUNDED if nodes is None else nodes
        lanes.counters[FIRST_LANE_COUNT] = FIRST_LANES
        lanes.best_value[0] = -np.inf
        lanes.best_line[0] = 0
        while not deadline.passed:
            begun, before = time.perf_counter(), lanes.counters[NOW]
            status = grow_tree(
                self._machine,
                self._memory,
                self._game,
                self.tree,
                lanes,
                self._selection,
                self.options,
                self._passes,
            )
            if status in (FINISHED, SOLVED):
                break
            if status == NO_ROOM:
                visited = self.tree.counters[ITERATIONS]
                drop_lanes(self.tree, lanes)
                lanes.counters[TO_BEGIN] += visited - self.tree.counters[ITERATIONS]
                self._make_room(deadline)
                continue
            seconds = max(time.perf_counter() - begun, 1e-6)
            made = max(1, int(lanes.counters[NOW] - before))  # it may have come back before all were made
            self._passes = int(min(max(1, made * SLICE_SECONDS / seconds), 2 * self._passes))
        drop_lanes(self.tree, lanes)


def _new_lanes(width: int, game: PlayoutTables, words: int, depth: int, priors: int) -> Lanes:
    lanes, roles = 64 * width, len(game.unknown)
    masks = aligned_vectors(LANE_MASKS, width)
    moves = len(game.legal_wires)
    passes = min(MAX_LOG, LOG_BYTES // (8 * width * moves)) if roles == 1 else 0
    log = aligned_vectors(passes * moves, width)
    passes_made = min(MAX_LOG, LOG_BYTES // (4 * lanes * roles)) if priors != NO_PRIORS else 0
    return Lanes(
        masks=masks,
        mask_words=words_of(masks),
        group=np.zeros(lanes, np.int32),
        rows=np.zeros((lanes, words), np.uint64),
        birth=np.zeros(lanes, np.int64),
        nodes=np.zeros((lanes, depth), np.int32),
        places=np.zeros((lanes, depth), np.int32),
        length=np.zeros(lanes, np.int32),
        joint=np.zeros((lanes, roles), np.int32),
        size=np.zeros(lanes, np.int32),
        playing=np.zeros(lanes, np.int32),
        sums=np.zeros((lanes, roles)),
        free=np.arange(lanes, dtype=np.int32),
        value=np.zeros((lanes, roles)),
        counters=np.zeros(LANE_COUNTERS, np.int64),
        log=log,
        log_words=words_of(log),
        made=np.zeros((passes_made, roles, lanes), np.int32),
        best_line=np.zeros(1 + depth + passes, np.int32),
        best_value=np.zeros(1),
        block=np.zeros(64, np.uint64),
        read_rows=np.zeros((64, words), np.uint64),
        read_legal=np.zeros((64, row_words(moves)), np.uint64),
        moves=np.zeros(moves, np.int32),
        starts=np.zeros(roles + 1, np.int32),
    )
