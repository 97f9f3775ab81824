"""`ludens check`: what is wrong, or odd, in rule sheets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.progress import Progress

from ludens import games
from ludens.analysis.playtest import MAX_STEPS, playtest
from ludens.cli.arguments import AsJson, MaxSteps
from ludens.cli.common import ExitCode, errors, output, print_findings, print_json
from ludens.cli.files import STANDARD_INPUT, read_sheet
from ludens.errors import Finding, LudensError, RulesError
from ludens.game import MAX_REFERENCE_PLAYOUTS, find_rules, load
from ludens.gdl.rules import Rules, Syntax
from ludens.gdl.validate import thinned
from ludens.gdl.validate.sheet import counted
from ludens.runtime.deadline import Deadline

COMPILE_SECONDS = 20.0
"""How long plays wait for the compiled engine; they are the same without it, but slow."""
_NOUNS = {"error": "error", "warning": "warning", "info": "note"}


@dataclass
class Report:
    """What was found in one sheet."""

    name: str
    rules: Rules | None = None
    findings: list[Finding] = field(default_factory=list)
    plays: int = 0

    def count(self, severity: str) -> int:
        return sum(finding.severity == severity for finding in self.findings)

    def is_good(self, strict: bool) -> bool:
        return not self.count("error") and not (strict and self.count("warning"))

    def summary(self) -> str:
        """`tictactoe.kif: no problems, 2 roles, 36 rules`."""
        problems = [counted(self.count(severity), noun) for severity, noun in _NOUNS.items() if self.count(severity)]
        if self.is_good(strict=True):
            problems.insert(0, "no problems")
        if self.rules:
            problems += [counted(len(self.rules.roles), "role"), counted(len(self.rules.clauses), "rule")]
        if self.plays:
            problems.append(counted(self.plays, "play"))
        return f"{self.name}: {', '.join(problems)}"

    def to_json(self) -> dict[str, Any]:
        return {
            "file": self.name,
            "roles": list(self.rules.roles) if self.rules else [],
            "rules": len(self.rules.clauses) if self.rules else 0,
            "plays": self.plays,
            "errors": self.count("error"),
            "warnings": self.count("warning"),
            "findings": [finding.to_json() for finding in self.findings],
        }


def check(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE", help="Rule sheets, names of bundled games, or - for standard input."),
    ],
    play: Annotated[
        int,
        typer.Option("--play", "-p", metavar="N", min=0, help="Play N random games too, and report what goes wrong."),
    ] = 0,
    seed: Annotated[int, typer.Option(help="Seed of the random games.")] = 0,
    max_steps: MaxSteps = MAX_STEPS,
    syntax: Annotated[Syntax, typer.Option(help="Syntax of the sheets.")] = "auto",
    strict: Annotated[bool, typer.Option("--strict", help="Let warnings count as errors for the exit code.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only what is wrong, no summaries.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check rule sheets: what breaks the language, what looks odd, and (with --play) how the games turn out.

    Ends with 0 if there are no errors, with 1 if there are.
    """
    reports = []
    for name in files:
        report = _examined(name, syntax)
        if play and report.rules and not report.count("error"):
            with _progress(report.name, play, shown=not quiet) as advance:
                _play(report, play, seed, max_steps, advance)
        if not as_json:
            _print(report, quiet)
        reports.append(report)
    if as_json:
        print_json({"files": [report.to_json() for report in reports]})
    if not all(report.is_good(strict) for report in reports):
        raise typer.Exit(ExitCode.FAULT)


def _examined(name: str, syntax: Syntax) -> Report:
    """The static findings of one sheet; that it cannot be read is one of them."""
    report = Report("<stdin>" if name == STANDARD_INPUT else name)
    try:
        report.rules = _read(name, syntax)
        report.findings = report.rules.validate()
    except RulesError as error:
        report.findings = list(error.findings)
    except OSError as error:
        report.findings = [_unreadable(f"cannot read {name}: {error.strerror or error}")]
    except LudensError as error:
        report.findings = [_unreadable(str(error))]
    return report


def _read(name: str, syntax: Syntax) -> Rules:
    """The rules in a file, on standard input or, where there is no such file, of a bundled game."""
    path = Path(name)
    if name == STANDARD_INPUT or (path.exists() and not path.is_dir()):
        return Rules.from_source(read_sheet(name), syntax)
    return find_rules(name if games.find(name) else path, syntax=syntax)[0]


def _unreadable(message: str) -> Finding:
    return Finding("unreadable-file", "error", message, "give the path of a rule sheet or the name of a bundled game")


def _play(report: Report, plays: int, seed: int, max_steps: int, advance: Callable[[int], None]) -> None:
    """Add what random play shows."""
    assert report.rules

    def told(done: int) -> None:
        report.plays = done
        advance(done)

    try:
        game = load(report.rules)
        if plays > MAX_REFERENCE_PLAYOUTS:
            game.compile(Deadline(COMPILE_SECONDS), first=True)
        report.findings += playtest(game, plays, Random(seed), max_steps, progress=told)
    except RulesError as error:
        report.findings += error.findings
    except LudensError as error:
        report.findings.append(Finding("play-failed", "error", str(error), "mend the rules that this names"))


@contextmanager
def _progress(name: str, plays: int, shown: bool) -> Iterator[Callable[[int], None]]:
    """A bar on standard error, for those who wait at a terminal."""
    with Progress(console=errors, transient=True, disable=not (shown and errors.is_terminal)) as progress:
        task = progress.add_task(f"playing {escape(name)}", total=plays)
        yield lambda done: progress.update(task, completed=done)


def _print(report: Report, quiet: bool) -> None:
    """For people: some findings of each kind; the summary counts them all."""
    for finding in thinned(report.findings):
        if not finding.place:
            output.print(f"[bold]{escape(report.name)}[/bold]: ", end="")
        print_findings([finding])
    if not quiet:
        output.print(report.summary(), markup=False)
