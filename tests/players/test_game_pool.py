"""Games that are shared: one for the same rules, compiled once, and let go when nobody plays them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Event

import pytest

from ludens import Rules, load
from ludens.cli.spectator import line_text
from ludens.core import Clocks, GroundTerm, Move
from ludens.engines.fallback import FallbackEngine
from ludens.engines.reference import ReferenceEngine
from ludens.engines.select import EngineLoader
from ludens.errors import InvalidRulesError
from ludens.game import COMPILE_AFTER, Game
from ludens.ground import GroundingLimits
from ludens.players import LegalPlayer, make_player
from ludens.players.game_pool import MAX_UNUSED, GamePool
from ludens.players.protocol_player import ProtocolPlayer
from ludens.protocol import Abort, Play, Start
from ludens.runtime.deadline import Deadline

RULES = load("tictactoe").rules


def sheet(number: int) -> Rules:
    return Rules.parse(f"(role r{number}) (legal r{number} go) (<= terminal (true p)) (goal r{number} 1) (init p)")


def test_players_of_the_same_rules_at_the_same_time_share_a_game() -> None:
    pool = GamePool()
    with ThreadPoolExecutor(8) as threads:
        games = list(threads.map(pool.acquire, [RULES] * 20))
    assert len(set(map(id, games))) == 1
    assert pool.acquire(sheet(1)) is not games[0]


def test_a_compilation_goes_on_as_long_as_somebody_wants_it() -> None:
    pool = GamePool()
    game = pool.acquire(RULES)
    pool.acquire(RULES)
    pool.release(game)
    assert game.compile()
    pool.release(game)
    assert pool.acquire(RULES) is game


def test_what_was_not_compiled_is_made_anew() -> None:
    pool = GamePool()
    game = pool.acquire(RULES)
    pool.release(game)
    assert pool.acquire(RULES) is not game


@pytest.mark.parametrize(
    ("limits", "is_kept"), [(GroundingLimits(seconds=0.0), False), (GroundingLimits(rules=1), True)]
)
def test_a_circuit_that_there_was_no_time_for_is_tried_again(limits: GroundingLimits, is_kept: bool) -> None:
    pool = GamePool()
    game = pool.acquire(RULES)
    game._compilation = EngineLoader(game.engine_rules, limits, game.reference_engine)
    assert game.compile()
    assert isinstance(game.engine, FallbackEngine)
    assert pool.acquire(RULES) is game, "it is in use"
    pool.release(game)
    pool.release(game)
    assert (pool.acquire(RULES) is game) == is_kept


def test_only_some_games_are_kept() -> None:
    pool = GamePool()
    games = [pool.acquire(sheet(number)) for number in range(MAX_UNUSED + 2)]
    for game in games:
        game.compile()
    for game in games:
        pool.release(game)
    kept = [pool.acquire(sheet(number)) is game for number, game in enumerate(games)]
    assert kept == [False] * 2 + [True] * MAX_UNUSED


def test_broken_rules_leave_nothing_behind() -> None:
    pool = GamePool()
    broken = Rules.parse("(role x)")
    for _ in range(2):
        with pytest.raises(InvalidRulesError):
            pool.acquire(broken)


def test_players_share_the_game_of_a_match() -> None:
    pool = GamePool()
    game = pool.acquire(RULES)
    first, second = (make_player("uct", Random(1), 100) for _ in range(2))
    for player in (first, second):
        player.start(game, "x", Clocks(10, 10), Deadline(10))
    first.stop()
    assert second.move(Deadline.never()).move in game.initial_state().legal_moves("x")
    first.start(game, "o", Clocks(10, 10), Deadline(10))
    assert first.move(Deadline.never()).move == "noop"


def test_a_game_that_is_given_is_shared_unless_there_is_another() -> None:
    pool, own = GamePool(), load("tictactoe")
    assert pool.acquire(own) is own
    assert pool.acquire(RULES) is own
    assert pool.acquire(load("tictactoe")) is own
    for _ in range(3):
        pool.release(own)
    assert GamePool.of_process() is GamePool.of_process()


def test_others_are_served_while_a_game_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    pool, made = GamePool(), Event()

    def make(rules: Rules) -> Game:
        if rules == RULES:
            assert made.wait(10)
        return Game(rules)

    monkeypatch.setattr("ludens.players.game_pool.Game", make)
    with ThreadPoolExecutor(2) as threads:
        slow = [threads.submit(pool.acquire, RULES) for _ in range(2)]
        assert pool.acquire(sheet(1)).roles == ("r1",)
        assert not any(future.done() for future in slow)
        made.set()
        assert slow[0].result() is slow[1].result()


COUNTING = """
(role solo) (init (at 0)) (<= (legal solo (go ?n)) (true (at ?m)) (succ ?m ?n))
(<= (next (at ?n)) (does solo (go ?n))) (<= terminal (true (at 400))) (goal solo 50)
""" + " ".join(f"(succ {number} {number + 1})" for number in range(400))


def test_who_only_follows_a_match_does_not_make_its_game_compile() -> None:
    """Neither a player that does not search, nor what follows its match by messages, nor who shows lines of play."""
    pool = GamePool()
    game = pool.acquire(Rules.parse(COUNTING))
    player = ProtocolPlayer(LegalPlayer(), games=pool)
    assert player.answer(Start("m", "solo", COUNTING, 10, 10)) == "ready"
    news: tuple[GroundTerm, ...] | None = None
    state = game.initial_state()
    for turn in range(COMPILE_AFTER + 50):
        move = player.answer(Play("m", news))
        assert move == f"(go {turn + 1})"
        news = (("go", str(turn + 1)),)
    pv = [{role: Move(f"(go {turn})", ("go", str(turn))) for role in game.roles} for turn in range(1, 9)]
    for _ in range(COMPILE_AFTER // len(pv) + 1):
        assert line_text(state, pv).startswith("go 1, go 2")
    assert not game._compilation._has_begun
    assert isinstance(game.engine, ReferenceEngine)
    for _ in range(COMPILE_AFTER):
        state.next("go 1")
    assert game._compilation._has_begun
    player.answer(Abort("m"))
    pool.release(game)
