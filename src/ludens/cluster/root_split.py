"""Root splitting: the moves of the root are shared among workers with the same idea, each of which looks deeper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random

from ludens.cluster.orders import Suggestion
from ludens.game import State


def splittable_moves(state: State, role: str) -> int:
    """Return the number of moves to split: those of a role that alone has a choice; 0 if there is nothing to split."""
    choices = [len(state.legal_moves(one)) for one in state.game.roles if one != role]
    own = len(state.legal_moves(role))
    return own if own > 1 and all(count == 1 for count in choices) else 0


class RootSplit:
    """Merges the suggestions of workers for their shares in one turn, as far as all have looked as deep.

    The result does not depend on the order in which they come.
    """

    def __init__(self, best: float) -> None:
        """`best`: the highest goal."""
        self._best = best
        self._parts: dict[tuple[int | None, int], dict[int, dict[int, Suggestion]]] = {}
        self._told: dict[tuple[int | None, int], tuple[int, ...]] = {}
        """The progress at the last merged suggestion of each search."""

    def take(self, suggestions: Iterable[Suggestion]) -> list[Suggestion]:
        """Return the merged suggestions, with all that came before; those of no share stay as they are."""
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
                whole = _merged([parts[place] for place in range(share.count)])
                if whole and _progress(whole) > self._told.get(search, ()):
                    self._told[search] = _progress(whole)
                    found.append(whole)
        return found


def _merged(parts: Sequence[Mapping[int, Suggestion]]) -> Suggestion | None:
    """Return the suggestion at the last depth that all unfinished parts have reached, if there is one."""
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


def _progress(whole: Suggestion) -> tuple[int, ...]:
    """Return how much is known of all moves, to be compared."""
    return int(whole.proven), whole.depth, sum(one.proven for one in whole.candidates)
