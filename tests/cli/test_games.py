"""`ludens games`."""

from __future__ import annotations

import json

from ludens import games
from tests.cli.command import run


def listed(*arguments: object) -> list[str]:
    result = run("games", *arguments, "--json")
    assert result.code == 0
    return [game["name"] for game in json.loads(result.out)]


def test_every_game_is_listed_once() -> None:
    result = run("games")
    assert result.code == 0
    rows = [line.split() for line in result.out.splitlines()]
    assert [row[0] for row in rows if row and row[0] in games.names()] == list(games.names())
    assert listed() == list(games.names())


def test_games_are_filtered_by_tag_roles_and_words() -> None:
    assert "eightpuzzle" in listed("--tag", "puzzle")
    assert "tictactoe" not in listed("--tag", "puzzle")
    assert listed("--tag", "simultaneous", "--tag", "puzzle") == []
    assert "threeway" in listed("--roles", 3)
    assert "tictactoe" not in listed("--roles", 3)
    assert "connectfour" in listed("UPRIGHT", "disc")
    assert "tictactoe" not in listed("upright")


def test_tags_are_explained_and_unknown_ones_refused() -> None:
    assert json.loads(run("games", "--tags", "--json").out) == games.TAGS
    assert all(tag in run("games", "--tags").out for tag in games.TAGS)
    refused = run("games", "--tag", "nonsense")
    assert refused.code == 2
    assert "nonsense" in refused.err


def test_show_tells_about_a_bundled_game() -> None:
    info = games.info("nim")
    shown = run("show", "nim", "--samples", 2).out
    assert info.title in shown
    assert info.rules.splitlines()[0] in shown
