"""Real pages in a real browser: games are played, watched and written by clicking and typing."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import Browser, Page

from ludens.arena.store import Store
from ludens.game import load
from tests.web.browsing import SLOW, cell, drag, open_editor, open_table, play_draft, status, wait_for_turn


def test_connect_four_is_found_and_won_by_clicking_anywhere_in_a_column(page: Page, address: str) -> None:
    page.goto(address)
    assert page.locator(".card").count() == len(set(page.locator(".card").all_inner_texts())) >= 40
    page.fill("input[type=search]", "connect four")
    assert page.locator(".card:visible b").all_inner_texts()[0] == "Connect four"
    page.keyboard.press("Enter")
    page.wait_for_url("**/play/connectfour")
    page.wait_for_selector(".board.live")
    page.click("summary:has-text('Who plays')")
    page.select_option("[data-choice=yellow] select", "person")
    page.click("button:has-text('New game')")
    page.wait_for_selector(".seat:has-text('yellow'):has-text('a person')")
    for turn, words in enumerate(("1 6", "2 6", "1 2", "2 4", "1 3", "2 3", "1 4"), 1):
        cell(page, words)
        wait_for_turn(page, turn)
    assert status(page) == "red wins"


def test_a_whole_game_of_tictactoe_by_clicking_and_another_by_keys(page: Page, address: str) -> None:
    open_table(page, address, "tictactoe")
    for turn, words in enumerate(("1 1", "2 1", "1 2", "2 2", "1 3"), 1):
        cell(page, words)
        wait_for_turn(page, turn)
    assert status(page) == "x wins"
    assert "100 points" in page.inner_text(".seat:has-text('x')")
    page.click("summary:has-text('Thinking')")
    page.click("text=Assess the whole game")
    page.wait_for_function("document.querySelectorAll('svg.chart circle').length == 12")
    page.click("text=Play again")
    wait_for_turn(page, 0)
    assert not page.is_visible("text=Play again")
    page.keyboard.press("u")
    page.wait_for_selector(".status:has-text('x wins')")
    page.keyboard.press("r")
    wait_for_turn(page, 0)
    page.focus(".board")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    wait_for_turn(page, 1)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    page.keyboard.press(" ")
    wait_for_turn(page, 2)
    assert status(page) == "x: to move"


def test_a_player_answers_thinks_gives_hints_and_changes_sides(page: Page, address: str) -> None:
    open_table(page, address, "tictactoe", o="uct")
    cell(page, "2 2")
    wait_for_turn(page, 2)
    page.click("summary:has-text('Thinking')")
    assert page.locator("table.cand tr.best").count() == 1
    first = page.locator(".linemoves button >> nth=0")
    assert "o mark" in first.inner_text()
    first.click()
    page.wait_for_selector("text=click the board to go back")
    page.locator(".board [data-cell] >> nth=0").click()
    page.wait_for_selector("text=x: your move")
    page.click("text=Explain this state")
    page.wait_for_selector(".words-block:has-text('This looks like')")
    assert "cell 2 2 x is there; missing: " in page.inner_text(".words-block")
    page.keyboard.press("u")
    wait_for_turn(page, 0)
    page.keyboard.press("h")
    page.wait_for_selector(".status:has-text('hint: mark')")
    assert page.locator(".board .hinted").count() == 1
    page.keyboard.press("c")
    page.wait_for_selector(".seat:has-text('x'):has-text('tree search (uct)')")
    wait_for_turn(page, 1)
    assert status(page) == "o: your move"


def test_a_player_that_thinks_for_long_can_be_given_up(page: Page, address: str) -> None:
    open_table(page, address, "connectfour", yellow="uct")
    page.click("summary:has-text('Who plays')")
    page.select_option("[data-choice='players think'] select", "30.0")
    page.select_option("[data-choice='people have'] select", "180")
    page.click("button:has-text('New game')")
    page.wait_for_selector(".clock:has-text(':')")
    cell(page, "4 1")
    page.wait_for_selector(".status:has-text('yellow thinks')")
    page.keyboard.press("r")
    wait_for_turn(page, 0)
    assert status(page) == "red: your move"
    cell(page, "4 1")
    page.wait_for_selector(".status:has-text('yellow thinks')")
    page.keyboard.press("n")
    wait_for_turn(page, 2)


def test_chess_with_promotion_and_castling_by_clicking(page: Page, address: str) -> None:
    open_table(page, address, "chess")
    opening = ["h2h4", "g7g5", "h4g5", "h7h6", "g5h6", "a7a6", "h6h7", "a6a5"]
    moves = [*opening, "h7g8", "a5a4", "g1f3", "a4a3", "e2e3", "b7b6", "f1e2", "b6b5", "e1g1"]
    for turn, move in enumerate(moves, 1):
        if move == "e2e3":
            drag(page, "e 2", "e 3")
        else:
            cell(page, f"{move[0]} {move[1]}")
            page.wait_for_selector(".board .picked")
            cell(page, f"{move[2]} {move[3]}")
        if move == "h7g8":
            page.wait_for_selector(".which button")
            assert page.locator(".which button").all_inner_texts() == [
                f"promote h 7 g 8 {kind}" for kind in ("bishop", "knight", "queen", "rook")
            ]
            page.click(".which button:has-text('queen')")
        wait_for_turn(page, turn)
    history = page.inner_html(".past")
    assert "white promote h 7 g 8 queen" in history
    assert history.rstrip().endswith("white castle kingside</button>")
    titles = page.locator(".board [data-cell] title").all_text_contents()
    assert "g 1: white king" in titles
    assert "f 1: white rook" in titles
    assert "g 8: white queen" in titles


def test_moves_at_the_same_time_are_hidden(page: Page, address: str) -> None:
    open_table(page, address, "rockpaperscissors")
    page.fill(".finder input", "rock")
    page.keyboard.press("Enter")
    page.wait_for_selector(".seat:has-text('left'):has-text('has chosen')")
    assert "rock" not in page.inner_text(".past")
    assert "rock" not in page.inner_text(".board")
    assert page.input_value(".finder input") == ""
    assert page.locator("#moves button:visible").count() == 3
    page.click("#moves button:has-text('show paper')")
    wait_for_turn(page, 1)
    assert "left show rock, right show paper" in page.inner_html(".past")


def test_chance_is_drawn_and_shown(page: Page, address: str) -> None:
    open_table(page, address, "pig", blue="random")
    page.wait_for_selector("#moves button")
    assert "⚄" in page.inner_html(".past")
    assert "last: ⚄ random roll" in page.inner_text(".panel.now")


def test_two_browsers_do_not_disturb_each_other(browser: Browser, page: Page, address: str) -> None:
    other = browser.new_context()
    other.set_default_timeout(SLOW)
    second = other.new_page()
    open_table(page, address, "tictactoe")
    open_table(second, address, "tictactoe")
    cell(page, "1 1")
    wait_for_turn(page, 1)
    cell(second, "3 3")
    wait_for_turn(second, 1)
    cell(page, "2 2")
    wait_for_turn(page, 2)
    assert second.locator(".past [data-turn]").count() == 2
    assert "mark 3 3" in second.inner_html(".past")
    assert "mark 3 3" not in page.inner_html(".past")
    other.close()


def test_a_broken_sheet_is_marked_at_its_line_and_what_a_good_one_says_is_never_taken_for_html(
    page: Page, address: str
) -> None:
    open_editor(page, address)
    lines = page.input_value("textarea").split("\n")
    broken = next(number for number, line in enumerate(lines, 1) if line.startswith("(<= "))
    lines[broken - 1] = "(" + lines[broken - 1]
    page.fill("textarea", "\n".join(lines))
    page.wait_for_selector(f".finding.error[data-line='{broken}']")
    assert page.locator(".gutter .error").all_inner_texts() == [str(broken)]
    assert status(page) == "1 error"
    evil = "<img/src=x/onerror=window.hacked=1>"
    sheet = re.sub(r"(?<![\w?])(x|line)(?!\w)", lambda word: word[0] + evil, load("tictactoe").rules.to_kif())
    page.fill("textarea", sheet)
    page.wait_for_selector("svg.graph .node:has-text('img')")
    page.click("button:has-text('Find its structure')")
    page.wait_for_selector("h2:has-text('Structure')")
    page.click("button:has-text('Play random games')")
    page.wait_for_selector("text=Balance")
    play_draft(page, sheet, "no problems")
    cell(page, "2 2")
    wait_for_turn(page, 2)
    assert evil in page.inner_text(".seats")
    assert page.locator("img[src=x]").count() == 0
    assert page.evaluate("window.hacked") is None


def test_a_game_that_was_played_here_can_be_watched(page: Page, address: str) -> None:
    open_table(page, address, "tictactoe", o="legal")
    for turn, words in ((2, "3 3"), (4, "3 2"), (5, "3 1")):
        cell(page, words)
        wait_for_turn(page, turn)
    assert status(page) == "you win as x"
    page.goto(f"{address}/watch")
    page.click("table.list tr:has-text('person'):has-text('legal'):has-text('completed') a >> nth=0")
    page.wait_for_selector(".board svg")
    assert page.get_attribute("input[type=range]", "max") == "5"
    assert page.inner_text(".seat:has-text('x')").split() == ["x", "person", "100", "points"]


def test_matches_are_replayed_and_tournaments_have_tables(page: Page, address: str) -> None:
    page.goto(f"{address}/watch/tournament/cup")
    page.wait_for_selector("text=Ratings")
    assert page.locator("table.list").count() == 3
    page.goto(f"{address}/watch")
    page.click("table.list tr:has-text('ann') a >> nth=0")
    page.wait_for_selector(".board svg")
    assert int(page.get_attribute("input[type=range]", "max") or 0) == 7
    page.keyboard.press("f")
    page.wait_for_function("document.querySelector('input[type=range]').value == '0'")
    page.keyboard.press(".")
    page.wait_for_function("document.querySelector('input[type=range]').value == '1'")
    assert page.locator(".past [aria-current]").inner_text().startswith("1 ")


def test_a_record_from_a_file_is_replayed_and_not_taken_for_a_match_that_goes_on(
    page: Page, address: str, store: Path, tmp_path: Path
) -> None:
    with Store(store) as matches:
        record = matches.record("cup.0")
    record.is_completed = False
    file = tmp_path / "record.json"
    file.write_text(json.dumps(record.to_json()), encoding="utf-8")
    page.goto(f"{address}/watch/file")
    page.set_input_files("input[type=file]", file)
    page.wait_for_selector(".board svg")
    assert "not finished" in page.inner_text(".lead >> nth=-1")
    assert page.get_attribute("input[type=range]", "max") == str(record.turns)
    page.fill("input[type=range]", "2")
    page.wait_for_selector(f".player:has-text('2 / {record.turns}')")
