"""The referee: what players are told, byte by byte; chance, percepts, answers, scrambling."""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import replace
from random import Random

import pytest

from ludens import load
from ludens.arena.referee import Referee
from ludens.arena.result import MatchResult, MatchSettings, PlayedTurn
from ludens.arena.seats import HttpSeat, MoveRequest, PersonSeat, PlayerSeat, Seat
from ludens.core import Move, Role
from ludens.errors import NoLegalMoveError, PlayError
from ludens.game import State
from ludens.gdl.scramble import scramble
from ludens.players import LegalPlayer
from ludens.protocol import Info, Play, Start, Stop
from ludens.runtime.deadline import Deadline
from tests.arena import fault_players as faults
from tests.arena.fault_players import VOTES, HttpPlayer
from tests.arena.refereeing import CLOCKS, SETTINGS, Listening, NotedRecords, Scripted, played, randoms
from tests.arena.wire import WirePlayer, ok
from tests.tiers import every_game

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

SEATED = ("eightpuzzle", "tictactoe", "rockpaperscissors", "threeway", "chinesecheckers6")


@pytest.mark.parametrize("name", every_game(of=SEATED))
@pytest.mark.parametrize("one_by_one", [True, False])
def test_any_number_of_roles(name: str, one_by_one: bool) -> None:
    game = load(name)
    settings = MatchSettings("m", CLOCKS, 1, max_steps=8, one_by_one=one_by_one)
    turns: list[PlayedTurn] = []
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
        asyncio.run(Referee(game, [PlayerSeat(LegalPlayer()) for _ in game.player_roles], SETTINGS, journal).play())
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
    assert len(result.record.notes["diagnostics"]) == 100
    assert result.record.notes["diagnostics"][-1] == "move 100, a: stay is not legal"


# -- scrambling --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["highcard", "coins"])
def test_scrambled_chance_and_percepts(name: str) -> None:
    """Players that follow the match in their own words find nothing wrong with it."""
    game = load(COINS if name == "coins" else name)

    async def match() -> tuple[MatchResult, list[HttpPlayer]]:
        players = [HttpPlayer() for _ in game.player_roles]
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
    def ask(question: MoveRequest) -> Move:
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
    assert "START: " in result.faults[0].text
    assert "answered busy" in result.faults[0].text
    assert result.record.errors[0] == ["", ""]


# -- several at once -------------------------------------------------------------------------------


def test_many_matches_at_once_in_one_process() -> None:
    game = load("tictactoe")

    async def all_matches() -> list[MatchResult]:
        with ThreadPoolExecutor(1) as steps:
            referees = [
                Referee(game, randoms(game, number), MatchSettings(f"m{number}", CLOCKS, number), steps=steps)
                for number in range(8)
            ]
            return await asyncio.gather(*(referee.play() for referee in referees))

    results = asyncio.run(all_matches())
    assert all(result.finished and result.faults == () for result in results)
    for number, result in enumerate(results):
        alone = played(game, randoms(game, number), MatchSettings(f"m{number}", CLOCKS, number))
        assert alone.moves == result.moves
