"""`ludens perft`."""

from __future__ import annotations

import json

import pytest

from tests.cli.command import run


def table(text: str) -> list[list[str]]:
    return [line.replace(",", "").split() for line in text.splitlines()]


def test_levels() -> None:
    outcome = run("perft", "tictactoe", 5)
    assert outcome.code == 0
    heading, *rows = table(outcome.out)
    assert heading == ["depth", "nodes", "ended", "positions", "seconds"]
    assert [row[:4] for row in rows] == [
        ["1", "9", "0", "9"],
        ["2", "72", "0", "72"],
        ["3", "504", "0", "252"],
        ["4", "3024", "0", "756"],
        ["5", "15120", "1440", "1260"],
    ]


def test_depth_beyond_the_end() -> None:
    outcome = run("perft", "rockpaperscissors", 8)
    assert outcome.out.splitlines()[-1] == "all games have ended after 5 joint moves"


def test_divide() -> None:
    rows = table(run("perft", "nim", 2, "--divide").out.split("by the first of them")[1].strip())
    assert len(rows) == 12
    assert rows[0] == ["first:", "take", "a", "1", "11"]
    assert sum(int(row[-1]) for row in rows) == 113


def test_json() -> None:
    document = json.loads(run("perft", "nim", 2, "--divide", "--json").out)
    assert document["game"] == "nim"
    assert [(level["depth"], level["nodes"], level["ended"]) for level in document["levels"]] == [
        (1, 12, 0),
        (2, 113, 0),
    ]
    assert document["divide"][0] == {"moves": ["(take a 1)", "noop"], "nodes": 11}
    assert "divide" not in json.loads(run("perft", "nim", 1, "--json").out)


@pytest.mark.parametrize("depth", ["0", "-1", "many"])
def test_bad_depth(depth: str) -> None:
    outcome = run("perft", "nim", "--", depth)
    assert outcome.code == 2
    assert "DEPTH" in outcome.err


def test_unknown_game() -> None:
    outcome = run("perft", "tictaktoe", 1, "--json")
    assert (outcome.code, outcome.out) == (1, "")
    assert "did you mean tictactoe" in outcome.err
