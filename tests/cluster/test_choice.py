"""Who tries what, and which suggestion is taken."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.analysis.kind import GameKind
from ludens.cluster.choice import Certainty, Records, assign, choose, latest
from ludens.cluster.orders import Suggestion, Task
from ludens.core import Candidate, Move

DUEL = GameKind(True, 100, ((0,), (1,)), turns=True, best=(100, 100), worst=(0, 0))
AT_ONCE = replace(DUEL, turns=False)
THREE = replace(DUEL, total=None, constant_sum=False, teams=((0,), (1,), (2,)), best=(100,) * 3, worst=(0,) * 3)


def suggestion(heuristic: int | None, move: str, depth: int, value: float = 50.0, proven: bool = False) -> Suggestion:
    return Suggestion(1, Task(heuristic, depth), Move(move, move), value, depth, proven, 10)


def chosen(*suggestions: Suggestion, priors: tuple[float, ...] = (0.0,) * 9, kind: GameKind = DUEL) -> str | None:
    found = choose({one.task: one for one in suggestions}, Records(priors), Certainty(kind, 0))
    return str(found.move) if found else None


@pytest.mark.parametrize("kind", [DUEL, AT_ONCE, THREE])
def test_what_is_certain_comes_first(kind: GameKind) -> None:
    sure = suggestion(None, "sure", 3, 10.0, proven=True)
    assert chosen(suggestion(0, "deep", 9, 99.0), sure, kind=kind) == "sure"


def test_a_loss_is_certain_only_in_a_duel_where_roles_take_turns() -> None:
    lost, hope = suggestion(None, "lost", 9, 0.0, proven=True), suggestion(0, "hope", 3)
    assert chosen(lost, hope, kind=DUEL) == "lost"
    assert chosen(lost, hope, kind=AT_ONCE) == "hope"
    assert chosen(lost, hope, kind=THREE) == "hope"
    assert chosen(lost, kind=THREE) == "lost"


def test_a_heuristic_that_gives_up_is_known_by_what_it_said_before() -> None:
    before = suggestion(0, "hope", 3)
    gives_up = replace(before, move=Move("any", "any"), value=0.0, depth=4, proven=True)
    for kind, expected in ((DUEL, gives_up), (THREE, before)):
        known = latest({}, [before], Certainty(kind, 0))
        assert latest(known, [gives_up], Certainty(kind, 0)) == {before.task: expected}
        assert known == {before.task: before}
    assert latest({}, [gives_up], Certainty(THREE, 0)) == {before.task: gives_up}


def test_then_the_deepest() -> None:
    assert chosen(suggestion(0, "shallow", 3, 99.0), suggestion(1, "deep", 4, 1.0)) == "deep"


def test_a_step_more_is_no_reason_against_what_better_heuristics_agree_on() -> None:
    first, second = suggestion(0, "agreed", 4), suggestion(1, "agreed", 3)
    for depth, expected in ((5, "agreed"), (6, "deep")):
        assert chosen(first, second, suggestion(2, "deep", depth), priors=(0.3, 0.3, 0.4)) == expected


def test_a_heuristic_has_one_voice_however_many_workers_try_it() -> None:
    repeated = [replace(suggestion(0, "often", 4), task=Task(0, seed)) for seed in range(9)]
    assert chosen(*repeated, suggestion(1, "once", 4), priors=(0.2, 0.3)) == "once"
    split = [replace(one, move=Move("other", "other")) for one in repeated[:4]]
    assert chosen(*split, *repeated[4:]) == "often"


def test_exhaustive_search_that_has_not_seen_the_end_knows_nothing() -> None:
    assert chosen(suggestion(None, "blind", 9), suggestion(1, "guided", 2)) == "guided"
    assert chosen(suggestion(None, "blind", 9)) == "blind"


def test_then_what_most_heuristics_suggest() -> None:
    lonely, first, second = suggestion(0, "a", 4, 99.0), suggestion(1, "b", 4), suggestion(2, "b", 2)
    assert chosen(lonely, first, second) == "b"
    again = replace(lonely, task=Task(0, 77), depth=3)
    assert chosen(lonely, again, first, second) == "b"


def test_then_the_better_record() -> None:
    assert chosen(suggestion(0, "a", 4, 99.0), suggestion(1, "b", 4), priors=(-0.2, 0.3)) == "b"


def test_nothing_is_chosen_from_nothing() -> None:
    assert chosen() is None


def test_records_follow_what_turned_out_best() -> None:
    records = Records((0.0, 0.0, 0.0))
    looked_at = (Candidate(Move("b", "b"), 100.0, 9, True), Candidate(Move("a", "a"), 0.0, 9, True))
    proof = replace(suggestion(None, "b", 3, 100.0, proven=True), candidates=looked_at)
    records.learn([suggestion(0, "a", 3), suggestion(1, "b", 3), suggestion(2, "c", 3), proof], proof)
    assert records.of(1) > records.of(2) == 0.5 > records.of(0)
    assert records.ranking() == [1]


def test_a_move_that_may_be_as_good_is_no_mistake() -> None:
    records = Records((0.2,))
    bound = (Candidate(Move("b", "b"), 100.0, 9, True), Candidate(Move("a", "a"), 100.0, 9, True))
    proof = replace(suggestion(None, "b", 3, 100.0, proven=True), candidates=bound)
    records.learn([suggestion(0, "a", 3)], proof)
    unsure = replace(proof, candidates=(bound[0], Candidate(Move("a", "a"), 0.0, 9, False)))
    records.learn([suggestion(0, "a", 3)], unsure)
    assert records.of(0) == pytest.approx(0.6)


def test_few_workers_try_the_best_and_one_more_in_turn() -> None:
    records = Records((0.5, 0.9, -0.5, 0.7, 0.6))
    tried = [[task.heuristic for task in assign(4, records, turn, Random(turn))] for turn in range(4)]
    assert all(heuristics[:3] == [None, 1, 3] for heuristics in tried)
    assert [heuristics[3] for heuristics in tried] == [4, 0, 4, 0]


def test_what_does_no_better_than_chance_is_tried_only_if_there_is_nothing_else() -> None:
    assert {task.heuristic for task in assign(8, Records((0.3, 0.0, -0.4)), 1, Random(1))} == {None, 0}
    assert {task.heuristic for task in assign(8, Records((0.0, 0.0)), 1, Random(1))} == {None, 0, 1}


def test_what_does_far_worse_than_the_best_is_not_tried() -> None:
    assert {task.heuristic for task in assign(8, Records((0.5, 0.3, 0.2)), 1, Random(1))} == {None, 0, 1}


@given(st.integers(1, 250), st.lists(st.floats(-1, 1), max_size=30), st.integers(0, 100))
def test_every_worker_has_a_task_of_its_own(workers: int, priors: list[float], turn: int) -> None:
    tasks = assign(workers, Records(priors), turn, Random(turn))
    assert len(tasks) == workers
    counts = Counter(task.heuristic for task in tasks)
    exhaustive = counts.pop(None, 0)
    promising = set(Records(priors).ranking())
    if priors and workers >= 16 and workers - workers // 8 >= len(promising):
        assert exhaustive == workers // 8
        assert set(counts) == promising
        assert max(counts.values()) - min(counts.values()) <= 1
    if workers > 1:
        assert exhaustive >= 1
