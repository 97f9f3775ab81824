"""Vectors in kernels do what their Python bodies say, in every width."""

import hashlib

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from ludens.engines.sliced.vectors import (
    WIDTHS,
    Vectors,
    aligned_vectors,
    and_not,
    any_set,
    load,
    majority,
    ones,
    popcount,
    select,
    shift_left,
    shift_right,
    store,
    vector_type,
    words_of,
    zeros,
)
from ludens.runtime.jit import compiled

Words = NDArray[np.uint64]
RESULTS = 13


@compiled
def all_operations(inputs: Vectors, outputs: Vectors, counts: NDArray[np.int64], places: int) -> None:
    """Every operation once on three vectors."""
    a, b, c = load(inputs, 0), load(inputs, 1), load(inputs, 2)
    store(outputs, 0, a & b)
    store(outputs, 1, a | b)
    store(outputs, 2, a ^ b)
    store(outputs, 3, ~a)
    store(outputs, 4, a + b)
    store(outputs, 5, a * b)
    store(outputs, 6, and_not(a, b))
    store(outputs, 7, majority(a, b, c))
    store(outputs, 8, select(a, b, c))
    store(outputs, 9, shift_left(a, places))
    store(outputs, 10, shift_right(a, places))
    store(outputs, 11, zeros(inputs))
    store(outputs, 12, ones(inputs))
    counts[0] = popcount(b)
    counts[1] = any_set(b)
    counts[2] = any_set(b ^ b)


def results(width: int, places: int) -> tuple[Vectors, Vectors, NDArray[np.int64]]:
    inputs, outputs = aligned_vectors(3, width), aligned_vectors(RESULTS, width)
    words_of(inputs)[:] = np.random.default_rng(width).integers(0, 2**64, (3, width), np.uint64)
    counts = np.zeros(3, np.int64)
    all_operations(inputs, outputs, counts, places)
    return inputs, outputs, counts


@pytest.mark.parametrize("width", WIDTHS)
def test_operations_are_those_of_plain_integers(width: int) -> None:
    mask = 2**64 - 1
    places = 5
    inputs, outputs, counts = results(width, places)
    for word in range(width):
        a, b, c = (int(row[word]) for row in words_of(inputs))
        assert [int(row[word]) for row in words_of(outputs)] == [
            a & b,
            a | b,
            a ^ b,
            a ^ mask,
            (a + b) & mask,
            a * b & mask,
            a & ~b,
            a & b | a & c | b & c,
            a & b | ~a & c,
            a << places & mask,
            a >> places,
            0,
            mask,
        ]
    assert counts.tolist() == [sum(int(word).bit_count() for word in words_of(inputs)[1]), 1, 0]


@compiled
def some_set(vectors: Vectors) -> bool:
    return any_set(load(vectors, 1))


@pytest.mark.parametrize("width", [4, 8, 16])
def test_a_single_lane_is_seen_wherever_it_is(width: int) -> None:
    vectors = aligned_vectors(3, width)
    words_of(vectors)[[0, 2]] = 2**64 - 1
    assert not some_set(vectors)
    for lane in range(64 * width):
        words_of(vectors)[1] = 0
        words_of(vectors)[1, lane // 64] = 1 << (lane % 64)
        assert some_set(vectors)


@compiled
def reversed_copy(source: Vectors, order: NDArray[np.int32], target: Vectors) -> None:
    for index in range(len(order)):
        store(target, index, load(source, order[index]))


def test_vectors_are_found_by_index() -> None:
    source, target = aligned_vectors(20, 8), aligned_vectors(20, 8)
    words_of(source)[:] = np.arange(160, dtype=np.uint64).reshape(20, 8)
    reversed_copy(source, np.arange(20, dtype=np.int32)[::-1].copy(), target)
    assert (words_of(target) == words_of(source)[::-1]).all()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("count", [0, 1, 1000])
def test_arrays_are_aligned_and_zero(count: int, width: int) -> None:
    vectors = aligned_vectors(count, width)
    assert vectors.shape == (count,)
    assert words_of(vectors).shape == (count, width)
    assert count == 0 or vectors.ctypes.data % 64 == 0
    assert not words_of(vectors).any()


def test_words_are_the_same_memory() -> None:
    vectors = aligned_vectors(2, 4)
    words_of(vectors)[1, 3] = 7
    assert vectors["words"][1].tolist() == [0, 0, 0, 7]


@pytest.mark.parametrize("width", [0, 3, 7, 64, -8])
def test_other_widths_are_refused(width: int) -> None:
    with pytest.raises(ValueError, match=f"not {width}"):
        vector_type(width)


def test_vectors_of_different_widths_do_not_mix() -> None:
    with pytest.raises((numba.errors.TypingError, ValueError)):
        reversed_copy(aligned_vectors(1, 8), np.zeros(1, np.int32), aligned_vectors(1, 4))


def digest_of_operations() -> str:
    digest = hashlib.sha256()
    for width in (1, 8, 16):
        for places in (0, 1, 63):
            _, outputs, counts = results(width, places)
            digest.update(outputs.tobytes() + counts.tobytes())
    return digest.hexdigest()
