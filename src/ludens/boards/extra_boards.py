"""Further boards that the analysis does not report: towers, tracks and tables.

A word that has one content at a time is a place of its own, as in `(cell a1 red)`; rules that relate such words tell
which of them are neighbours. An amount that goes round is a place on a track.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from ludens.analysis.boards import MAX_CONTENTS, Axis, Board, Content, ContentKind, Words
from ludens.analysis.domain_graph import argument_position
from ludens.analysis.facts import GameFacts
from ludens.analysis.modes import Key
from ludens.analysis.relations import sheet_place, word_order
from ludens.boards.grids import Spell
from ludens.boards.picture import CellPlan, GridPlan
from ludens.core import GroundTerm
from ludens.gdl.formulas import Signature

MIN_PLACES = 3
MAX_MARKED = 30
MAX_PLACES = 200
"""The limit on the places of a table that is drawn as a graph."""
MIN_NEIGHBOURS, MAX_NEIGHBOURS = 3, 8
"""Places of which none has more neighbours lie in a row; if one has too many, the rules are about something else."""
MAX_TOWER_THINGS = 40
TOWER_GAP = 1.2
"""From one tower to the next, in cells."""
SPACING = 1.3
"""The distance between neighbours, in cells."""

Known = Mapping[Signature, Sequence[Words]]
"""The arguments of the facts that can hold, as far as they are known."""


def more_boards(facts: GameFacts, known: Known, initial: Known, grouped: Collection[str] = ()) -> Iterator[Board]:
    """Yield towers, tracks and tables; `grouped` tables are drawn by their contents.

    A game that has none of these and no other board is drawn by what it tells of single words, if that is of several.
    """
    found = [*_more_boards(facts, known, initial, grouped)]
    yield from found or (() if facts.boards else _marked_words(facts, known))


def _marked_words(facts: GameFacts, known: Known) -> Iterator[Board]:
    names = sorted(signature for signature in known if signature[1] == 1 and signature not in _told(facts))
    several = [name for name in names if name in facts.modes and not facts.modes[name].keys]
    if several:
        for signature in (*several, *(name for name in names if name not in several)):
            words = tuple(row[0] for row in known[signature])
            if MIN_PLACES <= len(words) <= MAX_MARKED and not facts.quantity(signature):
                yield _board(signature, Axis(0, words, None), (), known, {}, is_track=False)


def _told(facts: GameFacts) -> set[Signature]:
    """Return the fluents of turns and of the step counter."""
    told = [facts.control.signature, facts.control.other] if facts.control else []
    told += [facts.counter.signature] if facts.counter else []
    return {signature for signature in told if signature}


def _more_boards(facts: GameFacts, known: Known, initial: Known, grouped: Collection[str]) -> Iterator[Board]:
    towers = {board.signature: board for board in tower_boards(facts, known)}
    yield from towers.values()
    told = _told(facts)
    for signature, modes in facts.modes.items():
        if facts.board(signature) or signature in told or signature in towers:
            continue
        quantity = facts.quantity(signature)
        if quantity and quantity.order.wraps and quantity.key.inputs:
            axis = Axis(quantity.argument, quantity.order.words, quantity.order)
            yield _board(signature, axis, quantity.key.inputs, known, {}, is_track=True)
        for key in modes.keys[:1] if quantity is None else ():
            axis_of_key = _table_axis(facts, signature, key, known.get(signature, ()))
            outputs = tuple(index for index in range(signature[1]) if index not in key.inputs)
            if axis_of_key and signature[0] in grouped and len(outputs) == 1:
                order = word_order(facts.rules)
                words = tuple(
                    sorted({row[outputs[0]] for row in known[signature]}, key=lambda word: sheet_place(word, order))
                )
                yield _board(signature, Axis(outputs[0], words, None), key.inputs, known, {}, is_track=True)
            elif axis_of_key:
                yield _board(signature, axis_of_key, outputs, known, initial, is_track=False)


def _table_axis(facts: GameFacts, signature: Signature, key: Key, rows: Sequence[Words]) -> Axis | None:
    """Return the one argument that determines the others, if it can be a place."""
    if key.trivial or len(key.inputs) != 1 or signature[1] < 2:
        return None
    place = key.inputs[0]
    words = tuple(dict.fromkeys(row[place] for row in rows))
    roles = {role.lower() for role in facts.roles}
    if not MIN_PLACES <= len(words) <= MAX_PLACES or roles.issuperset(words):
        return None
    position = argument_position(signature, place)
    others = [argument_position(signature, index) for index in range(signature[1]) if index != place]
    if any(facts.graph.connected(position, other) for other in others):
        return None
    return Axis(place, words, None)


def _board(
    signature: Signature, axis: Axis, outputs: tuple[int, ...], known: Known, initial: Known, is_track: bool
) -> Board:
    at_start = Counter(tuple(row[index] for index in outputs) for row in initial.get(signature, ()))
    contents = dict.fromkeys(tuple(row[index] for index in outputs) for row in known.get(signature, ()))
    most, count = max(at_start.items(), key=lambda item: item[1], default=((), 0))
    blank = most if 2 * count > len(axis.words) and len(contents) > 1 else None
    kind: ContentKind = "piece" if is_track else "marker"
    found = tuple(
        Content(words, "blank" if words == blank else kind, at_start[words], is_track, "sampled", None)
        for words in contents
    )
    return Board(
        signature=signature,
        key=Key((axis.argument,)),
        axes=(axis,),
        selectors=(),
        content_arguments=outputs,
        content_order=None,
        exclusive=not is_track,
        places=len(axis.words),
        contents=found if len(found) <= MAX_CONTENTS else (),
    )


def graph_plan(facts: GameFacts, board: Board, name: str, spell: Spell) -> tuple[GridPlan, dict[Words, int]] | None:
    """Return a table with neighbours near each other; None if the rules do not tell the neighbours."""
    words = board.axes[0].words
    number = {word: index for index, word in enumerate(words)}
    links = sorted(_neighbours(facts, board, number))
    degrees = Counter(end for link in links for end in link)
    distances = _distances(len(words), links)
    together = [index for index in range(len(words)) if np.isfinite(distances[_centre(distances), index])]
    if 2 * len(together) < len(words) or not MIN_NEIGHBOURS <= max(degrees.values(), default=0) <= MAX_NEIGHBOURS:
        return None
    spots = np.zeros((len(words), 2))
    spots[together] = _embedded(distances[np.ix_(together, together)])
    length = np.median([np.linalg.norm(spots[one] - spots[other]) for one, other in links])
    spots *= SPACING / max(float(length), 1e-6)
    spots += 0.5 - spots[together].min(axis=0)
    width, height = spots[together].max(axis=0)
    apart = [index for index in range(len(words)) if index not in together]
    in_line = max(1, int(width / SPACING) + 1)
    for place, index in enumerate(apart):
        spots[index] = 0.5 + SPACING * (place % in_line), height + SPACING * (place // in_line + 1)
    cells = tuple(CellPlan((spell(word),), float(x), float(y)) for word, (x, y) in zip(words, spots, strict=True))
    plan = GridPlan(name, "round", cells, (), (False, False), links=tuple(links))
    return plan, {(word,): index for word, index in number.items()}


def _centre(distances: NDArray[np.float64]) -> int:
    """Return a place from which most others can be reached."""
    return int(np.isfinite(distances).sum(axis=1).argmax())


def _neighbours(facts: GameFacts, board: Board, number: Mapping[GroundTerm, int]) -> set[tuple[int, int]]:
    """Return the neighbours by the relations between places."""
    position = argument_position(board.signature, board.axes[0].argument)
    found: set[tuple[int, int]] = set()
    for relation in facts.relations:
        if not any(facts.graph.connected(position, side) for side in relation.positions):
            continue
        pairs = {tuple(sorted((number[x], number[y]))) for x, y in relation.pairs if x in number and y in number}
        if not relation.transitive or relation.is_successor:
            found |= pairs  # type: ignore[arg-type]
    return found


def _distances(count: int, links: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
    """Return the number of links between any two places."""
    found = np.full((count, count), inf)
    np.fill_diagonal(found, 0.0)
    for one, other in links:
        found[one, other] = found[other, one] = 1.0
    for through in range(count):
        np.minimum(found, found[:, through, None] + found[None, through, :], out=found)
    return found


def _embedded(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points in the plane with about these distances (classical scaling)."""
    count = len(distances)
    centring = np.eye(count) - 1.0 / count
    values, vectors = np.linalg.eigh(-0.5 * centring @ (distances**2) @ centring)
    spots: NDArray[np.float64] = vectors[:, -2:][:, ::-1] * np.sqrt(np.maximum(values[-2:][::-1], 0.0))
    spots *= np.where(spots[0] > 0, -1.0, 1.0)
    return spots


# -- towers ------------------------------------------------------------------------------------


def is_tower(facts: GameFacts, board: Board) -> bool:
    """Return whether a fluent relates things of one kind, each standing on one and carrying one at most."""
    return board.signature in _towers(facts)


def tower_boards(facts: GameFacts, known: Mapping[Signature, Sequence[Words]]) -> Iterator[Board]:
    """Yield the towers as boards whose places are the things themselves."""
    for signature in _towers(facts):
        words = tuple(dict.fromkeys(word for row in known.get(signature, ()) for word in row))
        if 1 < len(words) <= MAX_TOWER_THINGS:
            yield Board(
                signature=signature,
                key=Key((0,)),
                axes=(Axis(0, words, None),),
                selectors=(),
                content_arguments=(1,),
                content_order=None,
                exclusive=True,
                places=len(words),
                contents=(),
            )


def _towers(facts: GameFacts) -> list[Signature]:
    found: list[Signature] = []
    for signature, modes in facts.modes.items():
        keys = {key.inputs for key in modes.keys if not key.trivial}
        ends = [argument_position(signature, index) for index in range(signature[1])]
        if keys == {(0,), (1,)} and facts.graph.connected(*ends) and not facts.quantity(signature):
            found.append(signature)
    return found


def tower_plan(name: str, board: Board, spell: Spell) -> tuple[GridPlan, dict[Words, int]]:
    """Return all things side by side."""
    words = board.axes[0].words
    cells = tuple(CellPlan((spell(word),), TOWER_GAP * number + 0.5, 0.5) for number, word in enumerate(words))
    plan = GridPlan(name, "square", cells, (), (False, False), look="blocks", named=True, towers=True)
    return plan, {(word,): number for number, word in enumerate(words)}


def piled(plan: GridPlan, below: Mapping[int, int]) -> GridPlan:
    """Return the things piled up, each on the one `below` it; those of a cycle stay on the ground."""
    heights = {cell: _height(cell, below) for cell in range(len(plan.cells))}
    above = {lower: upper for upper, lower in below.items() if heights[upper]}
    highest = max(heights.values(), default=0)
    cells = list(plan.cells)
    for tower, bottom in enumerate(cell for cell, height in heights.items() if height == 0):
        cell: int | None = bottom
        while cell is not None:
            cells[cell] = replace(cells[cell], x=TOWER_GAP * tower + 0.5, y=highest - heights[cell] + 0.5)
            cell = above.get(cell)
    return replace(plan, cells=tuple(cells))


def _height(cell: int, below: Mapping[int, int]) -> int:
    height, lower = 0, below.get(cell)
    while lower is not None:
        height, lower = height + 1, below.get(lower)
        if height > len(below):
            return 0
    return height
