"""Writing: an editor for rule sheets that says what is wrong, where, and what game it is."""

from __future__ import annotations

import json
import secrets
from collections import OrderedDict
from collections.abc import Mapping
from functools import partial
from typing import Any

from nicegui import ui

from ludens import games
from ludens.web.draft_markup import (
    MAX_CHARACTERS,
    check_words,
    finding_list,
    safe_sheet,
    statistics_html,
    structure_html,
)
from ludens.web.markup import safe
from ludens.web.page_processes import PageProcess, PageProcessError, PageProcesses
from ludens.web.pages.controls import Latest, after_connecting, content, page_process
from ludens.web.pages.frame import head

CHECK_SECONDS, STRUCTURE_SECONDS, STATISTICS_SECONDS = 5.0, 20.0, 15.0
STARTER = "tictactoe"
MAX_DRAFTS = 200


class Drafts:
    """The last drafts that were played, as long as the server runs; nobody can guess their keys."""

    def __init__(self) -> None:
        self._texts: OrderedDict[str, str] = OrderedDict()

    def add(self, text: str) -> str:
        """Keep a draft, and return its key."""
        key = secrets.token_urlsafe(12)
        self._texts[key] = text[:MAX_CHARACTERS]
        while len(self._texts) > MAX_DRAFTS:
            self._texts.popitem(last=False)
        return key

    def text(self, key: str) -> str:
        """Return a draft; an empty text if it is forgotten."""
        return self._texts.get(key, "")


class WritePage:
    """One draft, as one browser tab has it."""

    def __init__(self, process: PageProcess, drafts: Drafts) -> None:
        self._process, self._drafts = process, drafts
        self._text = ""
        self._checks = Latest(self._check)

    def build(self, text: str) -> None:
        with content():
            ui.html(
                "<h1>Write a game</h1><p class='lead'>Rules in the Game Description Language; what is wrong is said as "
                "you type. Tab indents, Escape and Tab leave the editor.</p>",
                sanitize=False,
            )
            with ui.element("div").classes("write"):
                self._build_editor(text)
                with ui.element("div").classes("side"):
                    self._build_side()

    def _build_editor(self, text: str) -> None:
        with ui.element("div"):
            with ui.element("div").classes("setup"):
                names = "".join(f'<option value="{name}">{name}</option>' for name in games.names())
                ui.html(
                    f'start from<select><option value="">your own draft</option>{names}</select>',
                    sanitize=False,
                    tag="label",
                ).on("change", self._start_from, js_handler="(e) => emit(e.target.value)")
                self._action("Play this draft", self._play, "btn main play-draft")
                self._action("Find its structure", self._structure)
                self._action("Play random games", self._statistics)
            sheet = ui.html(
                '<div class="gutter" aria-hidden="true"></div><div class="area"><pre aria-hidden="true"></pre>'
                f'<textarea spellcheck="false" autocapitalize="off" wrap="off" maxlength="{MAX_CHARACTERS + 1}" '
                f'aria-label="rule sheet">{safe_sheet(text)}</textarea></div>',
                sanitize=False,
            ).classes("sheet")
            sheet.on("sheet", self._changed, js_handler="(e) => emit(e.detail)")

    def _build_side(self) -> None:
        with ui.element("div").classes("panel"):
            self._verdict = ui.html("", sanitize=False).classes("status").props("role=status aria-live=polite")
            self._findings = ui.html("", sanitize=False)
            self._findings.on(
                "click",
                js_handler=(
                    "(e) => { const b = e.target.closest('[data-line]'); "
                    "if (b) ludens.editor.go(Number(b.dataset.line)); }"
                ),
            )
        self._found = ui.html("", sanitize=False).classes("panel small")
        self._found.set_visibility(False)
        self._numbers = ui.html("", sanitize=False).classes("panel")
        self._numbers.set_visibility(False)
        with ui.element("details").classes("panel").props("open"):
            ui.html("What depends on what", sanitize=False, tag="summary")
            ui.html(
                "<p class='faint'>click a relation to follow its lines and to go to its first rule; dashed lines stand "
                "for <i>not</i>, thick frames for relations that refer to themselves</p>",
                sanitize=False,
            )
            self._graph = ui.html("", sanitize=False).classes("graphbox")

    def _action(self, words: str, action: Any, kind: str = "btn") -> None:
        ui.html(words, sanitize=False, tag="button").classes(kind).on("click", action, js_handler="() => emit()")

    # -- what people do ------------------------------------------------------------------------------

    async def begin(self, text: str) -> None:
        ui.run_javascript("ludens.edit()")
        await self._change(text)

    async def _start_from(self, event: Any) -> None:
        sheet = games.find(str(event.args)) if event.args else None
        if sheet is not None:
            ui.run_javascript(f"ludens.editor.set({json.dumps(sheet.read_text(encoding='utf-8'))})")

    async def _changed(self, event: Any) -> None:
        if isinstance(event.args, str):
            await self._change(event.args)

    async def _change(self, text: str) -> None:
        self._text = text
        self._found.set_visibility(False)
        self._numbers.set_visibility(False)
        await self._checks.want(text)

    async def _check(self, text: str) -> None:
        """What is wrong, unless there is a later text already."""
        if len(text) > MAX_CHARACTERS:
            self._say(f"the sheet is longer than {MAX_CHARACTERS:,} characters; make it shorter")
            return
        try:
            found = await self._process.ask("check", CHECK_SECONDS, text=text)
        except PageProcessError as error:
            self._say(f"the draft cannot be checked: {error}")
            return
        if not self._checks.is_outdated:
            self._show_check(found)

    def _show_check(self, found: Mapping[str, Any]) -> None:
        findings = found["findings"]
        self._say(check_words(found))
        self._findings.set_content(finding_list(findings))
        self._graph.set_content(found["graph"] or '<p class="faint">&nbsp;nothing to draw</p>')
        marks = [[finding["line"], finding["severity"]] for finding in findings if finding["line"]]
        ui.run_javascript(f"ludens.editor && ludens.editor.mark({json.dumps(marks)})")

    async def _play(self) -> None:
        if len(self._text) > MAX_CHARACTERS:
            return
        key = self._drafts.add(self._text)
        ui.navigate.history.replace(f"/write?draft={key}")
        ui.navigate.to(f"/draft/{key}")

    async def _structure(self) -> None:
        found = await self._asked(self._found, "structure", STRUCTURE_SECONDS)
        if found:
            self._found.set_content(structure_html(found))

    async def _statistics(self) -> None:
        found = await self._asked(self._numbers, "statistics", STATISTICS_SECONDS)
        if found:
            self._numbers.set_content(statistics_html(found))

    async def _asked(self, place: ui.html, task: str, seconds: float) -> Mapping[str, Any] | None:
        place.set_visibility(True)
        place.set_content('<p class="faint">working …</p>')
        try:
            found: Mapping[str, Any] = await self._process.ask(task, seconds, text=self._text)
        except PageProcessError as error:
            place.set_content(f'<p class="message">{safe(error, 400)}</p>')
            return None
        return found

    def _say(self, words: str) -> None:
        self._verdict.set_content(safe(words, 300))


def write_page(processes: PageProcesses, drafts: Drafts, version: str, game: str, draft: str) -> None:
    """The editor with a draft that was played, a bundled game, or a small one to begin with."""
    head("/write", version)
    sheet = games.find(game or STARTER) or games.find(STARTER)
    text = drafts.text(draft) or (sheet.read_text(encoding="utf-8") if sheet else "")
    page = WritePage(page_process(processes), drafts)
    page.build(text)
    after_connecting(partial(page.begin, text))
