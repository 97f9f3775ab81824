"""Tables for relations that depend on themselves.

Each call of such a relation (a *goal*: relation and known arguments) has a table of answers. A
goal met again while it is being worked out gives the answers found so far, and the first goal of
such a loop is repeated until a round brings nothing new; then all goals of the loop are complete.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from ludens.errors import EvaluationLimitError, UnstratifiedError

MAX_ANSWERS = 50_000
MAX_DEPTH = 100

_NO_LOOP = 1 << 60


class Table:
    """The answers to one goal."""

    __slots__ = ("add", "answers", "complete", "depth", "low", "round")

    def __init__(self) -> None:
        self.answers: set[Any] = set()
        self.add: Callable[[Any], None] = self.answers.add
        self.complete = False
        self.depth = -1
        self.low = _NO_LOOP
        self.round = -1


class GrowingTable(Table):
    """For relations that build new terms out of old ones, which may have no end."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__()
        self.add = self._bounded_add

    def _bounded_add(self, answer: object) -> None:
        if answer in self.answers:
            return
        if len(self.answers) >= MAX_ANSWERS:
            raise EvaluationLimitError(f"a recursive relation that builds terms has more than {MAX_ANSWERS:,} facts")
        if _deeper(answer, MAX_DEPTH):
            raise EvaluationLimitError(f"a recursive relation builds terms nested more than {MAX_DEPTH} deep")
        self.answers.add(answer)


class Recursion:
    """The goals that are being worked out, from the outermost to the innermost."""

    __slots__ = ("_active", "_changes", "_last_round", "_provisional", "_round")

    def __init__(self) -> None:
        self._active: list[Table] = []
        self._provisional: list[Table] = []
        self._changes = 0
        self._round = 0
        self._last_round = 0

    def solve(self, table: Table, evaluate: Callable[..., None], args: tuple[Any, ...]) -> Collection[Any]:
        """The answers of a goal: all of them, or those known so far inside a loop.

        `evaluate(*args, add)` runs the rules once and adds what they give.
        """
        if table.depth >= 0:
            self._note(table.depth)
            return list(table.answers)
        if table.round == self._round:
            self._note(table.low)
            return list(table.answers)
        outer_round, mark = self._round, len(self._provisional)
        table.depth = len(self._active)
        self._active.append(table)
        try:
            looped = self._repeat(table, evaluate, args)
        finally:
            self._active.pop()
            depth, table.depth = table.depth, -1
            self._round = outer_round
        if looped and table.low < depth:
            table.round = outer_round
            self._provisional.append(table)
            self._note(table.low)
            return list(table.answers)
        table.complete = True
        for member in self._provisional[mark:]:
            member.complete = True
        del self._provisional[mark:]
        return table.answers

    def _repeat(self, table: Table, evaluate: Callable[..., None], args: tuple[Any, ...]) -> bool:
        """Run the rules until nothing changes; whether the goal met itself or an outer one."""
        while True:
            table.low = _NO_LOOP
            before, size = self._changes, len(table.answers)
            evaluate(*args, table.add)
            if len(table.answers) > size:
                self._changes += 1
            if table.low != table.depth:
                return table.low < table.depth
            if self._changes == before:
                return True
            self._last_round += 1
            self._round = self._last_round

    def _note(self, low: int) -> None:
        inner = self._active[-1]
        inner.low = min(inner.low, low)

    def check_complete(self, table: Table) -> None:
        """Called before an absence is concluded from this table."""
        if not table.complete:
            raise UnstratifiedError("a fact depends on its own absence: there is recursion through `not`")


def _deeper(term: object, depth: int) -> bool:
    if type(term) is not tuple:
        return False
    return depth == 0 or any(_deeper(part, depth - 1) for part in term)
