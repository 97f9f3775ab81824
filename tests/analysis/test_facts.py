"""The analysis as a whole: the same in other words, on any game, and in time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ludens import games, load
from ludens.analysis.facts import GameFacts, analyse
from ludens.core import Deadline, GroundTerm
from ludens.game import Game
from ludens.gdl.rules import Rules
from ludens.gdl.scramble import scramble
from tests.analysis.analysed import facts_of, facts_of_rules

ODD_SHEETS = (
    *("ad_game_2x2", "amazonsSuicide", "chess", "factoringImpossibleTurtleBrain", "god", "hexPie", "qyshinsu"),
    *("ruleDepthLinear", "shogi_ctk", "sudokuGrade6H", "ticTacToeNoVars", "tictactoe_3d_6player", "urmAdd", "wallmaze"),
)
PATIENCE = 4.0
"""Seconds that an analysis may be late, on a busy machine."""

Rename = Callable[[GroundTerm], GroundTerm]


def structures(facts: GameFacts, rename: Rename = lambda term: term) -> dict[str, Any]:
    """All but what chance or time may change, in other words."""

    def words(terms: Any) -> list[GroundTerm]:
        return [rename(term) for term in terms]

    return {
        "relations": [
            (rename(relation.pattern), relation.is_successor, relation.is_order, words(map(tuple, relation.chains)))
            for relation in facts.relations
        ],
        "keys": {
            rename(name): [(key.inputs, key.full) for key in modes.keys] for (name, _), modes in facts.modes.items()
        },
        "boards": [
            (
                rename(board.signature[0]),
                [(axis.argument, words(axis.words), bool(axis.order)) for axis in board.axes],
                [(axis.argument, words(axis.words)) for axis in board.selectors],
                [(words(content.words), content.kind, content.unique, content.owner) for content in board.contents],
            )
            for board in facts.boards
        ],
        "quantities": [(rename(q.signature[0]), q.argument, words(q.order.words)) for q in facts.quantities],
        "counter": facts.counter and (words(facts.counter.facts), facts.counter.ends_at),
        "control": facts.control
        and (sorted((rename(fact), role) for fact, role in facts.control.turns.items()), facts.control.order),
        "kind": facts.kind,
        "symmetries": (len(facts.symmetries.exact), len(facts.symmetries.apart_from_start)),
    }


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    "name",
    [
        "tictactoe",
        "racetrackcorridor",
        "breakthrough",
        "eightpuzzle",
        "hallway",
        "connectfour",
        "nim",
        "prisonersdilemma",
    ],
)
def test_scrambled_rules_give_the_same_structures(name: str, seed: int) -> None:
    facts = facts_of(name)
    scrambling = scramble(facts.rules, Random(seed))
    scrambled = facts_of_rules(scrambling.rules)

    def back(term: GroundTerm) -> GroundTerm:
        return scrambling.unscramble_term(term)  # type: ignore[return-value]

    assert structures(scrambled, back) == structures(facts)


@pytest.mark.parametrize("name", ["blocksWorld", "connectFour", "minichess", "nim4"])
def test_scrambled_real_sheets_give_the_same_structures(corpus: Path, name: str) -> None:
    rules = Rules.read(corpus / "games" / f"{name}.kif")
    scrambling = scramble(rules, Random(name))

    def back(term: GroundTerm) -> GroundTerm:
        return scrambling.unscramble_term(term)  # type: ignore[return-value]

    assert structures(facts_of_rules(scrambling.rules), back) == structures(facts_of_rules(rules))


def analysed_in_time(game: Game, seconds: float) -> GameFacts:
    begun = time.monotonic()
    facts = analyse(game, Deadline(seconds), Random(1))
    assert time.monotonic() - begun < seconds + PATIENCE
    assert json.loads(json.dumps(facts.to_json()))["roles"] == list(game.roles)
    return facts


@pytest.mark.parametrize("name", games.names())
def test_every_bundled_game(name: str) -> None:
    facts = analysed_in_time(load(name), 0.7)
    assert facts.states > 0


@pytest.mark.parametrize("name", ODD_SHEETS)
def test_huge_and_odd_sheets_end_in_time_and_say_what_is_missing(corpus: Path, name: str) -> None:
    facts = analysed_in_time(load(Rules.read(corpus / "games" / f"{name}.kif")), 1.5)
    proved = [key.evidence == "proved" for modes in facts.modes.values() for key in modes.keys]
    assert facts.left_out or all(proved) or facts.symmetries.complete


def test_without_time_the_rules_alone_tell_something() -> None:
    facts = analyse(load("breakthrough"), Deadline(0), Random(1))
    assert facts.states == 1
    assert facts.left_out
    assert {key.evidence for modes in facts.modes.values() for key in modes.keys} <= {"sampled"}


def test_a_game_that_cannot_go_on() -> None:
    stuck = "(role me) (init (at 1)) (<= (legal me go) (true nowhere)) (<= terminal (true done)) (goal me 0)"
    facts = facts_of_rules(stuck, seconds=2)
    assert facts.boards == ()


def test_json_names_words_as_the_author_spells_them() -> None:
    sheet = """
    (role Me) (Next A B) (Next B C) (init (At A)) (legal Me Go) (<= (next (At ?y)) (true (At ?x)) (Next ?x ?y))
    (<= terminal (true (At C))) (goal Me 100)
    """
    document = facts_of_rules(sheet.replace("Next", "After")).to_json()
    assert document["roles"] == ["Me"]
    assert document["relations"][0]["chains"] == [["A", "B", "C"]]
    assert document["step_counter"] == {"facts": ["(At A)", "(At B)", "(At C)"], "ends_at": 2, "evidence": "proved"}


def test_the_same_seed_gives_the_same_facts() -> None:
    one, other = (structures(analyse(load("checkers"), Deadline(15), Random(5))) for _ in range(2))
    assert one == other
