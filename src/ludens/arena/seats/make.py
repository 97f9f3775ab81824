"""Seats by the names that people give them."""

from __future__ import annotations

import re
from random import Random

from ludens.arena.result import SEED_BITS
from ludens.arena.seats.base import Seat
from ludens.arena.seats.http import HttpSeat
from ludens.arena.seats.person import Asker, PersonSeat
from ludens.arena.seats.player import PlayerSeat
from ludens.arena.seats.process import ProcessSeat
from ludens.errors import PlayError
from ludens.players import PLAYERS, PlayerFactory
from ludens.runtime.lazy import load_object

HUMAN = "human"
PROCESS = "process:"
LOADED = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
"""A player as `package.module:Class`; behind the colon of an address there is a number."""


def make_seat(spec: str, rng: Random, nodes: int | None = None, ask: Asker | None = None) -> Seat:
    """A seat for a player by its name, `process:` and its name, `package.module:Class`, an address, or `human`.

    >>> make_seat("127.0.0.1:9148", Random(1)).name
    '127.0.0.1:9148'
    """
    name = spec.removeprefix(PROCESS)
    if name in PLAYERS:
        if name == spec:
            return PlayerSeat(PLAYERS[name](rng, nodes))
        return ProcessSeat.of_player(name, rng.getrandbits(SEED_BITS), nodes)
    if name == spec and LOADED.fullmatch(spec):
        return PlayerSeat(_loaded(spec)(rng, nodes))
    if spec == HUMAN:
        if ask is None:
            raise PlayError("there is nobody here to ask for moves; human seats need a terminal")
        return PersonSeat(ask)
    if ":" in spec and name == spec:
        return HttpSeat(spec)
    known = f"{', '.join(PLAYERS)}, any of these in a process of its own (process:uct), {HUMAN}"
    raise PlayError(f"there is no player {name!r}; there are {known}, or an address such as http://127.0.0.1:9147")


def _loaded(spec: str) -> PlayerFactory:
    """What makes the player that a text like `package.module:Class` names."""
    try:
        factory: PlayerFactory = load_object(spec)
    except (ImportError, AttributeError) as error:
        raise PlayError(f"there is no player {spec!r}: {error}") from None
    return factory
