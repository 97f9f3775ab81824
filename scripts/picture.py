"""Draw `docs/tictactoe.svg`: a terminal in which two players play a match of tic-tac-toe.

The picture is made from what the command really prints. It names only fonts that machines have and loads
nothing from outside, so it looks the same everywhere and tells no one who looks at it.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

COMMAND = ("play", "tictactoe", "--watch", "--seed", "1")
PICTURE = Path(__file__).resolve().parent.parent / "docs" / "tictactoe.svg"
WIDTH = 48
LAST_PARTS = 3
TEMPLATE = """\
<svg class="{unique_id}" width="{width}" height="{height}" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
    font-family: ui-monospace, "DejaVu Sans Mono", "Cascadia Mono", Menlo, Consolas, monospace;
    font-size: {char_height}px;
    line-height: {line_height}px;
    white-space: pre;
    font-variant-east-asian: full-width;
}}
.{unique_id}-title {{
    font-size: 18px;
    font-weight: bold;
    font-family: ui-sans-serif, system-ui, sans-serif;
}}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix" xml:space="preserve">
{matrix}
</g>
</g>
</svg>
"""


def printed_in_colour() -> str:
    """What the command prints at a terminal with colours."""
    settings = {**os.environ, "FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": str(WIDTH), "PYTHONUTF8": "1"}
    settings["TTY_INTERACTIVE"] = "0"  # no moving parts
    settings.pop("NO_COLOR", None)
    command = [sys.executable, "-m", "ludens", *COMMAND, "--no-keep"]  # where a match is kept changes from run to run
    return subprocess.run(
        command, env=settings, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    ).stdout


def shortened(ansi: str) -> str:
    """The beginning and the last moves of the match; three dots stand for the others."""
    parts = ansi.rstrip().split("\n\n")
    return "\n\n".join([*parts[:1], "⋮", *parts[-LAST_PARTS:]])


def draw(ansi: str) -> str:
    """The terminal as SVG."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text.from_ansi(f"$ ludens {' '.join(COMMAND)}\n{shortened(ansi)}"))
    return console.export_svg(title="ludens", code_format=TEMPLATE, unique_id="ludens")


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE
    target.write_text(draw(printed_in_colour()), encoding="utf-8")
    print(f"wrote {target.name}, {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
