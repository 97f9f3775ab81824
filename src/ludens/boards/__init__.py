"""Boards: finding them in the facts of any state, and drawing them as text."""

from ludens.boards.text import draw_text

__all__ = ["draw_text"]
