"""The colours and shapes of things: colours that go together on light and dark pages, and shapes as SVG paths.

A shape is a path in a square from -50 to 50. All are drawn for this project.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, pi, sin
from types import MappingProxyType

from ludens.boards.picture import Paint

ROLE_COLOURS = ("#d6453d", "#2f6fd0", "#2f9e5b", "#e3a008", "#8a4fc7", "#149ca3", "#d9589b", "#8b5e3c")
"""The colours of roles, repeated for further roles."""
NEUTRAL_COLOURS = ("#6b7683", "#8d7b64", "#5f7f76", "#83698a", "#77793f", "#4f6d8f")
"""The colours of things that belong to no role."""
NAMED_COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "white": "#f7f6f2", "black": "#2b2d31", "red": "#d6453d", "blue": "#2f6fd0", "green": "#2f9e5b",
        "yellow": "#f0c22b", "orange": "#e8790c", "purple": "#8a4fc7", "violet": "#8a4fc7", "pink": "#e58ab8",
        "magenta": "#d9589b", "cyan": "#2fb5c9", "teal": "#149ca3", "brown": "#8b5e3c", "grey": "#8b949e",
        "gray": "#8b949e", "gold": "#d9a514", "silver": "#b8c0c8",
    }
)  # fmt: skip
"""The colours by their names."""


def paint(colour: str) -> Paint:
    """Return a colour with a visible edge and a readable ink."""
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
    """Return whether a colour is more than white, grey or black."""
    parts = _parts(colour)
    return max(parts) - min(parts) > 60


def luminance(colour: str) -> float:
    """Return the luminance of a colour, from 0 to 1.

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


# -- shapes ------------------------------------------------------------------------------------


def _polygon(corners: int, radius: float, turned: float = 0.0, inner: float | None = None) -> str:
    """Return a regular polygon that stands on its edge or tip; a star with an inner radius."""
    count = corners if inner is None else 2 * corners
    radii = [radius if inner is None or number % 2 == 0 else inner for number in range(count)]
    points = [
        (r * sin(2 * pi * (number + turned) / count), -r * cos(2 * pi * (number + turned) / count))
        for number, r in enumerate(radii)
    ]
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + "Z"


def _circle(radius: float) -> str:
    return f"M0 {-radius}A{radius} {radius} 0 1 1 0 {radius}A{radius} {radius} 0 1 1 0 {-radius}Z"


def _foot(y: float, half: float) -> str:
    """Return the foot of a chess piece."""
    return f"M{-half} 40V{y + 3}Q{-half} {y} {-half + 4} {y}H{half - 4}Q{half} {y} {half} {y + 3}V40Z"


_TOWER_FOOT = _foot(28, 28)

SHAPES: Mapping[str, str] = MappingProxyType(
    {
        "none": "",
        "disc": _circle(36),
        "square": "M-32 -28Q-32 -32 -28 -32H28Q32 -32 32 -28V28Q32 32 28 32H-28Q-32 32 -32 28Z",
        "triangle": "M0 -40L38 32H-38Z",
        "diamond": _polygon(4, 42),
        "hexagon": _polygon(6, 39),
        "star": _polygon(5, 44, inner=19),
        "pentagon": _polygon(5, 40),
        "shield": "M-32 -34H32V4Q32 30 0 42Q-32 30 -32 4Z",
        "drop": "M0 -42Q30 -6 30 12A30 30 0 0 1 -30 12Q-30 -6 0 -42Z",
        "block": "M-38 -32Q-38 -38 -32 -38H32Q38 -38 38 -32V32Q38 38 32 38H-32Q-38 38 -38 32Z",
        "tile": "M-43 -37Q-43 -43 -37 -43H37Q43 -43 43 -37V37Q43 43 37 43H-37Q-43 43 -43 37Z",
        "full": "M-50 -50H50V50H-50Z",
        "coin": _circle(36) + "M0 -29A29 29 0 1 0 0 29A29 29 0 1 0 0 -29Z" + _circle(26),
        "crown": _circle(38) + "M-22 18V-14L-10 0L0 -20L10 0L22 -14V18Z",
        "key": "M-20 -20A18 18 0 0 1 11 -8H42V20H34V6H26V16H18V6H11A18 18 0 1 1 -20 -20Z"
        "M-6 -8A8 8 0 1 0 -6 8A8 8 0 1 0 -6 -8Z",
        "dot": _circle(18),
        "ring": _circle(36) + "M0 -22A22 22 0 1 0 0 22A22 22 0 1 0 0 -22Z",
        "cross": "M-36 -26L-26 -36L0 -10L26 -36L36 -26L10 0L36 26L26 36L0 10L-26 36L-36 26L-10 0Z",
        "plus": "M-9 -38H9V-9H38V9H9V38H-9V9H-38V-9H-9Z",
        "bar": "M-42 -8H42V8H-42Z",
        "post": "M-8 -42H8V42H-8Z",
        "arrow": "M-8 40V-8H-28L0 -42L28 -8H8V40Z",
        "heart": "M0 40C-60 -2 -34 -42 -14 -36Q-4 -33 0 -22Q4 -33 14 -36C34 -42 60 -2 0 40Z",
        "pawn": _TOWER_FOOT
        + "M0 -38A15 15 0 0 1 9 -11H14V-5H8Q8 14 20 26H-20Q-8 14 -8 -5H-14V-11H-9A15 15 0 0 1 0 -38Z",
        "rook": _TOWER_FOOT + "M-25 -38H-14V-30H-6V-38H6V-30H14V-38H25V-22L17 -16V16L22 26H-22L-17 16V-16L-25 -22Z",
        "bishop": _TOWER_FOOT
        + "M0 -44A5 5 0 0 1 4 -36Q20 -24 17 -8Q15 2 9 6H15V12H8Q9 20 18 26H-18Q-9 20 -8 12H-15V6H-9Q-15 2 -17 -8"
        "Q-20 -24 -4 -36A5 5 0 0 1 0 -44Z",
        "knight": _TOWER_FOOT
        + "M-14 -40L-6 -34Q24 -34 26 4Q26 16 22 26H-20Q-20 12 -6 4Q2 -2 2 -10Q-6 -6 -12 -6L-20 2L-30 -4L-28 -12"
        "L-16 -26Z",
        "queen": _TOWER_FOOT
        + "M-34 -28A5 5 0 0 1 -29 -22L-18 -4L-15 -31A5 5 0 0 1 -8 -31L0 -6L8 -31A5 5 0 0 1 15 -31L18 -4L29 -22"
        "A5 5 0 0 1 34 -28A5 5 0 0 1 32 -19L21 26H-21L-32 -19A5 5 0 0 1 -34 -28Z",
        "king": _TOWER_FOOT
        + "M-4 -46H4V-40H10V-33H4V-26Q8 -22 6 -17Q14 -26 25 -22Q38 -14 30 2L21 26H-21L-30 2Q-38 -14 -25 -22"
        "Q-14 -26 -6 -17Q-8 -22 -4 -26V-33H-10V-40H-4Z",
    }
)
"""The path of each shape."""

OF_ROLES = ("disc", "square", "triangle", "diamond", "hexagon", "star", "shield", "pentagon", "drop")
"""The shapes of things that belong to roles, for the most frequent kind first."""
OF_NOBODY = ("block", "hexagon", "diamond", "shield", "drop", "triangle", "pentagon", "star")
"""The shapes of other things."""
