"""Variants of bundled games, made by changing their text."""

from __future__ import annotations

import re
from itertools import pairwise

from ludens import games

Tiles = tuple[int, ...]
"""The tiles of the eight puzzle row after row from the top, 0 for the gap."""


def text_of(name: str) -> str:
    sheet = games.find(name)
    assert sheet is not None
    return sheet.read_text()


def replaced(text: str, old: str, new: str) -> str:
    assert old in text, old
    return text.replace(old, new)


def numbers(relation: str, last: int, first: int = 0) -> str:
    return "\n".join(f"({relation} {a} {b})" for a, b in pairwise(range(first, last + 1)))


def nim(a: int, b: int, c: int) -> str:
    text = text_of("nim")
    for heap, old, new in (("a", 3, a), ("b", 4, b), ("c", 5, c)):
        text = replaced(text, f"(initial_heap {heap} {old})", f"(initial_heap {heap} {new})")
    return re.sub(r"(\(successor \d+ \d+\)\n)+", numbers("successor", max(a, b, c, 1)) + "\n", text, count=1)


def connect_four(columns: int, rows: int) -> str:
    text = text_of("connectfour")
    for column in range(columns + 1, 8):
        text = replaced(text, f"(column {column})\n", "")
    for row in range(rows + 1, 7):
        text = replaced(text, f"(row {row})\n", "")
    return replaced(text, "?column 6 blank", f"?column {rows} blank")


def eight_puzzle(tiles: Tiles, steps: int) -> str:
    text = re.sub(r"\(init \(cell .*\)\)\n", "", text_of("eightpuzzle"))
    text = re.sub(r"(\(successor \d+ \d+\)\n)+", numbers("successor", steps) + "\n", text, count=1)
    text = replaced(text, "(true (step 30))", f"(true (step {steps}))")
    places = [(column, row) for row in (3, 2, 1) for column in (1, 2, 3)]
    return text + "\n".join(
        f"(init (cell {column} {row} {tile or 'gap'}))" for (column, row), tile in zip(places, tiles, strict=True)
    )


def hanoi(discs: int, steps: int) -> str:
    text = re.sub(r"\((disc|height|start|successor) \d.*\)\n", "", text_of("hanoi"))
    text = replaced(text, "?peg 5 ?disc", f"?peg {discs} ?disc")
    text = replaced(text, "(cell 3 5 ?disc)", f"(cell 3 {discs} ?disc)")
    text = replaced(text, "(true (step 40))", f"(true (step {steps}))")
    text += numbers("successor", max(steps, discs)) + "\n"
    return text + "\n".join(
        f"(disc {disc}) (height {disc}) (start {discs + 1 - disc} {disc})" for disc in range(1, discs + 1)
    )


def lights_out(size: int) -> str:
    text = text_of("lightsout")
    for coordinate in range(size + 1, 6):
        text = replaced(text, f"(coordinate {coordinate})\n", "")
    return text
