"""Messages to text, in the form that players everywhere understand."""

from __future__ import annotations

from collections.abc import Iterable

from ludens.core import GroundTerm
from ludens.gdl.terms import Spelling, term_text
from ludens.protocol.messages import Abort, Info, Message, Percepts, Ping, Play, Preview, Start

NOTHING = "NIL"


def write_message(message: Message, spelling: Spelling | None = None) -> str:
    """The text of a message on one line; the spelling is that of the words in moves.

    >>> write_message(Play("m1", ("noop", ("mark", "1", "1"))))
    '(PLAY m1 (noop (mark 1 1)))'
    """
    match message:
        case Info():
            return "(INFO)"
        case Ping():
            return "(PING)"
        case Preview(rules, clock):
            return f"(PREVIEW ({_on_one_line(rules)}) {_clock_text(clock)})"
        case Start(match, role, rules, start, play):
            return f"(START {match} {role} ({_on_one_line(rules)}) {_clock_text(start)} {_clock_text(play)})"
        case Abort(match):
            return f"(ABORT {match})"
        case _:
            command = "PLAY" if isinstance(message, Play) else "STOP"
            return f"({command} {message.match} {_news_text(message.news, spelling)})"


def _news_text(news: tuple[GroundTerm, ...] | Percepts | None, spelling: Spelling | None) -> str:
    if news is None:
        return NOTHING
    if isinstance(news, Percepts):
        own = NOTHING if news.own_move is None else term_text(news.own_move, spelling)
        return f"{news.turn} {own} {_list_text(news.seen, spelling) if news.own_move is not None else NOTHING}"
    return _list_text(news, spelling)


def _list_text(terms: Iterable[GroundTerm], spelling: Spelling | None) -> str:
    return f"({' '.join(term_text(term, spelling) for term in terms)})"


def _on_one_line(rules: str) -> str:
    """Rules without comments and line ends."""
    return " ".join(line.partition(";")[0].strip() for line in rules.splitlines()).strip()


def _clock_text(seconds: float) -> str:
    """Whole seconds as a whole number: some players read no other."""
    return str(int(seconds)) if seconds == int(seconds) else repr(seconds)
