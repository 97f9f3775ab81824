"""Alpha-beta for every kind of game: iterative deepening until the value is proven or time is up."""

from __future__ import annotations

from random import Random

import numpy as np

from ludens.analysis.counters import StepCounter, step_counter
from ludens.analysis.kind import GameKind, game_kind
from ludens.core import Decision, Evaluator
from ludens.engines.rows import Rows
from ludens.game import Game, State
from ludens.runtime.deadline import Deadline
from ludens.search.alphabeta import memory_kernel as m
from ludens.search.alphabeta.driver import Driver, MoveNumbers, Setting, TooManyMovesError
from ludens.search.alphabeta.evaluators import SelectiveEvaluator
from ludens.search.alphabeta.findings import Findings
from ludens.search.alphabeta.nodes_kernel import INFINITE
from ludens.search.alphabeta.options import AlphaBetaOptions
from ludens.search.alphabeta.repetition import Repetition
from ludens.search.alphabeta.search_kernel import CONTRADICTION, DONE
from ludens.search.alphabeta.sides import Sides, guessed_kind, sides_of, without_sums
from ludens.search.alphabeta.table import TranspositionTable
from ludens.search.alphabeta.table_kernel import LOWER, UPPER
from ludens.search.alphabeta.variation import BestVariation, Variation
from ludens.search.base import BaseSearcher, Watch
from ludens.search.view import GameView

MAX_DEPTH = 1000
ASPIRATION_MARGIN = 8.0
"""The half width of the aspiration window around the value of the iteration before."""
KIND_PROBE_SECONDS, KIND_SAMPLE_SECONDS = 0.5, 5.0
"""Seconds left that it takes to find the kind of game by a few playouts, and by many."""
PROBE_PLAYOUTS, SAMPLE_PLAYOUTS = 8, 512
KIND_SHARE = 0.2
PV_GRACE_SECONDS = 0.01
"""Seconds after the deadline to complete the principal variation."""
MOVES_PER_ROLE = 1024
"""At first, on engines that do not know in advance what moves there are."""


class ContradictionError(Exception):
    """An end was met whose goals are not those of the kind of game that was assumed."""


class AlphaBetaSearcher(BaseSearcher):
    """Iterative deepening with a transposition table, by the kind of the game.

    States where the search ends without the game being over are worth what the evaluator says, or unknown to all.
    Values of candidates other than the best are bounds where a better move made it needless to know more.

    >>> import ludens
    >>> from ludens.core import Limit
    >>> game = ludens.load("tictactoe")
    >>> searcher = AlphaBetaSearcher(game, "x")
    >>> decision = searcher.search(game.initial_state(), Limit.of(depth=2), Random(1))
    >>> decision.values, decision.proven, decision.depth
    ({Role('x'): 50.0, Role('o'): 50.0}, False, 2)
    """

    def __init__(
        self,
        game: Game,
        role: str,
        evaluator: Evaluator | None = None,
        options: AlphaBetaOptions | None = None,
        kind: GameKind | None = None,
    ) -> None:
        """`kind` is found out by random play if it is not given; where it turns out to be wrong, it is not used."""
        super().__init__("alphabeta", game, role)
        self._evaluator = evaluator
        self._options = options or AlphaBetaOptions()
        self._kind = kind
        self._table: TranspositionTable | None = None
        self._sides: Sides | None = None
        self._counter: StepCounter | None = None
        self._known: GameView | None = None
        self._room = MOVES_PER_ROLE
        self._numbers: MoveNumbers | None = None
        self._best_variation = BestVariation()
        self._repetition = Repetition(self.role)

    def advance(self, state: State) -> None:
        self._repetition.add(state)

    def _search(self, view: GameView, row: Rows, watch: Watch, rng: Random) -> Decision:
        if self._known is not view:
            self._known, self._table, self._best_variation = view, None, BestVariation()
            self._counter = self._usable_counter(view)
            self._room, self._numbers = MOVES_PER_ROLE, None
        kind = self._kind_within(watch, Random(rng.getrandbits(64)), view, row)
        roles, here = len(view.roles), view.engine.look(row)
        legal = [here.legal(0, role).tolist() for role in range(roles)]
        for move in legal[self.role]:
            view.move(move)  # so that naming thousands of moves does not take time after the deadline
        seed, nodes = rng.getrandbits(64), 0
        while True:
            sides = sides_of(kind, self.role, self._options)
            if self._table is None or self._sides != sides:
                self._sides = sides
                self._table = TranspositionTable(self._options.table_bytes, view.engine.words, len(sides.teams))
            self._table.start_search()
            caps = self._repetition.caps(view, row, legal, sides)
            setting = Setting(view, sides, self._options, self._evaluator, self._table, self._counter, caps)
            driver: Driver | None = None
            try:
                driver = self._driver(setting, row, seed)
                driver.search.registers[m.VISITED] = nodes
                known = driver.known_move(row[0])
                joint = [known if known in moves else moves[0] for moves in legal]
                findings = Findings(self.role, view, sides, joint)
                self._deepen(driver, findings, watch, rng)
                self._complete(findings, driver, row, watch)
                return findings.decision(watch, driver.nodes, self._table.hashfull)
            except ContradictionError:
                kind = without_sums(kind)
                self._kind = self._kind and kind
            except TooManyMovesError:
                self._room, self._numbers = 4 * self._room, None
            self._table = None
            nodes = driver.nodes if driver else 0

    def _kind_within(self, watch: Watch, rng: Random, view: GameView, row: Rows) -> GameKind:
        """Return the kind of game, as well as it can be found in a small part of the time."""
        seconds = watch.remaining
        if self._kind is None and seconds >= KIND_PROBE_SECONDS:
            playouts = SAMPLE_PLAYOUTS if seconds >= KIND_SAMPLE_SECONDS else PROBE_PLAYOUTS
            self._kind = game_kind(self.game, rng, playouts, watch.share(KIND_SHARE))
        return self._kind or guessed_kind(view, row)

    def _complete(self, findings: Findings, driver: Driver, row: Rows, watch: Watch) -> None:
        """Lengthen the principal variation by the table; a single role falls back on a better one found before."""
        alone = len(findings.view.roles) == 1
        if findings.value is not None:
            found = Variation(findings.view, row, findings.pv)
            found.lengthen(driver.known_move, Deadline(max(watch.remaining, PV_GRACE_SECONDS)))
            findings.pv = found.moves
            if alone:
                self._best_variation.keep(found, self.role)
        if not alone:
            return
        rest = self._best_variation.rest(row)
        if rest and (findings.value is None or findings.value[0] <= self._best_variation.value):
            findings.follow(rest, self._best_variation.value)

    def _driver(self, setting: Setting, row: Rows, seed: int) -> Driver:
        noise = np.random.default_rng(seed)
        self._numbers = self._numbers or MoveNumbers(setting.view.engine, self._room)
        return Driver(setting, row, noise, self._numbers)

    def _usable_counter(self, view: GameView) -> StepCounter | None:
        """Return the step counter, unless an evaluator may depend on it."""
        if not self._options.counters or view.engine.circuit is None:
            return None
        counter = step_counter(view.engine.circuit)
        if counter is None or counter.first_effect == len(counter.fluents) or self._ignores(counter.fluents):
            return counter
        return None

    def _ignores(self, fluents: tuple[int, ...]) -> bool:
        """Return whether the evaluator is known not to depend on these fluents."""
        if self._evaluator is None:
            return True
        return isinstance(self._evaluator, SelectiveEvaluator) and self._evaluator.ignores(fluents)

    def _deepen(self, driver: Driver, findings: Findings, watch: Watch, rng: Random) -> None:
        for depth in range(1, min(watch.limit.depth or MAX_DEPTH, MAX_DEPTH) + 1):
            if not self._iterate(driver, findings, depth, watch, rng):
                break
            if findings.proven or watch.over(driver.nodes):
                break

    def _iterate(self, driver: Driver, findings: Findings, depth: int, watch: Watch, rng: Random) -> bool:
        """Search to a depth, with an aspiration window; return whether it came to an end."""
        alpha, beta = -INFINITE, INFINITE
        if self._options.aspiration and not findings.sides.maxn and findings.value is not None:
            alpha, beta = findings.value[0] - ASPIRATION_MARGIN, findings.value[0] + ASPIRATION_MARGIN
        while True:
            status = driver.iterate(depth, alpha, beta, watch)
            if status == CONTRADICTION:
                raise ContradictionError
            if status != DONE:
                findings.take_unfinished(driver, depth, alpha)
                return False
            known, value = driver.search.registers[m.RESULT_KNOWN], driver.search.result[0]
            if value <= alpha and not known & LOWER:
                alpha = -INFINITE
            elif value >= beta and not known & UPPER:
                findings.take_unfinished(driver, depth, alpha)
                beta = INFINITE
            else:
                findings.take(driver, depth, rng)
                return True
