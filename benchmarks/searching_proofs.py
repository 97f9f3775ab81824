"""Small games whose values are known, and how long it takes to prove them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from random import Random
from types import MappingProxyType

from ludens import games
from ludens.core import Limit
from ludens.game import Game, load
from ludens.search.alphabeta import AlphaBetaSearcher
from ludens.search.solve import SolveLimits, solve

MAX_SECONDS = 120.0
"""What takes longer is given up."""
IN_SECONDS = 10.0
"""What the target means by solving a game in seconds."""
HARDEST = {"867/254/3_1": 31, "647/85_/321": 31}
"""The two positions of the eight puzzle that need the most moves, row by row."""


@dataclass(frozen=True, slots=True)
class ProofTask:
    name: str
    text: Callable[[], str]
    """The rules."""
    prove: Callable[[Game], str]
    expected: str
    target: float | None
    """CPU seconds."""

    def game(self) -> Game:
        return load(self.text())


def bundled_text(name: str) -> str:
    sheet = games.find(name)
    if sheet is None:
        raise FileNotFoundError(f"there is no bundled game called {name}")
    return sheet.read_text(encoding="utf-8")


def small_connect_four(columns: int, rows: int) -> str:
    """Connect four on a smaller board."""
    text = re.sub(r"\((column|row) \d\)\n", "", bundled_text("connectfour"))
    board = [f"(column {number})" for number in range(1, columns + 1)]
    board += [f"(row {number})" for number in range(1, rows + 1)]
    return text.replace("(cell ?column 6 blank)", f"(cell ?column {rows} blank)") + "\n".join(board)


def eight_puzzle(position: str, steps: int) -> str:
    """The eight puzzle from a position, its rows from top to bottom, with a limit of steps."""
    text = re.sub(r"\(init \(cell .*\)\n", "", bundled_text("eightpuzzle"))
    text = re.sub(r"\(successor \d+ \d+\)\n", "", text).replace("(step 30)", f"(step {steps})")
    facts = [f"(successor {number} {number + 1})" for number in range(steps)]
    for row, tiles in zip((3, 2, 1), position.split("/"), strict=True):
        for column, tile in enumerate(tiles, 1):
            facts.append(f"(init (cell {column} {row} {'gap' if tile == '_' else tile}))")
    return text + "\n".join(facts)


def by_alpha_beta(game: Game) -> str:
    """What the first role gets, without any heuristic."""
    role = game.roles[0]
    decision = AlphaBetaSearcher(game, role).search(game.initial_state(), Limit.of(seconds=MAX_SECONDS), Random(1))
    return f"{decision.values[role]:g}" if decision.proven else f"not proven in {MAX_SECONDS:g} s"


def by_solver(game: Game) -> str:
    """How many moves the shortest solution has."""
    solution = solve(game.initial_state(), SolveLimits(seconds=MAX_SECONDS))
    return f"{len(solution.pv)} moves" if solution.outcome == "solved" else f"not solved in {MAX_SECONDS:g} s"


_TASKS = (
    ProofTask("tictactoe", partial(bundled_text, "tictactoe"), by_alpha_beta, "50", 0.1),
    ProofTask("connectfour 4x4", partial(small_connect_four, 4, 4), by_alpha_beta, "50", IN_SECONDS),
    ProofTask("connectfour 5x4", partial(small_connect_four, 5, 4), by_alpha_beta, "50", IN_SECONDS),
    ProofTask("nim", partial(bundled_text, "nim"), by_alpha_beta, "100", IN_SECONDS),
    *(
        ProofTask(f"eightpuzzle {position}", partial(eight_puzzle, position, moves), by_solver, f"{moves} moves", None)
        for position, moves in HARDEST.items()
    ),
)
PROOFS: Mapping[str, ProofTask] = MappingProxyType({task.name: task for task in _TASKS})
