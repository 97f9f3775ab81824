"""The layout of a game, from facts about it: boards, and numbers beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, product
from math import prod

from ludens import games
from ludens.analysis.boards import Board, Words
from ludens.analysis.domain_graph import argument_position
from ludens.analysis.facts import GameFacts
from ludens.analysis.quantities import Quantity
from ludens.analysis.relations import word_order
from ludens.boards.adjacency import Lattice, lattice, linked_places
from ludens.boards.extra_boards import graph_plan, is_tower, more_boards, tower_plan
from ludens.boards.facts_cache import facts_to_draw
from ludens.boards.grids import GROUP, TALL, Coordinate, enlarged, lay_out, lay_out_lines
from ludens.boards.hints import FluentHint, Hints
from ludens.boards.layers import Layer, lone_markers, shared_markers, terrain
from ludens.boards.lines import NARROW, add_stores, attached, fixed_posts, line_board, narrowed, walls
from ludens.boards.moves import MoveMap
from ludens.boards.picture import GridPlan, Tag
from ludens.boards.place_relations import PlaceRelations
from ludens.boards.styles import Styles, is_number
from ludens.core import GroundTerm
from ludens.game import Game, bundled_rules
from ludens.gdl.formulas import Signature
from ludens.gdl.terms import term_text
from ludens.runtime.deadline import Deadline

MAX_CELLS = 5_000
"""A board with more places is not drawn; its facts are listed."""
MAX_MARKS = 12
"""Things of more kinds than this are drawn on a board of their own."""
MIN_CELLS = 0.4
"""A board is filled up with squares that are no cells, if it has at least this part of them."""
MAX_PILED_ROWS = 2
"""On a board with more rows, numbers of things are written, not piled up."""
ANALYSIS_SECONDS = 10.0


@dataclass(frozen=True)
class BoardLayout:
    """The layout of the pictures of one game, the same for all states."""

    name: str
    facts: GameFacts
    styles: Styles
    hints: Hints
    sheet_order: Mapping[str, int]
    """The words in the order in which the rules first write them."""
    grids: tuple[GridPlan, ...]
    layers: Mapping[Signature, Layer]
    quantities: Mapping[Signature, Quantity]
    """The quantities beside the boards."""

    @cached_property
    def moves(self) -> MoveMap:
        """The cells of moves."""
        return MoveMap(self)

    def label(self, signature: Signature) -> str:
        """Return the display name of a fluent."""
        hint = self.hints.fluents.get(signature[0])
        return hint.name if hint and hint.name else fluent_name(self.facts, signature)

    def is_hidden(self, signature: Signature) -> bool:
        hint = self.hints.fluents.get(signature[0])
        return bool(hint and hint.hidden)


def fluent_name(facts: GameFacts, signature: Signature) -> str:
    """Return the name of a fluent as a person writes it."""
    return term_text(signature[0], facts.spelling).replace("_", " ")


def make_layout(game: Game, facts: GameFacts | None = None, hints: Hints | None = None) -> BoardLayout:
    """Return the layout of a game; by default from a short analysis, and with the hints of the game."""
    if facts is None:
        facts = facts_to_draw(game, Deadline(ANALYSIS_SECONDS))
    hints = own_hints(game) if hints is None else hints
    sheet_order = word_order(facts.rules)
    hints.check_words(facts.roles, sheet_order)
    planner = _LayoutMaker(game, facts, hints)
    planner.add_boards()
    boards = [layer.board for layer in planner.layers.values()]
    styles = Styles(facts, boards, game.initial_state().terms, hints)
    ground = terrain(planner.layers.values())
    styles.fill_cells(ground)
    styles.shrink_markers(shared_markers(planner.layers.values()), lone_markers(planner.layers.values()))
    plain = {layer.grid for signature, layer in planner.layers.items() if signature in ground}
    grids = [_tagged(grid, planner.names.get(number, {}), styles, facts) for number, grid in enumerate(planner.grids)]
    return BoardLayout(
        name=game.name,
        facts=facts,
        styles=styles,
        hints=hints,
        sheet_order=sheet_order,
        grids=tuple(_plain(grid) if number in plain else grid for number, grid in enumerate(grids)),
        layers=planner.layers,
        quantities={
            quantity.signature: quantity
            for quantity in facts.quantities
            if quantity.signature not in planner.layers and len(quantity.key.inputs) <= 2
        },
    )


def own_hints(game: Game) -> Hints:
    """Return the hints of a bundled game; for others only that roles named after colours have these."""
    text, bundled = games.hints(game.name), bundled_rules(game.name)
    if text is not None and bundled is not None and bundled[0].digest == game.rules.digest:
        return Hints.from_toml(text, f"{game.name}{games.HINTS_SUFFIX}").with_named_colours(game.player_roles)
    return Hints().with_named_colours(game.player_roles)


class _LayoutMaker:
    """Puts the boards on grids, those over the same places on one."""

    def __init__(self, game: Game, facts: GameFacts, hints: Hints) -> None:
        self.facts, self.hints = facts, hints
        self.grids: list[GridPlan] = []
        self.layers: dict[Signature, Layer] = {}
        self.names: dict[int, dict[int, dict[int, GroundTerm]]] = {}
        """The names that roles give to cells, by grid, cell and role."""
        self._place_relations = PlaceRelations(game, facts)
        self._initial = _by_signature(game.initial_state().terms)
        self._known = _by_signature(facts.fluents) if facts.fluents else self._initial

    def add_boards(self) -> None:
        """Add all boards: areas before rows, the largest first, and of equal ones those with contents."""
        hidden = {name for name, hint in self.hints.fluents.items() if hint.hidden}
        grouped = {name for name, hint in self.hints.fluents.items() if hint.grouped}
        found = [*self.facts.boards, *more_boards(self.facts, self._known, self._initial, grouped)]
        boards = [board for board in found if board.signature[0] not in hidden]
        order = {board.signature: number for number, board in enumerate(boards)}
        ranked = sorted(
            boards,
            key=lambda board: (
                len(_arguments(board)) == 1,
                -board.places,
                board.blank is None,
                not board.content_arguments,
                order[board.signature],
            ),
        )
        for board in ranked:
            places = self._places(board)
            if places is None:
                continue
            base = next((layer for layer in self.layers.values() if self._fits(board, places, layer)), None)
            if base is not None:
                cells = {place: base.cells[place] for place in places}
                self.layers[board.signature] = Layer(board, base.grid, _arguments(board), cells)
            elif not self._add_walls(board, places):
                self._add_grid(board, places)
        add_stores(self.facts, self.grids, self.layers, self._label, self._spell)

    def _places(self, board: Board) -> list[Words] | None:
        """Return all possible places; None if there are too many.

        They are those of the known facts, or of the first state where every place has a content, or else all that
        the words of the coordinates allow.
        """
        arguments = _arguments(board)
        known = dict.fromkeys(
            tuple(fact[index] for index in arguments) for fact in self._known.get(board.signature, ())
        )
        always_full = board.key.full and board.exclusive and (board.blank or 2 * len(known) > board.places)
        if len(known) == board.places or (known and always_full):
            return list(known) if len(known) <= MAX_CELLS else None
        axes = (*board.selectors, *board.axes)
        if prod(len(axis.words) for axis in axes) > MAX_CELLS:
            return None
        return list(product(*(axis.words for axis in axes)))

    def _fits(self, board: Board, places: Iterable[Words], base: Layer) -> bool:
        """Return whether a board can be drawn on the cells of another."""
        arguments = _arguments(board)
        if len(arguments) != len(base.arguments) or any(place not in base.cells for place in places):
            return False
        if len(board.contents) > MAX_MARKS or board.content_order:
            return False
        graph = self.facts.graph
        pairs = zip(arguments, base.arguments, strict=True)
        if not all(
            graph.connected(argument_position(board.signature, one), argument_position(base.board.signature, other))
            for one, other in pairs
        ):
            return False
        roles = {role.lower() for role in self.facts.roles}
        things = [content for content in board.contents if content.kind != "blank"]
        is_marking = (
            not board.content_arguments
            or any(content.kind == "piece" for content in things)
            or all(roles.intersection(map(str, content.words)) for content in things)
        )
        if board.places == base.board.places:
            return is_marking or not board.exclusive or not base.board.key.full
        return is_marking

    def _add_grid(self, board: Board, places: list[Words]) -> None:
        hint = self._hint(board.signature)
        coordinates = [Coordinate.of(axis) for axis in (*board.selectors, *board.axes)]
        name = self._label(board.signature)
        number = len(self.grids)
        if is_tower(self.facts, board):
            plan, cells = tower_plan(name, board, self._spell)
        elif (
            graph := None
            if board.is_ordered or len(places[0]) > 1
            else graph_plan(self.facts, board, name, self._spell)
        ):
            plan, cells = graph
        elif lines := line_board(self._place_relations, board, places, coordinates):
            plan, cells = lay_out_lines(name, *lines, self._spell)
            plan = narrowed(plan)
        else:
            form = self._lattice(board, places)
            plan, cells = lay_out(name, coordinates, len(board.selectors), places, form, hint, self._spell)
            plan = self._styled(plan, board, hint, cells)
            for role, names in self._place_relations.names(board, places).items():
                for place, word in names.items():
                    self.names.setdefault(number, {}).setdefault(cells[place], {})[role] = word
        self.layers[board.signature] = Layer(board, number, _arguments(board), cells)
        self.grids.append(plan)

    def _add_walls(self, board: Board, places: list[Words]) -> bool:
        """Put a board between the cells of another, if what lies on it separates these."""
        for base in [layer for layer in self.layers.values() if len(layer.board.axes) == 2]:
            plan = self.grids[base.grid]
            found = walls(self._place_relations, board, places, base, plan)
            if found:
                coordinates = [Coordinate.of(axis) for axis in (*board.selectors, *board.axes)]
                name, hint = self._label(board.signature), self._hint(board.signature)
                more, cells = lay_out(name, coordinates, len(board.selectors), places, "square", hint, self._spell)
                spots = [found[0][place] for place in cells]
                shifted = {place: len(plan.cells) + cell for place, cell in cells.items()}
                self.layers[board.signature] = Layer(board, base.grid, _arguments(board), shifted, found[1])
                self.grids[base.grid] = attached(plan, more, spots, (NARROW, NARROW))
                return True
        return False

    def _hint(self, signature: Signature) -> FluentHint:
        return self.hints.fluents.get(signature[0], FluentHint())

    def _label(self, signature: Signature) -> str:
        return self._hint(signature).name or fluent_name(self.facts, signature)

    def _lattice(self, board: Board, places: Iterable[Words]) -> Lattice:
        if board.selectors or len(board.axes) != 2:
            return "square"
        numbers = [{word: index for index, word in enumerate(axis.words)} for axis in board.axes]
        return lattice(self.facts, board, [(numbers[0][x], numbers[1][y]) for x, y in places])

    def _styled(self, plan: GridPlan, board: Board, hint: FluentHint, places: Mapping[Words, int]) -> GridPlan:
        """Return the board in its style: checkered where pieces move on an ordered board, with missing squares."""
        if hint.style == "points":
            named = linked_places(self.facts, board)
            links = [(places[one], places[other]) for one, other in named if one in places and other in places]
            return replace(_plain(plan), shape="round", links=tuple(links) or _links(plan))
        if fixed_posts(self._known.get(board.signature, ()), board):
            return narrowed(plan)
        if hint.grouped:
            return enlarged(_plain(plan), GROUP, GROUP)
        if _is_counted(board) and len(plan.blocks) == 1 and len(plan.blocks[0].rows) <= MAX_PILED_ROWS:
            return replace(enlarged(_plain(plan), 1.0, TALL), look="triangles" if hint.style == "triangles" else "flat")
        missing = _missing(plan) if plan.shape == "square" else ()
        moving = any(content.kind == "piece" for content in board.contents)
        natural = missing or (moving and len(board.axes) == 2 and board.is_ordered and plan.shape == "square")
        checkered = natural if hint.style is None else hint.style == "checkered"
        return replace(plan, fillers=missing) if checkered else _plain(plan)

    def _spell(self, word: GroundTerm) -> str:
        return term_text(word, self.facts.spelling)


def _by_signature(fluents: Iterable[GroundTerm]) -> dict[Signature, list[Words]]:
    """Return the arguments of facts by signature."""
    found: dict[Signature, list[Words]] = {}
    for fluent in fluents:
        if isinstance(fluent, tuple):
            found.setdefault((str(fluent[0]), len(fluent) - 1), []).append(fluent[1:])
    return found


def _arguments(board: Board) -> tuple[int, ...]:
    return tuple(axis.argument for axis in (*board.selectors, *board.axes))


def _is_counted(board: Board) -> bool:
    """Return whether all contents of a board are numbers of things."""
    things = [content.words for content in board.contents if content.kind != "blank"]
    return bool(things) and all(len(words) > 1 and any(map(is_number, words)) for words in things)


def _tagged(
    plan: GridPlan, names: Mapping[int, Mapping[int, GroundTerm]], styles: Styles, facts: GameFacts
) -> GridPlan:
    """Return the board with the names that roles give to cells."""
    cells = list(plan.cells)
    for number, by_role in names.items():
        tags = tuple(Tag(term_text(by_role[role], facts.spelling), styles.role_paint(role)) for role in sorted(by_role))
        cells[number] = replace(cells[number], tags=tags)
    return replace(plan, cells=tuple(cells))


def _plain(plan: GridPlan) -> GridPlan:
    return replace(plan, cells=tuple(replace(cell, dark=False) for cell in plan.cells))


def _missing(plan: GridPlan) -> tuple[tuple[float, float], ...]:
    """Return the missing squares of a board of which every other square is a cell."""
    if len(plan.blocks) != 1 or len({cell.dark for cell in plan.cells}) != 1:
        return ()
    block = plan.blocks[0]
    empty = [
        (block.left + column + 0.5, block.top + row + 0.5)
        for row, cells in enumerate(block.cells)
        for column, cell in enumerate(cells)
        if cell is None
    ]
    enough = (
        len(plan.cells) >= MIN_CELLS * (len(plan.cells) + len(empty)) and min(len(block.rows), len(block.columns)) > 1
    )
    return tuple(empty) if enough and empty else ()


def _links(plan: GridPlan) -> tuple[tuple[int, int], ...]:
    """Return the lines between cells next to each other in a row or column."""
    found: list[tuple[int, int]] = []
    for block in plan.blocks:
        for line in (*block.cells, *zip(*block.cells, strict=True)):
            found += [(one, other) for one, other in pairwise(line) if one is not None and other is not None]
    return tuple(found)
