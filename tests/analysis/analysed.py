"""Analyses that several tests look at, each made once."""

from __future__ import annotations

from functools import cache
from random import Random

from ludens import load
from ludens.analysis.boards import Board
from ludens.analysis.facts import GameFacts, analyse
from ludens.core import Deadline
from ludens.game import Game
from ludens.gdl.rules import Rules

ENOUGH = 15.0
"""Seconds in which all is found that the tests look at."""
SECONDS = {"chess": 6.0, "kalah": 5.0, "farmers": 5.0}
"""Games whose proofs take longer than tests should wait for."""


@cache
def facts_of(name: str) -> GameFacts:
    """Of a bundled game, compiled before, however busy the machine is."""
    game = load(name)
    game.compile()
    return analyse(game, Deadline(SECONDS.get(name, ENOUGH)), Random(1))


def facts_of_rules(rules: Rules | str, seconds: float = ENOUGH) -> GameFacts:
    game = Game(Rules.parse(rules) if isinstance(rules, str) else rules)
    game.compile(Deadline(seconds))
    return analyse(game, Deadline(seconds), Random(1))


def board_of(facts: GameFacts, name: str) -> Board:
    return next(board for board in facts.boards if board.signature[0] == name)
