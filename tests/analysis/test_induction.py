"""Input and output arguments: sampled, proved, refuted; and what can be claimed about turns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from random import Random

import pytest

from ludens import load
from ludens.analysis.boards import Board
from ludens.analysis.induction import Claim, Determined, Exclusive, Follows, OnlyChooser, Present, Stacked, prove
from ludens.analysis.modes import FluentModes, fluent_tables, sampled_modes
from ludens.analysis.relations import word_order
from ludens.analysis.states import sample_states, signature_of
from ludens.core import GroundTerm
from ludens.engines.reference import ReferenceEngine
from ludens.engines.sliced import SlicedEngine
from ludens.errors import CompileError
from ludens.game import Game
from ludens.gdl.formulas import Signature
from ludens.gdl.rules import Rules
from ludens.runtime.deadline import Deadline
from tests.analysis.analysed import facts_of, facts_of_rules
from tests.tiers import first

CELL, CONTROL = ("cell", 3), ("control", 1)


def proved(game: Game, *claims: Claim) -> list[bool]:
    found = proofs(game, claims, 30)
    return [claim in found for claim in claims]


def proofs(game: Game, claims: Sequence[Claim], seconds: float) -> set[Claim]:
    assert game.compile()
    assert isinstance(game.engine, SlicedEngine)
    initial = {fact.term for fact in game.initial_state().facts}
    return prove(game.reference_engine.rules, initial, game.engine.circuit.fluents, claims, Deadline(seconds))


def modes_of(game: Game) -> dict[str, FluentModes]:
    assert game.compile()
    states = sample_states(game, Random(1), Deadline.never())
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
    assert proved(game, OnlyChooser(x, "o"), OnlyChooser(x, None), Follows(x, x)) == [False] * 3


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


def test_things_that_lie_on_each_other() -> None:
    """Hanoi: a place has one disc only because discs do not float; else a peg could have two tops."""
    game, heights = load("hanoi"), ("1", "2", "3", "4", "5")
    stacked, floating = (Stacked(CELL, 1, words, 2, "blank") for words in (heights, heights[::-1]))
    discs = [Determined(CELL, (), ((2, disc),)) for disc in heights]
    assert proved(game, Determined(CELL, (0, 1)), *discs)[0] is False
    assert proved(game, Determined(CELL, (0, 1)), *discs, stacked, Present(CELL, (0, 1))) == [True] * 8
    assert proved(game, floating) == [False]
    modes = facts_of("hanoi").modes[CELL]
    assert {key.inputs: key.evidence for key in modes.keys} == {(0, 1): "proved"}


def test_what_is_not_inductive_by_itself_is_proved_beside_what_was_seen() -> None:
    """Two doors are never open at once, since a hand has one key; but by itself nothing says so."""
    sheet = """
    (role me) (init (holds 1)) (key 1) (key 2) (key 3) (<= (legal me (take ?k)) (key ?k))
    (<= (next (holds ?k)) (does me (take ?k)))
    (<= (next (open ?k)) (true (was ?k))) (<= (next (was ?k)) (true (holds ?k)))
    (<= terminal (true (open 3))) (goal me 0)
    """
    modes = facts_of_rules(sheet).modes
    assert modes["holds", 1].keys[0].evidence == "proved"
    assert [key.evidence for key in modes["open", 1].keys] == [
        "proved"
    ]  # beside `was`, which has one fact at a time, too
    alone = proved(Game(Rules.parse(sheet)), Determined(("open", 1), ()))
    assert alone == [False]


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


GOAL_LIGHTS = """
(role me) (init (lit a)) (legal me wait) (legal me go) (init (count 0)) {steps}
(<= (next (count ?m)) (true (count ?n)) (succ ?n ?m) (does me go)) (<= (next (count 0)) (does me wait))
(<= (next (lit a)) (true (lit a))) (<= (next (lit b)) (goal me 100))
(<= (goal me 100) (true (count 12))) (<= (goal me 0) (not (true (count 12)))) (<= terminal (true (lit b)))
"""
GOAL_ENDS = """
(role me) (init (lit a)) (legal me m0) (legal me m1) (legal me m2) (legal me m3) (init (count 0)) {steps}
(lamp a) (lamp b) (<= (next (count ?m)) (true (count ?n)) (succ ?n ?m) (does me m0))
(<= (next (count 0)) (not (does me m0)))
(<= (next (lit a)) (not (true (count 8)))) (<= (next (lit ?x)) (true (count 8)) (lamp ?x))
(<= (goal me 50) (not (true (lit b)))) (<= (goal me 100) (true (lit b))) (<= terminal (not (goal me 50)))
"""


@pytest.mark.parametrize("sheet", [GOAL_LIGHTS, GOAL_ENDS])
def test_goals_that_decide_play_count_for_proofs(sheet: str) -> None:
    """Rules may ask for goals: after a rare series of moves the second lamp is lit, too."""
    modes = facts_of_rules(sheet.format(steps=" ".join(f"(succ {n} {n + 1})" for n in range(12)))).modes
    assert [key.evidence for key in modes["lit", 1].keys] == ["sampled"]
    assert [key.evidence for key in modes["count", 1].keys] == ["proved"]


RARE_TURN = """
(role x) (role o) (init (control x)) (init (run 0)) (mv 1) (mv 2) (mv 3) (mv 4) (mv 5) {steps}
(<= (legal ?r (play ?m)) (true (control ?r)) (mv ?m)) (<= (legal ?r (play ?m)) (role ?r) (true (control both)) (mv ?m))
(<= (legal x noop) (true (control o))) (<= (legal o noop) (true (control x)))
(<= one (does ?r (play 1))) (<= full (true (run 9)))
(<= (next (run ?m)) (true (run ?n)) (succ ?n ?m) one) (<= (next (run 0)) (not one))
(<= (next (control both)) full) (<= (next (control o)) (true (control x)) (not full))
(<= (next (control x)) (not (true (control x))) (not full))
(<= terminal (true (control both)) (true (run 9)))
(<= (goal x 100) (true (control both))) (<= (goal x 0) (not (true (control both)))) (<= (goal o 50) (true (run ?n)))
"""


def test_turns_are_not_proved_if_a_fact_that_was_not_seen_gives_several_a_choice() -> None:
    rare = RARE_TURN.format(steps=" ".join(f"(succ {n} {n + 1})" for n in range(9)))
    control = facts_of_rules(rare).control
    assert control is not None
    assert control.idle == (("control", "both"),)
    assert (control.evidence, control.order_evidence) == ("sampled", "sampled")
    harmless = facts_of_rules(rare.replace("(role ?r) (true (control both)) (mv ?m)", "(true (control ?r)) (mv ?m)"))
    assert harmless.control is not None
    assert harmless.control.evidence == "proved"


@pytest.mark.full
def test_what_is_easy_is_proved_when_time_is_short() -> None:
    """Chess takes half a minute for its cells; the rest is proved in a moment."""
    game = load("chess")
    found = proofs(game, [Determined(CELL, (0, 1)), Determined(CONTROL, ())], 6)
    assert Determined(CONTROL, ()) in found


def test_no_time_at_all() -> None:
    game = load("tictactoe")
    with pytest.raises(CompileError):
        proofs(game, [Determined(CONTROL, ())], 0)
    assert proofs(game, [], 0) == set()


def reachable(engine: ReferenceEngine, most: int) -> list[frozenset[GroundTerm]]:
    """All states that play can reach, by breadth."""
    start = engine.initial(1)
    seen, todo = {int(start[0, 0]): start}, [start]
    while todo:
        state = todo.pop()
        if engine.terminal(state)[0]:
            continue
        for joint in product(*engine.legal(state)[0]):
            after = engine.step(state, [joint])
            if int(after[0, 0]) not in seen:
                seen[int(after[0, 0])] = after
                todo.append(after)
        assert len(seen) <= most
    return [facts for state in seen.values() for facts in engine.decode(state)]


@pytest.mark.parametrize(
    "name", ["blocksworld", "tictactoe", "nim", "rockpaperscissors", "stepcounter", "prisonersdilemma"]
)
def test_what_is_proved_holds_in_all_states_that_play_can_reach(name: str) -> None:
    facts = facts_of(name)
    states = reachable(ReferenceEngine(facts.rules), 12_000)
    fluents: dict[Signature, set[GroundTerm]] = {}
    for fact in {fact for state in states for fact in state}:
        fluents.setdefault(signature_of(fact), set()).add(fact)
    proven = [
        (modes.signature, key) for modes in facts.modes.values() for key in modes.keys if key.evidence == "proved"
    ]
    assert proven
    for (fluent, arity), key in proven:
        for state in states:
            rows = [fact[1:] for fact in state if fact[0] == fluent and len(fact) == arity + 1]
            inputs = {tuple(row[index] for index in key.inputs) for row in rows}
            assert len(inputs) == len(rows)
            if key.full_evidence == "proved":
                assert inputs == {tuple(fact[1 + index] for index in key.inputs) for fact in fluents[fluent, arity]}


@pytest.mark.parametrize("name", first(2, ["nim", "blocksworld", "tictactoe"]))
def test_contents_and_orders_of_turns_that_are_proved_hold_in_all_states(name: str) -> None:
    facts = facts_of(name)
    engine = ReferenceEngine(facts.rules)
    states = reachable(engine, 12_000)
    for board in facts.boards:
        for content in (content for content in board.contents if content.unique_evidence == "proved"):
            for state in states:
                assert sum(content_of(board, fact) == content.words for fact in state) <= 1
    if facts.control and facts.control.order_evidence == "proved":
        order, turns = facts.control.order, facts.control.turns
        after = dict(zip(order, (*order[1:], order[0]), strict=True))
        for state in states:
            row = engine.encode([state])
            if not engine.terminal(row)[0]:
                (follower,) = engine.decode(engine.step(row, [[moves[0] for moves in engine.legal(row)[0]]]))
                (turn,), (next_turn,) = ([turns[f] for f in s if f in turns] for s in (state, follower))
                assert next_turn == after[turn]


def content_of(board: Board, fact: GroundTerm) -> tuple[GroundTerm, ...] | None:
    """What a fact of a board says is on a place; the board is assumed to be one only."""
    if not isinstance(fact, tuple) or (fact[0], len(fact) - 1) != board.signature:
        return None
    return tuple(fact[1 + index] for index in board.content_arguments)


@pytest.mark.parametrize("name", first(1, ["nim", "tictactoe"]))
def test_turns_that_are_proved_hold_in_all_states(name: str) -> None:
    control = facts_of(name).control
    assert control is not None
    assert control.evidence == "proved"
    engine = ReferenceEngine(facts_of(name).rules)
    for state in reachable(engine, 12_000):
        row = engine.encode([state])
        if not engine.terminal(row)[0]:
            (turn,) = (role for fact, role in control.turns.items() if fact in state)
            assert all(len(moves) == 1 for role, moves in enumerate(engine.legal(row)[0]) if role != turn)
