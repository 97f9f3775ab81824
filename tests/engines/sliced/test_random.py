"""Random vectors: the published generator, bit by bit fair, one stream per word, reproducible."""

import numpy as np
import pytest
from numpy.typing import NDArray

from ludens.engines.sliced.random_kernel import fill_random, seeded_state
from ludens.engines.sliced.vectors import Vectors, aligned_vectors, words_of
from ludens.runtime.jit import compiled

MASK = 2**64 - 1


@compiled
def fill(state: Vectors, vectors: Vectors, start: int, count: int) -> None:
    fill_random(state, vectors, start, count)


def drawn(seed: int, count: int, width: int = 8) -> NDArray[np.uint64]:
    vectors = aligned_vectors(count, width)
    fill(seeded_state(seed, width), vectors, 0, count)
    return words_of(vectors)


def turned(number: int, places: int) -> int:
    return (number << places | number >> (64 - places)) & MASK


def plain_stream(state: list[int], count: int) -> list[int]:
    """The generator with plain integers."""
    a, b, c, d = state
    numbers = []
    for _ in range(count):
        numbers.append((turned((a + d) & MASK, 23) + a) & MASK)
        shifted = (b << 17) & MASK
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= shifted
        d = turned(d, 45)
    return numbers


def test_the_plain_generator_gives_the_published_first_numbers() -> None:
    """The first outputs of xoshiro256++ from the state 1, 2, 3, 4 are well known."""
    assert plain_stream([1, 2, 3, 4], 4) == [41943041, 58720359, 3588806011781223, 3591011842654386]


def test_seeds_are_spread_by_splitmix64() -> None:
    """The first outputs of splitmix64 from the seed 1234567 are well known."""
    assert [int(part[0]) for part in words_of(seeded_state(1234567, 1))] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
    ]


@pytest.mark.parametrize("width", [4, 8, 16])
def test_each_word_is_a_stream_of_its_own(width: int) -> None:
    state = [[int(word) for word in part] for part in words_of(seeded_state(42, width))]
    numbers = drawn(42, 100, width)
    for stream in range(width):
        assert numbers[:, stream].tolist() == plain_stream([part[stream] for part in state], 100)


def test_draws_go_on_where_the_last_one_stopped_and_write_only_their_place() -> None:
    state = seeded_state(3, 8)
    vectors = aligned_vectors(12, 8)
    fill(state, vectors, 1, 4)
    fill(state, vectors, 5, 6)
    assert (words_of(vectors)[1:11] == drawn(3, 10)).all()
    assert not words_of(vectors)[[0, 11]].any()


def test_seeds_decide() -> None:
    assert (drawn(1, 5) == drawn(1, 5)).all()
    assert (drawn(1, 5) != drawn(2, 5)).all()
    assert (drawn(2**64 + 1, 5) == drawn(1, 5)).all()


def test_every_lane_is_a_fair_coin_without_memory() -> None:
    """Per lane over 4,000 draws: half of them ones, half of them changes; over all lanes neighbours differ by half."""
    draws = 4000
    bits = np.unpackbits(np.ascontiguousarray(drawn(9, draws)).view(np.uint8), axis=1, bitorder="little").astype(int)
    for flags in (bits, bits[1:] ^ bits[:-1], bits[:, 1:] ^ bits[:, :-1], bits[:, 64:] ^ bits[:, :-64]):
        deviations = (flags.sum(axis=0) - len(flags) / 2) / np.sqrt(len(flags) / 4)
        assert abs(deviations).max() < 5
        assert 0.8 < (deviations**2).mean() < 1.2
