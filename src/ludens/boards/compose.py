"""From a layout and a state to a picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from ludens.analysis.boards import Words
from ludens.analysis.quantities import Quantity
from ludens.analysis.relations import sheet_place
from ludens.analysis.states import signature_of
from ludens.boards.extra_boards import piled
from ludens.boards.layers import Layer
from ludens.boards.layout import BoardLayout
from ludens.boards.moves import CellRef
from ludens.boards.palette import is_neutral, neutral_paint
from ludens.boards.picture import Amount, Cell, Gauge, Grid, Panel, Picture, PictureRole, Thing
from ludens.boards.styles import is_number
from ludens.core import GroundTerm, Move, Role
from ludens.game import State
from ludens.gdl.formulas import Signature
from ludens.gdl.keywords import CHANCE
from ludens.gdl.terms import term_text

MAX_LISTED = 60
"""The limit on listed facts of the same name."""
MAX_NAMES = 100
"""The limit on names of listed facts."""
MAX_EXTRA_CHANGES = 4
"""The limit on changed cells that are marked besides those that a move names."""
MAX_CHANGES = 16
"""The limit on changed cells that are marked where a move names none."""


def draw(
    layout: BoardLayout, state: State, last: Mapping[Role, Move] | None = None, before: State | None = None
) -> Picture:
    """Return the picture of a state; with the joint move that led to it, and the state before, its cells are marked."""
    facts = layout.facts
    turn = [role for fact, role in (facts.control.turns.items() if facts.control else ()) if fact in state.terms]
    if facts.control is None and not state.is_terminal:
        choosers = [(number, role) for number, role in enumerate(facts.roles) if role.lower() != CHANCE]
        turn = [number for number, role in choosers if len(state.legal_moves(role)) > 1]
    picture = draw_facts(
        layout, state.terms, turn=() if state.is_terminal else turn, last=last, before=before.terms if before else None
    )
    if not state.is_terminal:
        return picture
    goals = [goal for name, goal in state.goals.items() if name.lower() != CHANCE]
    roles = tuple(replace(role, goal=goal) for role, goal in zip(picture.roles, goals, strict=True))
    return replace(picture, roles=roles, over=True)


def draw_common(layout: BoardLayout, states: Sequence[State]) -> Picture:
    """Return the picture of the facts that several possible states have in common."""
    if len(states) == 1:
        return draw(layout, states[0])
    return draw_facts(layout, frozenset.intersection(*(state.terms for state in states)))


def draw_facts(
    layout: BoardLayout,
    facts: Iterable[GroundTerm],
    *,
    turn: Sequence[int] = (),
    last: Mapping[Role, Move] | None = None,
    before: Iterable[GroundTerm] | None = None,
) -> Picture:
    """Return the picture of some facts, such as those a role knows; `turn` holds the numbers of the roles to move."""
    composer = _Composer(layout, facts)
    earlier = _Composer(layout, before) if before is not None else None
    marked = _last_cells(layout, composer, earlier, last or {})
    return Picture(
        title=layout.name,
        roles=tuple(
            PictureRole(layout.styles.role_name(number), layout.styles.role_paint(number), number in turn)
            for number, role in enumerate(layout.facts.roles)
            if role.lower() != CHANCE
        ),
        grids=tuple(composer.grid(number, marked) for number in range(len(layout.grids))),
        panels=tuple(composer.panels()),
        facts=tuple(composer.leftovers()),
    )


class _Composer:
    """Sorts the facts of one state into cells, numbers and the rest."""

    def __init__(self, layout: BoardLayout, facts: Iterable[GroundTerm]) -> None:
        self.layout = layout
        self.things: dict[CellRef, list[tuple[int, Thing]]] = {}
        self.amounts: dict[CellRef, list[Amount]] = {}
        self.below: dict[int, dict[int, int]] = {}
        """The cells below others, by the grid of towers."""
        self._gauges: dict[Signature, list[Gauge]] = {}
        self._rest: dict[Signature, list[Words]] = {}
        self._count: int | None = None
        control = layout.facts.control
        self._turns: set[GroundTerm] = {*control.turns, *control.idle} if control else set()
        counted = layout.facts.counter.facts if layout.facts.counter else ()
        self._counter = {fact: place for place, fact in enumerate(counted)}
        self._ranks = {signature: rank for rank, signature in enumerate(layout.layers)}
        for fact in sorted(facts, key=lambda fact: sheet_place(fact, layout.sheet_order)):
            self._sort_in(fact)

    def _sort_in(self, fact: GroundTerm) -> None:
        signature = signature_of(fact)
        arguments = fact[1:] if isinstance(fact, tuple) else ()
        if self.layout.is_hidden(signature):
            return
        if fact in self._counter:
            self._count = self._counter[fact]
        elif self._is_turn(fact, arguments) or self._put_on_board(signature, arguments):
            return
        elif quantity := self.layout.quantities.get(signature):
            self._gauges.setdefault(signature, []).append(self._gauge(quantity, arguments))
        else:
            self._rest.setdefault(signature, []).append(arguments)

    def _is_turn(self, fact: GroundTerm, arguments: Words) -> bool:
        """Return whether a fact says only whose turn it is."""
        return fact in self._turns and all(word in self.layout.styles.roles for word in arguments)

    def _put_on_board(self, signature: Signature, arguments: Words) -> bool:
        layer = self.layout.layers.get(signature)
        cell = layer.cell(arguments) if layer else None
        if layer is None or cell is None:
            return False
        content = layer.content(arguments)
        if content == layer.board.blank and content:
            return True
        where = CellRef(layer.grid, cell)
        if self.layout.grids[layer.grid].towers and layer.board.content_arguments:
            lower = layer.cells.get(content)
            if lower is not None:
                self.below.setdefault(layer.grid, {})[cell] = lower
            name = f"on {self._text(content[0])}"
            self.things.setdefault(where, []).append((0, Thing(name, "none", neutral_paint(0), name)))
        elif layer.board.content_order:
            self.amounts.setdefault(where, []).append(self._amount(content[0], layer.board.content_order.words))
        else:
            thing = self._coloured(self.layout.styles.thing(layer.board, content), layer, arguments)
            if content in layer.extents:
                thing = replace(thing, extent=layer.extents[content])
            self.things.setdefault(where, []).append((self._ranks[signature], thing))
        return True

    def _coloured(self, thing: Thing, layer: Layer, arguments: Words) -> Thing:
        """Return the thing in the colour of a role on the board of that role, unless hints give it another."""
        selecting = [arguments[axis.argument] for axis in layer.board.selectors]
        roles = [role for word in selecting if (role := self._role(word)) is not None]
        if thing.role is not None or len(roles) != 1 or not is_neutral(thing.paint):
            return thing
        return replace(thing, paint=self.layout.styles.role_paint(roles[0]), role=roles[0])

    def _amount(self, word: GroundTerm, row: Words) -> Amount:
        """Return a word of an order as a number; words that are none are counted from 0."""
        text = term_text(word, self.layout.facts.spelling)
        if is_number(word) and is_number(row[-1]):
            count, most = int(str(word)), max(int(str(each)) for each in row if is_number(each))
            return Amount(text, max(0.0, min(1.0, count / most)) if most > 0 else 0.0, count, most)
        place = row.index(word) if word in row else 0
        return Amount(text, place / max(1, len(row) - 1))

    def _gauge(self, quantity: Quantity, arguments: Words) -> Gauge:
        words = [arguments[index] for index in quantity.key.inputs]
        role = next((number for word in words if (number := self._role(word)) is not None), None)
        texts = tuple(map(self._text, words))
        colour = None if role is None else self.layout.styles.role_paint(role).fill
        return Gauge(" ".join(texts), self._amount(arguments[quantity.argument], quantity.order.words), colour, texts)

    def _role(self, word: GroundTerm) -> int | None:
        return self.layout.styles.roles.get(word) if isinstance(word, str) else None

    def _text(self, word: GroundTerm) -> str:
        role = self._role(word)
        return term_text(word, self.layout.facts.spelling) if role is None else self.layout.styles.role_name(role)

    def grid(self, number: int, marked: Iterable[CellRef]) -> Grid:
        plan = self.layout.grids[number]
        if plan.towers:
            plan = piled(plan, self.below.get(number, {}))
        last = {where.cell for where in marked if where.grid == number}
        cells = tuple(
            Cell(
                each,
                tuple(thing for _, thing in sorted(self.things.get(where, ()), key=lambda ranked: ranked[0])),
                tuple(self.amounts.get(where, ())),
                index in last,
            )
            for index, each in enumerate(plan.cells)
            for where in (CellRef(number, index),)
        )
        return Grid(plan, cells)

    def panels(self) -> Iterable[Panel]:
        counter = self.layout.facts.counter
        for signature in self.layout.quantities:
            if signature in self._gauges:
                hint = self.layout.hints.fluents.get(signature[0])
                dice = hint is not None and hint.style == "dice"
                yield Panel(self.layout.label(signature), tuple(self._gauges[signature]), dice)
        if counter and self._count is not None:
            most = len(counter.facts) - 1 if counter.ends_at is None else counter.ends_at
            known = counter.evidence == "proved" or counter.ends_at is not None
            text = f"{self._count} of {most}" if known else str(self._count)
            title = self.layout.label(counter.signature)
            amount = Amount(text, min(1.0, self._count / max(1, most)), self._count, most if known else None)
            yield Panel(title, (Gauge("", amount),))

    def leftovers(self) -> Iterable[tuple[str, tuple[str, ...]]]:
        for signature, rows in islice(self._rest.items(), MAX_NAMES):
            texts = [" ".join(map(self._text, row)) for row in rows[:MAX_LISTED]]
            more = [f"and {len(rows) - MAX_LISTED:,} more"] if len(rows) > MAX_LISTED else []
            yield self.layout.label(signature), (*texts, *more)
        if len(self._rest) > MAX_NAMES:
            left = sum(len(rows) for rows in islice(self._rest.values(), MAX_NAMES, None))
            yield f"and {left:,} more facts", ()

    def changed(self, before: _Composer) -> set[CellRef]:
        """Return the cells that look different now, apart from small marks."""
        places = {*self.things, *before.things, *self.amounts, *before.amounts}
        return {where for where in places if self._look(where) != before._look(where)}

    def _look(self, where: CellRef) -> tuple[list[Thing], list[Amount]]:
        things = [thing for _, thing in self.things.get(where, ()) if not thing.small]
        return things, self.amounts.get(where, [])


def _last_cells(
    layout: BoardLayout, now: _Composer, before: _Composer | None, last: Mapping[Role, Move]
) -> set[CellRef]:
    """Return the cells that the last move names, or that it changed."""
    named = {
        where for move in last.values() for step in layout.moves.steps(move.term) if len(step) == 1 for where in step
    }
    changed = now.changed(before) if before else set()
    if named:
        return named | (changed if len(changed) <= MAX_EXTRA_CHANGES else set())
    return changed if len(changed) <= MAX_CHANGES else set()
