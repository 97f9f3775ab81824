"""Features in words."""

from __future__ import annotations

from ludens.analysis.boards import Board
from ludens.analysis.facts import GameFacts
from ludens.core import GroundTerm
from ludens.evaluation.features.feature_set import Feature
from ludens.evaluation.features.interpretations import Measure
from ludens.evaluation.features.patterns import Pattern
from ludens.gdl.terms import term_text

AXES = "XYZUVWABCDEFGH"
"""What coordinates are called, in their order."""
COUNT = "# "
"""How many of something there are."""
OPEN = "..."
"""Stands for what an expression leaves open."""


class Wording:
    """Says what features are, in the words of the author of the rules."""

    def __init__(self, facts: GameFacts) -> None:
        self._facts = facts

    def feature(self, feature: Feature, turned: bool = False) -> str:
        """Return what it counts or measures; a difference the other way round if `turned`."""
        if feature.minus is None:
            return self.measure(feature.measure)
        texts = [self.measure(part) for part in feature.parts]
        one, other = reversed(texts) if turned else texts
        return f"({one} - {other})"

    def measure(self, measure: Measure) -> str:
        pattern = measure.pattern
        if measure.interpretation == "partial":
            return f"share of {self._expression(pattern)} that is met"
        if measure.interpretation == "cardinality":
            return COUNT + self._counted(pattern)
        if measure.interpretation == "proximity":
            return self._distance(pattern).replace("distance", "proximity", 1).replace(" from ", " to ", 1)
        return self._distance(pattern)

    def expression(self, measure: Measure) -> str:
        """Return the expression that it reads a number off, as the rules have it."""
        return self._gdl(measure.pattern)

    def _counted(self, pattern: Pattern) -> str:
        board = self._board(pattern)
        if board is None:
            return self._expression(pattern)
        places = self._places(board, pattern)
        return self._things(board, pattern) + (f" where {places}" if places else "")

    def _distance(self, pattern: Pattern) -> str:
        counter = self._facts.counter
        if pattern.kind == "function" and counter and counter.signature == (pattern.name, len(pattern.arguments)):
            is_first = counter.facts[:1] == ((pattern.name, *pattern.arguments),)
            return "steps made" if is_first else f"steps left until {self._expression(pattern)}"
        board = self._board(pattern)
        if board is None or not (places := self._places(board, pattern)):
            return f"distance from {self._expression(pattern)}"
        return f"distance of {self._things(board, pattern)} from {places}"

    def _board(self, pattern: Pattern) -> Board | None:
        """Return the board on which an expression names things and places; None if it compares them with each other."""
        if pattern.kind != "function" or _has_equals(pattern):
            return None
        board = self._facts.board((pattern.name, len(pattern.arguments)))
        return None if board is None or board.content_order else board

    def _things(self, board: Board, pattern: Pattern) -> str:
        """Return what lies on the board, and on which board."""
        contents = [pattern.arguments[place] for place in board.content_arguments]
        fixed = [self._text(word) for word in contents if not isinstance(word, int)]
        largest = max(self._facts.boards, key=lambda other: other.places)
        named = [self._text(pattern.name)] if board is not largest or not fixed else []
        things = " ".join(named + fixed)
        selectors = [pattern.arguments[axis.argument] for axis in board.selectors]
        boards = [self._text(word) for word in selectors if not isinstance(word, int)]
        return things + (f" of {' '.join(boards)}" if boards else "")

    def _places(self, board: Board, pattern: Pattern) -> str:
        fixed = [
            f"{name} = {self._text(word)}"
            for axis, name in zip(board.axes, AXES, strict=False)
            if not isinstance(word := pattern.arguments[axis.argument], int)
        ]
        return " and ".join(fixed)

    def _expression(self, pattern: Pattern) -> str:
        """Its words, without what it leaves open at the end: `safe red` for `(safe red ?1 ?2)`."""
        if _has_equals(pattern):
            return self._gdl(pattern)
        arguments = list(pattern.arguments)
        while arguments and isinstance(arguments[-1], int):
            arguments.pop()
        words = (OPEN if isinstance(argument, int) else self._text(argument) for argument in arguments)
        return " ".join([self._text(pattern.name), *words])

    def _gdl(self, pattern: Pattern) -> str:
        if not pattern.arguments:
            return self._text(pattern.name)
        numbers = {argument: f"?{place + 1}" for place, argument in reversed([*enumerate(pattern.arguments)])}
        words = (numbers[one] if isinstance(one, int) else self._text(one) for one in pattern.arguments)
        return f"({' '.join([self._text(pattern.name), *words])})"

    def _text(self, term: GroundTerm) -> str:
        return term_text(term, self._facts.spelling)


def _has_equals(pattern: Pattern) -> bool:
    """Return whether a variable stands at two places."""
    variables = [argument for argument in pattern.arguments if isinstance(argument, int)]
    return len(set(variables)) < len(variables)
