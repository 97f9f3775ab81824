"""Playing a game at random to find what no look at its rules can tell.

Each kind of fault is reported once, with how often it was met and the shortest way there that was seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ludens.analysis.random_plays import RandomPlays
from ludens.core import Fact, Move, Role
from ludens.engines.rows import pack
from ludens.errors import EngineError, Finding, Severity
from ludens.game import Game
from ludens.gdl.keywords import CHANCE
from ludens.gdl.terms import term_text
from ludens.gdl.validate.values import is_goal_value
from ludens.printable import printable
from ludens.runtime.deadline import Deadline

MAX_STEPS = 1_000
SHOWN_STEPS = 6
"""How many joint moves a message shows; `PlayFinding.moves` has them all."""

ENOUGH_PLAYS = 10
"""How many finished plays with the same goals are worth a word."""

SEVERITIES: Mapping[str, Severity] = MappingProxyType(
    {
        "no-legal-move": "error",
        "no-goal-at-end": "error",
        "several-goals-at-end": "error",
        "bad-goal-at-end": "error",
        "play-failed": "error",
        "endless-play": "warning",
        "goals-never-change": "warning",
        "puzzle-unsolved": "info",
        "fact-not-in-base": "warning",
        "legal-not-in-input": "warning",
        "plays-cut": "info",
    }
)

TELLING_PLAYS = 100
"""The number of plays from which on it is odd that all have the same result; with fewer it may be chance."""

JointMove: TypeAlias = tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class PlayFinding(Finding):
    """A finding from play; `moves` are the joint moves that lead there, in the order of the roles."""

    moves: tuple[JointMove, ...] = ()

    def to_json(self) -> dict[str, object]:
        return Finding.to_json(self) | {"moves": [list(map(str, joint)) for joint in self.moves]}


@dataclass(slots=True)
class _Sighting:
    """A fault that was met: in which plays, first where, and the shortest way there."""

    text: str
    remedy: str
    moves: tuple[JointMove, ...]
    first: tuple[int, int]
    """The play and the step."""
    plays: set[int] = field(default_factory=set)


@dataclass
class _Playtest:
    """One series of plays and what was met in them."""

    game: Game
    rng: Random
    max_steps: int
    deadline: Deadline
    begun: int = 0
    played: int = 0
    """Plays that were begun, and those that came to an end, were found faulty or too long."""
    sightings: dict[tuple[str, str], _Sighting] = field(default_factory=dict)
    outcomes: list[tuple[int | None, ...]] = field(default_factory=list)
    base: frozenset[Fact] | None = None
    inputs: Mapping[Role, frozenset[Move]] | None = None

    def run(self, plays: int, progress: Callable[[int], None] | None) -> None:
        """Play batches of games: as many at once as cost no more than one."""
        with self._guarded(0, ()):
            self.base, self.inputs = self.game.base_facts(), self.game.input_moves()
        while self.played < plays and not self.deadline.passed and ("play-failed", "start") not in self.sightings:
            count = min(plays - self.played, self.game.engine.lanes)
            self.begun += count
            for _ in range(count - self._play([Random(self.rng.getrandbits(64)) for _ in range(count)])):
                self.played += 1
                if progress:
                    progress(self.played)

    @contextmanager
    def _guarded(self, play: int, moves: Sequence[JointMove]) -> Iterator[None]:
        """Do something; rules that cannot be evaluated are a finding like others."""
        try:
            yield
        except EngineError as error:
            kind = "later" if moves else "start"
            remedy = "mend the rules that this names; the restriction it breaks is a finding of its own"
            self.note("play-failed", kind, f"the rules cannot be evaluated: {error}", remedy, play, moves)

    def _play(self, rngs: Sequence[Random]) -> int:
        """Play a batch of games at random and note what is odd; return how many the deadline has cut.

        Only an engine that takes one state at a time can fail to evaluate the rules, so that it is clear in which game.
        """
        moves: list[list[JointMove]] = [[] for _ in rngs]
        with self._guarded(self.played, moves[0]):
            batch = RandomPlays(self.game, rngs)
            while len(batch) and not self.deadline.passed:
                self._look(batch, moves)
            return len(batch)
        return 0

    def _look(self, batch: RandomPlays, moves: list[list[JointMove]]) -> None:
        """Check the states of a batch, and make a joint move in those that go on."""
        engine = batch.engine
        over = engine.terminal(batch.rows)
        self._check_facts(batch, moves)
        if over.any():
            self._check_goals(batch, over, moves)
            batch.keep(~over)
        if batch.steps >= self.max_steps:
            for number in batch.games.tolist():
                self._note_endless(self.played + number, moves[number])
            batch.keep(np.zeros(len(batch), np.bool_))
        if not len(batch):
            return
        legal = engine.legal(batch.rows)
        going = np.array([self._check_moves(batch, row, own, moves) for row, own in enumerate(legal)], np.bool_)
        batch.keep(going)
        joint = batch.draw([own for own, goes in zip(legal, going, strict=True) if goes])
        for number, numbers in zip(batch.games.tolist(), joint, strict=True):
            moves[number].append(batch.names(numbers))
        if len(batch):
            batch.step(joint)

    def _check_facts(self, batch: RandomPlays, moves: Sequence[Sequence[JointMove]]) -> None:
        if self.base is None:
            return
        declared = {fact.term for fact in self.base}
        rows = np.arange(len(batch))
        if batch.engine.circuit is not None:
            unknown = np.array([[fluent not in declared for fluent in batch.engine.circuit.fluents]])
            rows = np.flatnonzero((batch.rows & pack(unknown)).any(axis=1))
        for number, facts in zip(batch.games[rows].tolist(), batch.engine.decode(batch.rows[rows]), strict=True):
            for fact in sorted(map(self.game.fact_of, facts - declared)):
                self.note(
                    "fact-not-in-base",
                    fact.name,
                    f"{fact} is true, although `base` does not allow it",
                    "extend `base`, or correct the `init` and `next` rules",
                    self.played + number,
                    moves[number],
                )

    def _check_moves(
        self, batch: RandomPlays, row: int, legal: Sequence[Sequence[int]], moves: Sequence[Sequence[JointMove]]
    ) -> bool:
        """Check the legal moves of one state; whether the game can go on."""
        number = int(batch.games[row])
        for role, own in zip(self.game.roles, legal, strict=True):
            if not own:
                with self._guarded(self.played + number, moves[number]):
                    (facts,) = batch.engine.decode(batch.rows[row : row + 1])
                    self.game.state_of(facts).legal_moves(role)  # which knows if nothing can be drawn
                    self.note(
                        "no-legal-move",
                        role,
                        f"{role} has no legal move, and the game is not over",
                        "make a move legal there (`noop` for those who wait), or end the game",
                        self.played + number,
                        moves[number],
                    )
            if self.inputs is None or role not in self.inputs:
                continue
            for move in sorted(set(batch.names(own)).difference(self.inputs[role])):
                self.note(
                    "legal-not-in-input",
                    f"{role} {move.name}",
                    f"{move} is legal for {role}, although `input` does not allow it",
                    "extend `input`, or correct the `legal` rules",
                    self.played + number,
                    moves[number],
                )
        return all(legal)

    def _note_endless(self, play: int, moves: Sequence[JointMove]) -> None:
        self.note(
            "endless-play",
            "",
            f"the game has not ended after {self.max_steps} moves",
            "every game must end: count the moves and make the last one terminal, or allow more steps",
            play,
            moves,
        )

    def _check_goals(self, batch: RandomPlays, over: NDArray[np.bool_], moves: Sequence[Sequence[JointMove]]) -> None:
        """Check the goals of the games that are over."""
        goals, terms = batch.engine.goals(batch.rows[over]), batch.engine.goal_terms(batch.rows[over])
        for number, numbers, values in zip(batch.games[over].tolist(), goals.tolist(), terms, strict=True):
            places = [self.game.role_index(role) for role in self._players()]
            self.outcomes.append(tuple(numbers[place] if numbers[place] >= 0 else None for place in places))
            for place in places:
                own = tuple(sorted(map(term_text, values[place])))
                self._check_goal(self.game.roles[place], own, self.played + number, moves[number])

    def _check_goal(self, role: Role, values: Sequence[str], play: int, moves: Sequence[JointMove]) -> None:
        if len(values) != 1:
            code = "several-goals-at-end" if values else "no-goal-at-end"
            found = f"the goal values {', '.join(values)}" if values else "no goal value"
            remedy = "let the conditions of the `goal` rules exclude each other and leave no gap"
            self.note(code, role, f"{role} has {found} at the end", remedy, play, moves)
        elif not is_goal_value(values[0]):
            found = f"{role} has the goal value {values[0]} at the end, which is not an integer from 0 to 100"
            self.note("bad-goal-at-end", role, found, "give an integer from 0 to 100", play, moves)

    def _players(self) -> list[Role]:
        return [role for role in self.game.roles if role.lower() != CHANCE]

    def note(self, code: str, kind: str, text: str, remedy: str, play: int, moves: Sequence[JointMove]) -> None:
        """Remember a fault; of each kind, the shortest way to it."""
        first = play, len(moves)
        sighting = self.sightings.setdefault((code, kind), _Sighting(text, remedy, tuple(moves), first))
        if len(moves) < len(sighting.moves):
            sighting.text, sighting.moves = text, tuple(moves)
        sighting.first = min(sighting.first, first)
        sighting.plays.add(play)

    def findings(self, plays: int) -> list[Finding]:
        by_first = sorted(self.sightings.items(), key=lambda item: item[1].first)
        found: list[Finding] = [self._finding(code, sighting) for (code, _), sighting in by_first]
        if len(self.outcomes) >= ENOUGH_PLAYS and len(set(self.outcomes)) == 1 and None not in self.outcomes[0]:
            found.append(self._same_goals())
        if self.deadline.passed and self.played < plays:
            message = f"only {self.played} of {plays} plays were made before the time was up"
            found.append(PlayFinding("plays-cut", SEVERITIES["plays-cut"], message, "allow more time"))
        return found

    def _same_goals(self) -> Finding:
        """Goals that never change decide nothing; but to solve a puzzle takes more than chance."""
        players = self._players()
        code = "goals-never-change" if len(players) > 1 else "puzzle-unsolved"
        result = ", ".join(f"{role} {goal}" for role, goal in zip(players, self.outcomes[0], strict=True))
        message = f"all {len(self.outcomes)} finished plays gave the same goals: {result}"
        remedy = "check the `goal` rules; where chance seldom succeeds, try more plays"
        severity = SEVERITIES[code] if len(self.outcomes) >= TELLING_PLAYS else "info"
        return PlayFinding(code, severity, message, remedy)

    def _finding(self, code: str, sighting: _Sighting) -> PlayFinding:
        often = f"in {len(sighting.plays)} of {self.begun} plays" if self.begun else "before the first move"
        message = printable(f"{sighting.text} ({often}), {_way(sighting.moves)}")
        return PlayFinding(code, SEVERITIES[code], message, sighting.remedy, None, sighting.moves)


def _way(moves: Sequence[JointMove]) -> str:
    """How a state was reached, shortened when long."""
    if not moves:
        return "at the start"
    steps = ["/".join(joint) for joint in moves]
    if len(steps) > SHOWN_STEPS:
        half = SHOWN_STEPS // 2
        steps = [*steps[:half], f"... {len(steps) - SHOWN_STEPS} more ...", *steps[-half:]]
    return f"after {', '.join(steps)}"


def playtest(
    game: Game,
    plays: int,
    rng: Random,
    max_steps: int = MAX_STEPS,
    deadline: Deadline | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Finding]:
    """Play random games and tell what breaks the promises of the language, errors first.

    After each play, `progress` is told how many have been made, which in the end may be fewer than asked for.
    The same seed gives the same findings.

    >>> import ludens
    >>> playtest(ludens.load("tictactoe"), 20, Random(1))
    []
    """
    test = _Playtest(game, rng, max_steps, deadline or Deadline.never())
    test.run(plays, progress)
    return sorted(test.findings(plays), key=lambda finding: ("error", "warning", "info").index(finding.severity))
