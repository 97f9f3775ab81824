"""Strangers who talk to a server: bare sockets, and requests as the servers of the world send them."""

from __future__ import annotations

import socket
import time
from random import Random

from ludens.core import Role
from ludens.game import Game, State
from ludens.gdl.rules import Rules
from ludens.protocol import Start, read_move, write_message
from ludens.serve import PlayerServer

SECONDS = 60.0


def exchange(server: PlayerServer, request: bytes, *, half_close: bool = False) -> bytes:
    """Send bytes by a new connection; everything that comes back until it is closed."""
    with socket.create_connection((server.host, server.port), SECONDS) as connection:
        connection.sendall(request)
        if half_close:
            connection.shutdown(socket.SHUT_WR)
        return read_all(connection)


def read_all(connection: socket.socket) -> bytes:
    reply = b""
    while piece := connection.recv(65536):
        reply += piece
    return reply


def base_request(message: str) -> bytes:
    """As the Java reference framework sends it."""
    body = message.encode()
    return (
        b"POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: GAMESERVER\r\nReceiver: ludens\r\n"
        b"Content-Type: text/acl\r\nContent-Length: %d\r\n\r\n" % len(body)
    ) + body


def tud_request(message: str) -> bytes:
    """As Dresden's controller sends it: lines end without carriage returns, names in other case, no host."""
    body = message.encode()
    return (
        b"POST / HTTP/1.0\nAccept: text/delim\nHost: 127.0.0.1\nSender: GAMESERVER\nReceiver: LUDENS\n"
        b"Content-type: text/acl\nContent-length: %d\n\n" % len(body)
    ) + body


def body_of(reply: bytes) -> str:
    head, _, body = reply.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.0 200 OK\r\n"), head
    assert b"Content-length: %d\r\n" % len(body) in head
    return body.decode()


def say(server: PlayerServer, message: str) -> str:
    return body_of(exchange(server, base_request(message)))


def start_text(match: str, role: str, rules: Rules, start: float, play: float) -> str:
    return write_message(Start(match, role, rules.to_kif(), start, play))


def spaced(move: str) -> str:
    """A list as the reference framework prints it."""
    return move.replace("(", "( ").replace(")", " )")


def play_match(
    server: PlayerServer, game: Game, role: str, clocks: tuple[float, float], rng: Random, match: str = "Match.1"
) -> tuple[State, list[float]]:
    """A whole match against chance over HTTP, every answer legal; the end, and the seconds that each move took."""
    assert say(server, start_text(match, role, game.rules, *clocks)) == "ready"
    hidden = game.traits.hidden
    state, news, times = game.initial_state(), "0 NIL NIL" if hidden else "NIL", []
    while not state.is_terminal:
        began = time.monotonic()
        answer = say(server, f"(PLAY {match} {news})")
        times.append(time.monotonic() - began)
        legal = {move.term: move for move in state.legal_moves(role)}
        assert read_move(answer) in legal
        joint = {
            other: legal[read_move(answer)] if other == role else rng.choice(state.legal_moves(other))
            for other in game.roles
        }
        announced = game.announced(joint)
        if hidden:
            news = f"{len(times)} {announced[Role(role)]} ({' '.join(state.percepts(joint)[Role(role)])})"
        else:
            news = f"( {' '.join(map(spaced, announced.values()))} )"
        state = state.next(joint)
    assert say(server, f"(STOP {match} {news})") == "done"
    return state, times
