"""Seats: who takes part in a match, and where. They are interchangeable."""

from ludens.arena.seats.base import News, Seat
from ludens.arena.seats.http import HttpSeat
from ludens.arena.seats.make import make_seat
from ludens.arena.seats.person import Asker, MoveRequest, PersonSeat
from ludens.arena.seats.player import PlayerSeat
from ludens.arena.seats.process import ProcessSeat

__all__ = [
    "Asker",
    "HttpSeat",
    "MoveRequest",
    "News",
    "PersonSeat",
    "PlayerSeat",
    "ProcessSeat",
    "Seat",
    "make_seat",
]
