"""What the programs of the benchmark ask of their arguments, so that wrong use is told before anything is measured."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from rich.console import Console

Value = TypeVar("Value")
INTERRUPTED = 130
"""The exit code of a run that was interrupted by hand."""


def positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is not a number above 0")
    return value


def count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number above 0")
    return int(text)


def add_files(parser: argparse.ArgumentParser, figures: Path, chart: Path) -> None:
    parser.add_argument("--json", type=Path, metavar="FILE", default=figures, help="where the figures go")
    parser.add_argument("--chart", type=Path, metavar="FILE", default=chart, help="where the chart goes")
    parser.add_argument("--redraw", action="store_true", help="measure nothing; show what the JSON file has")


def try_to_write(parser: argparse.ArgumentParser, *paths: Path) -> None:
    """Say now which file cannot be written; those that can stay as they are."""
    for path in paths:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            is_new = not path.exists()
            path.open("a").close()
            if is_new:
                path.unlink()
        except OSError as error:
            parser.error(f"{path} cannot be written ({error.strerror}); name another file with --json or --chart")


def read_figures(parser: argparse.ArgumentParser, path: Path, read: Callable[[Path], Value]) -> Value:
    """What an earlier run has written."""
    try:
        return read(path)
    except OSError as error:
        parser.error(f"{path} cannot be read ({error.strerror}); measure first, without --redraw")
    except (ValueError, LookupError, TypeError):
        parser.error(f"{path} does not hold figures of this program; name another file with --json")


def finished(console: Console, measure: Callable[[], None]) -> bool:
    """Measure; return false if that is interrupted by hand."""
    try:
        measure()
    except KeyboardInterrupt:
        console.print("interrupted; what was measured by then is kept, see --redraw")
        return False
    return True


def measure_and_show(
    parser: argparse.ArgumentParser,
    chosen: argparse.Namespace,
    console: Console,
    read: Callable[[Path], Value],
    new: Callable[[], Value],
    measure: Callable[[Value, argparse.Namespace, Callable[[str], None]], None],
    show: Callable[[Console, Value], None],
) -> int:
    """Show the figures of an earlier run if they are asked for, else those of this one; gives the exit code."""
    if chosen.redraw:
        results = read_figures(parser, chosen.json, read)
    else:
        try_to_write(parser, chosen.json)
        results = new()
        with console.status("") as status:
            if not finished(console, lambda: measure(results, chosen, status.update)):
                return INTERRUPTED
    show(console, results)
    console.print(f"written: {chosen.json}", markup=False)
    return 0
