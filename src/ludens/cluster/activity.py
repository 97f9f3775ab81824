"""`Activity`: the current work of a worker, to be watched."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass

from ludens.cluster.orders import AnyMatch, Order, Report, StopOrder, Suggestion, Task, TreeOrder, TurnOrder

EXHAUSTIVE = "search for the end"


@dataclass(frozen=True, slots=True)
class Activity:
    """A worker at one moment."""

    host: str
    pid: int
    role: str | None
    """The role that it searches for; None as long as it has no match."""
    idea: str | None = None
    """The heuristic of its last task, in words."""
    is_searching: bool = False
    suggestion: Suggestion | None = None
    """Its last one."""


def idea_words(match: AnyMatch, task: Task) -> str:
    """Return the idea of a task in words."""
    if isinstance(match, TreeOrder):
        return "playouts"
    part = f" (part {task.share.place + 1} of {task.share.count} of the moves)" if task.share else ""
    if task.heuristic is None:
        return EXHAUSTIVE + part
    return match.heuristics[task.heuristic].words(match.role.lower(), match.rules.spelling) + part


def proposal_words(match: AnyMatch, suggestion: Suggestion) -> str:
    """Return a suggestion in words: its idea, move, value and depth."""
    sure = " for certain" if suggestion.proven else ""
    idea = idea_words(match, suggestion.task)
    return f"{idea}: {suggestion.move}, {suggestion.value:.0f}{sure}, depth {suggestion.depth}"


class ActivityObserver:
    """Follows the orders and reports of a worker."""

    def __init__(self) -> None:
        self._match: AnyMatch | None = None
        self._turn: TurnOrder | None = None
        self._suggestion: Suggestion | None = None
        self._is_searching = False

    def told(self, order: Order) -> None:
        self._is_searching = isinstance(order, TurnOrder)
        if isinstance(order, TurnOrder):
            self._turn, self._suggestion = order, None
        elif not isinstance(order, StopOrder):
            self._match, self._turn, self._suggestion = order, None, None

    def answered(self, report: Report) -> None:
        if isinstance(report, Suggestion):
            self._suggestion = report

    @property
    def activity(self) -> Activity:
        match, turn, here = self._match, self._turn, (socket.gethostname(), os.getpid())
        if match is None or turn is None:
            return Activity(*here, match.role if match else None)
        return Activity(*here, match.role, idea_words(match, turn.task), self._is_searching, self._suggestion)
