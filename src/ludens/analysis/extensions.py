"""The extensions of the static relations of a game, which are the same in all states."""

from __future__ import annotations

from functools import cached_property
from math import prod

from ludens.core import GroundTerm
from ludens.engines.reference import ReferenceEngine
from ludens.errors import EngineError
from ludens.gdl.domains import ArgumentDomains
from ludens.gdl.formulas import Atom, Signature
from ludens.gdl.keywords import KEYWORDS
from ludens.gdl.rewrite import AUXILIARY
from ludens.gdl.terms import Variable
from ludens.ground.sizes import Sizes
from ludens.runtime.deadline import Deadline

ESTIMATE_FACTOR = 20
"""The factor by which an estimate may be too high."""
ESTIMATE_SECONDS = 5.0
"""The least time for a better estimate."""
ESTIMATE_RULES = 2_000
"""The limit on rules, including facts, for a better estimate."""
ROW_SECONDS = 2e-5
"""The time to derive a row."""
MAX_DOMAIN_WORK = 5_000_000
"""The work limit for the domains of arguments."""

Row = tuple[GroundTerm, ...]


class Extensions:
    """Static relations, each evaluated when it is first asked for."""

    def __init__(self, engine: ReferenceEngine, deadline: Deadline) -> None:
        self._engine = engine
        self._deadline = deadline
        dependencies = engine.rules.dependencies
        changing = {("true", 1), ("does", 2)}
        self.signatures = tuple(
            signature
            for signature in engine.rules.relations
            if signature[0] not in KEYWORDS
            and not signature[0].startswith(AUXILIARY)
            and not changing & dependencies.reachable([signature])
        )
        """The static relations of the game in the order of the sheet."""
        self._found: dict[Signature, frozenset[Row] | None] = {}

    def rows(self, signature: Signature, most: int) -> frozenset[Row] | None:
        """Return the rows of a relation; None if there are more than `most`, or time is too short."""
        if signature not in self._found:
            if self._deadline.passed or not self._is_small(signature, ESTIMATE_FACTOR * most):
                return None
            self._found[signature] = self._ask(signature)
        rows = self._found[signature]
        return rows if rows is not None and len(rows) <= most else None

    def bound(self, signature: Signature) -> int:
        """Return an upper bound on its rows: its facts if it has no rules, else by the words of its arguments."""
        name, arity = signature
        rules = self._engine.rules.relations[signature]
        if not any(rule.body for rule in rules):
            return len(rules)
        return prod(self.domains.size("relation", name, arity, index) for index in range(arity))

    def _is_small(self, signature: Signature, most: float) -> bool:
        """Return whether it has no more rows, by the words of its arguments or by a slower, better estimate.

        Of recursive relations the estimate is too low.
        """
        seconds = self._deadline.remaining
        most = min(most, seconds / ROW_SECONDS)
        if self.bound(signature) <= most:
            return True
        rules = self._engine.rules
        too_long = seconds < ESTIMATE_SECONDS or len(rules.rules) > ESTIMATE_RULES
        if too_long or signature in rules.dependencies.recursive:
            return False
        name, arity = signature
        pattern = Atom(name, tuple(Variable(str(index)) for index in range(arity)))
        return self._sizes.shape(pattern).rows <= most

    @cached_property
    def domains(self) -> ArgumentDomains:
        """The words of argument positions; not complete if there are too many."""
        return ArgumentDomains(self._engine.rules.rules, MAX_DOMAIN_WORK)

    @cached_property
    def _sizes(self) -> Sizes:
        rules = self._engine.rules
        needed = rules.dependencies.reachable(self.signatures)
        return Sizes([rule for rule in rules.rules if rule.head.signature in needed])

    def _ask(self, signature: Signature) -> frozenset[Row] | None:
        name, arity = signature
        try:
            found = self._engine.ask(name, arity=arity)
        except EngineError:
            return None
        return frozenset((row,) for row in found) if arity == 1 else found
