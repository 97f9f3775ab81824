"""The tiers of the tests themselves: nothing is left out by all of them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from _pytest.mark import ParameterSet

from ludens import games, load
from ludens.players import PLAYERS
from tests.tiers import ARCHETYPES, FULL, every_game, pairwise

ROOT = Path(__file__).parents[1]


def in_default(parameters: list[ParameterSet]) -> list[tuple[object, ...]]:
    return [tuple(parameter.values) for parameter in parameters if FULL not in parameter.marks]


def test_archetypes_are_of_all_kinds() -> None:
    infos = [games.info(name) for name in ARCHETYPES]
    assert {"turns", "simultaneous", "chance", "puzzle", "recursive"} <= {tag for info in infos for tag in info.tags}
    assert {1, 2} < {info.roles for info in infos}
    relations = {relation for name in ARCHETYPES for relation in load(name).rules.relations}
    assert {("sees", 2), ("random", 3)} <= relations


def test_every_game_is_in_one_of_the_tiers() -> None:
    assert sorted(str(values[0]) for values in (parameter.values for parameter in every_game())) == list(games.names())
    assert {values[0] for values in in_default(every_game())} == set(ARCHETYPES)
    assert [parameter.values for parameter in every_game(of=["hex", "nim"], but=["hex"])] == [("nim",)]


def test_pairs_are_the_product_and_few_by_default() -> None:
    pairs = pairwise(list(PLAYERS))
    product = {(player, game) for player in PLAYERS for game in games.names()}
    assert {tuple(parameter.values) for parameter in pairs} == product
    default = in_default(pairs)
    assert {player for player, _ in default} == set(PLAYERS)
    assert {game for _, game in default} == set(ARCHETYPES)
    assert len(default) == max(len(PLAYERS), len(ARCHETYPES))


def test_make_runs_every_marked_test() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]
    marked = re.search(r"^MARKED := (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert marked
    assert marked[1].split(" or ") == [line.partition(":")[0] for line in settings["markers"]]
