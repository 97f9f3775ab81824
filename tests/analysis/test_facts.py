"""The analysis as a whole: the same in other words, on any game, and in time."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ludens import load
from ludens.analysis.facts import GameFacts, analyse
from ludens.core import GroundTerm
from ludens.gdl.rules import Rules
from ludens.gdl.scramble import scramble
from ludens.runtime.deadline import Deadline
from tests.analysis.analysed import facts_of, facts_of_game, facts_of_rules, game_of, structure_of
from tests.tiers import every_game, first

QUICKLY_PROVED = ("tictactoe", "racetrackcorridor", "nim", "prisonersdilemma")
SCRAMBLED = (*QUICKLY_PROVED, "eightpuzzle", "connectfour", "breakthrough", "hallway")
ODD_SHEETS = ("amazons", "chess", "gt_two_thirds_4p", "hexPie", "merrills", "ruleDepthLinear", "skirmish", "urmAdd")

Rename = Callable[[GroundTerm], GroundTerm]


def structures(facts: GameFacts, rename: Rename = lambda term: term, evidence: bool = False) -> dict[str, Any]:
    """All but what chance or time may change, in other words; with how sure it is, if it was tried to prove it."""

    def words(terms: Any) -> list[GroundTerm]:
        return [rename(term) for term in terms]

    return {
        "relations": [
            (
                rename(relation.pattern),
                relation.is_successor,
                relation.is_order,
                [words(row) for row in (*relation.chains, *relation.cycles)],
            )
            for relation in facts.relations
        ],
        "keys": {
            rename(name): [
                (key.inputs, key.full, *((key.evidence, key.full_evidence) if evidence else ())) for key in modes.keys
            ]
            for (name, _), modes in facts.modes.items()
        },
        "boards": [
            (
                rename(board.signature[0]),
                [(axis.argument, words(axis.words), axis.order and axis.order.wraps) for axis in board.axes],
                [(axis.argument, words(axis.words)) for axis in board.selectors],
                [(words(content.words), content.kind, content.unique, content.owner) for content in board.contents],
                [content.unique_evidence for content in board.contents if evidence],
            )
            for board in facts.boards
        ],
        "quantities": [
            (rename(q.signature[0]), q.argument, words(q.order.words), q.order.wraps) for q in facts.quantities
        ],
        "counter": facts.counter and (words(facts.counter.facts), facts.counter.ends_at),
        "control": facts.control
        and (sorted((rename(fact), role) for fact, role in facts.control.turns.items()), facts.control.order),
        "turns": facts.control and evidence and (facts.control.evidence, facts.control.order_evidence),
        "kind": facts.kind,
        "symmetries": [len(facts.symmetries.exact), len(facts.symmetries.apart_from_start)],
        "sampled symmetries": len(facts.symmetries.sampled),
    }


@pytest.mark.parametrize("seed", first(1, range(2)))
@pytest.mark.parametrize("name", first(4, SCRAMBLED))
def test_scrambled_rules_give_the_same_structures(name: str, seed: int) -> None:
    facts = facts_of(name)
    scrambling = scramble(facts.rules, Random(seed))
    with_proofs = name in QUICKLY_PROVED
    scrambled = facts_of_rules(scrambling.rules, proofs=with_proofs)

    def back(term: GroundTerm) -> GroundTerm:
        return scrambling.unscramble_term(term)  # type: ignore[return-value]

    assert structures(scrambled, back, with_proofs) == structures(facts, evidence=with_proofs)


@pytest.mark.parametrize("name", ["blocksWorld", "connectFour", "minichess", "nim4"])
def test_scrambled_real_sheets_give_the_same_structures(corpus: Path, name: str) -> None:
    rules = Rules.read(corpus / "games" / f"{name}.kif")
    scrambling = scramble(rules, Random(name))

    def back(term: GroundTerm) -> GroundTerm:
        return scrambling.unscramble_term(term)  # type: ignore[return-value]

    scrambled, facts = (facts_of_rules(sheet, proofs=False) for sheet in (scrambling.rules, rules))
    assert structures(scrambled, back) == structures(facts)


@pytest.mark.parametrize("name", every_game())
def test_every_bundled_game(name: str) -> None:
    facts = structure_of(name)
    assert facts.states > 100
    assert facts.left_out == ()
    assert not facts.symmetries.complete
    document = json.loads(json.dumps(facts.to_json()))
    assert document["roles"] == list(facts.roles)
    assert {key["evidence"] for fluent in document["fluents"] for key in fluent["keys"]} <= {"sampled"}


@pytest.mark.parametrize("name", first(1, ["racetrackcorridor", "checkers", "farmers"]))
def test_proofs_and_symmetries_change_nothing_else(name: str) -> None:
    fast, full = structures(structure_of(name)), structures(facts_of(name))
    same = ("relations", "boards", "quantities", "counter", "control", "kind")
    assert {part: fast[part] for part in same} == {part: full[part] for part in same}


@pytest.mark.parametrize("name", ODD_SHEETS)
def test_huge_and_odd_sheets_in_little_time(corpus: Path, name: str) -> None:
    game = load(Rules.read(corpus / "games" / f"{name}.kif"))
    facts = analyse(game, Deadline(0.5), Random(1))
    assert facts.states > 0
    assert json.loads(json.dumps(facts.to_json()))["roles"] == list(game.roles)
    assert game.engine_is_final or facts.left_out


def test_without_time_the_rules_alone_tell_something() -> None:
    facts = analyse(load("breakthrough"), Deadline(0), Random(1))
    assert facts.states == 1
    assert facts.left_out
    assert {key.evidence for modes in facts.modes.values() for key in modes.keys} <= {"sampled"}


def test_a_game_that_cannot_go_on() -> None:
    stuck = "(role me) (init (at 1)) (<= (legal me go) (true nowhere)) (<= terminal (true done)) (goal me 0)"
    facts = facts_of_rules(stuck)
    assert facts.boards == ()


def test_json_names_words_as_the_author_spells_them() -> None:
    sheet = """
    (role Me) (Next A B) (Next B C) (init (At A)) (legal Me Go) (<= (next (At ?y)) (true (At ?x)) (Next ?x ?y))
    (<= terminal (true (At C))) (goal Me 100)
    """
    document = facts_of_rules(sheet.replace("Next", "After")).to_json()
    assert document["roles"] == ["Me"]
    assert ["relation", "After", 2, 0] in next(part for part in document["domains"] if "A" in part["words"])[
        "positions"
    ]
    assert document["relations"][0]["chains"] == [["A", "B", "C"]]
    assert document["step_counter"] == {"facts": ["(At A)", "(At B)", "(At C)"], "ends_at": 2, "evidence": "proved"}


def test_what_is_found_without_a_deadline_depends_on_the_seed_alone() -> None:
    one, other = (facts_of_game(game).to_json() for game in (load("connectfour"), game_of("connectfour")))
    assert one | {"seconds": 0} == other | {"seconds": 0}
