"""The gallery: all bundled games with pictures, to be searched by words and tags."""

from __future__ import annotations

from collections import Counter
from functools import cache
from html import escape

from nicegui import ui

from ludens import games
from ludens.games import TAGS, GameInfo
from ludens.web.pages.controls import content
from ludens.web.pages.frame import head

KIND_WORDS = {
    "chance": "chance",
    "simultaneous": "all at once",
    "cooperative": "together",
    "misere": "try to lose",
}
"""The tags that people look for, in their words and order; others say how games are made."""
PLAYERS_WORDS = {1: "one player", 2: "two players", 3: "three players"}


def gallery_page(version: str) -> None:
    head("/", version)
    with content():
        ui.html(gallery_html(), sanitize=False)


@cache
def gallery_html() -> str:
    catalogue = sorted(games.catalogue(), key=lambda info: info.title.lower())
    counts = Counter(tag for info in catalogue for tag in tags_of(info))
    chips = "".join(chip(tag, counts[tag]) for tag in sorted(counts, key=_place))
    return (
        "<h1>Pick a game</h1>"
        '<p class="lead">Every game here is only a page of rules. Boards, opponents and explanations are worked out '
        'from them; so they are for <a href="/write">rules that you write</a>.</p>'
        '<div class="finder" data-finds=".card"><input type="search" aria-label="Search games" '
        f'placeholder="Search {len(catalogue)} games …  ( / )">{chips}</div>'
        f'<div class="cards">{"".join(map(card, catalogue))}</div>'
        '<p class="none" hidden>no game fits; try fewer words</p>'
    )


def chip(tag: str, count: int) -> str:
    meaning = next((TAGS[name] for name, words in KIND_WORDS.items() if words == tag), tag)
    return (
        f'<button class="chip" data-tag="{escape(tag.replace(" ", "-"))}" aria-pressed="false" '
        f'title="{escape(meaning)}">{escape(tag)} <span class="faint">{count}</span></button>'
    )


def tags_of(info: GameInfo) -> list[str]:
    players = PLAYERS_WORDS.get(info.roles, f"{info.roles} players")
    return [players, *(words for tag, words in KIND_WORDS.items() if tag in info.tags)]


def _place(tag: str) -> tuple[bool, int, str]:
    """Numbers of players come first, in their order."""
    kinds, numbers = list(KIND_WORDS.values()), list(PLAYERS_WORDS.values())
    is_kind = tag in kinds
    order = kinds.index(tag) if is_kind else numbers.index(tag) if tag in numbers else len(numbers)
    return is_kind, order, tag


def card(info: GameInfo) -> str:
    tags = tags_of(info)
    text = " ".join((info.title, info.name, info.description, *tags)).lower()
    marks = "".join(f"<i>{escape(tag)}</i>" for tag in tags)
    return (
        f'<a class="card" href="/play/{info.name}" data-text="{escape(text)}" '
        f'data-tags="{escape(" ".join(tag.replace(" ", "-") for tag in tags))}">'
        f'<div class="shot"><img src="/gallery/{info.name}.svg" alt="" loading="lazy"></div>'
        f'<div class="words"><b>{escape(info.title)}</b><span>{escape(info.description)}</span>'
        f'<div class="tags">{marks}</div></div></a>'
    )
