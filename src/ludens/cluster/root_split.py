"""Moves that are shared out among workers with the same idea, each of which looks deeper at its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
    """Puts together what workers say of their shares in one turn: it counts when all have looked as deep.

    What it comes to does not depend on the order in which they speak.
    """

    def __init__(self, best: float) -> None:
        """`best`: the most that can be had."""
        self._best = best
        self._parts: dict[tuple[int | None, int], dict[int, dict[int, Suggestion]]] = {}
        self._told: dict[tuple[int | None, int], tuple[int, ...]] = {}
        """How much was known when the last of each was told."""

    def take(self, suggestions: Iterable[Suggestion]) -> list[Suggestion]:
        """What these come to, with all that was said before; what is not of a share stays as it is."""
        found: list[Suggestion] = []
        for suggestion in suggestions:
            share = suggestion.task.share
            if share is None:
                found.append(suggestion)
                continue
            search = suggestion.task.heuristic, share.count
            parts = self._parts.setdefault(search, {})
            parts.setdefault(share.place, {})[suggestion.depth] = suggestion
            top = suggestion.candidates[0]
            if top.proven and top.value >= self._best:
                found.append(replace(suggestion, proven=True))  # whatever the other shares may hold
            elif len(parts) == share.count:
                whole = _together([parts[place] for place in range(share.count)])
                if whole and _amount(whole) > self._told.get(search, ()):
                    self._told[search] = _amount(whole)
                    found.append(whole)
        return found


def _together(parts: Sequence[Mapping[int, Suggestion]]) -> Suggestion | None:
    """What all parts say of the last depth that all have come to who do not know all of theirs, if there is one."""
    last = [part[max(part)] for part in parts]
    unsettled = [set(part) for one, part in zip(last, parts, strict=True) if not one.proven]
    depth = max(set.intersection(*unsettled) if unsettled else {one.depth for one in last}, default=None)
    if depth is None:
        return None
    present = [one if one.proven else part[depth] for one, part in zip(last, parts, strict=True)]
    most = max(one.value for one in present)
    best = Random(present[0].task.seed).choice([one for one in present if one.value == most])
    candidates = sorted((one for part in present for one in part.candidates), key=lambda one: -one.value)
    return replace(
        best,
        task=replace(present[0].task, share=None),
        depth=depth,
        proven=not unsettled,
        nodes=sum(one.nodes for one in present),
        candidates=tuple(candidates),
    )


def _amount(whole: Suggestion) -> tuple[int, ...]:
    """How much is known of all moves."""
    return int(whole.proven), whole.depth, sum(one.proven for one in whole.candidates)
