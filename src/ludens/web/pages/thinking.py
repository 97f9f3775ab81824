"""What the players thought: their candidates and lines, how the chances went, and the state in words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from nicegui import ui

from ludens.web.explaining import explanation_html
from ludens.web.markup import chart_svg, thought_html
from ludens.web.pages.controls import button, enable

EXPLAIN_SECONDS = 40.0
LINE_SECONDS = 15.0
ASSESS_SECONDS, MAX_ASSESSED = 20.0, 200
HINT = -1
"""In place of the turn that was thought about."""
HIDDEN = "you do not see the whole state, so this is told when the game is over"

Ask: TypeAlias = Callable[..., Awaitable[Mapping[str, Any] | None]]
"""Asks the process; None if there is no answer, which the page has told then."""


class ThinkingPanel:
    """A part of the page of a game."""

    def __init__(self, ask: Ask, show: Callable[[str, str], None]) -> None:
        self._ask, self._show_picture = ask, show
        self._view: Mapping[str, Any] | None = None
        with ui.element("details").classes("panel thinking"):
            ui.html("Thinking", sanitize=False, tag="summary")
            self._chart = ui.html("", sanitize=False)
            self._thought = ui.html(thought_html(None, 0), sanitize=False)
            self._thought.on(
                "click",
                self._clicked,
                js_handler=(
                    "(e) => { const b = e.target.closest('[data-line]'); "
                    "if (b) emit([Number(b.dataset.line), Number(b.dataset.step)]); }"
                ),
            )
            with ui.element("div").classes("actions"):
                self._explaining = button("Explain this state", "", self._explain)
                self._assessing = button("Assess the whole game", "", self._assess)
            self._words = ui.html("", sanitize=False)

    def show(self, view: Mapping[str, Any]) -> None:
        self._view = view
        last = view["thoughts"][-1] if view["thoughts"] else None
        self._thought.set_content(thought_html(last, last["turn"] if last else 0))
        self._chart.set_content(chart_svg(view["thoughts"], view["seats"], view["turn"]))
        self._words.set_content(f'<p class="faint">{HIDDEN}</p>' if view["hidden"] else "")
        enable(self._explaining, not view["hidden"])
        enable(self._assessing, not view["hidden"])

    def show_hint(self, thought: Mapping[str, Any] | None) -> None:
        if thought:
            self._thought.set_content(thought_html(thought, HINT))

    async def _clicked(self, event: Any) -> None:
        """Show the state after some moves of a line."""
        place = event.args
        if not isinstance(place, list) or len(place) != 2 or not all(isinstance(number, int) for number in place):
            return
        shown = await self._ask("line", LINE_SECONDS, turn=place[0], step=place[1])
        if shown is not None:
            self._show_picture(shown["svg"], f"move {place[1] + 1} of the line")

    async def _assess(self) -> None:
        """Have the adviser look through the game; the chart grows meanwhile."""
        view = self._view
        if view is None or view["hidden"]:
            return
        seen: list[Mapping[str, Any]] = []
        for turn in range(min(view["turn"], MAX_ASSESSED)):
            found = await self._ask("assess", ASSESS_SECONDS, turn=turn)
            if found is None or self._view is not view:
                return
            seen.append(found)
            self._chart.set_content(chart_svg(seen, view["seats"], view["turn"]))

    async def _explain(self) -> None:
        if self._view is None:
            return
        role = self._view["asked"] or self._view["seats"][0]["role"]
        self._words.set_content('<p class="faint">working it out …</p>')
        found = await self._ask("explain", EXPLAIN_SECONDS, role=role)
        told = explanation_html(found["words"]) if found else ""
        self._words.set_content(f'<div class="words-block" tabindex="0">{told}</div>' if told else "")
