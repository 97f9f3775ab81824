"""JSON of strangers: bounded in size, and taken apart key by key with a clear error for what is not as expected."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from ludens.errors import RecordError

MAX_BYTES = 64 * 1024 * 1024
MAX_DEPTH = 50
MAX_ITEMS = 100_000
"""The number of turns, or of roles."""
MAX_TEXT = 1024 * 1024
MAX_NUMBER = 2**53

Item = TypeVar("Item")


def parse_json(data: bytes | str) -> Any:
    """The value of a JSON text; RecordError if it is none, too long or nested too deep."""
    if len(data) > MAX_BYTES:
        raise RecordError(f"a record has at most {MAX_BYTES:,} bytes; this one has more")
    try:
        return json.loads(data, parse_constant=_refuse_constant)
    except RecursionError:
        raise RecordError(f"the JSON is nested more than {MAX_DEPTH} deep") from None
    except UnicodeDecodeError:
        raise RecordError("the record is not text in UTF-8") from None
    except json.JSONDecodeError as error:
        raise RecordError(f"line {error.lineno}, column {error.colno}: this is not JSON: {error.msg.lower()}") from None
    except ValueError as error:
        raise RecordError(f"this is not JSON: {error}") from None


class Fields:
    """The keys of a JSON object. What was not asked for is left in `rest`."""

    def __init__(self, data: object, what: str) -> None:
        if not isinstance(data, dict):
            raise RecordError(f"{what} is a JSON object, not {_kind(data)}")
        self.rest: dict[str, Any] = dict(data)

    def __contains__(self, key: str) -> bool:
        return self.rest.get(key) is not None

    def take(self, key: str, read: Callable[[object, str], Item], default: Item | None = None) -> Item:
        """The value of a key; without a default it has to be there."""
        value = self.rest.pop(key, None)
        if value is not None:
            return read(value, key)
        if default is None:
            raise RecordError(f"the key {key} is missing; a record has at least matchId, states and moves")
        return default

    def maybe(self, key: str, read: Callable[[object, str], Item]) -> Item | None:
        """The value of a key that may be absent."""
        return self.take(key, read) if key in self else self.rest.pop(key, None)

    def remaining(self) -> dict[str, Any]:
        """The keys that nobody asked for, bounded in depth."""
        waiting: list[tuple[int, Any]] = [(1, self.rest)]
        while waiting:
            depth, value = waiting.pop()
            if depth > MAX_DEPTH:
                raise RecordError(f"the JSON is nested more than {MAX_DEPTH} deep")
            if isinstance(value, dict | list):
                waiting += [(depth + 1, part) for part in (value.values() if isinstance(value, dict) else value)]
        return self.rest


def text(value: object, where: str) -> str:
    if not isinstance(value, str):
        _refuse(where, "a text", value)
    if len(value) > MAX_TEXT:
        raise RecordError(f"{where} is longer than {MAX_TEXT:,} characters")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise RecordError(f"{where} contains a lone surrogate") from None
    return value


def text_or_null(value: object, where: str) -> str:
    """A text; null, as some servers write it for one that they do not have, is the empty one."""
    return "" if value is None else text(value, where)


def flag(value: object, where: str) -> bool:
    return value if isinstance(value, bool) else _refuse(where, "true or false", value)


def whole_number(value: object, where: str) -> int:
    if isinstance(value, float) and value.is_integer() and abs(value) <= MAX_NUMBER:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        _refuse(where, "a whole number", value)
    if abs(value) > MAX_NUMBER:
        raise RecordError(f"{where} is too large a number")
    return value


def number(value: object, where: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        _refuse(where, "a number", value)
    if not abs(value) <= MAX_NUMBER:
        raise RecordError(f"{where} is too large a number")
    return value


def list_of(read: Callable[[object, str], Item]) -> Callable[[object, str], list[Item]]:
    """Reads lists whose items are all read by the same function."""

    def read_list(value: object, where: str) -> list[Item]:
        if not isinstance(value, list):
            _refuse(where, "a list", value)
        if len(value) > MAX_ITEMS:
            raise RecordError(f"{where} has more than {MAX_ITEMS:,} items")
        return [read(item, f"{where}[{index}]") for index, item in enumerate(value)]

    return read_list


def _refuse(where: str, expected: str, value: object) -> NoReturn:
    raise RecordError(f"{where} should be {expected}, not {_kind(value)}")


def _refuse_constant(name: str) -> NoReturn:
    raise RecordError(f"{name} is no JSON number")


def _kind(value: object) -> str:
    """What a JSON value is, in words."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str):
        return f"the text {value[:30]!r}"
    if isinstance(value, int | float):
        return "a number"
    return "a list" if isinstance(value, list) else "an object"
