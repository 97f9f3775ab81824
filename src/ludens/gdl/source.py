"""Source texts: decoding, limits, and places (line and column from 1)."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from ludens.errors import Finding, GdlSyntaxError, Place, Severity

EXCERPT = 120
"""The longest stretch of a source line that is shown."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x19\x1b-\x1f]")


class Span(NamedTuple):
    """A stretch of a source text, as character offsets."""

    start: int
    end: int


@dataclass(frozen=True)
class ReadingLimits:
    """Bounds on what is read, so that a hostile file causes an error and nothing worse."""

    max_bytes: int = 8 * 1024 * 1024
    max_tokens: int = 500_000
    max_depth: int = 100
    max_symbol: int = 1000
    max_alternatives: int = 100
    """The largest number of `or` in a rule; each multiplies the plain rules it gives."""
    max_findings: int = 50


@dataclass(frozen=True)
class Source:
    """A named text in which places can be pointed out."""

    text: str
    name: str = "<text>"
    limits: ReadingLimits = field(default_factory=ReadingLimits, compare=False)
    encoding: str = field(default="utf-8", compare=False)
    """The encoding of the bytes, to write a changed text back in the same way."""

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "<text>", limits: ReadingLimits | None = None) -> Source:
        """Decode UTF-8 (with or without a byte order mark) or, failing that, Latin-1."""
        limits = limits or ReadingLimits()
        if len(data) > limits.max_bytes:
            raise GdlSyntaxError([_too_large(name, limits)])
        for encoding in _encodings(data):
            try:
                text = data.decode(encoding)
            except UnicodeDecodeError:
                continue
            return cls(text, name, limits, encoding).checked()
        raise AssertionError("Latin-1 reads any bytes")

    @classmethod
    def from_path(cls, path: str | Path, limits: ReadingLimits | None = None) -> Source:
        """Read a file; never more of it than the limits allow. OSError passes through."""
        limits = limits or ReadingLimits()
        with open(path, "rb") as file:
            data = file.read(limits.max_bytes + 1)
        return cls.from_bytes(data, str(path), limits)

    def checked(self) -> Source:
        """Return this source; raise GdlSyntaxError if it is too large or not a text."""
        if len(self.text) > self.limits.max_bytes:
            raise GdlSyntaxError([_too_large(self.name, self.limits)])
        if found := _CONTROL.search(self.text):
            finding = Finding(
                "not-text",
                "error",
                f"not a text file: control character 0x{ord(found.group()):02x} at offset {found.start()}",
                "a rule sheet is plain text in UTF-8 or Latin-1",
                self.place(Span(*found.span())),
            )
            raise GdlSyntaxError([finding])
        return self

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column, both from 1."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def place(self, span: Span) -> Place:
        line, column = self.position(span.start)
        start = self._line_starts[line - 1]
        end = self._line_starts[line] if line < len(self._line_starts) else len(self.text)
        while end > start and self.text[end - 1] in "\r\n":
            end -= 1
        cut = start
        if end - start > EXCERPT:
            cut, end = max(start, span.start - EXCERPT // 2), min(end, span.start + EXCERPT // 2)
        mark = "..." if cut > start else ""
        shown = "".join(character if character.isprintable() else " " for character in self.text[cut:end])
        length = max(1, min(span.end, end) - span.start)
        return Place(self.name, line, column, length, mark + shown, len(mark) + span.start - cut)

    def finding(
        self, code: str, span: Span | None, message: str, remedy: str = "", severity: Severity = "error"
    ) -> Finding:
        return Finding(code, severity, message, remedy, self.place(span) if span else None)


def _encodings(data: bytes) -> tuple[str, ...]:
    """Return the encodings to try, in order."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16", "latin-1"
    return "utf-8-sig" if data[:3] == b"\xef\xbb\xbf" else "utf-8", "latin-1"


def _too_large(name: str, limits: ReadingLimits) -> Finding:
    return Finding(
        "too-large",
        "error",
        f"{name} is larger than {limits.max_bytes:,} bytes",
        "split the file, or pass larger ReadingLimits if you trust it",
    )
