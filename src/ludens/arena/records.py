"""The record of one match, as it grows move by move; in JSON it is the match format of ggp.org.

>>> from ludens import load
>>> game = load("nim")
>>> state = game.initial_state()
>>> record = Record.begin(game, state, ["ann", "bob"], Clocks(10, 1), "nim.1", seed=7, start_time=0)
>>> joint = {role: state.legal_moves(role)[0] for role in game.roles}
>>> record.add_turn(joint, state.next(joint), ["", ""], time_ms=1000)
>>> [len(state.facts) for state in record.replay(game)]
[4, 4]
"""

from __future__ import annotations

import re
import string
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from ludens.arena.json_fields import Fields, flag, list_of, number, text, text_or_null, whole_number
from ludens.core import Clocks, GroundTerm, Move, Role
from ludens.errors import LudensError, MessageError, PlayError, RecordError, RulesError
from ludens.game import Game, State, load
from ludens.games import find
from ludens.gdl.keywords import CHANCE
from ludens.gdl.rules import Rules
from ludens.gdl.terms import term_text
from ludens.protocol.lists import ground_term, inside, split_items

NO_GOAL = -1
"""Stands for a goal where the rules give none."""
NO_CLOCK = -1
FORFEITED = "forfeited"
"""The key of the roles that lost by a fault, so that the result is not that of the rules."""
TOKEN_LENGTH = 32
MAX_NAME_IN_ID = 40
MAX_SEED_BITS = 1024
SHOWN_FACTS = 3
UNTITLED = "untitled"


@dataclass
class Record:
    """One match: who played what, every state and every joint move. Lists by role are in the order of the rules' roles.

    Texts of moves and states are as in the JSON, with blanks inside all parentheses; those from other servers are kept
    as they came. What such records do not tell is empty or None.
    """

    match_id: str
    clocks: Clocks
    random_token: str = ""
    start_time: int = 0
    """Milliseconds since 1970, as all times here."""
    game_name: str = ""
    game_meta_url: str = ""
    game_digest: str = ""
    rules: str = ""
    """The rules in KIF."""
    roles: list[str] = field(default_factory=list)
    player_names: list[str] | None = None
    """A name is empty where nobody told it."""
    is_player_human: list[bool] | None = None
    preview_clock: float = NO_CLOCK
    scrambled: bool = False
    seed: int | str | None = None
    states: list[str] = field(default_factory=list)
    moves: list[list[str]] = field(default_factory=list)
    """Unscrambled, as announced to everybody; one row less than states."""
    state_times: list[int] = field(default_factory=list)
    errors: list[list[str]] = field(default_factory=list)
    """A row for each state, the first for what went wrong in START; "" for a role without an error."""
    goal_values: list[int] | None = None
    is_completed: bool = False
    is_aborted: bool = False
    tournament: str | None = None
    job: str | None = None
    """Which match of the tournament this is."""
    notes: dict[str, Any] = field(default_factory=dict)
    """Whatever else is worth keeping, as JSON; written under `ludens`."""
    extra: dict[str, Any] = field(default_factory=dict)
    """Keys that are not known here; written back as they came."""

    @classmethod
    def begin(
        cls,
        game: Game,
        initial: State,
        player_names: Sequence[str],
        clocks: Clocks,
        match_id: str,
        seed: int | str | None,
        *,
        start_time: int | None = None,
        game_meta_url: str | None = None,
        scrambled: bool = False,
        is_player_human: Sequence[bool] | None = None,
        tournament: str | None = None,
        job: str | None = None,
        errors: Sequence[str] | None = None,
        notes: Mapping[str, Any] | None = None,
    ) -> Record:
        """The record of a match that begins now. Names, people and the errors of START are those of the seats."""
        now = time.time_ns() // 1_000_000 if start_time is None else start_time
        roles = [str(role) for role in game.rule_roles]
        people = None if is_player_human is None else _by_role(roles, is_player_human, False)
        return cls(
            match_id=match_id,
            clocks=clocks,
            random_token=random_token(seed, match_id),
            start_time=now,
            game_name=game.name,
            game_meta_url=f"ludens:games/{game.name}/" if game_meta_url is None else game_meta_url,
            game_digest=game.rules.digest,
            rules=game.rules.to_kif(),
            roles=roles,
            player_names=_by_role(roles, player_names, CHANCE),
            is_player_human=people,
            scrambled=scrambled,
            seed=seed,
            states=[state_text(initial)],
            state_times=[now],
            errors=[_by_role(roles, errors or [""] * len(roles), "")],
            tournament=tournament,
            job=job,
            notes=dict(notes or {}),
        )

    @property
    def turns(self) -> int:
        """The number of joint moves that were made."""
        return len(self.moves)

    @property
    def goals(self) -> dict[str, int | None]:
        """What each role got; None where the rules gave nothing, and for all while the match is not over."""
        values = self.goal_values or [NO_GOAL] * len(self.roles)
        return {role: None if value == NO_GOAL else value for role, value in zip(self.roles, values, strict=True)}

    def add_turn(
        self,
        announced: Mapping[Role, Move],
        after: State,
        errors: Sequence[str] | None = None,
        time_ms: int | None = None,
    ) -> None:
        """Add a joint move that was made; `errors` are those of the seats."""
        moves = [_spaced(announced[Role(role)]) for role in self.roles]
        row = _by_role(self.roles, errors or [""] * len(self.roles), "")
        self.moves.append(moves)
        self.states.append(state_text(after))
        self.state_times.append(time.time_ns() // 1_000_000 if time_ms is None else time_ms)
        self.errors.append(row)

    def complete(self, goals: Mapping[Role, int | None]) -> None:
        """Say that the match was played to its end."""
        values = {role: goals.get(Role(role)) for role in self.roles}
        missing = {role: 0 if role.lower() == CHANCE else NO_GOAL for role in self.roles}
        self.goal_values = [missing[role] if value is None else value for role, value in values.items()]
        self.is_completed = True

    def abort(self) -> None:
        """Say that the match was broken off."""
        self.is_aborted = True

    def rename(self, match_id: str) -> None:
        """Make it the record of another match."""
        self.match_id, self.random_token = match_id, random_token(self.seed, match_id)

    def reopen(self, turns: int | None = None) -> None:
        """Let the match go on after some of its turns, or after all of them."""
        turns = self.turns if turns is None else turns
        del self.moves[turns:]
        for by_state in (self.states, self.state_times, self.errors):
            del by_state[turns + 1 :]
        self.is_completed = self.is_aborted = False
        self.goal_values = None
        self.notes.pop(FORFEITED, None)

    def to_json(self) -> dict[str, Any]:
        """Return the record in the match format of ggp.org."""
        optional = {
            "errors": self.errors or None,
            "goalValues": self.goal_values,
            "playerNamesFromHost": self.player_names,
            "isPlayerHuman": self.is_player_human,
            "tournamentNameFromHost": self.tournament,
            "ludens": self._own_json() or None,
        }
        return {
            "matchId": self.match_id,
            "randomToken": self.random_token,
            "startTime": self.start_time,
            "gameMetaURL": self.game_meta_url,
            "isCompleted": self.is_completed,
            "isAborted": self.is_aborted,
            "states": list(self.states),
            "moves": [list(row) for row in self.moves],
            "stateTimes": list(self.state_times),
            "previewClock": _plain(self.preview_clock),
            "startClock": _plain(self.clocks.start),
            "playClock": _plain(self.clocks.play),
            "scrambled": self.scrambled,
            **{key: value for key, value in optional.items() if value is not None},
            **self.extra,
        }

    def _own_json(self) -> dict[str, Any]:
        """What the format has no place for; nothing for a record of another server, whose signature stays valid."""
        known = {
            "game": self.game_name,
            "digest": self.game_digest,
            "rules": self.rules,
            "roles": self.roles,
            "seed": self.seed,
            "job": self.job,
        }
        return {**{key: value for key, value in known.items() if value not in ("", None, [])}, **self.notes}

    @classmethod
    def from_json(cls, data: object) -> Record:
        """Return the record that a JSON value holds; RecordError if it holds none."""
        fields = Fields(data, "a record")
        own = Fields(fields.rest.pop("ludens", None) or {}, "the value of ludens")
        record = cls(
            match_id=fields.take("matchId", text),
            random_token=fields.take("randomToken", text, ""),
            start_time=fields.take("startTime", whole_number, 0),
            game_meta_url=fields.take("gameMetaURL", text, ""),
            is_completed=fields.take("isCompleted", flag, False),
            is_aborted=fields.take("isAborted", flag, False),
            states=fields.take("states", list_of(text)),
            moves=fields.take("moves", list_of(list_of(text))),
            state_times=fields.take("stateTimes", list_of(whole_number), []),
            preview_clock=fields.take("previewClock", number, float(NO_CLOCK)),
            clocks=Clocks(fields.take("startClock", number, 0.0), fields.take("playClock", number, 0.0)),
            scrambled=fields.take("scrambled", flag, False),
            errors=fields.take("errors", list_of(list_of(text_or_null)), []),
            goal_values=fields.maybe("goalValues", list_of(whole_number)) or None,
            player_names=fields.maybe("playerNamesFromHost", list_of(text_or_null)) or None,
            is_player_human=fields.maybe("isPlayerHuman", list_of(flag)) or None,
            tournament=fields.maybe("tournamentNameFromHost", text),
            game_name=own.take("game", text, ""),
            game_digest=own.take("digest", text, ""),
            rules=own.take("rules", text, ""),
            roles=own.take("roles", list_of(text), []),
            seed=own.maybe("seed", seed_of),
            job=own.maybe("job", text),
            notes=own.remaining(),
            extra=fields.remaining(),
        )
        record.check_shape()
        return record

    def check_shape(self) -> None:
        """RecordError unless all lists are as long as they have to be."""
        if not self.match_id or not self.states:
            raise RecordError("a record has a matchId and at least one state")
        if len(self.states) != len(self.moves) + 1:
            counts = f"there are {len(self.states)} states and {len(self.moves)} moves"
            raise RecordError(f"{counts}; a record has one state more than moves")
        for name, rows in (("stateTimes", self.state_times), ("errors", self.errors)):
            if len(rows) > len(self.states):
                raise RecordError(f"{name} has {len(rows)} items; there are only {len(self.states)} states")
        widths = self._widths()
        for name, width in widths:
            if width != widths[0][1]:
                first = "{} {}".format(*widths[0])
                raise RecordError(f"{name} has {width} items and {first}; each has one for each role")

    def _widths(self) -> list[tuple[str, int]]:
        """For each list that has one item for each role its name and length."""
        lists: list[tuple[str, Sequence[object] | None]] = [
            ("ludens.roles", self.roles or None),
            ("playerNamesFromHost", self.player_names),
            ("isPlayerHuman", self.is_player_human),
            ("goalValues", self.goal_values),
            *((f"moves[{turn}]", row) for turn, row in enumerate(self.moves)),
            *((f"errors[{turn}]", row) for turn, row in enumerate(self.errors)),
        ]
        return [(name, len(values)) for name, values in lists if values is not None]

    def joint(self, game: Game, turn: int) -> dict[Role, Move]:
        """Return the joint move of a turn, counted from 0."""
        joint = {}
        for role, move in zip(game.rule_roles, self.moves[turn], strict=True):
            try:
                joint[role] = game.move_of(ground_term(move))
            except MessageError as error:
                raise RecordError(f"turn {turn + 1}, move of {role}: {error}") from None
        return joint

    def replay(self, game: Game) -> Iterator[State]:
        """Return the states of the match in their order; RecordError where one is not what the rules say."""
        for name, width in self._widths():
            if width != len(game.rule_roles):
                roles = ", ".join(game.rule_roles)
                raise RecordError(f"{name} has {width} items; {game.name} is played by {roles}")
        state = game.initial_state()
        self._check_state(state, 0)
        yield state
        for turn in range(self.turns):
            joint = self.joint(game, turn)
            try:
                state = state.next(joint)
            except PlayError as error:
                raise RecordError(f"turn {turn + 1}: {error}") from None
            except LudensError as error:
                raise RecordError(f"turn {turn + 1}: the rules cannot be followed: {error}") from error
            self._check_state(state, turn + 1)
            yield state
        self._check_end(state)

    def _check_state(self, state: State, turn: int) -> None:
        if self.states[turn] == state_text(state):
            return
        recorded, followed = state_terms(self.states[turn], turn), {fact.term for fact in state.facts}
        if recorded != followed:
            where = f"the state after turn {turn}" if turn else "the first state"
            parts = [f"{_some(recorded - followed)} should not hold"] if recorded - followed else []
            parts += [f"{_some(followed - recorded)} should hold"] if followed - recorded else []
            raise RecordError(f"{where} is not what the rules of {state.game.name} give: {', '.join(parts)}")

    def _check_end(self, state: State) -> None:
        if not self.is_completed or self.notes.get(FORFEITED):
            return
        if not state.is_terminal:
            raise RecordError(f"the match is recorded as completed, but the game goes on after turn {self.turns}")
        for role, told in zip(state.game.rule_roles, self.goal_values or (), strict=False):
            value = state.goals[role]
            if value is not None and value != told:
                raise RecordError(f"the record gives {told} points to {role}, the rules of the game give {value}")


def new_match_id(game_name: str) -> str:
    """Return an id for a match that begins now: the name of the game, as far as it can stand there, and when."""
    word = re.sub(r"[^\w.-]", "_", game_name).lstrip(".")[:MAX_NAME_IN_ID]
    return f"{word}.{time.strftime('%Y%m%d-%H%M%S')}.{Random().getrandbits(16):04x}"


def random_token(seed: object, match_id: str) -> str:
    """Return a token as each match has one: letters and digits."""
    rng = Random(f"{seed}/{match_id}/token")
    return "".join(rng.choices(string.ascii_letters + string.digits, k=TOKEN_LENGTH))


def state_text(state: State) -> str:
    """Return a state as records have it: `( ( cell 1 1 b ) ( control x ) )`, in a fixed order."""
    return " ".join(["(", *sorted(map(_spaced, state.facts)), ")"])


def state_terms(state: str, turn: int = 0) -> set[GroundTerm]:
    """Return the facts of a state in a record."""
    try:
        items = split_items(state)
        within = inside(items[0]) if len(items) == 1 else None
        if within is None:
            raise MessageError("a state is one list of facts")
        return {ground_term(item) for item in split_items(within)}
    except MessageError as error:
        raise RecordError(f"the state after turn {turn} cannot be read: {error}") from None


def seed_of(value: object, where: str) -> int | str:
    """Seeds are words or whole numbers, and these may have many digits."""
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() <= MAX_SEED_BITS:
        return value
    return text(value, where) if isinstance(value, str) else whole_number(value, where)


def _plain(seconds: float) -> float:
    """Whole seconds as a whole number: some programs read no other."""
    return int(seconds) if seconds == int(seconds) else seconds


def _spaced(term: str) -> str:
    """A term with blanks inside its parentheses, as other servers write it."""
    return term.replace("(", "( ").replace(")", " )")


def _by_role(roles: Sequence[str], values: Sequence[Any], of_chance: Any) -> list[Any]:
    """Values by seat as values by role: chance gets its own."""
    if len(values) == len(roles):
        return list(values)
    seated = [role for role in roles if role.lower() != CHANCE]
    if len(values) != len(seated):
        raise ValueError(f"there are {len(seated)} seats, for {', '.join(seated)}; {len(values)} values were given")
    rest = iter(values)
    return [of_chance if role.lower() == CHANCE else next(rest) for role in roles]


def _some(terms: set[GroundTerm]) -> str:
    texts = sorted(map(term_text, terms))
    more = f" and {len(texts) - SHOWN_FACTS} more" if len(texts) > SHOWN_FACTS else ""
    return ", ".join(texts[:SHOWN_FACTS]) + more


def game_of(record: Record) -> Game | None:
    """Return the game by the rules in the record, or else the bundled one that it names; None if neither is there."""
    if record.rules:
        return game_from(record.rules, record.game_name)
    for name in (record.game_name, name_in(record.game_meta_url)):
        if name and find(name):
            game = load(name)
            if record.game_digest in ("", game.rules.digest):
                return game
    return None


def game_from(rules: str, name: str) -> Game:
    """Return the game with these rules, which come from a stranger."""
    try:
        return Game(Rules.parse(rules, syntax="kif"), name or UNTITLED)
    except RulesError as error:
        raise RecordError(f"the rules in the record cannot be played: {error.findings[0].message}") from error


def name_in(url: str) -> str:
    """Return the name of a game in its address: the last part that is no version.

    >>> name_in("http://games.example/base/games/connectFour/v2/")
    'connectFour'
    """
    parts = [part for part in re.split(r"[/?#:]", url) if part and not re.fullmatch(r"v\d+", part)]
    return parts[-1].removesuffix(".kif") if parts else ""
