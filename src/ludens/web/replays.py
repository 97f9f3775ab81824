"""Records of matches, state by state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ludens import games
from ludens.arena.records import Record
from ludens.errors import LudensError, RecordError
from ludens.game import Game, State, load_bundled
from ludens.gdl.rules import Rules
from ludens.web.pictures import PageArtist
from ludens.web.thoughts import joint_words

MAX_TURNS = 5_000


class Replay:
    """One match that can be shown at any of its turns."""

    def __init__(
        self, record: Mapping[str, Any], rules: str = "", name: str = "", earlier: Replay | None = None
    ) -> None:
        """`earlier` may be of the same match: then its game need not be looked at again."""
        self._record = Record.from_json(dict(record))
        if self._record.turns > MAX_TURNS:
            raise RecordError(f"the record has {self._record.turns:,} turns; at most {MAX_TURNS:,} can be shown")
        text = self._record.rules or rules
        if not text:
            raise RecordError("the record does not say by which rules it was played; a record with rules is needed")
        self._sheet = (text, self._record.game_name or name or "untitled")
        known = earlier if earlier and earlier._sheet == self._sheet else None
        self._game: Game = known._game if known else _game(*self._sheet)
        self._states: list[State] = []
        self._problem = ""
        try:
            self._states.extend(self._record.replay(self._game))
        except LudensError as error:
            self._problem = str(error)
            if not self._states:
                raise
        self._artist: PageArtist = known._artist if known else PageArtist(self._game)
        if earlier and not known:
            earlier._artist.close()

    def summary(self, turn: int | None = None) -> dict[str, Any]:
        """What there is to say of the match, and how a turn looks; the last one if none is named."""
        record, roles = self._record, [str(role) for role in self._game.rule_roles]
        players = record.player_names or [""] * len(roles)
        goals: Sequence[int | None] = record.goal_values or [None] * len(roles)
        return {
            "id": record.match_id,
            "game": self._game.name,
            "turns": len(self._states) - 1,
            "completed": record.is_completed,
            "aborted": record.is_aborted,
            "problem": self._problem,
            "seats": [
                {"role": role, "player": player, "goal": goal}
                for role, player, goal in zip(roles, players, goals, strict=True)
            ],
            "moves": [self._words(turn) for turn in range(len(self._states) - 1)],
            "frame": self.frame(len(self._states) - 1 if turn is None else turn),
        }

    def frame(self, turn: int) -> dict[str, Any]:
        turn = min(max(turn, 0), len(self._states) - 1)
        before = self._states[turn - 1] if turn else None
        joint = self._record.joint(self._game, turn - 1) if turn else None
        faults = self._record.errors[turn] if turn < len(self._record.errors) else []
        self._artist.refresh()
        return {
            "turn": turn,
            "svg": self._artist.svg([self._states[turn]], joint, before),
            "faults": [fault for fault in faults if fault],
        }

    def _words(self, turn: int) -> str:
        state, joint = self._states[turn], self._record.joint(self._game, turn)
        return joint_words(joint, [role for role in joint if len(state.announced_moves(role)) > 1] or None)


def _game(text: str, name: str) -> Game:
    """The bundled game of this name if it has just these rules, so that it looks as usual."""
    rules = Rules.parse(text, "record", "kif")
    if games.find(name) is None:
        return Game(rules, name)
    bundled = load_bundled(name)
    return bundled if bundled.rules.digest == rules.digest else Game(rules, name)
