"""Formatting KIF."""

from __future__ import annotations

from dataclasses import dataclass, field

from ludens.gdl.kif import ARROW, tokens
from ludens.gdl.layout.page import Page, line_ends
from ludens.gdl.printer import WIDTH

_KEEPS_LINES = frozenset({ARROW, "or", "and"})
"""Lists that stay broken where the author has broken them."""

_SHORT_NAME = 8
"""After a name up to this long the arguments stand below each other; after a longer one they are indented."""


@dataclass(slots=True)
class _KifPiece:
    """A word, a comment, or (its text is the opening parenthesis) a list with its parts."""

    text: str
    breaks: int
    """Line ends before it."""
    parts: list[_KifPiece] = field(default_factory=list)
    flat: str | None = None
    """The piece on one line, if it can stand there."""

    @property
    def is_comment(self) -> bool:
        return self.text.startswith(";")

    @property
    def is_rule(self) -> bool:
        return bool(self.parts) and self.parts[0].text == ARROW


def lay_out_kif(text: str) -> str:
    """Return the same words and comments, laid out; the text has been read without errors."""
    page = Page()
    for piece in _pieces(text):
        if piece.is_comment:
            page.block_comment(piece.text, piece.breaks)
        else:
            joins = piece.flat is not None and not piece.is_rule
            page.start_block(piece.breaks, joins, len(piece.flat or ""))
            _write(page, piece, 0)
    return page.text()


def _pieces(text: str) -> list[_KifPiece]:
    top: list[_KifPiece] = []
    open_lists: list[tuple[_KifPiece, int]] = []
    end = line = 0
    for token in tokens(text):
        breaks = line_ends(text, end, token.start)
        line += breaks
        end = token.span.end
        if token.text == ")":
            piece, start_line = open_lists.pop()
            piece.flat = _flat(piece, line > start_line)
            continue
        piece = _piece(token.text, breaks)
        (open_lists[-1][0].parts if open_lists else top).append(piece)
        if token.text == "(":
            open_lists.append((piece, line))
    return top


def _piece(text: str, breaks: int) -> _KifPiece:
    if text[0] in "(;":
        return _KifPiece(text.rstrip(), breaks)
    return _KifPiece(text, breaks, flat=text)


def _flat(piece: _KifPiece, over_lines: bool) -> str | None:
    """Return a list on one line, unless a comment, its length or its author forbids it."""
    if over_lines and piece.parts[0].text.lower() in _KEEPS_LINES:
        return None
    words = []
    for part in piece.parts:
        if part.flat is None:
            return None
        words.append(part.flat)
    flat = "(" + " ".join(words) + ")"
    return flat if len(flat) <= WIDTH else None


def _write(page: Page, piece: _KifPiece, closing: int) -> None:
    """Write a word or list; `closing` is the number of parentheses closed after it."""
    if piece.flat is not None and page.column + len(piece.flat) + closing <= WIDTH:
        page.write(piece.flat)
    elif piece.parts:
        _write_broken(page, piece.parts, closing)
    else:
        page.write(piece.text)


def _write_broken(page: Page, parts: list[_KifPiece], closing: int) -> None:
    """Write name and first argument on one line, then one argument to a line; comments stay in place."""
    start = page.column
    indent = start + 1
    page.write("(")
    words = 0
    after_comment = False
    for part in parts:
        if part.is_comment:
            page.comment(part.text, part.breaks, indent)
            after_comment = True
            continue
        if after_comment or words >= 2:
            page.newline(indent)
        elif words == 1:
            page.write(" ")
        _write(page, part, closing + 1 if part is parts[-1] else 0)
        if words == 0:
            indent = start + (len(part.text) + 2 if len(part.text) <= _SHORT_NAME else 4)
        words += 1
        after_comment = False
    if after_comment:
        page.newline(start)
    page.write(")")
