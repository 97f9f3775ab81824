"""CONTRIBUTING.md: its map has all packages, and its walks are what really happens."""

from __future__ import annotations

import ast
import inspect
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import pytest

import ludens
from ludens import players
from ludens.arena.store import Store
from ludens.arena.tournament.plan import load_plan
from ludens.arena.tournament.runner import Tournament, play_until_interrupted
from ludens.core import Clocks
from ludens.runtime.deadline import Deadline
from ludens.web.page_service import PageService
from tests.child import ROOT

PACKAGE = ROOT / "src" / "ludens"
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
STEP = re.compile(r"^\d+\. `([\w/]+\.py)`: `([\w.]+)`", re.MULTILINE)
MAX_STEPS = 10
SHEET = """
(role me) (role you) (init (left 5)) (init (control me)) (less 0 1) (less 1 2) (less 2 3) (less 3 4) (less 4 5)
(<= (legal ?r one) (true (control ?r))) (<= (legal ?r two) (true (control ?r)) (not (true (left 1))))
(<= (legal me noop) (true (control you))) (<= (legal you noop) (true (control me)))
(<= (next (control you)) (true (control me))) (<= (next (control me)) (true (control you)))
(<= (next (left ?n)) (does ?r one) (true (left ?m)) (less ?n ?m))
(<= (next (left ?n)) (does ?r two) (true (left ?l)) (less ?m ?l) (less ?n ?m))
(<= terminal (true (left 0))) (<= (goal ?r 100) (true (control ?r))) (<= (goal me 0) (true (control you)))
(<= (goal you 0) (true (control me)))
"""

Step = tuple[str, str]


def walk(title: str) -> list[Step]:
    """The steps of a walk: file, and name in it."""
    found = STEP.findall(TEXT.split(f"\n{title}:\n\n")[1].split("\n\n")[0])
    assert 5 <= len(found) <= MAX_STEPS
    return found


WALKS = ("A rule sheet to a move", "A click to a drawn reply", "A tournament job to its result")


def defined_names(path: Path) -> Iterator[str]:
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        if isinstance(node, ast.ClassDef):
            yield from (
                f"{node.name}.{part.name}"
                for part in node.body
                if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)
            )


@pytest.mark.parametrize("title", WALKS)
def test_walks_name_what_there_is(title: str) -> None:
    for file, name in walk(title):
        assert name in set(defined_names(PACKAGE / file)), (file, name)


@contextmanager
def traced() -> Iterator[list[Step]]:
    """Collect the functions of ludens that run in this process, by file and name, in the order of their first calls."""
    seen: dict[Step, None] = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        is_function = frame.f_code.co_flags & inspect.CO_OPTIMIZED  # and no body of a class
        if event == "call" and is_function and frame.f_code.co_filename.startswith(str(PACKAGE)):
            file = str(Path(frame.f_code.co_filename).relative_to(PACKAGE))
            seen[file, frame.f_code.co_qualname] = None

    order: list[Step] = []
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield order
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        order += seen


def first_calls(steps: list[Step], called: list[Step]) -> list[int]:
    """When each step was first made: a function of this name, or any method of a class."""
    return [
        min(
            place
            for place, (file, name) in enumerate(called)
            if file == step[0] and f"{name}.".startswith(f"{step[1]}.")
        )
        for step in steps
    ]


def test_a_rule_sheet_becomes_a_move_by_this_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDENS_CACHE", str(tmp_path))
    steps = walk(WALKS[0])
    with traced() as called:
        game = ludens.load(SHEET)
        player = players.make_player("uct", Random(1), 50)
        player.start(game, "me", Clocks(60, 60), Deadline(60))
        assert game.compile()
    times = first_calls(steps[:7], called)
    assert times == sorted(times)
    with traced() as called:
        answer = player.move(Deadline(60))
    times = first_calls(steps[7:9], called)
    assert times == sorted(times)
    assert type(answer).__name__ == steps[9][1]


def test_a_click_becomes_a_picture_by_this_way() -> None:
    steps = walk(WALKS[1])
    service = PageService()
    service.open(["person", "random"], 30.0, 1, "mine", SHEET, nodes=50)
    with traced() as called:
        service.choose("me", 0, 0)
    service.close()
    # What the page and the pipe between the processes do is tested in tests/web.
    times = first_calls(steps[3:], called)
    assert times == sorted(times)


def test_a_job_becomes_a_result_by_this_way(tmp_path: Path) -> None:
    steps = walk(WALKS[2])
    plan = tmp_path / "plan.toml"
    plan.write_text('games = ["nim"]\nnodes = 20\n[players]\nfirst = "legal"\nsecond = "random"\n')
    with traced() as called, Store(tmp_path / "store.sqlite") as store:
        tournament = Tournament(load_plan(plan), store)
        play_until_interrupted(tournament, 1)
        assert tournament.standings.played == 2
    here = [
        step
        for step in steps
        if step[0] not in {"cli/tournament.py", "arena/tournament/child.py", "arena/referee.py", "arena/match.py"}
    ]
    times = first_calls(here, called)
    assert times[:4] == sorted(times[:4])
    assert len(here) == 6


def test_the_map_has_every_package() -> None:
    rows = set(re.findall(r"^\| `([\w/.]+?)/?`", TEXT, re.MULTILINE))
    packages = {str(path.parent.relative_to(PACKAGE)) for path in PACKAGE.rglob("__init__.py")} - {"."}
    top = {package for package in packages if "/" not in package}
    assert top - rows == set()
    for row in rows - {"full", "corpus", "cluster", "browser", "external", "clock"}:
        assert (PACKAGE / row).exists(), row


def test_what_is_named_in_the_documentation_exists() -> None:
    missing = [
        (page.name, path)
        for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"))
        for path in re.findall(r"`((?:[a-z_]+/)+[a-z_]*(?:\.py)?)`", page.read_text("utf-8"))
        if not any((base / path).exists() for base in (ROOT, PACKAGE, ROOT / "src", ROOT / "experiments"))
    ]
    assert missing == []
