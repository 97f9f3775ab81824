"""Turning states from rows into lanes and back, bit by bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens.engines.rows import pack, unpack
from ludens.engines.sliced.bits_kernel import lanes_to_rows, rows_to_lanes
from tests.tiers import examples

WIDTH = 8


@examples(60)
@given(st.integers(0, 64 * WIDTH), st.integers(0, 200), st.integers(0, 2**32))
def test_lane_is_the_state_of_its_row(states: int, items: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    bits = rng.random((states, items)) < rng.random()
    wires = rng.permutation(items + 5)[:items].astype(np.int32)
    words = rng.integers(0, 2**64, (items + 5, WIDTH), np.uint64)
    before = words.copy()
    rows_to_lanes(pack(bits), words, wires)

    lanes = np.unpackbits(words.astype("<u8").view(np.uint8), axis=1, bitorder="little").astype(np.bool_)
    np.testing.assert_array_equal(lanes[wires, :states], bits.T)
    others = np.setdiff1d(np.arange(items + 5), wires)
    np.testing.assert_array_equal(words[others], before[others])

    rows = np.zeros_like(pack(bits))
    lanes_to_rows(words, wires, rows)
    np.testing.assert_array_equal(rows, pack(bits))


@pytest.mark.parametrize("items", [0, 1, 63, 64, 65, 128, 130])
@pytest.mark.parametrize("states", [0, 1, 3])
def test_rows_keep_all_bits(items: int, states: int) -> None:
    bits = np.random.default_rng(items).random((states, items)) < 0.5
    rows = pack(bits)
    assert rows.shape == (states, -(-items // 64))
    numbers = [sum(int(word) << (64 * place) for place, word in enumerate(row)) for row in rows]
    assert numbers == [sum(1 << int(item) for item in np.flatnonzero(row)) for row in bits]
    np.testing.assert_array_equal(unpack(rows, items), bits)
