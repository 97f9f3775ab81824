"""Colours that go together on light and dark pages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ludens.boards.picture import Paint

ROLE_COLOURS = ("#d6453d", "#2f6fd0", "#2f9e5b", "#e3a008", "#8a4fc7", "#149ca3", "#d9589b", "#8b5e3c")
"""One for each role; after so many they begin again."""
NEUTRAL_COLOURS = ("#6b7683", "#8d7b64", "#5f7f76", "#83698a", "#77793f", "#4f6d8f")
"""For things that belong to nobody."""
NAMED_COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "white": "#f7f6f2", "black": "#2b2d31", "red": "#d6453d", "blue": "#2f6fd0", "green": "#2f9e5b",
        "yellow": "#f0c22b", "orange": "#e8790c", "purple": "#8a4fc7", "violet": "#8a4fc7", "pink": "#e58ab8",
        "magenta": "#d9589b", "cyan": "#2fb5c9", "teal": "#149ca3", "brown": "#8b5e3c", "grey": "#8b949e",
        "gray": "#8b949e", "gold": "#d9a514", "silver": "#b8c0c8",
    }
)  # fmt: skip
"""What people mean by the words for colours."""


def paint(colour: str) -> Paint:
    """A colour with an edge that can be told from it, and with an ink that can be read on it."""
    light = luminance(colour)
    edge = _mixed(colour, "#000000", 0.45) if light > 0.12 else _mixed(colour, "#ffffff", 0.5)
    return Paint(colour, edge, "#ffffff" if light < 0.36 else "#1f2328")


def role_paint(role: int) -> Paint:
    return paint(ROLE_COLOURS[role % len(ROLE_COLOURS)])


def neutral_paint(number: int) -> Paint:
    return paint(NEUTRAL_COLOURS[number % len(NEUTRAL_COLOURS)])


def is_neutral(colours: Paint) -> bool:
    return colours.fill in NEUTRAL_COLOURS


def is_colourful(colour: str) -> bool:
    """Whether a colour is more than white, grey or black."""
    parts = _parts(colour)
    return max(parts) - min(parts) > 60


def luminance(colour: str) -> float:
    """How light a colour is, from 0 to 1.

    >>> luminance("#ffffff"), luminance("#000000")
    (1.0, 0.0)
    """
    red, green, blue = (_linear(part / 255) for part in _parts(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def _parts(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[start : start + 2], 16) for start in (1, 3, 5))


def _mixed(colour: str, other: str, part: float) -> str:
    pairs = zip(_parts(colour), _parts(other), strict=True)
    return "#" + "".join(f"{round(one + part * (two - one)):02x}" for one, two in pairs)
