"""Players that get something wrong: the match ends properly, the record tells what happened, others are undisturbed."""

from __future__ import annotations

import asyncio
import time

import pytest

from ludens import load
from ludens.arena.referee import Referee
from ludens.arena.result import MatchResult, MatchSettings
from ludens.arena.seats import HttpSeat
from ludens.core import Clocks
from tests.arena import fault_players as faults
from tests.arena.fault_players import LEFT, RIGHT, VOTES, Behaviour, HttpPlayer
from tests.tiers import FULL

SETTINGS = MatchSettings("Kiosk.1", Clocks(1.0, 0.4), seed=3, grace=0.2)
GAME = load(VOTES)


async def play(broken: HttpPlayer, sound: HttpPlayer, settings: MatchSettings = SETTINGS) -> MatchResult:
    async with broken, sound:
        return await Referee(GAME, [HttpSeat(broken.address), HttpSeat(sound.address)], settings).play()


def codes(result: MatchResult) -> list[str]:
    """What the record says about the broken player; the other one is without fault."""
    assert [row[1] for row in result.record.errors] == [""] * len(result.record.states)
    return [row[0] for row in result.record.errors]


def check(result: MatchResult, sound: HttpPlayer) -> None:
    """The match was played to its end as the rules say, and the sound player noticed nothing."""
    assert result.finished
    assert len(result.moves) == 3
    assert list(result.record.replay(GAME))[-1] == result.final
    assert result.record.is_completed
    assert not result.record.is_aborted
    assert result.record.goal_values == [result.goals[LEFT], 100], "the first legal move is no"
    assert {fault.role for fault in result.faults} == {"left"}
    assert sound.commands == ["START", "PLAY", "PLAY", "PLAY", "STOP"]
    assert {joint[RIGHT] for joint in result.moves} == {"no"}


@pytest.mark.parametrize(
    ("behaviour", "code", "words"),
    [
        (faults.never, "TO", "did not answer within 0.6 s"),
        pytest.param(faults.late, "TO", "did not answer within 0.6 s", marks=FULL),
        (faults.noise, "CE", "no HTTP reply"),
        (faults.garbage, "IL null", "unclosed parenthesis"),
        (faults.silence, "IL null", "the answer is empty"),
        (faults.hang_up, "CE", "closed the connection without an answer"),
        (faults.flood, "CE", "sent more than 65,536 bytes"),
        (faults.too_long, "CE", "sent more than 65,536 bytes"),
        (faults.long_list, "IL null", "unclosed parenthesis"),
        (faults.redirect, "CE", "HTTP status 302"),
        (faults.half_a_word, "CE", "no HTTP reply"),
        pytest.param(faults.stalled_word, "TO", "did not answer within 0.6 s", marks=FULL),
        (faults.flood_of_headers, "CE", "no HTTP reply"),
        (faults.illegal, "IL (mark 9 9)", "(mark 9 9) is not legal"),
        (faults.server_error, "CE", "HTTP status 500"),
        (faults.restart, "IL busy", "busy is not legal"),
    ],
)
def test_every_move_fails(behaviour: Behaviour, code: str, words: str) -> None:
    broken, sound = HttpPlayer(behaviour), HttpPlayer()
    begun = time.monotonic()
    result = asyncio.run(play(broken, sound))
    check(result, sound)
    assert codes(result) == ["", code, code, code]
    assert [fault.step for fault in result.faults][:3] == [1, 2, 3]
    assert all(words in fault.text for fault in result.faults[:3])
    assert result.record.notes["diagnostics"][0].startswith("move 1, left: ")
    assert {joint[LEFT] for joint in result.moves} <= {"yes", "no", "(Perhaps left)"}
    assert time.monotonic() - begun < 20


@pytest.mark.parametrize("behaviour", [faults.never, faults.garbage, faults.hang_up, faults.flood])
def test_a_player_that_fails_once_plays_on(behaviour: Behaviour) -> None:
    broken, sound = HttpPlayer(behaviour, turns=1), HttpPlayer()
    result = asyncio.run(play(broken, sound))
    check(result, sound)
    assert [bool(code) for code in codes(result)] == [False, True, False, False]
    assert [joint[LEFT] for joint in result.moves][1:] == ["no", "no"]
    assert broken.commands == ["START", "PLAY", "PLAY", "PLAY", "STOP"]


def test_a_player_that_dies_in_start() -> None:
    broken, sound = HttpPlayer(on_start=faults.die), HttpPlayer()
    result = asyncio.run(play(broken, sound))
    check(result, sound)
    assert codes(result) == ["CE", "CE", "CE", "CE"]
    assert "could not be reached" in result.faults[1].text


def test_a_player_that_is_never_ready() -> None:
    broken, sound = HttpPlayer(on_start=faults.never), HttpPlayer()
    result = asyncio.run(play(broken, sound))
    check(result, sound)
    assert codes(result) == ["TO", "", "", ""]


def test_a_player_that_is_nowhere() -> None:
    async def match() -> MatchResult:
        async with HttpPlayer() as gone:
            address = gone.address
        async with HttpPlayer() as sound:
            return await Referee(GAME, [HttpSeat(address), HttpSeat(sound.address)], SETTINGS).play()

    assert codes(asyncio.run(match())) == ["CE"] * 4


def test_a_slow_player_does_not_delay_the_end_for_others() -> None:
    class Deaf(HttpPlayer):
        async def _react(self, writer: asyncio.StreamWriter, text: str) -> None:
            if text.startswith("(STOP"):
                await asyncio.sleep(60)
            await super()._react(writer, text)

    told_at = 0.0

    class Prompt(HttpPlayer):
        async def _react(self, writer: asyncio.StreamWriter, text: str) -> None:
            nonlocal told_at
            told_at = time.monotonic()
            await super()._react(writer, text)

    deaf, prompt = Deaf(), Prompt()
    result = asyncio.run(play(deaf, prompt))
    assert prompt.commands[-1] == "STOP"
    assert time.monotonic() - told_at >= 0.3, "the referee was still waiting for the deaf one"
    assert result.record.is_completed
    assert "did not answer" in result.faults[-1].text
    assert codes(result) == [""] * 4


@pytest.mark.parametrize("behaviour", [faults.never, faults.illegal, faults.hang_up])
def test_a_fault_can_be_a_forfeit(behaviour: Behaviour) -> None:
    settings = MatchSettings("Kiosk.2", SETTINGS.clocks, 3, on_fault="forfeit", grace=0.2)
    broken, sound = HttpPlayer(behaviour), HttpPlayer()
    result = asyncio.run(play(broken, sound, settings))
    assert result.finished
    assert result.forfeited == ("left",)
    assert result.goals == {"left": 0, "right": 100}
    assert len(result.moves) == 1
    assert result.record.is_completed
    assert result.record.goal_values == [0, 100]
    assert result.record.notes["forfeited"] == ["left"]
    assert codes(result)[1]
    assert sound.commands == ["START", "PLAY", "STOP"]


def test_both_forfeit() -> None:
    settings = MatchSettings("Kiosk.3", SETTINGS.clocks, 3, on_fault="forfeit", grace=0.2)
    result = asyncio.run(play(HttpPlayer(faults.garbage), HttpPlayer(faults.illegal), settings))
    assert result.goals == {"left": 0, "right": 0}


@pytest.mark.full
def test_many_matches_with_broken_players_at_once() -> None:
    """A fault in one match is none in another."""
    behaviours = [
        faults.never,
        faults.garbage,
        faults.hang_up,
        faults.flood,
        faults.illegal,
        faults.long_list,
        None,
    ] * 2
    patient = MatchSettings("Kiosk.4", Clocks(5.0, 1.5), seed=3)

    async def all_matches() -> list[MatchResult]:
        return await asyncio.gather(
            *(play(HttpPlayer(behaviour, turns=1), HttpPlayer(), patient) for behaviour in behaviours)
        )

    results = asyncio.run(all_matches())
    for behaviour, result in zip(behaviours, results, strict=True):
        assert result.finished
        assert any(codes(result)) == (behaviour is not None)
