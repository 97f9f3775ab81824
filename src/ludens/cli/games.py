"""`ludens games`: the games that come with ludens."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from ludens import games as bundled
from ludens.cli.arguments import AsJson
from ludens.cli.common import output, print_json


def games(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="WORD", help="Only games that mention all these words.")
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", "-t", metavar="TAG", help="Only games with this tag; may be repeated.")
    ] = None,
    roles: Annotated[int | None, typer.Option("--roles", "-r", metavar="N", help="Only games for N players.")] = None,
    tags: Annotated[bool, typer.Option("--tags", help="List the tags and what they mean.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the bundled games; `ludens show NAME` tells more about one, `ludens play NAME` plays it."""
    if tags:
        _print_tags(as_json)
        return
    unknown = sorted(set(tag or ()) - set(bundled.TAGS))
    if unknown:
        raise typer.BadParameter(
            f"there is no tag {unknown[0]!r}; `ludens games --tags` lists them", param_hint="--tag"
        )
    wanted = set(tag or ())
    found = [
        game
        for game in bundled.catalogue()
        if wanted <= set(game.tags) and roles in (None, game.roles) and _mentions(game, words or [])
    ]
    if as_json:
        print_json([_document(game) for game in found])
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("name", "roles", "title", "tags"):
        table.add_column(heading, justify="right" if heading == "roles" else "left", no_wrap=heading == "name")
    for game in found:
        table.add_row(game.name, str(game.roles), game.title, ", ".join(game.tags))
    output.print(table, soft_wrap=False)
    output.print(f"\n{len(found)} games", highlight=False)


def _mentions(game: bundled.GameInfo, words: list[str]) -> bool:
    text = " ".join((game.name, game.title, game.description, game.rules, *game.tags)).lower()
    return all(word.lower() in text for word in words)


def _print_tags(as_json: bool) -> None:
    if as_json:
        print_json(bundled.TAGS)
        return
    for name, meaning in bundled.TAGS.items():
        output.print(f"[bold]{name:<13}[/bold] {meaning}")


def _document(game: bundled.GameInfo) -> dict[str, object]:
    return {
        "name": game.name,
        "title": game.title,
        "description": game.description,
        "rules": game.rules,
        "roles": game.roles,
        "tags": list(game.tags),
        "perft": list(game.facts.perft),
        "shortest": game.facts.shortest,
    }
