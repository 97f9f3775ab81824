"""Boards: drawing any state of any game from its rules.

`make_layout` analyses a game once, `draw` makes the `Picture` of a state, and `to_svg`, `to_html` and `to_text` render
it; `layout.moves` maps moves to cells. A `ProgressiveLayout` is ready at once and improves in the background.
"""

from ludens.boards.compose import draw, draw_common, draw_facts
from ludens.boards.hints import Hints
from ludens.boards.layout import BoardLayout, make_layout
from ludens.boards.moves import CellRef, MoveChoice, MoveMap
from ludens.boards.picture import Picture
from ludens.boards.progressive_layout import ProgressiveLayout
from ludens.boards.svg import to_html, to_svg
from ludens.boards.text import text_lines, to_text

__all__ = [
    "BoardLayout",
    "CellRef",
    "Hints",
    "MoveChoice",
    "MoveMap",
    "Picture",
    "ProgressiveLayout",
    "draw",
    "draw_common",
    "draw_facts",
    "make_layout",
    "text_lines",
    "to_html",
    "to_svg",
    "to_text",
]
