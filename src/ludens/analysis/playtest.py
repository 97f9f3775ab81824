"""Playing a game at random to find what no look at its rules can tell.

Each kind of fault is reported once, with how often it was met and the shortest way there that was seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from types import MappingProxyType
from typing import TypeAlias

from ludens.core import Fact, Move, Role
from ludens.errors import EngineError, Finding, Severity
from ludens.game import Game, State
from ludens.gdl.keywords import CHANCE
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
"""After so many plays with the same result it is odd, before it may be chance."""

JointMove: TypeAlias = tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class PlayFinding(Finding):
    """A finding from play; `moves` are the joint moves that lead there, in the order of the roles."""

    moves: tuple[JointMove, ...] = ()

    def to_json(self) -> dict[str, object]:
        return Finding.to_json(self) | {"moves": [list(map(str, joint)) for joint in self.moves]}


@dataclass(slots=True)
class _Sighting:
    """A fault that was met: in how many plays, and the shortest way there."""

    text: str
    remedy: str
    moves: tuple[JointMove, ...]
    plays: int = 0
    last_play: int = -1


@dataclass
class _Playtest:
    """One series of plays and what was met in them."""

    game: Game
    rng: Random
    max_steps: int
    deadline: Deadline
    played: int = 0
    sightings: dict[tuple[str, str], _Sighting] = field(default_factory=dict)
    outcomes: list[tuple[int | None, ...]] = field(default_factory=list)
    base: frozenset[Fact] | None = None
    inputs: Mapping[Role, frozenset[Move]] | None = None

    def run(self, plays: int, progress: Callable[[int], None] | None) -> None:
        self._guarded(self._declarations, ())
        while self.played < plays and not self.deadline.passed and ("play-failed", "start") not in self.sightings:
            self.play()
            self.played += 1
            if progress:
                progress(self.played)

    def _declarations(self) -> None:
        self.base, self.inputs = self.game.base_facts(), self.game.input_moves()

    def play(self) -> None:
        """One game at random; what is odd on the way is noted."""
        moves: list[JointMove] = []
        self._guarded(lambda: self._play(moves), moves)

    def _guarded(self, action: Callable[[], None], moves: list[JointMove] | tuple[()]) -> None:
        """Do something; rules that cannot be evaluated are a finding like others."""
        try:
            action()
        except EngineError as error:
            kind = "later" if moves else "start"
            remedy = "mend the rules that this names; the restriction it breaks is a finding of its own"
            self.note("play-failed", kind, f"the rules cannot be evaluated: {error}", remedy, moves)

    def _play(self, moves: list[JointMove]) -> None:
        state = self.game.initial_state()
        while not state.is_terminal:
            self._check_facts(state, moves)
            if len(moves) >= self.max_steps:
                self._note_endless(moves)
                return
            if self.deadline.passed:
                return
            legal = [state.legal_moves(role) for role in self.game.roles]
            self._check_moves(legal, moves)
            if not all(legal):
                return
            joint = tuple(self.rng.choice(choices) for choices in legal)
            moves.append(joint)
            state = state.next(joint)
        self._check_facts(state, moves)
        self._check_goals(state, moves)

    def _check_facts(self, state: State, moves: Sequence[JointMove]) -> None:
        if self.base is not None:
            for fact in sorted(state.facts - self.base):
                self.note(
                    "fact-not-in-base",
                    fact.name,
                    f"{fact} is true, although `base` does not allow it",
                    "extend `base`, or correct the `init` and `next` rules",
                    moves,
                )

    def _check_moves(self, legal: Sequence[tuple[Move, ...]], moves: Sequence[JointMove]) -> None:
        for role, choices in zip(self.game.roles, legal, strict=True):
            if not choices:
                self.note(
                    "no-legal-move",
                    role,
                    f"{role} has no legal move, and the game is not over",
                    "make a move legal there (`noop` for those who wait), or end the game",
                    moves,
                )
            allowed = choices if self.inputs is None else self.inputs.get(role, choices)
            for move in sorted(set(choices).difference(allowed)):
                self.note(
                    "legal-not-in-input",
                    f"{role} {move.name}",
                    f"{move} is legal for {role}, although `input` does not allow it",
                    "extend `input`, or correct the `legal` rules",
                    moves,
                )

    def _note_endless(self, moves: Sequence[JointMove]) -> None:
        self.note(
            "endless-play",
            "",
            f"the game has not ended after {self.max_steps} moves",
            "every game must end: count the moves and make the last one terminal, or allow more steps",
            moves,
        )

    def _check_goals(self, state: State, moves: Sequence[JointMove]) -> None:
        goals = state.goals
        self.outcomes.append(tuple(goals[role] for role in self._players()))
        for role in self._players():
            values = state.goal_values(role)
            if len(values) != 1:
                code = "several-goals-at-end" if values else "no-goal-at-end"
                found = f"the goal values {', '.join(values)}" if values else "no goal value"
                remedy = "let the conditions of the `goal` rules exclude each other and leave no gap"
                self.note(code, role, f"{role} has {found} at the end", remedy, moves)
            elif not is_goal_value(values[0]):
                found = f"{role} has the goal value {values[0]} at the end, which is not an integer from 0 to 100"
                self.note("bad-goal-at-end", role, found, "give an integer from 0 to 100", moves)

    def _players(self) -> list[Role]:
        return [role for role in self.game.roles if role.lower() != CHANCE]

    def note(self, code: str, kind: str, text: str, remedy: str, moves: Sequence[JointMove]) -> None:
        """Remember a fault; of each kind, the shortest way to it."""
        sighting = self.sightings.setdefault((code, kind), _Sighting(text, remedy, tuple(moves)))
        if len(moves) < len(sighting.moves):
            sighting.text, sighting.moves = text, tuple(moves)
        if sighting.last_play != self.played:
            sighting.plays, sighting.last_play = sighting.plays + 1, self.played

    def findings(self, plays: int) -> list[Finding]:
        found: list[Finding] = [self._finding(code, sighting) for (code, _), sighting in self.sightings.items()]
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
        often = f"in {sighting.plays} of {self.played} plays" if self.played else "before the first move"
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
