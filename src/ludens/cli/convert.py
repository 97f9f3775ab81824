"""`ludens convert`: the other syntax, or scrambled words."""

from __future__ import annotations

import json
from random import Random
from typing import Annotated

import typer

from ludens.cli.files import print_text, read_sheet, replace_file
from ludens.gdl.layout import ConcreteSyntax, convert_sheet, syntax_of
from ludens.gdl.rules import Rules, Syntax
from ludens.gdl.scramble import Scrambling, scramble


def convert(
    file: Annotated[str, typer.Argument(help="A rule sheet, or - for standard input.", show_default=False)],
    to: Annotated[
        ConcreteSyntax | None,
        typer.Option(help="Syntax to write; by default the other one, with --scramble the same.", show_default=False),
    ] = None,
    source_syntax: Annotated[Syntax, typer.Option("--from", help="Syntax to read.")] = "auto",
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="File to write instead of standard output.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--scramble", metavar="SEED", help="Replace all words of the game; comments are left out."),
    ] = None,
    word_map: Annotated[
        str | None,
        typer.Option("--map", metavar="FILE", help="With --scramble: write the words of both sides as JSON."),
    ] = None,
) -> None:
    """Write a rule sheet in the other syntax: prefix (KIF) or infix.

    Comments stay; one inside a rule moves above it.
    """
    if word_map is not None and seed is None:
        raise typer.BadParameter("--map needs --scramble SEED")
    source = read_sheet(file)
    syntax = syntax_of(source, source_syntax)
    if seed is not None:
        scrambling = scramble(Rules.from_source(source, syntax), Random(seed))
        text = _printed(scrambling.rules, to or syntax)
        if word_map is not None:
            replace_file(word_map, _map_text(scrambling).encode())
    else:
        text = convert_sheet(source, to or _other(syntax), syntax)
    if output is None:
        print_text(text)
    else:
        replace_file(output, text.encode())


def _other(syntax: ConcreteSyntax) -> ConcreteSyntax:
    return "infix" if syntax == "kif" else "kif"


def _printed(rules: Rules, syntax: ConcreteSyntax) -> str:
    return rules.to_infix() if syntax == "infix" else rules.to_kif()


def _map_text(scrambling: Scrambling) -> str:
    words = {"forward": dict(scrambling.forward), "backward": dict(scrambling.backward)}
    return json.dumps(words, indent=2, ensure_ascii=False) + "\n"
