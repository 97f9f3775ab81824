"""Games and analyses that tests of several packages look at, each made once in a process.

Without a deadline, so that a busy machine changes nothing.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

from ludens.analysis.boards import Board
from ludens.analysis.facts import GameFacts, analyse
from ludens.game import Game, load_bundled
from ludens.gdl.rules import Rules
from ludens.runtime.deadline import Deadline

LONG_PROOFS = ("chess", "kalah")
"""Games whose proofs take longer than tests should wait for."""


@cache
def game_of(name: str) -> Game:
    """Return a bundled game, compiled."""
    game = load_bundled(name)
    assert game.compile(), game.compile_error
    return game


@cache
def structure_of(name: str) -> GameFacts:
    """Analyse a bundled game without proofs and symmetries, which take longest."""
    return facts_of_game(game_of(name), proofs=False, symmetries=False)


@cache
def unproved_facts_of(name: str) -> GameFacts:
    """Analyse a bundled game without proofs."""
    return facts_of_game(game_of(name), proofs=False)


@cache
def facts_of(name: str) -> GameFacts:
    """Analyse a bundled game in full."""
    return facts_of_game(game_of(name), proofs=name not in LONG_PROOFS)


def facts_of_rules(rules: Rules | str, proofs: bool = True, symmetries: bool = True) -> GameFacts:
    return facts_of_game(Game(Rules.parse(rules) if isinstance(rules, str) else rules), proofs, symmetries)


def facts_of_game(game: Game, proofs: bool = True, symmetries: bool = True) -> GameFacts:
    return analyse(game, Deadline.never(), Random(1), proofs=proofs, symmetries=symmetries)


def structure_of_sheet(corpus: Path, name: str) -> GameFacts:
    """Analyse a real rule sheet without proofs and symmetries."""
    return facts_of_rules(Rules.read(corpus / "games" / f"{name}.kif"), proofs=False, symmetries=False)


def board_of(facts: GameFacts, name: str) -> Board:
    return next(board for board in facts.boards if board.signature[0] == name)


def shape(board: Board) -> tuple[int, ...]:
    return tuple(len(axis.words) for axis in board.axes)


def kinds(facts: GameFacts, board: Board) -> dict[str, tuple[str, str | None]]:
    """Return the kind and the owner of each content."""
    return {
        " ".join(map(str, content.words)): (
            content.kind,
            None if content.owner is None else str(facts.roles[content.owner]),
        )
        for content in board.contents
    }
