"""The words in which a player hears of a game: the author's, or made-up ones."""

from __future__ import annotations

from random import Random
from typing import cast

from ludens.core import GroundTerm, Role
from ludens.gdl.rules import Rules
from ludens.gdl.scramble import scramble
from ludens.gdl.terms import Spelling, rename


class Language:
    """Translates between the words of a game and those that one player knows."""

    def __init__(self, rules: Rules, rng: Random | None = None) -> None:
        """The author's words, or words made up with `rng`."""
        scrambling = None if rng is None else scramble(rules, rng)
        told = scrambling.rules if scrambling else rules
        self._forward = scrambling.forward if scrambling else {}
        self._backward = scrambling.backward if scrambling else {}
        self.rules = told.to_kif()
        self.spelling: Spelling = told.spelling

    def role_name(self, role: Role) -> str:
        return self._forward.get(role.lower(), str(role))

    def told(self, term: GroundTerm) -> GroundTerm:
        """A term of the game as the player is told it."""
        return cast(GroundTerm, rename(term, self._forward)) if self._forward else term

    def understood(self, term: GroundTerm) -> GroundTerm:
        """What a player says, in the words of the game; words that it does not know stay."""
        return cast(GroundTerm, rename(term, self._backward)) if self._backward else term
