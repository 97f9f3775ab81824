"""Where facts to draw come from: what ships with games, what is kept, and that both are what an analysis finds."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from ludens import Game, games, load
from ludens.analysis.facts import GameFacts
from ludens.analysis.states import SampledStates, sample_states
from ludens.boards import draw_facts, facts_cache, make_layout
from ludens.boards.facts_cache import (
    bundled_facts,
    cache_facts,
    compute_facts,
    facts_to_draw,
    sampled_facts,
    stored_facts,
)
from ludens.boards.facts_json import from_values, to_values
from ludens.gdl.rules import Rules
from ludens.runtime.deadline import Deadline
from tests.tiers import every_game

ENOUGH = 60.0
SHEET = """
(role white) (role black) (init (control white)) (next_to 1 2) (next_to 2 3)
(<= (init (cell ?x ?y empty)) (place ?x) (place ?y)) (place 1) (place 2) (place 3)
(<= (next (cell ?x ?y ?r)) (does ?r (put ?x ?y)))
(<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (does ?r (put ?u ?v)) (distinct ?x ?u))
(<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (does ?r (put ?u ?v)) (distinct ?y ?v))
(<= (next (control black)) (true (control white))) (<= (next (control white)) (true (control black)))
(<= (legal ?r (put ?x ?y)) (true (control ?r)) (true (cell ?x ?y empty)))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= open (true (cell ?x ?y empty))) (<= terminal (not open)) (<= (goal ?r 50) (role ?r))
"""


@cache
def analysed() -> tuple[Game, GameFacts]:
    game = load(SHEET)
    assert game.compile()
    facts = sampled_facts(game, Deadline(ENOUGH))
    assert facts is not None
    return game, facts


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where facts are kept."""
    monkeypatch.setenv("LUDENS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def shipped(name: str) -> str:
    return (resources.files("ludens.boards") / "bundled" / f"{name}.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name", every_game(of=["blocksworld", "hanoi", "nim", "rockpaperscissors", "tictactoe", "wirepuller"])
)
def test_what_ships_is_what_the_analysis_finds(name: str) -> None:
    game = load(name)
    assert game.compile()
    facts = sampled_facts(game, Deadline(ENOUGH))
    assert facts is not None
    assert json.loads(json.dumps(to_values(facts))) == json.loads(shipped(name)), "run `make docs`"


def test_changed_rules_have_no_facts_that_ship() -> None:
    sheet = games.find("tictactoe")
    assert sheet is not None
    text = sheet.read_text(encoding="utf-8")
    assert bundled_facts(Game(Rules.parse(text), "tictactoe")) is not None
    assert bundled_facts(Game(Rules.parse(f"{text} (more 1)"), "tictactoe")) is None
    assert bundled_facts(Game(Rules.parse(text), "nim")) is None


def test_facts_survive_as_values() -> None:
    game, facts = analysed()
    back = from_values(game, json.loads(json.dumps(to_values(facts))))
    assert set(back.fluents) == set(facts.fluents)
    assert back.relations == facts.relations
    worked_out = {name: getattr(facts, name) for name in ("fluents", "graph", "orders", "symmetries", "seconds")}
    same = replace(back, **worked_out)
    assert same == facts
    with pytest.raises(ValueError, match="other rules"):
        from_values(load("nim"), to_values(facts))


def test_found_facts_are_kept(folder: Path) -> None:
    game, facts = analysed()
    assert stored_facts(game) is None
    assert compute_facts(game, Deadline(ENOUGH)) is not None
    kept = stored_facts(load(SHEET))
    assert kept is not None
    assert to_values(kept) == to_values(facts)
    assert len(list(folder.glob("*.board"))) == 1


def test_what_was_found_before_the_engine_was_clear_is_not_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A circuit that is ready only when the states have been sampled: another time there will be more of them."""
    really = sample_states

    def slowly(game: Game, *arguments: Any, **options: Any) -> SampledStates:
        states = really(game, *arguments, **options)
        assert game.compile()
        return states

    monkeypatch.setattr(facts_cache, "COMPILE_SECONDS", 0.0)
    monkeypatch.setattr(facts_cache, "sample_states", slowly)
    game = load(f"{SHEET} (slow 1)")
    facts = compute_facts(game, Deadline(ENOUGH))
    assert facts is not None
    assert facts.states <= facts_cache.UNCOMPILED_STATES
    assert game.engine_is_final
    assert stored_facts(game) is None


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1], lambda data: b"", lambda data: data[:80] + b"{" + data[81:]]
)
def test_damaged_files_are_ignored(folder: Path, damage: object) -> None:
    game, facts = analysed()
    cache_facts(game, facts)
    (file,) = folder.glob("*.board")
    file.write_bytes(damage(file.read_bytes()))  # type: ignore[operator]
    assert stored_facts(game) is None


def test_a_folder_that_cannot_be_written_is_no_problem(folder: Path) -> None:
    folder.write_text("a file, not a folder")
    game, facts = analysed()
    cache_facts(game, facts)
    assert stored_facts(game) is None


def test_without_time_there_is_the_first_look(folder: Path) -> None:
    game = load(SHEET)
    facts = facts_to_draw(game, Deadline(0))
    assert facts.states == 1
    drawn = draw_facts(make_layout(game, facts), game.initial_state().terms)
    assert [len(grid.cells) for grid in drawn.grids] == [9]
    assert stored_facts(game) is None
