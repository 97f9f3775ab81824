"""The contenders of the benchmark: one module each, with `prepare(game) -> Runner`.

A new contender is a new module here and a line in `CONTENDERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Protocol

from benchmarks.catalogue import BenchGame


@dataclass(frozen=True, slots=True)
class Played:
    """Random play to the end of each game; a state is one joint move made."""

    states: int
    playouts: int
    cpu_seconds: float
    real_seconds: float = 0.0
    """As long as it took to get the answer; 0 if nobody looked."""


class Runner(Protocol):
    """A contender with a game loaded, ready to play."""

    def play(self, seconds: float) -> Played:
        """Play whole games at random for about this much CPU time, and at least one."""
        ...

    def settle(self) -> None:
        """Come up to speed before anything is timed."""
        ...


class CannotPlayError(Exception):
    """A contender does not have a game, or is not there at all; the text says why."""


@dataclass(frozen=True, slots=True)
class Contender:
    name: str
    title: str
    module: str
    reads_rules: bool
    """Whether the time from the rules to the first game played is worth telling."""

    def load(self) -> Callable[[BenchGame], Runner]:
        """Import what it needs and give its `prepare`."""
        try:
            prepare: Callable[[BenchGame], Runner] = import_module(self.module).prepare
        except ImportError as error:
            raise CannotPlayError(f"cannot be imported: {error.name or error}") from error
        return prepare


SLICED, REFERENCE, PROLOG, OPEN_SPIEL = "sliced", "reference", "prolog", "openspiel"
NATIVE, LIBRARY, RELATIONAL = "native", "library", "relational"
_ALL = (
    Contender(SLICED, "ludens", "benchmarks.contenders.sliced", True),
    Contender(REFERENCE, "reference", "benchmarks.contenders.reference", True),
    Contender(PROLOG, "SWI-Prolog", "benchmarks.contenders.swi_prolog", False),
    Contender(OPEN_SPIEL, "OpenSpiel", "benchmarks.contenders.open_spiel", False),
    Contender(NATIVE, "native", "benchmarks.contenders.native", True),
    Contender(LIBRARY, "C library", "benchmarks.contenders.library", True),
    Contender(RELATIONAL, "relational", "benchmarks.contenders.relational", True),
)
CONTENDERS: Mapping[str, Contender] = MappingProxyType({contender.name: contender for contender in _ALL})
BATCHED_CONTENDERS = (SLICED, REFERENCE, PROLOG, OPEN_SPIEL)
"""Who plays as many games at once as suits it."""
NARROW_CONTENDERS = (NATIVE, LIBRARY, RELATIONAL, PROLOG)
"""Who plays one game after the other."""
