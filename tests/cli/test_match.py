"""`ludens match`: players against each other, with what they think."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ludens import load
from ludens.arena.store import Store
from ludens.cli.spectator import bars
from tests.child import PATIENCE, start
from tests.cli.command import run


def test_a_match_shows_moves_values_and_lines() -> None:
    outcome = run("match", "tictactoe", "--players", "uct", "alphabeta", "--clock", "1", "--seed", "1")
    assert outcome.code == 0
    assert outcome.out.startswith("tictactoe: x is uct, o is alphabeta")
    assert outcome.out.count("│") > 60, "a board after each move"
    assert re.search(r"1\. x: mark \d \d\n +uct: expects x \d+, o \d+.*, [\d,]+ nodes, .*depth \d+.* s\n", outcome.out)
    assert re.search(r"2\. o: mark \d \d\n +alphabeta: expects x 50, o 50 for certain", outcome.out)
    assert re.search(r"\n +mark \d \d, mark \d \d, mark", outcome.out), "the line that is expected"
    assert "a draw: x 50, o 50" in outcome.out
    assert re.search(r"what uct expected as x: [▁▂▃▄▅▆▇█]{4,5}\n", outcome.out)
    assert re.search(r"what alphabeta expected as o: ▅{4}\n", outcome.out)


def test_the_same_seed_gives_the_same_match() -> None:
    def moves(seed: str) -> list[str]:
        outcome = run("match", "nim", "montecarlo", "random", "--seed", seed, "--no-boards")
        assert outcome.code == 0
        return re.findall(r"\d+\. (.*)", outcome.out)

    assert moves("4") == moves("4")
    assert moves("4") != moves("5")


def test_the_board_is_drawn_once_if_not_after_each_move() -> None:
    outcome = run("match", "tictactoe", "legal", "legal", "--no-boards")
    assert outcome.out.count("┌") == 1
    assert "expects" not in outcome.out


def test_fewer_players_than_roles_take_turns() -> None:
    outcome = run("match", "threeway", "legal", "random", "--seed", "1", "--no-boards")
    assert outcome.code == 0
    assert re.match(r"threeway: \w+ is legal, \w+ is random, \w+ is legal\n", outcome.out)


SELF_REFERRING = """
(role me) (init lost) (next lost) (legal me left) (legal me right) (<= (legal me up) (does me left))
(<= (next found) (does me right)) (<= terminal (true found))
(<= (goal me 100) (true found)) (<= (goal me 0) (not (true found)))
"""
"""What is legal depends on what is done, so it cannot be compiled, and its goals cannot be read."""


@pytest.mark.parametrize("command", ["match", "host"])
def test_players_say_once_why_they_play_otherwise_than_by_their_name(command: str, tmp_path: Path) -> None:
    sheet = tmp_path / "found.kif"
    sheet.write_text(SELF_REFERRING)
    kept = ("--store", tmp_path / "matches.sqlite") if command == "host" else ()
    outcome = run(command, sheet, "fluxplayer", "--seed", "1", "--no-boards", *kept)
    assert outcome.code == 0
    assert outcome.out.count("me: states are valued as if the game ended there: the rules cannot be compiled (") == 1
    assert outcome.out.index("cannot be compiled") < outcome.out.index("1. ")
    assert re.search("me +fluxplayer +100 +0", outcome.out) or command == "match", "it is no fault"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tictactoe", "--players", "uct", "deepblue"], "there is no player 'deepblue'; there are alphabeta"),
        (["tictactoe", "uct", "uct", "uct"], "tictactoe is played by x, o; 3 players are too many"),
        (["tictacto", "uct"], "did you mean tictactoe"),
        (["tictactoe"], "Missing argument"),
        (["tictactoe", "uct", "--clock", "0"], "Input should be greater than or equal to 0.01"),
    ],
)
def test_bad_input(arguments: list[str], message: str) -> None:
    outcome = run("match", *arguments)
    assert outcome.code != 0
    assert message in " ".join(re.sub("[│╭╰─╮╯]", " ", outcome.err).split())
    assert "Traceback" not in outcome.err


def test_bars() -> None:
    assert bars([0, 12.4, 12.6, 50, 87.6, 100]) == "▁▁▂▅██"
    assert bars([]) == ""


def test_a_match_is_kept_unless_that_is_not_wanted(tmp_path: Path) -> None:
    path = tmp_path / "matches.sqlite"
    sheet = ("nim", "legal", "random", "--seed", "1", "--no-boards", "--store", path)
    assert run("match", *sheet, "--no-keep").code == 0
    assert not path.exists()
    assert run("match", *sheet).code == 0
    assert run("play", "nim", "--watch", "--player", "legal", "--store", path).code == 0
    with Store(path) as store:
        first, second = store.matches()
        assert first.players == ("legal", "random")
        assert second.players == ("legal", "legal")
        assert first.status == second.status == "completed"
        record = store.record(first.match_id)
    assert record.is_player_human == [False, False]
    assert len(list(record.replay(load("nim")))) == record.turns + 1
    shown = run("replay", first.match_id, "--store", path, "--no-boards")
    assert shown.code == 0
    assert "first is legal, second is random" in shown.out
    assert first.match_id in run("matches", "--store", path).out


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_match_that_is_ended_from_outside_is_kept_as_aborted(name: str, tmp_path: Path) -> None:
    path = tmp_path / "matches.sqlite"
    command = [sys.executable, "-m", "ludens", "match", "chess", "legal", "uct", "--clock", "300", "--start", "0.1"]
    child = start([*command, "--store", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout
    while not child.stdout.readline().startswith("1. white"):
        assert child.poll() is None
    child.send_signal(getattr(signal, name))
    child.communicate(timeout=PATIENCE)
    assert child.returncode == 130
    with Store(path) as store:
        assert [(match.players, match.status) for match in store.matches()] == [(("legal", "uct"), "aborted")]


def test_a_store_that_cannot_be_written_is_told_and_fails_no_match(tmp_path: Path) -> None:
    outcome = run("match", "nim", "legal", "--no-boards", "--store", tmp_path)
    assert outcome.code == 0
    assert "wins: " in outcome.out
    assert outcome.err.startswith("warning: matches are not kept: ")
