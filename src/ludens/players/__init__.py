"""Players, and how to get one by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from types import MappingProxyType
from typing import TypeAlias

from ludens.core import Player
from ludens.players.montecarlo import MonteCarloPlayer
from ludens.players.simple import LegalPlayer, RandomPlayer

PlayerFactory: TypeAlias = Callable[[Random, int | None], Player]
"""Makes a player from its source of chance and, for play that can be repeated, its number of playouts."""

PLAYERS: Mapping[str, PlayerFactory] = MappingProxyType(
    {
        "legal": lambda rng, playouts: LegalPlayer(),
        "montecarlo": MonteCarloPlayer,
        "random": lambda rng, playouts: RandomPlayer(rng),
    }
)

__all__ = ["PLAYERS", "LegalPlayer", "MonteCarloPlayer", "PlayerFactory", "RandomPlayer"]
