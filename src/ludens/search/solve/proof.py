"""Games that are too big to look at all of their states: alpha-beta may still prove the value of the start."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from random import Random

from ludens.analysis.kind import GameKind, game_kind
from ludens.core import Limit
from ludens.game import State
from ludens.gdl.keywords import CHANCE
from ludens.runtime.deadline import Deadline
from ludens.search.alphabeta import AlphaBetaOptions, AlphaBetaSearcher
from ludens.search.solve.limits import LimitName, SolveBudget
from ludens.search.solve.solution import Solution

SEED = 0
"""Moves that look alike are ordered by chance, which changes the time but not the value."""
KIND_SHARE = 0.1
"""The part of the time that is left for finding out the kind of game."""
TABLE_SHARE = 0.5
"""The part of the memory that the table may take; the rest is for the states that are being looked at."""


class AlphaBetaProof:
    """What alpha-beta can do within what is left of the limits.

    It is for two sides where one wins what the other loses, as random games show it, on the compiled engine; the
    solution gives the value and a principal variation, but not what each first move is worth.
    """

    def __init__(self, state: State, budget: SolveBudget) -> None:
        self._state = state
        self._budget = budget
        self._players = [role for role in state.game.roles if role.lower() != CHANCE]

    @property
    def is_possible(self) -> bool:
        """Whether the game is of the right kind, and some time and states are left."""
        budget = self._budget
        return budget.states < budget.limits.states and not budget.deadline.passed and self._kind is not None

    @cached_property
    def _kind(self) -> GameKind | None:
        """The kind of a game that it is for; None for all others."""
        game = self._state.game
        if len(self._players) < 2 or game.engine.circuit is None:
            return None
        kind = game_kind(game, Random(SEED), deadline=Deadline(KIND_SHARE * self._budget.deadline.remaining))
        return kind if kind.constant_sum and len(kind.teams) == 2 else None

    def complete(self, given_up: Solution) -> Solution:
        """The value by alpha-beta, deeper and deeper; or the solution that was given up, and why alpha-beta was, too.

        The states of both count.
        """
        if not self.is_possible:
            return given_up
        budget = self._budget
        budget.report("proving by alpha-beta")
        role = max(self._players, key=lambda role: len(self._state.legal_moves(role)))
        table_bytes = min(AlphaBetaOptions().table_bytes, int(TABLE_SHARE * budget.limits.memory))
        options = AlphaBetaOptions(simultaneous="equilibrium", table_bytes=table_bytes)
        searcher = _DuelSearcher(self._state.game, role, options=options, kind=self._kind)
        limit = Limit(budget.deadline, nodes=budget.limits.states - budget.states)
        decision = searcher.search(self._state, limit, Random(SEED))
        budget.states += decision.nodes
        if decision.proven and searcher.is_duel:
            return Solution(
                outcome="solved",
                method="alpha-beta",
                states=budget.states,
                depth=decision.depth,
                seconds=budget.seconds,
                values={player: decision.values[player] for player in self._players},
                pv=decision.pv,
            )
        depth = max(given_up.depth, decision.depth)
        return replace(given_up, states=budget.states, depth=depth, limit=self._reached() or given_up.limit)

    def _reached(self) -> LimitName | None:
        if self._budget.deadline.passed:
            return "seconds"
        return "states" if self._budget.states >= self._budget.limits.states else None


class _DuelSearcher(AlphaBetaSearcher):
    """Tells whether all ends that it met were of the kind that it was given; if not, its value proves nothing."""

    @property
    def is_duel(self) -> bool:
        return self._kind is not None and self._kind.constant_sum
