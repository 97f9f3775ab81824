"""Reading the output of the grounder: clingo's `aspif` format, as arrays.

A line `1 kind 1 head 0 n literal...` is a rule (kind 1: a choice, as fluents and moves are), a line
`4 length text n literal...` names an atom, and `0` ends the program.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ludens.core import GroundTerm
from ludens.errors import CompileError
from ludens.gdl.terms import natural_key
from ludens.ground.asp import AspProgram

Integers = npt.NDArray[np.int32]
Arguments: TypeAlias = tuple[GroundTerm, ...]
Symbols: TypeAlias = dict[str, list[tuple[Arguments, int]]]

_HEADER = b"asp 1 0 0"
MAX_SPARSITY = 100
"""The numbers of atoms are far below this times all numbers that are used."""
_FIXED = 6
"""The numbers of a rule before its body."""


@dataclass(frozen=True, slots=True)
class GroundRules:
    """Rules between atoms as clingo numbers them; a literal is an atom or its negative number."""

    heads: Integers
    choice: npt.NDArray[np.bool_]
    lengths: Integers
    """The number of literals of each body."""
    bodies: Integers
    symbols: Symbols
    """For each relation that is shown its atoms, by their arguments, in natural order; 0 for one that always holds."""


@contextmanager
def reading() -> Iterator[None]:
    """Turn errors from wrong data into CompileError."""
    try:
        yield
    except (ValueError, LookupError, TypeError, OverflowError, RecursionError, MemoryError) as error:
        raise CompileError(f"the output of the grounder cannot be read ({error}); try again") from None


def read_aspif(data: bytes, program: AspProgram) -> GroundRules:
    """Read the ground rules of a program; raise CompileError if the data is malformed."""
    with reading():
        return _read(data, program)


def _read(data: bytes, program: AspProgram) -> GroundRules:
    begin = data.find(b"\n") + 1
    if not data.startswith(_HEADER) or not data.endswith(b"\n0\n"):
        raise ValueError("it is not complete")
    end = data.find(b"\n4 ", begin - 1) + 1 or len(data) - 2
    starts, numbers = _lines_of_numbers(data, begin, end)
    heads, bodies, lengths = numbers[starts + 3], numbers, numbers[starts + 5]
    plain = (numbers[starts] == 1) & (numbers[starts + 2] == 1) & (numbers[starts + 4] == 0)
    if not np.all(plain) or not np.array_equal(np.diff(np.append(starts, len(numbers))), lengths + _FIXED):
        raise ValueError("it has statements of an unknown kind")
    if np.any(heads <= 0) or np.abs(numbers).max(initial=0) > MAX_SPARSITY * (1 + len(numbers)):
        raise ValueError("it has atoms of an unknown kind")
    inside = np.ones(len(numbers), np.bool_)
    inside[(starts[:, None] + np.arange(_FIXED)).ravel()] = False
    symbols = _symbols(data[end:-3].decode("ascii"), program)
    return GroundRules(heads, numbers[starts + 1] == 1, lengths, bodies[inside], symbols)


def _lines_of_numbers(data: bytes, begin: int, end: int) -> tuple[npt.NDArray[np.int64], Integers]:
    """Return all numbers of a stretch of the data, and the index of the first one of each line."""
    section = data[begin:end]
    numbers = np.fromstring(section.decode("ascii"), np.int32, sep=" ")
    characters = np.frombuffer(section, np.uint8)
    gaps = characters[characters <= ord(" ")]
    line_ends = np.flatnonzero(gaps == ord("\n"))
    if len(gaps) != len(numbers):
        raise ValueError("it has words where numbers are expected")
    return np.concatenate(([0], line_ends[:-1] + 1))[: len(line_ends)], numbers


def _symbols(text: str, program: AspProgram) -> Symbols:
    groups: dict[str, dict[str, int]] = {}
    for line in text.splitlines():
        _, _, atom, count, *literals = line.split(" ")
        if int(count) != len(literals) or len(literals) > 1:
            raise ValueError("it names an atom in an unknown way")
        name, _, arguments = atom.partition("(")
        groups.setdefault(name, {})[arguments[:-1]] = int(literals[0]) if literals else 0
    # A fluent is in several relations, and so is a move.
    arguments_of = _arguments(list({text: None for atoms in groups.values() for text in atoms}), program)
    return {
        name: [(arguments, atoms[text]) for text, arguments in arguments_of.items() if text in atoms]
        for name, atoms in groups.items()
    }


def _arguments(texts: list[str], program: AspProgram) -> dict[str, Arguments]:
    """Return the terms behind texts such as `1,f2(3,4)`, in natural order."""
    words = program.words

    def term(value: int | list[object]) -> GroundTerm:
        if isinstance(value, int):
            return words[value]
        return words[value[0]], *map(term, value[1:])  # type: ignore[call-overload, arg-type]

    keys = {text: tuple(map(int, re.findall(r"\d+", text))) for text in texts}
    texts = sorted(texts, key=keys.__getitem__)
    joined = re.sub(r"f(\d+)\(", r"[\1,", "],[".join(texts)).replace(")", "]")
    found = [tuple(map(term, values)) for values in json.loads(f"[[{joined}]]" if texts else "[]")]
    pairs = list(zip(texts, found, strict=True))
    if len(set(keys.values())) < len(texts):
        pairs.sort(key=lambda pair: [natural_key(argument) for argument in pair[1]])
    return dict(pairs)
