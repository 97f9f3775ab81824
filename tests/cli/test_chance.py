"""Games with random variables on the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.chance.paper import paper_game
from tests.chance.sheets import CARDS, LOADED
from tests.cli.command import run


@pytest.fixture
def cards(tmp_path: Path) -> str:
    path = tmp_path / "cards.kif"
    path.write_text(CARDS)
    return str(path)


def test_check_plays_them(cards: str) -> None:
    outcome = run("check", cards, "--play", "30")
    assert (outcome.code, outcome.out) == (0, f"{cards}: no problems, 2 roles, 25 rules, 30 plays\n")


def test_simulate(cards: str) -> None:
    outcome = run("simulate", cards, "--count", "4000", "--seed", "1", "--json")
    found = json.loads(outcome.out)
    assert outcome.code == 0
    assert set(found["roles"]) == {"north", "south"}


def test_show(cards: str) -> None:
    outcome = run("show", cards)
    assert "2 roles, taking turns, with chance, zero-sum (goals add up to 100)" in outcome.out
    circuit = run("show", cards, "--circuit")
    assert "2 of random" not in circuit.out
    assert re.search(r"\d+ of random", circuit.out)


def test_perft_counts_what_chance_does(cards: str) -> None:
    outcome = run("perft", cards, "1")
    assert outcome.code == 0
    assert re.search(r"^ +1 +8 +1 ", outcome.out, re.MULTILINE), "two moves of north, four units"


def test_solve(cards: str) -> None:
    assert "north 50, south 50" in run("solve", cards).out
    paper = paper_game(CARDS)
    expected = float(paper.value(paper.next(paper.start, (("draw", "two"), "noop")), 0))
    assert f"north {expected:.4g}, south" in run("solve", cards, "--after", "draw two").out
    refused = run("solve", cards, "--after", "draw five")
    assert "draw five is not legal for north; legal: (draw (ace hearts))" in refused.err
    everything = run("solve", cards, "--all").out
    assert re.search(r"north +draw pack .*\n.*north +pass", everything)


def test_match_tells_outcomes(cards: str) -> None:
    outcome = run("match", cards, "uct", "alphabeta", "--seed", "1")
    assert outcome.code == 0
    assert "failed" not in outcome.out
    assert re.search(r"1\. north: draw [a-z() ]+\n", outcome.out)
    assert "pack" not in outcome.out
    assert "wins: north" in outcome.out


def test_watched_play(cards: str) -> None:
    outcome = run("play", cards, "--watch", "--player", "montecarlo", "--seed", "5")
    assert outcome.code == 0
    assert "failed" not in outcome.out
    assert re.search(r"(north|south) wins: north \d+, south \d+", outcome.out)


def test_play(tmp_path: Path) -> None:
    (tmp_path / "die.kif").write_text(LOADED)
    options = ("--role", "player", "--seed", 4)
    outcome = run("play", tmp_path / "die.kif", *options, stdin=b"throw die\nstop\n")
    assert outcome.code == 0
    assert re.search(
        r"1\. player: throw .*player> .*2\. player: throw .*player> .*player gets ", outcome.out, re.DOTALL
    )


def test_errors_of_sheets_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "both.kif"
    path.write_text(LOADED + "(role random)")
    outcome = run("simulate", str(path))
    assert outcome.code != 0
    assert "both a role `random` and a relation `random`" in outcome.err
