"""Who meets whom: fair in all sizes, checked by counting and against all possibilities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from math import comb
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.arena.tournament.pairing import (
    SEATING_RULES,
    first_slots,
    match_count,
    round_robin,
    seatings,
    shared_seatings,
    swiss_pairs,
)
from tests.tiers import FULL


def names(count: int) -> list[str]:
    return [f"p{number}" for number in range(count)]


@given(st.integers(2, 7), st.integers(1, 7), st.integers(0, 3))
def test_seatings_give_every_seat_to_everybody_once(players: int, seats: int, repeat: int) -> None:
    taken = Counter(
        (player, seat) for table in seatings(names(players), seats, repeat) for seat, player in enumerate(table)
    )
    assert taken == Counter({(player, seat): 1 for player in names(players) for seat in range(seats)})


@given(st.integers(2, 7), st.integers(1, 7), st.integers(0, 3))
def test_round_robin_is_fair(players: int, seats: int, repeat: int) -> None:
    tables = list(round_robin(names(players), seats, repeat))
    roles = Counter((player, seat) for table in tables for seat, player in enumerate(table))
    assert len(roles) == players * seats
    assert len(set(roles.values())) == 1, "everybody has every role equally often"
    meetings = Counter(frozenset(pair) for table in tables for pair in combinations(sorted(set(table)), 2))
    if seats > 1:
        assert len(meetings) == comb(players, 2)
        assert len(set(meetings.values())) == 1, "everybody meets everybody equally often"
    if seats <= players:
        assert all(len(set(table)) == seats for table in tables), "nobody meets itself"


def test_small_round_robins() -> None:
    assert list(round_robin(["a", "b", "c"], 1)) == [("a",), ("b",), ("c",)]
    assert list(round_robin(["a", "b"], 2)) == [("a", "b"), ("b", "a")]
    assert list(round_robin(["a", "b"], 3)) == [("a", "b", "a"), ("b", "a", "b")]
    neighbours = {
        table[i : i + 2] for repeat in (0, 1) for table in round_robin(["a", "b", "c"], 3, repeat) for i in (0, 1)
    }
    assert neighbours == set(permutations("abc", 2)), "every other repeat goes round the other way"


@given(st.integers(2, 6), st.sampled_from(("alone", "halves")))
def test_two_share_the_seats_in_all_ways_once(seats: int, rule: str) -> None:
    tables = shared_seatings(("a", "b"), seats, rule)
    own = [tuple(seat for seat in range(seats) if table[seat] == "a") for table in tables]
    size = seats // 2 if rule == "halves" else 1
    assert sorted(own) == list(combinations(range(seats), size))
    assert len(tables) == match_count(2, seats, rule)
    if rule == "halves" and seats % 2 == 0:
        assert all({*one, *other} == set(range(seats)) for one, other in zip(own[::2], own[1::2], strict=True))


@given(st.integers(2, 6), st.integers(1, 5), st.sampled_from(SEATING_RULES), st.booleans())
def test_as_many_matches_as_are_counted_and_none_twice(players: int, seats: int, rule: str, in_pairs: bool) -> None:
    pairs = list(combinations(names(players), 2))[::2] if in_pairs else []
    tables = list(round_robin(names(players), seats, 0, rule, pairs))
    assert len(tables) <= match_count(players, seats, rule, len(pairs))
    assert len(set(tables)) == len(tables)
    if pairs and seats > 1:
        assert {frozenset(table) for table in tables} == {frozenset(pair) for pair in pairs}


def matchings(players: Sequence[str]) -> Iterator[list[frozenset[str]]]:
    """All ways to pair an even number of players."""
    if not players:
        yield []
        return
    first, *others = players
    for second in others:
        for rest in matchings([other for other in others if other != second]):
            yield [frozenset((first, second)), *rest]


def fewest_rematches(players: Sequence[str], met: Counter[frozenset[str]]) -> int:
    fewest = min(met[frozenset(pair)] for pair in combinations(players, 2))
    return min(sum(met[pair] > fewest for pair in pairs) for pairs in matchings(players))


@given(st.integers(2, 8), st.integers(1, 9), st.randoms(use_true_random=False))
def test_swiss_rounds(count: int, rounds: int, rng: Random) -> None:
    """Whatever the results are: nobody plays twice in a round, no avoidable rematch, byes in turn."""
    players = names(count)
    scores = dict.fromkeys(players, Fraction())
    met: Counter[frozenset[str]] = Counter()
    byes: Counter[str] = Counter()
    for _ in range(rounds):
        pairs, bye = swiss_pairs(scores, met, byes)
        assert (pairs, bye) == swiss_pairs(scores, met, byes), "it is the same each time"
        seated = [player for pair in pairs for player in pair] + [bye] * (bye is not None)
        assert sorted(map(str, seated)) == sorted(players)
        fewest = min(met[frozenset(pair)] for pair in combinations(players, 2))
        playing = [player for player in players if player != bye]
        if len(playing) > 1 and fewest == min(met[frozenset(pair)] for pair in combinations(playing, 2)):
            again = sum(met[frozenset(pair)] > fewest for pair in pairs)
            assert again == fewest_rematches(playing, met)
        met.update(frozenset(pair) for pair in pairs)
        for player in playing:
            scores[player] += Fraction(rng.randint(0, 2), 2)
        if bye:
            byes[bye] += 1
            scores[bye] += 1
        assert max(byes[player] for player in players) - min(byes[player] for player in players) <= 1


def test_the_first_swiss_round_folds_the_seeds_and_the_second_pairs_equals() -> None:
    players = names(8)
    pairs, bye = swiss_pairs(dict.fromkeys(players, Fraction()), Counter(), Counter())
    assert bye is None
    assert pairs == [("p0", "p4"), ("p1", "p5"), ("p2", "p6"), ("p3", "p7")]
    met = Counter(frozenset(pair) for pair in pairs)
    scores = {player: Fraction(player in ("p0", "p1", "p2", "p3")) for player in players}
    pairs, _ = swiss_pairs(scores, met, Counter())
    assert pairs == [("p0", "p2"), ("p1", "p3"), ("p4", "p6"), ("p5", "p7")]


def test_a_pairing_that_looks_good_at_first_is_not_made_if_others_would_have_to_meet_again() -> None:
    """The best two have not met, but then the last two would have to meet again."""
    met = Counter([frozenset("cd")])
    scores = {"a": Fraction(3), "b": Fraction(2), "c": Fraction(1), "d": Fraction(0)}
    assert swiss_pairs(scores, met, Counter())[0] == [("a", "c"), ("b", "d")]


@pytest.mark.full
def test_many_players_are_paired_quickly() -> None:
    players = names(100)
    scores = {player: Fraction(number // 10) for number, player in enumerate(players)}
    pairs, _ = swiss_pairs(scores, Counter(frozenset(pair) for pair in combinations(players[:50], 2)), Counter())
    assert len(pairs) == 50
    assert all(int(first[1:]) >= 50 or int(second[1:]) >= 50 for first, second in pairs)


@pytest.mark.parametrize("count", [pytest.param(199, marks=FULL), pytest.param(200, marks=FULL), 60])
def test_a_long_tournament_of_many_players_is_paired_quickly(count: int) -> None:
    """Up to as many as a plan may have; nobody meets again."""
    scores = {player: Fraction() for player in names(count)}
    met: Counter[frozenset[str]] = Counter()
    byes: Counter[str] = Counter()
    for _ in range(8):
        pairs, bye = swiss_pairs(scores, met, byes)
        met.update(map(frozenset, pairs))
        byes.update([bye] if bye else [])
        for pair in pairs:
            scores[min(pair)] += 1
    assert max(met.values()) == 1
    assert sum(met.values()) == 8 * (count // 2)


@pytest.mark.parametrize("count", range(2, 34))
def test_a_bracket_keeps_the_best_apart(count: int) -> None:
    players = names(count)
    slots = first_slots(players)
    assert sorted(slot for slot in slots if slot) == sorted(players)
    pairs = list(zip(slots[::2], slots[1::2], strict=True))
    byes = [first for first, second in pairs if second is None]
    assert sorted(map(str, byes)) == sorted(players[: len(byes)]), "byes are for the best"
    while len(slots) > 1:
        best = sorted(players[: len(slots)], key=lambda player: int(player[1:]))
        assert sorted(str(slot) for slot in slots if slot) == sorted(best), "if the better seed wins, the best remain"
        slots = tuple(
            first if second is None or int(str(first)[1:]) < int(second[1:]) else second for first, second in pairs
        )
        pairs = list(zip(slots[::2], slots[1::2], strict=True)) if len(slots) > 1 else []
