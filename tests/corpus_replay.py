"""Replay recorded play through the public API, on any engine, and say where it differs from the recording.

The recordings were made by an independent reasoner, so agreement means that both read the rules alike.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from ludens import Game, State
from ludens.core import GroundTerm
from ludens.engines.base import Engine
from ludens.errors import LudensError
from ludens.gdl.rules import Rules
from ludens.gdl.terms import term_text
from ludens.ground import GroundingLimits
from tests.engines.agreement import EngineName, make_engine

Step = Mapping[str, Any]
SHOWN = 6


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One difference between the recording and the engine."""

    game: str
    playout: int
    step: int
    what: str

    def __str__(self) -> str:
        return f"{self.game}, playout {self.playout}, step {self.step}: {self.what}"


@dataclass(frozen=True, slots=True)
class Replay:
    """What came of replaying the recordings of one game."""

    game: str
    engine: EngineName
    recorded: int
    """States in the recording."""
    states: int
    """States that were compared."""
    seconds: float
    disagreements: tuple[Disagreement, ...] = ()

    @property
    def is_complete(self) -> bool:
        return bool(self.disagreements) or self.states == self.recorded


class SettledGame(Game):
    """A game that is and stays on one engine."""

    def __init__(self, rules: Rules, engine: EngineName, limits: GroundingLimits | None = None) -> None:
        super().__init__(rules)
        self._settled: Engine = self._reference if engine == "reference" else make_engine(engine, rules, limits)

    @property
    def engine(self) -> Engine:
        return self._settled

    def start_compiling(self) -> None:
        """Nothing better is wanted."""


def canonical(terms: Iterable[GroundTerm]) -> list[str]:
    return sorted({term_text(term) for term in terms})


def digest(texts: Iterable[str]) -> str:
    """The digest that the recordings use for a set of terms in canonical text."""
    return hashlib.sha1("\n".join(texts).encode()).hexdigest()[:16]


def load_trace(corpus: Path, name: str) -> dict[str, Any]:
    trace: dict[str, Any] = json.loads((corpus / "traces" / f"{name}.json").read_text(encoding="utf-8"))
    return trace


def trace_names(corpus: Path) -> list[str]:
    return sorted((path.stem for path in (corpus / "traces").glob("*.json")), key=str.lower)


def replay_game(
    corpus: Path,
    name: str,
    seconds: float = float("inf"),
    max_playouts: int | None = None,
    max_steps: int | None = None,
    engine: EngineName = "reference",
    limits: GroundingLimits | None = None,
) -> Replay:
    """Compare the recordings of a game step by step, each playout up to its first difference.

    When the time is up the result is what was compared until then. CompileError if the rules cannot be compiled for
    the engine within the limits.
    """
    trace = load_trace(corpus, name)
    playouts = trace["playouts"][:max_playouts]
    recorded = sum(len(playout["steps"][:max_steps]) for playout in playouts)
    started, until = time.process_time(), time.monotonic() + seconds
    game = SettledGame(Rules.read(corpus / "games" / f"{name}.kif"), engine, limits)
    found = [Disagreement(name, 0, 0, what) for what in _start_differences(game, trace)]
    states = 0
    for number, playout in enumerate(playouts, start=1):
        for step, differences in islice(_compare_playout(game, playout), max_steps):
            states += 1
            found += [Disagreement(name, number, step, what) for what in differences]
            if time.monotonic() > until:
                return Replay(name, engine, recorded, states, time.process_time() - started, tuple(found))
    return Replay(name, engine, recorded, states, time.process_time() - started, tuple(found))


def _start_differences(game: Game, trace: Mapping[str, Any]) -> Iterator[str]:
    roles = [role.lower() for role in game.roles]
    if roles != trace["roles"]:
        yield f"the roles are {', '.join(roles)}, recorded {', '.join(trace['roles'])}"
    facts = set(canonical(fact.term for fact in game.initial_state().facts))
    if facts != set(trace["init"]):
        missing, extra = sorted(set(trace["init"]) - facts), sorted(facts - set(trace["init"]))
        yield f"the initial state lacks {_some(missing)} and has {_some(extra)} too many"


def _some(texts: list[str]) -> str:
    listed = " ".join(texts[:SHOWN])
    return f"{len(texts)} facts" + (f" ({listed}{' ...' if len(texts) > SHOWN else ''})" if texts else "")


def _compare_playout(game: Game, playout: Mapping[str, Any]) -> Iterator[tuple[int, list[str]]]:
    """The number and the differences of each step, up to the first step that differs."""
    state = game.initial_state()
    for number, step in enumerate(playout["steps"]):
        differences = list(_state_differences(game, state, step))
        is_last = number == len(playout["steps"]) - 1
        if is_last and playout["finished"] and not differences:
            differences += _goal_differences(game, state, playout["goals"])
        if not differences and not is_last:
            try:
                state = state.next(dict(zip(game.roles, step["moves"], strict=True)))
            except LudensError as error:
                differences.append(f"the recorded moves {', '.join(step['moves'])} fail: {error}")
        yield number, differences
        if differences:
            return


def _state_differences(game: Game, state: State, step: Step) -> Iterator[str]:
    facts = canonical(fact.term for fact in state.facts)
    if len(facts) != step["facts"]:
        yield f"{len(facts)} facts, recorded {step['facts']}"
    elif digest(facts) != step["state"]:
        yield f"as many facts as recorded ({len(facts)}), but others"
    if state.is_terminal != step["terminal"]:
        yield f"terminal is {state.is_terminal}, recorded {step['terminal']}"
    for role, (count, expected) in zip(game.roles, step.get("legal", ()), strict="legal" in step):
        moves = canonical(move.term for move in state.legal_moves(role))
        if len(moves) != count:
            yield f"{len(moves)} legal moves for {role}, recorded {count}"
        elif digest(moves) != expected:
            yield f"as many legal moves for {role} as recorded ({count}), but others"


def _goal_differences(game: Game, state: State, recorded: list[int | None]) -> Iterator[str]:
    for role, value in zip(game.roles, recorded, strict=True):
        if state.goals[role] != value:
            yield f"the goal of {role} is {state.goals[role]}, recorded {value}"
