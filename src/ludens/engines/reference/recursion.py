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

    __slots__ = ("add", "answers", "changes", "complete", "depth", "low", "mark", "outer_round", "round", "size")

    def __init__(self, goal: object) -> None:
        self.answers: set[Any] = set()
        self.add: Callable[[Any], None] = self.answers.add
        self.complete = False
        self.depth = -1
        self.low = _NO_LOOP
        self.round = self.outer_round = -1
        self.mark = self.size = self.changes = 0


class GrowingTable(Table):
    """For relations that build new terms out of old ones, which may have no end."""

    __slots__ = ()

    def __init__(self, goal: object) -> None:
        super().__init__(goal)
        self.add = self._bounded_add
        self._check_depth(goal)

    def _bounded_add(self, answer: object) -> None:
        if answer in self.answers:
            return
        if len(self.answers) >= MAX_ANSWERS:
            raise EvaluationLimitError(f"a recursive relation that builds terms has more than {MAX_ANSWERS:,} facts")
        self._check_depth(answer)
        self.answers.add(answer)

    def _check_depth(self, term: object) -> None:
        if _deeper(term, MAX_DEPTH):
            raise EvaluationLimitError(f"a recursive relation builds terms nested more than {MAX_DEPTH} deep")


class Recursion:
    """The goals that are being worked out, from the outermost to the innermost.

    A generated function calls `enter`, then its rules as long as `again` says so, then `leave`. The rules are
    not called from here: calls between Python functions alone may nest deeply without exhausting the C stack.
    """

    __slots__ = ("_active", "_changes", "_last_round", "_provisional", "_round")

    def __init__(self) -> None:
        self._active: list[Table] = []
        self._provisional: list[Table] = []
        self._changes = 0
        self._round = 0
        self._last_round = 0

    def enter(self, table: Table) -> Collection[Any] | None:
        """Answers known so far, if the goal is part of a loop that is being worked out; else None: run the rules."""
        if table.depth >= 0 or table.round == self._round:
            self._note(table.depth if table.depth >= 0 else table.low)
            return list(table.answers)
        table.depth = len(self._active)
        table.outer_round = self._round
        table.mark = len(self._provisional)
        self._active.append(table)
        self._start_round(table)
        return None

    def again(self, table: Table) -> bool:
        """Whether the rules of the goal have to run once more."""
        if len(table.answers) > table.size:
            self._changes += 1
        if table.low != table.depth or self._changes == table.changes:
            return False
        self._last_round += 1
        self._round = self._last_round
        self._start_round(table)
        return True

    def leave(self, table: Table) -> Collection[Any]:
        """The answers of the goal: all of them, or those so far if it depends on an outer goal."""
        looped = table.low < table.depth
        self._active.pop()
        table.depth = -1
        self._round = table.outer_round
        if looped:
            table.round = table.outer_round
            self._provisional.append(table)
            self._note(table.low)
            return list(table.answers)
        table.complete = True
        for member in self._provisional[table.mark :]:
            member.complete = True
        del self._provisional[table.mark :]
        return table.answers

    def _start_round(self, table: Table) -> None:
        table.low = _NO_LOOP
        table.size = len(table.answers)
        table.changes = self._changes

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
