"""Takes the screenshots of the README: real pages of a real server, in a real browser.

The server is started for it, with an empty store of matches. `make docs SCREENSHOTS=1` runs this.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from benchmarks.web_server import chromium_path, web_server

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "screenshots"
SIZE = {"width": 1280, "height": 860}
PATIENCE = 120_000
PICTURES_ARE_THERE = """() => [...document.images]
    .filter((image) => image.getBoundingClientRect().top < innerHeight)
    .every((image) => image.complete && image.naturalWidth)"""


def gallery(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_function(PICTURES_ARE_THERE)


def play(page: Page, address: str) -> None:
    page.goto(f"{address}/play/chess?seats=person,uct")
    page.wait_for_selector(".board.live")
    page.click("summary:has-text('Who plays')")
    page.select_option("[data-choice='players think'] select", "10.0")
    page.click("button:has-text('New game')")
    page.click("summary:has-text('Who plays')")
    for number, words in enumerate(("e 2 e 4", "g 1 f 3", "d 2 d 3"), 1):
        page.wait_for_selector(".board.live")
        page.click(f"#moves button:has-text('{words}')")
        page.wait_for_function("n => document.querySelectorAll('.past [data-turn]').length > n", arg=2 * number)
    page.wait_for_selector(".board.live")
    page.click("summary:has-text('Moves')")
    page.click("summary:has-text('Thinking')")


def write(page: Page, address: str) -> None:
    page.goto(f"{address}/write?game=connectfour")
    page.wait_for_selector("svg.graph")
    page.click("button:has-text('Find its structure')")
    page.wait_for_selector("h2:has-text('Structure')")


SHOTS: dict[str, Callable[[Page, str], None]] = {"gallery": gallery, "play": play, "write": write}


def main() -> None:
    browser_path = chromium_path()
    if browser_path is None:
        sys.exit("error: there is no Chromium; scripts/install_tool.sh browser installs it")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        web_server("--store", f"{folder}/matches.sqlite") as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        for name, prepare in SHOTS.items():
            page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
            page.set_default_timeout(PATIENCE)
            prepare(page, server.address)
            page.mouse.move(0, 0)
            page.screenshot(path=FOLDER / f"{name}.png")
            page.close()
            print(FOLDER / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
