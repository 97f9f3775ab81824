"""A player that needs no knowledge of the game: it plays each of its moves out at random, many times.

This is flat Monte Carlo: the moves of the present state are the arms of a bandit (UCB1), everything
after them is random. Two plies are looked at exactly, so that it neither misses a win nor walks into a loss.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product, takewhile
from random import Random

from ludens.core import Clocks, Deadline, Move, Role
from ludens.errors import NoLegalMoveError
from ludens.game import State
from ludens.gdl.keywords import CHANCE
from ludens.gdl.rules import Rules
from ludens.players.base import FollowingPlayer

BATCH = 4
"""Playouts between two choices of a move when there is no clock."""
SHORT, LONG, LARGEST_BATCH = 0.005, 0.02, 512
"""With a clock, there are as many as fit between these seconds, up to a number."""
START_SHARE = 0.7
"""The part of the start clock that the game may take to be compiled; after that it goes on in the background."""
DEFAULT_PLAYOUTS = 500
"""How many playouts are made when there is no clock."""
MAX_WORK = 4_000
"""How many states the playouts visit at most when there is no clock: long games get fewer playouts."""
MAX_LOOKAHEAD = 1_000
"""How many states the exact look ahead visits at most."""
MAX_REPLIES = 50
"""How many combinations of moves that others make at the same time are looked at."""
MAX_STEPS = 10_000
FIRST_STEPS = 1
"""How long the first playouts may be, while it is not known how fast the game is."""
UNKNOWN = 0.5
"""The value of a playout that was cut, or that the rules give none."""
WIN = 100


@dataclass
class _Arm:
    """What is known about a move: the sum of its values in [0, 1], and from how many playouts."""

    total: float = 0.0
    count: int = 0

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else 0.0


class MonteCarloPlayer(FollowingPlayer):
    """Thinks until shortly before the deadline or, for play that can be repeated, for a number of playouts."""

    def __init__(self, rng: Random, playouts: int | None = None) -> None:
        super().__init__("montecarlo")
        self._rng = rng
        self._playouts = playouts

    def start(self, rules: Rules, role: str, clocks: Clocks, deadline: Deadline) -> None:
        super().start(rules, role, clocks, deadline)
        if self._playouts is None and math.isfinite(deadline.remaining):
            self.state.game.compile(Deadline(START_SHARE * deadline.remaining))

    def choose(self, state: State, role: Role, deadline: Deadline) -> Move:
        legal = state.legal_moves(role)
        if len(legal) == 1:
            return legal[0]
        search = _Search(state, role, self._rng)
        if self._playouts is not None or math.isinf(deadline.remaining):
            return search.by_playouts(self._playouts or DEFAULT_PLAYOUTS)
        return search.by_time(deadline)


class _Search:
    """The choice of one move."""

    def __init__(self, state: State, role: Role, rng: Random) -> None:
        self._state, self._role, self._rng = state, role, rng
        self._moves = state.legal_moves(role)
        self._others = [other for other in state.game.roles if other != role]
        self._arms = {move: _Arm() for move in self._moves}
        self._successors: dict[tuple[Move, ...], State] = {}
        self._visited = 0

    def by_playouts(self, playouts: int) -> Move:
        candidates = self._candidates(Deadline.never())
        made = steps = 0
        while len(candidates) > 1 and made < playouts and steps < MAX_WORK:
            steps += self._simulate(candidates, BATCH, MAX_STEPS, wait=True)
            made += BATCH
        return self._best(candidates)

    def by_time(self, deadline: Deadline) -> Move:
        """Think until a reserve of time is left.

        Nothing stops a playout that has begun, so the first ones are short, and show how long they may be.
        """
        reserve, longest, step, limit, batch = min(0.1, deadline.remaining / 10), 0.0, 0.0, FIRST_STEPS, 1
        candidates = self._candidates(Deadline(deadline.remaining / 3))
        while len(candidates) > 1 and deadline.remaining > reserve + longest:
            affordable = int((deadline.remaining - reserve) / 3 / step) if step else limit
            begun = time.monotonic()
            steps = self._simulate(candidates, batch, max(1, min(limit, affordable // batch)), wait=False)
            seconds = time.monotonic() - begun
            longest, step = max(longest, seconds), seconds / max(1, steps)
            limit = min(MAX_STEPS, 2 * limit)
            if seconds < SHORT:
                batch = min(2 * batch, LARGEST_BATCH)
            elif seconds > LONG:
                batch = max(1, batch // 2)
        return self._best(candidates)

    def _candidates(self, deadline: Deadline) -> Sequence[Move]:
        """A move that wins at once; otherwise those after which nobody can at once win against us.

        What was not looked at when the time is over is taken to be good.
        """
        for move in self._moves:
            if deadline.passed:
                return self._moves
            if all(self._is_won(state) for state in self._after(move)):
                return [move]
        safe = [move for move in self._moves if not self._can_be_answered(move, deadline)]
        return safe or self._moves

    def _can_be_answered(self, move: Move, deadline: Deadline) -> bool:
        return not deadline.passed and any(
            self._can_be_beaten(state, deadline)
            for state in takewhile(lambda _: not deadline.passed, self._after(move))
        )

    def _after(self, move: Move) -> Iterator[State]:
        """The states that a move can lead to; some of them, if the others have too many moves."""
        options = [self._state.legal_moves(other) for other in self._others]
        if math.prod(map(len, options)) <= MAX_REPLIES:
            replies = product(*options)
            yield from (self._successor(move, reply) for reply in replies)
        else:
            yield from (self._random_successor(move) for _ in range(MAX_REPLIES))

    def _random_successor(self, move: Move) -> State:
        reply = [self._rng.choice(self._state.legal_moves(other)) for other in self._others]
        return self._successor(move, tuple(reply))

    def _successor(self, move: Move, reply: tuple[Move, ...]) -> State:
        key = (move, *reply)
        if key not in self._successors:
            self._visited += 1
            self._successors[key] = self._state.next({self._role: move, **dict(zip(self._others, reply, strict=True))})
        return self._successors[key]

    def _is_won(self, state: State) -> bool:
        return state.is_terminal and state.goals[self._role] == WIN

    def _can_be_beaten(self, state: State, deadline: Deadline) -> bool:
        """Whether the one player to move can end the game at once with more than we get."""
        if deadline.passed or self._visited > MAX_LOOKAHEAD or state.is_terminal:
            return False
        movers = [role for role in state.game.roles if len(state.legal_moves(role)) > 1]
        if len(movers) != 1 or movers[0] == self._role or movers[0].lower() == CHANCE:
            return False
        for move in state.legal_moves(movers[0]):
            if deadline.passed:
                return False
            self._visited += 1
            end = state.next({movers[0]: move})
            if end.is_terminal and (end.goals[movers[0]] or 0) > (end.goals[self._role] or 0):
                return True
        return False

    def _simulate(self, candidates: Sequence[Move], batch: int, max_steps: int, wait: bool) -> int:
        """Some playouts of the move that UCB1 selects; returns how many steps they had."""
        tried = sum(arm.count for arm in self._arms.values())
        move = max(candidates, key=lambda move: self._bound(self._arms[move], tried))
        state = self._random_successor(move)
        arm = self._arms[move]
        arm.count += batch
        try:
            ends = state.game.playouts(state, batch, self._rng, max_steps, wait=wait)
        except NoLegalMoveError:
            arm.total += batch * UNKNOWN
            return max_steps
        goals = ends.goals[:, state.game.role_index(self._role)].tolist()
        arm.total += sum(goal / WIN if goal >= 0 else UNKNOWN for goal in goals)
        return int(ends.lengths.sum())

    def _bound(self, arm: _Arm, tried: int) -> float:
        return arm.mean + math.sqrt(2 * math.log(tried) / arm.count) if arm.count else math.inf

    def _best(self, candidates: Sequence[Move]) -> Move:
        return max(candidates, key=lambda move: (self._arms[move].count, self._arms[move].mean))
