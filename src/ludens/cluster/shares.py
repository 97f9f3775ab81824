"""Moves that are shared out among workers with the same idea, each of which looks deeper at its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random

from ludens.cluster.orders import Suggestion
from ludens.game import State


def shareable_moves(state: State, role: str) -> int:
    """How many moves can be shared out: those of a role that alone has a choice; 0 if there is nothing to share."""
    choices = [len(state.legal_moves(one)) for one in state.game.roles if one != role]
    own = len(state.legal_moves(role))
    return own if own > 1 and all(count == 1 for count in choices) else 0


class SharedSearches:
    """Puts together what workers say of their shares in one turn: it counts when all have looked as deep."""

    def __init__(self, best: float) -> None:
        """`best`: the most that can be had."""
        self._best = best
        self._parts: dict[tuple[int | None, int], dict[int, dict[int, Suggestion]]] = {}

    def take(self, suggestions: Iterable[Suggestion]) -> list[Suggestion]:
        """What these come to, with all that was said before; what is not of a share stays as it is."""
        found: list[Suggestion] = []
        for suggestion in suggestions:
            share = suggestion.task.share
            if share is None:
                found.append(suggestion)
                continue
            parts = self._parts.setdefault((suggestion.task.heuristic, share.count), {})
            parts.setdefault(share.place, {})[suggestion.depth] = suggestion
            top = suggestion.candidates[0]
            if top.proven and top.value >= self._best:
                found.append(replace(suggestion, proven=True))  # whatever the other shares may hold
            elif len(parts) == share.count and (
                whole := _together([parts[place] for place in range(share.count)], suggestion.depth)
            ):
                found.append(whole)
        return found


def _together(parts: Sequence[dict[int, Suggestion]], depth: int) -> Suggestion | None:
    """What all parts say of a depth, if they have come so far or know all before."""
    said = [part.get(depth) or _known(part) for part in parts]
    present = [one for one in said if one]
    if len(present) < len(parts):
        return None
    most = max(one.value for one in present)
    best = Random(present[0].task.seed).choice([one for one in present if one.value == most])
    candidates = sorted((one for part in present for one in part.candidates), key=lambda one: -one.value)
    return replace(
        best,
        task=replace(present[0].task, share=None),
        depth=depth,
        proven=all(one.proven for one in present),
        nodes=sum(one.nodes for one in present),
        candidates=tuple(candidates),
    )


def _known(part: dict[int, Suggestion]) -> Suggestion | None:
    last = part[max(part)]
    return last if last.proven else None
