"""The memory of the compiled code: one block, in which every array has its place."""

from __future__ import annotations

from dataclasses import dataclass
from mmap import ACCESS_COPY, mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.errors import CompileError

ELEMENT = 4
"""Bytes of most elements; places are counted in these."""


@dataclass(frozen=True, slots=True)
class Array:
    """Where an array is."""

    place: int
    length: int
    dtype: np.dtype[Any]


class Layout:
    """Gives places to arrays, and keeps what they hold at first; the memory is made when all places are known."""

    def __init__(self) -> None:
        self.arrays: dict[str, Array] = {}
        self._contents: dict[str, NDArray[Any]] = {}
        self._size = 0

    def add(self, name: str, length: int, dtype: type = np.uint32) -> int:
        """A new array, all zero; the place where it begins."""
        kind = np.dtype(dtype)
        place = self._size + (self._size & 1)
        self.arrays[name] = Array(place, length, kind)
        self._size = place + length * kind.itemsize // ELEMENT
        return place

    def add_filled(self, name: str, contents: Any) -> int:
        """A new array with what it holds for ever."""
        values = np.asarray(contents, np.uint32).reshape(-1)
        self._contents[name] = values
        return self.add(name, len(values) + 1)

    @property
    def dtypes(self) -> dict[str, np.dtype[Any]]:
        return {name: array.dtype for name, array in self.arrays.items()}

    def allocate(self) -> Memory:
        # Pages are made when they are first used, and most never are; numpy would ask for large ones.
        # They are this process's own: a copy of the process gets copies.
        try:
            pages = mmap(-1, (self._size + 2) * ELEMENT, access=ACCESS_COPY)
        except OSError as error:
            raise CompileError(f"there is no memory for the tables of the rules: {error}") from None
        memory = Memory(np.frombuffer(pages, np.uint32), self.arrays)
        for name, values in self._contents.items():
            memory[name][: len(values)] = values
        return memory


class Memory:
    """The block, and its arrays by name."""

    def __init__(self, block: NDArray[np.uint32], arrays: dict[str, Array]) -> None:
        self.block = block
        self._arrays = arrays
        self.address = block.ctypes.data

    @property
    def names(self) -> list[str]:
        return list(self._arrays)

    def __getitem__(self, name: str) -> NDArray[Any]:
        array = self._arrays[name]
        words = array.length * array.dtype.itemsize // ELEMENT
        return self.block[array.place : array.place + words].view(array.dtype)
