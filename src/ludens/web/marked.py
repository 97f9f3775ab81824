"""Marks on pictures that are drawn already: what can be clicked, and what was."""

from __future__ import annotations

import re
from collections.abc import Collection

CELL = re.compile(r'<g class="lb-cell" data-grid="(\d+)" data-cell="(\d+)">')


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
