"""Rules of the code base that no linter knows: one class per name, imports at the top, threads in one place."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.child import ROOT, run_child

PACKAGE = ROOT / "src" / "ludens"
STARTERS = {
    "Thread",
    "ThreadPoolExecutor",
    "ProcessPoolExecutor",
    "Popen",
    "create_subprocess_exec",
    "create_subprocess_shell",
}
"""What starts a thread or a process, and `subprocess.run` and its kin."""
ENGINES = {"ReferenceEngine", "SlicedEngine", "NativeEngine", "RelationalEngine", "FallbackEngine"}
PLAYERS = ("player", "players", "speaker", "_thinking")
HEAVY = {"clingo", "numba", "llvmlite", "nicegui", "ray", "rich", "typer"}
"""What importing ludens does not import."""


@cache
def modules() -> dict[Path, ast.Module]:
    return {path.relative_to(PACKAGE): ast.parse(path.read_text("utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}


def calls(name: str) -> Iterator[tuple[str, ast.Call]]:
    """All calls of a function or method of this name, with their places."""
    for path, module in modules().items():
        for node in ast.walk(module):
            if isinstance(node, ast.Call) and name == (
                getattr(node.func, "id", None) or getattr(node.func, "attr", "")
            ):
                yield f"{path}:{node.lineno}", node


def test_no_two_classes_have_the_same_name() -> None:
    places = defaultdict(list)
    for path, module in modules().items():
        for node in module.body:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(path))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_imports_stand_at_the_top_of_modules() -> None:
    inside = [
        f"{path}:{node.lineno}"
        for path, module in modules().items()
        for function in ast.walk(module)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert inside == []


@pytest.mark.parametrize("starter", sorted(STARTERS))
def test_threads_and_processes_are_started_in_one_package(starter: str) -> None:
    assert [place for place, _ in calls(starter) if not place.startswith("runtime/")] == []


def test_subprocesses_are_run_in_one_package() -> None:
    outside = [
        str(path)
        for path, module in modules().items()
        for node in ast.walk(module)
        if (isinstance(node, ast.Import) and any(alias.name == "subprocess" for alias in node.names))
        or (isinstance(node, ast.ImportFrom) and node.module == "subprocess")
    ]
    assert [path for path in outside if not path.startswith("runtime/")] == []


def test_nobody_asks_which_kind_of_engine_it_has() -> None:
    asked = [
        place
        for place, call in calls("isinstance")
        for name in ast.walk(call.args[1])
        if getattr(name, "id", "") in ENGINES
    ]
    assert asked == []


def test_abilities_of_players_are_declared() -> None:
    asked = [
        place
        for place, call in calls("getattr")
        if (getattr(call.args[0], "id", None) or getattr(call.args[0], "attr", "")) in PLAYERS
    ]
    assert asked == []


def test_importing_ludens_is_quick() -> None:
    program = f"import sys, ludens; print(*sorted(set(sys.modules) & {HEAVY!r}))"
    assert run_child(program).split() == []
