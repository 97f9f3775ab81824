"""Texts of strangers as they may be printed: names, moves and rules can hold codes that terminals obey."""

from __future__ import annotations

SHOWN = 100


def printable(text: str) -> str:
    r"""The text with `?` for each character that a terminal acts upon, other than those that end lines.

    >>> printable("\x1b[2Jgone\n\x9b")
    '?[2Jgone\n?'
    """
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() or character in "\n\t" else "?" for character in text)


def shown(text: str) -> str:
    r"""The text on one line, cut where it is long.

    >>> shown("\x07to\nwin")
    '?to win'
    """
    words = printable(" ".join(text[: 4 * SHOWN].split()))
    return words if len(words) <= SHOWN else words[:SHOWN] + "..."
