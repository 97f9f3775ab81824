"""A page that is written line by line, and how the blocks of a sheet follow each other on it."""

from __future__ import annotations

from ludens.gdl.printer import WIDTH

MAX_BLANK_LINES = 2
COMMENT_GAP = "  "
"""The space between a comment and the words before it on the same line."""


class Page:
    """Text under construction."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._current = ""
        self._open = False
        self._last_joins = False

    @property
    def column(self) -> int:
        return len(self._current)

    def write(self, text: str) -> None:
        self._current += text

    def newline(self, indent: int = 0) -> None:
        self._lines.append(self._current)
        self._current = " " * indent

    def comment(self, text: str, breaks: int, indent: int = 0) -> None:
        """Add a comment: after the words on its line, or on a line of its own."""
        if breaks:
            self.newline(indent)
        elif self.column:
            self.write(COMMENT_GAP)
        self.write(text)

    def start_block(self, breaks: int, joins: bool, length: int = 0) -> None:
        """Begin a statement or comment that followed `breaks` line ends; short facts can share a line."""
        if self._open:
            if breaks == 0 and joins and self._last_joins and self.column + 1 + length <= WIDTH:
                self.write(" ")
            else:
                for _ in range(min(max(1, breaks), MAX_BLANK_LINES + 1)):
                    self.newline()
        self._open, self._last_joins = True, joins

    def block_comment(self, text: str, breaks: int) -> None:
        """Add a comment between statements."""
        if breaks or not self._open:
            self.start_block(breaks, joins=False)
        self.comment(text, 0)

    def text(self) -> str:
        return "".join(line + "\n" for line in [*self._lines, self._current]) if self._open else ""


def line_ends(text: str, start: int, end: int) -> int:
    """Return the number of line ends in a stretch of white space."""
    gap = text[start:end]
    return gap.count("\n") + gap.count("\r") - gap.count("\r\n")
