"""Getting ready for a match in the background: first something that can play, then better and better."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from random import Random
from threading import Event
from typing import TypeAlias

from ludens.core import Limit, Role, Searcher
from ludens.errors import LudensError
from ludens.game import Game, State
from ludens.players.base import Diagnostics
from ludens.players.wording import in_words
from ludens.runtime.deadline import Deadline
from ludens.runtime.threads import POLL_SECONDS, start_thread
from ludens.search.warm_up import warm_up

SearcherFactory: TypeAlias = Callable[[Game, Role], Searcher]
"""Makes the searcher to begin with, at once."""
Improvement: TypeAlias = Callable[[Game, Role, Deadline, Random], Iterator[Searcher]]
"""Makes better ones, each of which takes the place of the one before; a LudensError says why there are no more.

It is a generator, so that everything happens in the background. It ends by itself where there is no deadline, and
follows then from the game and the source of chance alone.
"""
BetterSearchers: TypeAlias = Callable[[Deadline, Random], Iterator[Searcher]]

WARM_UP_SECONDS = 600.0
MIN_SECONDS = 10.0
"""Better searchers are worth so much time, even if the start clock is shorter and the match has begun."""


class Preparation:
    """What a player has made for one match so far; it is made in a thread of its own."""

    def __init__(self, make: Callable[[], Searcher], state: State, diagnostics: Diagnostics) -> None:
        """`make` gives the searcher to begin with; why there is nothing better is added to the diagnostics."""
        self._make = make
        self.searcher = make()
        """The best so far."""
        self.improved = False
        """Whether it is better than the one to begin with."""
        self.ready = Event()
        """Set when it can be used."""
        self._done = Event()
        """Set when nothing better will come."""
        self._state, self._diagnostics = state, diagnostics
        self._work = Deadline.never()

    def begin(self, better: BetterSearchers | None, patience: Deadline, rng: Random) -> None:
        """Better searchers may take as long as that, and some seconds in any case once the first one is ready."""
        own = Random(rng.getrandbits(64)) if better else rng
        start_thread(lambda: self._run(better, patience, own), "ludens-preparation")

    def wait(self, deadline: Deadline) -> bool:
        """Wait until nothing better will come; return whether that is so before the deadline passes."""
        while not self._done.wait(min(POLL_SECONDS, deadline.remaining)) and not deadline.passed:
            pass
        return self._done.is_set()

    def give_up(self) -> None:
        self._work.cancel()

    def _run(self, better: BetterSearchers | None, patience: Deadline, rng: Random) -> None:
        try:
            self._make_ready(patience)
            if better:
                self._improve(better, max(patience.remaining, MIN_SECONDS), rng)
        except LudensError as error:
            self._diagnostics.add(str(error))
        except Exception as error:  # A mistake here must not cost the match; the next answer tells of it.
            self._diagnostics.add(f"getting ready failed: {in_words(error)}")
        finally:
            self.ready.set()
            self._done.set()

    def _make_ready(self, patience: Deadline) -> None:
        """With the first compiled engine of the game, and once more where a better one comes."""
        game = self._state.game
        if not game.compile(patience, first=True):  # who has little time gets the relational engine sooner
            game.compile(self._work, first=True)
        warm_up(self._work.share(at_most=WARM_UP_SECONDS))
        engine = game.engine
        self._try_out(self.searcher)
        self.ready.set()
        game.compile(self._work)
        if game.engine is not engine:
            fresh = self._make()  # the one before may be searching
            self._try_out(fresh)
            self.searcher = fresh

    def _improve(self, better: BetterSearchers, seconds: float, rng: Random) -> None:
        deadline = self._work.share(at_most=seconds)
        for searcher in better(deadline, rng):
            self._try_out(searcher)
            self.searcher, self.improved = searcher, True
            if deadline.passed:
                break

    def _try_out(self, searcher: Searcher) -> None:
        """The first search loads machine code, which is not to happen while a clock runs."""
        if not self._work.cancelled:
            with suppress(LudensError):
                searcher.search(self._state, Limit(self._work, nodes=1), Random(0))
