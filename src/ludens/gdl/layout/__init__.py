"""Formatting rule sheets: words, order, case and comments stay, only white space changes."""

from __future__ import annotations

from ludens.gdl.infix import looks_infix, read_infix
from ludens.gdl.kif import read_kif
from ludens.gdl.layout.infix import lay_out_infix
from ludens.gdl.layout.kif import lay_out_kif
from ludens.gdl.layout.translate import ConcreteSyntax, translate
from ludens.gdl.rules import Syntax
from ludens.gdl.source import Source

__all__ = ["ConcreteSyntax", "convert_sheet", "format_infix", "format_kif", "format_sheet", "syntax_of"]


def format_kif(text: str) -> str:
    """Format a sheet in KIF; GdlSyntaxError if it cannot be read.

    A rule that stands on one line and fits there stays so; others get one condition to a line.

    >>> print(format_kif("(<= (next (cell ?x b))  (true (cell ?x b)) ;stays\\n(not (marked ?x)) )"), end="")
    (<= (next (cell ?x b))
        (true (cell ?x b))  ;stays
        (not (marked ?x)))
    """
    return format_sheet(Source(text).checked(), "kif")


def format_infix(text: str) -> str:
    """Format a sheet in infix syntax; GdlSyntaxError if it cannot be read."""
    return format_sheet(Source(text).checked(), "infix")


def format_sheet(source: Source, syntax: Syntax = "auto") -> str:
    """Format a sheet in either syntax; GdlSyntaxError if it cannot be read."""
    if syntax_of(source, syntax) == "infix":
        return lay_out_infix(source.text, read_infix(source).clauses)
    read_kif(source)
    return lay_out_kif(source.text)


def convert_sheet(source: Source, target: ConcreteSyntax, syntax: Syntax = "auto") -> str:
    """Return a sheet in the other syntax (or the same), with its comments; GdlSyntaxError if it cannot be read.

    Comments between statements keep their place; one inside a rule moves above it.
    """
    syntax = syntax_of(source, syntax)
    reading = read_infix(source) if syntax == "infix" else read_kif(source)
    return translate(reading, syntax, target)


def syntax_of(source: Source, syntax: Syntax = "auto") -> ConcreteSyntax:
    """Return the syntax of a sheet: the given one, or the one it seems to have."""
    if syntax != "auto":
        return syntax
    return "infix" if looks_infix(source.text) else "kif"
