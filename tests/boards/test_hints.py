"""Hint files: those that come with the games are sound, and mistakes in others are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludens import games, load
from ludens.boards import Hints, draw, draw_facts, to_svg
from ludens.boards.layout import own_hints
from ludens.errors import GameNotFoundError, HintError
from ludens.game import load_bundled
from ludens.gdl.rules import Rules
from tests.boards.drawn import hinted

HINTED = tuple(name for name in games.names() if games.hints(name) is not None)


@pytest.mark.parametrize("name", HINTED)
def test_bundled_hints_are_about_the_game(name: str) -> None:
    text, game = games.hints(name), load(name)
    assert text
    words = {
        word
        for clause in str(game.rules.to_kif()).split("\n")
        for word in clause.replace("(", " ").replace(")", " ").split()
    }
    Hints.from_toml(text, name).check_words(game.roles, words)


def test_every_hint_file_belongs_to_a_game() -> None:
    assert len(HINTED) >= 20
    assert games.hints("no such game") is None


def test_a_game_that_only_has_the_name_of_a_bundled_one_gets_no_hints() -> None:
    rules = "(role x) (init (cell 1)) (legal x noop) (terminal) (goal x 100)"
    assert own_hints(load(Rules.parse(rules))) == Hints()


@pytest.mark.parametrize("content", [b"(role nobody)", b"\xff\xfe\x00"])
def test_a_file_that_has_the_name_of_a_bundled_game_does_no_harm(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "chess").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    game = load_bundled("chess")
    assert game.rules.digest == hinted("chess")[0].rules.digest
    assert own_hints(game) == hinted("chess")[1].hints
    with pytest.raises(GameNotFoundError, match="no bundled game called 'nowhere'"):
        load_bundled("nowhere")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[roles", "hints: this is no TOML"),
        ("[pieces.x]\nname = 'a'", "hints: pieces is not a table; there are roles, things, fluents"),
        ("roles = 3", "hints: roles is no table; write [roles.word]"),
        ("roles.x = 3", "hints: roles.x is no table of hints; write it as [roles.x]"),
        ("[roles.x]\nshape = 'disc'", "hints: roles.x: shape is not a hint; there are name, colour"),
        ("[roles.x]\ncolour = 'red'", "hints: roles.x.colour is 'red'; write a colour as #rrggbb"),
        ("[roles.x]\nname = 3", "hints: roles.x.name is 3; write a text"),
        ("[roles.x]\nname = ''", "hints: roles.x.name has to be 1 to 80 characters that can be printed"),
        ('[roles.x]\nname = "\\u001b"', "hints: roles.x.name has to be 1 to 80 characters that can be printed"),
        ("[things.x]\nshape = 'blob'", "hints: things.x.shape is 'blob'; there are none, disc,"),
        ("[fluents.cell]\nstyle = 'round'", "hints: fluents.cell.style is 'round'; there are plain, checkered, points"),
        ("[fluents.cell]\nhidden = 1", "hints: fluents.cell.hidden is 1; write true or false"),
    ],
)
def test_mistakes_are_named(text: str, message: str) -> None:
    with pytest.raises(HintError) as error:
        Hints.from_toml(text)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[roles.y]\nname = 'a'", "hints: roles.y: the game has no such role; it has x, o"),
        ("[things.'a b']\nname = 'a'", "hints: things.a b: the rules have no word b; check its spelling"),
        ("[fluents.z]\nname = 'a'", "hints: fluents.z: the rules have no word z; check its spelling"),
    ],
)
def test_words_that_a_game_does_not_have_are_named(text: str, message: str) -> None:
    with pytest.raises(HintError) as error:
        Hints.from_toml(text).check_words(["x", "o"], ["a"])
    assert str(error.value) == message


def test_a_table_can_be_grouped() -> None:
    game, layout = hinted("highcard")
    drawn = draw(layout, game.initial_state())
    assert {cell.plan.name: len(cell.things) for cell in drawn.grids[0].cells} == {
        "red": 0,
        "blue": 0,
        "pile": 10,
        "open": 0,
    }


def test_numbers_can_be_dice() -> None:
    _, layout = hinted("backgammon")
    drawn = draw_facts(layout, [("dice", "5", "1"), ("dice", "3", "2")])
    assert [(panel.title, panel.dice) for panel in drawn.panels] == [("dice", True)]
    svg = to_svg(drawn)
    assert svg.count('class="lb-die"') == 3
    assert svg.count('class="lb-pip"') == 5 + 3 + 3


def test_things_keep_the_colours_of_hints_on_the_boards_of_roles() -> None:
    _, layout = hinted("racetrackcorridor")
    drawn = draw_facts(layout, [("wall", "white", "left", "3")])
    assert [thing.paint.fill for grid in drawn.grids for cell in grid.cells for thing in cell.things] == ["#8b5e3c"]
