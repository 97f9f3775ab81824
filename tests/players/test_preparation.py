"""Getting ready: better searchers take the place of the first one, in time or later, and what fails is told."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from functools import cache
from random import Random

import pytest

from ludens import load
from ludens.core import Clocks, Decision, Limit, Move, Role, Searcher
from ludens.errors import EngineError
from ludens.game import Game, State
from ludens.players import preparation, searching
from ludens.players.preparation import Improvement
from ludens.players.searching import SearchingPlayer
from ludens.runtime.deadline import Deadline

SECONDS = 20.0


class Fixed:
    """A searcher that always finds the same legal move."""

    name = "fixed"

    def __init__(self, place: int) -> None:
        self.place = place

    def search(self, state: State, limit: Limit, rng: Random) -> Decision:
        return Decision(state.legal_moves("x")[self.place], {}, ())

    def advance(self, state: object) -> None: ...

    def stop(self) -> None: ...


@cache
def tictactoe() -> Game:
    game = load("tictactoe")
    game.compile()
    return game


def started(improve: Improvement, seconds: float = SECONDS, nodes: int | None = None, seed: int = 1) -> SearchingPlayer:
    player = SearchingPlayer("test", lambda game, role: Fixed(0), Random(seed), nodes, improve)
    player.start(tictactoe(), "x", Clocks(seconds, 1), Deadline(seconds))
    return player


def answer_of(player: SearchingPlayer) -> tuple[int, tuple[str, ...]]:
    """The number of the move that is made, and what is said about it."""
    answer = player.move(Deadline(5))
    return tictactoe().initial_state().legal_moves("x").index(answer.move), answer.diagnostics


def test_the_last_searcher_in_time_is_used() -> None:
    def improve(game: Game, role: Role, deadline: Deadline, rng: Random) -> Iterator[Searcher]:
        assert (game, role) == (tictactoe(), "x")
        yield Fixed(1)
        yield Fixed(2)

    assert answer_of(started(improve)) == (2, ())


def test_what_is_late_is_used_as_soon_as_it_is_there() -> None:
    go_on, begun = threading.Event(), threading.Event()

    def improve(game: Game, role: Role, deadline: Deadline, rng: Random) -> Iterator[Searcher]:
        yield Fixed(1)
        begun.set()
        go_on.wait(SECONDS)
        yield Fixed(2)
        finished.set()

    finished = threading.Event()
    player = started(improve, seconds=0.2)
    assert begun.wait(SECONDS)
    number, told = answer_of(player)
    assert number == 1, "the match begins without the second one"
    assert all("not ready" in text for text in told)
    go_on.set()
    assert finished.wait(SECONDS)
    assert answer_of(player) == (2, ())


def test_an_improvement_that_fails_leaves_what_there_was_and_a_note() -> None:
    def improve(game: Game, role: Role, deadline: Deadline, rng: Random) -> Iterator[Searcher]:
        yield Fixed(1)
        raise EngineError("the sky is cloudy")

    player = started(improve)
    assert answer_of(player) == (1, ("the sky is cloudy",))
    assert answer_of(player) == (1, ()), "it is told once"
    player.start(tictactoe(), "x", Clocks(1, 1), Deadline(SECONDS))
    assert answer_of(player) == (1, ("the sky is cloudy",)), "in each match"


def test_a_mistake_in_an_improvement_is_told_and_costs_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    def improve(game: Game, role: Role, deadline: Deadline, rng: Random) -> Iterator[Searcher]:
        yield Fixed(1)
        raise RuntimeError("the sky\nhas fallen")

    assert answer_of(started(improve)) == (1, ("getting ready failed: RuntimeError: the sky has fallen",))
    assert "Traceback" not in capfd.readouterr().err


class Broken(Fixed):
    def search(self, state: State, limit: Limit, rng: Random) -> Decision:
        raise RuntimeError("no search")


def test_a_better_searcher_that_does_not_work_is_not_used() -> None:
    def improve(game: Game, role: Role, deadline: Deadline, rng: Random) -> Iterator[Searcher]:
        yield Broken(1)

    assert answer_of(started(improve)) == (0, ("getting ready failed: RuntimeError: no search",))


def test_better_searchers_have_their_time_after_the_machine_code_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long that took."""
    warm, finished, left = threading.Event(), threading.Event(), list[float]()
    monkeypatch.setattr(preparation, "MIN_SECONDS", 7.0)
    monkeypatch.setattr(preparation, "warm_up", lambda *_: warm.wait(SECONDS))

    def improve(game: Game, role: Role, deadline: Deadline, rng: Random) -> Iterator[Searcher]:
        left.append(deadline.remaining)
        yield Fixed(1)
        finished.set()

    player = started(improve, seconds=0.5)
    assert player.move(Deadline(0.1)).diagnostics == (
        "test was not ready when the start clock was over; until it is, random games choose its moves",
    )
    warm.set()
    assert finished.wait(SECONDS)
    assert 6.5 < left[0] <= 7.0


def test_it_goes_on_until_its_part_of_the_start_clock_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "MIN_SECONDS", 0.0)
    left: list[float] = []

    def improve(game: Game, role: Role, deadline: Deadline, rng: Random) -> Iterator[Searcher]:
        while True:
            left.append(deadline.remaining)
            yield Fixed(3)

    assert answer_of(started(improve, seconds=1.0))[0] == 3
    assert searching.READY_SHARE >= left[0] > left[-1]
    assert left[-1] < 0.2


def test_the_end_of_a_match_ends_it() -> None:
    begun = threading.Event()
    ended = threading.Event()

    def improve(game: Game, role: Role, deadline: Deadline, rng: Random) -> Iterator[Searcher]:
        try:
            while not deadline.passed:
                begun.set()
                yield Fixed(1)
        finally:
            ended.set()

    for end in ("stop", "abort", "start"):
        begun.clear()
        ended.clear()
        player = started(improve, seconds=0.1)
        assert begun.wait(SECONDS)
        if end == "start":
            player._improve = None
            player.start(tictactoe(), "x", Clocks(1, 1), Deadline(SECONDS))
        else:
            getattr(player, end)()
        assert ended.wait(5), f"{end} did not end it"


def test_play_that_can_be_repeated_has_no_deadline_and_its_own_chance() -> None:
    seen: list[tuple[float, float]] = []

    def improve(game: Game, role: Role, deadline: Deadline, rng: Random) -> Iterator[Searcher]:
        seen.append((deadline.remaining, rng.random()))
        yield Fixed(1)

    for seed in (1, 1, 2):
        started(improve, seconds=0.01, nodes=10, seed=seed)
    assert [seconds for seconds, _ in seen] == [math.inf] * 3
    assert seen[0][1] == seen[1][1] != seen[2][1]


def test_players_without_improvement_draw_nothing_for_it() -> None:
    """So that their matches do not depend on how they get ready."""
    rng = Random(5)
    player = SearchingPlayer("plain", lambda game, role: Fixed(0), rng, 10)
    player.start(tictactoe(), "x", Clocks(1, 1), Deadline(SECONDS))
    assert rng.getstate() == Random(5).getstate()
    assert isinstance(player.move(Deadline(1)).move, Move)
