"""Boards on which things lie on top of each other: nothing lies above a place that is empty.

It is looked for because it helps to prove other things: only the top disc of a peg can be moved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from ludens.analysis.boards import Axis, Board, Words
from ludens.analysis.induction import Stacked
from ludens.analysis.modes import FluentTable
from ludens.gdl.formulas import Signature


def stacked_claims(boards: Sequence[Board], tables: Mapping[Signature, FluentTable]) -> Iterator[Stacked]:
    """The coordinates of boards along which it was so in all sampled states, in one direction or the other."""
    for board in boards:
        if board.blank and len(board.content_arguments) == 1:
            for axis in board.axes:
                for words in (axis.words, axis.words[::-1]) if axis.order else ():
                    if _is_stack(board, axis, words, tables[board.signature]):
                        yield Stacked(board.signature, axis.argument, words, board.content_arguments[0], board.blank[0])


def _is_stack(board: Board, axis: Axis, words: Words, table: FluentTable) -> bool:
    """Whether no place was empty while the next one was not."""
    columns = {fact: number for number, fact in enumerate(table.facts)}
    content = board.content_arguments[0]
    above = dict(pairwise(words))
    for fact, column in columns.items():
        if (fact[content],) == board.blank and fact[axis.argument] in above:
            other = tuple(above[fact[index]] if index == axis.argument else word for index, word in enumerate(fact))
            if other in columns and (table.bits[:, column] & ~table.bits[:, columns[other]]).any():
                return False
    return True
