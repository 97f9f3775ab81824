"""What every engine has to do: give the answers of the reference engine, about any state, in batches of any size.

The reference engine is held against the naive evaluator, which tries out everything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain, combinations, islice
from pathlib import Path
from random import Random

import numpy as np
import pytest
from _pytest.mark import ParameterSet
from hypothesis import given
from hypothesis import strategies as st

from ludens import games
from ludens.core import GroundTerm, Playouts
from ludens.engines.base import Engine
from ludens.engines.fallback import FallbackEngine
from ludens.engines.native import NativeEngine
from ludens.engines.relational import RelationalEngine, compiler
from ludens.engines.rows import Rows
from ludens.engines.sliced import SlicedEngine
from ludens.errors import NoLegalMoveError, UnknownFactError
from ludens.game import load
from ludens.gdl.rules import Rules
from ludens.gdl.terms import term_text
from ludens.runtime.deadline import Deadline
from ludens.runtime.threads import map_in_threads
from tests.corpus_replay import Disagreement, load_trace, replay_game, trace_names
from tests.engines.agreement import (
    ENGINES,
    EngineName,
    Known,
    Witness,
    check_steps,
    compare,
    disturbed,
    known_states,
    make_engine,
    shuffled_batch,
    witness_of,
)
from tests.engines.naive import NaiveGame
from tests.engines.random_sheets import random_games, random_recursion, random_sheet
from tests.engines.sheets import FORCED, FORESEEN, FREE, JOINS, SMALL, UNGROUNDED, foreseen
from tests.engines.test_reference_logic import STATES
from tests.tiers import ARCHETYPES, FULL, examples

BATCHES = (1, 63, 64, 65, 512)
BY_JOINS: tuple[EngineName, ...] = ("reference", "relational", "backed")
"""Engines for rules that do not ground; they answer state by state, so that a batch is no more than its states."""
FEW, SINGLE = 6, 24
"""States of a bundled game that slow engines are compared in, and those that are asked for one by one."""
MAX_FLUENTS = 9
SECOND_STUCK = """(role me) (role you) (init a) (legal me go) (<= (legal you go) (true a)) (<= (next b) (true a))
(<= terminal (true c)) (goal me 0) (goal you 0)"""


@pytest.fixture(scope="module", autouse=True)
def plain_code() -> Iterator[None]:
    """Machine code of joins as it is made of long assembly, in less time; `relational/test_engine` has the other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiler, "SHORT_CODE", 0)
        yield


def engine_of(name: EngineName, sheet: str) -> Engine:
    """Of a bundled game or of a text."""
    return sheet_engine(name, sheet) if "(" in sheet else game_engine(name, sheet)


@cache
def sheet_engine(name: EngineName, sheet: str) -> Engine:
    """The two engines that use joins share them."""
    if name != "backed":
        return make_engine(name, rules_of(sheet))
    relational = engine_of("relational", sheet)
    assert isinstance(relational, RelationalEngine)
    return FallbackEngine(relational, Witness(rules_of(sheet)).engine)


game_engine = lru_cache(maxsize=8)(sheet_engine.__wrapped__)
"""The same for games that need much memory."""


@cache
def rules_of(sheet: str) -> Rules:
    return Rules.parse(sheet) if "(" in sheet else load(sheet).engine_rules


def each_game() -> list[ParameterSet]:
    """All bundled games, each in one process, where its states are looked at once for all engines."""
    groups = {name: pytest.mark.xdist_group(f"conformance-{name}") for name in games.names()}
    return [
        pytest.param(name, marks=[group] if name in ARCHETYPES else [group, FULL], id=name)
        for name, group in groups.items()
    ]


# -- bundled games ---------------------------------------------------------------------------


@cache
def odd_states(game: str) -> tuple[Known, ...]:
    """States that no play reaches, as a rule."""
    witness, rng, pool = witness_of(game), Random(game), known_states(game)
    fluents = SlicedEngine.compile(load(game).engine_rules).circuit.fluents
    return tuple(witness.look(disturbed(known, fluents, rng), rng) for known in pool[: max(1, len(pool) // 6)])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("game", each_game())
def test_bundled_games(game: str, engine: EngineName) -> None:
    subject, rng = engine_of(engine, game), Random(game)
    pool, odd = known_states(game), odd_states(game)
    assert subject.roles == witness_of(game).engine.roles
    assert subject.decode(subject.initial(3)) == [pool[0].facts] * 3
    if engine in BY_JOINS:
        compare(subject, [*pool[:FEW], *odd])
    else:
        for known in [*pool[:SINGLE], *odd, *rng.choices([*pool, *odd], k=FEW)]:
            compare(subject, [known], rng)
        for size in BATCHES[1:]:
            compare(subject, shuffled_batch([*pool, *odd], size, rng), rng)
    check_steps(subject, witness_of(game), pool[:3], rng)
    check_sums(subject, [known.facts for known in pool[:FEW]], rng)


def check_sums(engine: Engine, starts: Sequence[frozenset[GroundTerm]], rng: Random, most: int = 5) -> None:
    """A game goes on to its end or to the limit, and only those that ended have goals."""
    states = engine.encode(starts)
    played = engine.playouts(states, rng, most)
    assert played.goals.shape == (len(starts), len(engine.roles))
    assert played.lengths.shape == played.finished.shape == (len(starts),)
    assert ((played.lengths >= 0) & (played.lengths <= most)).all()
    assert (played.lengths[~played.finished] == most).all()
    assert (played.goals[~played.finished] == -1).all()
    over = engine.terminal(states)
    assert played.finished[over].all()
    np.testing.assert_array_equal(played.lengths == 0, over)
    np.testing.assert_array_equal(played.goals[over], engine.goals(states)[over])


# -- small sheets ----------------------------------------------------------------------------


def each_sheet() -> list[ParameterSet]:
    """Engines times small sheets that they can compile; the default tier leaves traps for joins to those."""
    return [
        pytest.param(
            engine, sheet, marks=() if name in SMALL or engine == "relational" else FULL, id=f"{name}-{engine}"
        )
        for name, sheet in (SMALL | JOINS).items()
        for engine in (BY_JOINS if name in UNGROUNDED else ENGINES)
    ]


def every_state(rules: Rules) -> list[Known]:
    """Every state that the facts of a game can make up, whether play reaches it or not, with all joint moves.

    Where they are too many, it is states of random games, and others that differ a little.
    """
    witness, fluents = Witness(rules), SlicedEngine.compile(rules).circuit.fluents
    if len(fluents) > MAX_FLUENTS:
        rng, walk = Random(3), walked(rules, 60)
        return [*walk, *(witness.look(disturbed(known, fluents, rng), rng) for known in walk)]
    every = chain.from_iterable(combinations(fluents, size) for size in range(len(fluents) + 1))
    return [witness.look(frozenset(facts)) for facts in every]


def walked(rules: Rules, states: int) -> list[Known]:
    """States of random games."""
    return list(islice(Witness(rules).walk(Random(2), joints=4), states))


@lru_cache(maxsize=2)
def states_of(sheet: str) -> list[Known]:
    """Of a small sheet: all states, or where the rules do not ground some of them."""
    is_ground = sheet not in {JOINS[name] for name in UNGROUNDED}
    return every_state(rules_of(sheet)) if is_ground else walked(rules_of(sheet), 60)


@pytest.mark.parametrize(("engine", "sheet"), each_sheet())
def test_small_sheets(engine: EngineName, sheet: str) -> None:
    check_everywhere(engine_of(engine, sheet), rules_of(sheet), states_of(sheet), Random(1), engine)


def check_everywhere(subject: Engine, rules: Rules, known: Sequence[Known], rng: Random, engine: EngineName) -> None:
    """All states at once, mixed up, and in engines that have another way for it one by one, back and forth."""
    witness, states = Witness(rules), list(known)
    assert subject.decode(subject.initial(2)) == witness.engine.decode(witness.engine.initial(2))
    compare(subject, states)
    if engine in BY_JOINS:
        check_steps(subject, witness, states[:3], rng)
        return
    rng.shuffle(states)
    compare(subject, states, rng)
    if isinstance(subject, NativeEngine):
        for state in states + states[::-1]:
            compare(subject, [state], rng)
        subject.make_code()
        compare(subject, states[:100], rng)


@pytest.mark.parametrize("name", SMALL)
def test_reference_engine_finds_what_trying_everything_finds(name: str) -> None:
    sheet = SMALL[name]
    naive, rng, known = NaiveGame(rules_of(sheet)), Random(name), states_of(sheet)
    (start,) = engine_of("reference", sheet).decode(engine_of("reference", sheet).initial(1))
    assert start == naive.initial()
    for state in [Witness(rules_of(sheet)).look(start), *rng.sample(known, min(len(known), FEW))]:
        assert state.terminal == naive.is_terminal(state.facts)
        assert list(map(frozenset, state.legal)) == naive.legal(state.facts)
        assert state.goal_terms == naive.goal_terms(state.facts)
        for joint, after in state.after.items():
            assert after == naive.after(state.facts, joint)


# -- random sheets ---------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
@examples(25)
@given(seed=st.integers(0, 2**32))
def test_random_recursions(engine: EngineName, seed: int) -> None:
    rng = Random(seed)
    rules = random_recursion(rng)
    check_everywhere(make_engine(engine, rules), rules, every_state(rules), rng, engine)


@pytest.mark.parametrize("engine", ENGINES)
@examples(15)
@given(rules=random_games(), facts=STATES)
def test_random_rules(engine: EngineName, rules: Rules, facts: frozenset[GroundTerm]) -> None:
    compare(make_engine(engine, rules), [Witness(rules).look(facts, Random(1), joints=8)])


def some(seeds: Sequence[int], twisted: bool) -> list[ParameterSet]:
    """The first two in the default tier, all of them in the full one."""
    return [pytest.param(seed, twisted, marks=() if number < 2 else FULL) for number, seed in enumerate(seeds)]


@pytest.mark.parametrize("engine", BY_JOINS[1:])
@pytest.mark.parametrize(
    ("seed", "twisted"), [*some([122, 1035, 1110, 1136, 1185, 1222, *range(6)], False), *some(range(8), True)]
)
def test_random_sheets(engine: EngineName, seed: int, twisted: bool) -> None:
    sheet = random_sheet(seed, twisted)
    check_everywhere(engine_of(engine, sheet), rules_of(sheet), walked(rules_of(sheet), 12), Random(seed), engine)


# -- random games ----------------------------------------------------------------------------


def assert_same(one: Playouts, other: Playouts) -> None:
    for name in Playouts.__slots__:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", FORCED)
def test_forced_games_end_as_they_must(name: str, engine: EngineName) -> None:
    """The naive evaluator plays them, since there is just one way to go on."""
    naive, subject = NaiveGame(rules_of(FORCED[name])), engine_of(engine, FORCED[name])
    states = [naive.initial()]
    while not naive.is_terminal(states[-1]):
        states.append(naive.after(states[-1], [move for (move,) in naive.legal(states[-1])]))
    values = [[str(value) for value in values] for values in naive.goal_terms(states[-1])]
    goals = [int(own[0]) if len(own) == 1 and own[0] in map(str, range(101)) else -1 for own in values]
    for limit in (0, 1, 2, 3, 100):
        for games_at_once in (3, 70):
            played = subject.playouts(subject.initial(games_at_once), Random(1), limit)
            ended = len(states) - 1 <= limit
            assert played.lengths.tolist() == [min(len(states) - 1, limit)] * games_at_once
            assert played.finished.tolist() == [ended] * games_at_once
            assert played.goals.tolist() == [goals if ended else [-1] * len(goals)] * games_at_once


@pytest.mark.parametrize("size", [0, *BATCHES])
@pytest.mark.parametrize("engine", ENGINES)
def test_each_game_of_a_batch_has_its_own_end(engine: EngineName, size: int) -> None:
    subject, rng = engine_of(engine, FORESEEN), Random(size)
    plan = [(rng.randrange(6), rng.randrange(24)) for _ in range(size)]
    starts = subject.encode([foreseen(left, prize) for left, prize in plan])
    for limit in (0, 3, 10_000):
        played = subject.playouts(starts, rng, limit)
        assert played.lengths.tolist() == [min(left, limit) for left, _ in plan]
        assert played.finished.tolist() == [left <= limit for left, _ in plan]
        assert played.goals.tolist() == [[prize if left <= limit else -1] * 2 for left, prize in plan]
        assert played.goals.shape == (size, 2)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_seed_decides_and_the_limit_only_cuts(engine: EngineName) -> None:
    subject = engine_of(engine, "tictactoe")
    states = subject.initial(12)
    whole = subject.playouts(states, Random(9))
    assert whole.finished.all()
    assert set(map(tuple, whole.goals.tolist())) <= {(100, 0), (50, 50), (0, 100)}
    assert_same(whole, subject.playouts(states, Random(9)))
    assert whole.lengths.tolist() != subject.playouts(states, Random(10)).lengths.tolist()
    for limit in (4, 6):
        check_sums(subject, subject.decode(states), Random(9), limit)


@pytest.mark.parametrize("size", [1, 3000])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_role_without_a_move_is_named(engine: EngineName, size: int) -> None:
    subject, second = engine_of(engine, FREE["a role that can get stuck"]), engine_of(engine, SECOND_STUCK)
    with pytest.raises(NoLegalMoveError, match="me has no legal move"):
        subject.playouts(subject.initial(size), Random(1))
    with pytest.raises(NoLegalMoveError, match="you has no legal move"):
        second.playouts(second.initial(size), Random(1))
    assert subject.playouts(subject.initial(2), Random(1), max_steps=0).lengths.tolist() == [0, 0]
    assert subject.decode(subject.initial(1)) == [frozenset("a")]


# -- numbers and batches ---------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_no_states_at_all(engine: EngineName) -> None:
    subject = engine_of(engine, "tictactoe")
    for nothing in (subject.initial(0), subject.encode([]), np.repeat(subject.initial(3), 0, axis=0)):
        assert subject.decode(nothing) == []
        assert subject.legal(nothing) == []
        assert subject.goal_terms(nothing) == []
        assert subject.terminal(nothing).shape == (0,)
        assert subject.goals(nothing).shape == (0, 2)
        assert len(subject.step(nothing, [])) == 0
        assert subject.playouts(nothing, Random(1)).goals.shape == (0, 2)


@pytest.mark.parametrize("engine", ENGINES)
def test_repeated_states_lie_side_by_side(engine: EngineName) -> None:
    subject = engine_of(engine, "tictactoe")
    facts = [known.facts for known in known_states("tictactoe")[:3]]
    assert subject.decode(np.repeat(subject.encode(facts), 2, axis=0)) == [fact for fact in facts for _ in range(2)]


@pytest.mark.parametrize("engine", ENGINES)
def test_moves_have_numbers(engine: EngineName) -> None:
    subject = engine_of(engine, "connectfour")
    (legal,) = subject.legal(subject.initial(1))
    for role, moves in enumerate(legal):
        assert [subject.move_number(role, subject.move_term(number)) for number in moves] == moves
    assert len({*legal[0], *legal[1]}) == len(legal[0]) + len(legal[1]), "numbered through all roles"
    with pytest.raises(KeyError):
        subject.move_number(0, "fly")


@pytest.mark.parametrize("engine", ENGINES)
def test_an_unknown_move_is_refused(engine: EngineName) -> None:
    subject = engine_of(engine, "connectfour")
    (legal,) = subject.legal(subject.initial(1))
    joint = [moves[0] for moves in legal]
    for wrong in ([10**6, joint[1]], joint[::-1], [joint[0], -1]):
        with pytest.raises(KeyError):
            subject.step(subject.initial(2), [joint, wrong])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("fact", [("cell", "9", "9", "x"), ("cell", "1", "2"), "zebra", ("cell", "1", "1", ("f", "x"))])
def test_a_fact_that_play_never_reaches_is_refused_or_taken_for_what_it_is(
    engine: EngineName, fact: GroundTerm
) -> None:
    subject, odd = engine_of(engine, "tictactoe"), frozenset([fact, ("control", "x")])
    if engine in ("reference", "backed"):
        compare(subject, [witness_of("tictactoe").look(odd)])
    else:
        with pytest.raises(UnknownFactError, match=re.escape(f"{term_text(fact)} can hold in no state")):
            subject.encode([frozenset(), odd])


# -- the protocol ----------------------------------------------------------------------------

GUESSING = """(role a) (role b) (init open) (legal a left) (legal a right) (legal b wait) (<= terminal (true over))
(<= (next over) (true open)) (<= (sees a (own ?m)) (does a ?m)) (<= (sees b moved) (does a ?m)) (goal a 0) (goal b 0)"""
LANES, WALK = 5, 10


def random_joint_moves(engine: Engine, rows: Rows, rng: Random) -> list[list[int]]:
    return [[rng.choice(moves) for moves in legal] for legal in engine.legal(rows)]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("game", ["tictactoe", "rockpaperscissors", "dicerace", "threeway"])
def test_one_look_tells_what_single_questions_tell(game: str, engine: EngineName) -> None:
    subject, rng = engine_of(engine, game).fork(), Random(game)
    rows = subject.initial(LANES)
    assert rows.shape == (LANES, subject.words)
    assert rows.dtype == np.uint64
    for _ in range(WALK):
        seen = subject.look(rows)
        np.testing.assert_array_equal(seen.rows, rows)
        np.testing.assert_array_equal(seen.terminal, subject.terminal(rows))
        np.testing.assert_array_equal(seen.goals, subject.goals(rows))
        rows = rows[~seen.terminal]
        if not len(rows):
            break
        legal = subject.legal(rows)
        for state, number in enumerate(np.flatnonzero(~seen.terminal).tolist()):
            assert [seen.legal(number, role).tolist() for role in range(len(subject.roles))] == legal[state]
            assert seen.choices[number].tolist() == [len(moves) for moves in legal[state]]
        joint = random_joint_moves(subject, rows, rng)
        expanded, after = subject.expand(rows, joint), subject.step(rows, np.array(joint, np.int32))
        again = subject.look(after)
        for name in ("rows", "terminal", "goals", "starts", "moves"):
            np.testing.assert_array_equal(getattr(expanded, name), getattr(again, name))
        rows = after


@pytest.mark.parametrize("engine", ENGINES)
def test_forks_share_moves_and_nothing_else(engine: EngineName) -> None:
    subject, rng = engine_of(engine, "tictactoe"), Random(2)
    fork = subject.fork()
    assert subject.source is subject
    assert fork.source is subject
    assert fork.fork().source is subject
    rows = subject.encode([known.facts for known in known_states("tictactoe")[:4]])
    joint = random_joint_moves(subject, rows[:1], rng)
    apart, after = subject.step_apart(rows[:1], joint)
    assert apart.source is subject
    assert apart.decode(after) == subject.decode(subject.step(rows[:1], joint))
    assert apart.legal(after) == subject.legal(subject.step(rows[:1], joint)), "moves have the same numbers"
    for other in (fork, apart, subject):
        adopted = other.adopt(subject, rows[::-1])
        assert other.decode(adopted) == subject.decode(rows[::-1])
        np.testing.assert_array_equal(other.adopt(subject, rows[::-1]), adopted)
    reference = witness_of("tictactoe").engine
    np.testing.assert_array_equal(fork.adopt(reference, reference.initial(3)), fork.initial(3))
    assert not fork.is_crowded


@pytest.mark.parametrize("engine", ENGINES)
def test_equal_rows_are_equal_states(engine: EngineName) -> None:
    subject = engine_of(engine, "tictactoe").fork()
    facts = [known.facts for known in known_states("tictactoe")[:10]]
    rows = subject.encode([*facts, *facts[::-1]])
    same = [[np.array_equal(one, other) for other in rows] for one in rows]
    assert same == [[one == other for other in [*facts, *facts[::-1]]] for one in [*facts, *facts[::-1]]]


@pytest.mark.parametrize("engine", ENGINES)
def test_sums_of_playouts(engine: EngineName) -> None:
    """From starts that are a known number of steps and a known prize away from the end."""
    subject = engine_of(engine, FORESEEN)
    plan = [(0, 3), (2, 7), (5, 23), (4, 0)]
    starts = subject.encode([foreseen(left, prize) for left, prize in plan])
    tally = subject.tally(starts, 6, Random(1), max_steps=4)
    assert tally.ended.tolist() == [6, 6, 0, 6]
    assert tally.cut.tolist() == [0, 0, 6, 0]
    assert tally.steps.tolist() == [0, 12, 24, 24]
    assert np.nan_to_num(tally.means(), nan=-1).tolist() == [[3, 3], [7, 7], [-1, -1], [0, 0]]
    sums = subject.goal_sums(starts, 6, Random(1), Deadline.never())
    assert sums.tolist() == [[6 * prize] * 2 for _, prize in plan]
    assert subject.goal_sums(starts[:0], 6, Random(1), Deadline.never()).shape == (0, 2)
    with pytest.raises(ValueError, match="there cannot be -1 games"):
        subject.tally(starts, -1, Random(1))


@pytest.mark.parametrize("engine", ENGINES)
def test_percepts(engine: EngineName) -> None:
    subject = engine_of(engine, GUESSING)
    rows = subject.initial(2)
    ((left, right), (wait,)) = subject.legal(rows)[0]
    seen = subject.percepts(rows, [[left, wait], [right, wait]])
    assert seen == [[{("own", "left")}, {"moved"}], [{("own", "right")}, {"moved"}]]


@pytest.mark.parametrize("engine", ENGINES)
def test_several_threads_ask_at_once(engine: EngineName) -> None:
    subject = engine_of(engine, "tictactoe")

    def work(number: int) -> list[object]:
        fork, rng, found = subject.fork(), Random(number), list[object]()
        rows = fork.initial(3)
        for _ in range(4):
            seen = fork.expand(rows, random_joint_moves(fork, rows, rng))
            rows = seen.rows
            found += [fork.decode(rows), seen.terminal.tolist(), seen.goals.tolist()]
        return found

    expected = [work(number) for number in range(8)]
    results: dict[int, list[object]] = {}
    map_in_threads(lambda number: results.update({number: work(number)}), range(8), 4)
    assert [results[number] for number in range(8)] == expected


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("rows", [np.zeros((2, 9), np.uint64), np.zeros(2, np.uint64), np.zeros((2, 1), np.int64)])
def test_what_are_no_rows_is_refused(engine: EngineName, rows: Rows) -> None:
    subject = engine_of(engine, "tictactoe")
    for ask in (subject.look, subject.terminal, subject.legal, subject.goals, subject.goal_terms):
        with pytest.raises(ValueError, match="rows of"):
            ask(rows)


# -- the corpus ------------------------------------------------------------------------------

SHORT = 4500
"""Bytes of a sheet that is compiled in no time, as a rule."""
PARTS, STEPS = 4, 8
SECONDS_PER_GAME = 1.0
LONGER: dict[str, tuple[EngineName, ...]] = {
    **dict.fromkeys(("connectFour", "hex", "breakthrough", "checkers", "eightPuzzle"), ("native", "relational")),
    **dict.fromkeys(("amazons", "quad", "checkers-mustjump-torus", "god"), ("relational",)),
    "chess": ("relational", "backed"),
}
"""Games that are followed further, and by which engines."""


def recordings() -> list[ParameterSet]:
    """Engines times parts of the corpus, or single games that are followed for longer."""
    parts = [(engine, part) for engine in ENGINES for part in range(PARTS)]
    longer = [(engine, name) for name, engines in LONGER.items() for engine in engines]
    return [pytest.param(*case, id="-".join(map(str, case))) for case in [*parts, *longer]]


def recorded_names(corpus: Path, engine: EngineName) -> list[str]:
    """Short sheets for engines that compile them; all but those whose recording was cut for time for the reference."""
    names = trace_names(corpus)
    if engine == "reference":
        return [name for name in names if load_trace(corpus, name)["playouts"][0]["finished"]]
    short = [name for name in names if (corpus / "games" / f"{name}.kif").stat().st_size <= SHORT]
    return short[::4] if engine == "backed" else short


@pytest.mark.parametrize(("engine", "part"), recordings())
def test_recorded_play_is_reproduced(corpus: Path, engine: EngineName, part: int | str) -> None:
    """The beginning of it; `make experiment NAME=corpus` has all of it."""
    found: list[Disagreement] = []
    if isinstance(part, str):
        replay = replay_game(corpus, part, max_playouts=2, max_steps=None if engine == "native" else 25, engine=engine)
        assert replay.is_complete
        found += replay.disagreements
    else:
        for name in recorded_names(corpus, engine)[part::PARTS]:
            if engine == "reference":
                replay = replay_game(corpus, name, SECONDS_PER_GAME, max_playouts=1, max_steps=STEPS)
                assert replay.states > 0, name
            else:
                replay = replay_game(corpus, name, max_playouts=2, max_steps=STEPS, engine=engine)
                assert replay.is_complete, name
            found += replay.disagreements
    assert not found, "\n".join(map(str, found))


@pytest.mark.parametrize(
    ("engine", "name"),
    [
        *(("relational", name) for name in ("merrills", "qyshinsu", "amazonsTorus_10x10", "hex", "blocksWorldSerial")),
        ("sliced", "amazonsTorus_10x10"),
    ],
)
def test_real_sheets(corpus: Path, engine: EngineName, name: str) -> None:
    """Rules that go in circles, in part to no effect, and terms that are hard to join."""
    rules = Rules.read(corpus / "games" / f"{name}.kif")
    subject, seen = make_engine(engine, rules), walked(rules, 12 if engine == "sliced" else 6)
    check_everywhere(subject, rules, seen, Random(4), engine)
    if engine == "sliced":
        compare(subject, shuffled_batch(seen, 65, Random(4)), Random(5))
