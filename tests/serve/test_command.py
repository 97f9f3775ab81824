"""`ludens serve` as a process: it says where it is, plays, tells of it, and ends when it is told to."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import pytest

from ludens import load
from ludens.players import LegalPlayer
from ludens.serve import PlayerServer
from tests.serve.strangers import base_request, play_match, say, start_text
from tests.tiers import FULL

GAME = load("tictactoe")


@contextmanager
def command(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], PlayerServer]]:
    """A running `ludens serve`, and where it is."""
    process = subprocess.Popen(
        [sys.executable, "-m", "ludens", "serve", "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout
    try:
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        assert found, line
        yield process, PlayerServer(LegalPlayer, port=int(found[1]))
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_it_plays_and_tells_of_it() -> None:
    with command("--player", "random", "--seed", "1", "--name", "me") as (process, server):
        assert say(server, "(INFO)") == "((name me) (status available))"
        state, times = play_match(server, GAME, "x", (10, 10), Random(2), "Cup.1")
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=20)
    assert process.returncode == 0
    lines = output.splitlines()
    assert re.fullmatch(r"\d\d:\d\d:\d\d match Cup.1: begins as x, clocks 10 and 10 s", lines[0])
    assert sum("move" in line for line in lines) == len(times)
    assert f"match Cup.1: over: x gets {state.goals[GAME.roles[0]]}, o gets {state.goals[GAME.roles[1]]}" in output
    assert lines[-1] == "ended"


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=FULL)])
def test_it_ends_cleanly_in_mid_thought(number: signal.Signals) -> None:
    with command("--player", "uct") as (process, server):
        assert say(server, start_text("m", "red", load("connectfour").rules, 10, 600)) == "ready"
        with socket.create_connection((server.host, server.port), 20) as connection:
            connection.sendall(base_request("(PLAY m NIL)"))
            time.sleep(0.5)
            process.send_signal(number)
            reply = connection.recv(1000)
        assert b"(drop " in reply
        output, _ = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "Traceback" not in output
    assert output.splitlines()[-1] == "ended"


def test_it_does_not_wait_for_requests_that_do_not_come() -> None:
    with command("--player", "legal") as (process, server), socket.socket() as connection:
        connection.connect((server.host, server.port))
        connection.sendall(b"POST / HTTP/1.0\r\n")
        assert say(server, "(PING)") == "ready"
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=20)
        assert time.monotonic() - began < 10, "a request has 30 seconds"
    assert process.returncode == 0
    assert output.splitlines() == ["ended"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ludens", "serve", *arguments], capture_output=True, text=True, timeout=60
    )


def test_a_port_that_is_taken_is_told_in_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run("--port", str(port))
    assert result.returncode == 1
    told = " ".join(result.stderr.split())
    assert told.startswith(f"error: cannot listen on http://127.0.0.1:{port}: it is taken; end what listens there, or")


@pytest.mark.full
def test_who_listens_to_the_whole_network_is_warned() -> None:
    with socket.create_server(("0.0.0.0", 0)) as taken:
        result = run("--host", "0.0.0.0", "--port", str(taken.getsockname()[1]))
    assert result.returncode == 1
    assert "warning: everybody who can reach 0.0.0.0 can have this player play" in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--player", "nobody"], "there is no player 'nobody'"),
        pytest.param(["--matches", "0"], "matches", marks=FULL),
        pytest.param(["--port", "70000"], "port", marks=FULL),
        pytest.param(["--host", "no such host"], "cannot listen on http://no such host:9147", marks=FULL),
    ],
)
def test_wrong_use_is_explained(arguments: list[str], complaint: str) -> None:
    result = run(*arguments)
    assert result.returncode in (1, 2)
    assert complaint in " ".join(result.stderr.replace("│", " ").split())
    assert "Traceback" not in result.stderr
