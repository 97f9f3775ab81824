"""`CircuitTables`: a game as a circuit, with all that kernels need to evaluate it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ludens.circuit import Circuit
from ludens.core import GroundTerm, goal_number
from ludens.engines.base import Ints
from ludens.engines.rows import Rows, pack, row_words
from ludens.engines.sliced.choice_kernel import ChoicePlan, plan_choice
from ludens.engines.sliced.expansion import Expander
from ludens.engines.sliced.layout import FIRST_FLUENT, ZERO_WIRE, Layout, lay_out, new_wires
from ludens.engines.sliced.playout_kernel import MASKS, Machine, Memory
from ludens.engines.sliced.vectors import aligned_vectors, words_of
from ludens.ground import GroundProgram
from ludens.runtime.process_lock import lazy_property

NARROW, WIDE = 8, 16
"""Words per wire: for up to 512 games at once, and for more."""
CACHE_BYTES = 16 * 2**20
"""Where wide wires would take more than this, narrow ones are faster: what is read again and again stays near."""


class CircuitTables:
    """The gates of a game, what its fluents, moves and goals stand for, and the tables of kernels."""

    def __init__(self, program: GroundProgram, circuit: Circuit) -> None:
        self.gates = circuit
        self.roles = program.roles
        self.fluents = program.fluents
        self.words = row_words(len(program.fluents))
        self.initial: Rows = pack(program.init[np.newaxis])
        """[1, words]"""
        self.moves: tuple[GroundTerm, ...] = tuple(move for moves in program.moves for move in moves)
        """By their numbers, through all roles."""
        self.role_starts: Ints = np.concatenate([[0], np.cumsum(circuit.move_counts)]).astype(np.int32)
        """[roles + 1]: where the moves of a role begin."""
        self.goal_terms = program.goal_values
        """For each role the values that the rules can give."""
        self.role_goals = tuple(tuple(map(goal_number, terms)) for terms in program.goal_values)
        """The same as numbers; -1 for one that is no number from 0 to 100."""
        self.goal_values: NDArray[np.int16] = np.array([goal for own in self.role_goals for goal in own], np.int16)
        """The same for all roles one after the other."""

    def by_role(self, bits: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
        """Split goals [states, goals] into those of each role."""
        return np.split(bits, np.cumsum(self.gates.goal_counts)[:-1], axis=1)

    def single_goals(self, bits: NDArray[np.bool_]) -> NDArray[np.int16]:
        """[states, roles]: the number of the one goal that holds, or -1."""
        goals = np.full((len(bits), len(self.roles)), -1, np.int16)
        for role, part in enumerate(self.by_role(bits)):
            values = np.array(self.role_goals[role], np.int16)
            single, column = np.nonzero(part & (part.sum(axis=1) == 1)[:, np.newaxis])
            goals[single, role] = values[column]
        return goals

    def checked(self, rows: Rows) -> Rows:
        """Return states in the layout that kernels take without looking; ValueError for what are no states."""
        if rows.ndim != 2 or rows.shape[1] != self.words or rows.dtype != np.uint64:
            raise ValueError(
                f"states are rows of {self.words} words (uint64) for this game, not {rows.dtype}{rows.shape}"
            )
        spare = 64 * self.words - len(self.fluents)
        if spare and (rows[:, -1] >> np.uint64(64 - spare)).any():
            raise ValueError(f"states have bits beyond the {len(self.fluents)} fluents of this game")
        return np.ascontiguousarray(rows)

    # -- for kernels -------------------------------------------------------------------------

    @lazy_property
    def expander(self) -> Expander:
        """What searches expand states with."""
        return Expander(self.gates, self.goal_values)

    @property
    def playing_width(self) -> int:
        """Words per wire that are faster for many playouts."""
        return WIDE if 8 * WIDE * self.playing.wire_count <= CACHE_BYTES else NARROW

    def new_player(self, width: int | None = None) -> tuple[Machine, Memory, Ints]:
        """Return the tables, room for one thread, and the wires of the legal moves, for kernels that play.

        `width`: NARROW or WIDE, by default what is faster.
        """
        return self.machine, self.new_memory(width or self.playing_width), self.playing.outputs[0][:-1].copy()

    def new_memory(self, width: int) -> Memory:
        """Return room for the playouts of one thread."""
        values = new_wires(self.playing.wire_count, width)
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
    def playing(self) -> Layout:
        """The wires of playouts: first legal moves and the end, then the next state, then the goals."""
        gates = self.gates
        return lay_out(gates, [np.append(gates.legal, gates.terminal), gates.next, gates.goals], copied=1)

    @lazy_property
    def _choice(self) -> ChoicePlan:
        firsts = self.playing.first_move + self.role_starts[:-1]
        return plan_choice([wires.tolist() for wires in self.legal_wires()], firsts.tolist(), ZERO_WIRE)

    def legal_wires(self) -> list[Ints]:
        """Return the wires of playouts that tell which moves of each role are legal."""
        return np.split(self.playing.outputs[0][:-1], self.role_starts[1:-1])

    @lazy_property
    def machine(self) -> Machine:
        """The tables of playouts."""
        layout, choice = self.playing, self._choice
        return Machine(
            look=layout.phases[0],
            step=layout.phases[1],
            score=layout.phases[2],
            terminal=int(layout.outputs[0][-1]),
            first_fluent=FIRST_FLUENT,
            next_wires=layout.outputs[1],
            goal_wires=layout.outputs[2],
            goal_roles=np.repeat(np.arange(len(self.roles), dtype=np.int32), self.gates.goal_counts),
            legal=choice.legal,
            roles=choice.roles,
            levels=choice.levels,
        )
