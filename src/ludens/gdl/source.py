"""Source texts: decoding, limits, and places as people count them (line and column from 1)."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from ludens.errors import Finding, GdlSyntaxError, Place, Severity


class Span(NamedTuple):
    """A stretch of a source text, as character offsets."""

    start: int
    end: int


@dataclass(frozen=True)
class Limits:
    """Bounds on what is read, so that a hostile file ends in an error and in nothing worse."""

    max_bytes: int = 8 * 1024 * 1024
    max_depth: int = 100
    max_symbol: int = 1000
    max_findings: int = 50


@dataclass(frozen=True)
class Source:
    """A named text in which places can be pointed out."""

    text: str
    name: str = "<text>"
    limits: Limits = field(default_factory=Limits, compare=False)

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "<text>", limits: Limits | None = None) -> Source:
        """Decode UTF-8 (with or without a byte order mark) or, failing that, Latin-1."""
        limits = limits or Limits()
        if len(data) > limits.max_bytes:
            raise GdlSyntaxError([_too_large(name, limits)])
        if data[:2] in (b"\xff\xfe", b"\xfe\xff") and len(data) % 2 == 0:
            try:
                return cls(data.decode("utf-16"), name, limits).checked()
            except UnicodeDecodeError:
                pass
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
        return cls(text, name, limits).checked()

    @classmethod
    def from_path(cls, path: str | Path, limits: Limits | None = None) -> Source:
        """Read a file; never more of it than the limits allow. OSError passes through."""
        limits = limits or Limits()
        with open(path, "rb") as file:
            data = file.read(limits.max_bytes + 1)
        return cls.from_bytes(data, str(path), limits)

    def checked(self) -> Source:
        """This source, or a GdlSyntaxError when it is too large or not a text at all."""
        if len(self.text) > self.limits.max_bytes:
            raise GdlSyntaxError([_too_large(self.name, self.limits)])
        for code in range(32):
            if code not in (9, 10, 11, 12, 13, 26) and (at := self.text.find(chr(code))) >= 0:
                finding = Finding(
                    "not-text",
                    "error",
                    f"not a text file: control character 0x{code:02x} at offset {at}",
                    "a rule sheet is plain text in UTF-8 or Latin-1",
                    self.place(Span(at, at + 1)),
                )
                raise GdlSyntaxError([finding])
        return self

    @cached_property
    def _line_starts(self) -> list[int]:
        starts, at = [0], self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def place(self, span: Span) -> Place:
        line, column = self.position(span.start)
        start = self._line_starts[line - 1]
        end = self._line_starts[line] if line < len(self._line_starts) else len(self.text)
        text = self.text[start:end].rstrip("\r\n").replace("\t", " ")
        length = max(1, min(span.end - span.start, len(text) - column + 1))
        caret = column - 1
        if len(text) > 120:
            cut = max(0, caret - 60)
            text = ("..." if cut else "") + text[cut : caret + 60]
            caret, length = caret - cut + (3 if cut else 0), min(length, 60)
        return Place(self.name, line, column, length, text, caret)

    def finding(
        self, code: str, span: Span | None, message: str, remedy: str = "", severity: Severity = "error"
    ) -> Finding:
        return Finding(code, severity, message, remedy, self.place(span) if span else None)


def _too_large(name: str, limits: Limits) -> Finding:
    return Finding(
        "too-large",
        "error",
        f"{name} is larger than {limits.max_bytes:,} bytes",
        "split the file, or pass larger Limits if you trust it",
    )
