"""How long people wait for the browser interface: python -m benchmarks.web_times.

Everything is measured from outside, at a real server with a real Chromium: from the start of the command to its first
page, from a click to the board with one's own move, from there to the answer of a player that needs no time to think,
and what another user waits for while somebody plays a draft that never ends. Other work on the machine counts in.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
import urllib.request
from collections.abc import Iterable

from playwright.sync_api import Browser, Page, sync_playwright
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from benchmarks.arguments import count
from benchmarks.searching_report import seconds_words
from benchmarks.web_server import chromium_path, web_server

PATIENCE = 120_000.0
"""Milliseconds, for what is not measured."""
MEMORY = "1024"
RUNAWAY = (
    "(role one) (legal one go) (goal one 100) "
    + " ".join(f"(d {number})" for number in range(300))
    + " (<= (pair ?a ?b ?c ?d) (d ?a) (d ?b) (d ?c) (d ?d)) (<= terminal (pair ?a ?b ?c ?d) (distinct ?a ?a))"
)
"""Eight thousand million facts, before the first move."""
CLOCK = """
window.turns = [];
window.clicked = 0;
document.addEventListener("pointerup", () => { window.clicked = performance.now(); }, true);
new MutationObserver(() => {
  const turn = document.querySelectorAll(".past [data-turn]").length - 1;
  if (turn < 0 || turn in window.turns) return;
  window.turns[turn] = 0;
  requestAnimationFrame(() => setTimeout(() => { window.turns[turn] = performance.now(); }, 0));
}).observe(document, { childList: true, subtree: true });
"""
"""Notes when a turn was drawn."""


def first_page(runs: int) -> tuple[list[float], list[float]]:
    """Seconds from the start of the command to the end of its first page, and the CPU seconds of the server by then."""
    waited, worked = [], []
    for _ in range(runs):
        begun = time.monotonic()
        with web_server() as server:
            _fetch(server.address)
            waited.append(time.monotonic() - begun)
            worked.append(_cpu_seconds(server.process))
    return waited, worked


def moves(page: Page, address: str, game: str, runs: int) -> tuple[list[float], list[float]]:
    """Seconds from a click to one's own move on the board, and from there to the answer of a player."""
    own, replies = [], []
    for _ in range(runs):
        page.goto(f"{address}/play/{game}?seats=person,legal")
        page.wait_for_selector(".board.live")
        page.click("#moves button >> nth=0")
        page.wait_for_function("window.turns[1] && window.turns[2]")
        clicked, first, second = page.evaluate("[window.clicked, window.turns[1], window.turns[2]]")
        own.append((first - clicked) / 1000)
        replies.append((second - first) / 1000)
    return own, replies


def beside_a_runaway(browser: Browser, address: str) -> tuple[list[float], list[float], float]:
    """Seconds that another user waits for a page and for a move meanwhile, and how long the draft was let run."""
    busy, other = _page(browser), _page(browser)
    other.goto(f"{address}/play/tictactoe?seats=person,person")
    other.wait_for_selector(".board.live")
    busy.goto(f"{address}/write")
    busy.wait_for_selector("svg.graph .node")
    busy.fill("textarea", RUNAWAY)
    busy.wait_for_selector(".status:has-text('1 role')")
    busy.click("button:has-text('Play this draft')")
    busy.wait_for_url("**/draft/*")
    begun = time.monotonic()
    pages, own = [], []
    while not busy.is_visible("button:has-text('Try again')"):
        pages.append(_timed_fetch(address))
        own.append(_timed_move(other))
    return pages, own, time.monotonic() - begun


def _timed_fetch(address: str) -> float:
    begun = time.monotonic()
    _fetch(address)
    return time.monotonic() - begun


def _timed_move(page: Page) -> float:
    """Seconds for a move; a game that is over begins again."""
    if page.is_visible("button:has-text('Play again')"):
        page.click("button:has-text('Play again')")
        page.wait_for_selector(".board.live")
        page.evaluate("window.turns = []")
    turn = page.locator(".past [data-turn]").count()
    page.click(".board .can >> nth=0")
    page.wait_for_function("turn => window.turns[turn]", arg=turn)
    return float(page.evaluate("turn => window.turns[turn] - window.clicked", turn)) / 1000


def _page(browser: Browser) -> Page:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(PATIENCE)
    page.add_init_script(CLOCK)
    return page


def _fetch(address: str) -> None:
    with urllib.request.urlopen(address) as reply:
        reply.read()


def _cpu_seconds(process: int) -> float:
    with open(f"/proc/{process}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def row(table: Table, what: str, seconds: Iterable[float]) -> None:
    times = sorted(seconds)
    table.add_row(what, *map(seconds_words, (times[0], statistics.median(times), times[-1])), str(len(times)))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.web_times", description=__doc__)
    parser.add_argument("--runs", type=count, default=5, metavar="N", help="how often each is measured")
    runs = parser.parse_args().runs
    browser_path = chromium_path()
    if browser_path is None:
        sys.exit("error: there is no Chromium; scripts/install_tool.sh browser installs it")
    table = Table("", "least", "median", "most", "times", box=SIMPLE_HEAD)
    waited, worked = first_page(runs)
    row(table, "start to first page", waited)
    row(table, "the same, CPU time", worked)
    with web_server("--memory", MEMORY) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        page = _page(browser)
        for game in ("tictactoe", "chess"):
            own, replies = moves(page, server.address, game, runs)
            row(table, f"click to own move, {game}", own)
            row(table, f"reply after that, {game}", replies)
        page.close()
        pages, own, seconds = beside_a_runaway(browser, server.address)
        row(table, "page beside a runaway draft", pages)
        row(table, "move beside a runaway draft", own)
        browser.close()
    console = Console()
    console.print(table)
    console.print(f"the runaway draft was stopped after {seconds_words(seconds)}")


if __name__ == "__main__":
    main()
