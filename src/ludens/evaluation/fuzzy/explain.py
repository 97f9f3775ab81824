"""What the fuzzy evaluation says of a state, in words: which subgoals are met, and how near the others are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ludens.evaluation.fuzzy.formulas import Formulas
from ludens.evaluation.fuzzy.norms import HALF, Norm
from ludens.evaluation.fuzzy.reference import degree_of, reference_values
from ludens.game import State
from ludens.gdl.terms import term_text
from ludens.ground.program import TRUE

MAX_GOALS = 4
"""Of one role, more goal values are not explained."""
MAX_PARTS = 5
"""Of one formula, more parts are not named."""
MAX_NESTED_PARTS = 3
"""The same for a part of a formula."""
MAX_DEPTH = 3
MAX_LINES = 16
"""About one goal value."""
INDENT = "  "


def explain(
    formulas: Formulas,
    norm: Norm,
    state: State,
    *,
    roles: Sequence[str] | None = None,
    worths: Sequence[str] | None = None,
) -> str:
    """Return the goals of each role and the end, the most telling parts first.

    Only these `roles` are explained, by default all that have goals; `worths` tell what the state is worth to each
    role of the formulas.
    """
    return "\n".join(_Telling(formulas, norm, state).lines(roles, worths))


class _Telling:
    """One state put into words."""

    def __init__(self, formulas: Formulas, norm: Norm, state: State) -> None:
        circuit = state.game.engine.circuit
        assert circuit is not None, "formulas are those of a compiled game"
        self._formulas, self._norm, self._fluents = formulas, norm, circuit.fluents
        self._spelling = state.game.rules.spelling
        terms = {fact.term for fact in state.facts}
        self._facts = np.array([fluent in terms for fluent in self._fluents], np.bool_)
        self._values = reference_values(formulas, self._facts, norm)
        self._told: set[int] = set()
        """The nodes of formulas with names that were taken apart, and their parts, too."""

    def lines(self, roles: Sequence[str] | None, worths: Sequence[str] | None) -> Iterator[str]:
        norm = self._norm
        yield f"degrees with q = {norm.q}: {norm.t:.2f} and more is true, {1 - norm.t:.2f} and less is false"
        wanted = None if roles is None else {role.lower() for role in roles}
        for index, role in enumerate(self._formulas.roles):
            if self._formulas.goals[index] and (wanted is None or role in wanted):
                yield ""
                yield self._spelling.get(role, role) + ("" if worths is None else f": {worths[index]}")
                yield from self._goals(index)
        yield ""
        yield from self._formula("the end", self._formulas.terminal, 0)
        yield from (f"left out: {text}" for text in self._formulas.left_out)

    def _goals(self, role: int) -> Iterator[str]:
        """Yield the goal values that hold or count most, the highest first."""
        goals = self._formulas.goals[role]
        telling = sorted(goals, key=lambda goal: -goal.value * self._degree(goal.literal))
        telling.sort(key=lambda goal: not self._holds(goal.literal))
        shown = sorted(telling[:MAX_GOALS], key=lambda goal: -goal.value)
        for goal in shown:
            yield from self._formula(f"{goal.value} points", goal.literal, 1)
        if len(goals) > len(shown):
            yield f"{INDENT}and {len(goals) - len(shown)} more goal values"

    def _formula(self, title: str, literal: int, indent: int) -> Iterator[str]:
        """Yield a goal or the end, and what it is made of."""
        name = self._name(literal)
        yield INDENT * indent + self._line(literal, f"{title}: {name}" if name else title)
        if not self._is_told(literal):
            lines = [*self._inside(literal, indent + 1, MAX_DEPTH)]
            yield from lines[:MAX_LINES]
            if len(lines) > MAX_LINES:
                yield f"{INDENT * (indent + 1)}and so on"

    def _inside(self, literal: int, indent: int, depth: int) -> Iterator[str]:
        """The parts of a formula: first what a conjunction lacks most, or the ways of a disjunction that come nearest.

        What is met is not taken apart, unless it is the way in which a disjunction is. What has a name is taken apart
        but once.
        """
        parts, either = self._telling_parts(literal)
        if parts and self._name(literal) and (either or not self._holds(literal)):
            self._told.add(literal >> 1)
        shown = parts[: MAX_PARTS if depth == MAX_DEPTH else MAX_NESTED_PARTS]
        for part in shown:
            opened = depth > 1 and (either or not self._holds(part)) and not self._is_told(part)
            yield INDENT * indent + self._line(part, self._name(part) or ("" if opened else self._made_of(part)))
            if opened:
                yield from self._inside(part, indent + 1, depth - 1)
        if len(parts) > len(shown):
            yield f"{INDENT * indent}and {len(parts) - len(shown)} more"

    # -- single formulas ---------------------------------------------------------------------

    def _parts(self, literal: int) -> tuple[list[int], bool]:
        """Return what a formula is made of, and whether one of these is enough; nothing for a leaf."""
        gate, either = (literal >> 1) - self._formulas.first_gate, bool(literal & 1)
        if gate < 0:
            return [], either
        start, end = self._formulas.starts[gate : gate + 2]
        return [part ^ (literal & 1) for part in self._formulas.inputs[start:end].tolist()], either

    def _telling_parts(self, literal: int) -> tuple[list[int], bool]:
        """Return the same, the most telling first; of a disjunction that is met only the parts that are."""
        parts, either = self._parts(literal)
        parts.sort(key=self._degree, reverse=either)
        if either and self._holds(literal):
            parts = [part for part in parts if self._holds(part)]
        return parts, either

    def _is_told(self, literal: int) -> bool:
        return literal >> 1 in self._told

    def _degree(self, literal: int) -> float:
        return degree_of(self._values, literal)

    def _holds(self, literal: int) -> bool:
        return self._degree(literal) > HALF

    def _line(self, literal: int, title: str) -> str:
        """Return a mark that tells whether it holds, what it says, its degree, and what stands behind it."""
        mark = "+" if self._holds(literal) else "-"
        note = self._note(literal)
        return " ".join(filter(None, (mark, title, f"({self._degree(literal):.3f})"))) + (f": {note}" if note else "")

    def _name(self, literal: int) -> str:
        """As the author writes it; nothing if it has no name."""
        names = self._formulas.names
        if literal in names:
            return term_text(names[literal], self._spelling)
        return f"not {term_text(names[literal ^ 1], self._spelling)}" if literal ^ 1 in names else ""

    def _made_of(self, literal: int) -> str:
        """Return what stands for a name: those of some parts."""
        parts, either = self._parts(literal)
        parts.sort(key=self._degree, reverse=either)
        names = [name for part in parts if (name := self._name(part))][:MAX_NESTED_PARTS]
        more = [f"{len(parts) - len(names)} more"] if names and len(parts) > len(names) else []
        return (" or " if either else " and ").join([*names, *more])

    def _note(self, literal: int) -> str:
        formulas, node = self._formulas, literal >> 1
        if not node:
            return "always" if literal == TRUE else "never"
        if node < formulas.first_comparison:
            return "" if self._holds(literal) or literal & 1 else self._proximity(node - 1)
        if node < formulas.first_opaque:
            return self._margin(node - formulas.first_comparison)
        if node < formulas.first_gate:
            return "true or false only"
        parts, either = self._parts(literal)
        met = sum(map(self._holds, parts))
        count = "none" if not met else "all" if met == len(parts) else str(met)
        told = ", see above" if self._is_told(literal) else ""
        return f"{'one' if either else 'all'} of {len(parts)} {'ways' if either else 'conditions'}, {count} met{told}"

    def _proximity(self, leaf: int) -> str:
        """Return which fluents stand in for one that does not hold."""
        formulas = self._formulas
        start, end = formulas.near_starts[leaf : leaf + 2]
        if start == end:
            return ""
        held = self._facts[formulas.near_fluents[start:end]]
        if not held.any():
            return "nothing is near"
        degrees = formulas.near_degrees[start:end][held]
        nearest = self._fluents[formulas.near_fluents[start:end][held][np.argmax(degrees)]]
        text = f"{term_text(nearest, self._spelling)} is {degrees.max():.0%} near"
        return text if len(degrees) == 1 else f"{text}, all {len(degrees)} on average {degrees.mean():.0%}"

    def _margin(self, comparison: int) -> str:
        holds, degree = self._formulas.comparison_holds[comparison], self._formulas.comparison_degrees[comparison]
        return f"{'holds' if holds else 'misses'} by {degree if holds else 1 - degree:.0%} of the range"
