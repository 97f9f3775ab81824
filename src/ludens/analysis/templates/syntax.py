"""Structures by the form of the rules alone: successor relations and step counters."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ludens.analysis.relations import MIN_CHAIN, Pair, examine
from ludens.core import GroundTerm
from ludens.gdl.formulas import Rule, Signature
from ludens.gdl.keywords import KEYWORDS
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Variable, is_ground


@dataclass(frozen=True, slots=True)
class Successor:
    """A relation whose facts put some words in one row."""

    name: str
    words: tuple[GroundTerm, ...]


def successors(rules: Rules) -> tuple[Successor, ...]:
    """Return the relations that are written as facts of two words, and order all their words.

    >>> rules = Rules.parse("(quiet q w) (quiet w e) (quiet e r) (loud q w) (loud e r) (role me)")
    >>> successors(rules)
    (Successor(name='quiet', words=('q', 'w', 'e', 'r')),)
    """
    found = []
    for (name, arity), clauses in rules.relations.items():
        if arity == 2 and name not in KEYWORDS and (words := _row(clauses)):
            found.append(Successor(name, words))
    return tuple(found)


def _row(clauses: Sequence[Rule]) -> tuple[GroundTerm, ...] | None:
    """Return the words of these facts in their order; None if they are no facts, or give no single row."""
    if any(clause.body or not all(map(is_ground, clause.head.args)) for clause in clauses):
        return None
    pairs: list[Pair] = [clause.head.args for clause in clauses]  # type: ignore[misc]
    relation = examine("", pairs)
    if relation.loops or relation.cycles or len(relation.chains) != 1:
        return None
    (words,) = relation.chains
    return words if len(words) == len(relation.pairs) + 1 >= MIN_CHAIN else None


def counters(rules: Rules, found: Collection[Successor]) -> tuple[Signature, ...]:
    """Return the fluents that change by one rule only, of this form, its conditions in any order:

    (<= (next (<counter> ?after)) (true (<counter> ?before)) (<successor> ?before ?after))
    """
    names = {successor.name for successor in found}
    makers: dict[Signature, list[Rule]] = {}
    for rule in rules.rules_for("next", 1):
        term = rule.head.args[0]
        if isinstance(term, tuple):
            makers.setdefault((str(term[0]), len(term) - 1), []).append(rule)
        elif isinstance(term, Variable):
            return ()
    return tuple(
        signature for signature, made in makers.items() if len(made) == 1 and _increments(made[0], signature, names)
    )


def _increments(rule: Rule, counter: Signature, names: Collection[str]) -> bool:
    name, arity = counter
    if arity != 1 or len(rule.body) != 2 or not all(literal.positive for literal in rule.body):
        return False
    term = rule.head.args[0]
    assert isinstance(term, tuple)
    now, step = sorted((literal.atom for literal in rule.body), key=lambda atom: atom.name != "true")
    if now.name != "true" or step.name not in names or len(step.args) != 2:
        return False
    before, after = step.args
    is_step = isinstance(before, Variable) and isinstance(after, Variable) and before != after
    return is_step and term[1] == after and now.args[0] == (name, before)
