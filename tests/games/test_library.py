"""Every bundled game: described, sound, and as its description says."""

from __future__ import annotations

from importlib import resources
from itertools import islice
from random import Random

import pytest

from ludens import games
from ludens.analysis.perft import perft
from ludens.analysis.playtest import playtest
from ludens.analysis.sampling import sample
from ludens.runtime.deadline import Deadline
from tests.analysis.analysed import game_of
from tests.tiers import every_game

NAMES = games.names()


def test_every_sheet_has_its_description_and_no_description_is_left_over() -> None:
    files = {file.name for file in resources.files(games).iterdir()}
    hinted = {name.removesuffix(games.HINTS_SUFFIX) for name in files if name.endswith(games.HINTS_SUFFIX)}
    others = {name for name in files if not name.endswith(games.HINTS_SUFFIX)}
    described = {name.removesuffix(".toml") for name in others if name.endswith(".toml")}
    assert hinted <= set(NAMES)
    assert described == set(NAMES)
    assert [game.name for game in games.catalogue()] == list(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_description_is_complete(name: str) -> None:
    info = games.info(name)
    assert info.title
    assert info.description.endswith(".")
    assert len(info.description) <= 100
    assert 60 <= len(info.rules) <= 1200
    assert max(map(len, info.rules.splitlines())) <= 120
    assert set(info.tags) <= set(games.TAGS)
    assert len(set(info.tags)) == len(info.tags)


@pytest.mark.parametrize("name", every_game())
def test_the_tags_are_true(name: str) -> None:
    game, info = game_of(name), games.info(name)
    seen = sample(game, 10, Random(name), Deadline.never())
    assert info.roles == game.traits.roles
    assert ("puzzle" in info.tags) == (info.roles == 1)
    assert ("chance" in info.tags) == game.traits.chance
    assert ("simultaneous" in info.tags) == seen.simultaneous
    assert ("turns" in info.tags) == (not seen.simultaneous)
    graph = game.rules.dependencies
    loops = [part for part in graph.components if len(part) > 1 or part[0] in graph.uses(part[0])]
    assert loops or "recursive" not in info.tags


@pytest.mark.parametrize("name", every_game())
def test_play_shows_no_fault(name: str) -> None:
    """What play shows is in `base` and `input`, too."""
    game = game_of(name)
    assert game.base_facts() is not None
    assert game.input_moves() is not None
    assert [str(found) for found in playtest(game, 5, Random(name)) if found.severity != "info"] == []


@pytest.mark.parametrize("name", every_game(of=[game.name for game in games.catalogue() if game.facts.perft]))
def test_known_counts(name: str) -> None:
    expected = games.info(name).facts.perft
    levels = islice(perft(game_of(name).initial_state()), len(expected))
    assert tuple(level.nodes for level in levels) == expected


def test_names_are_found_however_they_are_written() -> None:
    for written in ("Tic-Tac-Toe", "tic tac toe", "TICTACTOE", "tic_tac_toe"):
        sheet = games.find(written)
        assert sheet is not None
        assert sheet.name == "tictactoe.kif"
    with pytest.raises(KeyError):
        games.info("no such game")
