"""Matches that are broken off, what is written down by then, and how they go on."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import current_thread

import pytest

from ludens import load
from ludens.arena.records import Record
from ludens.arena.referee import Referee
from ludens.arena.result import MatchResult, MatchSettings, PlayedTurn
from ludens.arena.seats import HttpSeat, PlayerSeat, Seat
from ludens.arena.store import Store
from ludens.errors import PlayError, RecordError, StoreError
from ludens.game import Game
from ludens.players import LegalPlayer
from ludens.protocol import Message, Play
from tests.arena import fault_players as faults
from tests.arena.fault_players import LEFT, VOTES, HttpPlayer
from tests.arena.refereeing import CLOCKS, SETTINGS, NotedRecords, Scripted, played, randoms
from tests.tiers import every_game

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

        def watch(turn: PlayedTurn) -> None:
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


@pytest.mark.parametrize("name", every_game(of=["tictactoe", "pig", "dicerace"]))
@pytest.mark.parametrize("scramble", [False, True])
def test_a_match_goes_on_after_an_interruption(name: str, scramble: bool) -> None:
    """With players that always do the same it ends as if nothing had happened, chance included."""
    game = load(name)
    settings = MatchSettings("m", CLOCKS, 11, scramble, max_steps=9)
    legals = [PlayerSeat(LegalPlayer()) for _ in game.player_roles]
    whole = played(game, legals, settings)
    record = interrupted(game, [PlayerSeat(LegalPlayer()) for _ in game.player_roles], settings, 3)
    stored = Record.from_json(record.to_json())
    assert MatchSettings.of_record(stored) == settings
    resumed = asyncio.run(
        Referee(game, [PlayerSeat(LegalPlayer()) for _ in game.player_roles], settings).resume(stored)
    )
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

            def kill(turn: PlayedTurn) -> None:
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
