"""Seats: what players get to see and hear, and what happens to those that do not behave."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from threading import Event

import pytest

from ludens import load
from ludens.arena.referee import Referee
from ludens.arena.result import MatchResult, MatchSettings
from ludens.arena.seats import HttpSeat, MoveRequest, PersonSeat, PlayerSeat, ProcessSeat, Seat, make_seat
from ludens.arena.seats.http import read_address
from ludens.core import Clocks, Move, Role
from ludens.errors import PlayError, SeatGoneError, SeatTimeoutError
from ludens.game import State
from ludens.players import LegalPlayer
from ludens.protocol import Abort, Info, Play, Start, Stop
from ludens.runtime.deadline import Deadline
from tests.arena.fault_players import LEFT, RIGHT, VOTES
from tests.arena.wire import WirePlayer
from tests.tiers import FULL

GAME = load(VOTES)
OWN_FILE = Path(__file__).parent.parent / "players" / "own_player.py"
CLOCKS = Clocks(5.0, 0.3)
START = Start("m", "left", VOTES, CLOCKS.start, CLOCKS.play)


def http_answer(reply: bytes) -> str:
    """What a seat makes of a reply."""
    with WirePlayer([reply]) as player:
        return asyncio.run(HttpSeat(player.address).ask(Info(), 5.0))


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (b"HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: 5\r\n\r\nready", "ready"),
        (b"HTTP/1.1 200 OK\r\nCONTENT-LENGTH: 5\r\n\r\nreadyand more", "ready"),
        (b"HTTP/1.0 200 OK\r\n\r\nready", "ready"),
        (b"HTTP/1.0 200 OK\n\n(mark 1 1)\n", "(mark 1 1)\n"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n( mark 1 1 )", "( mark 1 1 )"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nrea\r\n2\r\ndy\r\n0\r\n\r\n", "ready"),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 6\r\n\r\ncaf\xc3\xa9!", "café!"),
        (b"HTTP/1.0 200 OK\r\n\r\ncaf\xe9", "café"),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nready", "ready"),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", ""),
    ],
)
def test_sloppy_replies_are_understood(reply: bytes, answer: str) -> None:
    assert http_answer(reply) == answer


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (b"", "closed the connection without an answer"),
        (b"ready", "no HTTP reply"),
        (b"\x16\x03\x01\x02\x00", "no HTTP reply"),
        (b"HTTP/1.0 200 OK\r\nContent-Length: many\r\n\r\nready", "no HTTP reply"),
        (b"HTTP/1.0 404 No\r\n\r\nready", "HTTP status 404"),
        (b"HTTP/1.0 200 OK\r\n", "no HTTP reply"),
        (b"HTTP/1.0 302 Found\r\nContent-Length: 5\r\n\r\nready", "HTTP status 302"),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 6\r\n\r\ntake1", "no HTTP reply"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\ntake1", "no HTTP reply"),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 50\r\n\r\n(mark 1 (2)", "no HTTP reply"),
    ],
)
def test_what_is_no_reply(reply: bytes, words: str) -> None:
    with pytest.raises(SeatGoneError, match=words):
        http_answer(reply)


async def unfinished_answer(body: str, length: str, *, is_reset: bool) -> str:
    """What a seat makes of a reply that goes no further: it stalls, or the connection is reset."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        seat = HttpSeat(f"127.0.0.1:{listener.getsockname()[1]}")
        answer = asyncio.create_task(seat.ask(Info(), 0.5))
        connection, _ = await asyncio.to_thread(listener.accept)
        with connection:
            connection.sendall(f"HTTP/1.1 200 OK\r\n{length}\r\n{body}".encode())
            if is_reset:
                await asyncio.sleep(0.1)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                connection.close()
            return await answer


@pytest.mark.parametrize("length", ["", "Content-Length: 500\r\n"])
@pytest.mark.parametrize(("is_reset", "error"), [(False, SeatTimeoutError), (True, SeatGoneError)])
def test_a_reply_without_its_end_counts_if_it_is_a_whole_list(
    length: str, is_reset: bool, error: type[Exception]
) -> None:
    async def answers(*bodies: str) -> list[str | BaseException]:
        waiting = (unfinished_answer(body, length, is_reset=is_reset) for body in bodies)
        return await asyncio.gather(*waiting, return_exceptions=True)

    whole, *parts = asyncio.run(answers("(mark 1 1)", "", "no", "(mark 1", "(mark (1)"))
    assert whole == "(mark 1 1)"
    assert [type(part) for part in parts] == [error] * 4


def test_a_request_byte_by_byte() -> None:
    with WirePlayer([b"HTTP/1.0 200 OK\r\n\r\nyes"]) as player:
        seat = HttpSeat(player.address, "Jürgen")
        asyncio.run(seat.ask(Play("Kiosk.1", ("noop", ("mark", "1", "ü"))), 5.0, {"mark": "Mark"}))
    assert player.requests == [
        b"POST / HTTP/1.0\r\n"
        b"Accept: text/delim\r\n"
        b"Sender: GAMESERVER\r\n"
        b"Receiver: J_rgen\r\n"
        b"Content-Type: text/acl\r\n"
        b"Content-Length: 33\r\n"
        b"\r\n"
        b"(PLAY Kiosk.1 (noop (Mark 1 \xc3\xbc)))"
    ]


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("http://127.0.0.1:9148", ("127.0.0.1", 9148)),
        ("HTTP://Example.org:80/", ("example.org", 80)),
        ("localhost:1", ("localhost", 1)),
        ("http://example.org", ("example.org", 9147)),
        ("[::1]:9147", ("::1", 9147)),
    ],
)
def test_addresses(address: str, place: tuple[str, int]) -> None:
    assert read_address(address) == place


@pytest.mark.parametrize(
    "address",
    [
        *("http://", "ftp://a:1", "a:b", "a:99999", "http://a:1/x", ":9147", "a:0", "http://[x"),
        *("http://user:pw@a:1", "user@a:1", "http://a:1?q=1", "http://a:1/#part"),
    ],
)
def test_bad_addresses(address: str) -> None:
    with pytest.raises(PlayError, match=r"no address of a player; write it like http://127\.0\.0\.1:9147"):
        read_address(address)


@pytest.mark.parametrize(
    ("spec", "kind", "name"),
    [
        ("random", PlayerSeat, "random"),
        ("process:legal", ProcessSeat, "legal"),
        ("http://127.0.0.1:9148", HttpSeat, "127.0.0.1:9148"),
        ("127.0.0.1:9148", HttpSeat, "127.0.0.1:9148"),
    ],
)
def test_seats_by_their_names(spec: str, kind: type[Seat], name: str) -> None:
    seat = make_seat(spec, Random(1))
    assert type(seat) is kind
    assert seat.name == name
    assert not seat.is_human


def last_move(question: MoveRequest) -> Move:
    return question.state.legal_moves(question.role)[-1]


def test_people_have_to_be_asked_by_somebody() -> None:
    assert make_seat("human", Random(1), ask=last_move).is_human
    with pytest.raises(PlayError, match="nobody here to ask"):
        make_seat("human", Random(1))


@pytest.mark.parametrize("prefix", ["", "process:"])
def test_players_of_ones_own_have_seats(prefix: str) -> None:
    async def match() -> MatchResult:
        return await play(make_seat(f"{prefix}{OWN_FILE}:Own", Random(1)), PlayerSeat(LegalPlayer()), grace=20)

    assert asyncio.run(match()).faults == ()
    with pytest.raises(PlayError, match="cannot be loaded: AttributeError"):
        make_seat(f"{prefix}{OWN_FILE}:Others", Random(1))


@pytest.mark.parametrize("spec", ["deepblue", "process:deepblue", "process:human", "process:localhost:80", ""])
def test_unknown_players(spec: str) -> None:
    with pytest.raises(PlayError, match=r"there is no player .*here are alphabeta, .*process:uct.*http://127"):
        make_seat(spec, Random(1))


# -- players of this process ---------------------------------------------------------------


async def play(left: Seat, right: Seat, grace: float = 0.2) -> MatchResult:
    settings = MatchSettings("m", CLOCKS, 1, grace=grace)
    try:
        return await Referee(GAME, [left, right], settings).play()
    finally:
        await asyncio.gather(left.close(), right.close())


class Hanging(LegalPlayer):
    """Hangs in one move until it is released."""

    def __init__(self, move: int) -> None:
        super().__init__()
        self.released = Event()
        self.seen: list[State] = []
        self._hangs_in = move

    def choose(self, state: State, role: Role, deadline: Deadline) -> Move:
        self.seen.append(state)
        if len(self.seen) == self._hangs_in:
            self.released.wait(30)
        return super().choose(state, role, deadline)


def test_a_player_that_hangs_is_late_until_it_returns() -> None:
    player = Hanging(1)

    async def match() -> MatchResult:
        asyncio.get_running_loop().call_later(0.7, player.released.set)
        return await play(PlayerSeat(player), PlayerSeat(LegalPlayer()))

    result = asyncio.run(match())
    assert [row[0] for row in result.record.errors] == ["", "TO", "", ""]
    assert [row[1] for row in result.record.errors] == ["", "", "", ""]
    states = list(result.record.replay(GAME))
    assert player.seen == states[:3], "it has heard of the move that was made for it"


@pytest.mark.full
def test_a_player_that_hangs_for_ever_does_not_keep_the_process() -> None:
    program = """
import asyncio, threading
from tests.arena.test_seats import play, Hanging
from ludens.arena.seats import PlayerSeat
from ludens.players import LegalPlayer
player = Hanging(2)
player.released.wait = lambda seconds: threading.Event().wait()
result = asyncio.run(play(PlayerSeat(player), PlayerSeat(LegalPlayer())))
print([row[0] for row in result.record.errors])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=False)
    assert done.stdout == "['', '', 'TO', 'TO']\n"
    assert done.stderr == ""
    assert done.returncode == 0


def test_what_goes_wrong_inside_a_player_is_told() -> None:
    class Broken(LegalPlayer):
        def choose(self, state: State, role: Role, deadline: Deadline) -> Move:
            raise ZeroDivisionError("oh no")

    result = asyncio.run(play(PlayerSeat(Broken()), PlayerSeat(LegalPlayer())))
    assert [row[0] for row in result.record.errors] == ["", *["IL null"] * 3]
    assert "oh no" in result.faults[0].text


def test_a_person_is_asked_where_there_is_a_choice() -> None:
    asked: list[MoveRequest] = []

    def ask(question: MoveRequest) -> Move:
        assert 0 < question.deadline.remaining <= CLOCKS.play
        asked.append(question)
        return last_move(question)

    result = asyncio.run(play(PlayerSeat(LegalPlayer()), PersonSeat(ask)))
    assert result.faults == ()
    assert [question.state for question in asked] == list(result.record.replay(GAME))[:3]
    assert {(question.role, question.is_certain, question.seen) for question in asked} == {(RIGHT, True, ())}
    assert {joint[RIGHT] for joint in result.moves} == {"yes"}
    assert result.record.is_player_human == [False, True]


def test_a_person_is_told_what_it_sees_of_a_hidden_game() -> None:
    """Also of turns in which it had no choice; and it is asked although several states are possible."""
    game = load(CARDS)
    asked: list[MoveRequest] = []

    def ask(question: MoveRequest) -> Move:
        asked.append(question)
        return last_move(question)

    settings = MatchSettings("m", CLOCKS, 1)
    result = asyncio.run(Referee(game, [PersonSeat(ask)], settings).play())
    assert result.faults == ()
    assert [question.seen for question in asked] == [("(Given something)",), ("waited",)]
    assert not any(question.is_certain for question in asked)
    assert [str(joint[Role("guesser")]) for joint in result.moves] == ["noop", "(guess queen)", "(guess queen)"]


CARDS = """
(role guesser) (role random)
(init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4)
(card king) (card queen)
(<= (legal random (deal ?c)) (card ?c) (true (step 1)))
(<= (legal random noop) (not (true (step 1))))
(<= (legal guesser noop) (true (step 1)))
(<= (legal guesser (guess ?c)) (card ?c) (not (true (step 1))))
(<= (next (dealt ?c)) (does random (deal ?c)))
(<= (next (dealt ?c)) (true (dealt ?c)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (sees guesser (Given something)) (does random (deal ?c)))
(<= (sees guesser waited) (true (step 2)))
(<= terminal (true (step 4)))
(goal guesser 50) (goal random 0)
"""
"""A card is dealt, and guessed twice; nobody says whether rightly."""


def test_catching_up_asks_for_no_moves() -> None:
    async def caught_up() -> tuple[str, int]:
        player = Hanging(99)
        seat = PlayerSeat(player)
        await seat.catch_up(START, [None, ("no", "yes")], 1.0)
        return await seat.ask(Play("m", ("yes", "no")), 1.0), len(player.seen)

    assert asyncio.run(caught_up()) == ("no", 1)


# -- processes -----------------------------------------------------------------------------


def child(tmp_path: Path, body: str, start_up: str = "") -> ProcessSeat:
    """A seat for a program whose player does in each move what a test says."""
    program = f"""
import os, sys, time
from ludens.arena.seats.child import PlayerChild
from ludens.players import LegalPlayer
from ludens.players.protocol_player import ProtocolPlayer
FLAG = {str(tmp_path / "flag")!r}
def first_time():
    new = not os.path.exists(FLAG)
    open(FLAG, "w").close()
    return new
class Player(LegalPlayer):
    moves = 0
    def choose(self, state, role, deadline):
        self.moves += 1
        self.misbehave()
        return super().choose(state, role, deadline)
    def misbehave(self):
        {body}
{start_up}
child = PlayerChild(ProtocolPlayer(Player(), mend=False), lambda data: print(data.decode(), end="", flush=True))
for line in sys.stdin:
    child.take(line)
os._exit(0)
"""
    return ProcessSeat([sys.executable, "-c", program], "childish")


def child_match(tmp_path: Path, body: str) -> MatchResult:
    result = asyncio.run(play(child(tmp_path, body), PlayerSeat(LegalPlayer()), grace=1.5))
    assert [row[1] for row in result.record.errors] == [""] * 4
    assert result.finished
    return result


def test_a_process_plays() -> None:
    result = asyncio.run(play(ProcessSeat.of_player("random", seed=4), ProcessSeat.of_player("legal")))
    assert result.faults == ()
    assert [joint[RIGHT] for joint in result.moves] == ["no"] * 3
    again = asyncio.run(play(ProcessSeat.of_player("random", seed=4), ProcessSeat.of_player("legal")))
    assert again.moves == result.moves


@pytest.mark.parametrize(
    ("deed", "code", "words"),
    [
        pytest.param("time.sleep(60)", "TO", "did not answer within 1.8 s and was ended", marks=FULL),
        pytest.param("sum(iter(int, 1))", "TO", "did not answer within 1.8 s and was ended", marks=FULL),
        ("os._exit(7)", "CE", "ended with exit code 7"),
        pytest.param("os.abort()", "CE", "ended with exit code -6", marks=FULL),
        ("print('x' * 10**6)", "CE", "without the end of a line"),
    ],
)
def test_a_process_that_fails_is_replaced_and_goes_on(tmp_path: Path, deed: str, code: str, words: str) -> None:
    result = child_match(tmp_path, f"if self.moves == 2 and first_time(): {deed}")
    assert [row[0] for row in result.record.errors] == ["", "", code, ""]
    assert words in result.faults[0].text
    assert result.moves[2][LEFT] == "no", "the new process knows where the match stands"


LONG_VOTES = VOTES.replace("(true (step 4))", "(true (step 30))") + "\n".join(
    f"(succ {step} {step + 1})" for step in range(4, 30)
)


@pytest.mark.full
@pytest.mark.parametrize(("deed", "code"), [("os._exit(7)", "CE"), ("time.sleep(60)", "TO")])
def test_a_process_comes_back_though_a_move_takes_less_time_than_its_start(
    tmp_path: Path, deed: str, code: str
) -> None:
    """It goes on getting ready while moves are made in its place, and then knows of these."""
    seat = child(tmp_path, f"if first_time(): {deed}", start_up="if os.path.exists(FLAG): time.sleep(1.5)")
    settings = MatchSettings("m", Clocks(20.0, 0.5), 1, grace=0.3)

    async def match() -> MatchResult:
        try:
            return await Referee(load(LONG_VOTES), [seat, PlayerSeat(LegalPlayer())], settings).play()
        finally:
            await seat.close()

    result = asyncio.run(match())
    codes = [row[0] for row in result.record.errors]
    back = codes.index("", 1)
    assert codes[:3] == ["", code, "TO"]
    assert "was not ready within 0.8 s" in result.faults[1].text
    assert not any(codes[back:])
    assert {joint[LEFT] for joint in result.moves[back - 1 :]} == {"no"}


def test_a_process_has_nothing_to_complain_about() -> None:
    async def conversation() -> str:
        seat = ProcessSeat.of_player("legal")
        await seat.ask(START, 20.0)
        assert seat._child is not None
        os.kill(seat._child.pid, signal.SIGKILL)
        with pytest.raises(SeatGoneError) as gone:
            await seat.ask(Play("m", None), 5.0)
        await seat.close()
        return str(gone.value)

    assert asyncio.run(conversation()) == "legal ended with exit code -9 (Killed)"


def test_what_a_process_prints_is_no_answer(tmp_path: Path) -> None:
    result = child_match(tmp_path, "print('1 hello'); print('thinking', file=sys.stderr)")
    assert result.faults == ()


def test_a_process_that_dies_in_start() -> None:
    seat = ProcessSeat([sys.executable, "-c", "import sys; sys.exit('I am ill')"], "ill")
    result = asyncio.run(play(seat, PlayerSeat(LegalPlayer())))
    assert [row[0] for row in result.record.errors] == ["CE"] * 4
    assert result.faults[0].text == "START: ill ended with exit code 1: I am ill"


def test_a_command_that_does_not_exist() -> None:
    seat = ProcessSeat(["/nowhere/at/all"], "nobody")
    result = asyncio.run(play(seat, PlayerSeat(LegalPlayer())))
    assert [row[0] for row in result.record.errors] == ["CE"] * 4
    assert "No such file" in result.faults[0].text


def test_the_end_reaches_a_process_in_mid_thought() -> None:
    async def conversation() -> float:
        seat = ProcessSeat.of_player("legal")
        await seat.ask(START, 10.0)
        with pytest.raises(SeatTimeoutError):
            await seat.ask(Play("m", None), 0.0)
        assert await seat.ask(Abort("m"), 1.0) == "", "there is no process any more"
        assert await seat.ask(Info(), 10.0) == "((name legal) (status available))"
        await seat.ask(START, 10.0)
        thought = asyncio.create_task(seat.ask(Play("m", None), 10.0))
        await asyncio.sleep(0)
        thought.cancel()
        await asyncio.gather(thought, return_exceptions=True)
        assert await seat.ask(Stop("m", None), 5.0) == "done", "not the answer to the question that was given up"
        begun = time.monotonic()
        await seat.close()
        return time.monotonic() - begun

    assert asyncio.run(conversation()) < 2


def test_a_process_ends_with_whoever_runs_it() -> None:
    program = """
import asyncio
from ludens.arena.seats import ProcessSeat
from tests.arena.test_seats import START
async def main():
    seat = ProcessSeat.of_player("legal")
    await seat.ask(START, 20.0)
    print(seat._child.pid, flush=True)
    await asyncio.sleep(60)
asyncio.run(main())
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert is_alive(pid)
        parent.send_signal(signal.SIGKILL)
    ends_at = time.monotonic() + 10
    while is_alive(pid) and time.monotonic() < ends_at:
        time.sleep(0.05)
    assert not is_alive(pid)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be buried does not."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
