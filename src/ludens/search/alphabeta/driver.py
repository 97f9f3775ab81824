"""Runs the state machine of `search_kernel` on a game: memory, expanded states, values and time."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.analysis.counters import StepCounter
from ludens.core import Evaluator
from ludens.engines.base import UNKNOWN_GOAL, Engine, Expansion, Ints
from ludens.engines.rows import Rows
from ludens.search.alphabeta import memory_kernel as m
from ludens.search.alphabeta import search_kernel as machine
from ludens.search.alphabeta.evaluators import EarlyPayoff
from ludens.search.alphabeta.nodes_kernel import INFINITE
from ludens.search.alphabeta.options import AlphaBetaOptions
from ludens.search.alphabeta.sides import Sides
from ludens.search.alphabeta.table import TranspositionTable
from ludens.search.base import Watch
from ludens.search.view import GameView

SLICE = 0.003
"""Seconds between two looks at the clock."""
FIRST_BUDGET = 1
MAX_STEPS = 1 << 20
WIRES_PER_STEP = 40
"""The wires that are evaluated in the time of a step of the kernel."""
FIRST_EVALUATED, MAX_EVALUATED = 16, 4096
"""States that an evaluator gets at once: at first, and at most."""
FIRST_ENTRIES = 1024
MATRIX_LIMIT = 4096
"""The most joint moves of players that are solved as a matrix; more are taken one after the other."""
NEVER = 2**40
SIMULTANEOUS = {"paranoid": m.SERIAL, "random": m.RANDOM, "equilibrium": m.EQUILIBRIUM}


@dataclass(frozen=True, slots=True)
class Setting:
    """The parameters of a search."""

    view: GameView
    sides: Sides
    options: AlphaBetaOptions
    evaluator: Evaluator | None
    table: TranspositionTable
    counter: StepCounter | None
    caps: Mapping[int, NDArray[np.float64]]
    """The most that all sides get [sides] by these moves at the root, unless more is proven; see `Repetition`."""

    @property
    def leaf(self) -> int:
        if self.evaluator is None:
            return m.UNKNOWN
        return m.PAYOFF if isinstance(self.evaluator, EarlyPayoff) else m.EVALUATOR


class TooManyMovesError(Exception):
    """More moves turned up than there is room for."""


class MoveNumbers:
    """The numbers of moves in a search: role by role, with room for the same number of moves each.

    Where the rules have become a circuit they are those of the engine; elsewhere moves are numbered as they turn up.
    """

    def __init__(self, engine: Engine, room: int) -> None:
        """`room`: the most moves of a role, where they are not known in advance."""
        roles = len(engine.roles)
        self.room = room
        self.role_starts: Ints = np.arange(roles + 1, dtype=np.int32) * np.int32(room)
        if engine.circuit is not None:
            self.role_starts = engine.circuit.role_starts
        self._are_known = engine.circuit is not None
        self._numbers: list[dict[int, int]] = [{} for _ in range(roles)]
        self._moves: list[list[int]] = [[] for _ in range(roles)]

    def of(self, role: int, move: int) -> int:
        """Return the number of a move of the engine."""
        if self._are_known:
            return move
        number = self._numbers[role].setdefault(move, len(self._moves[role]))
        if number == len(self._moves[role]):
            if number == self.room:
                raise TooManyMovesError
            self._moves[role].append(move)
        return self.room * role + number

    def engine_move(self, number: int) -> int:
        """Return the number that a move has in the engine."""
        if self._are_known:
            return number
        role, place = divmod(number, self.room)
        return self._moves[role][place]


class Driver:
    """One search from one root; `iterate` deepens it step by step."""

    def __init__(self, setting: Setting, root: Rows, noise: np.random.Generator, numbers: MoveNumbers) -> None:
        circuit = setting.view.engine.circuit
        self._expansion = (circuit.expander.tables, circuit.expander.new_memory()) if circuit else None
        """What the kernel expands states with, where the rules have become a circuit."""
        self._numbers = numbers
        self.role_starts = role_starts = numbers.role_starts
        self._setting = setting
        roles, sides = len(setting.view.roles), len(setting.sides.teams)
        moves = int(role_starts[-1])
        table = setting.table
        self.search = m.Search(
            roles=_role_table(role_starts, setting.sides),
            sides=_side_table(setting.sides),
            sums=self._sums(),
            counter_mask=setting.counter.mask if setting.counter else np.zeros_like(root[0]),
            **_frames(1, roles, sides),
            **self._entries(FIRST_ENTRIES),
            table_keys=table.keys,
            table_notes=table.notes,
            table_values=table.values,
            random_words=table.random_words,
            table_counts=table.counts,
            caps=self._caps(moves, sides),
            history=noise.random(moves),
            registers=self._registers(root),
            result=np.zeros(sides),
            moves=np.zeros(moves, np.int32),
            move_starts=np.zeros(roles + 1, np.int64),
            strategy=np.zeros((2, MATRIX_LIMIT)),
        )
        self._representatives = setting.sides.representatives
        self._range = np.array([setting.sides.lowest, setting.sides.highest])
        self._taken = setting.sides.taken
        self._budget = FIRST_BUDGET
        self._batch = FIRST_EVALUATED
        self._take(0, setting.view.engine.look(root))

    # -- for the searcher --------------------------------------------------------------------

    def iterate(self, depth: int, alpha: float, beta: float, watch: Watch) -> int:
        """Search from the root to a depth with a window; return why it ended: `DONE` if it was completed."""
        self._make_frames(depth)
        registers, frames, windows = self.search.registers, self.search.frames, self.search.windows
        registers[m.PHASE], registers[m.PLY], registers[m.TOP] = machine.ENTER, 0, 1
        registers[m.NODE_LIMIT] = watch.limit.nodes or NEVER
        frames[0, m.STATE], frames[0, m.MADE], frames[0, m.BEST] = 0, 0, -1
        frames[0, m.DEPTH], frames[0, m.FULL] = depth, 1
        windows[0, m.ALPHA], windows[0, m.BETA] = alpha, beta
        while True:
            begun = time.perf_counter()
            status = self._run(self._budget, watch)
            if status == machine.ROOM:
                self._make_room(int(registers[m.NEEDED]))
            elif status == machine.EVALUATE:
                self._evaluate(watch)
            elif status != machine.RUNNING:
                return status
            else:
                self._adapt(time.perf_counter() - begun)
            if watch.passed:
                return machine.RUNNING

    @property
    def nodes(self) -> int:
        return int(self.search.registers[m.VISITED])

    def engine_move(self, move: int) -> int:
        """Return the number that a move has in the engine."""
        return self._numbers.engine_move(move)

    def known_move(self, row: Rows) -> int:
        """Return the best move in a state by the table, as a number of the engine; -1 for none."""
        counter = self._setting.counter
        move = self._setting.table.best_move(row, counter.mask if counter else None)
        return move if move < 0 else self.engine_move(move)

    # -- memory ------------------------------------------------------------------------------

    def _sums(self) -> NDArray[np.float64]:
        sides = self._setting.sides
        total = -1.0 if sides.total is None else float(sides.total)
        if sides.total is None or self._setting.leaf != m.UNKNOWN:
            return np.array([total, sum(sides.highest)])
        return np.array([total, max(total, UNKNOWN_GOAL * len(sides.teams))])

    def _registers(self, root: Rows) -> NDArray[np.int64]:
        """Return the registers that do not change during the search; the rest is set when it begins."""
        setting, options, counter = self._setting, self._setting.options, self._setting.counter
        count = counter.count(root[0]) if counter else None
        registers = np.zeros(m.REGISTERS, np.int64)
        for place, number in (
            (m.MAXN, setting.sides.maxn),
            (m.SIMULTANEOUS, SIMULTANEOUS[options.simultaneous]),
            (m.LEAF, setting.leaf),
            (m.REDUCTIONS, setting.evaluator is not None if options.reductions is None else options.reductions),
            (m.PRUNES, options.pruning),
            (m.USE_KILLERS, options.killers),
            (m.USE_HISTORY, options.history),
            (m.LOOKAHEAD, options.lookahead if self._expansion else 0),
            (m.MATRIX_LIMIT, MATRIX_LIMIT),
            (m.COUNTER_START, -1 if count is None else count),
            (m.COUNTER_EFFECT, _first_effect(counter)),
            (m.HAS_CAPS, bool(setting.caps)),
        ):
            registers[place] = number
        if self._expansion is not None:
            memory = self._expansion[1]
            wires = len(memory.step_words) + len(memory.look_words)
            registers[m.PASS_COST] = 1 + wires // WIRES_PER_STEP
            registers[m.GROUP_COST] = 3 * root.shape[1] + (int(self.role_starts[-1]) + 63) // 64
        return registers

    def _caps(self, moves: int, sides: int) -> NDArray[np.float64]:
        caps = np.full((moves, sides), INFINITE)
        for move, cap in self._setting.caps.items():
            caps[move] = cap
        return caps

    def _entries(self, count: int) -> dict[str, NDArray[Any]]:
        view = self._setting.view
        roles, sides = len(view.roles), len(self._setting.sides.teams)
        return {
            "rows": np.zeros((count, view.engine.words), np.uint64),
            "legal": np.zeros((count, max(1, (int(self.role_starts[-1]) + 63) // 64)), np.uint64),
            "terminal": np.zeros(count, np.bool_),
            "goals": np.zeros((count, roles), np.int16),
            "joints": np.zeros((count, roles), np.int32),
            "entries": np.zeros((count, m.ENTRY_COLUMNS), np.int64),
            "values": np.zeros((count, sides)),
            "scores": np.zeros(count),
            "parents": np.zeros((count, view.engine.words), np.uint64),
        }

    def _make_room(self, needed: int) -> None:
        entries = self._entries(max(needed, 2 * len(self.search.rows)))
        for name, after in entries.items():
            before = getattr(self.search, name)
            after[: len(before)] = before
        self.search = self.search._replace(**entries)

    def _make_frames(self, depth: int) -> None:
        """Make room for a depth: a state takes a frame for each role that chooses in it."""
        roles, sides = len(self._setting.view.roles), len(self._setting.sides.teams)
        needed = (depth + 1) * roles + 2
        old = self.search.frames
        if needed > len(old):
            frames = _frames(2 * needed, roles, sides)
            frames["frames"][: len(old)] = old
            self.search = self.search._replace(**frames)

    # -- for the kernel ----------------------------------------------------------------------

    def _run(self, budget: int, watch: Watch) -> int:
        """Run for a number of steps, expanding states; return why it halted."""
        if self._expansion is not None:
            return machine.resume_compiled(*self._expansion, self.search, budget)
        self.search.registers[m.BUDGET] = budget
        status = machine.resume(self.search)
        return self._expand(watch) if status == machine.EXPAND else status

    def _expand(self, watch: Watch) -> int:
        """Expand the states of the request one by one."""
        engine, search = self._setting.view.engine, self.search
        if engine.is_crowded:
            return machine.OUT_OF_NODES
        first, count = int(search.registers[m.REQUEST_FIRST]), int(search.registers[m.REQUEST_COUNT])
        for child in range(count):
            if watch.passed:
                break
            joint = [self.engine_move(move) for move in search.joints[first + child].tolist()]
            self._take(first + child, engine.expand(search.parents[child : child + 1], [joint]))
        return machine.RUNNING

    def _take(self, entry: int, seen: Expansion) -> None:
        """Write an expanded state to an entry."""
        search = self.search
        search.rows[entry], search.terminal[entry], search.goals[entry] = seen.rows[0], seen.terminal[0], seen.goals[0]
        search.legal[entry] = 0
        search.entries[entry, m.BLOCK] = -1
        for role in range(len(self._setting.view.roles)):
            for move in seen.legal(0, role).tolist():
                number = self._numbers.of(role, move)
                search.legal[entry, number >> 6] |= np.uint64(1) << np.uint64(number & 63)

    def _adapt(self, seconds: float) -> None:
        wanted = self._budget * SLICE / max(seconds, 1e-7)
        self._budget = int(min(max(wanted, self._budget / 4, 1), 2 * self._budget, MAX_STEPS))

    def _evaluate(self, watch: Watch) -> None:
        """Evaluate the entries of the request that need it; a slow evaluator gets few at a time."""
        search, evaluator = self.search, self._setting.evaluator
        assert evaluator is not None
        representatives, lowest, highest = self._representatives, *self._range
        first, count = int(search.registers[m.REQUEST_FIRST]), int(search.registers[m.REQUEST_COUNT])
        waiting = first + np.flatnonzero(search.entries[first : first + count, m.EVALUATED] == 0)
        while len(waiting) and not watch.passed:
            begun = time.perf_counter()
            chosen, waiting = waiting[: self._batch], waiting[self._batch :]
            values = evaluator.evaluate(search.rows[chosen], self._setting.view.engine)
            values = values[:, representatives]
            values[np.isnan(values)] = UNKNOWN_GOAL
            values = np.minimum(np.maximum(values, lowest), highest)
            values[:, 0] -= values @ self._taken
            search.values[chosen] = values
            search.entries[chosen, m.EVALUATED] = 1
            seconds = time.perf_counter() - begun
            self._batch = int(min(max(SLICE / seconds * len(chosen), 1), 2 * self._batch, MAX_EVALUATED))


def _first_effect(counter: StepCounter | None) -> int:
    if counter is None:
        return 0
    return counter.first_effect if counter.first_effect < len(counter.fluents) else NEVER


def _role_table(role_starts: Ints, sides: Sides) -> Ints:
    roles = len(role_starts) - 1
    table = np.zeros((3, roles + 1), np.int32)
    table[m.STARTS] = role_starts
    table[m.CHOOSING, :roles] = sides.order(roles)
    table[m.SIDES, :roles] = sides.side_of(roles)
    return table


def _side_table(sides: Sides) -> NDArray[np.float64]:
    table = np.zeros((5, len(sides.teams)))
    table[m.LOWEST_VALUE], table[m.HIGHEST_VALUE] = sides.lowest, sides.highest
    table[m.UNKNOWN_VALUE], table[m.REPRESENTATIVE], table[m.TAKEN] = UNKNOWN_GOAL, sides.representatives, sides.taken
    table[m.LOWEST_VALUE, 0] -= sides.taken @ sides.highest
    table[m.HIGHEST_VALUE, 0] -= sides.taken @ sides.lowest
    return table


def _frames(plies: int, roles: int, sides: int) -> dict[str, NDArray[Any]]:
    frames = np.zeros((plies, m.JOINT + roles), np.int64)
    frames[:, [m.HASH_MOVE, m.KILLER, m.SECOND_KILLER]] = -1
    return {
        "frames": frames,
        "windows": np.zeros((plies, m.VALUE + sides)),
        "keys": np.zeros((plies, 2), np.uint64),
        "pvs": np.zeros((plies, m.MAX_PV, roles), np.int32),
    }
