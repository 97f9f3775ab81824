"""Pictures of states for the commands: in colour on the terminal, or written to a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import typer
from rich.text import Text

from ludens.boards import Hints, Picture, ProgressiveLayout, draw, draw_common, text_lines, to_html, to_svg, to_text
from ludens.boards.palette import is_colourful
from ludens.boards.text import Segment
from ludens.cli.files import replace_file
from ludens.core import Move, Role
from ludens.errors import HintError
from ludens.game import Game, State
from ludens.runtime.deadline import Deadline

STYLES = {"plain": "", "faint": "dim", "thing": "bold"}
LAST = " underline"


class TerminalArtist:
    """Draws the states of one game."""

    def __init__(self, layouts: ProgressiveLayout) -> None:
        self._layouts = layouts

    @classmethod
    def of(cls, game: Game, hints: Path | None = None) -> TerminalArtist:
        """Return an artist for a game, with the hints of a file or those that come with the game."""
        return cls(ProgressiveLayout(game, None if hints is None else _read_hints(hints)))

    def wait(self, deadline: Deadline) -> None:
        """Analyse the game until the deadline, for the best picture."""
        self._layouts.best(deadline)

    def picture(self, state: State, before: State | None = None, last: Mapping[Role, Move] | None = None) -> Picture:
        self._layouts.refresh()
        return draw(self._layouts.layout, state, last, before)

    def text(self, state: State, before: State | None = None, last: Mapping[Role, Move] | None = None) -> Text:
        """Return the state as text for the terminal, in colour where it has colours."""
        return terminal_text(self.picture(state, before, last))

    def common_text(self, states: Sequence[State]) -> Text:
        """Return as text what is certain where any of some states may be the true one."""
        self._layouts.refresh()
        return terminal_text(draw_common(self._layouts.layout, states))

    def write(self, path: Path, state: State, before: State | None = None) -> None:
        """Write the picture as the ending of the file's name says."""
        writers = {".svg": to_svg, ".html": to_html, ".txt": to_text}
        replace_file(path, (writers[path.suffix.lower()](self.picture(state, before)) + "\n").encode())


def terminal_text(picture: Picture) -> Text:
    """A picture in colours that the terminal can show."""
    text = Text()
    for number, line in enumerate(text_lines(picture)):
        text.append("\n" if number else "")
        for segment in line:
            text.append(segment.text, _style(segment))
        text.rstrip()
    return text


def check_ending(path: Path) -> None:
    """A usage error if the name of a file does not say what to write."""
    if path.suffix.lower() not in (".svg", ".html", ".txt"):
        raise typer.BadParameter(f"{path} has to end in .svg, .html or .txt", param_hint="--output")


def _read_hints(path: Path) -> Hints:
    try:
        return Hints.from_toml(path.read_text(encoding="utf-8"), str(path))
    except UnicodeDecodeError:
        raise HintError(f"{path} is no text in UTF-8; write it as TOML") from None


def _style(segment: Segment) -> str:
    """White and black are left to the terminal, which may have either as its background."""
    colour = f" {segment.colour}" if segment.colour and is_colourful(segment.colour) else ""
    return STYLES[segment.style] + colour + (LAST if segment.last else "")
