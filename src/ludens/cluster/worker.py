"""`SearchWorker`: searches by one idea at a time, and suggests a move after each depth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from random import Random
from typing import TypeAlias

from ludens.cluster.orders import AnyMatch, MatchOrder, Share, Suggestion, TreeOrder, TurnOrder
from ludens.core import Candidate, Decision, Limit, Move, Role, Searcher
from ludens.engines.base import UNKNOWN_GOAL
from ludens.errors import LudensError, NoLegalMoveError, PlayError
from ludens.evaluation.simple.evaluator import HeuristicEvaluator
from ludens.game import Game, State
from ludens.runtime.deadline import Deadline
from ludens.search.alphabeta import AlphaBetaSearcher
from ludens.search.mcts import MctsSearcher

PrincipalVariation: TypeAlias = tuple[Mapping[Role, Move], ...]

MAX_DEPTH = 500
MAX_PV = 12
"""The most joint moves of a principal variation in a suggestion."""
SLICE_SECONDS = 0.2
"""Seconds between two suggestions of a tree that grows."""
KEPT_SEARCHERS = 2
"""The searchers that are kept with what they remember; the least recently used one goes first."""


def make_searcher(game: Game, match: AnyMatch, heuristic: int | None) -> Searcher:
    """Return a searcher by one of the heuristics of a match, by none, or of Monte Carlo trees."""
    if isinstance(match, TreeOrder):
        return MctsSearcher(game, match.role, threads=1)
    if heuristic is None:
        return AlphaBetaSearcher(game, match.role, options=match.options, kind=match.kind)
    evaluator = HeuristicEvaluator(game, match.role, match.kind, match.heuristics[heuristic])
    return AlphaBetaSearcher(game, match.role, evaluator, match.options, match.kind)


class SearchWorker:
    """A searcher for a pool, wherever it runs: `search` yields suggestions, and `stop` ends that."""

    def __init__(self, game: Game | None = None) -> None:
        """`game`: one that is compiled already, if there is one."""
        self._game = game
        self._match: AnyMatch | None = None
        self._searchers: dict[int | None, Searcher] = {}
        self._turn: Deadline | None = None

    def begin(self, match: AnyMatch) -> None:
        """Get ready for a match; the rules are compiled if they can be."""
        if self._game is None or self._game.rules != match.rules:
            self._game = Game(match.rules)
        self._game.compile()
        self._match, self._searchers = match, {}
        state = self._game.initial_state()
        for heuristic in (0, None) if isinstance(match, MatchOrder) and match.heuristics else (None,):
            with suppress(LudensError):  # the first search loads machine code, which is not to happen in a turn
                self._searcher(heuristic).search(state, Limit.of(nodes=1), Random(0))

    def search(self, order: TurnOrder) -> Iterator[Suggestion]:
        """Yield suggestions, each from a deeper search, until time is over, all is known, or it is stopped."""
        if self._game is None:
            raise PlayError("the worker has no match; give it one first")
        state, searcher = self._game.state(order.facts), self._searcher(order.task.heuristic)
        self._turn = deadline = Deadline(order.seconds)
        if isinstance(self._match, TreeOrder):
            yield from self._grow(order, state, searcher, deadline)
        elif order.task.share:
            yield from self._deepen_share(order, order.task.share, state, searcher, deadline)
        else:
            yield from self._deepen(order, state, searcher, deadline)
        self._turn = None

    def _deepen(self, order: TurnOrder, state: State, searcher: Searcher, deadline: Deadline) -> Iterator[Suggestion]:
        """Yield a suggestion after each depth; an interrupted last search counts as no deeper."""
        nodes = 0
        for depth in range(1, min(order.depth or MAX_DEPTH, MAX_DEPTH) + 1):
            left = None if order.nodes is None else max(1, order.nodes - nodes)
            decision = searcher.search(state, Limit(deadline, left, depth), Random(order.task.seed))
            nodes += decision.nodes
            spent = left is not None and decision.nodes >= left
            over = deadline.passed or spent
            if decision.depth:
                yield self._suggestion(order, state, decision, depth - (over and not decision.proven), nodes)
            if over or decision.proven or decision.depth < depth:
                break

    def _deepen_share(
        self, order: TurnOrder, share: Share, state: State, searcher: Searcher, deadline: Deadline
    ) -> Iterator[Suggestion]:
        """Yield the values of the moves of a share, after each depth to which all of them were searched.

        It ends where a move leads to a state in which a role has no move.
        """
        role, nodes = self._role(state), 0
        after: dict[Move, State] = {}
        found: dict[Move, Candidate] = {}
        pvs: dict[Move, PrincipalVariation] = {}
        for move in share.of(state.legal_moves(role)):
            if deadline.passed:
                return
            after[move] = child = state.next({role: move})
            if child.is_terminal:
                found[move] = _at_end(move, child, role)
        for depth in range(2, min(order.depth or MAX_DEPTH, MAX_DEPTH) + 1):
            for move in [move for move in after if move not in found or not found[move].proven]:
                left = None if order.nodes is None else order.nodes - nodes
                if deadline.passed or left == 0:
                    return
                try:
                    decision = searcher.search(after[move], Limit(deadline, left, depth - 1), Random(order.task.seed))
                except NoLegalMoveError:
                    return
                nodes += decision.nodes
                if not decision.proven and (deadline.passed or decision.nodes == left or decision.depth < depth - 1):
                    return
                found[move] = Candidate(move, decision.values[role], decision.nodes, decision.proven)
                pvs[move] = decision.pv
            listed = tuple(sorted(found.values(), key=lambda one: -one.value))
            best, known = listed[0], all(one.proven for one in listed)
            pv = (_only_choice(state, role, best.move), *pvs.get(best.move, ()))[:MAX_PV]
            yield Suggestion(order.turn, order.task, best.move, best.value, depth, known, nodes, pv, listed)
            if known:
                return

    def _grow(self, order: TurnOrder, state: State, searcher: Searcher, deadline: Deadline) -> Iterator[Suggestion]:
        """Yield a suggestion after each slice of time; the tree goes on growing from one to the next."""
        nodes, rng = 0, Random(order.task.seed)
        while True:
            whole = order.nodes is not None or order.depth is not None
            until = deadline if whole else deadline.share(at_most=SLICE_SECONDS)
            decision = searcher.search(state, Limit(until, order.nodes, order.depth), rng)
            nodes += decision.nodes
            yield self._suggestion(order, state, decision, decision.depth, nodes)
            if whole or deadline.passed or decision.proven:
                break

    def stop(self) -> None:
        """End the search that is under way, from any thread; one that is just about to begin may go on."""
        if turn := self._turn:
            turn.cancel()

    def _suggestion(self, order: TurnOrder, state: State, decision: Decision, depth: int, nodes: int) -> Suggestion:
        value, pv = decision.values[self._role(state)], decision.pv[:MAX_PV]
        told = decision.candidates if decision.proven or isinstance(self._match, TreeOrder) else ()
        return Suggestion(order.turn, order.task, decision.move, value, depth, decision.proven, nodes, pv, told)

    def _role(self, state: State) -> Role:
        assert self._match
        return Role(state.game.roles[state.game.role_index(self._match.role)])

    def _searcher(self, heuristic: int | None) -> Searcher:
        assert self._match
        assert self._game
        searcher = self._searchers.pop(heuristic, None) or make_searcher(self._game, self._match, heuristic)
        self._searchers[heuristic] = searcher
        for oldest in list(self._searchers)[:-KEPT_SEARCHERS]:
            del self._searchers[oldest]
        return searcher


def _at_end(move: Move, state: State, role: Role) -> Candidate:
    goal = state.goals[role]
    return Candidate(move, UNKNOWN_GOAL if goal is None else float(goal), proven=True)


def _only_choice(state: State, role: Role, move: Move) -> Mapping[Role, Move]:
    """Return the joint move with this one, where no other role has a choice."""
    return {one: move if one == role else state.legal_moves(one)[0] for one in state.game.roles}
