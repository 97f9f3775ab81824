"""What pseudo-states pay: what the rules say of them, or what they would say if the game ended there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ludens.circuit.circuit import FALSE, TRUE, Circuit, Literals
from ludens.engines.base import Engine
from ludens.engines.rows import Rows, unpack
from ludens.engines.sliced.question import Question
from ludens.engines.sliced.tables import CircuitTables
from ludens.evaluation.random_play import PlayedStates

Goals = Callable[[Rows], NDArray[np.int16]]
"""[states, roles]: the goals, -1 where there is none."""


@dataclass(frozen=True, slots=True)
class PayoffRules:
    """A way to tell what states pay."""

    goals: Goals
    only_ends: bool = False
    """Whether only states of play that are terminal can be changed into pseudo-states."""


def payoff_rules(engine: Engine, middle: Sequence[int]) -> list[PayoffRules]:
    """Return what the rules say, what they would say if all states were terminal, and what they say of those that are.

    Where they say nothing at the start, undecided states may also be worth the middle of all goals of a role.
    """

    def undecided_in_the_middle(rows: Rows) -> NDArray[np.int16]:
        goals = engine.goals(rows)
        return np.where(goals < 0, np.array(middle, np.int16), goals)

    def at_ends(rows: Rows) -> NDArray[np.int16]:
        return np.where(engine.terminal(rows)[:, None], engine.goals(rows), np.int16(-1))

    ended = goals_as_if_over(engine.circuit) if engine.circuit else None
    found = [PayoffRules(engine.goals)] + ([PayoffRules(ended)] if ended else [])
    if (engine.goals(engine.initial(1)) < 0).any():
        found.append(PayoffRules(undecided_in_the_middle))
    return [*found, PayoffRules(at_ends, only_ends=True)]


def goals_at_ends(engine: Engine, states: PlayedStates) -> NDArray[np.float64]:
    """[games, roles]: the goals at the end, NaN for games without."""
    ends = np.full((1 + int(states.games[-1]), len(engine.roles)), np.nan)
    over = np.flatnonzero(states.terminal)
    goals = engine.goals(states.rows[over]).astype(np.float64)
    ends[states.games[over]] = np.where(goals < 0, np.nan, goals)
    return ends


def goals_as_if_over(tables: CircuitTables) -> Goals | None:
    """Return the goals that states would have if they were terminal; None if goals do not ask for the end."""
    circuit = tables.gates
    node = circuit.terminal >> 1
    if circuit.terminal in (FALSE, TRUE) or not circuit.cone(circuit.goals)[node]:
        return None
    ended = _with_literal(circuit, circuit.terminal)
    question = Question(ended, ended.goals)

    def goals(rows: Rows) -> NDArray[np.int16]:
        return tables.single_goals(unpack(question.ask(rows), len(ended.goals)))

    return goals


def _with_literal(circuit: Circuit, literal: int) -> Circuit:
    """Return the circuit in which a literal holds whatever the state is; only its goals are of use."""

    def settled(literals: Literals) -> Literals:
        found = np.where(literals == literal, TRUE, literals)
        return np.where(found == literal ^ 1, FALSE, found).astype(np.int32)

    return replace(
        circuit,
        inputs=settled(circuit.inputs),
        goals=settled(circuit.goals),
        loop_definitions=settled(circuit.loop_definitions),
    )
