"""Random choice of moves: exactly one per lane, uniform, independent, the same with the JIT off."""

import hashlib
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from ludens.engines.sliced.choice_kernel import ChoicePlan, choose_moves, plan_choice
from ludens.engines.sliced.random_kernel import fill_random, seeded_state
from ludens.engines.sliced.vectors import Vectors, aligned_vectors, load, store, words_of
from ludens.runtime.jit import compiled

Bits = NDArray[np.bool_]
"""[moves, lanes]"""


@compiled
def choose_stored(
    wires: Vectors,
    legal: NDArray[np.int32],
    roles: NDArray[np.int32],
    levels: NDArray[np.int32],
    scratch: Vectors,
    random_state: Vectors,
    masks: Vectors,
) -> None:
    """The kernel with its lanes in memory: masks are the active lanes, and those found without a move."""
    store(masks, 1, choose_moves(wires, legal, roles, levels, scratch, random_state, load(masks, 0)))


class Table:
    """Some roles with legal moves given as bits, and what the kernel chooses for them."""

    def __init__(self, legal: Sequence[Bits], width: int = 8, seed: int = 1) -> None:
        self.moves = [len(bits) for bits in legal]
        total = sum(self.moves)
        shuffled = np.random.default_rng(7).permutation(total) + 1  # legal wires need not be in order
        ends = np.cumsum(self.moves)
        self.legal_wires = [[int(wire) for wire in part] for part in np.split(shuffled, ends[:-1])]
        self.does_starts = [1 + total + int(end) - moves for end, moves in zip(ends, self.moves, strict=True)]
        self.guard = 1 + 2 * total  # a wire after the last one that may be written
        self.wires = aligned_vectors(self.guard + 1, width)
        words_of(self.wires)[self.guard] = 0x5A5A
        for wires, bits in zip(self.legal_wires, legal, strict=True):
            words_of(self.wires)[wires] = packed(bits)
        self.plan: ChoicePlan = plan_choice(self.legal_wires, self.does_starts, zero_wire=0)
        self.scratch = aligned_vectors(self.plan.scratch_size, width)
        self.random_state = seeded_state(seed, width)
        self.masks = aligned_vectors(2, width)
        words_of(self.masks)[0] = 2**64 - 1

    def choose(self) -> list[Bits]:
        plan = self.plan
        choose_stored(self.wires, plan.legal, plan.roles, plan.levels, self.scratch, self.random_state, self.masks)
        assert (words_of(self.wires)[self.guard] == 0x5A5A).all()
        return [self.bits(start, count) for start, count in zip(self.does_starts, self.moves, strict=True)]

    def chosen(self) -> list[NDArray[np.int64]]:
        """The number of the move chosen in each lane, by role."""
        return [bits.argmax(axis=0) for bits in self.choose()]

    def bits(self, start: int, count: int) -> Bits:
        return unpacked(words_of(self.wires)[start : start + count])

    @property
    def missing(self) -> Bits:
        return unpacked(words_of(self.masks)[1:]).ravel()


def packed(bits: Bits) -> NDArray[np.uint64]:
    return np.ascontiguousarray(np.packbits(bits, axis=1, bitorder="little")).view(np.uint64)


def unpacked(words: NDArray[np.uint64]) -> Bits:
    return np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1, bitorder="little").astype(bool)


def random_legal(moves: int, lanes: int = 512, density: float = 0.5, seed: int = 3) -> Bits:
    """Random subsets, of different sizes from lane to lane, none empty."""
    rng = np.random.default_rng(seed)
    bits = rng.random((moves, lanes)) < density * rng.random(lanes) * 2
    bits[rng.integers(0, moves, lanes), np.arange(lanes)] = True
    return bits


def deviation(observed: NDArray[np.float64], expected: NDArray[np.float64]) -> float:
    """Chi-square, in standard deviations from its mean; degrees of freedom are the cells less one."""
    freedom = observed.size - 1
    chi_square = float(((observed - expected) ** 2 / expected).sum())
    return (chi_square - freedom) / float(np.sqrt(2 * max(freedom, 1)))


@pytest.mark.parametrize("width", [4, 8, 16])
@pytest.mark.parametrize("moves", [1, 2, 3, 6, 7, 8, 9, 55, 56, 57, 64, 65, 300, 448, 449, 5000])
def test_exactly_one_legal_move_is_chosen_in_each_lane(moves: int, width: int) -> None:
    legal = random_legal(moves, 64 * width)
    table = Table([legal], width)
    for _ in range(3):
        [does] = table.choose()
        assert (does.sum(axis=0) == 1).all()
        assert not (does & ~legal).any()
        assert not table.missing.any()


@pytest.mark.parametrize("all_legal", [False, True])
@pytest.mark.parametrize("moves", [1, 2, 3, 9, 64, 65, 300])
def test_each_legal_move_is_equally_likely(moves: int, all_legal: bool) -> None:
    """All lanes share one legal set, so that each move gets enough draws."""
    one_set = np.ones((moves, 1), bool) if all_legal else random_legal(moves, 1, density=0.9, seed=moves)
    legal = np.repeat(one_set, 512, axis=1)
    table = Table([legal], seed=moves)
    rounds = 40 + moves
    counts = np.zeros(moves)
    for _ in range(rounds):
        counts += table.choose()[0].sum(axis=1)
    allowed = one_set[:, 0]
    expected = np.full(allowed.sum(), rounds * 512 / allowed.sum())
    assert counts[~allowed].sum() == 0
    assert abs(deviation(counts[allowed], expected)) < 5


@pytest.mark.parametrize("moves", [2, 3, 9, 64, 65, 300])
def test_the_rank_of_the_choice_is_uniform_when_every_lane_has_its_own_legal_set(moves: int) -> None:
    legal = random_legal(moves, seed=moves + 50)
    sizes = legal.sum(axis=0)
    ranks = np.cumsum(legal, axis=0) - 1
    table = Table([legal], seed=moves + 1)
    halves = np.zeros((512, 2))
    rounds = 200
    for _ in range(rounds):
        rank = ranks[table.chosen()[0], np.arange(512)]
        halves[np.arange(512), (2 * rank < sizes).astype(int)] += 1
    lower_half = (sizes + 1) // 2 / sizes
    free = sizes > 1
    variance = rounds * lower_half * (1 - lower_half)
    chi_square = ((halves[free, 1] - rounds * lower_half[free]) ** 2 / variance[free]).sum()
    assert abs(chi_square - free.sum()) / np.sqrt(2 * free.sum()) < 5


def test_choices_follow_each_other_independently() -> None:
    table = Table([np.ones((3, 512), bool)], seed=9)
    pairs = np.zeros((3, 3))
    before = table.chosen()[0]
    for _ in range(100):
        now = table.chosen()[0]
        np.add.at(pairs, (before, now), 1)
        before = now
    assert abs(deviation(pairs, np.full((3, 3), 100 * 512 / 9))) < 5


def test_neighbouring_lanes_choose_independently() -> None:
    table = Table([np.ones((3, 512), bool)], seed=10)
    pairs = np.zeros((3, 3))
    for _ in range(100):
        now = table.chosen()[0]
        np.add.at(pairs, (now[:-1], now[1:]), 1)
    assert abs(deviation(pairs, np.full((3, 3), 100 * 511 / 9))) < 5


def test_simultaneous_choices_of_roles_are_independent() -> None:
    table = Table([np.ones((moves, 512), bool) for moves in (3, 4, 5)], seed=11)
    triples = np.zeros((3, 4, 5))
    for _ in range(100):
        np.add.at(triples, tuple(table.chosen()), 1)
    assert abs(deviation(triples, np.full((3, 4, 5), 100 * 512 / 60))) < 5


def test_roles_that_take_turns_in_different_lanes_are_both_uniform() -> None:
    """One role has a choice in even lanes, the other in odd ones; elsewhere each has just its last move."""
    even = np.arange(512) % 2 == 0
    first = np.vstack([np.repeat(even[None], 5, axis=0), ~even])
    second = np.vstack([np.repeat(~even[None], 9, axis=0), even])
    table = Table([first, second], seed=12)
    counts = [np.zeros(5), np.zeros(9)]
    for _ in range(100):
        chosen = table.chosen()
        assert (chosen[0][~even] == 5).all()
        assert (chosen[1][even] == 9).all()
        counts[0] += np.bincount(chosen[0][even], minlength=5)
        counts[1] += np.bincount(chosen[1][~even], minlength=9)
    assert abs(deviation(counts[0], np.full(5, 100 * 256 / 5))) < 5
    assert abs(deviation(counts[1], np.full(9, 100 * 256 / 9))) < 5


def test_nothing_is_drawn_where_nobody_has_a_choice() -> None:
    table = Table([np.eye(4, dtype=bool)[:, np.arange(512) % 4], np.ones((1, 512), bool)])
    before = words_of(table.random_state).copy()
    first, second = table.choose()
    assert (first == np.eye(4, dtype=bool)[:, np.arange(512) % 4]).all()
    assert second.all()
    assert (words_of(table.random_state) == before).all()


def test_a_lone_choice_of_an_inactive_lane_draws_nothing() -> None:
    legal = np.zeros((3, 512), bool)
    legal[0] = True
    legal[:, 77] = True
    table = Table([legal])
    words_of(table.masks)[0] = packed(np.arange(512)[None] != 77)[0]
    before = words_of(table.random_state).copy()
    [does] = table.choose()
    assert (words_of(table.random_state) == before).all()
    assert not does[:, 77].any()


@pytest.mark.parametrize("moves", [1, 9, 65])
def test_inactive_lanes_get_no_move_and_are_not_reported(moves: int) -> None:
    legal = random_legal(moves)
    legal[:, 5] = False
    table = Table([legal, legal])
    active = np.random.default_rng(4).random(512) < 0.5
    active[5] = False
    words_of(table.masks)[0] = packed(active[None])[0]
    for does in table.choose():
        assert (does.sum(axis=0) == active).all()
    assert not table.missing.any()


@pytest.mark.parametrize("moves", [1, 2, 9, 65, 500])
def test_lanes_where_some_role_has_no_move_are_reported(moves: int) -> None:
    legal = random_legal(moves)
    stuck = np.arange(512) % 37 == 3
    legal[:, stuck] = False
    table = Table([np.ones((2, 512), bool), legal])
    free, bound = table.choose()
    assert (table.missing == stuck).all()
    assert (bound.sum(axis=0) == ~stuck).all()
    assert (free.sum(axis=0) == 1).all()


def test_a_role_without_any_move_is_always_reported() -> None:
    table = Table([np.zeros((0, 512), bool), np.ones((2, 512), bool)])
    [nothing, does] = table.choose()
    assert nothing.shape == (0, 512)
    assert (does.sum(axis=0) == 1).all()
    assert table.missing.all()


def test_no_roles_no_moves() -> None:
    plan = plan_choice([], [], zero_wire=0)
    masks = aligned_vectors(2, 8)
    words_of(masks)[:] = 2**64 - 1
    wires, scratch, state = aligned_vectors(1, 8), aligned_vectors(plan.scratch_size, 8), seeded_state(1, 8)
    choose_stored(wires, plan.legal, plan.roles, plan.levels, scratch, state, masks)
    assert not words_of(masks)[1].any()


def test_every_role_needs_its_does_wires() -> None:
    with pytest.raises(ValueError, match="shorter"):
        plan_choice([[1], [2]], [3], zero_wire=0)


@pytest.mark.parametrize("all_legal", [False, True])
@pytest.mark.parametrize("moves", [2, 3, 9, 16, 32, 64, 65, 112, 113, 256, 300, 4096])
def test_the_choice_is_the_rank_given_by_the_random_bits(moves: int, all_legal: bool) -> None:
    """Lane by lane against plain numbers: rank = floor(u * n / 2**24) with the same 24 random bits."""
    legal = np.ones((moves, 512), bool) if all_legal else random_legal(moves, seed=moves + 9)
    table = Table([legal], seed=5)
    random_state = seeded_state(5, 8)
    for _ in range(3):
        [chosen] = table.chosen()
        numbers = (unpacked(next_random(random_state)).astype(np.int64) << np.arange(24)[:, None]).sum(axis=0)
        expected_rank = numbers * legal.sum(axis=0) >> 24
        assert (np.cumsum(legal, axis=0)[chosen, np.arange(512)] - 1 == expected_rank).all()


def next_random(random_state: Vectors) -> NDArray[np.uint64]:
    """The next 24 vectors of the generators."""
    planes = aligned_vectors(24, 8)
    fill_stored(random_state, planes)
    return words_of(planes)


@compiled
def fill_stored(random_state: Vectors, vectors: Vectors) -> None:
    fill_random(random_state, vectors, 0, len(vectors))


def test_scaling_random_bits_gives_each_rank_its_share() -> None:
    """The formula itself, exhaustively for few bits: each rank gets 2**bits / n random numbers, rounded."""
    for bits in (4, 7, 10):
        for n in range(1, 1 + 2**4):
            shares = np.bincount(np.arange(2**bits) * n >> bits, minlength=n)
            assert len(shares) == n
            assert (abs(shares - 2**bits / n) < 1).all()


def digest_of_choices() -> str:
    digest = hashlib.sha256()
    for moves in (1, 2, 9, 65, 450):
        table = Table([random_legal(moves), random_legal(3, seed=moves), np.ones((1, 512), bool)], seed=moves)
        for _ in range(2):
            for does in table.choose():
                digest.update(np.packbits(does).tobytes())
    return digest.hexdigest()
