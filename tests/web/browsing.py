"""What tests do with pages."""

from __future__ import annotations

from playwright.sync_api import Locator, Page

from ludens.arena.records import Record
from ludens.core import Clocks
from ludens.game import State, load

SLOW = 90_000
"""Milliseconds; the machine may be busy."""
PROCESSES = 3
"""So many processes has the server of the tests."""


def open_table(page: Page, address: str, game: str, **seats: str) -> None:
    """Open a game, with people in all seats that are not named."""
    named = ",".join(seats.get(role, "person") for role in load(game).player_roles)
    page.goto(f"{address}/play/{game}?seats={named}")
    page.wait_for_selector("#moves button, .board.live")


def open_editor(page: Page, address: str) -> None:
    page.goto(f"{address}/write")
    page.wait_for_selector("svg.graph .node")


def play_draft(page: Page, sheet: str, verdict: str) -> None:
    """Have a sheet checked and played; the editor is open."""
    page.fill("textarea", sheet)
    page.wait_for_selector(f".status:has-text('{verdict}')")
    page.click("button:has-text('Play this draft')")
    page.wait_for_url("**/draft/*")


def place(page: Page, words: str) -> Locator:
    """The cell of these coordinates."""
    return page.locator(f".board [data-cell]:has(title:text-matches('^{words}(:|$)'))")


def cell(page: Page, words: str) -> None:
    page.wait_for_selector(".board.live")
    place(page, words).click()


def drag(page: Page, start: str, end: str) -> None:
    page.wait_for_selector(".board.live")
    for words, act in ((start, page.mouse.down), (end, page.mouse.up)):
        box = place(page, words).bounding_box()
        assert box
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        act()


def wait_for_turn(page: Page, turn: int) -> None:
    page.wait_for_function("turn => document.querySelectorAll('.past [data-turn]').length == turn + 1", arg=turn)


def status(page: Page) -> str:
    return page.inner_text(".status")


def begin_match(match_id: str, *players: str, tournament: str | None = None) -> tuple[Record, State]:
    """A match of tic-tac-toe before its first move."""
    game = load("tictactoe")
    state = game.initial_state()
    return Record.begin(game, state, players, Clocks(1, 1), match_id, 1, tournament=tournament, job=match_id), state


def go_on(record: Record, state: State) -> State:
    """The match after its next turn, with everybody's first legal move."""
    joint = {role: state.legal_moves(role)[0] for role in state.game.roles}
    after = state.next(joint)
    record.add_turn(joint, after)
    if after.is_terminal:
        record.complete(after.goals)
    return after
