"""Hints: how the author of a game wants it to be drawn. All of it is optional.

A hint file is TOML, for example

    [roles.white]
    colour = "#ffffff"

    [things.wk]                  # what lies on a board, by its words
    name = "white king"
    shape = "king"
    glyph = "♔"

    [fluents.cell]
    name = "the board"
    style = "checkered"
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from ludens.boards.palette import NAMED_COLOURS, SHAPES
from ludens.errors import HintError

STYLES = ("plain", "checkered", "points", "triangles", "dice")
"""The styles of cells: framed squares, squares of two colours, linked points, triangles for piles; numbers as dice."""
MAX_TEXT = 80
_COLOUR = re.compile("#[0-9a-fA-F]{6}")
Kind = TypeVar("Kind", "RoleHint", "ThingHint", "FluentHint")


@dataclass(frozen=True, slots=True)
class RoleHint:
    name: str | None = None
    colour: str | None = None


@dataclass(frozen=True, slots=True)
class ThingHint:
    """A hint about a thing on a board."""

    name: str | None = None
    colour: str | None = None
    shape: str | None = None
    glyph: str | None = None
    """The characters for it in text."""
    mark: str | None = None
    """The text on it."""


@dataclass(frozen=True, slots=True)
class FluentHint:
    name: str | None = None
    style: str | None = None
    hidden: bool = False
    swapped: bool = False
    """Whether the second coordinate goes to the right, and the first one up."""
    downwards: bool = False
    """Whether rows are counted from above."""
    grouped: bool = False
    """Whether a table, such as cards and their owners, is drawn by owners."""


@dataclass(frozen=True, slots=True)
class Hints:
    """By folded words: of roles, of what lies on boards (several words with blanks between them), of fluents."""

    roles: Mapping[str, RoleHint] = field(default_factory=dict)
    things: Mapping[str, ThingHint] = field(default_factory=dict)
    fluents: Mapping[str, FluentHint] = field(default_factory=dict)
    source: str = "hints"
    """The source of the hints, for messages."""

    @classmethod
    def from_toml(cls, text: str, source: str = "hints") -> Hints:
        """Read hints; raise HintError with place and reason if they are malformed."""
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise HintError(f"{source}: this is no TOML: {error}") from error
        _only(data, ("roles", "things", "fluents"), source, "a table")
        return cls(
            roles=_table(RoleHint, data, "roles", source),
            things=_table(ThingHint, data, "things", source),
            fluents=_table(FluentHint, data, "fluents", source),
            source=source,
        )

    def with_named_colours(self, roles: Iterable[str]) -> Hints:
        """Return the hints with the colours that all roles are named after; explicit hints take precedence."""
        named = {role.lower(): NAMED_COLOURS.get(role.lower()) for role in roles}
        if len(set(named.values()) - {None}) < len(named):
            return self
        colours = {role: replace(self.roles.get(role, RoleHint()), colour=colour) for role, colour in named.items()}
        kept = {role: hint for role, hint in self.roles.items() if hint.colour}
        return replace(self, roles=colours | kept)

    def check_words(self, roles: Iterable[str], words: Iterable[str]) -> None:
        """Raise HintError if hints are about roles or words that a game does not have."""
        known_roles, known = [role.lower() for role in roles], {word.lower() for word in words}
        for role in self.roles:
            if role not in known_roles:
                raise HintError(
                    f"{self.source}: roles.{role}: the game has no such role; it has {', '.join(known_roles)}"
                )
        named = [("things", key, word) for key in self.things for word in key.split()]
        named += [("fluents", key, key) for key in self.fluents]
        for table, key, word in named:
            if word not in known:
                raise HintError(f"{self.source}: {table}.{key}: the rules have no word {word}; check its spelling")


def _table(kind: type[Kind], data: Mapping[str, Any], name: str, source: str) -> dict[str, Kind]:
    table = data.get(name, {})
    if not isinstance(table, dict):
        raise HintError(f"{source}: {name} is no table; write [{name}.word]")
    return {key.lower(): _hint(kind, values, f"{source}: {name}.{key}") for key, values in table.items()}


def _hint(kind: type[Kind], values: object, where: str) -> Kind:
    if not isinstance(values, dict):
        raise HintError(f"{where} is no table of hints; write it as [{where.rpartition(' ')[2]}]")
    known = {each.name: each.default for each in fields(kind)}
    _only(values, tuple(known), where, "a hint")
    for key, value in values.items():
        wanted = bool if isinstance(known[key], bool) else str
        if type(value) is not wanted:
            raise HintError(f"{where}.{key} is {value!r}; write {'true or false' if wanted is bool else 'a text'}")
        if isinstance(value, str):
            _check_text(key, value, f"{where}.{key}")
    return kind(**values)


def _check_text(key: str, value: str, where: str) -> None:
    if not value.isprintable() or len(value) > MAX_TEXT or not value.strip():
        raise HintError(f"{where} has to be 1 to {MAX_TEXT} characters that can be printed")
    if key == "colour" and not _COLOUR.fullmatch(value):
        raise HintError(f"{where} is {value!r}; write a colour as #rrggbb")
    for name, choices in (("shape", tuple(SHAPES)), ("style", STYLES)):
        if key == name and value not in choices:
            raise HintError(f"{where} is {value!r}; there are {', '.join(choices)}")


def _only(values: Mapping[str, Any], known: tuple[str, ...], where: str, what: str) -> None:
    for key in values:
        if key not in known:
            raise HintError(f"{where}: {key} is not {what}; there are {', '.join(known)}")
