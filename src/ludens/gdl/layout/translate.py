"""Writing a sheet in another syntax, with its comments and blank lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Literal as OneOf

from ludens.gdl import infix, kif
from ludens.gdl.formulas import Clause
from ludens.gdl.layout.page import Page, line_ends
from ludens.gdl.printer import infix_clause, kif_clause
from ludens.gdl.reading import Reading
from ludens.gdl.source import Span

ConcreteSyntax = OneOf["kif", "infix"]


def translate(reading: Reading, syntax: ConcreteSyntax, target: ConcreteSyntax) -> str:
    """Return the sheet in the target syntax. Comments inside a statement move above it."""
    text = reading.source.text
    print_clause = infix_clause if target == "infix" else kif_clause
    inside, between = _divided(list(_comments(text, syntax)), reading.clauses)
    blocks = sorted(
        [(comment, None) for comment in between] + [(_span(clause), clause) for clause in reading.clauses],
        key=lambda block: block[0].start,
    )
    page = Page()
    end = 0
    for span, clause in blocks:
        breaks = line_ends(text, end, span.start)
        end = span.end
        if clause is None:
            page.block_comment(_comment(text, span, target), breaks)
            continue
        for comment in inside.get(span.start, ()):
            page.start_block(breaks, joins=False)
            page.write(_comment(text, comment, target))
            breaks = 1
        printed = print_clause(clause, reading.spelling)
        page.start_block(breaks, joins=not clause.body, length=len(printed))
        page.write(printed)
    return page.text()


def _comments(text: str, syntax: ConcreteSyntax) -> Iterator[Span]:
    if syntax == "infix":
        return (token.span for token in infix.infix_tokens(text) if token.kind == "comment")
    return (token.span for token in kif.tokens(text) if token.text[0] == ";")


def _divided(comments: list[Span], clauses: list[Clause]) -> tuple[dict[int, list[Span]], list[Span]]:
    """Return the comments inside clauses (by the start of the clause), and those between them."""
    spans = [_span(clause) for clause in clauses]
    starts = [span.start for span in spans]
    inside: dict[int, list[Span]] = {}
    between: list[Span] = []
    for comment in comments:
        number = bisect_right(starts, comment.start) - 1
        if number >= 0 and comment.start < spans[number].end:
            inside.setdefault(starts[number], []).append(comment)
        else:
            between.append(comment)
    return inside, between


def _span(clause: Clause) -> Span:
    assert clause.span is not None, "a clause that was read knows its place"
    return clause.span


def _comment(text: str, span: Span, target: ConcreteSyntax) -> str:
    """Return the comment with as many marks of the target syntax as it had of its own."""
    written = text[span.start : span.end].rstrip()
    words = written.lstrip(written[0])
    return ("%" if target == "infix" else ";") * (len(written) - len(words)) + words
