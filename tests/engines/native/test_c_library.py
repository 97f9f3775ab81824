"""The C library of a game, driven by a C program: it compiles without a warning and says what the reference says."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest

from ludens.core import GroundTerm
from ludens.engines.native import NativeEngine
from ludens.engines.native.c_library import c_library, c_name, is_c_name
from ludens.engines.native.plan import CompiledGame
from ludens.engines.native.runtime import ENDED
from ludens.game import load
from ludens.gdl.kif import read_term
from ludens.gdl.rules import Rules
from ludens.gdl.terms import term_text
from tests.corpus_replay import digest, load_trace
from tests.engines.agreement import Known, Witness
from tests.engines.native.building import INSTALLED, build, compilers, replay
from tests.engines.sheets import SMALL
from tests.tiers import ARCHETYPES

RECORDED = ("connectFour", "biddingTicTacToe", "breakthroughSmall", "chomp", "blocks2player")
SANITIZED = ("tictactoe", "hex", "pig", "atarigo", "fourcorners")


def match_of(witness: Witness, rng: Random, most: int = 60) -> Iterator[tuple[Known, tuple[GroundTerm, ...] | None]]:
    """The states of a random match by the reference engine, each with the joint move that follows."""
    (facts,) = witness.engine.decode(witness.engine.initial(1))
    for _ in range(most):
        known = witness.look(facts, rng, joints=1)
        joint = next(iter(known.after), None)
        yield known, joint
        if joint is None:
            return
        facts = known.after[joint]
    yield witness.look(facts, rng), None


@pytest.mark.external
@pytest.mark.parametrize("compiler", INSTALLED or ["gcc"])
@pytest.mark.parametrize("name", ARCHETYPES)
def test_replays_matches_of_the_reference_engine(name: str, compiler: str, tmp_path: Path) -> None:
    rules = load(name).engine_rules
    witness, rng = Witness(rules), Random(name)
    matches = [list(match_of(witness, rng)) for _ in range(2)]

    def text(term: GroundTerm) -> str:
        return term_text(term, rules.spelling)

    driver = build(rules, tmp_path, "-O2", compiler=compiler)
    played = [[[text(move) for move in joint] for _, joint in match if joint] for match in matches]
    shown = replay(driver, played, len(witness.engine.roles))
    for match, states in zip(matches, shown, strict=True):
        for (known, _), state in zip(match, states, strict=True):
            assert sorted(state.facts) == sorted(map(text, known.facts))
            assert state.terminal == known.terminal
            assert state.legal == [list(map(text, moves)) for moves in known.legal]
            assert state.goals == known.goals


@pytest.mark.external
@pytest.mark.parametrize("name", RECORDED)
def test_replays_recorded_matches_of_the_corpus(corpus: Path, name: str, tmp_path: Path) -> None:
    trace = load_trace(corpus, name)
    rules = Rules.read(corpus / "games" / f"{name}.kif")
    driver = build(rules, tmp_path, "-O1")
    playouts = [playout["steps"] for playout in trace["playouts"][:3]]
    moves = [
        [[term_text(read_term(move), rules.spelling) for move in step["moves"]] for step in steps[:-1]]
        for steps in playouts
    ]
    for steps, states in zip(playouts, replay(driver, moves, len(trace["roles"])), strict=True):
        for step, state in zip(steps, states, strict=True):
            facts = sorted(fact.lower() for fact in state.facts)
            assert (len(facts), digest(facts)) == (step["facts"], step["state"])
            assert state.terminal == step["terminal"]
            for legal, (count, expected) in zip(state.legal, step.get("legal", ()), strict="legal" in step):
                found = sorted(move.lower() for move in legal)
                assert (len(found), digest(found)) == (count, expected)


@pytest.mark.external
@pytest.mark.parametrize("name", SANITIZED)
def test_nothing_that_is_passed_in_breaks_it(name: str, tmp_path: Path) -> None:
    """Random bytes as states and random numbers as moves, under the address and undefined-behaviour sanitizers."""
    options = ("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    driver = build(load(name).engine_rules, tmp_path, *options)
    done = subprocess.run([driver, "7", "400"], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert "joint moves were legal" in done.stdout


@pytest.mark.external
@pytest.mark.parametrize("name", ["connectfour", "hex", "pig"])
def test_random_games_are_those_of_the_native_engine(name: str, tmp_path: Path) -> None:
    """C and LLVM are two translations of one program; with the same seed they play the same games."""
    engine = NativeEngine.compile(load(name).engine_rules)
    build(load(name).engine_rules, tmp_path, "-O1", "-fPIC")
    command = [compilers()[0], "-O1", "-fPIC", "-shared", "game.c", "-o", "game.so"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    library = ctypes.CDLL(str(tmp_path / "game.so"))
    workspace = ctypes.create_string_buffer(library.game_workspace_bytes())
    state = ctypes.create_string_buffer(library.game_state_bytes())
    library.game_init(state)
    assert state.raw == engine.initial(1).astype("<u8").tobytes()[: len(state)]
    rng, steps = ctypes.c_uint64(77), ctypes.c_uint32()
    goals = (ctypes.c_int32 * len(engine.roles))()
    played = []
    for _ in range(20):
        assert library.game_playout(workspace, state, ctypes.byref(rng), 1000, goals, ctypes.byref(steps)) == ENDED
        played.append((list(goals), steps.value))
    rows, seed = engine.initial(20), np.array([77], np.uint64)
    ends, lengths = np.empty((20, len(engine.roles)), np.int32), np.empty(20, np.uint32)
    results = np.empty(20, np.uint8)
    with engine.single.frame() as frame:
        arrays = ends.ctypes.data, lengths.ctypes.data, results.ctypes.data
        frame.call["playouts"](frame.address, rows.ctypes.data, seed.ctypes.data, 20, 1000, *arrays)
    assert played == list(zip(ends.tolist(), lengths.tolist(), strict=True))
    assert rng.value == seed[0]


@pytest.mark.external
@pytest.mark.parametrize("name", ["no facts at all", "moves of somebody who is no role", "recursion that adds nothing"])
def test_odd_sheets_compile_without_warnings(name: str, tmp_path: Path) -> None:
    driver = build(Rules.parse(SMALL[name]), tmp_path, "-O2")
    roles = len(Rules.parse(SMALL[name]).roles)
    (states,) = replay(driver, [[]], roles)
    assert len(states) == 1


@pytest.mark.external
def test_names_of_any_kind_survive(tmp_path: Path) -> None:
    long_term = " ".join([900 * "x"] * 5)
    rules = Rules.parse(
        rf"(role me) (init (a b\c??/)) (init (é {long_term})) (legal me go) (<= (next (a ?x)) (true (a ?x))) "
        "(<= terminal (true b)) (goal me 0)"
    )
    driver = build(rules, tmp_path, "-O1")
    ((start,),) = replay(driver, [[]], 1)
    assert sorted(start.facts) == sorted(map(str, load(rules).initial_state().facts))


def test_the_same_game_gives_the_same_texts() -> None:
    rules = load("hallway").engine_rules
    first, second = (c_library(CompiledGame.compile(rules), "hallway", "hallway") for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("tictactoe", "tictactoe"),
        ("Connect Four", "connect_four"),
        ("2048", "game_2048"),
        ("int", "game_int"),
        ("", "game"),
    ],
)
def test_names_of_games_become_names_of_libraries(text: str, name: str) -> None:
    assert c_name(text) == name
    assert is_c_name(name)


@pytest.mark.parametrize("name", ["", "9lives", "two words", "UPPER", "while", "a" * 41, "é"])
def test_what_c_does_not_allow_is_no_name(name: str) -> None:
    assert not is_c_name(name)
