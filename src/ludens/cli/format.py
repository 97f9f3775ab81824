"""`ludens format`: lay out rule sheets, comments included."""

from __future__ import annotations

import difflib
from typing import Annotated

import typer
from rich.markup import escape

from ludens.cli.arguments import SheetSyntax
from ludens.cli.common import ExitCode, errors, print_error
from ludens.cli.files import STANDARD_INPUT, print_text, read_sheet, replace_file
from ludens.errors import LudensError
from ludens.gdl.layout import format_sheet
from ludens.gdl.source import Source


def format_sheets(
    files: Annotated[list[str], typer.Argument(help="Rule sheets, or - for standard input.", show_default=False)],
    write: Annotated[bool, typer.Option("--write", "-w", help="Rewrite the files in place.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Only tell what would change; exit code 1 if any.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show what would change.")] = False,
    syntax: SheetSyntax = "auto",
) -> None:
    """Indent rule sheets afresh and print them; every comment stays.

    A rule that stands on one line stays there if it fits, others get one condition to a line. A sheet
    that cannot be read is reported and left alone.
    """
    if write and (check or diff):
        raise typer.BadParameter("--write goes with neither --check nor --diff")
    if write and STANDARD_INPUT in files:
        raise typer.BadParameter("standard input cannot be written in place; leave out --write")
    failed = changed = 0
    for path in files:
        try:
            source = read_sheet(path)
            formatted = _with_line_ends_of(source.text, format_sheet(source, syntax))
            if write and formatted != source.text:
                replace_file(path, formatted.encode(source.encoding))
        except (LudensError, OSError) as error:
            print_error(error)
            failed += 1
            continue
        changed += formatted != source.text
        _report(source, formatted, write, check, diff)
    if failed or (check and changed):
        raise typer.Exit(ExitCode.FAULT)


def _report(source: Source, formatted: str, write: bool, check: bool, diff: bool) -> None:
    if diff:
        print_text(_diff(source, formatted))
    if (write or check) and formatted != source.text:
        errors.print(f"{'formatted' if write else 'would format'} {escape(source.name)}")
    if not (write or check or diff):
        print_text(formatted)


def _with_line_ends_of(original: str, formatted: str) -> str:
    """A sheet whose lines mostly end as on Windows keeps that."""
    windows = original.count("\r\n")
    return formatted.replace("\n", "\r\n") if windows > original.count("\n") - windows else formatted


def _diff(source: Source, formatted: str) -> str:
    before, after = source.text.splitlines(keepends=True), formatted.splitlines(keepends=True)
    lines = difflib.unified_diff(before, after, source.name, f"{source.name} (formatted)")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
