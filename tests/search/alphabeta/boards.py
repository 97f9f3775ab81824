"""Small boards: rule sheets made from the bundled ones, and what they are worth by programs of their own; trees."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import product
from operator import xor
from random import Random

from ludens import games
from tests.search.game_trees import GameTree, Node


def connect_four_sheet(columns: int, rows: int) -> str:
    """Connect four on a smaller board."""
    text = _bundled("connectfour")
    for column in range(columns + 1, 8):
        text = text.replace(f"(column {column})\n", "", 1)
    for row in range(rows + 1, 7):
        text = text.replace(f"(row {row})\n", "", 1)
    return text.replace("?column 6 blank", f"?column {rows} blank")


def connect_four_value(columns: int, rows: int) -> int:
    """1, 0 or -1 for who begins, by search over bit boards with a free bit above each column."""
    height = rows + 1
    cells = [((1 << rows) - 1) << (column * height) for column in range(columns)]
    known: dict[tuple[int, int, int], bool] = {}

    def has_line(stones: int) -> bool:
        pairs = [(stones & (stones >> shift), shift) for shift in (1, height, height - 1, height + 1)]
        return any(pair & (pair >> (2 * shift)) for pair, shift in pairs)

    def mirrored(stones: int) -> int:
        parts = [(stones >> (column * height)) & ((1 << rows) - 1) for column in range(columns)]
        return sum(part << (column * height) for column, part in enumerate(reversed(parts)))

    def reaches(mine: int, theirs: int, least: int) -> bool:
        """Whether the player to move can get a value of at least 1 or 0."""
        key = min((mine, theirs, least), (mirrored(mine), mirrored(theirs), least))
        if key not in known:
            both = mine | theirs
            moves = [((both & column) + (column & -column)) & column & ~both for column in cells]
            moves = sorted(filter(None, moves), key=lambda move: abs(move.bit_length() // height - columns // 2))
            known[key] = (
                any(has_line(mine | move) for move in moves)
                or any(not reaches(theirs, mine | move, 1 - least) for move in moves)
                if moves
                else least == 0
            )
        return known[key]

    return 1 if reaches(0, 0, 1) else 0 if reaches(0, 0, 0) else -1


def nim_sheet(*heaps: int) -> str:
    """Nim with three heaps of at most nine stones."""
    text = _bundled("nim")
    for heap, before, now in zip("abc", (3, 4, 5), heaps, strict=True):
        text = text.replace(f"(initial_heap {heap} {before})", f"(initial_heap {heap} {now})")
    more = "\n".join(f"(successor {number} {number + 1})" for number in range(5, 9))
    return text.replace("(successor 4 5)", "(successor 4 5)\n" + more)


def nim_is_won(*heaps: int) -> bool:
    return reduce(xor, heaps) != 0


def layered_tree(roles: Sequence[str], *layers: tuple[int, ...]) -> GameTree:
    """A tree where all states after so many joint moves have the same choices, with any goals at its ends."""
    rng = Random(4)
    nodes: list[Node] = []
    width, known = 1, 1
    for choices in layers:
        joints = list(product(*map(range, choices)))
        for _ in range(width):
            nodes.append(
                Node((50,) * len(roles), choices, {joint: known + place for place, joint in enumerate(joints)})
            )
            known += len(joints)
        width *= len(joints)
    ends = [Node(tuple(rng.choice([0, 25, 60, 100]) for _ in roles)) for _ in range(width)]
    return GameTree(tuple(roles), (*nodes, *ends))


def _bundled(name: str) -> str:
    sheet = games.find(name)
    assert sheet is not None
    return sheet.read_text()
