"""What the commands share: exit codes, consoles, and how findings and errors look."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterable
from contextlib import suppress
from enum import IntEnum
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from ludens.errors import Finding, RulesError
from ludens.gdl.validate import thinned
from ludens.printable import printable


class SafeConsole(Console):
    """Prints no text that a terminal acts upon, since much of what is printed was written by strangers."""

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(printable(text), **options)


output = SafeConsole(highlight=False, soft_wrap=True, emoji=False)
errors = SafeConsole(stderr=True, highlight=False, soft_wrap=True, emoji=False)

COLOURS = {"error": "bold red", "warning": "yellow", "info": "cyan"}


class ExitCode(IntEnum):
    """0 all is well; 1 the sheet, the game or the input has a fault; 2 wrong use of the command."""

    OK = 0
    FAULT = 1
    INTERRUPTED = 130


def interrupt_by_signals() -> None:
    """Let SIGTERM and the closing of the terminal end the command as Ctrl-C does, on systems that have them."""
    for number in signal.Signals:
        if number.name in ("SIGTERM", "SIGHUP"):
            with suppress(ValueError):  # not the main thread, which alone gets them
                signal.signal(number, signal.default_int_handler)


def print_findings(findings: Iterable[Finding], console: Console = output) -> None:
    """Each finding with its place, the source line and a caret, and the remedy."""
    for finding in findings:
        where = f"[bold]{escape(str(finding.place))}[/bold]: " if finding.place else ""
        colour = COLOURS[finding.severity]
        message = f"[{colour}]{finding.severity}[/{colour}]: {escape(finding.message)}"
        console.print(f"{where}{message} [dim]\\[{finding.code}][/dim]")
        if finding.place:
            line, carets = finding.place.excerpt().split("\n")
            console.print(f"    {escape(line)}\n    [{colour}]{carets}[/{colour}]")
        if finding.remedy:
            console.print(f"    [green]remedy:[/green] {escape(finding.remedy)}")


def print_error(error: Exception) -> None:
    if isinstance(error, RulesError):
        print_findings(thinned(error.findings), errors)
    else:
        message = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.strerror else str(error)
        errors.print(f"[bold red]error[/bold red]: {escape(message)}")


def print_json(value: object) -> None:
    """One JSON document on standard output, for programs."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    shown = (each if each.isprintable() or each == "\n" else json.dumps(each)[1:-1] for each in text)
    output.print("".join(shown), markup=False)
