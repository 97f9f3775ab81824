"""Buttons and choices, as plain elements of the browser: keyboards and screen readers know them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Generic, ParamSpec, TypeVar

from nicegui import ui

from ludens.runtime.threads import SerialExecutor
from ludens.web.markup import safe
from ludens.web.page_processes import PageProcess, PageProcesses

P = ParamSpec("P")
Result = TypeVar("Result")
Wanted = TypeVar("Wanted")

CONNECT_PAUSE = 0.01


def button(words: str, key: str, action: Callable[[], Awaitable[None]], kind: str = "btn") -> ui.html:
    hint = f" <u>{key}</u>" if key else ""
    made = ui.html(f"{safe(words)}{hint}", sanitize=False, tag="button").classes(kind)
    if key:
        made.props(f"data-key={key}")
    made.on("click", action, js_handler="() => emit()")
    return made


def enable(control: ui.html, enabled: bool) -> None:
    if enabled:
        control.props(remove="disabled")
    else:
        control.props("disabled")


def page_process(processes: PageProcesses) -> PageProcess:
    """Return the process of a page: it lives as long as the page, and is the first to be freed where nobody looks."""
    process, client = processes.new(), ui.context.client
    client.on_delete(process.close)
    client.on_connect(process.come_back)
    # The old connection may be missed only after there is a new one.
    client.on_disconnect(lambda: None if client.has_socket_connection else process.leave())
    return process


def after_connecting(action: Callable[[], Awaitable[None]]) -> None:
    """Do something once a browser shows the page: a request for its text alone must not start anything."""
    ui.timer(CONNECT_PAUSE, action, once=True)


def content() -> ui.element:
    """The part of the page below its head."""
    return ui.element("section").classes("wrap").props("id=main tabindex=-1")


def select(label: str, values: list[str], words: list[str], value: str, change: Callable[[str], None]) -> None:
    """A plain choice of the browser: it works with keyboards and small screens as people know it."""
    options = "".join(
        f'<option value="{safe(each)}"{" selected" if each == value else ""}>{safe(word)}</option>'
        for each, word in zip(values, words, strict=True)
    )

    def changed(event: Any) -> None:
        if event.args in values:
            change(str(event.args))

    ui.html(f"{safe(label)}<select>{options}</select>", sanitize=False, tag="label").props(
        f'data-choice="{safe(label)}"'
    ).on("change", changed, js_handler="(e) => emit(e.target.value)")


async def run_in_thread(action: Callable[P, Result], *args: P.args, **kwargs: P.kwargs) -> Result:
    """Run what would keep other pages waiting in a thread of its own."""
    job = partial(action, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(SerialExecutor("ludens-page"), job)


class Latest(Generic[Wanted]):
    """Does one thing at a time, and of those that are wanted meanwhile only the last."""

    def __init__(self, do: Callable[[Wanted], Awaitable[None]]) -> None:
        self._do = do
        self._waiting: list[Wanted] = []
        self._is_busy = False

    @property
    def is_outdated(self) -> bool:
        """Whether something else is wanted than what is being done."""
        return bool(self._waiting)

    async def want(self, what: Wanted) -> None:
        self._waiting = [what]
        if self._is_busy:
            return
        self._is_busy = True
        try:
            while self._waiting:
                await self._do(self._waiting.pop())
        finally:
            self._is_busy = False
