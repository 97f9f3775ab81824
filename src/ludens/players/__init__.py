"""Players, and how to get one by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from types import MappingProxyType
from typing import TypeAlias

from ludens.core import Player
from ludens.players.simple import LegalPlayer, RandomPlayer

PlayerFactory: TypeAlias = Callable[[Random, int | None], Player]
"""Makes a player from its source of chance and, for play that can be repeated, how many nodes it searches."""

# Importing a search takes longer than most commands do.


def _alphabeta(rng: Random, nodes: int | None) -> Player:
    from ludens.players.searching import SearchingPlayer
    from ludens.search.alphabeta import AlphaBetaSearcher

    return SearchingPlayer("alphabeta", AlphaBetaSearcher, rng, nodes)


def _cluneplayer(rng: Random, nodes: int | None) -> Player:
    from ludens.players.cluneplayer import cluneplayer

    return cluneplayer(rng, nodes)


def _earlypayoff(rng: Random, nodes: int | None) -> Player:
    from ludens.players.fluxplayer import earlypayoff

    return earlypayoff(rng, nodes)


def _fluxplayer(rng: Random, nodes: int | None) -> Player:
    from ludens.players.fluxplayer import fluxplayer

    return fluxplayer(rng, nodes)


def _kuhlmann(rng: Random, nodes: int | None) -> Player:
    from ludens.players.kuhlmann import kuhlmann

    return kuhlmann(rng, nodes)


def _montecarlo(rng: Random, nodes: int | None) -> Player:
    from ludens.players.searching import SearchingPlayer
    from ludens.search.flat import FlatSearcher

    return SearchingPlayer("montecarlo", FlatSearcher, rng, nodes)


def _uct(rng: Random, nodes: int | None) -> Player:
    from ludens.cluster.connect import cluster_address

    if nodes is None and cluster_address():
        from ludens.players.pooled import ClusterUct

        return ClusterUct(rng)
    from ludens.players.searching import SearchingPlayer
    from ludens.search.mcts import MctsSearcher

    return SearchingPlayer("uct", MctsSearcher, rng, nodes)


PLAYERS: Mapping[str, PlayerFactory] = MappingProxyType(
    {
        "alphabeta": _alphabeta,
        "cluneplayer": _cluneplayer,
        "earlypayoff": _earlypayoff,
        "fluxplayer": _fluxplayer,
        "kuhlmann": _kuhlmann,
        "legal": lambda rng, nodes: LegalPlayer(),
        "montecarlo": _montecarlo,
        "random": lambda rng, nodes: RandomPlayer(rng),
        "uct": _uct,
    }
)

__all__ = ["PLAYERS", "LegalPlayer", "PlayerFactory", "RandomPlayer"]
