"""What the static relations of a game hold for: those that are the same in all states."""

from __future__ import annotations

from ludens.core import Deadline, GroundTerm
from ludens.engines.reference import ReferenceEngine
from ludens.errors import EngineError
from ludens.gdl.formulas import Atom, Signature
from ludens.gdl.keywords import KEYWORDS
from ludens.gdl.rewrite import AUXILIARY
from ludens.gdl.terms import Variable
from ludens.ground.sizes import Sizes

ESTIMATE_FACTOR = 20
"""An estimate may be so many times too high."""

Row = tuple[GroundTerm, ...]


class Extensions:
    """Static relations, worked out one by one when they are asked for."""

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
        """In the order of the sheet; those of the language itself are not among them."""
        needed = dependencies.reachable(self.signatures)
        self._sizes = Sizes([rule for rule in engine.rules.rules if rule.head.signature in needed])
        self._found: dict[Signature, frozenset[Row] | None] = {}

    def rows(self, signature: Signature, most: int) -> frozenset[Row] | None:
        """What a relation holds for; None if that is more than `most`, or cannot be worked out in time."""
        name, arity = signature
        if signature not in self._found:
            pattern = Atom(name, tuple(Variable(str(index)) for index in range(arity)))
            if self._deadline.passed or self._sizes.shape(pattern).rows > ESTIMATE_FACTOR * most:
                return None
            self._found[signature] = self._ask(signature)
        rows = self._found[signature]
        return rows if rows is not None and len(rows) <= most else None

    def _ask(self, signature: Signature) -> frozenset[Row] | None:
        name, arity = signature
        try:
            found = self._engine.ask(name, arity=arity)
        except EngineError:
            return None
        return frozenset((row,) for row in found) if arity == 1 else found
