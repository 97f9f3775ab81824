"""The functions that are written anew for every game, as those of `runtime` call them; `compiler` writes them."""

from __future__ import annotations

from ludens.engines.native.language import Workspace


def load_state(w: Workspace) -> None:
    """Take up the state in the array `state`."""


def is_terminal(w: Workspace) -> int:
    """1 if the state is an end, else 0."""
    return 0


def list_moves(w: Workspace, role: int) -> None:
    """Write the legal moves of a role to `moves`."""


def list_goals(w: Workspace, role: int) -> None:
    """Write the goal values of a role to `moves`."""


def make_next(w: Workspace) -> None:
    """Write the state after the moves in `joint` to `state`."""


def run_rules(w: Workspace, goal: int) -> None:
    """Run the rules of a goal."""


def resume(w: Workspace, function: int, environment: int, answer: int) -> None:
    """Run the rest of a rule with an answer of the goal it waits for."""
