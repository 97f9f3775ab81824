"""The relational engine says what the reference engine says, about every game."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given

from ludens import games, load
from ludens.core import GroundTerm
from ludens.engines.relational import (
    RelationalEngine,
    compiler,
    flatten,
    keys,
    planner,
    recursion,
    runtime,
    statics,
)
from ludens.gdl.rules import Rules
from tests import corpus_replay
from tests.engines.relational.agreement import compare, compare_seen, compare_walk
from tests.engines.relational.random_sheets import random_sheet
from tests.engines.relational.sheets import SHEETS, random_games
from tests.engines.sliced import test_sheets
from tests.engines.sliced.agreement import Witness, known_states, witness_of
from tests.engines.test_reference_logic import STATES
from tests.tiers import examples


@pytest.fixture(scope="module", autouse=True)
def plain_code() -> Iterator[None]:
    """Machine code as it is made of long assembly, in less time; `test_engine` has the other kind."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiler, "SHORT_CODE", 0)
        yield


@pytest.mark.parametrize("name", games.names())
def test_bundled_games_agree(name: str) -> None:
    compare_seen(load(name).engine_rules, witness_of(name), known_states(name)[:6], 1)


@pytest.mark.parametrize("name", SHEETS)
def test_all_that_rules_can_do(name: str) -> None:
    compare_walk(Rules.parse(SHEETS[name]), 150, 2)


@pytest.mark.parametrize("name", test_sheets.SHEETS)
def test_small_sheets_agree(name: str) -> None:
    compare_walk(Rules.parse(test_sheets.SHEETS[name]), 30, 3)


@examples(8)
@given(random_games(), STATES)
def test_random_rules_agree(rules: Rules, facts: frozenset[GroundTerm]) -> None:
    witness = Witness(rules)
    engine = RelationalEngine.compile(rules, witness.engine)
    compare(engine, [witness.look(facts, Random(1), joints=8)])


@pytest.mark.parametrize("seed", [122, 1035, 1110, 1136, 1185, 1222, *range(6)])
def test_random_sheets_agree(seed: int) -> None:
    compare_walk(Rules.parse(random_sheet(seed)), 12, seed)


@pytest.mark.parametrize("seed", range(8))
def test_twisted_sheets_agree(seed: int) -> None:
    compare_walk(Rules.parse(random_sheet(seed, twisted=True)), 12, seed)


@pytest.mark.parametrize("seed", range(8))
def test_it_does_not_matter_how_rules_are_compiled(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is done only for big games is done for small ones."""
    rng = Random(seed)
    for module, name, values in (
        (runtime, "CROWD", [0]),
        (runtime, "DEEPEST", [1, 50]),
        (recursion, "WORTHWHILE_TEST", [0.0, 300.0]),
        (recursion, "WORTHWHILE_LIST", [0.0, 100.0]),
        (recursion, "MOST_PATHS", [0, 4096]),
        (keys, "MOST_CODES", [0, 3]),
        (statics, "MOST_WORK", [3, 30]),
        (compiler, "MOST_RULES_TOGETHER", [0]),
        (planner, "COST_OF_THE_REST", [-5.0, 0.0]),
        (flatten, "MOST_SHAPES", [0, 1, 100]),
    ):
        monkeypatch.setattr(module, name, rng.choice(values))
    rules = test_sheets.random_sheet(Random(seed)) if seed % 2 else Rules.parse(random_sheet(seed, twisted=True))
    compare_walk(rules, 8, seed)


@pytest.mark.parametrize("seed", range(6))
def test_random_recursions_agree(seed: int) -> None:
    compare_walk(test_sheets.random_sheet(Random(seed)), 40, seed)


@pytest.mark.parametrize("name", ["merrills", "qyshinsu", "amazonsTorus_10x10", "hex", "blocksWorldSerial"])
def test_real_sheets_agree(corpus: Path, name: str) -> None:
    compare_walk(Rules.read(corpus / "games" / f"{name}.kif"), 6, 4)


class RelationalGame(corpus_replay.SettledGame):
    """A game on the relational engine."""

    def __init__(self, rules: Rules, *_: object) -> None:
        super().__init__(rules, "reference")
        self._settled = RelationalEngine.compile(rules, self.reference_engine)


@pytest.mark.parametrize("name", ["chess", "amazons", "quad", "checkers-mustjump-torus", "god"])
def test_recorded_play_is_reproduced(corpus: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_replay, "SettledGame", RelationalGame)
    replay = corpus_replay.replay_game(corpus, name, max_playouts=1, max_steps=25)
    assert replay.states > 1
    assert not replay.disagreements


def test_states_that_no_play_reaches_agree_too() -> None:
    rules = load("connectfour").engine_rules
    witness = Witness(rules)
    engine = RelationalEngine.compile(rules, witness.engine)
    walk = list(islice(witness.walk(Random(5)), 40))
    mixed = [before.facts | after.facts for before, after in pairwise(walk)]
    compare(engine, [witness.look(facts, Random(6)) for facts in mixed])
