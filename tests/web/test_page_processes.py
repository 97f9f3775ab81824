"""The processes behind the pages: they answer, and are ended where they do not.

Where it does not matter what they answer a small program stands in for them, because it starts at once.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ludens.arena.store import Store
from ludens.runtime.processes import AsyncChildProcess
from ludens.web.page_processes import PageProcess, PageProcessError, PageProcesses
from tests.tiers import FULL

ENDLESS = """
(role one) (legal one go) (goal one 100) (long z)
(<= (long (s ?x)) (long ?x))
(<= terminal (long ?x) (distinct ?x ?x))
"""
GREEDY = (
    "(role one) (legal one go) (goal one 100) "
    + " ".join(f"(d {number})" for number in range(300))
    + """
(<= (pair ?a ?b ?c ?d) (d ?a) (d ?b) (d ?c) (d ?d))
(<= terminal (pair ?a ?b ?c ?d) (distinct ?a ?a))
"""
)
GAME = {"name": "tictactoe", "seats": ["person", "legal"], "seconds": 0.1, "seed": 1}
STAND_IN = (sys.executable, "-I", "-S", str(Path(__file__).with_name("slow_child.py")))
PATIENT = 120.0
LONG = 60.0
"""Seconds that a request takes which is broken off."""

Run = Callable[[Callable[[PageProcesses], Awaitable[None]]], None]


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """Runs tests with the same processes, one after the other."""
    with asyncio.Runner() as runner:
        processes = PageProcesses()
        yield lambda action: runner.run(action(processes))  # type: ignore[arg-type]
        runner.run(processes.close())


def run_stand_ins(action: Callable[[PageProcesses], Awaitable[None]], most: int = 12) -> None:
    async def run() -> None:
        processes = PageProcesses(most=most, command=STAND_IN)
        try:
            await action(processes)
        finally:
            await processes.close()

    asyncio.run(run())


async def busy(process: PageProcess, seconds: float) -> asyncio.Task[Any]:
    """A request that takes a while, under way."""
    asked = asyncio.create_task(process.ask("anything", PATIENT, seconds=seconds))
    while not process.is_running:
        await asyncio.sleep(0.01)
    return asked


def test_a_game_is_played_and_goes_on_in_another_process(run: Run) -> None:
    async def action(processes: PageProcesses) -> None:
        process = processes.new()
        view = await process.ask("open", PATIENT, **GAME)
        assert view["asked"] == "x"
        assert len(view["choices"]) == 9
        view = await process.ask("choose", PATIENT, role="x", move=4, turn=0)
        assert view["thinkers"] == ["o"]
        with pytest.raises(PageProcessError, match="gone on"):
            await process.ask("choose", PATIENT, role="x", move=3, turn=0)
        view = await process.ask("think", PATIENT)
        assert [row["words"] for row in view["history"]] == ["x mark 2 2", "o mark 1 1"]
        await process.free()
        assert not process.is_running
        again = await process.ask("open", PATIENT, **GAME, moves=view["moves"])
        told = ("turn", "asked", "svg", "choices", "moves", "seats")
        assert {key: again[key] for key in told} == {key: view[key] for key in told}
        for wrong in ([["nonsense", "nonsense"]], [["noop"]], [*view["moves"], []]):
            with pytest.raises(PageProcessError, match="not the moves of this game"):
                await process.ask("open", PATIENT, **GAME, moves=wrong)
        await process.close()

    run(action)


def test_pages_name_games_and_never_files_and_do_only_what_there_is_to_do(run: Run) -> None:
    async def action(processes: PageProcesses) -> None:
        process = processes.new()
        with pytest.raises(PageProcessError, match="there is no bundled game"):
            await process.ask("open", PATIENT, **{**GAME, "name": "/etc/passwd"})
        crowd = " ".join(f"(role r{number})" for number in range(60)) + " (legal r1 go) terminal (goal r1 0)"
        with pytest.raises(PageProcessError, match="60 roles; at most 24"):
            await process.ask("open", PATIENT, **{**GAME, "text": crowd})
        with pytest.raises(PageProcessError, match="there is no task"):
            await process.ask("nonsense", PATIENT)
        await process.close()

    run(action)


@pytest.mark.parametrize(
    ("sheet", "words"),
    [
        pytest.param(ENDLESS, "terms of more than|took longer than 1 s", marks=FULL),
        (GREEDY, "took longer than 1 s"),
    ],
)
def test_a_sheet_that_never_ends_is_stopped_and_others_are_served(run: Run, sheet: str, words: str) -> None:
    async def action(processes: PageProcesses) -> None:
        process, other = processes.new(), processes.new()
        for each in (process, other):
            await each.ask("check", PATIENT, text="(role x)")
        stuck = asyncio.create_task(process.ask("open", 1, **{**GAME, "text": sheet}))
        served = 0
        while not stuck.done():
            found = await other.ask("check", PATIENT, text="(role y)")
            assert found["roles"] == ["y"]
            served += 1
        assert served
        with pytest.raises(PageProcessError, match=words):
            await stuck
        await process.close()
        await other.close()

    run(action)


def test_a_process_that_needs_too_much_memory_is_told_as_such() -> None:
    async def action() -> None:
        processes = PageProcesses(memory=300)
        with pytest.raises(PageProcessError, match="lack of memory"):
            await processes.new().ask("open", PATIENT, **{**GAME, "text": GREEDY})
        await processes.close()

    asyncio.run(action())


def test_there_is_a_number_of_processes_and_those_that_are_left_give_way_first() -> None:
    async def action(processes: PageProcesses) -> None:
        first, left, third = processes.new(), processes.new(), processes.new()
        for each in (first, left):
            await each.ask("anything", PATIENT)
        left.leave()
        await third.ask("anything", PATIENT)
        assert [first.is_running, left.is_running, third.is_running] == [True, False, True]
        await left.ask("anything", PATIENT)
        assert [first.is_running, left.is_running, third.is_running] == [False, True, True]
        await third.close()
        with pytest.raises(PageProcessError, match="the page was closed"):
            await third.ask("anything", PATIENT)

    run_stand_ins(action, most=2)


def test_where_all_are_busy_only_those_that_were_left_give_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludens.web.page_processes.ROOM_SECONDS", 0.1)

    async def action(processes: PageProcesses) -> None:
        process = processes.new()
        asked = await busy(process, LONG)
        with pytest.raises(PageProcessError, match="close one of them"):
            await processes.new().ask("anything", PATIENT)
        process.leave()
        assert await processes.new().ask("anything", PATIENT) == {}
        with pytest.raises(PageProcessError):
            await asked

    run_stand_ins(action, most=1)


def test_a_page_waits_a_little_for_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludens.web.page_processes.ROOM_SECONDS", PATIENT)

    async def action(processes: PageProcesses) -> None:
        process = processes.new()
        asked = await busy(process, 0.3)
        assert await processes.new().ask("anything", PATIENT) == {}
        assert await asked == {"seconds": 0.3}
        assert not process.is_running

    run_stand_ins(action, most=1)


def test_processes_that_nobody_asks_are_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    async def action(processes: PageProcesses) -> None:
        process = processes.new()
        await process.ask("anything", PATIENT)
        await processes.tidy()
        assert process.is_running
        monkeypatch.setattr("ludens.web.page_processes.IDLE_SECONDS", 0.0)
        await processes.tidy()
        assert not process.is_running

    run_stand_ins(action)


def test_a_page_that_comes_back_while_its_process_ends_gets_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not disturbed by the end of the first one, and is ended with the others."""
    finish = AsyncChildProcess.finish

    async def slowly(child: AsyncChildProcess) -> None:
        await asyncio.sleep(0.3)
        await finish(child)

    monkeypatch.setattr(AsyncChildProcess, "finish", slowly)

    async def action(processes: PageProcesses) -> None:
        process = processes.new()
        await process.ask("anything", PATIENT)
        freed = asyncio.create_task(process.free())
        await asyncio.sleep(0.05)
        await process.ask("anything", PATIENT, seconds=1.0)
        await freed
        assert process.is_running
        assert process in processes.running

    run_stand_ins(action)


def test_all_processes_together_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludens.web.page_processes.MEMORY_SHARE", 0.0)

    async def action(processes: PageProcesses) -> None:
        asked = await busy(processes.new(), LONG)
        await processes.tidy()
        with pytest.raises(PageProcessError, match="too much memory"):
            await asked

    run_stand_ins(action)


def test_a_game_is_kept_when_its_page_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "matches.sqlite"

    async def action() -> None:
        processes = PageProcesses(keep=True, store=path)
        left, thinking = processes.new(), processes.new()
        await left.ask("open", PATIENT, **GAME)
        await left.ask("choose", PATIENT, role="x", move=4, turn=0)
        await left.close()
        await thinking.ask("open", PATIENT, name="connectfour", seats=["person", "uct"], seconds=60.0, seed=1)
        await thinking.ask("choose", PATIENT, role="red", move=3, turn=0)
        thought = asyncio.create_task(thinking.ask("think", PATIENT))
        await asyncio.sleep(0.5)
        await processes.close()
        await asyncio.gather(thought, return_exceptions=True)

    asyncio.run(action())
    with Store(path) as store:
        kept = [(match.game, match.players, match.status) for match in store.matches()]
    assert kept == [
        ("tictactoe", ("person", "legal"), "aborted"),
        ("connectfour", ("person", "uct"), "aborted"),
    ]
