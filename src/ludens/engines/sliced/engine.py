"""The bit-sliced engine: one bit per game, hundreds of games in one pass over the gates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from operator import index
from random import Random
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ludens.circuit import Circuit, optimised_circuit
from ludens.core import GroundTerm, Playouts, Tallies, goal_number
from ludens.engines.sliced.choice_kernel import ChoicePlan, plan_choice
from ludens.engines.sliced.expansion import Expander
from ludens.engines.sliced.layout import FIRST_FLUENT, ZERO_WIRE, Ints, Layout, lay_out, new_wires
from ludens.engines.sliced.playout_kernel import ACTIVE, MASKS, NO_LEGAL_MOVE, OVER, Machine, Memory, Tally, play
from ludens.engines.sliced.question import Question
from ludens.engines.sliced.random_kernel import seeded_state
from ludens.engines.sliced.rows import Rows, pack, row_words, unpack
from ludens.engines.sliced.vectors import aligned_vectors, words_of
from ludens.errors import NoLegalMoveError, UnknownFactError
from ludens.gdl.rules import Rules
from ludens.gdl.terms import natural_key, term_text
from ludens.ground import GroundingLimits, GroundProgram, ground
from ludens.ground.limits import GroundingWatch, Progress
from ludens.runtime.cores import available_cores
from ludens.runtime.deadline import Deadline
from ludens.runtime.process_lock import ProcessLock, lazy_property
from ludens.runtime.threads import map_in_threads

NARROW, WIDE = 8, 16
"""Words per wire: for up to 512 games at once, and for more."""
CACHE_BYTES = 16 * 2**20
"""Where wide wires would take more than this, narrow ones are faster: what is read again and again stays near."""
MAX_STEPS = 2**62
GAMES_PER_LANE = 32
"""So many games, times the number of lanes, are one piece of work for a thread."""


class SlicedEngine:
    """Evaluates a circuit for many states at once. A batch of states is an array of bits, one row per state."""

    def __init__(self, program: GroundProgram, circuit: Circuit, threads: int | None = None) -> None:
        """`threads`: how many play at the same time, by default one for each core; it changes no result."""
        self.roles = program.roles
        self.fluents = program.fluents
        self.circuit = circuit
        self.threads = len(available_cores()) if threads is None else threads
        if self.threads < 1:
            raise ValueError(f"there cannot be {threads} threads")
        self._fluent_numbers = {term: number for number, term in enumerate(program.fluents)}
        self._terms = sorted({move for moves in program.moves for move in moves}, key=natural_key)
        self._numbers = {move: number for number, move in enumerate(self._terms)}
        self._role_moves = [np.array([self._numbers[move] for move in moves], np.int64) for moves in program.moves]
        self._goal_terms = program.goal_values
        self._initial = pack(program.init[np.newaxis])
        self._memories: dict[int, list[Memory]] = {}
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
    ) -> Self:
        """The engine of a game; CompileError if its rules cannot be compiled within the limits.

        >>> rules = Rules.parse("(role me) (legal me go) (<= terminal (true done)) (<= (next done) (does me go))")
        >>> SlicedEngine.compile(rules).fluents
        ('done',)
        """
        program = ground(rules, limits, deadline=deadline, progress=progress)
        watch = GroundingWatch.start(limits or GroundingLimits(), deadline, progress)
        watch.check("circuit", program.rule_count)
        circuit = optimised_circuit(program, lambda name, _: watch.check(name, program.rule_count))
        return cls(program, circuit, threads)

    # -- Engine ------------------------------------------------------------------------------

    def initial(self, n: int) -> Rows:
        return self.repeat(self._initial, n)

    def repeat(self, states: Rows, n: int) -> Rows:
        return np.repeat(states, n, axis=0)

    def encode(self, facts: Sequence[frozenset[GroundTerm]]) -> Rows:
        """UnknownFactError for a fact that play from the start never reaches."""
        bits = np.zeros((len(facts), len(self.fluents)), np.bool_)
        for row, state in enumerate(facts):
            for fact in state:
                number = self._fluent_numbers.get(fact)
                if number is None:
                    raise UnknownFactError(f"{term_text(fact)} can hold in no state that play reaches")
                bits[row, number] = True
        return pack(bits)

    def decode(self, states: Rows) -> list[frozenset[GroundTerm]]:
        return [
            frozenset(self.fluents[number] for number in np.flatnonzero(bits))
            for bits in unpack(states, len(self.fluents))
        ]

    def legal(self, states: Rows) -> list[list[list[int]]]:
        bits = unpack(self.legal_bits(states), self.circuit.move_count)
        parts = np.split(bits, np.cumsum(self.circuit.move_counts)[:-1], axis=1)
        return [
            [numbers[row].tolist() for numbers, row in zip(self._role_moves, rows, strict=True)]
            for rows in zip(*parts, strict=True)
        ]

    def legal_bits(self, states: Rows) -> Rows:
        """One row per state: bit i tells whether move i is legal, the moves of all roles one after the other."""
        return self._legal.ask(self._rows(states))

    def advance(self, states: Rows, moves: Sequence[Sequence[int]]) -> Rows:
        states = self._rows(states)
        chosen = np.zeros((len(states), self.circuit.move_count), np.bool_)
        offset = 0
        joint = np.asarray(moves, np.int64).reshape(len(states), len(self.roles))
        for role, numbers in enumerate(self._role_moves):
            if not np.isin(joint[:, role], numbers).all():
                raise KeyError(f"{self.roles[role]} never has one of these moves")
            places = np.searchsorted(numbers, joint[:, role])
            chosen[np.arange(len(states)), offset + places] = True
            offset += len(numbers)
        return self._next.ask(states, pack(chosen))

    def terminal(self, states: Rows) -> NDArray[np.bool_]:
        return unpack(self._terminal.ask(self._rows(states)), 1)[:, 0]

    def goals(self, states: Rows) -> NDArray[np.int16]:
        bits = unpack(self._goals.ask(self._rows(states)), len(self.circuit.goals))
        return self.single_goals(bits)

    def goal_terms(self, states: Rows) -> list[list[frozenset[GroundTerm]]]:
        bits = unpack(self._goals.ask(self._rows(states)), len(self.circuit.goals))
        parts = np.split(bits, np.cumsum(self.circuit.goal_counts)[:-1], axis=1)
        return [
            [
                frozenset(terms[number] for number in np.flatnonzero(row))
                for terms, row in zip(self._goal_terms, rows, strict=True)
            ]
            for rows in zip(*parts, strict=True)
        ]

    def playouts(self, states: Rows, rng: Random, max_steps: int = 10_000) -> Playouts:
        states = self._rows(states)
        if (states == states[:1]).all():
            rows, row_of = states[:1], np.zeros(len(states), np.int32)
        else:
            rows, inverse = np.unique(states, axis=0, return_inverse=True)
            row_of = inverse.astype(np.int32).ravel()
        tally = self._play(rows, row_of, np.ones(len(states), np.int64), rng, max_steps)
        return Playouts(self.single_goals(tally.goals > 0), tally.steps.astype(np.int32), tally.ended > 0)

    def move_term(self, number: int) -> GroundTerm:
        return self._terms[number]

    def move_number(self, term: GroundTerm) -> int:
        return self._numbers[term]

    # -- beyond the protocol -----------------------------------------------------------------

    def tally(self, states: Rows, games: int, rng: Random, max_steps: int = 10_000) -> Tallies:
        """So many random games from each state; only what they came to in sum is kept, which is the fastest way."""
        if games < 0:
            raise ValueError(f"there cannot be {games} games")
        states = self._rows(states)
        row_of = np.arange(len(states), dtype=np.int32)
        tally = self._play(states, row_of, np.full(len(states), games, np.int64), rng, max_steps)
        parts = np.split(tally.goals, np.cumsum(self.circuit.goal_counts)[:-1], axis=1)
        values = tuple(tuple(map(goal_number, terms)) for terms in self._goal_terms)
        return Tallies(self.roles, values, tuple(parts), tally.ended, tally.cut, tally.steps)

    @lazy_property
    def expander(self) -> Expander:
        """What a search expands states with."""
        values = [goal_number(term) for terms in self._goal_terms for term in terms]
        return Expander(self.circuit, np.array(values, np.int16))

    def column_numbers(self) -> NDArray[np.int64]:
        """The number of each move as the expander and `legal_bits` count them: all roles one after the other."""
        return np.concatenate(self._role_moves)

    def new_player(self, width: int | None = None) -> tuple[Machine, Memory, Ints]:
        """The tables, room for one thread, and the wires of the legal moves; for kernels that play in their own way.

        `width`: NARROW or WIDE, by default what is faster.
        """
        width = width or (WIDE if 8 * WIDE * self._playing.wire_count <= CACHE_BYTES else NARROW)
        return self._machine, self._new_memory(width), self._playing.outputs[0][:-1].copy()

    # -- play --------------------------------------------------------------------------------

    def _play(self, rows: Rows, row_of: Ints, games: NDArray[np.int64], rng: Random, max_steps: int) -> Tally:
        """Random games, in pieces that do not depend on the number of threads."""
        max_steps = min(index(max_steps), MAX_STEPS)
        total = int(games.sum())
        wide = total > 64 * NARROW and 8 * WIDE * self._playing.wire_count <= CACHE_BYTES
        width = WIDE if wide else NARROW
        pieces = _pieces(games, GAMES_PER_LANE * 64 * width)
        seeds = [rng.getrandbits(64) for _ in pieces]
        tally = _empty_tally(len(games), len(self.circuit.goals))

        def work(number: int) -> None:
            starts, left = pieces[number]
            part = _empty_tally(len(left), len(self.circuit.goals))
            with self._memory(width) as memory:
                memory.random_state[:] = seeded_state(seeds[number], width)
                if play(self._machine, memory, rows, row_of[starts], left, max_steps, part) == NO_LEGAL_MOVE:
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
        legal = np.split(self._playing.outputs[0][:-1], np.cumsum(self.circuit.move_counts)[:-1])
        stuck = [(moving & ~np.bitwise_or.reduce(memory.words[wires], axis=0)).any() for wires in legal]
        return self.roles[stuck.index(True)]

    @contextmanager
    def _memory(self, width: int) -> Iterator[Memory]:
        """Room for one batch of games; used again and again, by one thread at a time."""
        with self._lock:
            free = self._memories.setdefault(width, [])
            memory = free.pop() if free else None
        yield (memory := memory or self._new_memory(width))
        with self._lock:
            free.append(memory)

    def _new_memory(self, width: int) -> Memory:
        values = new_wires(self._playing.wire_count, width)
        bank, masks = aligned_vectors(len(self.fluents), width), aligned_vectors(MASKS, width)
        lanes = 64 * width
        return Memory(
            values=values,
            words=words_of(values),
            bank=bank,
            bank_words=words_of(bank),
            scratch=aligned_vectors(self._choice.scratch_size, width),
            random_state=aligned_vectors(4, width),
            masks=masks,
            mask_words=words_of(masks),
            lane_start=np.zeros(lanes, np.int32),
            lane_row=np.zeros(lanes, np.int32),
            lane_birth=np.zeros(lanes, np.int64),
            queue=np.zeros(2, np.int64),
        )

    @lazy_property
    def _playing(self) -> Layout:
        circuit = self.circuit
        return lay_out(circuit, [np.append(circuit.legal, circuit.terminal), circuit.next, circuit.goals], copied=1)

    @lazy_property
    def _choice(self) -> ChoicePlan:
        layout, counts = self._playing, self.circuit.move_counts
        legal = np.split(layout.outputs[0][:-1], np.cumsum(counts)[:-1])
        firsts = layout.first_move + np.cumsum([0, *counts[:-1]])
        return plan_choice([wires.tolist() for wires in legal], firsts.tolist(), ZERO_WIRE)

    @lazy_property
    def _machine(self) -> Machine:
        layout, choice = self._playing, self._choice
        return Machine(
            look=layout.phases[0],
            step=layout.phases[1],
            score=layout.phases[2],
            terminal=int(layout.outputs[0][-1]),
            first_fluent=FIRST_FLUENT,
            next_wires=layout.outputs[1],
            goal_wires=layout.outputs[2],
            goal_roles=np.repeat(np.arange(len(self.roles), dtype=np.int32), self.circuit.goal_counts),
            legal=choice.legal,
            roles=choice.roles,
            levels=choice.levels,
        )

    # -- single questions --------------------------------------------------------------------

    @lazy_property
    def _legal(self) -> Question:
        return Question(self.circuit, self.circuit.legal)

    @lazy_property
    def _next(self) -> Question:
        return Question(self.circuit, self.circuit.next)

    @lazy_property
    def _terminal(self) -> Question:
        return Question(self.circuit, np.array([self.circuit.terminal], np.int32))

    @lazy_property
    def _goals(self) -> Question:
        return Question(self.circuit, self.circuit.goals)

    def _rows(self, states: Rows) -> Rows:
        """The states in the layout that the kernels take without looking."""
        shape = row_words(len(self.fluents))
        if states.ndim != 2 or states.shape[1] != shape or states.dtype != np.uint64:
            raise ValueError(
                f"states are rows of {shape} words (uint64) for this game, not {states.dtype}{states.shape}"
            )
        spare = 64 * shape - len(self.fluents)
        if spare and (states[:, -1] >> np.uint64(64 - spare)).any():
            raise ValueError(f"states have bits beyond the {len(self.fluents)} fluents of this game")
        return np.ascontiguousarray(states)

    def single_goals(self, bits: NDArray[np.bool_]) -> NDArray[np.int16]:
        """[states, roles]: the number of the one goal that holds, or -1."""
        goals = np.full((len(bits), len(self.roles)), -1, np.int16)
        parts = np.split(bits, np.cumsum(self.circuit.goal_counts)[:-1], axis=1)
        for role, (part, terms) in enumerate(zip(parts, self._goal_terms, strict=True)):
            values = np.array([goal_number(term) for term in terms], np.int16)
            single, column = np.nonzero(part & (part.sum(axis=1) == 1)[:, np.newaxis])
            goals[single, role] = values[column]
        return goals


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
