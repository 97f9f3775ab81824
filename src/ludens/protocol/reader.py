"""Text to messages, liberal in what it takes: any case of the commands, any spacing, extra arguments."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from types import MappingProxyType

from ludens.core import GroundTerm
from ludens.errors import MessageError
from ludens.gdl.kif import tokens
from ludens.gdl.source import ReadingLimits
from ludens.protocol.lists import MAX_DEPTH, ground_term, ground_terms, inside, split_items
from ludens.protocol.messages import Abort, Info, Message, Percepts, Ping, Play, Preview, Start, Stop

MAX_MESSAGE_BYTES = 8 * 1024 * 1024
MAX_WORDS = 20_000
"""Words and parentheses of a message without rules; with rules, what a rule sheet may have and a few more."""
MAX_CLOCK = 1e9
NOTHING = "nil"

FORMS: Mapping[str, str] = MappingProxyType(
    {
        "info": "(INFO)",
        "ping": "(PING)",
        "preview": "(PREVIEW (RULES) CLOCK)",
        "start": "(START MATCH ROLE (RULES) START_CLOCK PLAY_CLOCK)",
        "play": "(PLAY MATCH (MOVES)) or (PLAY MATCH TURN MOVE (PERCEPTS))",
        "stop": "(STOP MATCH (MOVES)) or (STOP MATCH TURN MOVE (PERCEPTS))",
        "abort": "(ABORT MATCH)",
    }
)


def read_message(text: str) -> Message:
    """The message that a text is; MessageError if it is none. No text at all asks for information.

    >>> read_message("( play Kiosk.1 ( ( MARK 1 1 ) NOOP ) )")
    Play(match='Kiosk.1', news=(('mark', '1', '1'), 'noop'))
    """
    if len(text) > MAX_MESSAGE_BYTES:
        raise MessageError(f"a message has at most {MAX_MESSAGE_BYTES:,} characters; this one has {len(text):,}")
    items = split_items(text, _most_words(text))
    if not items:
        return Info()
    whole = inside(items[0])
    command, *arguments = (split_items(whole) or ["()"]) if whole is not None else items[:1]
    read = _READERS.get(command.lower())
    if read is None:
        raise MessageError(f"there is no command {command[:40]}; there are {', '.join(name.upper() for name in FORMS)}")
    try:
        return read(arguments)
    except IndexError:
        form = FORMS[command.lower()]
        raise MessageError(f"{command.upper()} lacks an argument; the form is {form}") from None


def _most_words(text: str) -> int:
    """How much a message may hold, by its first word; so much time at most is spent on it."""
    words = (token.text.lower() for token in islice(tokens(text), MAX_DEPTH) if token.text[0] not in "();")
    return ReadingLimits().max_tokens + MAX_DEPTH if next(words, "") in ("start", "preview") else MAX_WORDS


def _preview(arguments: Sequence[str]) -> Preview:
    return Preview(_rules(arguments[0]), _clock(arguments[1]))


def _start(arguments: Sequence[str]) -> Start:
    match, role, rules, start, play = arguments[0], arguments[1], arguments[2], arguments[3], arguments[4]
    return Start(_word(match), _word(role), _rules(rules), _clock(start), _clock(play))


def _play(arguments: Sequence[str]) -> Play:
    return Play(_word(arguments[0]), _news(arguments[1:]))


def _stop(arguments: Sequence[str]) -> Stop:
    return Stop(_word(arguments[0]), _news(arguments[1:]))


def _abort(arguments: Sequence[str]) -> Abort:
    return Abort(_word(arguments[0]))


_READERS: Mapping[str, Callable[[Sequence[str]], Message]] = MappingProxyType(
    {
        "info": lambda arguments: Info(),
        "ping": lambda arguments: Ping(),
        "preview": _preview,
        "start": _start,
        "play": _play,
        "stop": _stop,
        "abort": _abort,
    }
)


def _news(arguments: Sequence[str]) -> tuple[GroundTerm, ...] | Percepts | None:
    """Moves, or a turn with percepts: they are told apart by their number."""
    if len(arguments) >= 3:
        turn, own, seen = arguments[:3]
        if not turn.isdecimal():
            raise MessageError(f"a turn is a number from 0, not {turn[:40]}")
        return Percepts(int(turn[:9]), None if own.lower() == NOTHING else ground_term(own), _terms(seen) or ())
    return _terms(arguments[0])


def _terms(text: str) -> tuple[GroundTerm, ...] | None:
    if text.lower() == NOTHING:
        return None
    within = inside(text)
    if within is None:
        raise MessageError(f"moves stand in one list, or are NIL; here is {text[:40]}")
    return ground_terms(within)


def _rules(text: str) -> str:
    within = inside(text)
    if within is None:
        raise MessageError(f"rules stand in one list; here is {text[:40]}")
    return within


def _word(text: str) -> str:
    if inside(text) is not None:
        raise MessageError(f"a match or a role has a single word as its name; here is {text[:40]}")
    return text


def _clock(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= MAX_CLOCK:
        raise MessageError(f"a clock is a number of seconds, not {text[:40]}")
    return seconds
