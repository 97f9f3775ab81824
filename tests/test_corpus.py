"""A bounded sample of the corpus; `make corpus` replays all of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludens.errors import LudensError
from ludens.gdl.rules import Rules
from tests.corpus_replay import Disagreement, EngineName, load_trace, replay_game, trace_names

SLICES = 8
STEPS = 8
SECONDS_PER_GAME = 1.0
SHORT = 4500
"""Bytes of a sheet that is compiled in no time, as a rule."""


def test_every_sheet_parses_and_prints_back(corpus: Path) -> None:
    sheets = sorted([*corpus.glob("games/*.kif"), *corpus.glob("gdl2/*.kif")])
    assert len(sheets) > 200
    faults = []
    for sheet in sheets:
        try:
            rules = Rules.read(sheet)
            if Rules.parse(rules.to_kif()) != rules:
                faults.append(f"{sheet.name}: printing and reading again gives other rules")
        except LudensError as error:
            faults.append(f"{sheet.name}: {error}")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("part", range(SLICES))
def test_engine_reproduces_the_beginning_of_recorded_play(corpus: Path, part: int) -> None:
    """The first steps of the first playout; games whose recording was cut for time are left to `make corpus`."""
    disagreements: list[Disagreement] = []
    for name in trace_names(corpus)[part::SLICES]:
        if load_trace(corpus, name)["playouts"][0]["finished"]:
            replay = replay_game(corpus, name, SECONDS_PER_GAME, max_playouts=1, max_steps=STEPS)
            assert replay.states > 0, name
            disagreements += replay.disagreements
    assert not disagreements, "\n".join(map(str, disagreements))


@pytest.mark.parametrize("engine", ["sliced", "native"])
@pytest.mark.parametrize("part", range(SLICES))
def test_compiled_engines_reproduce_the_beginning_of_recorded_play(corpus: Path, part: int, engine: EngineName) -> None:
    """Of all short sheets."""
    names = [name for name in trace_names(corpus) if (corpus / "games" / f"{name}.kif").stat().st_size <= SHORT]
    disagreements: list[Disagreement] = []
    for name in names[part::SLICES]:
        replay = replay_game(corpus, name, max_playouts=2, max_steps=STEPS, engine=engine)
        assert replay.is_complete, name
        disagreements += replay.disagreements
    assert not disagreements, "\n".join(map(str, disagreements))
