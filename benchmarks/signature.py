"""A signature of all searches: what they visit and find in fixed positions, as numbers that a pure refactoring keeps.

    python -m benchmarks.signature

Playouts, flat Monte Carlo, Monte Carlo trees and alpha-beta search fixed positions of a dozen games with fixed seeds
and numbers of nodes, on the compiled engine and, in small games, on the reference engine. The last line sums it all up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256
from random import Random

from ludens import load
from ludens.core import Limit, Searcher
from ludens.game import Game, State
from ludens.search.alphabeta import AlphaBetaSearcher
from ludens.search.flat import FlatSearcher
from ludens.search.mcts import MctsSearcher

GAMES = (
    "tictactoe", "connectfour", "breakthrough", "checkers", "othello", "hex", "rockpaperscissors", "tron", "dicerace",
    "threeway", "eightpuzzle", "farmers",
)  # fmt: skip
SMALL = ("tictactoe", "rockpaperscissors", "eightpuzzle", "threeway")
SEARCHES: tuple[tuple[str, Callable[[Game, str], Searcher], int], ...] = (
    ("flat", FlatSearcher, 2_000),
    ("mcts", MctsSearcher, 20_000),
    ("alphabeta", AlphaBetaSearcher, 5_000),
)
INTERPRETED_SHARE = 20
"""The reference engine gets one of this many nodes."""
STEPS, SEED, PLAYOUTS = 4, 1, 2_000


def lines() -> Iterator[str]:
    """Yield a line for each search: where, what, nodes, depth, move and value."""
    for name in GAMES:
        game = load(name)
        game.compile()
        state = _position(game)
        assert game.engine.circuit is not None
        tally = game.engine.tally(game.engine.initial(1), PLAYOUTS, Random(SEED))
        yield f"{name} playouts steps={int(tally.steps.sum())} ended={int(tally.ended.sum())}"
        yield from (f"{name} {line}" for line in _searches(state, 1))
        if name in SMALL:
            yield from (f"{name} reference {line}" for line in _searches(_position(load(name)), INTERPRETED_SHARE))


def _position(game: Game) -> State:
    """A position in which nothing is decided yet: some steps from the start, unless the game ends before."""
    rng, state = Random(SEED), game.initial_state()
    for _ in range(STEPS):
        after = state.next({role: rng.choice(state.legal_moves(role)) for role in game.roles})
        if after.is_terminal:
            break
        state = after
    return state


def _searches(state: State, share: int) -> Iterator[str]:
    role = max(state.game.player_roles, key=lambda role: len(state.legal_moves(role)))
    for name, make, nodes in SEARCHES:
        found = make(state.game, role).search(state, Limit.of(nodes=nodes // share), Random(SEED))
        value = f"{found.values[role]:.6f}"
        yield f"{name} nodes={found.nodes} depth={found.depth} move={found.move} value={value} proven={found.proven}"


def main() -> None:
    digest = sha256()
    for line in lines():
        digest.update(line.encode() + b"\n")
        print(line, flush=True)
    print(f"signature {digest.hexdigest()[:16]}")


if __name__ == "__main__":
    main()
