"""Whether an engine is a circuit, for those who have no circuit to ask without loading what makes them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from ludens.engines.sliced import SlicedEngine


def is_circuit(engine: object) -> TypeGuard[SlicedEngine]:
    """Importing the machine code of circuits takes longer than to draw a state; who has one has imported it."""
    sliced = sys.modules.get("ludens.engines.sliced")
    return isinstance(engine, getattr(sliced, "SlicedEngine", ()))
