"""Memory of compiled code: arrays lie where C has them in a structure."""

from __future__ import annotations

import ctypes

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ludens.engines.backend.memory import MemoryLayout

C_TYPES = {1: ctypes.c_uint8, 2: ctypes.c_uint16, 4: ctypes.c_uint32, 8: ctypes.c_uint64}


@given(st.lists(st.tuples(st.sampled_from(sorted(C_TYPES)), st.integers(1, 9)), min_size=1))
def test_arrays_lie_as_in_a_structure_of_c(arrays: list[tuple[int, int]]) -> None:
    layout = MemoryLayout()
    for number, (width, length) in enumerate(arrays):
        layout.add(f"a{number}", length, f"u{width}")

    class Structure(ctypes.Structure):
        _fields_ = [(f"a{number}", C_TYPES[width] * length) for number, (width, length) in enumerate(arrays)]
        _align_ = 8

    for name, place in layout.arrays.items():
        assert place.offset == getattr(Structure, name).offset
        assert place.first * place.dtype.itemsize == place.offset
    assert layout.size == -(-ctypes.sizeof(Structure) // 8) * 8


def test_a_block_holds_what_it_is_filled_with_and_nothing_else() -> None:
    layout = MemoryLayout()
    layout.add("before", 3)
    layout.add_filled("numbers", [[1, 2], [3, 4]])
    layout.add("wide", 2, np.uint64)
    one, other = layout.allocate(), layout.allocate()
    one["wide"][:] = 2**64 - 1
    assert one["numbers"].tolist() == other["numbers"].tolist() == [1, 2, 3, 4, 0]
    assert one["before"].tolist() == [0, 0, 0]
    assert other["wide"].tolist() == [0, 0]
    assert other.names == ["before", "numbers", "wide"]
