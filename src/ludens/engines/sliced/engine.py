"""The bit-sliced engine: one bit per game, hundreds of games in one pass over the gates."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from operator import index
from random import Random
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ludens.circuit import Circuit, optimised_circuit
from ludens.core import GroundTerm, Playouts, Tallies
from ludens.engines.base import (
    MAX_STEPS,
    MIN_STEP_SECONDS,
    UNKNOWN_GOAL,
    Engine,
    Expansion,
    Floats,
    Ints,
    JointMoves,
    known_goals,
)
from ludens.engines.reference import ReferenceEngine
from ludens.engines.rows import Rows, pack, unpack
from ludens.engines.sliced.expansion import WIDTH
from ludens.engines.sliced.expansion_kernel import Expanded, ExpansionMemory, list_all_moves
from ludens.engines.sliced.playout_kernel import ACTIVE, NO_LEGAL_MOVE, OVER, Memory, Tally, play
from ludens.engines.sliced.question import Question
from ludens.engines.sliced.random_kernel import seeded_state
from ludens.engines.sliced.tables import NARROW, CircuitTables
from ludens.errors import CompileError, NoLegalMoveError, UnknownFactError
from ludens.gdl.rules import Rules
from ludens.gdl.terms import term_text
from ludens.ground import GroundingLimits, GroundProgram, ground
from ludens.ground.limits import GroundingWatch, Progress
from ludens.runtime.cores import available_cores
from ludens.runtime.deadline import Deadline
from ludens.runtime.process_lock import ProcessLock, lazy_property
from ludens.runtime.threads import map_in_threads

LONGEST_GAME = 2**62
GAMES_PER_LANE = 32
"""This number of games, times the number of lanes, is one piece of work for a thread."""


class SlicedEngine:
    """Evaluates a circuit for many states at once. A row has one bit for each fluent."""

    lanes = 64 * WIDTH
    is_crowded = False

    def __init__(self, program: GroundProgram, circuit: Circuit, threads: int | None = None) -> None:
        """`threads`: how many play at the same time, by default one for each core; it changes no result."""
        self.circuit = CircuitTables(program, circuit)
        self.roles = program.roles
        self.words = self.circuit.words
        self.threads = len(available_cores()) if threads is None else threads
        if self.threads < 1:
            raise ValueError(f"there cannot be {threads} threads")
        self.rules: Rules | None = None
        self.reference: ReferenceEngine | None = None
        """What answers about percepts; it is made from the rules when it is needed."""
        self._fluent_numbers = {term: number for number, term in enumerate(program.fluents)}
        starts = self.circuit.role_starts.tolist()
        self._move_numbers: list[dict[GroundTerm, int]] = [
            {move: start + place for place, move in enumerate(moves)}
            for start, moves in zip(starts, program.moves, strict=False)
        ]
        self._memories: dict[int, list[Memory]] = {}
        self._expansion_memories: list[ExpansionMemory] = []
        self._step_seconds = 0.0
        self._lock = ProcessLock()

    @classmethod
    def compile(
        cls,
        rules: Rules,
        limits: GroundingLimits | None = None,
        *,
        deadline: Deadline | None = None,
        progress: Progress | None = None,
        threads: int | None = None,
        reference: ReferenceEngine | None = None,
    ) -> Self:
        """The engine of a game; CompileError if its rules cannot be compiled within the limits.

        >>> rules = Rules.parse("(role me) (legal me go) (<= terminal (true done)) (<= (next done) (does me go))")
        >>> SlicedEngine.compile(rules).circuit.fluents
        ('done',)
        """
        program = ground(rules, limits, deadline=deadline, progress=progress)
        watch = GroundingWatch.start(limits or GroundingLimits(), deadline, progress)
        watch.check("circuit", program.rule_count)
        circuit = optimised_circuit(program, lambda name, _: watch.check(name, program.rule_count))
        engine = cls(program, circuit, threads)
        engine.rules, engine.reference = rules, reference
        return engine

    # -- states ------------------------------------------------------------------------------

    @property
    def source(self) -> Engine:
        return self

    def fork(self) -> Engine:
        return self

    def adopt(self, other: Engine, rows: Rows) -> Rows:
        return rows if other is self else self.encode(other.decode(rows))

    def initial(self, n: int) -> Rows:
        return np.repeat(self.circuit.initial, n, axis=0)

    def encode(self, facts: Sequence[frozenset[GroundTerm]]) -> Rows:
        """UnknownFactError for a fact that play from the start never reaches."""
        bits = np.zeros((len(facts), len(self._fluent_numbers)), np.bool_)
        for row, state in enumerate(facts):
            for fact in state:
                number = self._fluent_numbers.get(fact)
                if number is None:
                    raise UnknownFactError(f"{term_text(fact)} can hold in no state that play reaches")
                bits[row, number] = True
        return pack(bits)

    def decode(self, rows: Rows) -> list[frozenset[GroundTerm]]:
        fluents = self.circuit.fluents
        return [frozenset(fluents[number] for number in np.flatnonzero(bits)) for bits in unpack(rows, len(fluents))]

    # -- questions ---------------------------------------------------------------------------

    def look(self, rows: Rows) -> Expansion:
        with self._expansion_memory() as memory:
            return self._listed(self.circuit.expander.look(memory, self.circuit.checked(rows)))

    def terminal(self, rows: Rows) -> NDArray[np.bool_]:
        return unpack(self._terminal.ask(self.circuit.checked(rows)), 1)[:, 0]

    def legal(self, rows: Rows) -> list[list[list[int]]]:
        bits = unpack(self.legal_bits(rows), len(self.circuit.moves))
        starts = self.circuit.role_starts.tolist()
        return [[(start + np.flatnonzero(row[start:end])).tolist() for start, end in pairwise(starts)] for row in bits]

    def legal_bits(self, rows: Rows) -> Rows:
        """One row per state: bit i tells whether move i is legal."""
        return self._legal.ask(self.circuit.checked(rows))

    def goals(self, rows: Rows) -> NDArray[np.int16]:
        return self.circuit.single_goals(self._goal_bits(rows))

    def goal_terms(self, rows: Rows) -> list[list[frozenset[GroundTerm]]]:
        parts = self.circuit.by_role(self._goal_bits(rows))
        return [
            [
                frozenset(terms[number] for number in np.flatnonzero(row))
                for terms, row in zip(self.circuit.goal_terms, own, strict=True)
            ]
            for own in zip(*parts, strict=True)
        ]

    def _goal_bits(self, rows: Rows) -> NDArray[np.bool_]:
        return unpack(self._goals.ask(self.circuit.checked(rows)), len(self.circuit.goal_values))

    def percepts(self, rows: Rows, joint: JointMoves) -> list[list[frozenset[GroundTerm]]]:
        """By the reference engine: the circuit does not have `sees`."""
        if self.reference is None:
            if self.rules is None:
                raise CompileError("an engine that was made of a circuit alone does not know `sees`")
            self.reference = ReferenceEngine(self.rules)
        interpreter = self.reference.interpreter
        return [
            interpreter.percepts(interpreter.encode(facts), [self.move_term(int(move)) for move in moves])
            for facts, moves in zip(self.decode(rows), joint, strict=True)
        ]

    # -- steps -------------------------------------------------------------------------------

    def step(self, rows: Rows, joint: JointMoves) -> Rows:
        moves = self._checked_moves(joint, len(rows))
        chosen = np.zeros((len(rows), len(self.circuit.moves)), np.bool_)
        chosen[np.arange(len(rows))[:, np.newaxis], moves] = True
        return self._next.ask(self.circuit.checked(rows), pack(chosen))

    def step_apart(self, rows: Rows, joint: JointMoves) -> tuple[Engine, Rows]:
        return self, self.step(rows, joint)

    def expand(self, rows: Rows, joint: JointMoves, deadline: Deadline | None = None) -> Expansion:
        moves = np.ascontiguousarray(self._checked_moves(joint, len(rows)))
        with self._expansion_memory() as memory:
            return self._listed(self.circuit.expander.expand(memory, self.circuit.checked(rows), moves))

    def _checked_moves(self, joint: JointMoves, states: int) -> Ints:
        moves = np.asarray(joint, np.int32).reshape(states, len(self.roles))
        starts = self.circuit.role_starts
        wrong = (moves < starts[:-1]) | (moves >= starts[1:])
        if wrong.any():
            raise KeyError(f"{self.roles[int(np.nonzero(wrong)[1][0])]} never has one of these moves")
        return moves

    def _listed(self, expanded: Expanded) -> Expansion:
        starts = np.zeros(expanded.goals.size + 1, np.int64)
        moves = np.empty(int(np.bitwise_count(expanded.legal).sum()), np.int32)
        list_all_moves(expanded.legal, self.circuit.role_starts, starts, moves)
        return Expansion(expanded.rows, expanded.terminal, expanded.goals, starts, moves)

    # -- moves -------------------------------------------------------------------------------

    def move_term(self, number: int) -> GroundTerm:
        return self.circuit.moves[number]

    def move_number(self, role: int, term: GroundTerm) -> int:
        return self._move_numbers[role][term]

    # -- playouts ----------------------------------------------------------------------------

    def playouts(self, rows: Rows, rng: Random, max_steps: int = MAX_STEPS) -> Playouts:
        rows = self.circuit.checked(rows)
        if (rows == rows[:1]).all():
            starts, row_of = rows[:1], np.zeros(len(rows), np.int32)
        else:
            starts, inverse = np.unique(rows, axis=0, return_inverse=True)
            row_of = inverse.astype(np.int32).ravel()
        tally = self._play(starts, row_of, np.ones(len(rows), np.int64), rng, max_steps)
        goals = self.circuit.single_goals(tally.goals > 0)
        return Playouts(goals, tally.steps.astype(np.int32), tally.ended > 0)

    def tally(self, rows: Rows, games: int, rng: Random, max_steps: int = MAX_STEPS) -> Tallies:
        """Play a number of games from each state and keep only the sums, which is the fastest way."""
        if games < 0:
            raise ValueError(f"there cannot be {games} games")
        rows = self.circuit.checked(rows)
        row_of = np.arange(len(rows), dtype=np.int32)
        tally = self._play(rows, row_of, np.full(len(rows), games, np.int64), rng, max_steps)
        parts = np.split(tally.goals, np.cumsum(self.circuit.gates.goal_counts)[:-1], axis=1)
        return Tallies(self.roles, self.circuit.role_goals, tuple(parts), tally.ended, tally.cut, tally.steps)

    def goal_sums(self, rows: Rows, games: int, rng: Random, deadline: Deadline) -> Floats:
        batches = max(1.0, len(rows) * games / self.lanes)
        if self._step_seconds == 0.0:
            self._step_seconds = self._measured_step(rows)
        steps = int(min(MAX_STEPS, max(1.0, deadline.remaining / self._step_seconds / batches)))
        begun = time.monotonic()
        try:
            tallies = self.tally(rows, games, rng, steps)
        except NoLegalMoveError:
            return sum((self._walk(rows, rng, deadline) for _ in range(games)), np.zeros((len(rows), len(self.roles))))
        longest = max(1, int(tallies.steps.max(initial=0)) // max(1, games))
        self._step_seconds = max(time.monotonic() - begun, MIN_STEP_SECONDS) / longest / batches
        return _goal_sums(tallies, games)

    def _measured_step(self, rows: Rows) -> float:
        """What a step of playouts costs; the first one loads machine code, and does not count."""
        begun = 0.0
        for _ in range(2):
            begun = time.monotonic()
            with suppress(NoLegalMoveError):
                self.tally(rows[:1], 1, Random(0), 1)
        return max(time.monotonic() - begun, MIN_STEP_SECONDS)

    def _walk(self, rows: Rows, rng: Random, deadline: Deadline) -> Floats:
        """[states, roles]: the goals of one playout from each state; slow, but roles may be stuck."""
        ends = np.full((len(rows), len(self.roles)), UNKNOWN_GOAL)
        places, seen = np.arange(len(rows)), self.look(rows)
        for _ in range(MAX_STEPS):
            ends[places[seen.terminal]] = known_goals(seen.goals[seen.terminal])
            choices = seen.choices
            going = ~seen.terminal & (choices > 0).all(axis=1)
            places, choices = places[going], choices[going]
            if not len(places) or deadline.passed:
                break
            picks = [[rng.randrange(count) for count in counts] for counts in choices.tolist()]
            firsts = seen.starts[:-1].reshape(seen.goals.shape)[going]
            seen = self.expand(seen.rows[going], seen.moves[firsts + np.array(picks)])
        return ends

    def _play(self, rows: Rows, row_of: Ints, games: NDArray[np.int64], rng: Random, max_steps: int) -> Tally:
        """Playouts, in pieces that do not depend on the number of threads."""
        tables = self.circuit
        max_steps = min(index(max_steps), LONGEST_GAME)
        width = tables.playing_width if int(games.sum()) > 64 * NARROW else NARROW
        pieces = _pieces(games, GAMES_PER_LANE * 64 * width)
        seeds = [rng.getrandbits(64) for _ in pieces]
        tally = _empty_tally(len(games), len(tables.goal_values))

        def work(number: int) -> None:
            starts, left = pieces[number]
            part = _empty_tally(len(left), len(tables.goal_values))
            with self._memory(width) as memory:
                memory.random_state[:] = seeded_state(seeds[number], width)
                if play(tables.machine, memory, rows, row_of[starts], left, max_steps, part) == NO_LEGAL_MOVE:
                    role = self._role_without_move(memory)
                    raise NoLegalMoveError(role)
            with self._lock:
                for whole, piece in zip(tally, part, strict=True):
                    whole[starts] += piece

        if len(pieces) == 1 or self.threads == 1:
            for number in range(len(pieces)):
                work(number)
        else:
            map_in_threads(work, range(len(pieces)), min(self.threads, len(pieces)))
        return tally

    def _role_without_move(self, memory: Memory) -> str:
        """The first role that has no legal move in some lane where it should have one."""
        moving = memory.mask_words[ACTIVE] & ~memory.mask_words[OVER]
        legal = self.circuit.legal_wires()
        stuck = [(moving & ~np.bitwise_or.reduce(memory.words[wires], axis=0)).any() for wires in legal]
        return self.roles[stuck.index(True)]

    # -- workspaces, each for one thread at a time -------------------------------------------

    @contextmanager
    def _memory(self, width: int) -> Iterator[Memory]:
        """Room for one batch of games; used again and again."""
        with self._lock:
            free = self._memories.setdefault(width, [])
            memory = free.pop() if free else None
        yield (memory := memory or self.circuit.new_memory(width))
        with self._lock:
            free.append(memory)

    @contextmanager
    def _expansion_memory(self) -> Iterator[ExpansionMemory]:
        """Room to expand states."""
        with self._lock:
            memory = self._expansion_memories.pop() if self._expansion_memories else None
        yield (memory := memory or self.circuit.expander.new_memory())
        with self._lock:
            self._expansion_memories.append(memory)

    @lazy_property
    def _legal(self) -> Question:
        return Question(self.circuit.gates, self.circuit.gates.legal)

    @lazy_property
    def _next(self) -> Question:
        return Question(self.circuit.gates, self.circuit.gates.next)

    @lazy_property
    def _terminal(self) -> Question:
        return Question(self.circuit.gates, np.array([self.circuit.gates.terminal], np.int32))

    @lazy_property
    def _goals(self) -> Question:
        return Question(self.circuit.gates, self.circuit.gates.goals)


def _goal_sums(tallies: Tallies, games: int) -> Floats:
    """[states, roles]: the sums of the goals of a number of games from each state."""
    sums = []
    for values, counts in zip(tallies.values, tallies.counts, strict=True):
        valid = np.array(values) >= 0
        unknown = games - counts[:, valid].sum(axis=1)
        sums.append(counts[:, valid] @ np.array(values)[valid] + UNKNOWN_GOAL * unknown)
    return np.stack(sums, axis=1)


def _pieces(games: NDArray[np.int64], size: int) -> list[tuple[slice, NDArray[np.int64]]]:
    """Starts and their numbers of games, cut into pieces of about a size."""
    parts = max(1, -(-int(games.sum()) // size))
    if len(games) >= parts:
        bounds = np.linspace(0, len(games), parts + 1).astype(int)
        slices = [slice(first, last) for first, last in pairwise(bounds)]
        return [(piece, games[piece].copy()) for piece in slices]
    return [(slice(None), (games + part) // parts) for part in range(parts)]


def _empty_tally(starts: int, goals: int) -> Tally:
    ended, cut, steps = np.zeros((3, starts), np.int64)
    return Tally(ended, cut, steps, np.zeros((starts, goals), np.int64))
