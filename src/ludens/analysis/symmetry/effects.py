"""What a symmetry does to a board, in words."""

from __future__ import annotations

from ludens.analysis.boards import Axis, Board, Words
from ludens.analysis.domain_graph import argument_position
from ludens.analysis.symmetry.symmetries import Symmetry


def board_effect(symmetry: Symmetry, board: Board) -> str | None:
    """What becomes of the places of a board; None if they stay, or if it becomes another fluent."""
    signature, places = symmetry.functions.get(board.signature, (board.signature, tuple(range(board.signature[1]))))
    if signature != board.signature:
        return None
    axes = {axis.argument: axis for axis in board.axes}
    if not {places[argument] for argument in axes} <= axes.keys():
        return None
    images = {axis.argument: _images(symmetry, board, axis) for axis in board.axes}
    ways = {axis.argument: _way(images[axis.argument], axes[places[axis.argument]]) for axis in board.axes}
    turned = [argument for argument in axes if places[argument] != argument]
    if set(ways.values()) <= {"kept"} and not turned:
        return None
    if not set(ways.values()) <= {"kept", "reversed"}:
        return _rearranged(turned, [argument for argument in axes if ways[argument] != "kept"])
    return _named(board, turned, [argument for argument in axes if ways[argument] == "reversed"])


def _named(board: Board, turned: list[int], reversed_: list[int]) -> str:
    """The name of a symmetry that keeps or reverses each coordinate, and may exchange two."""
    flat = board.dimension == 2
    if not turned:
        if flat and len(reversed_) == 2:
            return "half turn"
        return f"reflection of argument{_numbers(reversed_)}"
    if flat and len(reversed_) == 1:
        return "quarter turn"
    if flat:
        return "reflection at a diagonal"
    return _rearranged(turned, reversed_)


def _rearranged(turned: list[int], changed: list[int]) -> str:
    parts = [f"exchange of argument{_numbers(turned)}"] if turned else []
    parts += [f"rearrangement of argument{_numbers(changed)}"] if changed else []
    return " and ".join(parts)


def _numbers(arguments: list[int]) -> str:
    """Arguments as people count them."""
    return ("s " if len(arguments) > 1 else " ") + " and ".join(str(argument + 1) for argument in arguments)


def _images(symmetry: Symmetry, board: Board, axis: Axis) -> Words:
    position = argument_position(board.signature, axis.argument)
    return tuple(symmetry.word(word, position) for word in axis.words)


def _way(images: Words, target: Axis) -> str:
    """How the words of a coordinate lie on that which it becomes."""
    if images == target.words:
        return "kept"
    return "reversed" if images == target.words[::-1] else "rearranged"
