"""Watching: matches and tournaments of the store, and any match move by move."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote

from nicegui import ui

from ludens.arena.json_fields import parse_json
from ludens.arena.summaries import PLAYING
from ludens.errors import LudensError
from ludens.web import library
from ludens.web.markup import safe
from ludens.web.match_markup import game_title, match_list, rating_list, tournament_html
from ludens.web.page_processes import PageProcess, PageProcessError, PageProcesses
from ludens.web.pages.controls import after_connecting, content, page_process, run_in_thread
from ludens.web.pages.frame import head

REPLAY_SECONDS, FRAME_SECONDS = 60.0, 15.0
LIVE_SECONDS = 1.5
"""How often a match that is being played is looked at."""
PLAY_SECONDS = 0.8
MAX_TURNS_LISTED = 600
NEWS_SECONDS = 300.0
"""The time without news after which a match is taken for abandoned."""
HOST_COMMAND = "ludens host chess uct random"

Find: TypeAlias = Callable[[], Awaitable[Mapping[str, Any]]]


async def watch_page(store: Path | None, version: str) -> None:
    head("/watch", version)
    shelf = await run_in_thread(library.browse, store)
    with content():
        ui.html(
            "<h1>Watch</h1><p><a class='btn' href='/watch/file'>Open a record from a file</a></p><br>", sanitize=False
        )
        if not shelf.matches:
            ui.html(
                f"<p class='lead'>No match is kept yet. <code>{HOST_COMMAND}</code> plays one, "
                "<code>ludens tournament</code> many; they appear here while they are played.</p>",
                sanitize=False,
            )
            return
        ratings = await run_in_thread(library.standings, reversed(shelf.matches))
        links = "".join(
            f'<a class="btn" href="/watch/tournament/{quote(name, safe="")}">{safe(name)}</a>'
            for name in shelf.tournaments
        )
        if links:
            ui.html(f"<h2>Tournaments</h2><div class='actions'>{links}</div><br>", sanitize=False)
        ui.html(f"<h2>Matches</h2>{match_list(shelf.matches)}", sanitize=False)
        if ratings.lines:
            ui.html(f"<br><h2>Ratings over these matches</h2>{rating_list(ratings)}", sanitize=False)


def watch_tournament_page(store: Path | None, version: str, name: str) -> None:
    head("/watch", version)
    with content():
        ui.html(f"<h1>{safe(name)}</h1>", sanitize=False)
        body = ui.html("", sanitize=False)

    async def refresh() -> None:
        try:
            matches, ratings = await run_in_thread(library.tournament, store, name)
        except LudensError as error:
            body.set_content(f'<p class="message">{safe(error, 400)}</p>')
            timer.deactivate()
            return
        body.set_content(tournament_html(matches, ratings))
        if all(match.status != PLAYING for match in matches):
            timer.interval = 5 * LIVE_SECONDS

    timer = ui.timer(LIVE_SECONDS, refresh, immediate=True)


def watch_match_page(processes: PageProcesses, store: Path | None, version: str, match_id: str) -> None:
    head("/watch", version)
    page = ReplayPage(page_process(processes))
    with content():
        page.build(match_id)

    async def find() -> Mapping[str, Any]:
        return await run_in_thread(library.record, store, match_id)

    after_connecting(partial(page.open, find, grows=True))


def watch_file_page(processes: PageProcesses, version: str) -> None:
    """Any record in the match format of ggp.org that says by which rules it was played."""
    head("/watch", version)
    page = ReplayPage(page_process(processes))

    async def uploaded(event: Any) -> None:
        async def read() -> Mapping[str, Any]:
            if event.file.size() > library.MAX_RECORD_BYTES:
                raise PageProcessError("this record is too large to be shown")
            return {"record": await run_in_thread(parse_json, await event.file.read())}

        await page.open(read)

    with content():
        ui.html(
            "<h1>A record from a file</h1><p class='lead'>The JSON of a match that tells its rules, such as "
            "<code>ludens host --record</code> writes.</p>",
            sanitize=False,
        )
        ui.upload(
            label="choose a file",
            auto_upload=True,
            max_files=1,
            max_file_size=library.MAX_RECORD_BYTES,
            on_upload=uploaded,
        ).props("accept=.json flat").classes("upload")
        page.build("")


class ReplayPage:
    """One match at any of its turns; one that is being played goes on by itself."""

    def __init__(self, process: PageProcess) -> None:
        self._process = process
        self._summary: Mapping[str, Any] = {}
        self._turn = 0
        self._found: Mapping[str, Any] | None = None
        self._seen_turns = -1
        """Of a match that is being played: how many there were when it was last looked at."""
        self._quiet_seconds = 0.0

    def build(self, title: str) -> None:
        self._title = ui.html(f"<h1>{safe(title)}</h1>" if title else "", sanitize=False)
        self._message = ui.html("", sanitize=False).classes("message").props("role=alert")
        self._shown = ui.element("div").classes("table")
        self._shown.set_visibility(False)
        with self._shown:
            with ui.element("div"):
                self._board = ui.html("", sanitize=False).classes("board panel")
                with ui.element("div").classes("player"):
                    self._step("«", "f", lambda: 0)
                    self._step("‹", ",", lambda: self._turn - 1)
                    self._auto = ui.html("Play", sanitize=False, tag="button").classes("btn main").props("data-key=p")
                    self._auto.on("click", self._toggle, js_handler="() => emit()")
                    self._step("›", ".", lambda: self._turn + 1)
                    self._step("»", "l", lambda: self._turns)
                    self._slider = ui.html(self._range(), sanitize=False).style("flex: 1 1 240px; display: flex")
                    self._slider.on(
                        "input", self._dragged, throttle=0.1, js_handler="(e) => emit(Number(e.target.value))"
                    )
                    self._place = ui.html("", sanitize=False)
            with ui.element("div").classes("side"):
                self._seats = ui.html("", sanitize=False).classes("panel")
                with ui.element("details").classes("panel").props("open"):
                    ui.html("Moves", sanitize=False, tag="summary")
                    self._moves = ui.html("", sanitize=False).classes("past").style("max-height: 50vh")
                    self._moves.on(
                        "click",
                        self._slid,
                        js_handler=(
                            "(e) => { const b = e.target.closest('[data-turn]'); if (b) emit(Number(b.dataset.turn)); }"
                        ),
                    )
        self._player = ui.timer(PLAY_SECONDS, self._forward, active=False)

    def _step(self, words: str, key: str, to: Any) -> None:
        button = ui.html(words, sanitize=False, tag="button").classes("btn").props(f'data-key="{key}"')

        async def go() -> None:
            await self._go(to())

        button.on("click", go, js_handler="() => emit()")

    @property
    def _turns(self) -> int:
        return int(self._summary.get("turns", 0))

    def _range(self) -> str:
        return f'<input type="range" min="0" max="{self._turns}" value="{self._turn}" aria-label="turn">'

    async def open(self, find: Find, *, grows: bool = False) -> None:
        """Show the last turn of a record, and what is new of one that grows."""
        self._unfinished = "being played" if grows else "not finished"
        try:
            await self._replay(await find(), None)
        except LudensError as error:
            self._message.set_content(safe(error, 400))
            self._shown.set_visibility(False)
            return
        if grows and self._is_going_on:
            self._following = ui.timer(LIVE_SECONDS, partial(self._look_again, find))

    @property
    def _is_going_on(self) -> bool:
        return not self._summary["completed"] and not self._summary["aborted"]

    async def _replay(self, found: Mapping[str, Any], turn: int | None) -> None:
        """Show a record at a turn, or at its end."""
        self._summary = await self._process.ask("replay", REPLAY_SECONDS, **found, turn=turn)
        self._found, self._seen_turns = found, _turns(found)
        self._shown.set_visibility(True)
        self._show_summary()
        self._show_frame(self._summary["frame"])

    async def _look_again(self, find: Find) -> None:
        """A match that goes on: follow it if the last turn is shown, and stay at any other."""
        try:
            found = await find()
            ended = found["record"].get("isCompleted") or found["record"].get("isAborted")
            if _turns(found) == self._seen_turns and not ended:
                self._quiet_seconds += LIVE_SECONDS
            else:
                self._quiet_seconds = 0.0
                await self._replay(found, None if self._turn == self._turns else self._turn)
        except LudensError as error:
            self._message.set_content(safe(error, 400))
            self._following.cancel()
            return
        if self._quiet_seconds > NEWS_SECONDS:
            self._message.set_content("nothing has happened here for a while; load the page again to go on watching")
        if not self._is_going_on or self._quiet_seconds > NEWS_SECONDS:
            self._following.cancel()

    def _show_summary(self) -> None:
        summary = self._summary
        state = "" if summary["completed"] else " · broken off" if summary["aborted"] else f" · {self._unfinished}"
        self._title.set_content(
            f"<h1>{safe(game_title(summary['game']))}</h1><p class='lead'>{safe(summary['id'])}{state}</p>"
        )
        self._message.set_content(safe(summary["problem"], 400))
        rows = "".join(
            f'<div class="seat"><span>{safe(seat["role"])}</span><span class="who">{safe(seat["player"])}</span>'
            + (f'<span class="goal">{seat["goal"]} points</span>' if seat["goal"] is not None else "")
            + "</div>"
            for seat in summary["seats"]
        )
        self._seats.set_content(rows)

    def _show_frame(self, frame: Mapping[str, Any], *, dragged: bool = False) -> None:
        self._turn = frame["turn"]
        self._board.set_content(frame["svg"])
        if not dragged:
            self._slider.set_content(self._range())
        self._place.set_content(f"{self._turn} / {self._turns}")
        faults = "".join(f'<p class="message">{safe(fault)}</p>' for fault in frame["faults"])
        first = max(0, self._turn - MAX_TURNS_LISTED // 2)
        rows = "".join(
            f'<button data-turn="{number}"{" aria-current=true" if number == self._turn else ""}><i>{number}</i> '
            f"{safe(words, 300)}</button>"
            for number, words in list(enumerate(["the beginning", *self._summary["moves"]]))[
                first : first + MAX_TURNS_LISTED
            ]
        )
        self._moves.set_content(rows + faults)

    async def _slid(self, event: Any) -> None:
        if isinstance(event.args, int | float):
            await self._go(int(event.args))

    async def _dragged(self, event: Any) -> None:
        if isinstance(event.args, int | float):
            await self._go(int(event.args), dragged=True)

    async def _go(self, turn: int, *, dragged: bool = False) -> None:
        """Show a turn; the slider stays as it is while somebody holds it."""
        if self._found is None:
            return
        try:
            if self._process.is_running:
                self._show_frame(await self._process.ask("frame", FRAME_SECONDS, turn=turn), dragged=dragged)
            else:
                await self._replay(self._found, turn)
        except PageProcessError as error:
            self._message.set_content(safe(error, 400))

    async def _toggle(self) -> None:
        if not self._player.active and self._turn == self._turns:
            await self._go(0)
        self._player.active = not self._player.active
        self._auto.set_content("Pause" if self._player.active else "Play")

    async def _forward(self) -> None:
        if self._turn >= self._turns:
            self._player.active = False
            self._auto.set_content("Play")
        else:
            await self._go(self._turn + 1)


def _turns(found: Mapping[str, Any]) -> int:
    """How many turns a record has."""
    return len(found["record"].get("states", ()))
