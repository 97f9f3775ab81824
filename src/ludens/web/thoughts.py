"""What players thought, as plain values that pages can show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ludens.core import Decision, Move, Role
from ludens.web.pictures import words

MAX_CANDIDATES = 12
MAX_LINE = 12


def thought(role: Role, decision: Decision) -> dict[str, Any]:
    """A decision, with moves in words; values are from 0 to 100."""
    return {
        "role": str(role),
        "move": words(decision.move),
        "values": {str(name): round(float(value), 2) for name, value in decision.values.items()},
        "candidates": [
            {
                "move": words(candidate.move),
                "value": round(float(candidate.value), 2),
                "visits": int(candidate.visits),
                "proven": bool(candidate.proven),
            }
            for candidate in decision.candidates[:MAX_CANDIDATES]
        ],
        "others": max(0, len(decision.candidates) - MAX_CANDIDATES),
        "line": [joint_words(joint) for joint in decision.pv[:MAX_LINE]],
        "nodes": int(decision.nodes),
        "playouts": int(decision.playouts),
        "depth": int(decision.depth),
        "seconds": round(float(decision.seconds), 2),
        "proven": bool(decision.proven),
    }


def joint_words(joint: Mapping[Role, Move], choosers: Sequence[str] | frozenset[Role] | None = None) -> str:
    """A joint move in words: the moves that somebody chose; where nobody did, all that say something.

    >>> joint_words({Role("x"): Move("(mark 1 2)", ("mark", "1", "2")), Role("o"): Move("noop", "noop")}, [Role("x")])
    'x mark 1 2'
    """
    shown = {role: move for role, move in joint.items() if choosers is None or role in choosers}
    if choosers is None and len(joint) > 1:
        shown = {role: move for role, move in joint.items() if not isinstance(move.term, str)}
    return ", ".join(f"{role} {words(move)}" for role, move in (shown or joint).items())
