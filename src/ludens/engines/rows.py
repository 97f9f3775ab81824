"""Batches of states as rows of bits.

Bit i of a row is item i, fluent i for instance; bits beyond the last item are zero.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.uint64]
"""[states, words]"""


def pack(bits: NDArray[np.bool_]) -> Rows:
    """[states, items] as rows."""
    octets = np.zeros((len(bits), 8 * row_words(bits.shape[1])), np.uint8)
    packed = np.packbits(bits, axis=1, bitorder="little")
    octets[:, : packed.shape[1]] = packed
    return octets.view("<u8").astype(np.uint64, copy=False)


def unpack(rows: Rows, items: int) -> NDArray[np.bool_]:
    """Rows as [states, items]."""
    octets = np.ascontiguousarray(rows.astype("<u8", copy=False)).view(np.uint8)
    return np.unpackbits(octets, axis=1, count=items, bitorder="little").view(np.bool_)


def row_words(items: int) -> int:
    """How many words a row of `items` bits has."""
    return -(-items // 64)
