"""Players with one heuristic that a person has chosen for them, and players without any."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from types import MappingProxyType

from ludens.analysis.kind import GameKind, game_kind
from ludens.cluster.orders import PARANOID
from ludens.core import Decision, Limit, Player, Role, Searcher
from ludens.errors import PlayError
from ludens.evaluation.simple.evaluator import HeuristicEvaluator
from ludens.evaluation.simple.heuristics import Heuristic, TemplateFeature
from ludens.game import Game, State
from ludens.players.kuhlmann import by_end, find_ideas
from ludens.players.searching import SearchingPlayer
from ludens.runtime.deadline import Deadline
from ludens.search.alphabeta import AlphaBetaSearcher

CHOICES = MappingProxyType(
    {
        "nothello": "the fewest own markers",
        "hallway": "the own piece far along x (from where it starts)",
        "farmers": "the most own money",
    }
)
"""Which heuristic is chosen for the players of each game."""


def chosen_heuristic(rng: Random, nodes: int | None) -> Player:
    return SearchingPlayer("heuristic", by_end, rng, nodes, _by_chosen_heuristic)


def exhaustive(rng: Random, nodes: int | None) -> Player:
    return SearchingPlayer("exhaustive", by_end, rng, nodes, _by_end_alone)


class TwoLooks:
    """A search that looks again where all moves seem to lose, in what is left of its time.

    That others know our move is assumed in order to look deeper. Where it makes every move a loss it says nothing about
    which one to make, so the second look takes them to move at random, as the paper does.
    """

    name = "two looks"

    def __init__(self, game: Game, role: Role, kind: GameKind, heuristic: Heuristic | None) -> None:
        evaluator = HeuristicEvaluator(game, role, kind, heuristic) if heuristic else None
        at_random = replace(PARANOID, simultaneous="random")
        self._first = AlphaBetaSearcher(game, role, evaluator, PARANOID, kind)
        self._second = AlphaBetaSearcher(game, role, evaluator, at_random, kind)
        self._role, self._worst, self._takes_turns = role, kind.worst[game.role_index(role)], kind.turns
        self.second_looks = 0

    def search(self, state: State, limit: Limit, rng: Random) -> Decision:
        found = self._first.search(state, limit, rng)
        if self._takes_turns or not found.proven or found.values[self._role] > self._worst or limit.deadline.passed:
            return found
        self.second_looks += 1
        left = None if limit.nodes is None else max(1, limit.nodes - found.nodes)
        again = self._second.search(state, Limit(limit.deadline, left, limit.depth), rng)
        return replace(again, nodes=found.nodes + again.nodes, seconds=found.seconds + again.seconds)

    def advance(self, state: State) -> None:
        for searcher in (self._first, self._second):
            searcher.advance(state)

    def stop(self) -> None:
        for searcher in (self._first, self._second):
            searcher.stop()


def _by_chosen_heuristic(game: Game, role: Role, deadline: Deadline, rng: Random) -> Iterator[Searcher]:
    ideas = find_ideas(game, deadline, rng)
    yield TwoLooks(game, role, ideas.kind, choice(role.lower(), ideas.heuristics))


def _by_end_alone(game: Game, role: Role, deadline: Deadline, rng: Random) -> Iterator[Searcher]:
    yield TwoLooks(game, role, game_kind(game, rng, deadline=deadline), None)


def choice(role: str, heuristics: tuple[Heuristic, ...]) -> Heuristic:
    """The one heuristic that was chosen, of those that the player has found itself."""
    found = [heuristic for heuristic in heuristics if _is_chosen(role, heuristic)]
    if len(found) != 1:
        raise PlayError(f"{len(found)} heuristics of {role} are those that were chosen, and it should be one")
    return found[0]


def _is_chosen(role: str, heuristic: Heuristic) -> bool:
    feature: TemplateFeature = heuristic.feature
    if feature.kind == "count":
        return feature.things == (role,) and not heuristic.maximise
    if feature.kind == "x":
        return feature.things == (role,) and heuristic.maximise == (role == "white")
    return feature.kind == "amount" and feature.subject == ("money", role) and heuristic.maximise
