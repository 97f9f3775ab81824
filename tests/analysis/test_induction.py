"""Input and output arguments: sampled, proved, refuted; and what can be claimed about turns."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import product
from random import Random

import pytest

from ludens import load
from ludens.analysis.induction import Claim, Determined, Exclusive, Follows, OnlyChooser, Present, prove
from ludens.analysis.modes import FluentModes, fluent_tables, sampled_modes
from ludens.analysis.relations import word_order
from ludens.analysis.states import sample_states
from ludens.core import Deadline, GroundTerm
from ludens.engines.reference import ReferenceEngine
from ludens.engines.sliced import SlicedEngine
from ludens.errors import CompileError
from ludens.game import Game
from ludens.gdl.rules import Rules
from tests.analysis.analysed import facts_of, facts_of_rules

CELL, CONTROL = ("cell", 3), ("control", 1)


def proved(game: Game, *claims: Claim) -> list[bool]:
    found = proofs(game, claims, 30)
    return [claim in found for claim in claims]


def proofs(game: Game, claims: Sequence[Claim], seconds: float) -> set[Claim]:
    assert game.compile()
    assert isinstance(game.engine, SlicedEngine)
    initial = {fact.term for fact in game.initial_state().facts}
    return prove(game.reference_engine.rules, initial, game.engine.fluents, claims, Deadline(seconds))


def modes_of(game: Game) -> dict[str, FluentModes]:
    assert game.compile()
    states = sample_states(game, Random(1), Deadline(5))
    modes = sampled_modes(fluent_tables(states, word_order(game.rules)))
    return {signature[0]: mode for signature, mode in modes.items()}


def test_the_mode_of_the_paper() -> None:
    """Minichess: the only candidate is (cell + + -)."""
    (mode,) = [mode for name, mode in modes_of(load("minichess")).items() if name == "cell"]
    assert [mode.modes(key) for key in mode.keys] == ["++-"]
    assert mode.evidence((0, 1)) == "sampled"
    assert mode.evidence((0, 1, 2)) == "proved"
    assert mode.evidence((0, 2)) == mode.evidence((2,)) == mode.evidence(()) == "refuted"


def test_keys_agree_with_a_plain_count() -> None:
    """On the eight puzzle a place determines the tile, and a tile its place, but a column nothing."""
    game = load("eightpuzzle")
    mode = modes_of(game)["cell"]
    assert {key.inputs for key in mode.keys} == {(0, 1), (2,)}
    state, rng = game.initial_state(), Random(2)
    for _ in range(20):
        cells = [fact.args for fact in state.facts if fact.name == "cell"]
        assert len({args[:2] for args in cells}) == len({args[2] for args in cells}) == len(cells) == 9
        state = state.next([rng.choice(state.legal_moves(game.roles[0]))])


def test_proofs_need_each_other() -> None:
    """In tic-tac-toe a cell has one content only because one role at a time may mark."""
    game = load("tictactoe")
    assert proved(game, Determined(CELL, (0, 1))) == [False]
    assert proved(game, Determined(CELL, (0, 1)), Determined(CONTROL, ())) == [True, True]


def test_false_claims_are_not_proved_even_beside_true_ones() -> None:
    game = load("tictactoe")
    claims: list[Claim] = [Determined(CELL, (0,)), Determined(CELL, (2,)), Present(CELL, (2,)), Determined(CONTROL, ())]
    assert proved(game, *claims) == [False, False, False, True]


def test_a_claim_that_is_false_at_first_is_not_proved() -> None:
    """Two lamps that are lit stay lit: that no two are would be inductive, but was never so."""
    sheet = """(role me) (init (lit a)) (init (lit b)) (legal me wait) (<= (next (lit ?x)) (true (lit ?x)))
    (<= terminal (not (true (lit a)))) (goal me 0)"""
    assert proved(Game(Rules.parse(sheet)), Determined(("lit", 1), ())) == [False]


def test_claims_about_turns() -> None:
    game = load("tictactoe")
    x, o = ("control", "x"), ("control", "o")
    true: list[Claim] = [Determined(CONTROL, ()), OnlyChooser(x, "x"), Follows(x, o), Follows(o, x)]
    assert proved(game, *true) == [True] * 4
    assert proved(game, OnlyChooser(x, "o"), Follows(x, x)) == [False, False]


def test_a_piece_that_is_in_one_place_only() -> None:
    """Racetrack: cells have one content because there is one runner on each lane."""
    game, cell = load("racetrackcorridor"), ("cell", 4)
    runner = Determined(cell, (0,), ((3, "runner"),))
    assert proved(game, Determined(cell, (0, 1, 2))) == [False]
    assert proved(game, Determined(cell, (0, 1, 2)), runner) == [True, True]
    assert proved(game, runner, Determined(cell, (0,), ((3, "blank"),))) == [True, False]


def test_fluents_that_exclude_each_other() -> None:
    """Blocks world: a block is on one other only because it is not on the table at the same time."""
    game, on, table = load("blocksworld"), ("on", 2), ("ontable", 1)
    both = Exclusive(((on, (0,)), (table, (0,))))
    assert proved(game, Determined(on, (0,)), Determined(on, (1,))) == [False, True]
    assert proved(game, Determined(on, (0,)), Determined(on, (1,)), both) == [True, True, True]
    assert proved(game, Exclusive(((on, (1,)), (table, (0,))))) == [False]
    modes = facts_of("blocksworld").modes[on]
    assert {key.inputs: key.evidence for key in modes.keys} == {(0,): "proved", (1,): "proved"}


def test_what_holds_but_is_not_inductive_stays_sampled() -> None:
    """Hanoi: that a disc is in one place follows from more than the induction looks at."""
    modes = facts_of("hanoi").modes[CELL]
    assert {key.inputs: key.evidence for key in modes.keys} == {(0, 1): "sampled"}


def test_refuted_modes() -> None:
    sheet = """
    (role me) (init (has a 1)) (init (has b 1)) (thing a) (thing b) (<= (legal me (take ?x)) (thing ?x))
    (<= (next (has ?x 1)) (true (has ?x 1)) (not (does me (take ?x)))) (<= (next (has ?x 2)) (does me (take ?x)))
    (<= (next (has ?x 2)) (true (has ?x 2)) (does me (take ?y)) (distinct ?x ?y))
    (<= (next late) (true early)) (<= (next early) (does me (take a))) (<= terminal (true late)) (goal me 0)
    """
    modes = facts_of_rules(sheet).modes["has", 2]
    assert [(key.inputs, key.evidence, key.full) for key in modes.keys] == [((0,), "proved", True)]
    assert modes.evidence((1,)) == modes.evidence(()) == "refuted"


def test_a_key_that_only_rare_play_breaks_is_never_proved() -> None:
    """Two lamps are lit together only after twelve right moves in a row: sampling misses it, induction does not."""
    steps = " ".join(f"(succ {n} {n + 1})" for n in range(12))
    moves = " ".join(f"(legal me m{n})" for n in range(8))
    sheet = f"""
    (role me) (init (count 0)) (init (lit a)) {steps} {moves}
    (<= (next (count ?m)) (true (count ?n)) (succ ?n ?m) (does me m0))
    (<= (next (count 0)) (not (does me m0)))
    (<= (next (lit a)) (not (true (count 12)))) (<= (next (lit ?x)) (true (count 12)) (lamp ?x)) (lamp a) (lamp b)
    (<= (next (time ?m)) (true (time ?n)) (succ ?n ?m)) (init (time 0)) (<= terminal (true (time 12)))
    (<= (goal me 0) (true (lit a)))
    """
    game = Game(Rules.parse(sheet.replace("(<= terminal (true (time 12)))", "(<= terminal (true (lit b)))")))
    assert modes_of(game)["lit"].keys[0].inputs == ()
    facts = facts_of_rules(game.rules)
    assert facts.modes["lit", 1].keys[0].evidence == "sampled"
    assert facts.modes["count", 1].keys[0].evidence == "proved"


def test_time_is_kept_and_what_is_easy_is_proved() -> None:
    """Chess takes half a minute for its cells; the rest is proved in a moment."""
    game = load("chess")
    assert game.compile()
    begun = time.monotonic()
    found = proofs(game, [Determined(CELL, (0, 1)), Determined(CONTROL, ())], 4)
    assert time.monotonic() - begun < 8
    assert Determined(CONTROL, ()) in found


def test_no_time_at_all() -> None:
    game = load("tictactoe")
    with pytest.raises(CompileError):
        proofs(game, [Determined(CONTROL, ())], 0)
    assert proofs(game, [], 0) == set()


def reachable(engine: ReferenceEngine, most: int) -> list[frozenset[GroundTerm]]:
    """All states that play can reach, by breadth."""
    (start,) = engine.initial(1)
    seen, todo = {start.facts}, [start]
    while todo:
        state = todo.pop()
        if engine.terminal([state])[0]:
            continue
        for joint in product(*engine.legal([state])[0]):
            (after,) = engine.advance([state], [list(joint)])
            if after.facts not in seen:
                seen.add(after.facts)
                todo.append(after)
        assert len(seen) <= most
    return list(seen)


@pytest.mark.parametrize(
    "name", ["blocksworld", "tictactoe", "nim", "rockpaperscissors", "stepcounter", "prisonersdilemma"]
)
def test_what_is_proved_holds_in_all_states_that_play_can_reach(name: str) -> None:
    facts = facts_of(name)
    states = reachable(ReferenceEngine(facts.rules), 12_000)
    proven = [
        (modes.signature, key) for modes in facts.modes.values() for key in modes.keys if key.evidence == "proved"
    ]
    assert proven
    for (fluent, arity), key in proven:
        for state in states:
            rows = [fact[1:] for fact in state if fact[0] == fluent and len(fact) == arity + 1]
            inputs = {tuple(row[index] for index in key.inputs) for row in rows}
            assert len(inputs) == len(rows)
            if key.full_evidence == "proved" and not key.inputs:
                assert len(rows) == 1


@pytest.mark.parametrize("name", ["tictactoe", "nim"])
def test_turns_that_are_proved_hold_in_all_states(name: str) -> None:
    control = facts_of(name).control
    assert control is not None
    assert control.evidence == "proved"
    engine = ReferenceEngine(facts_of(name).rules)
    for state in engine.encode(reachable(engine, 12_000)):
        if not engine.terminal([state])[0]:
            (turn,) = (role for fact, role in control.turns.items() if fact in state.facts)
            assert all(len(moves) == 1 for role, moves in enumerate(engine.legal([state])[0]) if role != turn)
