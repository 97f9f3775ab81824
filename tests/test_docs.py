"""The examples of the README and of the guides: whatever they show is what happens.

Three kinds of blocks are tested, all of one page in order and in one folder:
- a block below `<!-- file: NAME -->` is written to that file;
- `python` blocks run, as doctests where they show a prompt, and share their names;
- `console` blocks run the `ludens` commands behind `$` and compare what they print, with `...` for anything.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ludens.cli import common, engines
from tests.cli.command import run

REPOSITORY = Path(__file__).resolve().parent.parent
PICTURE = REPOSITORY / "docs" / "tictactoe.svg"
UNTESTED = ("docs/findings.md", "docs/web.md")
"""Pages without examples."""
PAGES = (
    "README.md",
    *sorted(f"docs/{page.name}" for page in (REPOSITORY / "docs").glob("*.md") if f"docs/{page.name}" not in UNTESTED),
)
MARKS = {
    "docs/tournaments.md": pytest.mark.full,
    "docs/model.md": pytest.mark.full,
    "docs/compile.md": pytest.mark.external,
}
"""Of pages that take long, or need a C compiler."""
UNHURRIED = {"analyze": ("--seconds", "60"), "explain": ("--seconds", "60")}
"""What is told of a game depends on the time there was; a busy machine gets more of it than readers need."""
SETTINGS = {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100", "PYTHONUTF8": "1"}
BLOCK = re.compile(
    r"(?:^<!-- file: (?P<file>\S+) -->\n)?^```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: str
    line: int
    kind: str
    body: str
    file: str | None

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(page: str) -> Iterator[Block]:
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start("body"))
        yield Block(page, line, match["kind"], match["body"], match["file"])


def run_python(block: Block, names: dict[str, object]) -> list[str]:
    """Run the examples of a block; what went wrong, as doctest puts it."""
    if ">>>" not in block.body:
        exec(compile(block.body, str(block), "exec"), names)
        return []
    test = doctest.DocTestParser().get_doctest(block.body, names, str(block), block.page, block.line)
    diagnostics: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=diagnostics.append, clear_globs=False)
    names.update(test.globs)
    return diagnostics


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """Each command of a console block with the output shown below it."""
    for part in re.split(r"^\$ ", block.body, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


Run = Callable[[list[str], Path], str]
"""Runs a `ludens` command in a folder; what it prints, with errors, as at a terminal without colours."""


def run_here(arguments: list[str], folder: Path) -> str:
    """Run a command in this process, which takes less time; speeds, which no page tells, are measured for a moment."""
    with pytest.MonkeyPatch.context() as settings:
        settings.chdir(folder)
        settings.setattr(engines, "MEASURED_SECONDS", 0.01)
        for name, value in SETTINGS.items():
            settings.setenv(name, value)
        for console in (common.output, common.errors):
            settings.setattr(console, "_width", int(SETTINGS["COLUMNS"]))
        outcome = run(*arguments)
        return outcome.out + outcome.err


def run_process(arguments: list[str], folder: Path) -> str:
    """Run a command as people do."""
    return subprocess.run(
        [sys.executable, "-m", "ludens", *arguments],
        cwd=folder,
        env={**os.environ, **SETTINGS},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    ).stdout


def run_command(command: str, folder: Path, run: Run) -> str:
    program, *arguments = shlex.split(command)
    assert program == "ludens", f"only ludens commands can be tested, not {program}"
    if "--seconds" not in arguments:
        arguments += UNHURRIED.get(arguments[0], ())
    return run(arguments, folder)


def same_output(shown: str, printed: str) -> bool:
    """Whether the output is as shown, apart from blanks at the ends of lines and what `...` stands for."""

    def trimmed(text: str) -> str:
        return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") + "\n"

    return doctest.OutputChecker().check_output(trimmed(shown), trimmed(printed), doctest.ELLIPSIS)


def check_block(block: Block, folder: Path, names: dict[str, object], run: Run = run_here) -> list[str]:
    """Do what a block asks for; what is not as shown."""
    if block.file:
        (folder / block.file).write_text(block.body, encoding="utf-8")
    elif block.kind == "python":
        return run_python(block, names)
    elif block.kind == "console":
        runs = [(command, shown, run_command(command, folder, run)) for command, shown in commands(block)]
        return [
            f"{block}: {command}\nshown:\n{shown}\nprinted:\n{printed}"
            for command, shown, printed in runs
            if not same_output(shown, printed)
        ]
    return []


def check_page(page: str, folder: Path, run: Run) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    diagnostics = [complaint for block in blocks(page) for complaint in check_block(block, folder, names, run)]
    assert not diagnostics, "\n".join(diagnostics)


@pytest.mark.parametrize("page", [pytest.param(page, marks=MARKS.get(page, ())) for page in PAGES])
def test_examples_of_page(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check_page(page, tmp_path, run_here)


@pytest.mark.full
def test_examples_of_the_readme_as_people_run_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check_page("README.md", tmp_path, run_process)


def test_every_page_has_examples_that_are_tested() -> None:
    for page in PAGES:
        assert {"python", "console"} & {block.kind for block in blocks(page)}, page


def test_wrong_examples_are_noticed(tmp_path: Path) -> None:
    wrong_value = Block("page", 1, "python", ">>> 1 + 1\n3\n", None)
    wrong_output = Block("page", 1, "console", "$ ludens --version\nludens 99\n", None)
    assert check_block(wrong_value, tmp_path, {})
    assert check_block(wrong_output, tmp_path, {})


@pytest.mark.parametrize("page", [*PAGES, "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_inside_the_project_lead_somewhere(page: str) -> None:
    source = REPOSITORY / page
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", source.read_text(encoding="utf-8"))
    inside = [target for target in targets if "://" not in target]
    assert [target for target in inside if not (source.parent / target).exists()] == []


def test_make_targets_named_in_the_texts_exist() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    texts = "".join((REPOSITORY / page).read_text(encoding="utf-8") for page in [*PAGES, "CONTRIBUTING.md"])
    for target in set(re.findall(r"(?:^|`)make ([a-z-]+)", texts, re.MULTILINE)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


@pytest.mark.full
def test_picture_shows_what_the_command_prints(tmp_path: Path) -> None:
    drawn = tmp_path / "drawn.svg"
    subprocess.run([sys.executable, REPOSITORY / "scripts" / "picture.py", drawn], check=True, timeout=300)
    assert drawn.read_text(encoding="utf-8") == PICTURE.read_text(encoding="utf-8"), "run make docs"


def test_picture_needs_nothing_from_outside() -> None:
    picture = PICTURE.read_text(encoding="utf-8")
    assert picture.startswith("<svg")
    addresses = set(re.findall(r"\b[a-z]+://[^\s\"'<>)]+", picture))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert "@import" not in picture
    assert "@font-face" not in picture
