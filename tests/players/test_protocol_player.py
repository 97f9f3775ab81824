"""The player's side of the protocol: every message gets its answer, whatever was sent and whatever the player does."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Event
from typing import Any

import pytest

from ludens import Rules, load
from ludens.core import Answer, Clocks, Move, Player, Role
from ludens.game import Game, State
from ludens.gdl.scramble import scramble
from ludens.players import PLAYERS, LegalPlayer, RandomPlayer, make_player
from ludens.players.protocol_player import ProtocolPlayer
from ludens.players.searching import PONDER_SECONDS
from ludens.protocol import Abort, Info, Percepts, Ping, Play, Preview, Start, Stop, read_move
from ludens.runtime.deadline import Deadline
from tests.tiers import FULL, every_game

TICTACTOE = load("tictactoe")
CONNECTFOUR = load("connectfour")
CENTRE, CORNER = ("mark", "2", "2"), ("mark", "1", "1")


def start(match: str = "m", role: str = "x", rules: Rules | str = TICTACTOE.rules, clock: float = 5) -> Start:
    return Start(match, role, rules if isinstance(rules, str) else rules.to_kif(), clock, clock)


def in_match(inner: Player | None = None, role: str = "x", **options: Any) -> ProtocolPlayer:
    player = ProtocolPlayer(inner or LegalPlayer(), **options)
    assert player.answer(start(role=role)) == "ready"
    return player


def play_on(player: ProtocolPlayer, game: Game, role: Role, rng: Random) -> State:
    """A whole match against chance, every answer legal; how it ended."""
    hidden = game.traits.hidden
    state, turn = game.initial_state(), 0
    news: tuple[Any, ...] | Percepts | None = Percepts(0, None, ()) if hidden else None
    while not state.is_terminal:
        answer = player.answer(Play("m", news))
        assert answer in state.legal_moves(role)
        joint = {
            other: game.move_of(read_move(answer)) if other == role else rng.choice(state.legal_moves(other))
            for other in game.roles
        }
        announced, turn = game.announced(joint), turn + 1
        news = tuple(move.term for move in announced.values())
        if hidden:
            news = Percepts(turn, announced[role].term, tuple(fact.term for fact in state.percepts(joint)[role]))
        state = state.next(joint)
    assert player.answer(Stop("m", news)) == "done"
    return state


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in ("legal", "uct") else FULL) for name in PLAYERS]
)
def test_a_match_from_start_to_stop(name: str) -> None:
    player = ProtocolPlayer(make_player(name, Random(1), 200))
    for role in TICTACTOE.roles:
        assert player.answer(start(role=role)) == "ready"
        assert (player.match, player.role) == ("m", role)
        assert play_on(player, TICTACTOE, role, Random(2)) == player.state
        assert player.match is None
    assert player.faults == []


@pytest.mark.parametrize(
    "sheet", every_game(of=["pig", "dicerace", "landlord", "backgammon", "rockpaperscissors", "threeway", "diagnosis"])
)
@pytest.mark.parametrize("name", ["random", "montecarlo"])
def test_games_of_chance_and_of_many_roles(sheet: str, name: str) -> None:
    game = load(sheet)
    player = ProtocolPlayer(make_player(name, Random(1), 50), reserve=0.1)
    assert player.answer(start(role=game.player_roles[0], rules=game.rules, clock=20)) == "ready"
    play_on(player, game, game.player_roles[0], Random(4))
    assert player.faults == []


def test_it_says_who_it_is_and_whether_it_is_free() -> None:
    player = ProtocolPlayer(LegalPlayer())
    assert player.answer(Info()) == "((name legal) (status available))"
    assert player.answer(Ping()) == "ready"
    assert player.answer(Preview("(role x)", 1)) == "ready"
    player.answer(start())
    assert player.answer(Info()) == "((name legal) (status busy))"
    assert player.answer(Ping()) == "busy"


def test_one_match_at_a_time() -> None:
    player = in_match()
    assert player.answer(start("other")) == "busy"
    assert player.answer(Play("other", None)) == "busy"
    assert player.answer(Stop("other", None)) == "busy"
    assert player.answer(Abort("other")) == "busy"
    assert player.answer(Play("M", None)) == "busy"
    assert player.match == "m"
    assert player.answer(Abort("m")) == "aborted"
    assert player.answer(Abort("m")) == "aborted"
    assert player.answer(start("other")) == "ready"


def test_start_again_begins_anew() -> None:
    player = in_match()
    assert player.answer(Play("m", None)) == "(mark 1 1)"
    assert player.answer(Play("m", (CORNER, "noop"))) == "noop"
    assert player.answer(start()) == "ready"
    assert player.answer(Play("m", None)) == "(mark 1 1)"
    assert player.faults == []


@pytest.mark.parametrize(
    ("rules", "role", "fault"),
    [
        ("(role x", "x", "this match cannot be played"),
        ("(role x) (role o)", "x", "this match cannot be played"),
        ("", "x", "this match cannot be played"),
        ("(role x) (legal x go) (goal x 0) (<= terminal (not terminal))", "x", "its own absence"),
        (TICTACTOE.rules, "z", "there is no role 'z'"),
        ("(" * 90 + ")" * 90, "x", "this match cannot be played"),
    ],
)
def test_what_cannot_be_played_is_refused(rules: Rules | str, role: str, fault: str) -> None:
    player = ProtocolPlayer(LegalPlayer())
    assert player.answer(start(rules=rules, role=role)) == "busy"
    assert fault in player.faults[0]
    assert "\n" not in player.faults[0]
    assert player.answer(Play("m", None)) == "busy"
    assert player.answer(start()) == "ready"
    assert player.faults == []


def test_a_question_asked_twice_is_answered_once() -> None:
    """The player would otherwise make two moves."""
    inner = RandomPlayer(Random(1))
    player = in_match(inner)
    first = player.answer(Play("m", None))
    assert {player.answer(Play("m", None)) for _ in range(5)} == {first}
    news = (read_move(first), "noop")
    assert [player.answer(Play("m", news)) for _ in range(3)] == ["noop"] * 3
    assert sum(fact.name == "cell" and fact.args[2] != "blank" for fact in inner.state.facts) == 1
    assert player.faults == []


def test_the_same_moves_may_be_made_in_two_turns() -> None:
    """In games where everybody always moves, nobody can tell a move made twice from a message sent twice by itself."""
    game = load("rockpaperscissors")
    player = ProtocolPlayer(LegalPlayer())
    assert player.answer(start(role=game.roles[0], rules=game.rules)) == "ready"
    own = player.answer(Play("m", None))
    state = game.initial_state()
    other = next(move for move in state.legal_moves(game.roles[1]) if move != own)
    joint = (read_move(own), read_move(other))
    for _ in range(2):
        state = state.next([own, other])
        assert player.answer(Play("m", joint)) == own
        assert player.state == state
    unlike = (read_move(other), read_move(other))
    player.answer(Play("m", unlike))
    assert player.answer(Play("m", unlike)) == own
    assert player.state == state.next([other, other]), "the move that was answered is not in it: it is old"


def test_the_same_moves_after_the_clock_are_a_new_turn() -> None:
    """A referee that did not get the answer in time makes another move for the player, perhaps the same as before."""
    game = load("rockpaperscissors")
    player = ProtocolPlayer(LegalPlayer())
    assert player.answer(start(role=game.roles[0], rules=game.rules, clock=0.5)) == "ready"
    own, now = player.answer(Play("m", None)), time.monotonic()
    other = next(move for move in game.initial_state().legal_moves(game.roles[0]) if move != own)
    joint, state = (read_move(other), read_move(other)), game.initial_state()
    for turn in range(3):
        asked = now + 0.6 * turn
        state = state.next([other, other])
        for delay in (0.0, 0.3):
            assert player.answer(Play("m", joint), asked + delay) == own
            assert player.state == state
    assert player.turns == 4
    assert player.answer(Stop("m", joint), now + 2) == "done"
    assert player.state == state.next([other, other])


@pytest.mark.parametrize(
    "news",
    [
        (CENTRE, CENTRE),
        (CENTRE,),
        (CENTRE, "noop", "noop"),
        ("noop", "noop"),
        (("mark", "9", "9"), "noop"),
        (("mark", "2"), "noop"),
        (("a", ("b", "c")), "noop"),
        (),
    ],
)
def test_moves_that_do_not_fit_are_noted_and_answered(news: tuple[Any, ...]) -> None:
    player = in_match()
    assert player.answer(Play("m", None)) == "(mark 1 1)"
    assert player.answer(Play("m", news)) == "(mark 1 1)"
    assert len(player.faults) == 1
    assert player.answer(Play("m", (CENTRE, "noop"))) == "noop"
    assert player.answer(Play("m", None)) == "noop"
    assert "NIL" in player.faults[-1]
    assert player.answer(Stop("m", news)) == "done"


def test_news_with_the_first_question_do_not_matter_if_they_fit() -> None:
    player = in_match()
    assert player.answer(Play("m", (CENTRE, "noop"))) == "noop"
    assert player.faults == []
    again = in_match()
    assert again.answer(Play("m", ("noop", CENTRE))) == "(mark 1 1)"
    assert len(again.faults) == 1


def test_after_the_end_there_is_no_move() -> None:
    game = load("rockpaperscissors")
    player = ProtocolPlayer(LegalPlayer())
    player.answer(start(role=game.roles[0], rules=game.rules))
    state = game.initial_state()
    while not state.is_terminal:
        joint = [state.legal_moves(role)[0] for role in game.roles]
        state = state.next(joint)
        answer = player.answer(Play("m", tuple(move.term for move in joint)))
    assert answer == "nil"
    assert player.answer(Stop("m", None)) == "done"


class Broken(LegalPlayer):
    """Fails where it is told to."""

    def __init__(self, *broken: str) -> None:
        super().__init__()
        self.broken = broken

    def _fail(self, what: str) -> None:
        if what in self.broken:
            raise RuntimeError(f"{what} is broken")

    def start(self, game: Game, role: str, clocks: Clocks, deadline: Deadline) -> None:
        self._fail("start")
        super().start(game, role, clocks, deadline)

    def move(self, deadline: Deadline) -> Answer:
        self._fail("move")
        return super().move(deadline)

    def observe(self, joint: Mapping[Role, Move]) -> None:
        self._fail("observe")
        super().observe(joint)

    def stop(self) -> None:
        self._fail("stop")
        super().stop()


class Blind:
    """Has no way to take percepts."""

    name = "blind"

    def start(self, game: Game, role: str, clocks: Clocks, deadline: Deadline) -> None: ...

    def move(self, deadline: Deadline) -> Answer:
        return Answer("roll")  # type: ignore[arg-type]

    def observe(self, joint: Mapping[Role, Move]) -> None: ...

    def stop(self) -> None: ...

    def abort(self) -> None: ...


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit])
def test_a_player_may_raise_what_it_likes(error: type[BaseException]) -> None:
    class Leaving(LegalPlayer):
        def choose(self, state: State, role: Role, deadline: Deadline) -> Move:
            raise error

    player = in_match(Leaving())
    assert player.answer(Play("m", None)) == "(mark 1 1)"
    assert player.answer(Play("m", (CORNER, "noop"))) == "noop"
    assert error.__name__ in player.faults[0]
    assert player.answer(Abort("m")) == "aborted"


@pytest.mark.parametrize("answer", [None, 7, "(mark 2 2)", ()])
def test_a_foreign_player_that_gives_no_answer_is_told_so(answer: Any) -> None:
    class Odd(Blind):
        def move(self, deadline: Deadline) -> Answer:
            return answer  # type: ignore[no-any-return]

    inner: Any = Odd()
    player = in_match(inner)
    assert player.answer(Play("m", None)) == "(mark 1 1)"
    assert player.faults == [f"the player failed to move: blind answered {answer!r} in place of an Answer"]


@pytest.mark.parametrize("broken", ["start", "move", "observe", "stop"])
def test_a_player_that_fails_still_has_legal_moves(broken: str) -> None:
    player = in_match(Broken(broken))
    play_on(player, TICTACTOE, TICTACTOE.roles[0], Random(3))
    assert any(f"RuntimeError: {broken} is broken" in fault for fault in player.faults)
    assert player.answer(start()) == "ready"


@pytest.mark.parametrize("answer", ["(mark 4 4)", "noop", "(", "", "?x", None, 7])
def test_a_player_that_moves_against_the_rules_still_has_legal_moves(answer: Any) -> None:
    class Cheat(LegalPlayer):
        def choose(self, state: State, role: Role, deadline: Deadline) -> Move:
            return answer  # type: ignore[no-any-return]

    assert in_match(Cheat()).answer(Play("m", None)) == "(mark 1 1)"
    if isinstance(answer, str) and answer.strip("(?"):
        assert in_match(Cheat(), mend=False).answer(Play("m", None)) in (answer, "nil")


def test_moves_are_compared_as_terms() -> None:
    class Shouting(LegalPlayer):
        def choose(self, state: State, role: Role, deadline: Deadline) -> Move:
            return " ( MARK  2 2 ) "  # type: ignore[return-value]

    player = in_match(Shouting())
    assert player.answer(Play("m", None)) == "(mark 2 2)"
    assert player.faults == []


def test_moves_are_spelled_as_the_rules_came() -> None:
    shouted = Rules.parse(TICTACTOE.rules.to_kif().upper())
    quiet, loud = in_match(), ProtocolPlayer(LegalPlayer())
    assert loud.answer(start(role="x", rules=shouted)) == "ready"
    assert quiet.answer(Play("m", None)) == "(mark 1 1)"
    assert loud.answer(Play("m", None)) == "(MARK 1 1)"
    made_up = scramble(TICTACTOE.rules, Random(1))
    role = made_up.forward["x"]
    strange = ProtocolPlayer(RandomPlayer(Random(1)))
    assert strange.answer(start(role=role, rules=made_up.rules)) == "ready"
    assert strange.answer(Play("m", None)) in Game(made_up.rules).initial_state().legal_moves(role)


def test_the_spelling_is_that_of_the_match_also_where_a_game_is_shared() -> None:
    inner = LegalPlayer()
    player = ProtocolPlayer(inner)
    for rules, answer in [(TICTACTOE.rules.to_kif(), "(mark 1 1)"), (TICTACTOE.rules.to_kif().upper(), "(MARK 1 1)")]:
        assert player.answer(start(role="X", rules=rules)) == "ready"
        TICTACTOE.compile()
        assert player.answer(Play("m", None)) == answer
        player.answer(Abort("m"))


@pytest.mark.parametrize("name", ["uct", "alphabeta", "montecarlo"])
def test_a_thought_can_be_broken_off(name: str) -> None:
    player = ProtocolPlayer(make_player(name, Random(1), None))
    assert player.answer(start(role="red", rules=CONNECTFOUR.rules, clock=60)) == "ready"
    with ThreadPoolExecutor() as pool:
        thought = pool.submit(player.answer, Play("m", None))
        time.sleep(0.2)
        assert not thought.done()
        began = time.monotonic()
        assert player.answer(Abort("m")) == "aborted"
        assert thought.result() in CONNECTFOUR.initial_state().legal_moves("red")
        assert time.monotonic() - began < 20
    assert player.match is None


def test_interrupting_ends_the_thought_and_not_the_match() -> None:
    player = ProtocolPlayer(make_player("uct", Random(1), None))
    player.answer(start(role="red", rules=CONNECTFOUR.rules, clock=60))
    with ThreadPoolExecutor() as pool:
        thought = pool.submit(player.answer, Play("m", None))
        while not thought.done():
            time.sleep(0.05)
            player.interrupt()
    move = read_move(thought.result())
    assert player.answer(Play("m", (move, "noop"))) == "noop"
    assert player.faults == []


def test_news_end_a_thought_that_is_too_late() -> None:
    player = ProtocolPlayer(make_player("uct", Random(1), None))
    player.answer(start(role="red", rules=CONNECTFOUR.rules, clock=60))
    with ThreadPoolExecutor() as pool:
        pool.submit(player.answer, Play("m", None))
        time.sleep(0.2)
        began = time.monotonic()
        assert player.answer(Play("m", (("drop", "3"), "noop"))) == "noop"
        assert time.monotonic() - began < 20


class Sleeper(RandomPlayer):
    """Sleeps through its clock, until it is woken by hand."""

    def __init__(self) -> None:
        super().__init__(Random(1))
        self.woken, self.ended = Event(), Event()

    def move(self, deadline: Deadline) -> Answer:
        assert self.woken.wait(60)
        return super().move(deadline)

    def stop(self) -> None:
        self.ended.set()
        super().stop()


@pytest.mark.full
def test_a_player_that_sleeps_is_not_waited_for() -> None:
    inner = Sleeper()
    player = ProtocolPlayer(inner)
    player.answer(start(clock=0.3))
    assert player.answer(Play("m", None)) == "(mark 1 1)"
    assert player.faults == ["the player did not move in time"]
    assert player.answer(Play("m", (CORNER, "noop"))) == "noop"
    assert player.answer(Play("m", ("noop", CENTRE))) == "(mark 1 2)"
    assert player.answer(Stop("m", (("mark", "1", "2"), "noop"))) == "done"
    assert not inner.ended.is_set()
    inner.woken.set()
    assert inner.ended.wait(60)
    assert player.answer(start()) == "ready"
    assert inner.state == TICTACTOE.initial_state()


def test_players_think_on_only_where_they_are_let() -> None:
    searched: list[State] = []

    class Pondering(LegalPlayer):
        def ponder(self, deadline: Deadline) -> None:
            searched.append(self.state)

    in_match(Pondering()).answer(Play("m", None))
    assert searched == []
    thinking = in_match(Pondering(), ponder=True)
    for _ in range(2):
        thinking.answer(Play("m", None))
    thinking.answer(Play("m", (CORNER, "noop")))
    thinking.answer(Abort("m"))
    assert searched == [TICTACTOE.initial_state(), TICTACTOE.initial_state().next({"x": "(mark 1 1)"})]


@pytest.mark.parametrize("name", ["uct", pytest.param("alphabeta", marks=FULL)])
def test_thinking_on_helps_and_does_not_delay_what_comes_next(name: str) -> None:
    player = ProtocolPlayer(make_player(name, Random(1), None), ponder=True)
    player.answer(start(role="red", rules=CONNECTFOUR.rules, clock=0.5))
    move = read_move(player.answer(Play("m", None)))
    time.sleep(0.2)
    began = time.monotonic()
    assert player.answer(Play("m", (move, "noop"))) == "noop"
    time.sleep(0.2)
    assert player.answer(Stop("m", ("noop", ("drop", "1")))) == "done"
    assert time.monotonic() - began < PONDER_SECONDS, "one that is not ended goes on for longer"
    assert player.faults == []


def test_percepts_are_numbered() -> None:
    game = load("pig")
    player = ProtocolPlayer(Blind())  # type: ignore[arg-type]
    assert player.answer(start(role=game.player_roles[0], rules=game.rules)) == "ready"
    first = player.answer(Play("m", Percepts(0, None, ())))
    assert first in game.initial_state().legal_moves(game.player_roles[0])
    own = read_move(first)
    assert player.answer(Play("m", Percepts(0, None, ()))) == first
    assert player.answer(Play("m", Percepts(1, own, ()))) == "roll"
    assert "sees only a part" in player.faults[-1]
    assert player.answer(Play("m", Percepts(1, own, ()))) == "roll"
    assert player.answer(Play("m", Percepts(4, own, ()))) == "roll"
    assert "turn 4 was announced where turn 2 was due" in player.faults[-1]
    assert player.answer(Stop("m", Percepts(2, own, ()))) == "done"


def test_percepts_do_not_fit_where_all_moves_are_told() -> None:
    player = in_match()
    assert player.answer(Play("m", Percepts(0, None, ()))) == "(mark 1 1)"
    assert player.faults == []
    assert player.answer(Play("m", Percepts(1, CORNER, ()))) == "(mark 1 1)"
    assert "percepts were announced" in player.faults[0]
    assert player.answer(Play("m", (CORNER, "noop"))) == "noop"
    assert player.state == TICTACTOE.initial_state().next({"x": "(mark 1 1)"})


UNSEEN = """
(role walker) (role other) (init (at 0)) (after 0 1) (after 1 2) (after 2 3) (after 3 4)
(<= (legal walker (leave ?n)) (true (at ?n))) (legal other wait)
(<= (next (at ?m)) (true (at ?n)) (after ?n ?m)) (<= (sees walker end) (true (at 3)))
(<= terminal (true (at 4))) (goal walker 0) (goal other 0)
"""


@pytest.mark.parametrize("seen", [[None, None, None], [(), (), ()], [None, (), ()]])
def test_nothing_may_be_seen_in_several_turns_in_the_old_form(seen: list[Any]) -> None:
    """Only percepts are told; NIL after the first turn says that there are none."""
    player = ProtocolPlayer(LegalPlayer())
    assert player.answer(start(role="walker", rules=UNSEEN)) == "ready"
    assert player.answer(Play("m", None)) == "(leave 0)"
    assert [player.answer(Play("m", news)) for news in seen] == ["(leave 1)", "(leave 2)", "(leave 3)"]
    assert player.answer(Stop("m", ("end",))) == "done"
    assert player.faults == []


class SlowToSee(LegalPlayer):
    def perceive(self, own_move: Move, seen: tuple[Any, ...]) -> None:
        time.sleep(0.6)
        super().perceive(own_move, seen)


def test_no_move_is_made_up_where_it_is_not_known_what_is_legal() -> None:
    game = load("dicerace")
    player = ProtocolPlayer(SlowToSee())
    role = game.player_roles[0]
    assert player.answer(Start("m", role, game.rules.to_kif(), 5, 0.3)) == "ready"
    own = player.answer(Play("m", Percepts(0, None, ())))
    assert own in game.initial_state().legal_moves(role)
    assert player.answer(Play("m", Percepts(1, read_move(own), ()))) == "nil"
    assert "the player did not move in time" in player.faults
    assert player.answer(Abort("m")) == "aborted"


def test_words_that_differ_only_in_case_are_noted() -> None:
    rules = "(role x) (init A) (init a) (next A) (legal x A) (legal x a) (<= terminal (true b)) (goal x 0)"
    player = ProtocolPlayer(LegalPlayer())
    assert player.answer(start(rules=rules)) == "ready"
    assert player.faults == ["the rules have 1 word in several spellings of case: `A`/`a`"]


def test_a_server_that_does_not_know_of_percepts_tells_moves() -> None:
    game = load("pig")
    player = ProtocolPlayer(LegalPlayer())
    role = game.player_roles[0]
    assert player.answer(start(role=role, rules=game.rules)) == "ready"
    state = game.initial_state()
    answer = player.answer(Play("m", None))
    for _ in range(5):
        joint = {other: state.legal_moves(other)[0] for other in game.roles}
        joint[role] = game.move_of(read_move(answer))
        state = state.next(joint)
        answer = player.answer(Play("m", tuple(move.term for move in game.announced(joint).values())))
        assert player.state == state
        assert answer in state.legal_moves(role)
    assert player.faults == []


def test_faults_are_bounded() -> None:
    player = in_match()
    player.answer(Play("m", None))
    for _ in range(300):
        player.answer(Play("m", (CENTRE,)))
    assert len(player.faults) == 100
