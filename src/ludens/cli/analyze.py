"""`ludens analyze`: the structure of a game, as its rules and random play show it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from ludens.cli.arguments import AsJson, GameName, SheetSyntax
from ludens.cli.common import errors, output, print_json
from ludens.core import Deadline, GroundTerm
from ludens.game import load
from ludens.gdl.formulas import Signature
from ludens.gdl.terms import term_text

if TYPE_CHECKING:  # importing these takes longer than most commands do
    from ludens.analysis.boards import Axis, Board, Content
    from ludens.analysis.facts import GameFacts
    from ludens.analysis.relations import StaticRelation
    from ludens.analysis.symmetry import Symmetry

SHOWN_WORDS = 6
"""Of a longer row of words only the first and the last are shown."""
SHOWN_SYMMETRIES = 10


def analyze(
    game: GameName,
    seconds: Annotated[float, typer.Option(metavar="S", min=0.0, help="How long to look and prove at most.")] = 10.0,
    seed: Annotated[int, typer.Option(help="Seed of the random games.")] = 0,
    syntax: SheetSyntax = "auto",
    as_json: AsJson = False,
) -> None:
    """Analyze GAME: its boards, pieces, quantities, turns, relations and symmetries.

    What is said to be proved holds in every state that play can reach. What is sampled held in all states of random
    games. Whatever was left out for lack of time is named at the end.
    """
    from ludens.analysis.facts import analyse

    loaded = load(game, syntax=syntax)
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


class _Report:
    """The facts as sentences and tables."""

    def __init__(self, facts: GameFacts) -> None:
        self.facts = facts
        self.roles = facts.roles
        self.spelling = facts.spelling

    def lines(self) -> Iterator[tuple[str, str]]:
        yield "roles", self._kind()
        yield "sampled", f"{self.facts.states:,} states of random games, all in {self.facts.seconds:.1f} s"
        yield from self._turns()
        for board in self.facts.boards:
            yield from self._board(board)
        for quantity in self.facts.quantities:
            pattern = self._pattern(quantity.signature, {quantity.argument: "N"})
            yield "quantity", f"{pattern}, N from {self._row(quantity.order.words)}; {quantity.key.evidence}"
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
        text = _and(self.roles)
        if len(self.roles) > 1:
            text += "; they take turns" if kind.turns else "; they move at the same time"
        if kind.total is not None:
            text += f"; goals always add up to {kind.total}"
        teams = [_and(self.roles[role] for role in team) for team in kind.teams if len(team) > 1]
        return text + "".join(f"; {team} are a team" for team in teams) + " (sampled)"

    def _turns(self) -> Iterator[tuple[str, str]]:
        control = self.facts.control
        if not control:
            return
        yield "turns", f"{self._pattern(control.signature)} tells whose turn it is; {control.evidence}"
        if control.order:
            order = ", ".join(self.roles[role] for role in (*control.order, control.order[0]))
            yield "", f"the order is {order} and so on; {control.order_evidence}"

    def _board(self, board: Board) -> Iterator[tuple[str, str]]:
        names = {axis.argument: name for axis, name in zip(board.axes, "XYZUVWABCDEFGH", strict=False)}
        names |= {axis.argument: "BOARD" for axis in board.selectors}
        content = "N" if board.content_order else "CONTENT"
        names |= dict.fromkeys(board.content_arguments, content)
        size = " by ".join(str(len(axis.words)) for axis in board.axes)
        yield "board", f"{self._pattern(board.signature, names)}, {size}, {board.places} places; {board.key.evidence}"
        for axis in board.axes:
            yield "", f"{names[axis.argument]} is {self._axis(axis)}"
        for axis in board.selectors:
            yield "", f"a board for each of {_and(map(self._text, axis.words))}"
        for mark in board.contents:
            if not mark.words:
                yield (
                    "",
                    f"only one place is marked; {mark.unique_evidence}" if mark.unique else "any places are marked",
                )
        for kind in ("blank", "piece", "marker"):
            contents = [content for content in board.contents if content.kind == kind and content.words]
            if contents:
                yield "", f"{kind}{'s' if kind != 'blank' else ''}: {', '.join(map(self._content, contents))}"

    def _axis(self, axis: Axis) -> str:
        if not axis.order:
            return f"one of {self._row(axis.words)}, without order"
        around = ", and round again" if axis.order.wraps else ""
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
            end = "" if counter.ends_at is None else f"; the game ends after {counter.ends_at} steps"
            yield "steps", f"{self._pattern(counter.signature)} counts the joint moves; {counter.evidence}{end}"

    def _symmetries(self) -> Iterator[tuple[str, str]]:
        found = self.facts.symmetries
        exact = dict.fromkeys(map(self._symmetry, found.exact))
        others = dict.fromkeys(map(self._symmetry, found.apart_from_start))
        texts = [*exact, *(f"{text}; but not of the initial state" for text in others if text not in exact)]
        more = [f"and {len(texts) - SHOWN_SYMMETRIES} more"] if len(texts) > SHOWN_SYMMETRIES else []
        for number, text in enumerate([*texts[:SHOWN_SYMMETRIES], *more]):
            yield "" if number else "symmetries", text

    def _symmetry(self, symmetry: Symmetry) -> str:
        from ludens.analysis.symmetry.effects import board_effect

        parts = [
            f"{board.signature[0]}: {effect}"
            for board in self.facts.boards
            if (effect := board_effect(symmetry, board))
        ]
        moved = [self.roles[role] for role, image in enumerate(symmetry.roles) if role != image]
        if moved:
            parts.insert(0, f"exchange of {_and(moved)}")
        if not parts:
            pairs = [f"{word} becomes {image}" for word, image in symmetry.changed_words.items()]
            parts = [", ".join(pairs[:SHOWN_WORDS])] if pairs else ["a rearrangement of words"]
        return "; ".join(parts)

    # -- tables ------------------------------------------------------------------------------

    def _fluents(self) -> Table:
        table = _table("fluent", "inputs", "evidence", "always")
        for mode in self.facts.modes.values():
            pattern = self._pattern(mode.signature)
            if not mode.keys:
                table.add_row(escape(pattern), "all", "proved", "")
            for number, key in enumerate(mode.keys):
                inputs = _and(str(index + 1) for index in key.inputs) or "none: one at a time"
                always = key.full_evidence if key.full else "no"
                table.add_row("" if number else escape(pattern), inputs, key.evidence, always)
        return table

    def _relations(self) -> Table:
        table = _table("relation", "kind", "words")
        for relation in self.facts.relations:
            if kind := _relation_kind(relation):
                table.add_row(escape(self._text(relation.pattern)), kind, escape(self._rows(relation)))
        return table

    def _rows(self, relation: StaticRelation) -> str:
        if not (relation.is_successor or relation.is_order):
            return f"{len(relation.pairs)} pairs"
        rows = [self._row(chain) for chain in relation.chains]
        rows += [f"{self._row(cycle)}, and round again" for cycle in relation.cycles]
        return "; ".join(rows) if rows else f"{len(relation.pairs)} pairs"

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
    kinds = ["successor"] if relation.is_successor else []
    if relation.is_order:
        kinds.append("total order" if relation.total else "partial order")
    if relation.is_adjacency:
        kinds.append("symmetric")
    return ", ".join(kinds)


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading)
    return table


def _and(words: Iterable[str]) -> str:
    *others, last = [*words] or [""]
    return f"{', '.join(others)} and {last}" if others else last
