"""Much noise: the server stays up, stays small, and plays on."""

from __future__ import annotations

import os
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from random import Random

import pytest

from ludens import load
from ludens.players import RandomPlayer, make_player
from ludens.serve import PlayerServer, serving
from tests.serve.strangers import base_request, play_match, say, start_text
from tests.tiers import FULL

MESSAGES = 150
PATIENCE = 0.05
"""Seconds for which those who make noise wait for a reply; some get none."""
GAME = load("tictactoe")
WORDS = "( ) (( )) PLAY START STOP ABORT INFO PREVIEW m nil NIL x 5 -1 1e99 nan (mark noop ?x ; <= \0 \x1b[2J ß 東"


def memory_mb() -> float:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def some_noise(rng: Random) -> bytes:
    """Bytes, words of the protocol in disorder, or a good request with a few bytes changed."""
    kind = rng.randrange(5)
    if kind == 0:
        return rng.randbytes(rng.choice([1, 10, 1000, 100_000]))
    words = " ".join(rng.choice(WORDS.split()) for _ in range(rng.randrange(1, 30)))
    if kind == 1:
        return base_request(words)
    if kind == 2:
        return base_request(f"({rng.choice(['PLAY', 'STOP', 'ABORT'])} m {words})")
    if kind == 3:
        return base_request(start_text(rng.choice(["m", "n"]), "x", GAME.rules, 0, 0)[: rng.randrange(2000)])
    request = bytearray(base_request("(PLAY m NIL)"))
    for _ in range(rng.randrange(1, 6)):
        request[rng.randrange(len(request))] = rng.randrange(256)
    return bytes(request)


def make_noise(server: PlayerServer, rng: Random) -> None:
    with suppress(OSError), socket.create_connection((server.host, server.port), PATIENCE) as connection:
        connection.sendall(some_noise(rng))
        if rng.random() < 0.5:
            connection.shutdown(socket.SHUT_WR)
        if rng.random() < 0.8:
            connection.recv(100)


@pytest.mark.full
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="the system does not tell how much memory is used")
def test_it_stays_up_and_small_and_plays_on(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("CRITICAL", "ludens.serve")
    rng = Random(7)
    with serving(lambda: RandomPlayer(Random(1)), matches=2) as server:
        for _ in range(100):
            make_noise(server, rng)
        before = memory_mb()
        for _ in range(MESSAGES):
            make_noise(server, rng)
        assert memory_mb() - before < 100
        for match in ("m", "n"):
            say(server, f"(ABORT {match})")
        play_match(server, GAME, "x", (5, 5), Random(1))


def test_a_match_goes_on_in_the_midst_of_noise() -> None:
    """Noise of others, that is: its own match is named by nobody."""
    rng = Random(8)
    with serving(lambda: make_player("uct", Random(1), 200), matches=2) as server:
        assert say(server, start_text("Quiet.1", "x", GAME.rules, 10, 10)) == "ready"
        for _ in range(30):
            make_noise(server, rng)
        assert say(server, "(PLAY Quiet.1 NIL)") in GAME.initial_state().legal_moves("x")
        for _ in range(30):
            make_noise(server, rng)
        assert say(server, "(PLAY Quiet.1 ((mark 2 2) noop))") == "noop"


@pytest.mark.parametrize("message", ["(PLAY nobody ({}))", pytest.param("(START m x ({}) 5 5)", marks=FULL)])
@pytest.mark.parametrize("items", [pytest.param("x ", marks=FULL), "() "])
def test_large_messages_do_not_delay_a_match(message: str, items: str) -> None:
    large = message.format(items * (8_000_000 // len(items)))
    with serving(lambda: RandomPlayer(Random(1)), matches=2) as server, ThreadPoolExecutor(4) as pool:
        assert say(server, start_text("Quiet.1", "x", GAME.rules, 10, 10)) == "ready"
        noise = [pool.submit(say, server, large) for _ in range(4)]
        began = time.monotonic()
        assert say(server, "(PLAY Quiet.1 NIL)") in GAME.initial_state().legal_moves("x")
        assert time.monotonic() - began < 10
        assert all(answer.result().startswith("error: a message of this kind has at most") for answer in noise)
        assert time.monotonic() - began < 60
