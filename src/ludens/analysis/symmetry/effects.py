"""The effect of a symmetry on a board, in words."""

from __future__ import annotations

from ludens.analysis.boards import Axis, Board, Words
from ludens.analysis.domain_graph import argument_position
from ludens.analysis.symmetry.symmetries import Symmetry

AxisWords = tuple[tuple[int, Words], ...]


def board_effect(symmetry: Symmetry, board: Board) -> str | None:
    """Return the effect on the places of a board; None if they stay, or if it becomes another fluent."""
    images = axis_images(symmetry, board, tuple((axis.argument, axis.words) for axis in board.axes))
    if images is None:
        return None
    axes = {axis.argument: axis for axis in board.axes}
    ways = {argument: _way(words, axes[place]) for argument, (place, words) in zip(axes, images, strict=True)}
    turned = [argument for argument, (place, _) in zip(axes, images, strict=True) if place != argument]
    if set(ways.values()) <= {"kept"} and not turned:
        return None
    if not set(ways.values()) <= {"kept", "reversed"}:
        return _rearranged(turned, [argument for argument in axes if ways[argument] != "kept"])
    return _named(board, turned, [argument for argument in axes if ways[argument] == "reversed"])


def axis_images(symmetry: Symmetry, board: Board, axes: AxisWords) -> AxisWords | None:
    """Return the images of coordinates, each an argument and its words; None if one is no coordinate any more."""
    signature, places = symmetry.functions.get(board.signature, (board.signature, tuple(range(board.signature[1]))))
    own = [axis.argument for axis in board.axes]
    if signature != board.signature or not {places[argument] for argument in own} <= set(own):
        return None
    found: AxisWords = tuple(
        (
            places[argument],
            tuple(symmetry.word(word, argument_position(board.signature, argument)) for word in words),
        )
        for argument, words in axes
    )
    return found


def _named(board: Board, turned: list[int], reversed_: list[int]) -> str:
    """Return the name of a symmetry that keeps or reverses each coordinate, and may exchange two."""
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
    """Return the arguments counted from 1."""
    return ("s " if len(arguments) > 1 else " ") + " and ".join(str(argument + 1) for argument in arguments)


def _way(images: Words, target: Axis) -> str:
    """Return how the words of a coordinate map to its image: kept, reversed or rearranged."""
    if images == target.words:
        return "kept"
    return "reversed" if images == target.words[::-1] else "rearranged"
