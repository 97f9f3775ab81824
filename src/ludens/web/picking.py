"""From clicks on a board to a move: which moves the clicks so far can mean, and what can be clicked next."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

Steps = Sequence[Sequence[str]]
"""For each click of a move the cells that mean it."""
CELL = re.compile(r'<g class="lb-cell" data-grid="(\d+)" data-cell="(\d+)">')


@dataclass
class MovePicker:
    """The clicks of one person in one turn.

    >>> picker = MovePicker([[["a"], ["b"]], [["a"], ["c"]]])
    >>> picker.click("a"), sorted(picker.possible)
    ([], ['b', 'c'])
    >>> picker.click("c")
    [1]
    """

    moves: Sequence[Steps]
    clicks: list[str] = field(default_factory=list)
    near: Mapping[str, int] = field(default_factory=dict)
    """Cells that stand for the first step of a move without being a part of it."""

    def click(self, cell: str) -> list[int]:
        """The moves that are made by this click, by their numbers; several if it cannot tell them apart.

        A click that fits nothing begins again; the same cell again gives up what was picked.
        """
        if not self.clicks and cell in self.near and not self._matching([cell]):
            cell = self.moves[self.near[cell]][0][0]
        if self._matching([*self.clicks, cell]):
            self.clicks.append(cell)
        elif self.clicks and self.clicks[-1] == cell:
            self.clicks = []
        else:
            self.clicks = [cell] if self._matching([cell]) else []
        whole = [number for number in self.matching if len(self.moves[number]) == len(self.clicks)]
        longer = any(len(self.moves[number]) > len(self.clicks) for number in self.matching)
        return whole if self.clicks and whole and not longer else []

    @property
    def matching(self) -> list[int]:
        """The moves that can still be meant."""
        return self._matching(self.clicks)

    @property
    def whole(self) -> list[int]:
        """The moves that are made already, if nothing else is clicked."""
        return [number for number in self.matching if self.clicks and len(self.moves[number]) == len(self.clicks)]

    @property
    def possible(self) -> set[str]:
        """The cells that can be clicked next."""
        place = len(self.clicks)
        return {
            cell for number in self.matching if len(self.moves[number]) > place for cell in self.moves[number][place]
        }

    def _matching(self, clicks: Sequence[str]) -> list[int]:
        return [
            number
            for number, steps in enumerate(self.moves)
            if len(steps) >= max(1, len(clicks))
            and all(cell in step for cell, step in zip(clicks, steps, strict=False))
        ]


def clickable(
    svg: str,
    possible: Collection[str],
    picked: Collection[str],
    hinted: Collection[str] = (),
    near: Collection[str] = (),
) -> str:
    """The picture with the cells marked that can be clicked; all can be reached with the keyboard.

    >>> clickable('<g class="lb-cell" data-grid="0" data-cell="4">', ["0-4"], [])
    '<g class="lb-cell can" data-grid="0" data-cell="4" tabindex="-1" role="button">'
    """

    def mark(match: re.Match[str]) -> str:
        cell = f"{match[1]}-{match[2]}"
        marks = (("can", possible), ("near", near), ("picked", picked), ("hinted", hinted))
        kinds = [kind for kind, cells in marks if cell in cells]
        words = " ".join(["lb-cell", *kinds])
        return f'<g class="{words}" data-grid="{match[1]}" data-cell="{match[2]}" tabindex="-1" role="button">'

    return CELL.sub(mark, svg)
