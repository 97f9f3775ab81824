"""The reserved words of GDL."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

ARITIES: Mapping[str, int] = MappingProxyType(
    {
        "role": 1,
        "init": 1,
        "true": 1,
        "does": 2,
        "next": 1,
        "legal": 2,
        "goal": 2,
        "terminal": 0,
        "base": 1,
        "input": 2,
        "sees": 2,
    }
)
"""Number of arguments of each relation that the language itself uses."""

CHANCE = "random"
"""The role that moves by chance in GDL-II, and the relation (3 arguments) of stochastic GDL."""
RANDOM_ARITY = 3

OPERATORS = frozenset({"<=", "not", "or", "and", "distinct"})

KEYWORDS = frozenset(ARITIES) | OPERATORS | {CHANCE}
"""The words that scrambling keeps."""
