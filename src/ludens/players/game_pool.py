"""Games that are shared by those who play them at the same time, so that the same rules are compiled once."""

from __future__ import annotations

from functools import cache
from threading import Lock

from ludens.errors import UnfinishedError
from ludens.game import Game
from ludens.gdl.rules import Rules

MAX_UNUSED = 4
"""How many compiled games are kept for the next match when nobody plays them."""


class GamePool:
    """Hands out games by their rules; each `acquire` is followed by a `release`.

    >>> from ludens.game import load
    >>> pool, rules = GamePool(), load("tictactoe").rules
    >>> game = pool.acquire(rules)
    >>> pool.acquire(rules) is game
    True
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._games: dict[Rules, Game] = {}
        self._users: dict[Rules, int] = {}

    @staticmethod
    @cache
    def of_process() -> GamePool:
        """Return the pool that all players of this process share."""
        return GamePool()

    def acquire(self, rules: Rules | Game) -> Game:
        """Return the game of these rules; a new one if there is none, or compiling it again may give a better engine.

        A game that is given is the one that is shared from now on, unless there is another. Others are served while one
        is made: rules may be hard to evaluate.
        """
        given = None if isinstance(rules, Rules) else rules
        rules = rules if isinstance(rules, Rules) else rules.rules
        with self._lock:
            if game := self._usable(rules) or given:
                return self._lend(game)
        made = Game(rules)
        with self._lock:
            return self._lend(self._usable(rules) or made)

    def _usable(self, rules: Rules) -> Game | None:
        game = self._games.get(rules)
        return None if game and _may_do_better(game) and not self._users.get(rules) else game

    def _lend(self, game: Game) -> Game:
        self._games[game.rules] = game
        self._users[game.rules] = self._users.get(game.rules, 0) + 1
        return game

    def release(self, game: Game) -> None:
        """Give a game back; once nobody has it, its compilation is given up unless it is done."""
        rules = game.rules
        with self._lock:
            self._users[rules] -= 1
            if self._users[rules]:
                return
            del self._users[rules]
            del self._games[rules]
            if game.engine_is_final and not _may_do_better(game):
                self._games[rules] = game
            else:
                game.stop_compiling()
            unused = [known for known in self._games if known not in self._users]
            for known in unused[:-MAX_UNUSED]:
                del self._games[known]


def _may_do_better(game: Game) -> bool:
    """Whether it has no compiled engine, or only for lack of time none that has a circuit."""
    return game.compile_error is not None or isinstance(game.circuit_error, UnfinishedError)
