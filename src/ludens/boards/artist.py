"""States as text and HTML, for printing and notebooks."""

from __future__ import annotations

from functools import cached_property

from ludens.boards.compose import draw, draw_facts
from ludens.boards.facts_cache import bundled_facts
from ludens.boards.first_look import first_look
from ludens.boards.layout import BoardLayout, make_layout
from ludens.boards.picture import Picture
from ludens.boards.svg import to_html
from ludens.boards.text import to_text
from ludens.game import Game, State


class StateArtist:
    """Shows the states of one game: as text at once, in notebooks after an analysis of play."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._bundled = bundled_facts(game)

    @cached_property
    def _quick_layout(self) -> BoardLayout:
        """By bundled facts or the rules alone, so that a state is always printed in the same way."""
        return make_layout(self._game, self._bundled or first_look(self._game))

    @cached_property
    def _layout(self) -> BoardLayout:
        return make_layout(self._game)

    def quick_picture(self, state: State) -> Picture:
        """Return a picture within milliseconds; it shows whose turn it is only in bundled games."""
        if self._bundled:
            return draw(self._quick_layout, state)
        return draw_facts(self._quick_layout, state.terms)

    def text(self, state: State) -> str:
        return to_text(self.quick_picture(state))

    def html(self, state: State) -> str:
        return to_html(draw(self._layout, state))
