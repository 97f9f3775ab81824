"""How moves, boards and results are put into words, and words into moves."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rich.text import Text

from ludens.cli.pictures import terminal_text
from ludens.core import Move, Role
from ludens.game import State
from ludens.gdl.keywords import CHANCE

BEST = 100


def board(state: State) -> Text:
    """The state, drawn at once; in colour where the console can show it."""
    return terminal_text(state.game.artist.quick_picture(state))


def short(move: Move) -> str:
    """A move without its outer parentheses: `mark 1 2`."""
    return move[1:-1] if move.startswith("(") else str(move)


def joint_text(state: State, joint: Mapping[Role, Move]) -> str:
    """The moves of those who had a choice; if nobody had, those that say more than a word; or else all."""
    choosing = [role for role in joint if len(state.legal_moves(role)) > 1]
    chosen = choosing or [role for role in joint if joint[role].args] or list(joint)
    return ", ".join(f"{role}: {short(joint[role])}" for role in chosen)


def result_text(goals: Mapping[Role, int | None]) -> str:
    """How a game ended, in words; chance is left out."""
    values = {role: value for role, value in goals.items() if role.lower() != CHANCE}
    missing = [role for role, value in values.items() if value is None]
    if missing:
        return f"the rules give no result for {', '.join(missing)}"
    known = {role: value for role, value in values.items() if value is not None}
    best = max(known.values())
    winners = [role for role, value in known.items() if value == best]
    if len(known) == 1:
        return f"{winners[0]} gets {best} of {BEST} points"
    points = ", ".join(f"{role} {value}" for role, value in known.items())
    if len(winners) == len(known):
        return f"a draw: {points}"
    return f"{' and '.join(winners)} {'wins' if len(winners) == 1 else 'win'}: {points}"


def keys(moves: Sequence[Move]) -> list[str]:
    """What to type for each move: its number, if that is all that tells the moves apart, or else a running number.

    >>> keys([Move("(drop 2)", ("drop", "2")), Move("(drop 4)", ("drop", "4"))])
    ['2', '4']
    """
    numbers = [str(move.args[0]) for move in moves if len(move.args) == 1 and str(move.args[0]).isdecimal()]
    if len({move.name for move in moves}) == 1 and len(set(numbers)) == len(moves):
        return numbers
    return [str(number) for number in range(1, len(moves) + 1)]


def matching(moves: Sequence[Move], text: str) -> list[Move]:
    """The moves that a person may mean: by key, by their words, or by the beginning or a part of them."""
    text = " ".join(_words(text))
    by_key = dict(zip(keys(moves), moves, strict=True))
    if text in by_key:
        return [by_key[text]]
    spoken = {move: " ".join(_words(move)) for move in moves}
    tests = (
        lambda words: words == text,
        lambda words: words.partition(" ")[2] == text,
        lambda words: words.startswith(text),
        lambda words: f" {text} " in f" {words} ",
        lambda words: text in words,
    )
    found = ([move for move, words in spoken.items() if test(words)] for test in tests)
    return next((some for some in found if some), []) if text else []


def _words(text: str) -> list[str]:
    return re.findall(r"[^\s(),]+", text.lower())
