"""Derived atoms: the same as the reference engine derives."""

from __future__ import annotations

from random import Random

import pytest

from ludens.analysis.states import sample_states
from ludens.engines.rows import pack
from ludens.evaluation.features.atoms import derive_atoms
from ludens.runtime.deadline import Deadline
from tests.evaluation.features.modelled import ENOUGH, FOUR, of_game, of_sheet
from tests.tiers import first


@pytest.mark.parametrize("name", first(2, ["tictactoe", "racetrackcorridor", "chinesecheckers3", "checkers"]))
def test_derived_atoms_hold_where_the_reference_engine_says(name: str) -> None:
    one = of_game(name)
    states = sample_states(one.game, Random(3), Deadline(ENOUGH), 160)
    asked = one.atoms.asker(range(len(one.atoms.names)))(pack(states.bits))
    relations = {table for table in one.atoms.tables if table[0] == "relation"}
    assert relations
    for number in Random(4).sample(range(len(states)), 5):
        facts = [fluent for fluent, holds in zip(states.fluents, states.bits[number], strict=True) if holds]
        for _, relation, arity in relations:
            found = one.game.reference_engine.ask(relation, facts, arity)
            expected = {(row,) if arity == 1 else row for row in found}
            table = one.atoms.tables["relation", relation, arity]
            assert {arguments for arguments, column in table.items() if asked[number, column]} == expected


def test_instances_are_the_conditions_of_rules() -> None:
    one = of_sheet(FOUR)
    rows = [instance for instance in one.atoms.instances if instance.relation == "row"]
    names = {tuple(one.atoms.names[column][1] for column in instance.conditions) for instance in rows}
    assert names == {tuple(("cell", str(n), player) for n in (1, 2, 3, 4)) for player in ("red", "black")}


def test_conditions_that_must_not_hold_are_marked() -> None:
    one = of_sheet(FOUR)
    losing = [i for i in one.atoms.instances if i.relation == "goal" and i.head[1] == "0"]
    assert {one.atoms.names[~i.conditions[0]][1] for i in losing} == {("row", "red"), ("row", "black")}


def test_without_time_only_fluents_are_left() -> None:
    one = of_game("tictactoe")
    atoms = derive_atoms(one.engine.circuit, one.facts, Deadline(0))
    assert len(atoms.names) == atoms.fluent_count == len(one.engine.circuit.fluents)
    assert "derived relations" in atoms.left_out[0]


def test_matching_agrees_with_matches() -> None:
    one = of_game("racetrackcorridor")
    for measure in one.measures:
        table = one.atoms.tables.get(measure.pattern.table, {})
        expected = {arguments: column for arguments, column in table.items() if measure.pattern.matches(arguments)}
        assert one.atoms.matching(measure.pattern) == expected
