"""What is wrong with a text, as the readers tell it."""

from __future__ import annotations

import time

import pytest

from ludens.errors import Finding, GdlSyntaxError
from ludens.gdl.rules import Rules, Syntax
from ludens.gdl.source import ReadingLimits


def findings(text: str | bytes, syntax: Syntax, limits: ReadingLimits | None = None) -> tuple[Finding, ...]:
    with pytest.raises(GdlSyntaxError) as caught:
        Rules.parse(text, "sheet", syntax, limits)
    return caught.value.findings


def places(text: str | bytes, syntax: Syntax) -> list[tuple[str, int, int]]:
    """Code, line and column of each error."""
    return [(found.code, found.place.line, found.place.column) for found in findings(text, syntax) if found.place]


def assert_ends_soon(text: str, syntax: Syntax, code: str) -> None:
    """A hostile text gives a short message after seconds at most."""
    started = time.process_time()
    found = findings(text, syntax)
    assert code in [finding.code for finding in found]
    assert len("\n".join(map(str, found))) < 50_000
    assert time.process_time() - started < 20
