"""`ludens analyze`: the structure of a game, as its rules and random play show it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from ludens.analysis.boards import Axis, Board, Content
from ludens.analysis.facts import GameFacts, analyse
from ludens.analysis.modes import Key
from ludens.analysis.quantities import Quantity
from ludens.analysis.relations import StaticRelation
from ludens.analysis.symmetry import Symmetry
from ludens.analysis.symmetry.effects import board_effect
from ludens.analysis.templates.comparison import compare
from ludens.analysis.templates.structures import SIMULATION_SHARE, find_templates
from ludens.cli.arguments import AsJson, GameName, SheetSyntax
from ludens.cli.common import errors, output, print_json
from ludens.cli.model import MostStates, print_model
from ludens.core import GroundTerm
from ludens.game import Game, load
from ludens.gdl.formulas import Signature
from ludens.gdl.keywords import CHANCE
from ludens.gdl.terms import natural_key, term_text
from ludens.runtime.deadline import Deadline

SHOWN_WORDS = 6
"""Of a longer row of words only the first and the last are shown."""
SHOWN_SYMMETRIES = 10


def analyze(
    game: GameName,
    seconds: Annotated[float, typer.Option(metavar="S", min=0.0, help="How long to look and prove at most.")] = 10.0,
    seed: Annotated[int, typer.Option(help="Seed of the random games.")] = 0,
    role: Annotated[str | None, typer.Option(metavar="ROLE", help="Say what counts for a role instead.")] = None,
    states: MostStates = None,
    chart: Annotated[Path | None, typer.Option(metavar="FILE", help="With --role: draw the weights as SVG.")] = None,
    compare: Annotated[bool, typer.Option("--compare", help="Show what plain templates find beside it.")] = False,
    syntax: SheetSyntax = "auto",
    as_json: AsJson = False,
) -> None:
    """Analyze GAME: its boards, pieces, quantities, turns, relations and symmetries.

    What is proved holds in every state that play can reach. What is sampled held in all states of random games that
    were looked at. Whatever was left out for lack of time is named.

    With --role, a model says what counts for that role: what is paid, who has more to choose from, and how near the
    end is. Each is a sum of features, weighed by what random games show; more seconds make a better model. A `#` stands
    for the number of something, the bar for the size of a weight.
    """
    if role is not None and compare:
        raise typer.BadParameter("--compare shows structures, --role what counts for a role; ask for one of them")
    loaded = load(game, syntax=syntax)
    if role is not None:
        print_model(loaded, role, Deadline(seconds), Random(seed), states, as_json=as_json, chart=chart)
        return
    if chart is not None:
        raise typer.BadParameter("the chart is that of a role; name one with --role", param_hint="--chart")
    if compare:
        _print_comparison(loaded, Deadline(seconds), Random(seed), as_json)
        return
    with errors.status(f"analysing {escape(loaded.name)}"):
        facts = analyse(loaded, Deadline(seconds), Random(seed))
    if as_json:
        print_json({"game": loaded.name} | facts.to_json())
        return
    output.print(f"[bold]{escape(loaded.name)}[/bold]")
    report = _Report(facts)
    for label, text in report.lines():
        output.print(f"  [cyan]{label:<10}[/cyan] {escape(text)}")
    for table in report.tables():
        output.print()
        output.print(table)


def _print_comparison(game: Game, deadline: Deadline, rng: Random, as_json: bool) -> None:
    """What templates find by the form of the rules and a short simulation, and what the analysis knows."""
    with errors.status(f"analysing {escape(game.name)}"):
        facts = analyse(game, Deadline((1 - SIMULATION_SHARE) * deadline.remaining), rng, symmetries=False)
        templates = find_templates(game, deadline, rng)
    found = compare(templates, facts)
    if as_json:
        print_json({"game": game.name, "structures": [asdict(one) | {"agree": one.agree} for one in found]})
        return
    agreed = sum(one.agree for one in found)
    output.print(f"[bold]{escape(game.name)}[/bold]: {agreed} of {len(found)} structures are seen alike")
    output.print(f"  templates: {templates.states:,} states, {templates.ends:,} of them ends")
    output.print(f"  analysis:  {facts.states:,} states, and proofs")
    table = _table("", "", "by templates", "by analysis", "")
    for one in found:
        same = "same" if one.agree else "[yellow]different[/yellow]"
        table.add_row(one.structure, *map(escape, (one.subject, one.templates, one.analysis)), same)
    output.print()
    output.print(table)


class _Report:
    """The facts as sentences and tables."""

    def __init__(self, facts: GameFacts) -> None:
        self.facts = facts
        self.roles = facts.roles
        self.spelling = facts.spelling

    def lines(self) -> Iterator[tuple[str, str]]:
        yield "roles", self._kind()
        states = f"{self.facts.states:,} states of random games" if self.facts.states > 1 else "the initial state only"
        yield "looked at", f"{states}; {self.facts.seconds:.1f} s for everything"
        yield from self._turns()
        for board in self.facts.boards:
            yield from self._board(board)
        for quantity in self.facts.quantities:
            if not self.facts.board(quantity.signature):
                yield "quantity", self._quantity(quantity)
        yield from self._counter()
        yield from self._symmetries()
        for left_out in self.facts.left_out:
            yield "left out", left_out

    def tables(self) -> Iterator[Table]:
        if self.facts.modes:
            yield self._fluents()
        if any(map(_relation_kind, self.facts.relations)):
            yield self._relations()

    # -- sentences ---------------------------------------------------------------------------

    def _kind(self) -> str:
        kind = self.facts.kind
        players = [role for role in self.roles if role.lower() != CHANCE]
        text = _and(players) + (", and chance" if len(players) < len(self.roles) else "")
        if len(players) < 2:
            return text
        text += "; they take turns" if kind.turns else "; they move at the same time"
        if kind.total is not None:
            text += f"; goals always add up to {kind.total}"
        teams = [_and(self.roles[role] for role in team) for team in kind.teams if len(team) > 1]
        return text + "".join(f"; {team} are a team" for team in teams) + " (sampled)"

    def _turns(self) -> Iterator[tuple[str, str]]:
        control = self.facts.control
        if not control:
            return
        fluents = [self._pattern(signature) for signature in (control.signature, control.other) if signature]
        yield "turns", f"{_and(fluents)} {'tell' if control.other else 'tells'} whose turn it is ({control.evidence})"
        if control.order:
            order = ", ".join(self.roles[role] for role in (*control.order, control.order[0]))
            yield "", f"{order} and so on ({control.order_evidence})"

    def _quantity(self, quantity: Quantity) -> str:
        pattern = self._pattern(quantity.signature, {quantity.argument: "N"})
        inputs = [f"?{index + 1}" for index in quantity.key.inputs]
        each = f", one for each {_and(inputs)}" if inputs else ""
        around = " and round again" if quantity.order.wraps else ""
        return f"{pattern}, N is {self._row(quantity.order.words)}{around}{each} ({quantity.key.evidence})"

    def _board(self, board: Board) -> Iterator[tuple[str, str]]:
        names = {axis.argument: name for axis, name in zip(board.axes, "XYZUVWABCDEFGH", strict=False)}
        names |= {axis.argument: "BOARD" for axis in board.selectors}
        names |= dict.fromkeys(board.content_arguments, "N" if board.content_order else "CONTENT")
        size = f"{' by '.join(str(len(axis.words)) for axis in board.axes)}, {board.places} places"
        yield "board", f"{self._pattern(board.signature, names)}, {size}; {self._sharing(board)}"
        for axis in board.axes:
            yield "", f"{names[axis.argument]} is {self._axis(axis)}"
        for axis in board.selectors:
            yield "", f"a board for each of {_and(map(self._text, sorted(axis.words, key=natural_key)))}"
        if board.content_order:
            yield "", f"N is {self._row(board.content_order.words)}"
        for kind, label in (("blank", "empty"), ("piece", "pieces"), ("marker", "markers")):
            contents = [content for content in board.contents if content.kind == kind and content.words]
            if contents:
                yield "", f"{label}: {', '.join(map(self._content, contents))}"

    def _sharing(self, board: Board) -> str:
        """How much can lie on a place, or on the board."""
        if not board.content_arguments:
            unique = [content for content in board.contents if content.unique]
            return f"only one is marked ({unique[0].unique_evidence})" if unique else "any of them are marked"
        if not board.exclusive:
            return "contents can share one"
        return f"{'' if board.key.full else 'at most '}one content each ({board.key.evidence})"

    def _axis(self, axis: Axis) -> str:
        if not axis.order:
            return f"one of {self._row(sorted(axis.words, key=natural_key))}, without order"
        around = " and round again" if axis.order.wraps else ""
        return f"{self._row(axis.words)}{around}, by {self._text(axis.order.relation)}"

    def _content(self, content: Content) -> str:
        notes = [] if content.owner is None or len(self.roles) == 1 else [f"of {self.roles[content.owner]}"]
        if content.kind == "piece":
            notes.append(f"only one, {content.unique_evidence}" if content.unique else f"up to {content.most}")
        words = " ".join(map(self._text, content.words))
        return f"{words} ({', '.join(notes)})" if notes else words

    def _counter(self) -> Iterator[tuple[str, str]]:
        counter = self.facts.counter
        if counter:
            end = "" if counter.ends_at is None else f"; the game ends after {counter.ends_at}"
            yield "steps", f"{self._pattern(counter.signature)} counts the moves made ({counter.evidence}){end}"

    def _symmetries(self) -> Iterator[tuple[str, str]]:
        found = self.facts.symmetries
        exact = dict.fromkeys(map(self._symmetry, found.exact))
        others = dict.fromkeys(map(self._symmetry, found.apart_from_start))
        texts = [*exact, *(f"{text}; but not of the initial state" for text in others if text not in exact)]
        texts += [f"{self._symmetry(symmetry)} (sampled)" for symmetry in found.sampled]
        more = [f"and {len(texts) - SHOWN_SYMMETRIES} more"] if len(texts) > SHOWN_SYMMETRIES else []
        for number, text in enumerate([*texts[:SHOWN_SYMMETRIES], *more]):
            yield "" if number else "symmetries", text

    def _symmetry(self, symmetry: Symmetry) -> str:
        parts = [
            f"{self._text(board.signature[0])}: {effect}"
            for board in self.facts.boards
            if (effect := board_effect(symmetry, board))
        ]
        moved = [self.roles[role] for role, image in enumerate(symmetry.roles) if role != image]
        if moved:
            parts.insert(0, f"exchange of {_and(moved)}")
        if not parts:
            pairs = [
                f"{self._text(word)} becomes {self._text(image)}" for word, image in symmetry.changed_words.items()
            ]
            parts = [", ".join(pairs[:SHOWN_WORDS])] if pairs else ["a rearrangement of words"]
        return "; ".join(parts)

    # -- tables ------------------------------------------------------------------------------

    def _fluents(self) -> Table:
        table = _table("fluent", "inputs -> outputs", "evidence", "always there")
        for mode in self.facts.modes.values():
            pattern = escape(self._pattern(mode.signature))
            if not mode.keys:
                table.add_row(pattern, "any facts can hold", "", "")
            for number, key in enumerate(mode.keys):
                always = f"yes, {key.full_evidence}" if key.full else "no"
                table.add_row("" if number else pattern, _arrow(key, mode.signature[1]), key.evidence, always)
        return table

    def _relations(self) -> Table:
        table = _table("relation", "kind", "words")
        for relation in self.facts.relations:
            if kind := _relation_kind(relation):
                words = self._relation_words(relation)
                table.add_row(escape(self._text(relation.pattern)), kind, escape(words))
        return table

    def _relation_words(self, relation: StaticRelation) -> str:
        if not relation.row:
            return f"{len(relation.pairs)} pairs"
        return self._row(relation.row) + (" and round again" if relation.cycles else "")

    # -- words -------------------------------------------------------------------------------

    def _row(self, words: Iterable[GroundTerm]) -> str:
        texts = list(map(self._text, words))
        return " ".join(texts if len(texts) <= SHOWN_WORDS else [*texts[: SHOWN_WORDS - 2], "...", texts[-1]])

    def _pattern(self, signature: Signature, names: dict[int, str] | None = None) -> str:
        name, arity = signature
        arguments = [(names or {}).get(index, f"?{index + 1}") for index in range(arity)]
        return f"({' '.join([self._text(name), *arguments])})"

    def _text(self, term: GroundTerm) -> str:
        return term_text(term, self.spelling)


def _relation_kind(relation: StaticRelation) -> str:
    """What is worth telling of it: a successor relation with several rows is rather a table of numbers."""
    kinds = ["successor"] if relation.is_successor and relation.row else []
    if relation.is_order:
        kinds.append("total order" if relation.total else "partial order")
    if relation.is_adjacency:
        kinds.append("symmetric")
    return ", ".join(kinds)


def _arrow(key: Key, arity: int) -> str:
    inputs, outputs = (
        " ".join(f"?{index + 1}" for index in range(arity) if (index in key.inputs) == is_input)
        for is_input in (True, False)
    )
    return f"{inputs} -> {outputs}" if inputs else "one fact at a time"


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading)
    return table


def _and(words: Iterable[str]) -> str:
    *others, last = [*words] or [""]
    return f"{', '.join(others)} and {last}" if others else last
