"""The transposition table as the searcher holds it, from one search to the next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ludens.search.alphabeta.table_kernel import BUCKET, DEPTH, MOVE, NOTES, PROVEN, look_up

HASH_SEED = 2005
"""Keys are made from random words that are the same in every run."""


class TranspositionTable:
    """A table of a fixed size; each new search makes all entries one search older."""

    def __init__(self, size: int, row_words: int, sides: int) -> None:
        """`size` in bytes."""
        slots = size // (16 + 4 * NOTES + 8 * sides) // BUCKET * BUCKET
        words = np.random.default_rng(HASH_SEED).integers(0, 2**64, (64 * row_words + 1, 2), np.uint64)
        self.keys = np.zeros((slots, 2), np.uint64)
        self.notes = np.zeros((slots, NOTES), np.int32)
        self.values = np.zeros((slots, sides))
        self.random_words = words
        self.counts = np.zeros(2, np.int64)

    def start_search(self) -> None:
        self.counts[1] += 1

    def best_move(self, row: NDArray[np.uint64], counter_mask: NDArray[np.uint64] | None) -> int:
        """Return the best move known in a state [row words], with its step counter or without; -1 for none."""
        rows = np.ascontiguousarray(row).reshape(1, -1)
        ignored = np.zeros_like(row) if counter_mask is None else counter_mask
        slots = [
            look_up(self.random_words, rows, ignored, ignores, self.keys, self.notes)
            for ignores in ([False] if counter_mask is None else [False, True])
        ]
        notes = [self.notes[slot] for slot in slots if slot >= 0]
        return int(max(notes, key=lambda note: (note[PROVEN], note[DEPTH]))[MOVE]) if notes else -1

    @property
    def hashfull(self) -> float:
        """The share of the slots in use, from 0 to 1."""
        slots = len(self.keys)
        return float(self.counts[0]) / slots if slots else 0.0
