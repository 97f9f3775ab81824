"""What more workers suggest in the same time: each search is run once, and the choice is made for any number of them.

Time is counted in nodes. In a set of states every search by a heuristic and a seed is recorded, with all that it
suggests until its nodes are spent; then the rule of the player chooses among the suggestions of any number of workers.
A Monte Carlo search that is much longer, and knows no heuristics, says what the chosen moves are worth.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from statistics import fmean

from experiments.worker_pools import with_small_table
from ludens.cluster.choice import Certainty, Records, assign, choose, latest
from ludens.cluster.orders import MatchOrder, Suggestion, Task, TurnOrder
from ludens.cluster.root_split import RootSplit, splittable_moves
from ludens.cluster.worker import SearchWorker, make_searcher
from ludens.core import Limit, Move, Role, Searcher
from ludens.errors import PlayError
from ludens.evaluation.simple.evaluator import correlations
from ludens.game import Game, State
from ludens.players.kuhlmann import Ideas, find_ideas
from ludens.runtime.deadline import Deadline
from ludens.search.mcts import MctsSearcher

REFERENCE_FACTOR = 100
"""Playouts of the search that judges, for each node of a worker."""
CLOSE = 2.0
"""Points; a move that is worth less than the best one by no more than this is as good."""
MAX_WALK = 400
SHARED_SEED = 1_000
"""Of all who share moves out; nobody who looks at all moves has it."""


@dataclass(frozen=True)
class Position:
    """A state in which a role has a choice."""

    role: Role
    state: State
    worth: Mapping[Move, float]
    """What its moves are worth, from 0 to 100, as far as the reference search knows."""

    def loss(self, move: Move) -> float:
        """How much less a move is worth than the best one."""
        return max(self.worth.values()) - self.worth.get(move, min(self.worth.values()))


@dataclass(frozen=True, slots=True)
class Point:
    """How a number of workers did, on the average of all positions."""

    workers: int
    depth: float
    agreement: float
    """How many of the chosen moves were as good as the best, in percent."""
    loss: float
    """How much less the chosen moves were worth than the best."""


class _Newcomer(SearchWorker):
    """A worker that has seen nothing before, whenever it is asked."""

    def _searcher(self, heuristic: int | None) -> Searcher:
        assert self._game
        assert self._match
        return make_searcher(self._game, self._match, heuristic)


@dataclass
class Recorder:
    """Searches of one role of a game; each is run once."""

    game: Game
    role: Role
    ideas: Ideas
    nodes: int
    seed: int
    _streams: dict[tuple[int, Task], list[Suggestion]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rng = Random(self.seed)
        self.priors = correlations(self.game, self.role, self.ideas.kind, self.ideas.heuristics, Deadline.never(), rng)
        self.certainty = Certainty(self.ideas.kind, self.game.role_index(self.role))
        match = with_small_table(MatchOrder(self.game.rules, self.role, self.ideas.kind, self.ideas.heuristics))
        self._worker = _Newcomer(self.game)
        self._worker.begin(match)

    def stream(self, number: int, position: Position, task: Task) -> list[Suggestion]:
        """All that a worker with this task suggests."""
        if (number, task) not in self._streams:
            order = TurnOrder(position.state.facts, task, math.inf, self.nodes)
            self._streams[number, task] = list(self._worker.search(order))
        return self._streams[number, task]

    def choice(self, number: int, position: Position, workers: int) -> Suggestion:
        """Return the choice of a number of workers."""
        records = Records(self.priors)
        found: dict[Task, Suggestion] = {}
        shared = RootSplit(self.ideas.kind.best[self.game.role_index(self.role)])
        for task in tasks(workers, records, number, splittable_moves(position.state, self.role)):
            found = latest(found, shared.take(self.stream(number, position, task)), self.certainty)
        chosen = choose(found, records, self.certainty)
        if chosen is None:
            raise PlayError(f"{self.nodes} nodes are too few for any suggestion")
        return chosen


def tasks(workers: int, records: Records, turn: int, moves: int = 0) -> list[Task]:
    """Return the tasks of workers in a turn, with such seeds that more workers do the same and something else.

    `moves` of them can be shared out.
    """
    used = Counter[int | None]()
    given: list[Task] = []
    for task in assign(workers, records, turn, Random(0), moves):
        given.append(replace(task, seed=SHARED_SEED if task.share else used[task.heuristic]))
        used[task.heuristic] += 1
    return given


def curve(
    game: Game, counts: Sequence[int], states: int, nodes: int, seed: int, progress: Callable[[], None]
) -> list[Point]:
    """Return how the choice changes with the number of workers, each of which searches `nodes`."""
    rng = Random(f"{seed} {game.name}")
    ideas = find_ideas(game, Deadline.never(), rng)
    recorders = {role: Recorder(game, role, ideas, nodes, rng.getrandbits(32)) for role in game.player_roles}
    chosen: dict[int, list[tuple[Suggestion, float]]] = {count: [] for count in counts}
    for number, position in enumerate(positions(game, states, REFERENCE_FACTOR * nodes, rng)):
        for count in counts:
            suggestion = recorders[position.role].choice(number, position, count)
            chosen[count].append((suggestion, position.loss(suggestion.move)))
        progress()
    return [_point(count, found) for count, found in chosen.items()]


def _point(workers: int, found: Sequence[tuple[Suggestion, float]]) -> Point:
    return Point(
        workers,
        depth=fmean(suggestion.depth for suggestion, _ in found),
        agreement=100 * fmean(loss <= CLOSE for _, loss in found),
        loss=fmean(loss for _, loss in found),
    )


def positions(game: Game, states: int, reference_nodes: int, rng: Random) -> Iterator[Position]:
    """States of random games, with another role in turn; none of them where all moves are worth the same."""
    judges = {role: MctsSearcher(game, role, threads=1) for role in game.player_roles}
    found = 0
    while found < states:
        role = game.player_roles[found % len(game.player_roles)]
        state = _somewhere(game, role, rng)
        if state is None:
            continue
        decision = judges[role].search(state, Limit.of(nodes=reference_nodes), rng)
        worth = {candidate.move: candidate.value for candidate in decision.candidates}
        if max(worth.values()) - min(worth.values()) > CLOSE:
            found += 1
            yield Position(role, state, worth)


def _somewhere(game: Game, role: Role, rng: Random) -> State | None:
    """A state of a random game in which the role has a choice; any of them with the same probability."""
    state, open_states = game.initial_state(), []
    for _ in range(MAX_WALK):
        if state.is_terminal:
            break
        if len(state.legal_moves(role)) > 1:
            open_states.append(state)
        state = state.next({each: rng.choice(state.legal_moves(each)) for each in game.roles})
    return rng.choice(open_states) if open_states else None
