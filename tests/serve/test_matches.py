"""Matches over HTTP: legal and in time, whatever else happens meanwhile."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from ludens import Rules, load
from ludens.core import Answer, Clocks, Move, Player
from ludens.game import Game
from ludens.gdl.scramble import scramble
from ludens.players import LegalPlayer, RandomPlayer, make_player
from ludens.runtime.deadline import Deadline
from ludens.serve import PlayerServer, ServerLimits, serving
from tests.players.test_hard_rules import HARD_AT_ONCE, NOISE
from tests.serve.strangers import base_request, body_of, exchange, play_match, read_all, say, start_text
from tests.tiers import FULL, every_game

CONNECTFOUR = load("connectfour")


def maker(name: str, nodes: int | None = None) -> Callable[[], Player]:
    return lambda: make_player(name, Random(1), nodes)


def random_player() -> Player:
    return RandomPlayer(Random(1))


@pytest.mark.parametrize(
    "sheet", every_game(of=["tictactoe", "breakthrough", "rockpaperscissors", "eightpuzzle", "pig", "threeway"])
)
def test_every_answer_of_a_match_is_legal(sheet: str) -> None:
    game = load(sheet)
    with serving(random_player) as server:
        for role in game.player_roles:
            play_match(server, game, role, (5, 5), Random(3))
        assert say(server, "(PING)") == "ready"


def test_rules_in_upper_case_and_scrambled_words_are_played_in_these_words() -> None:
    plain = load("tictactoe").rules
    for rules in (Rules.parse(plain.to_kif().upper()), scramble(plain, Random(5)).rules):
        game = Game(rules)
        with serving(random_player) as server:
            assert say(server, start_text("m", game.roles[0], rules, 5, 5)) == "ready"
            assert say(server, "(play m nil)") in game.initial_state().legal_moves(game.roles[0])
            assert say(server, "(abort m)") == "aborted"
            play_match(server, game, game.roles[1].upper(), (5, 5), Random(2))


def thinking_times(sheet: str, clock: float, matches: int) -> list[float]:
    """Seconds after which the first move of each match was answered."""
    game, times = load(sheet), []
    with serving(maker("uct")) as server:
        for match in (f"m{number}" for number in range(matches)):
            assert say(server, start_text(match, game.roles[0], game.rules, 10, clock)) == "ready"
            began = time.monotonic()
            assert say(server, f"(PLAY {match} NIL)") in game.initial_state().legal_moves(game.roles[0])
            times.append(time.monotonic() - began)
            assert say(server, f"(ABORT {match})") == "aborted"
    return times


def test_it_uses_its_time_and_not_much_more() -> None:
    (seconds,) = thinking_times("connectfour", 0.5, matches=1)
    assert 0.5 / 4 < seconds < 0.5 + NOISE


@pytest.mark.clock
@pytest.mark.parametrize(
    ("sheet", "clock", "before"),
    [("connectfour", 0.1, 0.0), ("connectfour", 0.3, 0.0), ("connectfour", 1, 0.2), ("breakthrough", 2, 0.2)],
)
def test_answers_come_before_the_clock_is_over(sheet: str, clock: float, before: float) -> None:
    """By a fifth of a second, where the clock allows it."""
    times = thinking_times(sheet, clock, matches=3)
    assert min(times) < clock - before, "others may be late where the machine is busy with something else"
    assert max(times) > clock / 2 - before, "it used its time"


class Sleeper(RandomPlayer):
    """Moves when it is woken, and cannot be interrupted."""

    def __init__(self, woken: threading.Event) -> None:
        super().__init__(Random(1))
        self._woken = woken

    def move(self, deadline: Deadline) -> Answer:
        assert self._woken.wait(60)
        return super().move(deadline)


@pytest.mark.full
def test_a_player_that_sleeps_through_its_clock_has_a_legal_move_made_for_it() -> None:
    woken = threading.Event()
    with serving(lambda: Sleeper(woken)) as server:
        state = load("tictactoe").initial_state()
        assert say(server, start_text("m", "x", load("tictactoe").rules, 1, 0.5)) == "ready"
        first = say(server, "(PLAY m NIL)")
        state = state.next({"x": first})
        assert say(server, f"(PLAY m ({first} noop))") in state.legal_moves("x")
        assert say(server, "(ABORT m)") == "aborted"
        woken.set()


def test_other_messages_are_answered_in_mid_thought() -> None:
    with serving(maker("uct"), matches=2) as server:
        assert say(server, start_text("m", "red", CONNECTFOUR.rules, 5, 60)) == "ready"
        with ThreadPoolExecutor() as pool:
            thought = pool.submit(say, server, "(PLAY m NIL)")
            time.sleep(0.3)
            assert say(server, "(INFO)") == "((name uct) (status available))"
            assert say(server, start_text("n", "yellow", CONNECTFOUR.rules, 5, 60)) == "ready"
            assert say(server, "(INFO)") == "((name uct) (status busy))"
            assert say(server, start_text("o", "yellow", CONNECTFOUR.rules, 5, 60)) == "busy"
            assert not thought.done()
            began = time.monotonic()
            assert say(server, "(ABORT m)") == "aborted"
            assert thought.result() in CONNECTFOUR.initial_state().legal_moves("red")
            assert time.monotonic() - began < 20
        assert say(server, "(PLAY m NIL)") == "busy"
        assert say(server, "(PLAY n NIL)") == "noop"


@pytest.mark.parametrize(
    ("end", "delay"),
    [
        ("(STOP m NIL)", 0.0),
        ("(ABORT m)", 0.3),
        pytest.param("(STOP m NIL)", 1.0, marks=FULL),
        pytest.param("(ABORT m)", 0.0, marks=FULL),
    ],
)
def test_a_match_can_end_while_its_start_clock_runs(end: str, delay: float) -> None:
    """First its rules are read, and then the player gets ready."""
    chess = load("chess")
    with serving(maker("uct")) as server, ThreadPoolExecutor() as pool:
        start = pool.submit(say, server, start_text("m", "white", chess.rules, 100, 100))
        while say(server, "(PING)") == "ready":
            time.sleep(0.05)
        time.sleep(delay)
        assert say(server, end) in ("done", "aborted")
        assert start.result() in ("ready", "busy")
        assert say(server, "(PING)") == "ready"


def test_a_match_survives_clients_that_go_away() -> None:
    with serving(maker("uct")) as server:
        assert say(server, start_text("m", "red", CONNECTFOUR.rules, 5, 1)) == "ready"
        for _ in range(3):
            with socket.create_connection((server.host, server.port)) as connection:
                connection.sendall(base_request("(PLAY m NIL)"))
                time.sleep(0.1)
        assert say(server, "(PLAY m NIL)") in CONNECTFOUR.initial_state().legal_moves("red")
        assert say(server, "(PLAY m ((drop 1) noop))") == "noop"


def test_the_same_question_in_mid_thought_gets_the_same_answer() -> None:
    with serving(maker("uct")) as server, ThreadPoolExecutor() as pool:
        assert say(server, start_text("m", "red", CONNECTFOUR.rules, 5, 0.7)) == "ready"
        answers = [pool.submit(say, server, "(PLAY m NIL)") for _ in range(4)]
        assert len({answer.result() for answer in answers}) == 1


def test_start_again_begins_anew() -> None:
    with serving(LegalPlayer) as server:
        start = start_text("m", "red", CONNECTFOUR.rules, 5, 5)
        assert say(server, start) == "ready"
        assert say(server, "(PLAY m NIL)") == "(drop 1)"
        assert say(server, "(PLAY m ((drop 1) noop))") == "noop"
        assert say(server, start) == "ready"
        assert say(server, "(PLAY m NIL)") == "(drop 1)"


def test_a_hundred_connections_at_once() -> None:
    with serving(LegalPlayer) as server:
        idle = [socket.create_connection((server.host, server.port)) for _ in range(50)]
        barrier = threading.Barrier(100)

        def ask(number: int) -> str:
            barrier.wait()
            return say(server, "(INFO)" if number % 2 else f"(PLAY unknown{number} NIL)")

        with ThreadPoolExecutor(100) as pool:
            answers = list(pool.map(ask, range(100)))
        for connection in idle:
            connection.close()
    assert set(answers) == {"((name legal) (status available))", "busy"}


def test_many_matches_at_once_share_one_game() -> None:
    game = load("tictactoe")
    with serving(maker("uct", 300), matches=8) as server, ThreadPoolExecutor(8) as pool:
        matches = [
            pool.submit(play_match, server, game, game.roles[number % 2], (20, 20), Random(number), f"m{number}")
            for number in range(8)
        ]
        for match in matches:
            match.result()
        assert say(server, "(PING)") == "ready"


def test_too_many_connections_are_told_so() -> None:
    with serving(LegalPlayer, limits=ServerLimits(connections=2)) as server:
        idle = [socket.create_connection((server.host, server.port)) for _ in range(2)]
        time.sleep(0.2)
        assert exchange(server, base_request("(INFO)")).startswith(b"HTTP/1.0 503 ")
        for connection in idle:
            connection.close()
        time.sleep(0.2)
        assert say(server, "(PING)") == "ready"


def test_there_are_connections_for_all_matches() -> None:
    with serving(LegalPlayer, matches=200) as server:
        idle = [socket.create_connection((server.host, server.port)) for _ in range(300)]
        assert say(server, "(PING)") == "ready"
        for connection in idle:
            connection.close()


@pytest.mark.full
def test_hard_rules_keep_neither_the_server_nor_a_place() -> None:
    with serving(maker("uct"), matches=2) as server, ThreadPoolExecutor() as pool:
        assert say(server, start_text("good", "red", CONNECTFOUR.rules, 5, 1)) == "ready"
        bad = pool.submit(say, server, f"(START bad x ({HARD_AT_ONCE}) 60 60)")
        assert say(server, "(PLAY good NIL)") in CONNECTFOUR.initial_state().legal_moves("red")
        assert not bad.done()
        assert say(server, "(ABORT bad)") == "aborted"
        assert bad.result() == "busy"
        assert say(server, "(INFO)") == "((name uct) (status available))"
        began = time.monotonic()
        assert say(server, f"(START worse x ({HARD_AT_ONCE}) 1 1)") == "busy"
        assert time.monotonic() - began < 1 + NOISE
        assert say(server, "(INFO)") == "((name uct) (status available))"
        assert say(server, start_text("next", "x", load("tictactoe").rules, 5, 1)) == "ready"
        assert say(server, "(PLAY next NIL)") in load("tictactoe").initial_state().legal_moves("x")


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
def test_a_player_cannot_end_the_server(error: type[BaseException]) -> None:
    class Leaving(Shortest):
        def start(self, game: Game, role: str, clocks: Clocks, deadline: Deadline) -> None:
            raise error

        def move(self, deadline: Deadline) -> Answer:
            raise error

    with serving(Leaving) as server:  # type: ignore[arg-type]
        assert say(server, start_text("m", "x", load("tictactoe").rules, 5, 5)) == "ready"
        assert say(server, "(PLAY m NIL)") == "(mark 1 1)"
        assert say(server, "(INFO)") == "((name shortest) (status busy))"
        assert say(server, "(ABORT m)") == "aborted"


def test_an_answer_that_fails_is_an_error_and_not_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def leave(*_: object) -> str:
        raise SystemExit("bye")

    with serving(LegalPlayer) as server:
        with monkeypatch.context() as patch:
            patch.setattr(server.router, "answer", leave)
            assert say(server, "(INFO)") == "error: this message could not be answered"
        assert say(server, "(PING)") == "ready"


def test_a_request_that_does_not_come_is_not_waited_for() -> None:
    with serving(LegalPlayer, limits=ServerLimits(receive_seconds=0.1)) as server:
        for begun in (b"", b"POST", b"POST / HTTP/1.0\r\nContent-Length: 10\r\n\r\n(", b"POST / HTTP/1.0\r\n\r\n(PLAY"):
            with socket.create_connection((server.host, server.port), 5) as connection:
                connection.sendall(begun)
                assert read_all(connection).startswith(b"HTTP/1.0 408 ")


@pytest.mark.full
def test_what_is_not_fetched_does_not_keep_the_server() -> None:
    """Clients that send a message and neither read nor close."""
    with serving(LegalPlayer) as server:
        silent = [socket.create_connection((server.host, server.port)) for _ in range(20)]
        for connection in silent:
            connection.sendall(base_request("(INFO)"))
        assert say(server, "(PING)") == "ready"
        time.sleep(1.5)
        assert body_of(read_all(silent[0])) == "((name legal) (status available))"
        for connection in silent:
            connection.close()


def test_closing_ends_thoughts_and_answers_them() -> None:
    with ThreadPoolExecutor() as pool:
        with serving(maker("uct")) as server:
            assert say(server, start_text("m", "red", CONNECTFOUR.rules, 5, 600)) == "ready"
            thought = pool.submit(say, server, "(PLAY m NIL)")
            time.sleep(0.3)
            began = time.monotonic()
        assert thought.result() in CONNECTFOUR.initial_state().legal_moves("red")
        assert time.monotonic() - began < 20
        with pytest.raises(ConnectionError):
            say(server, "(INFO)")


class Shortest:
    """What a player needs at least."""

    name = "shortest"

    def start(self, game: Game, role: str, clocks: Clocks, deadline: Deadline) -> None:
        self.state, self.role = game.initial_state(), role

    def move(self, deadline: Deadline) -> Answer:
        return Answer(self.state.legal_moves(self.role)[-1])

    def observe(self, joint: dict[str, Move]) -> None:
        self.state = self.state.next(joint)

    def stop(self) -> None:
        pass

    abort = stop


def test_anything_with_the_methods_of_a_player_can_be_served() -> None:
    with serving(Shortest) as server:  # type: ignore[arg-type]
        assert say(server, "(INFO)") == "((name shortest) (status available))"
        play_match(server, load("tictactoe"), "o", (5, 5), Random(1))


def test_matches_are_counted() -> None:
    with pytest.raises(ValueError, match="0 matches"):
        PlayerServer(LegalPlayer, matches=0)
