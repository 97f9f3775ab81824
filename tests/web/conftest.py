"""A server and a browser for the tests of pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, WebError, sync_playwright

from benchmarks.web_server import WebServer, chromium_path, web_server
from ludens.arena.store import Store
from tests.web.browsing import PROCESSES, SLOW, begin_match, go_on


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two matches of a tournament."""
    path = tmp_path_factory.mktemp("store") / "matches.sqlite"
    with Store(path) as matches:
        for number, players in enumerate((("ann", "bob"), ("bob", "ann"))):
            record, state = begin_match(f"cup.{number}", *players, tournament="cup")
            while not state.is_terminal:
                state = go_on(record, state)
            matches.add(record)
    return path


@pytest.fixture(scope="session")
def server(store: Path) -> Iterator[WebServer]:
    """A server of its own for these tests."""
    with web_server("--store", str(store), "--processes", str(PROCESSES)) as running:
        yield running


@pytest.fixture(scope="session")
def address(server: WebServer) -> str:
    return server.address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Not for longer than a module: while it is open nothing else can run an event loop."""
    path = chromium_path()
    if path is None:
        pytest.fail("there is no Chromium; scripts/install_tool.sh browser installs it")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def own_context(browser: Browser) -> Iterator[BrowserContext]:
    """One for all tests: what it has loaded it does not load again."""
    made = browser.new_context(viewport={"width": 1280, "height": 900})
    made.set_default_timeout(SLOW)
    yield made
    made.close()


@contextmanager
def watched(context: BrowserContext, address: str) -> Iterator[None]:
    """Fails afterwards if a page asked for anything elsewhere, or had an error."""
    outside: list[str] = []
    problems: list[str] = []

    def requested(request: Request) -> None:
        own = (f"{address}/", f"{address.replace('http', 'ws')}/", "data:", "blob:")
        if not request.url.startswith(own):
            outside.append(request.url)

    def failed(error: WebError) -> None:
        problems.append(str(error.error))

    context.on("request", requested)
    context.on("weberror", failed)
    yield
    context.remove_listener("request", requested)
    context.remove_listener("weberror", failed)
    assert outside == []
    assert problems == []


@pytest.fixture
def context(own_context: BrowserContext, address: str) -> Iterator[BrowserContext]:
    """A browser in which nothing goes wrong and from which no request leaves the machine."""
    with watched(own_context, address):
        yield own_context


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    opened = context.new_page()
    yield opened
    opened.close()


@pytest.fixture
def phone(browser: Browser, address: str) -> Iterator[Page]:
    """A page on a narrow screen that is touched."""
    made = browser.new_context(viewport={"width": 360, "height": 700}, has_touch=True, is_mobile=True)
    made.set_default_timeout(SLOW)
    with watched(made, address):
        yield made.new_page()
        made.close()
