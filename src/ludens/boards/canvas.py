"""The canvas of SVG pictures: the parts so far, and their extent."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.sax import saxutils

from ludens.printable import printable

MARGIN = 12.0
LINE = 19.0
"""From one line of text to the next."""


def escape(text: str) -> str:
    """Return text that XML can hold."""
    return saxutils.escape(printable(text))


def text_width(words: str, size: float) -> float:
    """Return the approximate width of a text."""
    wide, narrow = sum(letter in "mwMW@%" for letter in words), sum(letter in "fijlrtI.,:;'|() " for letter in words)
    return size * (0.6 * len(words) + 0.35 * wide - 0.22 * narrow)


def shortened(text: str, letters: int) -> str:
    return text if len(text) <= letters else text[: letters - 1] + "…"


@dataclass
class Canvas:
    """The parts drawn so far, and how far they reach to the right."""

    parts: list[str] = field(default_factory=list)
    right: float = 0.0

    def add(self, part: str) -> None:
        self.parts.append(part)

    def shift(self, x: float) -> None:
        """Move everything to the right."""
        if self.parts and x > 1:
            self.parts = [f'<g transform="translate({x:.1f} 0)">', *self.parts, "</g>"]
            self.right += x

    def reach(self, x: float) -> None:
        self.right = max(self.right, x)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        kind: str = "lb-ink",
        size: float = 13,
        anchor: str = "start",
        more: str = "",
    ) -> None:
        self.add(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" text-anchor="{anchor}" class="{kind}"{more}>'
            f"{escape(words)}</text>"
        )
        if anchor == "start":
            self.reach(x + text_width(words, size))

    def rect(self, x: float, y: float, width: float, height: float, kind: str, more: str = "", rx: float = 0) -> None:
        """Draw a rectangle with its upper left corner at a point."""
        round_corners = f' rx="{rx:g}"' if rx else ""
        self.add(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"{round_corners} '
            f'class="{kind}"{more}/>'
        )

    def circle(self, x: float, y: float, radius: float, kind: str, more: str = "") -> None:
        self.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" class="{kind}"{more}/>')

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        self.add(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>')
