"""The gallery has a picture of every bundled game."""

from __future__ import annotations

from importlib import resources
from xml.etree import ElementTree

from ludens import games
from ludens.web.pages.gallery import gallery_html


def test_every_game_has_a_picture_and_a_card() -> None:
    folder = resources.files("ludens.web") / "gallery"
    pictures = {file.name for file in folder.iterdir()}
    assert pictures == {f"{name}.svg" for name in games.names()}, "scripts/gallery.py draws them"
    html = gallery_html()
    for name in games.names():
        ElementTree.fromstring((folder / f"{name}.svg").read_text(encoding="utf-8"))
        assert f'href="/play/{name}"' in html
