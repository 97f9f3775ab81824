"""Untrusted texts made safe to print: names, moves and rules may contain terminal control codes."""

from __future__ import annotations

SHOWN = 100


def printable(text: str) -> str:
    r"""Return the text with `?` for each control character except tabs and line feeds.

    >>> printable("\x1b[2Jgone\n\x9b")
    '?[2Jgone\n?'
    """
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() or character in "\n\t" else "?" for character in text)


def shown(text: str) -> str:
    r"""Return the text on one line, cut when it is long.

    >>> shown("\x07to\nwin")
    '?to win'
    """
    words = printable(" ".join(text[: 4 * SHOWN].split()))
    return words if len(words) <= SHOWN else words[:SHOWN] + "..."
