"""The page of a game without a browser: in which order things are asked for, and what is told of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import Client
from nicegui.page import page

from ludens.web.page_processes import PageProcess, PageProcesses
from ludens.web.page_service import PageService
from ludens.web.pages.play import PlayPage
from ludens.web.pages.setup import named_seats


class NearProcess(PageProcess):
    """A process whose tasks are done here, one after the other, while others may be asked for."""

    def __init__(self) -> None:
        super().__init__(PageProcesses())
        self.tasks: list[str] = []
        self._service = PageService()
        self._turn = asyncio.Lock()

    @property
    def is_running(self) -> bool:
        return True

    async def ask(self, task: str, within: float, /, **arguments: Any) -> Any:
        self.tasks.append(task)
        async with self._turn:
            await asyncio.sleep(0)
            return self._service.do(task, arguments)

    async def interrupt(self) -> None:
        """Nobody thinks for long here."""


def play(
    game: str, seats: list[str], action: Callable[[PlayPage, NearProcess], Awaitable[None]], seed: int = 0
) -> None:
    """Open a game on a page of its own, and do something there."""

    async def run() -> None:
        process = NearProcess()
        playing = PlayPage(process, game, seats=seats, first_seed=seed)
        with Client(page("")) as client:
            playing.build("", "", "")
            await playing.open()
            await action(playing, process)
        client.delete()

    asyncio.run(run())


def test_chance_does_not_wait_until_the_players_are_ready() -> None:
    rolls_before = set()

    async def action(_playing: PlayPage, process: NearProcess) -> None:
        rolls = process.tasks.index("prepare") - 1
        assert process.tasks[: rolls + 1] == ["open", *["think"] * rolls]
        rolls_before.add(rolls)

    for seed in range(60):
        play("pig", ["person", "random"], action, seed)
        if len(rolls_before) > 1:
            break
    assert min(rolls_before) == 1
    assert len(rolls_before) > 1, "a one leaves the next roll to the other player at once"


def test_players_that_begin_are_ready_before_they_think() -> None:
    async def action(_playing: PlayPage, process: NearProcess) -> None:
        assert process.tasks == ["open", "prepare", "think"]

    play("tictactoe", ["legal", "person"], action)


def test_the_panel_tells_who_sits_where_also_when_answers_are_overtaken() -> None:
    async def action(playing: PlayPage, _process: NearProcess) -> None:
        await playing._make(0)
        assert playing._setup.seats == ["person", "legal"]
        await asyncio.gather(playing._wish("swap")(), playing._wish("undo")())
        assert playing._view
        assert [seat["seat"] for seat in playing._view["seats"]] == ["legal", "person"]
        assert playing._setup.seats == ["legal", "person"]
        playing._setup.seats[0] = "random"
        await playing._wish("undo")()
        assert playing._setup.seats == ["random", "person"]

    play("tictactoe", ["person", "legal"], action)


def test_seats_that_an_address_names() -> None:
    assert named_seats("person,uct") == (["person", "uct"], "")
    assert named_seats("") == named_seats(",") == ([], "")
    seats, warning = named_seats("person,nobody")
    assert seats == []
    assert "'nobody'" in warning
