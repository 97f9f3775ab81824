"""`Findings`: the results of a search at its root so far, read from the memory of the kernel."""

from __future__ import annotations

from random import Random

import numpy as np
from numpy.typing import NDArray

from ludens.core import Candidate, Decision, Move, Role
from ludens.engines.base import UNKNOWN_GOAL
from ludens.search.alphabeta import memory_kernel as m
from ludens.search.alphabeta.driver import Driver
from ludens.search.alphabeta.sides import Sides
from ludens.search.alphabeta.table_kernel import EXACT
from ludens.search.alphabeta.variation import JointMoves
from ludens.search.base import Watch
from ludens.search.view import GameView


class Findings:
    """The best answer so far; `pv` always begins with `move`."""

    def __init__(self, role: int, view: GameView, sides: Sides, joint: list[int]) -> None:
        """`joint` holds a legal move of each role, for when nothing better is known."""
        self.role = role
        self.view = view
        self.sides = sides
        self.move = joint[role]
        self.value: NDArray[np.float64] | None = None
        """[sides], as the machine has it."""
        self.pv: JointMoves = [joint]
        self.candidates: dict[int, tuple[float, int, bool]] = {}
        """For each move that was looked at: value, nodes, whether that is certain."""
        self.depth = 0
        self.proven = False

    def take(self, driver: Driver, depth: int, rng: Random) -> None:
        """Read what a finished iteration found."""
        search = driver.search
        self.depth = depth
        self.value = search.result.copy()
        self.proven = bool(search.registers[m.RESULT_PROVEN] == EXACT)
        self._take_moves(driver, self._drawn(driver, rng) if search.frames[0, m.KIND] == m.MATRIX else None)

    def take_unfinished(self, driver: Driver, depth: int, alpha: float) -> None:
        """Read what an iteration found before it was broken off: its first move is the best of the one before."""
        frame, best = driver.search.frames[0], driver.search.windows[0, m.VALUE :]
        if frame[m.KIND] != m.CHOICE or frame[m.BEST] < 0 or frame[m.ROLE] != self.role or best[0] <= alpha:
            return
        self.depth = depth
        self.value = best.copy()
        self._take_moves(driver)

    def follow(self, pv: JointMoves, value: float) -> None:
        """Take a variation that was found before instead."""
        self.pv, self.move, self.value = pv, pv[0][self.role], np.array([value])
        _, nodes, _ = self.candidates.get(self.move, (value, 0, False))
        self.candidates[self.move] = value, nodes, self.proven

    def _take_moves(self, driver: Driver, drawn: int | None = None) -> None:
        """Read the move, that of the best child or the one drawn, and the principal variation as far as it is known."""
        search = driver.search
        frame = search.frames[0]
        best = int(frame[m.FIRST] if frame[m.BEST] < 0 else frame[m.BEST])  # where chance decides, none is the best
        pv = search.pvs[0, : frame[m.PV_LENGTH]].tolist() or [search.joints[best].tolist()]
        self.pv = [[driver.engine_move(move) for move in joint] for joint in pv]
        self.move = driver.engine_move(int(search.joints[best if drawn is None else drawn, self.role]))
        if self.pv[0][self.role] != self.move:
            self.pv = [[self.move if role == self.role else move for role, move in enumerate(self.pv[0])]]
        frame[m.HASH_MOVE] = search.joints[best, frame[m.ROLE]]
        self._take_candidates(driver)

    def _take_candidates(self, driver: Driver) -> None:
        """The moves at the root; their values are bounds where a better move made more needless."""
        search = driver.search
        frame, entries = search.frames[0], search.entries
        first = int(frame[m.FIRST])
        if frame[m.KIND] == m.MATRIX:
            self.candidates = {}
            columns = int(frame[m.COUNT]) // int(frame[m.ROWS])
            for row in range(int(frame[m.ROWS])):
                cells = slice(first + row * columns, first + (row + 1) * columns)
                move = driver.engine_move(int(search.joints[cells][0, self.role]))
                nodes = int(entries[cells, m.ENTRY_NODES].sum())
                proven = bool((entries[cells, m.ENTRY_PROVEN] == EXACT).all())
                value = float(search.strategy[1, row])
                self.candidates[move] = max((value, nodes, proven), self.candidates.get(move, (-1.0, 0, False)))
        elif frame[m.KIND] == m.CHOICE and frame[m.ROLE] == self.role:
            for place in range(first, first + int(frame[m.INDEX])):
                child = int(entries[place, m.ORDER])
                move = driver.engine_move(int(search.joints[child, self.role]))
                nodes = int(entries[child, m.ENTRY_NODES])
                proven = bool(entries[child, m.ENTRY_PROVEN] == EXACT)
                values = self.sides.apart(search.values[child]), self.sides.apart(search.windows[0, m.VALUE :])
                self.candidates[move] = min(float(value[0]) for value in values), nodes, proven
        else:
            assert self.value is not None
            value = float(self.sides.apart(self.value)[0])
            self.candidates = {self.move: (value, driver.nodes, self.proven)}

    def _drawn(self, driver: Driver, rng: Random) -> int:
        """Return a child by the mixed strategy at the root, for our move to it."""
        frame = driver.search.frames[0]
        rows, count = int(frame[m.ROWS]), int(frame[m.COUNT])
        row = rng.choices(range(rows), weights=driver.search.strategy[0, :rows].tolist())[0]
        return int(frame[m.FIRST]) + row * (count // rows)

    def decision(self, watch: Watch, nodes: int, hashfull: float) -> Decision:
        view = self.view
        found = self.candidates or {self.move: (UNKNOWN_GOAL, 0, False)}
        ranked = sorted(found.items(), key=lambda item: (item[0] != self.move, -item[1][0]))
        return Decision(
            move=view.move(self.move),
            values=self._values(),
            pv=tuple(view.joint(joint) for joint in self.pv),
            candidates=tuple(self._candidate(number, *what) for number, what in ranked),
            proven=self.proven,
            nodes=nodes,
            depth=self.depth,
            hashfull=hashfull,
            seconds=watch.seconds,
        )

    def _candidate(self, number: int, value: float, nodes: int, proven: bool) -> Candidate:
        move: Move = self.view.move(number)
        return Candidate(move, min(max(value, 0.0), 100.0), nodes, proven)

    def _values(self) -> dict[Role, float]:
        values = np.full(len(self.view.roles), UNKNOWN_GOAL)
        if self.value is not None:
            found = self.sides.apart(self.value)
            if self.sides.total is not None and len(found) == 2:
                found = np.array([found[0], self.sides.total - found[0]])
            for side, team in enumerate(self.sides.teams):
                values[list(team)] = found[side]
        return dict(zip(self.view.roles, np.clip(values, 0.0, 100.0).tolist(), strict=True))
