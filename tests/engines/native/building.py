"""Libraries of games, built with a real C compiler and driven by a C program."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ludens.engines.native.c_library import c_library
from ludens.engines.native.plan import CompiledGame
from ludens.gdl.rules import Rules

DRIVER = Path(__file__).parent / "replay.c"
STRICT = ("-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror")
NAME = "game"


INSTALLED = [name for name in ("gcc", "clang") if shutil.which(name)]


def compilers() -> list[str]:
    assert INSTALLED, "these tests need a C compiler; install gcc or clang"
    return INSTALLED


@dataclass(frozen=True)
class Shown:
    """What the driver says about a state."""

    facts: list[str]
    terminal: bool
    legal: list[list[str]]
    goals: list[int]


def build(rules: Rules, folder: Path, *options: str, compiler: str = "") -> Path:
    """Write the library of a game and build the driver with it; the path of the driver."""
    write_library(rules, folder)
    command = [compiler or compilers()[0], *STRICT, *options, f"-DGAME={NAME}", "-include", f"{NAME}.h", f"{NAME}.c"]
    done = subprocess.run([*command, DRIVER, "-o", "driver"], cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return folder / "driver"


def write_library(rules: Rules, folder: Path) -> None:
    for file, text in c_library(CompiledGame.compile(rules), NAME, "a game").items():
        (folder / file).write_text(text, encoding="utf-8")


def replay(driver: Path, matches: Iterable[Sequence[Sequence[str]]], roles: int) -> list[list[Shown]]:
    """All states of some matches, each given by its joint moves."""
    matches = [list(match) for match in matches]
    lines = "".join("start\n" + "".join("\t".join(joint) + "\n" for joint in match) for match in matches)
    done = subprocess.run([driver], input=lines, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-300:] + done.stderr
    printed = [line.split("\t")[:-1] if "\t" in line else [line] if line else [] for line in done.stdout.split("\n")]
    height = 2 + 2 * roles
    shown = [_shown(printed[start : start + height]) for start in range(0, len(printed) - 1, height)]
    states: list[list[Shown]] = []
    for match in matches:
        states.append(shown[: len(match) + 1])
        shown = shown[len(match) + 1 :]
    assert not shown
    return states


def _shown(lines: Sequence[list[str]]) -> Shown:
    facts, [word], *rest = lines
    return Shown(facts, word == "terminal", list(rest[::2]), [int(line[0]) for line in rest[1::2]])
