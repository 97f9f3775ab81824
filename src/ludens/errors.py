"""Everything that ludens raises, and the findings that errors carry.

LudensError
├── RulesError                 a rule sheet cannot be used; carries findings with their places
│   ├── GdlSyntaxError         it cannot be read
│   └── InvalidRulesError      it can be read, but breaks the language
├── GameNotFoundError          no bundled game, file or text answers to this name
├── HintError                  hints on how to draw a game cannot be used
├── MessageError               a message or reply of the game protocol cannot be understood
├── RecordError                the record of a match cannot be read, or is not what the rules allow
├── StoreError                 the store of matches cannot be used, or does not hold what was asked for
│   └── OtherMatchError        it holds another match of this name, or one that went another way
├── PlanError                  the plan of a tournament cannot be used
├── WorkerError                a process did not bring its match of a tournament to an end
├── ClusterError               a cluster of computers cannot be used
├── ListenError                a server cannot listen where it was told to
├── PlayError                  a game was used in a way its rules do not allow
│   ├── UnknownRoleError       no such role
│   ├── UnknownPlayerError     no player answers to this name; says which there are
│   ├── IllegalMoveError       the move is not legal here; says which are
│   ├── MissingMoveError       a joint move lacks the move of a role
│   └── GameOverError          a move after the end
├── SeatError                  a player that takes part in a match gave no answer
│   ├── SeatTimeoutError       not in time
│   └── SeatGoneError          it cannot be reached, broke off, or sent what is no answer at all
└── EngineError                the rules cannot be evaluated
    ├── UnstratifiedError      a fact depends on its own absence
    ├── EvaluationLimitError   the evaluation exceeded its bound
    ├── CompileError           the rules cannot be compiled within the limits
    │   └── UnfinishedError    compiling was given up early; another time it may succeed
    ├── UnknownFactError       a state has a fact that play from the start never reaches
    └── NoLegalMoveError       a role has no move in a state that is not terminal
        └── NoOutcomeError     nothing can be drawn for a random variable that a legal move mentions
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal as OneOf

Severity = OneOf["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a source text, with the line around it (cut when very long)."""

    source: str
    line: int
    column: int
    length: int
    text: str
    caret: int

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}"

    def excerpt(self) -> str:
        """Return the source line with carets below the place."""
        return f"{self.text}\n{' ' * self.caret}{'^' * self.length}"


@dataclass(frozen=True, slots=True)
class Finding:
    """An error or oddity in a rule sheet, with its place and a remedy.

    The code is stable: programs may rely on it.
    """

    code: str
    severity: Severity
    message: str
    remedy: str = ""
    place: Place | None = None

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        text = f"{where}{self.severity}: {self.message} [{self.code}]"
        if self.place:
            text += "\n" + "\n".join("    " + line for line in self.place.excerpt().splitlines())
        if self.remedy:
            text += f"\n    remedy: {self.remedy}"
        return text

    def to_json(self) -> dict[str, object]:
        place = self.place
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "remedy": self.remedy,
            "source": place.source if place else None,
            "line": place.line if place else None,
            "column": place.column if place else None,
            "length": place.length if place else None,
        }


class LudensError(Exception):
    """Base of all errors that ludens raises on purpose."""


class RulesError(LudensError):
    """A rule sheet cannot be used. `findings` says exactly why."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings: tuple[Finding, ...] = tuple(findings)
        super().__init__("\n".join(str(finding) for finding in self.findings))

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.findings,)


class GdlSyntaxError(RulesError):
    """The text is not a rule sheet that can be read."""


class InvalidRulesError(RulesError):
    """The rule sheet breaks the language in a way that leaves no game to play."""


class GameNotFoundError(LudensError):
    """No bundled game, file or text answers to the given name."""


class HintError(LudensError):
    """Hints on how to draw a game cannot be used."""


class MessageError(LudensError):
    """A message or reply of the game protocol cannot be understood."""


class RecordError(LudensError):
    """The record of a match cannot be read, or does not tell a match that the rules allow."""


class StoreError(LudensError):
    """The store of matches cannot be used, or does not hold what was asked for."""


class OtherMatchError(StoreError):
    """The store holds another match of this name, or one that went another way."""


class PlanError(LudensError):
    """The plan of a tournament cannot be used."""


class ClusterError(LudensError):
    """A cluster of computers cannot be used, or what it needs is not installed."""


class ListenError(LudensError):
    """A server cannot listen where it was told to."""


class WorkerError(LudensError):
    """A process did not bring its match of a tournament to an end."""


class PlayError(LudensError):
    """A game was used in a way its rules do not allow."""


class UnknownPlayerError(PlayError):
    """No player answers to this name."""


class UnknownRoleError(PlayError):
    """The game has no such role."""

    def __init__(self, role: str, roles: Sequence[str]) -> None:
        self.role, self.roles = role, tuple(roles)
        super().__init__(f"there is no role {role!r}; the roles are {', '.join(roles)}")

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.role, self.roles)


class IllegalMoveError(PlayError):
    """The move is not legal in this state. `legal` holds those that are."""

    shown = 12

    def __init__(self, role: str, move: str, legal: Sequence[str]) -> None:
        self.role, self.move, self.legal = role, move, tuple(legal)
        listed = ", ".join(self.legal[: self.shown])
        if len(self.legal) > self.shown:
            listed += f" and {len(self.legal) - self.shown} more"
        super().__init__(f"{move} is not legal for {role}; legal: {listed or 'nothing'}")

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.role, self.move, self.legal)


class MissingMoveError(PlayError):
    """A joint move needs one move of every role."""


class GameOverError(PlayError):
    """The game has ended; there are no more moves."""


class SeatError(LudensError):
    """A player that takes part in a match gave no answer."""


class SeatTimeoutError(SeatError):
    """The answer did not come in time."""


class SeatGoneError(SeatError):
    """The player cannot be reached, broke off, or sent what is no answer at all."""


class EngineError(LudensError):
    """The rules cannot be evaluated."""


class UnstratifiedError(EngineError):
    """A fact depends on its own absence, so the rules have no definite meaning."""


class EvaluationLimitError(EngineError):
    """Evaluating the rules exceeded the bound on the number or size of derived facts."""


class CompileError(EngineError):
    """The rules cannot be compiled for fast simulation, or not within the limits of time and memory."""


class UnfinishedError(CompileError):
    """Compiling was given up before it was known whether it can be done; another time it may succeed."""


class UnknownFactError(EngineError):
    """A state has a fact that play from the start never reaches, and the engine knows no others."""


class NoLegalMoveError(EngineError):
    """A role has no legal move in a state that is not terminal."""

    def __init__(self, role: str, message: str = "") -> None:
        self.role = role
        super().__init__(message or f"{role} has no legal move in a state that is not terminal")

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.role, str(self))


class NoOutcomeError(NoLegalMoveError):
    """Nothing can be drawn for a random variable that a legal move mentions: this one, or one of these."""

    def __init__(self, variables: Sequence[str], message: str = "") -> None:
        self.role, self.variables = "random", tuple(variables)
        which = " or ".join(self.variables)
        EngineError.__init__(
            self, message or f"a legal move needs the random variable {which}, but no outcome has a weight above 0"
        )

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.variables, str(self))
