"""Random variables in moves: as players make them, as chance draws them, and as they are announced."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from ludens.core import Move, Role
from ludens.errors import IllegalMoveError, MissingMoveError, PlayError
from ludens.gdl.keywords import CHANCE
from ludens.gdl.rules import Rules
from ludens.gdl.terms import GroundTerm, Term, term_text

NOTHING = "nothing"
"""The move of chance where nothing is to be drawn."""

Outcomes: TypeAlias = Mapping[str, GroundTerm]
"""The outcomes that were drawn, by the names of the variables."""
Draw: TypeAlias = tuple[GroundTerm, Outcomes]
"""A move of chance and its outcomes."""


@dataclass(frozen=True)
class Chance:
    """The random variables of a sheet.

    Players make `(roll dice)`, the role `random` draws `(dice 6)`, and `(roll 6)` is announced.
    """

    variables: tuple[str, ...]
    """Those that moves mention, in the order of their definitions."""
    joint_name: str
    """The function that joins the units of several variables in one move of chance."""
    max_draws: int
    """An upper bound on the different moves of chance, in all states together."""
    rules: Rules
    """The equivalent rules, with chance as the role `random`."""

    def outcomes(self, draw: GroundTerm) -> dict[str, GroundTerm]:
        """Return the outcomes of a move of chance; raise PlayError if it has not the form of one.

        >>> chance = Chance(("dice", "coin"), "draw", 20, Rules([]))
        >>> chance.outcomes(("dice", "6"))
        {'dice': '6'}
        >>> chance.outcomes(("draw", ("dice", "6", "2"), ("coin", "head")))
        {'dice': '6', 'coin': 'head'}
        """
        if draw == NOTHING:
            return {}
        units = draw[1:] if draw[0] == self.joint_name else (draw,)
        found = {str(unit[0]): unit[1] for unit in units if isinstance(unit, tuple) and len(unit) > 1}
        if len(found) < len(units) or not found.keys() <= set(self.variables):
            spelling = self.rules.spelling
            which = ", ".join(spelling.get(name, name) for name in self.variables)
            raise PlayError(f"{term_text(draw, spelling)} draws no outcomes of {which}; legal_moves lists what does")
        return found

    def announced(self, move: GroundTerm, outcomes: Outcomes) -> GroundTerm:
        """Return the move with outcomes in place of the variables; those that were not drawn stay."""
        if isinstance(move, str):
            return outcomes.get(move, move)
        return (move[0], *(self.announced(part, outcomes) for part in move[1:]))

    def played(
        self, announcement: Mapping[Role, GroundTerm], legal: Mapping[Role, Sequence[Move]], draws: Sequence[Move]
    ) -> list[GroundTerm]:
        """Return legal moves of the players, and a move of chance as the last, that are announced in this way.

        Raise IllegalMoveError or MissingMoveError if there are none. Several of them lead to the same state, since
        rules see only what is announced.
        """
        drawn = [(draw.term, self.outcomes(draw.term)) for draw in draws]
        if len(drawn) == 1:
            announcement = {role: self.announced(term, drawn[0][1]) for role, term in announcement.items()}
        found = self._first(announcement, legal, drawn)
        if found is None:
            raise self._error(announcement, legal, draws)
        return found

    def _first(
        self, announcement: Mapping[Role, GroundTerm], legal: Mapping[Role, Sequence[Move]], drawn: Sequence[Draw]
    ) -> list[GroundTerm] | None:
        readings = [
            [(move.term, found) for move in legal[role] if (found := self.outcomes_in(term, move.term)) is not None]
            for role, term in announcement.items()
        ]
        for choice in product(*readings):
            wanted = {item for _, outcomes in choice for item in outcomes.items()}
            for draw, outcomes in drawn:
                if wanted <= outcomes.items():
                    return [*(move for move, _ in choice), draw]
        return None

    def _error(
        self, announcement: Mapping[Role, GroundTerm], legal: Mapping[Role, Sequence[Move]], draws: Sequence[Move]
    ) -> PlayError:
        """Return the error in the moves of one role, or in the combination of several."""
        spelling = self.rules.spelling
        for term in announcement.values():
            if missing := [spelling.get(name, name) for name in self.variables if name in self._mentioned(term)]:
                what = f"the outcome of {' and '.join(missing)} is missing in {term_text(term, spelling)}"
                return MissingMoveError(f"{what}; give the move with the outcome, or the move of {CHANCE} too")
        drawn = [(draw.term, self.outcomes(draw.term)) for draw in draws]
        for role, term in announcement.items():
            if self._first({role: term}, legal, drawn) is None:
                possible = [term_text(form, spelling) for form in self.forms(legal[role], draws)]
                return IllegalMoveError(role, term_text(term, spelling), possible)
        return self._contradiction(announcement, legal)

    def _contradiction(
        self, announcement: Mapping[Role, GroundTerm], legal: Mapping[Role, Sequence[Move]]
    ) -> PlayError:
        """Return the error of moves that are possible alone, but give one variable two values together."""
        spelling, known = self.rules.spelling, dict[str, tuple[Role, GroundTerm]]()
        for role, term in announcement.items():
            readings = (self.outcomes_in(term, move.term) for move in legal[role])
            for name, outcome in next(reading for reading in readings if reading is not None).items():
                other, before = known.setdefault(name, (role, outcome))
                if before != outcome:
                    both = f"{term_text(before, spelling)} and {term_text(outcome, spelling)}"
                    what = f"the moves of {other} and {role} cannot be announced together"
                    return PlayError(f"{what}: {spelling.get(name, name)} would be both {both}")
        return PlayError(f"the moves of {', '.join(announcement)} cannot be announced together")

    def forms(self, moves: Iterable[Move], draws: Iterable[Move]) -> tuple[GroundTerm, ...]:
        """Return the moves with all outcomes they can have, each once."""
        drawn = [self.outcomes(draw.term) for draw in draws]
        return tuple(dict.fromkeys(self.announced(move.term, outcomes) for move in moves for outcomes in drawn))

    def _mentioned(self, move: GroundTerm) -> frozenset[str]:
        return frozenset(random_words(move, self.variables))

    def outcomes_in(self, announcement: GroundTerm, move: GroundTerm) -> dict[str, GroundTerm] | None:
        """Return the outcomes with which a move is announced in this form; None if it cannot be."""
        found: dict[str, GroundTerm] = {}
        waiting = [(announcement, move)]
        while waiting:
            one, other = waiting.pop()
            if isinstance(other, str) and other in self.variables:
                if found.setdefault(other, one) != one:
                    return None
            elif isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other) and one[0] == other[0]:
                waiting.extend(zip(one[1:], other[1:], strict=True))
            elif one != other:
                return None
        return found


def random_words(term: Term, names: Collection[str]) -> Iterator[str]:
    """Yield the random variables in a term, with repetitions; the name of a function is none."""
    if isinstance(term, tuple):
        for part in term[1:]:
            yield from random_words(part, names)
    elif term in names:
        yield str(term)
