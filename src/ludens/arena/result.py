"""How a match is played, and how it went."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ludens.arena.records import Record
from ludens.core import Clocks, Decision, GroundTerm, Move, Player, Role
from ludens.errors import PlayError
from ludens.game import Game, State
from ludens.players.match_view import News
from ludens.protocol import Percepts

JointMove: TypeAlias = Mapping[Role, Move]
OnFault: TypeAlias = Literal["random", "forfeit"]

GRACE = 1.0
SEED_BITS = 31
"""Seeds that nobody chose are short enough to be typed, and for every reader of JSON."""
MATCH_ID = re.compile(r"[\w-][\w.-]{,99}")
"""The id of a match is one word in messages, and may be the name of a file."""
LOST, WON = 0, 100
NOTE = "referee"
"""Under this name the record keeps the settings that its format has no place for."""


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """How a match is played."""

    match_id: str
    clocks: Clocks
    seed: int
    """Chance, replaced moves and made-up words follow from it."""
    scramble: bool = False
    """Whether each player gets the rules in words of its own."""
    on_fault: OnFault = "random"
    """A move that is late, missing or illegal is replaced by a random one; with `forfeit` that also ends the match, and
    the role has lost: it gets 0, and those who did nothing wrong get 100."""
    max_steps: int = 10_000
    """A match that takes longer is aborted."""
    one_by_one: bool = False
    """Ask one player after the other, for players that share their cores."""
    grace: float = GRACE
    """Seconds that an answer may be late, as on other servers: it has a way to go."""
    wait: float | None = None
    """Seconds for which players that are busy are waited for before the match begins; None if they are not asked."""
    nodes: int | None = None
    """How much players of this package search in place of the clock; the referee only remembers it."""

    def __post_init__(self) -> None:
        if not MATCH_ID.fullmatch(self.match_id):
            form = "use at most 100 letters, digits, underscores, dashes and dots, not a dot first"
            raise PlayError(f"{self.match_id[:40]!r} cannot be the name of a match; {form}")
        if self.on_fault not in ("random", "forfeit"):
            raise PlayError(f"{self.on_fault!r} is no way to deal with faults; there are random and forfeit")

    def notes(self) -> dict[str, Any]:
        """What a record has to keep so that the match can go on after an interruption."""
        kept = {"onFault": self.on_fault, "maxSteps": self.max_steps, "oneByOne": self.one_by_one, "grace": self.grace}
        return {NOTE: kept if self.nodes is None else {**kept, "nodes": self.nodes}}

    @classmethod
    def of_record(cls, record: Record) -> MatchSettings:
        """The settings with which a recorded match goes on."""
        kept = record.notes.get(NOTE)
        if not isinstance(record.seed, int) or not isinstance(kept, dict):
            raise PlayError(f"the record of {record.match_id} does not say how it was refereed; it cannot go on")
        try:
            return cls(
                record.match_id,
                record.clocks,
                record.seed,
                record.scrambled,
                kept["onFault"],
                int(kept["maxSteps"]),
                bool(kept["oneByOne"]),
                float(kept["grace"]),
                nodes=None if kept.get("nodes") is None else int(kept["nodes"]),
            )
        except (KeyError, TypeError, ValueError):
            raise PlayError(
                f"the record of {record.match_id} has settings that make no sense; it cannot go on"
            ) from None


def check_seats(game: Game, number: int) -> None:
    """PlayError unless there is one seat for each role that players take."""
    roles = game.player_roles
    if number != len(roles):
        raise PlayError(f"{game.name} needs {len(roles)} players, for {', '.join(roles)}; {number} were given")


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """What a player failed to do in a match, or why it plays otherwise than by its name."""

    step: int
    """The move in question, from 1; also for what happened before the first move."""
    role: Role
    text: str
    is_fault: bool = True
    """Whether the player failed; in place of a move, a random legal one was made."""

    def __str__(self) -> str:
        return f"move {self.step}, {self.role}: {self.text}"


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """A joint move that was made, and who is told what of it."""

    number: int
    """From 1."""
    before: State
    moves: JointMove
    """As announced to everybody."""
    after: State
    percepts: Mapping[Role, tuple[GroundTerm, ...]] | None = None
    """What each role sees of it; None where all see everything."""
    decisions: Mapping[Role, Decision] = field(default_factory=dict)
    """What players thought that said so."""
    replaced: tuple[Role, ...] = ()
    """The roles whose move was drawn at random, because their players made no legal one in time."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """Of this turn, and of START before the first one."""

    @property
    def choosers(self) -> frozenset[Role]:
        """The roles that had a choice, chance included."""
        return frozenset(role for role in self.before.game.roles if len(self.before.legal_moves(role)) > 1)

    def news(self, role: Role) -> News:
        """Return what the player of a role is told, as messages have it."""
        if self.percepts is not None:
            return Percepts(self.number, self.moves[role].term, self.percepts[role])
        return tuple(self.moves[rule_role].term for rule_role in self.before.game.rule_roles)

    def tell(self, player: Player, role: Role) -> None:
        """Tell the player of a role what it may know."""
        if self.percepts is None:
            player.observe(self.moves)
        else:
            player.perceive(self.moves[role], self.percepts[role])


@dataclass(frozen=True)
class MatchResult:
    """How a match went. `finished` is false if it was cut because it was too long."""

    final: State
    moves: tuple[JointMove, ...]
    """As announced to everybody."""
    diagnostics: tuple[Diagnostic, ...]
    finished: bool
    record: Record
    forfeited: tuple[Role, ...] = ()
    """Who lost the match by a fault."""

    @property
    def faults(self) -> tuple[Diagnostic, ...]:
        """What players failed to do."""
        return tuple(diagnostic for diagnostic in self.diagnostics if diagnostic.is_fault)

    @property
    def goals(self) -> dict[Role, int | None]:
        """What each role gets; by a forfeit the match is lost for these roles and won for the others."""
        goals = self.final.goals
        if not self.forfeited:
            return goals
        return {role: LOST if role in self.forfeited else WON for role in goals}
