"""Which game a record is about."""

from __future__ import annotations

import re

from ludens.arena.records import Record
from ludens.errors import RecordError, RulesError
from ludens.game import Game, load
from ludens.games import find
from ludens.gdl.rules import Rules

UNTITLED = "untitled"


def game_of(record: Record) -> Game | None:
    """The game by the rules in the record, or else the bundled one that it names; None if neither is there."""
    if record.rules:
        return game_from(record.rules, record.game_name)
    for name in (record.game_name, name_in(record.game_meta_url)):
        if name and find(name):
            game = load(name)
            if record.game_digest in ("", game.rules.digest):
                return game
    return None


def game_from(rules: str, name: str) -> Game:
    """The game with these rules, which come from a stranger."""
    try:
        return Game(Rules.parse(rules, syntax="kif"), name or UNTITLED)
    except RulesError as error:
        raise RecordError(f"the rules in the record cannot be played: {error.findings[0].message}") from error


def name_in(url: str) -> str:
    """The name of a game in its address: the last part that is no version.

    >>> name_in("http://games.example/base/games/connectFour/v2/")
    'connectFour'
    """
    parts = [part for part in re.split(r"[/?#:]", url) if part and not re.fullmatch(r"v\d+", part)]
    return parts[-1].removesuffix(".kif") if parts else ""
