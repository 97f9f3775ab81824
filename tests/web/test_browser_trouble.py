"""Real pages in a real browser where something goes wrong, goes on, or is too much; each leaves a way on."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from playwright.sync_api import Page

from benchmarks.web_server import WebServer
from ludens.arena.store import Store
from tests.web.browsing import (
    PROCESSES,
    begin_match,
    cell,
    go_on,
    open_editor,
    open_table,
    play_draft,
    status,
    wait_for_turn,
)
from tests.web.sheets import COIN, many_moves

UNBOUNDED = """
(role x) (legal x go) (goal x 100) (long z)
(<= (long (s ?x)) (long ?x)) (<= terminal (long ?x) (distinct ?x ?x))
"""


def test_a_game_goes_on_when_its_process_is_killed(page: Page, server: WebServer) -> None:
    open_table(page, server.address, "tictactoe", o="legal")
    cell(page, "2 2")
    wait_for_turn(page, 2)
    killed = server.children()
    for process in killed:
        os.kill(process, signal.SIGKILL)
    while killed & server.children():
        page.wait_for_timeout(20)
    cell(page, "3 3")
    wait_for_turn(page, 4)
    assert "mark 2 2" in page.inner_html(".past")
    assert page.inner_text(".message") == ""


def test_sheets_that_are_too_long_cannot_be_played_or_hide_something(page: Page, address: str) -> None:
    open_editor(page, address)
    page.evaluate("text => ludens.editor.set(text)", f"; {'long ' * 200}\n" * 200)
    page.wait_for_selector(".status:has-text('longer than 200,000 characters')")
    page.click("button:has-text('Play this draft')")
    play_draft(page, UNBOUNDED, "1 role")
    page.wait_for_selector("button:has-text('Try again'):visible")
    assert status(page) == "the game cannot be opened"
    assert page.locator(".spin").count() == 0
    assert page.inner_text(".message")
    assert page.is_disabled("button:has-text('Undo')")
    assert page.is_disabled("button:has-text('Restart')")
    page.keyboard.press("u")
    page.click("button:has-text('Try again')")
    page.wait_for_selector("button:has-text('Try again'):visible")
    page.click("summary:has-text('Rules')")
    page.click("text=Change this draft")
    page.wait_for_url("**/write?draft=*")
    assert "(long z)" in page.input_value("textarea")
    page.wait_for_selector("svg.graph .node")
    play_draft(page, COIN, "3 roles")
    page.wait_for_selector("#moves button:has-text('say heads')")
    page.click("summary:has-text('Thinking')")
    assert page.is_disabled("button:has-text('Explain this state')")
    assert page.is_disabled("button:has-text('Hint')")
    assert "you do not see the whole state" in page.inner_text(".thinking")
    assert "toss" not in page.inner_html("#main .playing") + page.inner_html(".past")
    page.click("#moves button:has-text('say heads')")
    page.wait_for_selector("text=Play again")
    assert page.is_enabled("button:has-text('Explain this state')")


def test_all_moves_are_found_where_not_all_are_listed(page: Page, address: str) -> None:
    open_editor(page, address)
    play_draft(page, many_moves(21), "1 role")
    page.wait_for_selector("text=more; search for them above")
    assert page.locator("#moves button >> text='go 20 20'").count() == 0
    page.fill(".finder input", "go 20 20")
    page.click("#moves button >> text='go 20 20'")
    page.wait_for_selector("text=Play again")


def test_pictures_on_other_pages_ask_in_vain(page: Page, address: str) -> None:
    with (
        page.expect_response(f"{address}/play/chess") as play,
        page.expect_response(f"{address}/write") as write,
    ):
        page.set_content(f'<img src="{address}/play/chess"><img src="{address}/write">')
    assert [play.value.status, write.value.status] == [403, 403]


def test_a_phone_can_leaf_through_all_pages_and_then_play(phone: Page, address: str) -> None:
    pages = {
        "/": "Pick a game",
        "/play/tictactoe": "Tic-tac-toe",
        "/play/nosuchgame": "There is no game called nosuchgame",
        "/write": "Write a game",
        "/draft/unknown": "This draft is forgotten",
        "/watch": "Watch",
        "/watch/file": "A record from a file",
        "/watch/match/cup.0": "Tic-tac-toe",
        "/watch/tournament/cup": "cup",
        "/play/nim": "Nim",
        "/play/hanoi": "Hanoi",
    }
    assert sum(path.startswith(("/play", "/write", "/watch/match")) for path in pages) > PROCESSES
    for path, title in pages.items():
        phone.goto(address + path)
        phone.wait_for_selector(f"#main h1:has-text('{title}')")
        phone.wait_for_selector(".status:has-text('move'), .board svg, .cards, svg.graph, #main a, input[type=file]")
        assert phone.evaluate("document.documentElement.scrollWidth") <= 360, path
        assert phone.locator("main main, #main nav").count() == 0
    phone.goto(f"{address}/play/tictactoe")
    phone.wait_for_selector(".board.live")
    phone.locator(".board [data-cell] >> nth=4").tap()
    wait_for_turn(phone, 2)


def test_names_that_there_are_not(page: Page, address: str) -> None:
    page.goto(f"{address}/play/..%2F..%2Fetc%2Fpasswd")
    assert "root:" not in page.content()
    page.goto(f"{address}/watch/match/nosuchmatch")
    page.wait_for_selector(".message:has-text('there is no match nosuchmatch')")
    page.goto(f"{address}/play/tictactoe?seats=nobody,uct")
    page.wait_for_selector(".message:has-text('nobody')")
    page.wait_for_selector(".board.live")
    assert page.input_value("[data-choice=x] select") == "person"


def test_a_match_that_is_played_goes_on_without_moving_who_looks_at_its_beginning(
    page: Page, address: str, store: Path
) -> None:
    record, state = begin_match("live", "ann", "bob")
    with Store(store) as matches:
        matches.began(record)
        page.goto(f"{address}/watch/match/live")
        page.wait_for_selector(".player:has-text('0 / 0')")
        for turn in (1, 2):
            state = go_on(record, state)
            matches.moved(record)
            page.wait_for_selector(f".player:has-text('{turn if turn == 1 else 0} / {turn}')")
            page.keyboard.press("f")
            page.wait_for_selector(f".player:has-text('0 / {turn}')")
        matches.remove("live")
        page.wait_for_selector(".message:has-text('there is no match live')")
