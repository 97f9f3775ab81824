"""What is so of every decision, whatever was found."""

from __future__ import annotations

import pytest

from ludens.core import Decision, Role
from ludens.game import State


def check_decision(decision: Decision, state: State, role: str) -> None:
    """The chosen move is the first candidate and the first of a line that can be played, and has the value said."""
    name, best = Role(role), decision.candidates[0]
    assert decision.move == best.move == decision.pv[0][name]
    assert best.value == pytest.approx(decision.values[name])
    assert len({candidate.move for candidate in decision.candidates}) == len(decision.candidates)
    assert {candidate.move for candidate in decision.candidates} <= set(state.legal_moves(role))
    for joint in decision.pv:
        assert all(move in state.legal_moves(mover) for mover, move in joint.items())
        state = state.next({str(mover): str(move) for mover, move in joint.items()})
