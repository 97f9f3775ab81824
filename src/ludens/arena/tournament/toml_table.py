"""The values of a table of TOML, taken one by one with a clear error for each that is not as it should be."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date, time
from difflib import get_close_matches
from typing import Any, NoReturn

from ludens.errors import PlanError

SHOWN = 40
MAX_WHOLE = 2**53


class TomlTable:
    """A table and its place in the plan; what was never asked for is a mistake."""

    def __init__(self, table: Mapping[str, Any], place: str = "") -> None:
        self._table, self._place = table, place
        self._known: dict[str, None] = {}

    def key(self, key: str) -> str:
        """The key as messages name it: with the table it stands in."""
        return f"{self._place}.{key}" if self._place else key

    def refuse(self, key: str, problem: str) -> NoReturn:
        raise PlanError(f"{self.key(key)}: {problem}")

    def given(self, key: str) -> bool:
        self._known[key] = None
        return key in self._table

    def get(self, key: str, default: Any = None) -> Any:
        return self._table[key] if self.given(key) else default

    def text(self, key: str, default: str | None = None, most: int = MAX_WHOLE) -> str:
        value = self.get(key, default)
        if value is None:
            self.refuse(key, "this is missing; give a text")
        if not isinstance(value, str) or not value.strip() or not value.isprintable():
            self.refuse(key, f"{shown(value)} is no text in one line; write it between quotation marks")
        if len(value) > most:
            self.refuse(key, f"{shown(value)} is too long; give at most {most} characters")
        return value

    def one_of(self, key: str, choices: Sequence[str], default: str) -> str:
        value = self.get(key, default)
        if value not in choices:
            self.refuse(key, f"{shown(value)} is not known; choose one of {', '.join(choices)}")
        return str(value)

    def flag(self, key: str, default: bool) -> bool:
        value = self.get(key, default)
        if not isinstance(value, bool):
            self.refuse(key, f"{shown(value)} is neither true nor false")
        return value

    def whole(self, key: str, default: int, least: int = -MAX_WHOLE, most: int = MAX_WHOLE) -> int:
        value = self.get(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            bounds = (
                f" from {least} to {most}" if most < MAX_WHOLE else f" from {least} on" if least > -MAX_WHOLE else ""
            )
            self.refuse(key, f"{shown(value)} does not fit; give a whole number{bounds}")
        return value

    def maybe_whole(self, key: str, least: int, most: int = MAX_WHOLE) -> int | None:
        return self.whole(key, least, least, most) if self.given(key) else None

    def number(self, key: str, default: float, above: float, below: float = math.inf) -> float:
        """A number between two bounds, which are not allowed themselves."""
        value = self.get(key, default)
        if not isinstance(value, int | float) or isinstance(value, bool) or not above < value < below:
            bounds = f"between {above:g} and {below:g}" if below < math.inf else f"greater than {above:g}"
            self.refuse(key, f"{shown(value)} does not fit; give a number {bounds}")
        return float(value)

    def table(self, key: str) -> TomlTable:
        value = self.get(key, {})
        if not isinstance(value, dict):
            self.refuse(key, f"{shown(value)} is no table; write [{self.key(key)}] and its keys below")
        return TomlTable(value, self.key(key))

    def end(self) -> None:
        """Complain about keys that mean nothing."""
        for key in self._table:
            if key not in self._known:
                close = get_close_matches(key, self._known, n=1)
                hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(self._known)}"
                self.refuse(key, f"this key is not known; {hint}")


def shown(value: object) -> str:
    """A value as the plan may have it, cut short.

    >>> shown(True), shown("uct"), shown(date(2025, 1, 31))
    ('true', "'uct'", '2025-01-31')
    """
    try:
        text = str(value).lower() if isinstance(value, bool | date | time) else repr(value)
    except (ValueError, RecursionError):
        return "a value that is too long to be shown"
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
