"""What players answer: one word, a move, or who they are."""

from __future__ import annotations

from dataclasses import dataclass

from ludens.core import GroundTerm
from ludens.errors import MessageError
from ludens.gdl.kif import tokens
from ludens.gdl.terms import Spelling, term_text
from ludens.protocol.lists import ground_term, inside, split_items

READY, BUSY, DONE, ABORTED, AVAILABLE = "ready", "busy", "done", "aborted", "available"


@dataclass(frozen=True, slots=True)
class InfoReply:
    """What a player says about itself."""

    name: str
    available: bool


def info_text(name: str, available: bool) -> str:
    """The answer to INFO.

    >>> info_text("ludens", available=False)
    '((name ludens) (status busy))'
    """
    word = "".join(character if character.isprintable() and character not in " ();" else "_" for character in name)
    return f"((name {word or '_'}) (status {AVAILABLE if available else BUSY}))"


def ping_text(available: bool) -> str:
    """The answer to PING."""
    return READY if available else BUSY


def move_text(move: GroundTerm, spelling: Spelling | None = None) -> str:
    """The answer to PLAY."""
    return term_text(move, spelling)


def read_move(text: str) -> GroundTerm:
    """The move that a player answers: the first term; what comes after it does not count.

    >>> read_move("( MARK 1 2 ) (explanation because)")
    ('mark', '1', '2')
    """
    return ground_term(_first_item(text))


def _first_item(text: str) -> str:
    """The first word or list, also when what comes after it is broken."""
    depth = 0
    for token in tokens(text):
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth <= 0 and token.text[0] != ";":
            return split_items(text[: token.span.end])[0]
    raise MessageError(
        "the answer is empty; a move was expected" if depth == 0 else "the answer has an unclosed parenthesis"
    )


def read_info(text: str) -> InfoReply:
    """What a player says about itself, in any of the forms that are in use; who does not say is free.

    >>> read_info("( ( name Sancho ) ( status busy ) )")
    InfoReply(name='Sancho', available=False)
    >>> read_info("available")
    InfoReply(name='', available=True)
    """
    items = split_items(text)
    whole = inside(items[0]) if items else None
    if whole is None:
        return InfoReply("", not items or items[0].lower() != BUSY)
    pairs = [split_items(within) for item in split_items(whole) if (within := inside(item)) is not None]
    told = {words[0].lower(): words[1] for words in pairs if len(words) > 1}
    return InfoReply(told.get("name", ""), told.get("status", AVAILABLE).lower() != BUSY)
