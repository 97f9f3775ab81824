"""The referee: what players are told, byte by byte; chance, percepts, scrambling, resuming, breaking off."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from random import Random
from threading import current_thread

import pytest

from ludens import load
from ludens.arena.records import Record
from ludens.arena.referee import MatchResult, MatchSettings, Referee, Turn
from ludens.arena.seats import HttpSeat, PersonSeat, PlayerSeat, Question, Seat
from ludens.arena.store import Store
from ludens.core import Clocks, Deadline, Move, Role
from ludens.errors import NoLegalMoveError, PlayError, RecordError, StoreError
from ludens.game import Game, State
from ludens.gdl.scramble import scramble
from ludens.gdl.terms import Spelling
from ludens.players import LegalPlayer, RandomPlayer
from ludens.protocol import Info, Message, Play, Start, Stop
from tests.arena import fault_players as faults
from tests.arena.fault_players import LEFT, VOTES, HttpPlayer
from tests.arena.wire import WirePlayer, ok

CLOCKS = Clocks(2.0, 1.0)
SETTINGS = MatchSettings("Kiosk.1", CLOCKS, 5)


class NotedRecords:
    """A journal in memory."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int]] = []
        self.last: Record | None = None

    def began(self, record: Record) -> None:
        self._note("began", record)

    def moved(self, record: Record) -> None:
        self._note("moved", record)

    def ended(self, record: Record) -> None:
        self._note("aborted" if record.is_aborted else "ended", record)

    def _note(self, what: str, record: Record) -> None:
        self.calls.append((what, record.turns))
        self.last = record


class Scripted:
    """A seat that answers what a test has prepared, and keeps what it was asked."""

    is_human = False

    def __init__(self, answers: Sequence[str], name: str = "scripted") -> None:
        self.name = name
        self.asked: list[Message] = []
        self._answers = iter(answers)

    async def ask(self, message: Message, seconds: float, spelling: object = None) -> str:
        self.asked.append(message)
        return next(self._answers) if isinstance(message, Play | Info) else "ready"

    async def catch_up(self, start: Start, history: Sequence[object], seconds: float, spelling: object = None) -> None:
        raise AssertionError("nobody is lost here")

    def complaints(self) -> list[str]:
        return []

    async def close(self) -> None:
        pass


class Listening:
    """Keeps what another seat is asked."""

    def __init__(self, seat: Seat) -> None:
        self.name, self.is_human = seat.name, seat.is_human
        self.asked: list[Message] = []
        self._seat = seat
        self.catch_up, self.complaints, self.close = seat.catch_up, seat.complaints, seat.close

    async def ask(self, message: Message, seconds: float, spelling: Spelling | None = None) -> str:
        self.asked.append(message)
        return await self._seat.ask(message, seconds, spelling)


def randoms(game: Game, seed: int = 1) -> list[Seat]:
    return [PlayerSeat(RandomPlayer(Random(f"{seed}/{role}"))) for role in game.seats]


def played(game: Game, seats: Sequence[Seat], settings: MatchSettings = SETTINGS, **options: object) -> MatchResult:
    result = asyncio.run(Referee(game, seats, settings, **options).play())  # type: ignore[arg-type]
    assert list(result.record.replay(game))[-1] == result.final
    assert result.record.moves == [[spaced(move) for move in joint.values()] for joint in result.moves]
    return result


def spaced(move: str) -> str:
    return move.replace("(", "( ").replace(")", " )")


# -- over the wire -------------------------------------------------------------------------


def request(body: str, name: str) -> bytes:
    head = f"POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: GAMESERVER\r\nReceiver: {name}\r\n"
    return f"{head}Content-Type: text/acl\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


def test_a_match_as_a_player_sees_it_byte_by_byte() -> None:
    replies = [ok("READY"), ok("yes"), ok("( Perhaps left ) (because I like it)"), ok("YES"), ok("done")]
    with WirePlayer(replies) as left, WirePlayer([ok("ready"), *[ok("NO")] * 3, ok("DONE")]) as right:
        seats = [HttpSeat(left.address, "Lefty"), HttpSeat(right.address, "Righty")]
        result = played(load(VOTES), seats)
    assert result.faults == ()
    rules = load(VOTES).rules.to_kif().replace("\n    ", " ").replace("\n", " ").strip()
    assert left.requests == [
        request(f"(START Kiosk.1 left ({rules}) 2 1)", "Lefty"),
        request("(PLAY Kiosk.1 NIL)", "Lefty"),
        request("(PLAY Kiosk.1 (yes no))", "Lefty"),
        request("(PLAY Kiosk.1 ((Perhaps left) no))", "Lefty"),
        request("(STOP Kiosk.1 (yes no))", "Lefty"),
    ]
    assert right.requests[0] == left.requests[0].replace(b" left ((", b" right ((").replace(
        b"Lefty", b"Righty"
    ).replace(b"Length: %d" % len(left.bodies[0]), b"Length: %d" % len(right.bodies[0]))
    assert right.bodies[1:] == left.bodies[1:]


def test_chance_is_announced_to_everybody() -> None:
    game = load("highcard")
    settings = MatchSettings("m", CLOCKS, 3)
    seats = [Listening(seat) for seat in randoms(game)]
    result = played(game, seats, settings)
    assert result.faults == ()
    told = [None, *(tuple(move.term for move in joint.values()) for joint in result.moves)]
    for seat in seats:
        assert [message.news for message in seat.asked if isinstance(message, Play | Stop)] == told
    assert result.moves == played(game, randoms(game), settings).moves
    assert result.moves != played(game, randoms(game), replace(settings, seed=4)).moves


ROLLS = """
(role alice) (role bob)
(init (turn 1)) (succ 1 2) (succ 2 3) (succ 3 4)
(random dice 1 one) (random dice 2 two)
(<= (legal alice (roll dice)) (true (turn ?n))) (<= (legal bob noop) (true (turn ?n)))
(<= (next (turn ?m)) (true (turn ?n)) (succ ?n ?m))
(<= (next (rolled ?d)) (does alice (roll ?d)))
(<= terminal (true (turn 4)))
(goal alice 50) (goal bob 50)
"""


def test_outcomes_stand_in_place_of_random_variables() -> None:
    game = load(ROLLS)
    settings = MatchSettings("m", CLOCKS, 2)
    with WirePlayer([ok("ready"), *[ok("(ROLL Dice)")] * 3, ok("done")]) as player:
        result = played(game, [HttpSeat(player.address), PlayerSeat(LegalPlayer())], settings)
    assert result.faults == ()
    rolled = [str(joint[Role("alice")]) for joint in result.moves]
    assert set(rolled) <= {"(roll one)", "(roll two)"}
    assert player.bodies[2] == f"(PLAY m ({rolled[0]} noop))"
    assert player.bodies[4] == f"(STOP m ({rolled[2]} noop))"
    assert all(list(joint) == ["alice", "bob"] for joint in result.moves)


def test_drawing_does_not_depend_on_the_players() -> None:
    """The same seed gives the same outcomes, also when a player fails and its moves are drawn too."""
    game = load(ROLLS)

    def outcomes(alice: Seat) -> list[str]:
        return [str(joint[Role("alice")]) for joint in played(game, [alice, PlayerSeat(LegalPlayer())]).moves]

    assert outcomes(PlayerSeat(LegalPlayer())) == outcomes(Scripted(["nonsense"] * 3))


COINS = """
(role guesser) (role random)
(init (step 1)) (succ 1 2) (succ 2 3)
(<= (legal random (toss heads)) (true (step 1))) (<= (legal random (toss tails)) (true (step 1)))
(<= (legal random noop) (true (step 2)))
(<= (legal guesser noop) (true (step 1)))
(<= (legal guesser (Call heads)) (true (step 2))) (<= (legal guesser (Call tails)) (true (step 2)))
(<= (next (coin ?c)) (does random (toss ?c)))
(<= (next (coin ?c)) (true (coin ?c)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (sees guesser (Fell ?c)) (does random (toss ?c)))
(<= (sees guesser right) (does guesser (call ?c)) (true (coin ?c)))
(<= terminal (true (step 3)))
(<= (goal guesser 100) (true (coin ?c)))
(goal random 0)
"""


def test_percepts_over_the_wire() -> None:
    with WirePlayer([ok("ready"), ok("noop"), ok("(call heads)"), ok("done")]) as player:
        result = played(load(COINS), [HttpSeat(player.address)], MatchSettings("m", CLOCKS, 1))
    assert result.faults == ()
    assert [str(joint[Role("guesser")]) for joint in result.moves] == ["noop", "(Call heads)"]
    fell = result.moves[0][Role("random")].args[0]
    seen = "(right)" if fell == "heads" else "()"
    assert player.bodies[1:] == [
        "(PLAY m 0 NIL NIL)",
        f"(PLAY m 1 noop ((Fell {fell})))",
        f"(STOP m 2 (Call heads) {seen})",
    ]


# -- roles, simultaneous moves, one by one ---------------------------------------------------


@pytest.mark.parametrize("name", ["hanoi", "tictactoe", "rockpaperscissors", "threeway", "chinesecheckers6"])
@pytest.mark.parametrize("one_by_one", [True, False])
def test_any_number_of_roles(name: str, one_by_one: bool) -> None:
    game = load(name)
    settings = MatchSettings("m", CLOCKS, 1, max_steps=8, one_by_one=one_by_one)
    turns: list[Turn] = []
    result = played(game, randoms(game), settings, on_turn=turns.append)
    assert result.faults == ()
    assert [turn.number for turn in turns] == list(range(1, len(result.moves) + 1))
    assert [turn.moves for turn in turns] == list(result.moves)
    assert turns[-1].after == result.final


def test_players_are_asked_at_the_same_time_unless_one_by_one() -> None:
    class Slow(LegalPlayer):
        def choose(self, state: State, role: Role, deadline: Deadline) -> Move:
            thinking.append(role)
            most.append(len(thinking))
            asyncio.run(asyncio.sleep(0.05))
            thinking.remove(role)
            return super().choose(state, role, deadline)

    for one_by_one, at_once in ((True, 1), (False, 2)):
        thinking: list[Role] = []
        most: list[int] = []
        settings = MatchSettings("m", CLOCKS, 1, one_by_one=one_by_one)
        played(load(VOTES), [PlayerSeat(Slow()), PlayerSeat(Slow())], settings)
        assert max(most) == at_once


def test_the_number_of_seats_must_fit() -> None:
    with pytest.raises(PlayError, match="needs 2 players, for left, right; 1 were given"):
        Referee(load(VOTES), [Scripted([])], SETTINGS)


@pytest.mark.parametrize(
    "name", ["", "two words", "a(b)", "a;b", "../x", "/etc/x", "a\\b", ".hidden", "a\n", "a\0", "x" * 101]
)
def test_names_of_matches(name: str) -> None:
    with pytest.raises(PlayError, match="cannot be the name of a match"):
        MatchSettings(name, CLOCKS, 1)


def test_a_role_without_a_move_aborts_the_match() -> None:
    stuck = load(
        "(role a) (init p) (<= (legal a go) (true p)) (<= (next q) (true p)) (<= terminal (true z)) (goal a 0)"
    )
    seat, journal = Scripted(["go"]), NotedRecords()
    with pytest.raises(NoLegalMoveError, match=r"after move 1, a has no legal move .*; correct the rules: everybody"):
        asyncio.run(Referee(stuck, [seat], SETTINGS, journal).play())
    assert [type(message).__name__ for message in seat.asked] == ["Start", "Play", "Abort"]
    assert journal.calls == [("began", 0), ("moved", 1), ("aborted", 1)]
    assert journal.last is not None
    assert journal.last.moves == [["go"]], "the move that led there is known"
    assert len(list(journal.last.replay(stuck))) == 2


def test_chance_without_an_outcome_aborts_the_match_in_the_same_way() -> None:
    always = "(random dice 1 one) (random dice 2 two)"
    game = load(ROLLS.replace(always, "(<= (random dice 1 one) (true (turn 1)))"))
    journal = NotedRecords()
    with pytest.raises(NoLegalMoveError, match=r"after move 1, a legal move needs the random variable dice.*; correct"):
        asyncio.run(Referee(game, [PlayerSeat(LegalPlayer()) for _ in game.seats], SETTINGS, journal).play())
    assert journal.calls[-1] == ("aborted", 1)


def test_nobody_is_told_of_a_match_that_cannot_begin() -> None:
    stuck = load("(role a) (init p) (<= (legal a go) (true q)) (<= terminal (true q)) (goal a 0)")
    seat, journal = Scripted([]), NotedRecords()
    with pytest.raises(NoLegalMoveError, match="at the start, a has no legal move"):
        asyncio.run(Referee(stuck, [seat], SETTINGS, journal).play())
    assert (seat.asked, journal.calls) == ([], [])


# -- answers in other spellings ----------------------------------------------------------------


@pytest.mark.parametrize(
    "answer", ["yes", "YES", "  Yes\r\n", "( yes )", "yes ; for sure", "yes no", "((", "(perhaps left", "maybe", "nil"]
)
def test_answers_are_compared_as_terms(answer: str) -> None:
    result = played(load(VOTES), [Scripted([answer] * 3), Scripted(["no"] * 3)])
    assert (result.faults == ()) == ("yes" in answer.lower())
    expected = {"((": "IL null", "(perhaps left": "IL null", "maybe": "IL maybe", "nil": "IL null"}.get(answer, "")
    assert [row[0] for row in result.record.errors] == ["", *[expected] * 3]


def test_a_long_illegal_answer_is_cut_in_the_record() -> None:
    result = played(load(VOTES), [Scripted([f"(say {'x' * 500})"] * 3), Scripted(["no"] * 3)])
    assert result.record.errors[1][0] == "IL (say " + "x" * 95


def test_the_words_about_faults_are_bounded_the_codes_are_not() -> None:
    endless = "(role a) (init p) (legal a go) (<= (next p) (true p)) (<= terminal (true q)) (goal a 0)"
    result = played(load(endless), [Scripted(["stay"] * 150)], replace(SETTINGS, max_steps=150))
    assert len(result.faults) == 150
    assert [row[0] for row in result.record.errors] == ["", *["IL stay"] * 150]
    assert len(result.record.notes["faults"]) == 100
    assert result.record.notes["faults"][-1] == "move 100, a: stay is not legal"


# -- scrambling --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["highcard", "coins"])
def test_scrambled_chance_and_percepts(name: str) -> None:
    """Players that follow the match in their own words find nothing wrong with it."""
    game = load(COINS if name == "coins" else name)

    async def match() -> tuple[MatchResult, list[HttpPlayer]]:
        players = [HttpPlayer() for _ in game.seats]
        async with AsyncExitStack() as stack:
            for player in players:
                await stack.enter_async_context(player)
            seats = [HttpSeat(player.address) for player in players]
            return await Referee(game, seats, replace(SETTINGS, scramble=True)).play(), players

    result, players = asyncio.run(match())
    assert result.finished
    assert result.faults == ()
    assert list(result.record.replay(game))[-1] == result.final
    words = {word for word in scramble(game.rules, Random(0)).forward if not word.startswith("?")}
    for player in players:
        assert player.correspondent.faults == []
        assert not words & set(re.findall(r"[^\s()]+", " ".join(player.heard).lower()))


def test_people_are_spared_made_up_words() -> None:
    def ask(question: Question) -> Move:
        assert {fact.name for fact in question.state.facts} <= {"step", "said"}
        return question.state.legal_moves(question.role)[0]

    game = load(VOTES)
    seats = [Listening(PersonSeat(ask)), Listening(PlayerSeat(LegalPlayer()))]
    result = played(game, seats, replace(SETTINGS, scramble=True))
    assert result.faults == ()
    rules = [message.rules for seat in seats for message in seat.asked if isinstance(message, Start)]
    assert rules[0] == game.rules.to_kif()
    assert "perhaps" not in rules[1].lower()


def test_scrambled_players_see_no_word_of_the_game() -> None:
    game = load("tictactoe")

    async def match() -> tuple[MatchResult, list[HttpPlayer]]:
        players = [HttpPlayer(), HttpPlayer()]
        async with players[0], players[1]:
            seats = [HttpSeat(player.address) for player in players]
            return await Referee(game, seats, replace(SETTINGS, scramble=True)).play(), players

    result, players = asyncio.run(match())
    assert result.faults == ()
    assert result.record.scrambled
    assert list(result.record.replay(game))[-1] == result.final, "the record is in the words of the game"
    words = {word for word in scramble(game.rules, Random(0)).forward if not word.startswith("?")}
    assert {"x", "o", "mark", "noop", "cell", "control", "blank", "line"} <= words
    for player in players:
        heard = set(re.findall(r"[^\s()]+", " ".join(player.heard).lower()))
        assert {"start", "play", "stop", "kiosk.1", "role", "3"} < heard
        assert not words & heard
    assert players[0].heard[0].split(" ")[3:] != players[1].heard[0].split(" ")[3:], "each has words of its own"
    assert asyncio.run(match())[0].moves == result.moves


# -- before the match ----------------------------------------------------------------------------


def test_a_match_waits_until_all_are_free() -> None:
    busy = Scripted(["((name Slowpoke) (status busy))", "( ( NAME Slowpoke ) ( STATUS Available ) )", *["no"] * 3])
    free = Scripted(["available", "available", *["no"] * 3], name="somebody")
    settings = MatchSettings("m", CLOCKS, 1, wait=5.0)
    result = played(load(VOTES), [busy, free], settings)
    assert [type(message).__name__ for message in busy.asked[:3]] == ["Info", "Info", "Start"]
    assert result.record.player_names == ["Slowpoke", "somebody"]


def test_a_match_does_not_wait_for_ever() -> None:
    free, busy, journal = Scripted(["ready"]), Scripted(["((name Slowpoke) (status busy))"]), NotedRecords()
    settings = MatchSettings("m", CLOCKS, 1, wait=0.0)
    with pytest.raises(PlayError, match="the match cannot begin: Slowpoke is busy"):
        asyncio.run(Referee(load(VOTES), [free, busy], settings, journal).play())
    assert journal.calls == []
    assert free.asked == busy.asked == [Info()]


def test_a_name_is_cut() -> None:
    settings = MatchSettings("m", CLOCKS, 1, wait=0.0)
    seats = [Scripted([f"((name {'x' * 500}))", *["no"] * 3]), Scripted(["available", *["no"] * 3])]
    assert played(load(VOTES), seats, settings).record.player_names == ["x" * 100, "scripted"]


def test_busy_in_answer_to_start_is_noted() -> None:
    async def refuse(player: HttpPlayer, writer: asyncio.StreamWriter, answer: str) -> None:
        await faults.reply(writer, "BUSY")

    async def match() -> MatchResult:
        async with HttpPlayer(on_start=refuse) as player:
            return await Referee(load(VOTES), [HttpSeat(player.address), Scripted(["no"] * 3)], SETTINGS).play()

    result = asyncio.run(match())
    assert "START: " in result.faults[0].reason
    assert "answered busy" in result.faults[0].reason
    assert result.record.errors[0] == ["", ""]


# -- journal, breaking off, going on -------------------------------------------------------------


def test_the_journal_hears_of_every_move_before_the_next_is_asked() -> None:
    journal = NotedRecords()

    class Checking(Scripted):
        async def ask(self, message: Message, seconds: float, spelling: object = None) -> str:
            if isinstance(message, Play):
                turns = sum(isinstance(earlier, Play) for earlier in self.asked)
                assert journal.calls[-1] == ("moved" if turns else "began", turns)
            return await super().ask(message, seconds)

    result = played(load(VOTES), [Checking(["no"] * 3), Checking(["yes"] * 3)], journal=journal)
    assert result.faults == ()
    assert journal.calls == [("began", 0), ("moved", 1), ("moved", 2), ("moved", 3), ("ended", 3)]


def test_a_match_is_written_down_before_anybody_hears_of_it() -> None:
    journal = NotedRecords()

    class Checking(Scripted):
        async def ask(self, message: Message, seconds: float, spelling: object = None) -> str:
            assert journal.calls[0] == ("began", 0)
            return await super().ask(message, seconds)

    assert played(load(VOTES), [Checking(["no"] * 3), Checking(["no"] * 3)], journal=journal).faults == ()


def test_who_fails_in_start_is_in_the_store_before_the_first_move(tmp_path: Path) -> None:
    async def match(store: Store) -> list[list[str]]:
        found: list[list[str]] = []

        class Checking(Scripted):
            async def ask(self, message: Message, seconds: float, spelling: object = None) -> str:
                if isinstance(message, Play) and not found:
                    found.extend(store.record("Kiosk.1").errors)
                return await super().ask(message, seconds)

        async with HttpPlayer(on_start=faults.server_error) as player:
            await Referee(load(VOTES), [HttpSeat(player.address), Checking(["no"] * 3)], SETTINGS, store).play()
        return found

    with Store(tmp_path / "matches.sqlite") as store:
        assert asyncio.run(match(store)) == [["CE", ""]]
        assert store.record("Kiosk.1").errors == [["CE", ""], *[["", ""]] * 3]
        assert store.matches()[0].faults == 1


def test_a_match_that_cannot_be_written_down_begins_for_nobody() -> None:
    class Taken(NotedRecords):
        def began(self, record: Record) -> None:
            raise StoreError("another match has this id")

    journal, seats = Taken(), [Scripted([]), Scripted([])]
    with pytest.raises(StoreError, match="another match has this id"):
        asyncio.run(Referee(load(VOTES), seats, SETTINGS, journal).play())
    assert [seat.asked for seat in seats] == [[], []]
    assert journal.calls == []


@pytest.mark.parametrize("end", ["ended", "aborted"])
def test_nothing_is_written_in_the_thread_that_waits_for_players(end: str) -> None:
    class Where(NotedRecords):
        def _note(self, what: str, record: Record) -> None:
            super()._note(what, record)
            threads.add(current_thread().name)

    threads: set[str] = set()
    journal, game = Where(), load(VOTES)

    async def match() -> None:
        settings = SETTINGS if end == "ended" else replace(SETTINGS, max_steps=2)
        with ThreadPoolExecutor(1, "rules") as steps:
            await Referee(game, randoms(game), settings, journal, steps=steps).play()

    asyncio.run(match())
    assert journal.calls[-1][0] == end
    assert threads == {"rules_0"}


def test_a_journal_that_fails_aborts_the_match_for_all() -> None:
    class FullDisk(NotedRecords):
        def moved(self, record: Record) -> None:
            raise OSError("no space left")

        def ended(self, record: Record) -> None:
            raise OSError("still no space left")

    seats = [Scripted(["no"] * 3), Scripted(["yes"] * 3)]
    with pytest.raises(OSError, match="no space left"):
        asyncio.run(Referee(load(VOTES), seats, SETTINGS, FullDisk()).play())
    assert [type(seat.asked[-1]).__name__ for seat in seats] == ["Abort", "Abort"]


def interrupted(game: Game, seats: Sequence[Seat], settings: MatchSettings, moves: int) -> Record:
    """The record of a match that is cancelled in a turn after so many moves."""
    journal = NotedRecords()

    async def main() -> None:
        reached = asyncio.Event()

        def watch(turn: Turn) -> None:
            if turn.number == moves:
                reached.set()

        match = asyncio.create_task(Referee(game, seats, settings, journal, on_turn=watch).play())
        await reached.wait()
        await asyncio.sleep(0)
        match.cancel()
        with pytest.raises(asyncio.CancelledError):
            await match

    asyncio.run(main())
    assert journal.calls[-1] == ("aborted", moves)
    assert journal.last is not None
    return journal.last


def test_cancelling_aborts_the_match_for_everybody() -> None:
    async def match() -> tuple[NotedRecords, list[HttpPlayer]]:
        journal, players = NotedRecords(), [HttpPlayer(faults.never), HttpPlayer()]
        async with players[0], players[1]:
            seats = [HttpSeat(player.address) for player in players]
            task = asyncio.create_task(Referee(load(VOTES), seats, SETTINGS, journal).play())
            while "PLAY" not in players[0].commands:
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return journal, players

    journal, players = asyncio.run(match())
    assert journal.calls == [("began", 0), ("aborted", 0)]
    for player in players:
        assert player.heard[-1] == "(ABORT Kiosk.1)"


def test_cancelling_in_start_is_recorded_too() -> None:
    async def match() -> tuple[NotedRecords, HttpPlayer]:
        journal, player = NotedRecords(), HttpPlayer(on_start=faults.never)
        async with player:
            seats: list[Seat] = [HttpSeat(player.address), Scripted([])]
            task = asyncio.create_task(Referee(load(VOTES), seats, SETTINGS, journal).play())
            while not player.commands:
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return journal, player

    journal, player = asyncio.run(match())
    assert journal.calls == [("began", 0), ("aborted", 0)]
    assert player.commands == ["START", "ABORT"]


@pytest.mark.parametrize("name", ["tictactoe", "pig", "dicerace"])
@pytest.mark.parametrize("scramble", [False, True])
def test_a_match_goes_on_after_an_interruption(name: str, scramble: bool) -> None:
    """With players that always do the same it ends as if nothing had happened, chance included."""
    game = load(name)
    settings = MatchSettings("m", CLOCKS, 11, scramble, max_steps=9)
    legals = [PlayerSeat(LegalPlayer()) for _ in game.seats]
    whole = played(game, legals, settings)
    record = interrupted(game, [PlayerSeat(LegalPlayer()) for _ in game.seats], settings, 3)
    stored = Record.from_json(record.to_json())
    assert MatchSettings.of_record(stored) == settings
    resumed = asyncio.run(Referee(game, [PlayerSeat(LegalPlayer()) for _ in game.seats], settings).resume(stored))
    assert resumed.faults == ()
    assert resumed.moves == whole.moves
    assert resumed.final == whole.final
    assert resumed.record.is_completed == whole.record.is_completed
    assert resumed.record.random_token == record.random_token


def test_others_who_go_on_are_credited() -> None:
    game = load(VOTES)
    seats = [Scripted(["no"] * 9, "ann"), Scripted(["no"] * 9, "bob")]
    record = Record.from_json(interrupted(game, seats, SETTINGS, 2).to_json())
    settings = replace(MatchSettings.of_record(record), wait=0.0, max_steps=50)
    others = [Scripted(["((name cleo) (status busy))", *["no"] * 9]), Scripted(["busy", *["no"] * 9], "bob")]
    result = asyncio.run(Referee(game, others, settings).resume(record))
    assert result.record.is_completed
    assert result.record.player_names == ["cleo", "bob"]
    assert result.record.notes["earlierPlayers"] == [{"players": ["ann", "bob"], "turns": 2}]
    assert result.faults == ()
    assert MatchSettings.of_record(record).max_steps == 50
    assert "earlierPlayers" not in interrupted(game, [Scripted(["no"] * 9)] * 2, SETTINGS, 1).notes


def test_the_record_remembers_how_much_players_search() -> None:
    game, settings = load(VOTES), replace(SETTINGS, nodes=777)
    assert MatchSettings.of_record(interrupted(game, randoms(game), settings, 1)) == settings


def test_a_forfeit_stays_one_when_the_referee_is_killed_before_it_says_so() -> None:
    game, settings = load(VOTES), replace(SETTINGS, on_fault="forfeit")
    journal = NotedRecords()
    lost = asyncio.run(Referee(game, [Scripted(["maybe"]), Scripted(["no"])], settings, journal).play())
    unfinished = Record.from_json(lost.record.to_json())
    unfinished.is_completed, unfinished.goal_values = False, None
    del unfinished.notes["forfeited"]
    seats = [Scripted([]), Scripted([])]
    resumed = asyncio.run(Referee(game, seats, MatchSettings.of_record(unfinished)).resume(unfinished))
    assert resumed.forfeited == (LEFT,)
    assert resumed.record.goal_values == [0, 100]
    assert [len(seat.asked) for seat in seats] == [1, 1], "STOP"


def test_players_that_still_know_the_match_just_go_on() -> None:
    game = load(VOTES)

    async def main() -> tuple[MatchResult, list[HttpPlayer]]:
        players, journal = [HttpPlayer(), HttpPlayer()], NotedRecords()
        async with players[0], players[1]:
            seats = [HttpSeat(player.address) for player in players]

            class KilledError(Exception):
                """Stands for the sudden death of a referee: nobody is told."""

            def kill(turn: Turn) -> None:
                if turn.number == 2:
                    players[1].forget()
                    raise KilledError

            referee = Referee(game, seats, SETTINGS, journal, on_turn=kill)
            referee._abort = lambda: asyncio.sleep(0)  # type: ignore[method-assign]
            with pytest.raises(KilledError):
                await referee.play()
            assert journal.last is not None
            record = Record.from_json(journal.last.to_json())
            return await Referee(game, seats, MatchSettings.of_record(record)).resume(record), players

    result, (remembering, forgetting) = asyncio.run(main())
    assert result.faults == ()
    assert [joint[LEFT] for joint in result.moves] == ["no"] * 3
    assert remembering.commands == ["START", "PLAY", "PLAY", "PLAY", "STOP"]
    assert forgetting.commands == ["START", "PLAY", "PLAY", "PLAY", "ABORT", "START", "PLAY", "PLAY", "PLAY", "STOP"]
    assert forgetting.heard[-4:-1] == ["(PLAY Kiosk.1 NIL)", "(PLAY Kiosk.1 (no no))", "(PLAY Kiosk.1 (no no))"]


def test_what_cannot_go_on() -> None:
    game = load(VOTES)
    done = played(game, randoms(game)).record
    with pytest.raises(PlayError, match=r"the match Kiosk\.1 is over"):
        asyncio.run(Referee(game, randoms(game), SETTINGS).resume(done))
    with pytest.raises(PlayError, match=r"the record is that of Kiosk\.1, not of other"):
        asyncio.run(Referee(game, randoms(game), MatchSettings("other", CLOCKS, 5)).resume(done))
    record = interrupted(game, randoms(game), SETTINGS, 2)
    record.moves[1][0] = "( castle )"
    with pytest.raises(RecordError, match="turn 2"):
        asyncio.run(Referee(game, randoms(game), SETTINGS).resume(record))
    record.notes.clear()
    with pytest.raises(PlayError, match="does not say how it was refereed"):
        MatchSettings.of_record(record)


# -- several at once -------------------------------------------------------------------------------


def test_many_matches_at_once_in_one_process() -> None:
    game = load("tictactoe")

    async def all_matches() -> list[MatchResult]:
        with ThreadPoolExecutor(1) as steps:
            referees = [
                Referee(game, randoms(game, number), MatchSettings(f"m{number}", CLOCKS, number), steps=steps)
                for number in range(20)
            ]
            return await asyncio.gather(*(referee.play() for referee in referees))

    results = asyncio.run(all_matches())
    assert all(result.finished and result.faults == () for result in results)
    for number, result in enumerate(results):
        alone = played(game, randoms(game, number), MatchSettings(f"m{number}", CLOCKS, number))
        assert alone.moves == result.moves
