"""Seats by the names that people give them."""

from __future__ import annotations

from random import Random

from ludens.arena.result import SEED_BITS
from ludens.arena.seats.base import Seat
from ludens.arena.seats.http import HttpSeat
from ludens.arena.seats.person import Asker, PersonSeat
from ludens.arena.seats.player import PlayerSeat
from ludens.arena.seats.process import ProcessSeat
from ludens.errors import PlayError, UnknownPlayerError
from ludens.players.registry import PLAYERS, PlayerFactory, find_player, is_own_player

HUMAN = "human"
PROCESS = "process:"


def make_seat(spec: str, rng: Random, nodes: int | None = None, ask: Asker | None = None) -> Seat:
    """Return a seat: a player by its name, `process:` and its name, the address of a player, or `human`.

    >>> make_seat("127.0.0.1:9148", Random(1)).name
    '127.0.0.1:9148'
    """
    name = spec.removeprefix(PROCESS)
    if name != spec:
        if name not in PLAYERS:
            _find(name)  # what is wrong with it is told here, and not by a process that dies
        return ProcessSeat.of_player(name, rng.getrandbits(SEED_BITS), nodes)
    if spec == HUMAN:
        if ask is None:
            raise PlayError("there is nobody here to ask for moves; human seats need a terminal")
        return PersonSeat(ask)
    if ":" in spec and not is_own_player(spec):
        return HttpSeat(spec)
    return PlayerSeat(_find(spec)(rng, nodes))


def _find(name: str) -> PlayerFactory:
    try:
        return find_player(name)
    except UnknownPlayerError as error:
        others = f"any of these in a process of its own (process:uct), {HUMAN}"
        raise PlayError(f"{error}; there are also {others}, or an address such as http://127.0.0.1:9147") from None
