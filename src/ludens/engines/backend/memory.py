"""The memory of compiled code: one block, in which every array has its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from mmap import ACCESS_COPY, mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.errors import CompileError

WIDEST = 8
"""Bytes of the widest element; the block is a multiple of it."""


@dataclass(frozen=True, slots=True)
class ArrayPlace:
    """Where an array begins, in bytes, and what it holds."""

    offset: int
    length: int
    dtype: np.dtype[Any]

    @property
    def first(self) -> int:
        """Return the place of its first element, counted in such elements."""
        return self.offset // self.dtype.itemsize

    @property
    def end(self) -> int:
        return self.offset + self.length * self.dtype.itemsize


class MemoryLayout:
    """Gives places to arrays, as C does in a structure, and keeps what they hold at first."""

    def __init__(self) -> None:
        self.arrays: dict[str, ArrayPlace] = {}
        self._contents: dict[str, NDArray[Any]] = {}
        self._end = 0

    def add(self, name: str, length: int, dtype: Any = np.uint32) -> int:
        """Add an array, all zero; return the place of its first element, counted in such elements."""
        kind = np.dtype(dtype)
        self.arrays[name] = place = ArrayPlace(-(-self._end // kind.itemsize) * kind.itemsize, length, kind)
        self._end = place.end
        return place.first

    def add_filled(self, name: str, contents: Any) -> int:
        """Add an array of numbers that never change, and one more element; return the place of its first element."""
        values = np.asarray(contents, np.uint32).reshape(-1)
        self._contents[name] = values
        return self.add(name, len(values) + 1)

    @property
    def size(self) -> int:
        return -(-self._end // WIDEST) * WIDEST

    @property
    def dtypes(self) -> dict[str, np.dtype[Any]]:
        return {name: array.dtype for name, array in self.arrays.items()}

    def allocate(self) -> MemoryBlock:
        """Return memory of this process alone, also in a copy of the process; pages are made when they are used."""
        try:  # numpy would ask for large pages, and most are never used
            pages = mmap(-1, max(WIDEST, self.size), access=ACCESS_COPY)
        except OSError as error:
            raise CompileError(f"there is no memory for the tables of the rules: {error}") from None
        memory = MemoryBlock(np.frombuffer(pages, np.uint8), self.arrays)
        for name, values in self._contents.items():
            memory[name][: len(values)] = values
        return memory


class MemoryBlock:
    """Memory of a layout, and its arrays by name."""

    def __init__(self, block: NDArray[np.uint8], arrays: Mapping[str, ArrayPlace]) -> None:
        self._block, self._arrays = block, arrays
        self.address = block.ctypes.data

    @property
    def names(self) -> list[str]:
        return list(self._arrays)

    def __getitem__(self, name: str) -> NDArray[Any]:
        array = self._arrays[name]
        return self._block[array.offset : array.end].view(array.dtype)
