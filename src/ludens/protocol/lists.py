"""Texts in parentheses, one level at a time: the rules in a message stay the text they were."""

from __future__ import annotations

import sys

from ludens.errors import GdlSyntaxError, MessageError
from ludens.gdl.kif import read_term, tokens
from ludens.gdl.terms import GroundTerm, is_ground

MAX_DEPTH = 100
SHOWN = 60


def split_items(text: str, most: int = sys.maxsize) -> list[str]:
    """The words and lists that a text consists of, each as its own text; MessageError beyond the limit of words."""
    items: list[str] = []
    depth = begin = 0
    for number, token in enumerate(tokens(text)):
        if number >= most:
            raise MessageError(f"a message of this kind has at most {most:,} words and parentheses")
        if token.text[0] == ";":
            continue
        if token.text == "(":
            if depth == 0:
                begin = token.start
            depth += 1
            if depth > MAX_DEPTH:
                raise MessageError(f"lists are nested more than {MAX_DEPTH} deep")
        elif token.text == ")":
            depth -= 1
            if depth < 0:
                raise MessageError(f"a parenthesis that was never opened is closed after {_shown(text[: token.start])}")
            if depth == 0:
                items.append(text[begin : token.start + 1])
        elif depth == 0:
            items.append(token.text)
    if depth:
        raise MessageError(f"a parenthesis is never closed: {_shown(text[begin:])}")
    return items


def inside(text: str) -> str | None:
    """What stands between the parentheses of a list; None for a word."""
    return text[1:-1] if text.startswith("(") else None


def ground_terms(within: str) -> tuple[GroundTerm, ...]:
    """The words and lists that a text consists of as terms without variables."""
    term = ground_term(f"(list {within}\n)", within)
    return () if isinstance(term, str) else term[1:]


def ground_term(text: str, quoted: str | None = None) -> GroundTerm:
    """A word or list as a term without variables; messages quote the text, or another in its place."""
    shown = _shown(quoted or text)
    try:
        term = read_term(text)
    except GdlSyntaxError as error:
        raise MessageError(f"{shown} is no term: {error.findings[0].message}") from None
    if not is_ground(term):
        raise MessageError(f"{shown} has variables")
    return term  # type: ignore[return-value]


def _shown(text: str) -> str:
    """A text as messages quote it."""
    words = " ".join(text[: 4 * SHOWN].split())
    return words if len(words) <= SHOWN else words[:SHOWN] + "..."
