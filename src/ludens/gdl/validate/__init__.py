"""The validator: one function per restriction of the language.

Each check takes a `Sheet` and yields findings; `docs/findings.md` explains every code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from ludens.errors import Finding
from ludens.gdl.rules import Rules
from ludens.gdl.validate import (
    chance,
    fluents,
    keywords,
    names,
    placement,
    recursion,
    repetition,
    required,
    safety,
    style,
    values,
)
from ludens.gdl.validate.sheet import Sheet

__all__ = ["CHECKS", "thinned", "validate"]

Check = Callable[[Sheet], Iterator[Finding]]

CHECKS: tuple[Check, ...] = (
    required.check_required_relations,
    required.check_role_facts,
    required.check_each_role,
    keywords.check_keyword_arity,
    keywords.check_keywords_in_terms,
    placement.check_heads,
    placement.check_bodies,
    placement.check_dependencies,
    safety.check_safety,
    recursion.check_stratification,
    recursion.check_recursion,
    values.check_goal_values,
    values.check_random_weights,
    chance.check_random_names,
    chance.check_random_variables,
    chance.check_random_carried,
    chance.check_random_use,
    chance.check_random_twofold,
    chance.check_random_weights_size,
    names.check_undefined_relations,
    names.check_unused_relations,
    names.check_several_arities,
    names.check_role_names,
    fluents.check_fluents,
    fluents.check_moves,
    fluents.check_base,
    fluents.check_input,
    fluents.check_declared,
    repetition.check_duplicate_clauses,
    style.check_forms,
    style.check_layout,
    style.check_case,
)

MAX_SHOWN = {"error": 20, "warning": 5, "info": 3}
"""The limit on findings of one code that are shown; the rest are counted."""

_ORDER = ("error", "warning", "info")


def validate(rules: Rules) -> list[Finding]:
    """Return all findings of a rule sheet, errors first, then in the order of the text."""
    sheet = Sheet(rules)
    return sorted((finding for check in CHECKS for finding in check(sheet)), key=_in_order)


def _in_order(finding: Finding) -> tuple[int, int, int]:
    place = finding.place
    return _ORDER.index(finding.severity), place.line if place else 0, place.column if place else 0


def thinned(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield the findings with at most some of each code, so that one slip made a hundred times hides no other."""
    findings = list(findings)
    totals = Counter(finding.code for finding in findings)
    seen: Counter[str] = Counter()
    for finding in findings:
        seen[finding.code] += 1
        most = MAX_SHOWN[finding.severity]
        if seen[finding.code] < most or totals[finding.code] == seen[finding.code] == most:
            yield finding
        elif seen[finding.code] == most:
            left = totals[finding.code] - most
            yield replace(finding, message=f"{finding.message}; and {left} more of this kind")
