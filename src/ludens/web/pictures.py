"""Pictures of states for the pages: SVG whose cells can be clicked, and the moves that belong to them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape

from ludens.analysis.facts import GameFacts
from ludens.boards import BoardLayout, Picture, ProgressiveLayout, draw, draw_common, draw_facts, to_svg
from ludens.boards.moves import CellRef
from ludens.boards.svg import EDGE, MARGIN, UNIT
from ludens.core import Move, Role
from ludens.errors import LudensError
from ludens.game import Game, State
from ludens.gdl.terms import natural_key, term_text
from ludens.runtime.deadline import Deadline

FACTS_SECONDS = 10.0
"""How long somebody waits who asks for the structure of a game."""
MAX_SVG_CHARACTERS = 1_500_000
"""A picture that is larger is not sent to the browser."""
COLOURS = ("#c0392b", "#2f6fb3", "#2e8b57", "#c98a1b", "#7d4fa3", "#3c8d93")

VIEW = re.compile(r'viewBox="0 0 (\d+) (\d+)" width="\d+" height="\d+"')
HEAD = 30.0
"""Where roles are written above the boards."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A legal move, in words, and what to click for it one after the other."""

    label: str
    steps: tuple[tuple[str, ...], ...]
    """For each step the cells that mean it, as `grid-cell`."""
    near: tuple[str, ...] = ()
    """More cells that can only mean this move: the rest of the column into which something falls."""


class PageArtist:
    """Draws the states of one game; a game that cannot be drawn is shown as text.

    A game that nobody has drawn before is drawn at once as well as can be, and better after a `refresh`.
    """

    def __init__(self, game: Game) -> None:
        self._game = game

    @cached_property
    def _layouts(self) -> ProgressiveLayout | None:
        try:
            return ProgressiveLayout(self._game)
        except LudensError:
            return None

    @property
    def facts(self) -> GameFacts | None:
        """What is known about the structure of the game, after some seconds at most."""
        return self._layouts.best(Deadline(FACTS_SECONDS)).facts if self._layouts else None

    @property
    def layout(self) -> BoardLayout | None:
        return self._layouts.layout if self._layouts else None

    @property
    def is_final(self) -> bool:
        """Whether the game will be drawn no better later."""
        return self._layouts is None or self._layouts.is_final

    def refresh(self) -> bool:
        """Draw by what was found out about the game meanwhile; whether cells are others from now on."""
        return self._layouts is not None and self._layouts.refresh()

    def close(self) -> None:
        """Stop looking at the game, if that was begun."""
        layouts: ProgressiveLayout | None = vars(self).get("_layouts")
        if layouts:
            layouts.close()

    def svg(
        self,
        states: Sequence[State],
        last: Mapping[Role, Move] | None = None,
        before: State | None = None,
        *,
        boards_only: bool = False,
    ) -> str:
        """A state, or what several states that are possible have in common; roles are left to the page."""
        if self.layout is None:
            return _text(str(states[0]) if len(states) == 1 else _shared_facts(states))
        picture = draw(self.layout, states[0], last, before) if len(states) == 1 else draw_common(self.layout, states)
        picture = replace(picture, roles=(), over=False)
        if boards_only and picture.grids:
            picture = replace(picture, panels=(), facts=())
        svg = _trimmed(to_svg(picture), picture)
        if not picture.grids:
            svg = svg.replace('class="lb"', 'class="lb plain"', 1)
        return svg if len(svg) <= MAX_SVG_CHARACTERS else _text("this state is too large to be drawn")

    def choices(self, state: State, role: Role) -> list[Choice]:
        """The legal moves of a role, in the order of the rules."""
        if self.layout is None:
            return self.named_choices(state.legal_moves(role))
        moves = self.layout.moves
        found = moves.choices(state, role)
        named = [_single(moves.steps(choice.move.term)) if len(choice.steps) == 1 else frozenset() for choice in found]
        taken = frozenset(cell for choice in found for step in choice.steps for cell in step)
        wanted = Counter(cell for cells in named for cell in cells)
        return [
            Choice(
                choice.label,
                _cell_names(choice.steps),
                tuple(_cell_name(cell) for cell in sorted(cells - taken) if wanted[cell] == 1),
            )
            for choice, cells in zip(found, named, strict=True)
        ]

    def named_choices(self, moves: Sequence[Move]) -> list[Choice]:
        """Moves with the cells that their own words name: no state is looked at, so they tell nothing about it."""
        steps = [self.layout.moves.steps(move.term) if self.layout else () for move in moves]
        return [Choice(words(move), _cell_names(named)) for move, named in zip(moves, steps, strict=True)]

    def colours(self) -> list[str]:
        """One for each role."""
        count = len(self._game.player_roles)
        drawn: list[str] = []
        if self.layout:
            picture = draw_facts(self.layout, self._game.initial_state().terms)
            drawn = [role.paint.fill for role in picture.roles][:count]
        return drawn + [COLOURS[number % len(COLOURS)] for number in range(len(drawn), count)]


def _single(steps: Sequence[frozenset[CellRef]]) -> frozenset[CellRef]:
    """The cells of a move that names but one place."""
    return steps[0] if len(steps) == 1 else frozenset()


def _cell_names(steps: Sequence[frozenset[CellRef]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(map(_cell_name, sorted(step))) for step in steps)


def _cell_name(cell: CellRef) -> str:
    return f"{cell.grid}-{cell.cell}"


def words(move: str) -> str:
    """A move without the outer parentheses."""
    return move[1:-1] if move.startswith("(") else str(move)


def _trimmed(svg: str, picture: Picture) -> str:
    """The picture without the room for the roles above it, and with a small board in its middle."""

    def view(match: re.Match[str]) -> str:
        width, height = float(match[1]), float(match[2])
        if len(picture.grids) == 1 and not picture.panels and not picture.facts:
            width = MARGIN + EDGE + UNIT * picture.grids[0].plan.size[0] + MARGIN
        return (
            f'viewBox="0 {HEAD:.0f} {width:.0f} {height - HEAD:.0f}" width="{width:.0f}" height="{height - HEAD:.0f}"'
        )

    return VIEW.sub(view, svg, count=1)


def _shared_facts(states: Sequence[State]) -> str:
    shared = frozenset.intersection(*(state.terms for state in states))
    return "\n".join(map(term_text, sorted(shared, key=natural_key)))


def _text(text: str) -> str:
    return f'<pre class="board-text">{escape(text)}</pre>'
