"""A game is drawn at once, and better when it has been looked at."""

from __future__ import annotations

import pytest

from ludens import Game
from ludens.boards import Hints, ProgressiveLayout, progressive_layout
from ludens.errors import HintError
from ludens.runtime.deadline import Deadline
from tests.boards.drawn import bundled


def test_what_is_known_is_final() -> None:
    layouts = ProgressiveLayout(bundled("chess")[0])
    assert layouts.is_final
    assert layouts.layout.facts.control is not None
    assert layouts.best(Deadline(0)) is layouts.layout
    assert not layouts.refresh()


def test_an_unknown_game_gets_better(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDENS_CACHE", "off")
    layouts = ProgressiveLayout(Game(bundled("tictactoe")[0].rules))
    first = layouts.layout
    assert (first.facts.states, first.facts.control) == (1, None)
    best = layouts.best(Deadline.never())
    assert best.facts.control is not None
    assert layouts.layout is first
    assert layouts.refresh()
    assert layouts.layout is best
    assert layouts.is_final
    assert not layouts.refresh()


def test_without_time_the_first_look_has_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDENS_CACHE", "off")
    layouts = ProgressiveLayout(Game(bundled("tictactoe")[0].rules), seconds=0.0)
    assert layouts.best(Deadline.never()) is layouts.layout
    assert not layouts.refresh()
    assert layouts.is_final


def test_wrong_hints_are_told_at_once() -> None:
    with pytest.raises(HintError, match="no such role"):
        ProgressiveLayout(bundled("tictactoe")[0], Hints.from_toml('[roles.green]\nname = "g"'))


def test_whatever_goes_wrong_in_the_background_the_first_look_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ValueError("a mistake")

    monkeypatch.setenv("LUDENS_CACHE", "off")
    monkeypatch.setattr(progressive_layout, "compute_facts", fails)
    layouts = ProgressiveLayout(Game(bundled("tictactoe")[0].rules))
    assert layouts.best(Deadline.never()) is layouts.layout
    assert not layouts.refresh()
    assert layouts.is_final
