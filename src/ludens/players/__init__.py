"""Players, and how to get one by its name.

>>> from random import Random
>>> from ludens.players import make_player
>>> make_player("random", Random(1)).name
'random'
"""

from ludens.players.base import BasePlayer
from ludens.players.registry import PLAYERS, PlayerFactory, find_player, make_player, player_names
from ludens.players.simple import LegalPlayer, RandomPlayer

__all__ = [
    "PLAYERS",
    "BasePlayer",
    "LegalPlayer",
    "PlayerFactory",
    "RandomPlayer",
    "find_player",
    "make_player",
    "player_names",
]
