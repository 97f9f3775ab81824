"""One game between people and players, on a page of its own."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from nicegui import background_tasks, ui

from ludens import games
from ludens.web.markup import history_buttons, last_words, move_buttons, safe, seat_list, status_words
from ludens.web.page_processes import PageProcess, PageProcessError, PageProcesses
from ludens.web.pages.controls import after_connecting, button, content, enable, page_process
from ludens.web.pages.frame import head
from ludens.web.pages.move_list import MoveList
from ludens.web.pages.setup import SetupPanel, named_seats
from ludens.web.pages.thinking import ThinkingPanel
from ludens.web.picking import MovePicker, clickable

OPEN_SECONDS, TASK_SECONDS = 40.0, 15.0
"""How long a game may take to be opened, and for anything that needs no thought."""
THINK_GRACE = 30.0
"""How much longer than told a player may take: to get ready, or for rules that are slow."""
SHOWN_DRAFT = 20_000
WATCH_PAUSE = 0.7
"""Seconds between moves when only players play."""
CLICKED_TURN = "(e) => { const b = e.target.closest('[data-turn]'); if (b) emit(Number(b.dataset.turn)); }"
VITAL_TASKS = frozenset({"open", "think"})
"""Where one of these fails the game stands still, whether or not its process is alive."""


class PlayPage:
    """What one browser tab shows of its game; all of it belongs to this tab."""

    def __init__(
        self, process: PageProcess, name: str, text: str = "", seats: Sequence[str] = (), first_seed: int | None = None
    ) -> None:
        """Games are played with seeds from `first_seed` on; without it the clock gives one for each."""
        self._process, self._name, self._text = process, name, text
        self._view: Mapping[str, Any] | None = None
        self._picker = MovePicker([])
        self._setup = SetupPanel(seats, self.open, process.players)
        self._seeds = None if first_seed is None else itertools.count(first_seed)
        self._seed = 0
        self._wishes = 0
        """How many things were asked for; whatever was under way before the last one is not shown."""
        self._shown_turn: int | None = None
        """The past turn that is shown in place of the present one."""
        self._hinted: int | None = None
        self._paused = False
        self._is_prepared = False
        """Whether the players were told to get ready for this game, as it is after the last undo."""
        self._clock_ends: float | None = None

    # -- what is on the page ---------------------------------------------------------------------

    def build(self, title: str, description: str, about: str, warning: str = "") -> None:
        """`about` is HTML that says more on the game, or nothing."""
        with content():
            ui.html(f"<h1>{safe(title)}</h1><p class='lead'>{safe(description, 300)}</p>", sanitize=False)
            if warning:
                ui.html(safe(warning, 300), sanitize=False, tag="p").classes("message")
            with ui.element("div").classes("table"):
                with ui.element("div").classes("playing"):
                    self._build_status()
                    self._board = ui.html(self._first_picture(), sanitize=False).classes("board panel")
                    self._board.props('tabindex=0 aria-label="the board: arrow keys move, Enter picks"')
                    self._board.on("pick", self._picked, js_handler="(e) => emit(e.detail)")
                    self._which = ui.html("", sanitize=False).classes("which")
                with ui.element("div").classes("side"):
                    self._build_side(about)

    def _build_status(self) -> None:
        """Whose turn it is, how it ended, and what went wrong; above the board, also on small screens."""
        self._now_panel = ui.element("div").classes("panel now")
        with self._now_panel:
            self._status = ui.html("", sanitize=False).classes("status").props("role=status aria-live=polite")
            self._last = ui.html("", sanitize=False).classes("faint")
            self._message = ui.html("", sanitize=False).classes("message").props("role=alert")
            self._again = button("Try again", "", self._open_again, kind="btn main")
            self._again.set_visibility(False)
            self._replay = button("Play again", "", self._wish("restart"), kind="btn main")
            self._replay.set_visibility(False)

    def _first_picture(self) -> str:
        return f'<img src="/gallery/{self._name}.svg" alt="">' if self._name and not self._text else ""

    def _build_side(self, about: str) -> None:
        with ui.element("div").classes("panel"):
            self._people = ui.html("", sanitize=False)
            with ui.element("div").classes("actions"):
                self._undo = button("Undo", "u", self._wish("undo"))
                self._hint = button("Hint", "h", self._ask_hint)
                self._restart = button("Restart", "r", self._wish("restart"))
                self._swap = button("Change sides", "c", self._wish("swap"))
                self._now = button("Move now", "n", self._process.interrupt)
                self._pause = button("Pause", "p", self._toggle_pause)
            for control in (self._undo, self._hint, self._restart, self._swap):
                enable(control, False)
            for control in (self._now, self._pause):
                control.set_visibility(False)
        self._moves = MoveList(self._make)
        self._moves.listen(self._which)
        self._thinking = ThinkingPanel(self._asked, self._show_picture)
        with ui.element("details").classes("panel"):
            ui.html("Game so far", sanitize=False, tag="summary")
            self._past = ui.html("", sanitize=False).classes("past")
            self._past.on("click", self._clicked_turn, js_handler=CLICKED_TURN)
        self._setup.build()
        if about:
            with ui.element("details").classes("panel"):
                ui.html("Rules", sanitize=False, tag="summary")
                ui.html(about, sanitize=False)

    # -- what is asked of the process --------------------------------------------------------------

    async def open(self) -> None:
        """Begin a new game."""
        self._seed = next(self._seeds) if self._seeds else time.time_ns() & 0x7FFFFFFF
        self._is_prepared = False
        if await self._open([]):
            await self._go_on()

    async def _open_again(self) -> None:
        """Go on with the game where it broke off."""
        if self._view is None:
            await self.open()
        elif await self._open(self._view["moves"]):
            await self._go_on()

    async def _open(self, moves: Sequence[Sequence[str]]) -> bool:
        """Open the game after these moves, and return whether that succeeded."""
        seats = [seat["seat"] for seat in self._view["seats"]] if self._view and moves else self._setup.seats
        self._say("opening the game …", busy=True)
        await self._process.interrupt()
        game = {"text": self._text, "name": self._name} if self._text else {"name": self._name}
        options = {"seats": seats, "seconds": self._setup.seconds, "seed": self._seed, "moves": moves}
        if self._view and moves:
            options["match"] = self._view["match"]
        return await self._do("open", OPEN_SECONDS, **options, **game) is not None

    async def _prepare(self) -> bool:
        """Have the players ready; one that cannot says so when it is to move.

        False if something else was asked for meanwhile.
        """
        wish = self._wishes
        if not self._is_prepared:
            self._is_prepared = True
            with suppress(PageProcessError):
                await self._process.ask("prepare", OPEN_SECONDS)
        return wish == self._wishes

    def _wish(self, task: str) -> Callable[[], Awaitable[None]]:
        async def ask() -> None:
            if self._view is None:
                return
            await self._process.interrupt()
            self._is_prepared = False
            if await self._do(task, TASK_SECONDS) is not None:
                await self._go_on()

        return ask

    async def _do(self, task: str, within: float, /, **arguments: Any) -> Mapping[str, Any] | None:
        """Do a task and show what it comes to; None if it cannot, or if something else was asked for meanwhile."""
        if task != "open" and self._view and not self._process.is_running and not await self._open(self._view["moves"]):
            return None
        self._wishes += 1
        wish = self._wishes
        self._complain("")
        self._again.set_visibility(False)
        try:
            view: Mapping[str, Any] = await self._process.ask(task, within, **arguments)
        except PageProcessError as error:
            if wish == self._wishes:
                self._failed(task, str(error))
            return None
        if wish != self._wishes:
            return None
        self._show(view)
        return view

    def _failed(self, task: str, why: str) -> None:
        """Say what went wrong; where the game stands still there is a way on."""
        self._complain(why)
        if task in VITAL_TASKS or not self._process.is_running:
            self._say("the game cannot be opened" if self._view is None else "the game stands still")
            self._board.classes(remove="live")
            self._again.set_visibility(True)

    async def _go_on(self) -> None:
        """Let players move until a person is asked; what chance decides before that waits for none of them."""
        while self._view and not self._view["over"] and not self._view["asked"]:
            alone = all(seat["seat"] != "person" for seat in self._view["seats"])
            if alone and self._view["turn"]:
                await asyncio.sleep(WATCH_PAUSE)
            if self._paused or (self._view["thinkers"] and not await self._prepare()):
                return
            if await self._do("think", self._setup.seconds * len(self._view["seats"]) + THINK_GRACE) is None:
                return
        self._start_clock()
        await self._prepare()

    async def _make(self, number: int) -> None:
        view = self._view
        if view is None or not view["asked"] or not 0 <= number < len(view["choices"]):
            return
        if await self._do("choose", TASK_SECONDS, role=view["asked"], move=number, turn=view["turn"]) is not None:
            await self._go_on()

    def _start_clock(self) -> None:
        if self._setup.clock and self._view and self._view["asked"]:
            self._clock_ends = 1000 * (time.time() + self._setup.clock)
            background_tasks.create(self._run_out(self._wishes))
            self._show_people()

    async def _run_out(self, wish: int) -> None:
        await asyncio.sleep(self._setup.clock)
        if wish == self._wishes and await self._do("late", TASK_SECONDS) is not None:
            await self._go_on()
            self._complain("time was over; a move was made at random")

    # -- what people do ------------------------------------------------------------------------------

    async def _picked(self, event: Any) -> None:
        """Cells were clicked: one, or two by dragging from one to the other."""
        cells = event.args
        if self._view is None or not isinstance(cells, list) or not 1 <= len(cells) <= 2:
            return
        if self._shown_turn is not None:
            self._show_now()
            return
        if len(cells) == 2:
            self._picker.clicks = []
        made: list[int] = []
        for cell in cells:
            made = self._picker.click(str(cell))
        if len(made) == 1:
            await self._make(made[0])
            return
        self._draw()
        self._ask_which(made or self._picker.whole)

    def _ask_which(self, numbers: list[int]) -> None:
        """Several moves begin with these clicks: one of them is picked by its words."""
        labels = [choice["label"] for choice in self._view["choices"]] if self._view else []
        words = '<span class="faint">which move?</span>' if numbers else ""
        self._which.set_content(words + move_buttons(labels, numbers) if numbers else "")

    async def _clicked_turn(self, event: Any) -> None:
        if self._view is None or not isinstance(event.args, int | float):
            return
        turn = int(event.args)
        if turn == self._view["turn"]:
            self._show_now()
            return
        shown = await self._asked("show", TASK_SECONDS, turn=turn)
        if shown is None:
            return
        self._shown_turn = shown["turn"]
        self._show_picture(shown["svg"], f"after move {shown['turn']}")
        self._past.set_content(history_buttons(self._view["history"], shown["turn"]))

    async def _ask_hint(self) -> None:
        if self._view is None or not self._view["asked"]:
            return
        self._say("looking for a good move …", busy=True)
        hint = await self._asked("hint", self._setup.seconds + THINK_GRACE, role=self._view["asked"])
        if hint is None:
            return
        self._hinted = hint["number"]
        self._show_now()
        self._say(f"hint: {hint['move']}")
        self._thinking.show_hint(hint["thought"])

    async def _asked(self, task: str, within: float, **arguments: Any) -> Mapping[str, Any] | None:
        """Return the answer to a question that changes nothing; None as for what is done."""
        if self._view and not self._process.is_running and not await self._open(self._view["moves"]):
            return None
        wish = self._wishes
        try:
            answer: Mapping[str, Any] = await self._process.ask(task, within, **arguments)
        except PageProcessError as error:
            if wish == self._wishes and self._view:
                self._say(status_words(self._view))
                self._failed(task, str(error))
            return None
        return answer if wish == self._wishes else None

    async def _toggle_pause(self) -> None:
        self._paused = not self._paused
        self._pause.set_content("Go on <u>p</u>" if self._paused else "Pause <u>p</u>")
        if not self._paused:
            await self._go_on()

    # -- showing -------------------------------------------------------------------------------------

    def _show(self, view: Mapping[str, Any]) -> None:
        self._view, self._shown_turn, self._hinted, self._clock_ends = view, None, None, None
        self._setup.follow(view)
        choices = view["choices"]
        near = {cell: number for number, choice in enumerate(choices) for cell in choice["near"]}
        self._picker = MovePicker([choice["steps"] for choice in choices], near=near)
        unlisted = f"there are {view['unlisted']:,} more moves, which cannot be shown here" if view["unlisted"] else ""
        self._complain("; ".join([*view["diagnostics"], *([unlisted] if unlisted else [])]))
        self._show_now()
        self._thinking.show(view)

    def _show_now(self) -> None:
        view = self._view
        assert view
        self._shown_turn = None
        self._draw()
        self._ask_which([])
        self._say(status_words(view), busy=not view["over"] and not view["asked"])
        self._replay.set_visibility(view["over"])
        self._now_panel.classes(add="over" if view["over"] else "", remove="" if view["over"] else "over")
        self._last.set_content(last_words(view["history"]))
        self._show_people()
        labels = [choice["label"] for choice in view["choices"]]
        self._moves.show(labels, self._hinted, (view["turn"], view["asked"]))
        self._past.set_content(history_buttons(view["history"], view["turn"]))
        alone = all(seat["seat"] != "person" for seat in view["seats"])
        self._pause.set_visibility(alone and not view["over"])
        self._now.set_visibility(bool(view["thinkers"]) and not view["asked"])
        self._swap.set_visibility(len(view["seats"]) > 1)
        enable(self._hint, bool(view["asked"]) and not view["hidden"])
        enable(self._undo, view["undoable"])
        enable(self._restart, True)
        enable(self._swap, True)

    def _show_people(self) -> None:
        if self._view:
            self._people.set_content(seat_list(self._view["seats"], self._clock_ends, self._view["asked"]))

    def _draw(self) -> None:
        """The present state, with what can be clicked."""
        assert self._view
        moves, hint = self._picker.moves, self._hinted
        steps = moves[hint] if hint is not None and hint < len(moves) else ()
        hinted = {cell for step in steps for cell in step}
        live = bool(self._view["asked"])
        possible, near = (self._picker.possible, self._picker.near) if live else ((), ())
        self._board.set_content(clickable(self._view["svg"], possible, self._picker.clicks, hinted, near))
        self._board.classes(add="live" if live else "", remove="" if live else "live")

    def _show_picture(self, svg: str, words: str) -> None:
        """Another state than the present one; a click on the board brings that back."""
        self._shown_turn = -1 if self._shown_turn is None else self._shown_turn
        self._board.set_content(clickable(svg, (), ()))
        self._board.classes(remove="live")
        self._say(f"{words}; click the board to go back to the game")

    def _say(self, words: str, *, busy: bool = False) -> None:
        self._status.set_content(f"{'<span class=spin></span>' if busy else ''}<span>{safe(words, 200)}</span>")

    def _complain(self, words: str) -> None:
        self._message.set_content(safe(words, 400))


def play_page(processes: PageProcesses, version: str, name: str, seats: str = "") -> None:
    """The page of a bundled game; `seats` names who plays: `person,uct`."""
    head("/", version)
    if games.find(name) is None:
        _nothing(f"There is no game called {safe(name)}", '<a href="/">All games</a>')
        return
    info = games.info(name)
    link = f'<a class="btn" href="/write?game={safe(info.name)}">Read and change the rules</a>'
    named, warning = named_seats(seats, processes.players)
    page = PlayPage(page_process(processes), info.name, seats=named)
    page.build(info.title, info.description, f"<p>{safe(info.rules, 2000)}</p>{link}", warning)
    after_connecting(page.open)


def draft_page(processes: PageProcesses, version: str, key: str, text: str) -> None:
    """The page of a draft, as long as it is remembered."""
    head("/write", version)
    if not text:
        words = "Drafts are kept as long as the server runs, and only the last ones"
        _nothing("This draft is forgotten", f'{words}. <a href="/write">Write another one</a>')
        return
    page = PlayPage(page_process(processes), "", text)
    link = f'<a class="btn" href="/write?draft={safe(key)}">Change this draft</a>'
    page.build("Your draft", "", f'{link}<pre class="board-text">{safe(text, SHOWN_DRAFT)}</pre>')
    after_connecting(page.open)


def _nothing(title: str, words: str) -> None:
    with content():
        ui.html(f"<h1>{title}</h1><p>{words}</p>", sanitize=False)
