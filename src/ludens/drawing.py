"""Minimal SVG drawing for charts, in colours that suit a light and a dark page."""

from __future__ import annotations

import math
from pathlib import Path
from xml.sax.saxutils import escape

FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"
STYLE = f"""
  svg {{ font-family: {FONT}; }}
  .page {{ fill: #ffffff; }} .ink {{ fill: #1f2328; }} .faint {{ fill: #59636e; }}
  .grid {{ stroke: #d8dee4; }} .trend {{ stroke: #59636e; stroke-dasharray: 5 4; }}
  .c0 {{ fill: #d9480f; }} .c1 {{ fill: #f4b183; }} .c2 {{ fill: #7a8794; }} .c3 {{ fill: #3b82c4; }}
  @media (prefers-color-scheme: dark) {{
    .page {{ fill: #0d1117; }} .ink {{ fill: #e6edf3; }} .faint {{ fill: #9198a1; }}
    .grid {{ stroke: #30363d; }} .trend {{ stroke: #9198a1; }}
    .c0 {{ fill: #ff7b3d; }} .c1 {{ fill: #8f5534; }} .c2 {{ fill: #6e7b88; }} .c3 {{ fill: #58a6ff; }}
  }}
"""


class Drawing:
    """Shapes by the pixel, collected and written as one SVG file. Classes name the colours of the style above."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self._parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
            f'width="{width:.0f}" height="{height:.0f}" role="img">',
            f"<title>{escape(title)}</title><style>{STYLE}</style>",
        ]
        self.bar(0, 0, width, height, "page", rounding=8)

    def text(self, x: float, y: float, words: str, size: float = 11, anchor: str = "start", kind: str = "ink") -> None:
        self._parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" class="{kind}">'
            f"{escape(words)}</text>"
        )

    def bar(self, x: float, y: float, width: float, height: float, kind: str, rounding: float = 1) -> None:
        self._parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{rounding}" class="{kind}"/>'
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str = "grid") -> None:
        self._parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>')

    def dot(self, x: float, y: float, radius: float, kind: str, label: str) -> None:
        """Add a dot that shows its label when pointed at."""
        self._parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill-opacity="0.75" class="{kind}">'
            f"<title>{escape(label)}</title></circle>"
        )

    def write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join([*self._parts, "</svg>"]) + "\n", encoding="utf-8")


class LogScale:
    """From values to pixels along a logarithmic axis that begins and ends at powers of ten."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self._low, self._high = math.floor(math.log10(low)), math.ceil(math.log10(high))
        if self._low == self._high:
            self._high += 1
        self._start, self._end = start, end

    def __call__(self, value: float) -> float:
        part = (math.log10(value) - self._low) / (self._high - self._low)
        return self._start + part * (self._end - self._start)

    def ticks(self) -> list[float]:
        return [10.0**power for power in range(self._low, self._high + 1)]


def short(value: float) -> str:
    """Return a number in three digits at most, with a unit prefix.

    >>> [short(value) for value in (0.52, 7.4, 262, 12_345, 9_996_000, 27e6, 1e9)]
    ['0.5', '7.4', '262', '12k', '10M', '27M', '1G']
    """
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= 0.9995 * size:
            return _digits(value / size) + letter
    return _digits(value)


def _digits(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0") if value < 9.95 else f"{value:.0f}"
