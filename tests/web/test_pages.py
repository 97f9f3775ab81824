"""What pages say that nobody clicks: commands that run, and tags that people look for."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludens import games
from ludens.cli.app import load_command
from ludens.cli.web import keeps_games, page_of
from ludens.errors import GameNotFoundError
from ludens.web.pages.gallery import KIND_WORDS, gallery_html, tags_of
from ludens.web.pages.watch import HOST_COMMAND
from tests.child import ROOT, run_make


def test_the_command_that_the_empty_page_names_can_be_run() -> None:
    program, name, *arguments = HOST_COMMAND.split()
    assert program == "ludens"
    context = load_command(name).make_context(name, list(arguments))
    assert context.params["game"] == "chess"
    assert context.params["seats"] == ["uct", "random"]


def test_tags_say_what_people_look_for() -> None:
    assert set(KIND_WORDS) <= set(games.TAGS)
    assert tags_of(games.info("pig")) == ["two players", "chance"]
    html = gallery_html()
    chips = [part.split('"')[0] for part in html.split('data-tag="')[1:]]
    assert chips[:2] == ["one-player", "two-players"]
    assert "turns" not in chips
    assert "recursive" not in chips


def test_a_game_can_be_opened_by_its_name() -> None:
    assert page_of(None) == "/"
    assert page_of("Connect Four") == "/play/connectfour"
    with pytest.raises(GameNotFoundError, match="no bundled game"):
        page_of("nosuchgame")


@pytest.mark.parametrize(
    ("display", "options", "expected"),
    [
        ("", [], "-m ludens play"),
        (":0", [], "-m ludens web"),
        (":0", ["GAME=chess"], "-m ludens web chess"),
        ("", ["GAME=chess", "ARGS=--watch"], "-m ludens play chess --watch"),
        (":0", ["GAME=chess", "ARGS=--watch"], "-m ludens play chess --watch"),
        (":0", ["GAME=Makefile"], "-m ludens play Makefile"),
    ],
)
def test_make_play_opens_a_browser_where_one_can_be_shown(
    display: str, options: list[str], expected: str, tmp_path: Path
) -> None:
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\necho "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    command = ("-o", "setup", "play", f"VENV={tmp_path}", *options)
    assert run_make(ROOT, *command, DISPLAY=display, WAYLAND_DISPLAY="").strip() == expected


def test_games_of_strangers_do_not_go_into_the_own_store(tmp_path: Path) -> None:
    assert keeps_games(None, None, is_local=True)
    assert not keeps_games(None, None, is_local=False)
    assert keeps_games(None, tmp_path / "theirs.sqlite", is_local=False)
    assert keeps_games(True, None, is_local=False)
    assert not keeps_games(False, tmp_path / "mine.sqlite", is_local=True)
