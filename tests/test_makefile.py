"""The Makefile: few targets, each described, and what they run."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from experiments.__main__ import EXPERIMENTS, main
from ludens.runtime.lazy import load_object
from tests.child import ROOT, run_make

TARGETS = ("play", "test", "test-full", "lint", "format", "bench", "experiment", "docs", "clean")
INTERNAL = ("help", "setup", "setup-dev")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def test_there_are_few_targets_and_help_describes_each() -> None:
    assert set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE)) == {*TARGETS, *INTERNAL}
    assert re.findall(r"^make (\S+)", run_make(ROOT, "help"), re.MULTILINE) == list(TARGETS)


def test_contributing_lists_the_same_targets() -> None:
    block = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("```sh\n")[1].split("```")[0]
    assert re.findall(r"^make (\S+)", block, re.MULTILINE) == list(TARGETS)


@pytest.mark.parametrize(
    ("arguments", "shown", "hidden"),
    [
        (["clean"], ".mypy_cache", ".venv"),
        (["clean", "ALL=1"], "rm -rf .venv", "setup"),
        (["docs"], "gallery.py", "screenshots"),
        (["docs", "SCREENSHOTS=1"], "-m scripts.screenshots", "pytest"),
        (["experiment", "NAME=strength", "ARGS=--help"], "-m experiments strength --help", "pytest"),
        (["test"], "not (full or corpus", "install_tool"),
        (["test-full"], "install_tool.sh prolog browser curl", "mypy"),
    ],
)
def test_what_targets_run(arguments: list[str], shown: str, hidden: str) -> None:
    printed = run_make(ROOT, "-n", "-o", "setup", "-o", "setup-dev", *arguments)
    assert shown in printed
    assert hidden not in printed.replace(".venv/bin", "")


def test_experiments_are_listed_and_each_can_be_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    listed = capsys.readouterr().out
    for name, (program, description) in EXPERIMENTS.items():
        assert re.search(rf"^{name} +{re.escape(description)}$", listed, re.MULTILINE)
        assert callable(load_object(program))


def test_a_misspelt_experiment_lists_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["strenght"]) == 2
    told = capsys.readouterr()
    assert "there is no experiment 'strenght'" in told.err
    assert "strength " in told.out


INSTALL = ROOT / "scripts" / "install_tool.sh"


def install(folder: Path, *tools: str) -> subprocess.CompletedProcess[str]:
    """Run the script where the only commands are those of the folder, and those of the shell itself."""
    (folder / "id").write_text("#!/bin/sh\necho 0\n")
    (folder / "id").chmod(0o755)
    return subprocess.run(
        ["/bin/bash", str(INSTALL), *tools], env={"PATH": str(folder)}, capture_output=True, text=True, timeout=60
    )


def test_tools_that_are_there_are_not_installed(tmp_path: Path) -> None:
    for command in ("swipl", "chromium-browser", "curl"):
        (tmp_path / command).write_text("#!/bin/sh\n")
        (tmp_path / command).chmod(0o755)
    done = install(tmp_path, "prolog", "browser", "curl")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_missing_tools_are_installed(tmp_path: Path) -> None:
    (tmp_path / "apt-get").write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/log\n')
    (tmp_path / "apt-get").chmod(0o755)
    assert install(tmp_path, "browser").returncode == 0
    updated, installed = (tmp_path / "log").read_text().splitlines()
    assert updated.startswith("update")
    assert installed.startswith("install")
    assert installed.endswith(" chromium")


@pytest.mark.parametrize(
    ("tool", "code", "words"),
    [("prolog", 0, "going on without"), ("browser", 1, "Chromium is missing"), ("typo", 1, "typo is no tool")],
)
def test_tools_that_cannot_be_installed(tool: str, code: int, words: str, tmp_path: Path) -> None:
    done = install(tmp_path, tool)
    assert done.returncode == code
    assert words in done.stdout + done.stderr
