"""Every code that the validator gives, with its severity.

Errors break the language: the sheet has no definite meaning, or a part of it can never do what it
says. Warnings are accepted but look like slips. Infos are true and mostly harmless.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ludens.errors import Severity

SEVERITIES: Mapping[str, Severity] = MappingProxyType(
    {
        # What must be there
        "no-role": "error",
        "no-legal": "error",
        "no-goal": "error",
        "no-terminal": "error",
        "no-next": "warning",
        "no-init": "info",
        "role-without-moves": "error",
        "role-without-goals": "warning",
        # Keywords
        "keyword-arity": "error",
        "keyword-in-term": "error",
        "keyword-as-constant": "warning",
        "role-not-a-fact": "error",
        "role-not-a-word": "error",
        # Placement
        "only-in-bodies": "error",
        "only-in-heads": "error",
        "forbidden-dependency": "error",
        # Meaning
        "unsafe-variable": "error",
        "unstratified": "error",
        "unbounded-recursion": "error",
        "loose-recursion": "warning",
        "goal-value": "error",
        "goal-value-possible": "warning",
        # Chance
        "random-name": "error",
        "random-weight": "error",
        "random-weight-possible": "warning",
        "random-variable-misplaced": "error",
        "random-variable-unused": "warning",
        "random-twofold": "error",
        "random-weights-large": "error",
        "random-weightless": "warning",
        "random-combinations": "error",
        "random-combinations-possible": "warning",
        # Names
        "arity-clash": "error",
        "several-arities": "warning",
        "undefined-relation": "warning",
        "unused-relation": "warning",
        "unknown-role": "warning",
        "fluent-never-true": "warning",
        "move-never-legal": "warning",
        "fluent-not-in-base": "warning",
        "move-not-in-input": "warning",
        "base-never-true": "info",
        "input-never-legal": "info",
        "duplicate-clause": "info",
        # Forms that deviate but mean one thing
        "needless-parentheses": "warning",
        "empty-body": "warning",
        "empty-connective": "warning",
        "single-or": "warning",
        "and-in-body": "warning",
        "double-negation": "warning",
        "negated-distinct": "warning",
        "negated-formula": "warning",
        "mixed-case": "warning",
    }
)
