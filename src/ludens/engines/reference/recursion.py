"""Relations that depend on themselves.

Each question to such a relation (a *goal*: the relation and the known arguments) has a table of answers. A
question from outside starts a *run*, in which goals that come up on the way take part. A goal is worked out
when it is first met, with what is known by then, and again whenever a goal that it asked has got new answers.
When nothing is left to do, every goal of the run has all its answers, in whatever order they were met.

A negated question needs all answers at once: it starts a run of its own, which must not meet a goal of a run
that is still under way, for then a fact would depend on its own absence.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from heapq import heappop, heappush
from typing import Any, TypeVar

from ludens.errors import EvaluationLimitError, UnstratifiedError

MAX_ANSWERS = 50_000
MAX_DEPTH = 100
MAX_WORDS = 2_000
MAX_NESTING = 100
"""A goal met deeper than this inside others is put off, so that long recursions need no deep stack."""
MAX_RECURSION = 60_000
"""Calls within calls of Python functions, for rules that need very many."""

Result = TypeVar("Result")


class GoalTable:
    """The answers to one goal. `evaluate(add)` runs its rules once and adds what they give."""

    __slots__ = ("add", "answers", "askers", "complete", "component", "evaluate", "final", "number", "run", "waiting")

    def __init__(self, component: int, evaluate: Callable[[Callable[[Any], None]], None]) -> None:
        self.component = component
        self.evaluate = evaluate
        self.answers: set[Any] = set()
        self.add: Callable[[Any], None] = self.answers.add
        self.complete = False
        self.run: GoalRun | None = None
        self.askers: dict[GoalTable, None] = {}
        self.number = 0
        self.waiting = False
        self.final = True

    def finish(self) -> None:
        """Nothing will be added; what only served to find the answers is let go."""
        self.complete = True
        self.evaluate = _nothing
        self.run = None
        self.askers.clear()


def _nothing(add: Callable[[Any], None]) -> None:
    """What is left to do for a goal that is complete."""


class GrowingGoalTable(GoalTable):
    """For relations that build new terms out of old ones, which may have no end."""

    __slots__ = ()

    def __init__(self, component: int, evaluate: Callable[[Callable[[Any], None]], None]) -> None:
        super().__init__(component, evaluate)
        self.add = self._bounded_add

    def _bounded_add(self, answer: object) -> None:
        check_size(answer)
        self.answers.add(answer)
        if len(self.answers) > MAX_ANSWERS:
            raise EvaluationLimitError(f"a recursive relation that builds terms has more than {MAX_ANSWERS:,} facts")


class GoalRun:
    """Goals that are worked out together; of those that wait, the one that was met last comes first."""

    __slots__ = ("_depth", "_tables", "_waiting", "component", "current")

    def __init__(self, component: int) -> None:
        self.component = component
        self.current: GoalTable | None = None
        self._depth = 0
        self._tables: list[GoalTable] = []
        self._waiting: list[tuple[int, GoalTable]] = []

    def join(self, table: GoalTable) -> None:
        """Let a new goal take part."""
        table.run = self
        table.number = len(self._tables)
        self._tables.append(table)
        if self._depth < MAX_NESTING:
            self._work_out(table)
        else:
            self._wait(table)

    def _wait(self, table: GoalTable) -> None:
        if not table.waiting:
            table.waiting = True
            heappush(self._waiting, (-table.number, table))

    def _work_out(self, table: GoalTable) -> None:
        before, self.current = self.current, table
        self._depth += 1
        size = len(table.answers)
        table.final = True
        table.evaluate(table.add)
        self._depth -= 1
        self.current = before
        if len(table.answers) > size:
            for asker in table.askers:
                self._wait(asker)
        if table.final or () in table.answers:
            table.finish()

    def ask(self, table: GoalTable) -> Collection[Any]:
        """The answers so far; the goal that asks is worked out again if there will be more."""
        assert self.current is not None
        self.current.final = False
        table.askers[self.current] = None
        return list(table.answers)

    def finish(self) -> None:
        """Work out goals until none has anything new to learn."""
        while self._waiting:
            _, table = heappop(self._waiting)
            table.waiting = False
            self._work_out(table)
        for table in self._tables:
            table.finish()
        self._tables.clear()


class Recursion:
    """The runs under way, the innermost last."""

    __slots__ = ("_runs",)

    def __init__(self) -> None:
        self._runs: list[GoalRun] = []

    def ask(self, table: GoalTable) -> Collection[Any]:
        """The answers of a goal that is not complete: all of them, or those so far inside its own run."""
        run = self._runs[-1] if self._runs else None
        if run is None or run.component != table.component:
            return self._settle(table)
        if table.run is None:
            run.join(table)
        elif table.run is not run:
            raise UnstratifiedError(_UNSTRATIFIED)
        return table.answers if table.complete else run.ask(table)

    def settle(self, table: GoalTable) -> Collection[Any]:
        """All answers of a goal that is not complete, as negation needs them."""
        if table.run is not None:
            raise UnstratifiedError(_UNSTRATIFIED)
        return self._settle(table)

    def _settle(self, table: GoalTable) -> Collection[Any]:
        run = GoalRun(table.component)
        self._runs.append(run)
        run.join(table)
        run.finish()
        self._runs.pop()
        return table.answers


_UNSTRATIFIED = "a fact depends on its own absence: there is recursion through `not`"


def check_size(term: object) -> None:
    """Refuse terms that are nested too deeply or have too many words; parts may occur many times."""
    waiting = [(term, 0)]
    words = 0
    while waiting:
        part, depth = waiting.pop()
        words += 1
        if words > MAX_WORDS or depth > MAX_DEPTH:
            raise EvaluationLimitError(
                f"a recursive relation builds terms of more than {MAX_WORDS:,} words or nested {MAX_DEPTH} deep"
            )
        if type(part) is tuple:
            waiting.extend((inner, depth + 1) for inner in part)


def call_deeply(question: Callable[[], Result]) -> Result:
    """Call with a much higher recursion limit; an endless recursion becomes an EvaluationLimitError.

    Planning and evaluation nest only calls between Python functions, which need no room on the C stack. The
    limit belongs to the whole process and stays raised: to lower it while another thread is deep in its own
    rules would end the process.
    """
    sys.setrecursionlimit(max(sys.getrecursionlimit(), MAX_RECURSION))
    try:
        return question()
    except RecursionError:
        raise EvaluationLimitError("the recursion of the rules is too deep, or has no end") from None
