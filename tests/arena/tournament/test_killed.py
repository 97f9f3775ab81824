"""A tournament that is killed again and again comes to the same end as one that is left alone."""

from __future__ import annotations

import csv
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random

import pytest

from ludens.arena.store import Store
from tests.arena.tournament.processes import all_gone, descendants
from tests.tiers import FULL

PLAN = """
name = "small"
games = ["tictactoe", "rockpaperscissors", "lightsout"]
kind = "{kind}"
seed = 5
nodes = 50
max_steps = 12
[players]
tree = "{strongest}"
any = "random"
first = "legal"
"""
EXIT_INTERRUPTED = 130


def start(folder: Path, store: str) -> subprocess.Popen[bytes]:
    """The tournament as a person starts it; with two matches at a time it is always in the middle of something."""
    command = [sys.executable, "-m", "ludens", "tournament", "plan.toml", "--store", store, "--parallel", "2"]
    return subprocess.Popen(
        [*command, "--csv", f"{store}.csv"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def finish(process: subprocess.Popen[bytes]) -> str:
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0, output.decode()
    return output.decode()


def stored(path: Path) -> int:
    """How many matches a store has."""
    if not path.exists():
        return 0
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)) as connection:
        try:
            return int(connection.execute("SELECT count(*) FROM matches").fetchone()[0])
        except sqlite3.OperationalError:
            return 0


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.01)


def has_come_so_far(process: subprocess.Popen[bytes], path: Path, matches: int) -> bool:
    return stored(path) >= matches or process.poll() is not None


def checked_records(path: Path) -> dict[str, list[list[str]]]:
    """The moves of each job; the store is sound, every job is there once, and all matches are by the rules."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    with Store(path) as store:
        matches = store.matches(tournament="small")
        assert max(Counter(match.job for match in matches).values(), default=1) == 1
        return {str(match.job): store.record(match.match_id).moves for match in matches}


def kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


def interrupt(process: subprocess.Popen[bytes]) -> None:
    """As people do it who cannot wait: Ctrl-C, and again."""
    for _ in range(4):
        process.send_signal(signal.SIGINT)
        time.sleep(0.03)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == EXIT_INTERRUPTED, output.decode()
    assert b"interrupted; the same command goes on from here" in output
    assert not any(word in output for word in (b"Traceback", b"Error", b"Exception"))


@pytest.mark.parametrize(
    ("kind", "strongest", "interruptions"),
    [
        pytest.param("roundrobin", "uct", [interrupt, kill, kill], marks=FULL),
        pytest.param("swiss", "random", [kill, kill], marks=FULL),
        ("swiss", "random", [kill]),
    ],
)
def test_broken_off_again_and_again(
    kind: str, strongest: str, interruptions: list[Callable[[subprocess.Popen[bytes]], None]], tmp_path: Path
) -> None:
    (tmp_path / "plan.toml").write_text(PLAN.format(kind=kind, strongest=strongest))
    undisturbed = finish(start(tmp_path, "whole.sqlite"))
    rng = Random(kind)
    path = tmp_path / "killed.sqlite"
    for break_off in interruptions:
        goal = stored(path) + rng.randint(1 if break_off is interrupt else 0, 3)
        process = start(tmp_path, "killed.sqlite")
        wait_for(partial(has_come_so_far, process, path, goal))
        time.sleep(rng.random() * (0.0 if break_off is interrupt else 0.3))
        below = descendants(process.pid)
        break_off(process)
        wait_for(partial(all_gone, below), 20)
        checked_records(path)
    finished = finish(start(tmp_path, "killed.sqlite"))
    assert finished.replace("killed", "whole") == undisturbed
    assert checked_records(path) == checked_records(tmp_path / "whole.sqlite")
    for suffix in (".csv", "-standings.csv"):
        tables = [(tmp_path / f"{name}.sqlite{suffix}").read_text() for name in ("killed", "whole")]
        assert tables[0] == tables[1]
    rows = csv.DictReader((tmp_path / "killed.sqlite.csv").read_text().splitlines())
    assert not any(row["failure"] for row in rows)
