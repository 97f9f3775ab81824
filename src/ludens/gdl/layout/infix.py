"""Formatting the infix syntax."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from ludens.gdl.formulas import Clause
from ludens.gdl.infix import infix_tokens
from ludens.gdl.layout.page import Page, line_ends
from ludens.gdl.printer import WIDTH

INDENT = 2
_BETWEEN_STATEMENTS = -1


@dataclass(slots=True)
class _InfixPiece:
    """A token and what its layout depends on."""

    text: str
    kind: str
    breaks: int
    """Line ends before it."""
    statement: int
    depth: int = 0
    """The number of open parentheses around it."""
    gap: str = ""
    """The white space before it, when the token before is on the same line."""

    @property
    def is_comment(self) -> bool:
        return self.kind == "comment"

    @property
    def ends_line(self) -> bool:
        """Whether a line can end after it."""
        return self.kind == "mark" and self.text in (":-", "&", "|", ",")


def lay_out_infix(text: str, clauses: Sequence[Clause]) -> str:
    """Return the same words and comments, laid out; `clauses` are those of the text."""
    page = Page()
    for number, group in groupby(_pieces(text, clauses), key=lambda piece: piece.statement):
        pieces = list(group)
        if number == _BETWEEN_STATEMENTS:
            for piece in pieces:
                page.block_comment(piece.text, piece.breaks)
        else:
            _write_statement(page, pieces)
    return page.text()


def _pieces(text: str, clauses: Sequence[Clause]) -> list[_InfixPiece]:
    """Return all tokens, each with its statement; a comment belongs to the statement in which it stands."""
    starts = [clause.span.start for clause in clauses if clause.span]
    pieces: list[_InfixPiece] = []
    comments: list[_InfixPiece] = []
    end = 0
    current = _BETWEEN_STATEMENTS
    for token in infix_tokens(text):
        piece = _InfixPiece(token.text.rstrip(), token.kind, line_ends(text, end, token.start), _BETWEEN_STATEMENTS)
        end = token.span.end
        pieces.append(piece)
        if piece.is_comment:
            comments.append(piece)
            continue
        piece.statement = bisect_right(starts, token.start) - 1
        if piece.statement == current:
            for comment in comments:
                comment.statement = current
        comments.clear()
        current = piece.statement
    return pieces


def _write_statement(page: Page, pieces: list[_InfixPiece]) -> None:
    _measure(pieces)
    flat = _flat(pieces)
    stays_flat = flat is not None and len(flat) <= WIDTH and not any(piece.breaks for piece in pieces[1:])
    is_fact = all(piece.text != ":-" for piece in pieces)
    page.start_block(pieces[0].breaks, stays_flat and is_fact, len(flat or ""))
    if stays_flat and flat is not None:
        page.write(flat)
    else:
        _StatementWriter(page).write(pieces, INDENT)


def _measure(pieces: list[_InfixPiece]) -> None:
    """Find depths and gaps."""
    calls: list[bool] = []
    before: _InfixPiece | None = None
    for piece in pieces:
        if piece.text == ")":
            calls.pop()
        piece.depth = len(calls)
        if piece.is_comment:
            continue
        if before is not None:
            piece.gap = _gap(before, piece, bool(calls) and calls[-1])
        if piece.text == "(":
            calls.append(before is not None and before.kind in ("name", "quoted"))
        before = piece


def _gap(before: _InfixPiece, piece: _InfixPiece, in_call: bool) -> str:
    glued = (
        before.text in ("(", "~")
        or piece.text in (")", ",", ".")
        or (piece.text == "(" and before.kind in ("name", "quoted"))
        or (before.text == "," and in_call)
    )
    return "" if glued else " "


def _flat(pieces: Sequence[_InfixPiece]) -> str | None:
    """Return the pieces on one line; None if there is a comment among them."""
    if any(piece.is_comment for piece in pieces):
        return None
    return "".join(piece.gap + piece.text for piece in pieces).lstrip()


class _StatementWriter:
    """Writes a statement over several lines."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.line_is_over = False

    def write(self, run: Sequence[_InfixPiece], indent: int) -> None:
        """Write the content of parentheses, or a whole statement, one part to a line."""
        for number, segment in enumerate(_segments(run)):
            if number:
                self.line_is_over = True
            flat = _flat(segment)
            if flat is not None and (indent if self.line_is_over else self.page.column) + len(flat) <= WIDTH:
                self._write_word(flat, segment[0].gap, indent)
            else:
                self._write_segment(segment, indent)

    def _write_segment(self, segment: Sequence[_InfixPiece], indent: int) -> None:
        at = 0
        while at < len(segment):
            piece = segment[at]
            at += 1
            if piece.is_comment:
                self.page.comment(piece.text, piece.breaks, indent)
                self.line_is_over = True
                continue
            self._write_word(piece.text, piece.gap, indent)
            if piece.text == "(":
                end = at
                while segment[end].depth > piece.depth:
                    end += 1
                self.write(segment[at:end], self.page.column)
                at = end

    def _write_word(self, text: str, gap: str, indent: int) -> None:
        if self.line_is_over:
            self.page.newline(indent)
        elif self.page.column:
            self.page.write(gap)
        self.page.write(text)
        self.line_is_over = False


def _segments(run: Sequence[_InfixPiece]) -> Iterator[list[_InfixPiece]]:
    """Yield the run cut after each join of its own depth; a comment on the same line still belongs before the cut."""
    segment: list[_InfixPiece] = []
    cut = False
    depth = min((piece.depth for piece in run), default=0)
    for piece in run:
        if cut and not (piece.is_comment and not piece.breaks):
            yield segment
            segment, cut = [], False
        segment.append(piece)
        cut = cut or (piece.ends_line and piece.depth == depth)
    if segment:
        yield segment
