"""`Game` and `State`: the friendly face of ludens. Names outside, numbers inside.

>>> import ludens
>>> game = ludens.load("tictactoe")
>>> state = game.initial_state()
>>> state.legal_moves("x")[:2]
(Move('(mark 1 1)'), Move('(mark 1 2)'))
>>> state = state.next({"x": "(mark 2 2)", "o": "noop"})
>>> state.is_terminal
False
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from html import escape
from os import PathLike
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from ludens import games
from ludens.boards import draw_text
from ludens.core import Deadline, Engine, Fact, GroundTerm, Move, Playouts, Role
from ludens.engines.choose import Compilation
from ludens.engines.reference import ReferenceEngine
from ludens.errors import (
    EngineError,
    Finding,
    GameNotFoundError,
    GameOverError,
    IllegalMoveError,
    InvalidRulesError,
    MissingMoveError,
    RulesError,
    UnknownFactError,
    UnknownRoleError,
)
from ludens.gdl.keywords import ARITIES, CHANCE
from ludens.gdl.kif import read_term
from ludens.gdl.rules import Rules, Syntax
from ludens.gdl.source import Source
from ludens.gdl.terms import is_ground, term_text

JointMove: TypeAlias = Mapping[Any, str] | Sequence[str]
"""One move for each role: by the names of the roles, or in their order."""

SHEET_SUFFIXES = (".kif", ".gdl", ".hrf", ".txt")
REQUIRED = ("legal", "terminal", "goal")
COMPILE_AFTER = 200
"""After so many steps a game is compiled in the background."""
FEW_GAMES = 8
"""So many random games are not worth compiling for."""


def load(game: str | PathLike[str] | Rules, *, syntax: Syntax = "auto") -> Game:
    """Load a game: by the name of a bundled one, from a file, from the text of its rules, or from Rules.

    >>> load("connectfour").roles
    (Role('red'), Role('yellow'))
    """
    if isinstance(game, Rules):
        return Game(game)
    rules, name = find_rules(game, syntax=syntax)
    return Game(rules, name)


def find_rules(game: str | PathLike[str], *, syntax: Syntax = "auto") -> tuple[Rules, str]:
    """The rules that a name, path or text stands for, and what to call the game."""
    path = Path(game)
    if _is_file(path):
        return Rules.read(path, syntax), path.stem
    if isinstance(game, str) and ("(" in game or "\n" in game) and path.suffix not in SHEET_SUFFIXES:
        return Rules.parse(game, syntax=syntax), "untitled"
    if isinstance(game, str) and (bundled := games.find(game)) is not None:
        source = Source.from_bytes(bundled.read_bytes(), bundled.name)
        return Rules.from_source(source, "kif"), bundled.name.removesuffix(games.SUFFIX)
    if path.is_dir():
        raise GameNotFoundError(f"{game} is a folder; name a rule sheet in it")
    close = get_close_matches(str(game).lower(), games.names(), n=3)
    hint = f"did you mean {' or '.join(close)}?" if close else f"bundled games: {', '.join(games.names())}"
    raise GameNotFoundError(f"there is neither a bundled game nor a file called {str(game)!r}; {hint}")


@dataclass(frozen=True, slots=True)
class Traits:
    """What the rules say about the kind of game, without playing it."""

    roles: int
    """How many roles there are; the one that moves by chance is not counted."""
    chance: bool
    """Whether there is a `random` role or relation."""
    hidden: bool
    """Whether roles see only part of the state (`sees`)."""


class Game:
    """A game that can be played: its rules and an engine that evaluates them.

    Raises InvalidRulesError for rules that leave nothing to play.
    """

    def __init__(self, rules: Rules, name: str = "untitled") -> None:
        self.rules = rules
        self.name = name
        if not _has_roles(rules) or not all(rules.rules_for(relation, ARITIES[relation]) for relation in REQUIRED):
            nobody = Finding("no-role", "error", "nobody but chance takes part", "name the players: `(role white)`")
            raise InvalidRulesError(_errors(rules) or [nobody])
        try:
            self._reference = ReferenceEngine(rules)
        except RulesError as error:
            raise InvalidRulesError(_errors(rules) or error.findings) from error
        self._compilation = Compilation(rules)
        weakref.finalize(self, self._compilation.cancel)
        self._steps = 0
        self.roles: tuple[Role, ...] = tuple(Role(rules.spelling.get(role, role)) for role in self._reference.roles)
        self._role_index = {role.lower(): index for index, role in enumerate(self.roles)}
        self._moves: dict[GroundTerm, Move] = {}
        self._facts: dict[GroundTerm, Fact] = {}

    def __repr__(self) -> str:
        return f"<Game {self.name}: {', '.join(self.roles)}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self.rules == other.rules

    def __hash__(self) -> int:
        return hash(self.rules)

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.rules, self.name)

    @property
    def engine(self) -> Engine[Any]:
        """What evaluates the rules: the compiled engine once it is ready, before that the reference engine."""
        return self._compilation.engine or self._reference

    @property
    def reference_engine(self) -> ReferenceEngine:
        """What works straight from the rules; it is always there."""
        return self._reference

    @property
    def compile_error(self) -> EngineError | None:
        """Why this game stays on the reference engine, once that is known."""
        return self._compilation.error

    @property
    def is_settled(self) -> bool:
        """Whether it is known which engine the game has from now on: it is compiled, or never will be."""
        return self._compilation.over

    def compile(self, deadline: Deadline | None = None, progress: Callable[[str], None] | None = None) -> bool:
        """Wait for the compiled engine; false if the deadline passes before, or the rules are too big for it.

        It is made in the background anyway once a game is played on. When that failed, the game stays as it is;
        `compile_error` says why, and loading the game again tries again. The answers are the same with and without it,
        but random games with the same seed are the same only on the same engine.

        >>> game = load("tictactoe")
        >>> game.compile()
        True
        """
        return self._compilation.wait(deadline, progress)

    def start_compiling(self) -> None:
        """Have the compiled engine made in the background, and go on."""
        self._compilation.start()

    def stop_compiling(self) -> None:
        """Give up a compilation that is not ready yet, and stay with the reference engine."""
        self._compilation.cancel()

    @cached_property
    def traits(self) -> Traits:
        random_role = CHANCE in self.rules.roles
        return Traits(
            roles=len(self.roles) - random_role,
            chance=random_role or bool(self.rules.rules_for(CHANCE, 3)),
            hidden=bool(self.rules.rules_for("sees")),
        )

    def initial_state(self) -> State:
        engine = self.engine
        return State(self, engine, engine.initial(1))

    def state(self, facts: Iterable[str | Fact]) -> State:
        """The state in which exactly these facts hold."""
        return self._state_of(frozenset(_ground_term(fact) for fact in facts))

    def playouts(self, state: State, n: int, rng: Random, max_steps: int = 10_000, *, wait: bool = True) -> Playouts:
        """Random games from a state to their ends.

        Many games are played by the compiled engine, for which the first call waits, and a few by the reference
        engine, so that the same seed gives the same games every time. Who has no time to wait says so, and gets
        the games of whatever engine is ready.

        >>> from random import Random
        >>> load("tictactoe").playouts(load("tictactoe").initial_state(), 3, Random(1)).finished
        array([ True,  True,  True])
        """
        self._check_own(state)
        if wait and n <= FEW_GAMES:
            engine: Engine[Any] = self._reference
            batch = engine.encode([state._terms])
        else:
            if wait:
                self.compile()
            current = state._current() if state.game is self else self._state_of(state._terms)
            engine, batch = current._engine, current._batch
        return engine.playouts(engine.repeat(batch, n), rng, max_steps)

    def base_facts(self) -> frozenset[Fact] | None:
        """The facts that `base` allows; None if the rules do not say."""
        terms = self._relation("base")
        return None if terms is None else frozenset(self._fact(term) for term in terms)

    def input_moves(self) -> dict[Role, frozenset[Move]] | None:
        """The moves that `input` allows to each role; None if the rules do not say."""
        pairs = self._relation("input")
        if pairs is None:
            return None
        moves: dict[Role, set[Move]] = {role: set() for role in self.roles}
        for role, term in pairs:
            if role in self._role_index:
                moves[self.roles[self._role_index[role]]].add(self.move_of(term))
        return {role: frozenset(allowed) for role, allowed in moves.items()}

    def role_index(self, role: str) -> int:
        """The place of a role in joint moves; UnknownRoleError if there is no such role."""
        try:
            return self._role_index[role.lower()]
        except (KeyError, AttributeError):
            raise UnknownRoleError(str(role), self.roles) from None

    def _relation(self, name: str) -> frozenset[Any] | None:
        if not self.rules.rules_for(name):
            return None
        return self._reference.ask(name)

    def _state_of(self, facts: frozenset[GroundTerm]) -> State:
        """On the compiled engine if it knows all facts."""
        engine = self.engine
        try:
            return State(self, engine, engine.encode([facts]))
        except UnknownFactError:
            return State(self, self._reference, self._reference.encode([facts]))

    def _count_step(self) -> None:
        """A game that is played for long is worth compiling."""
        self._steps += 1
        if self._steps >= COMPILE_AFTER:
            self.start_compiling()

    def _check_own(self, state: State) -> None:
        if state.game != self:
            raise ValueError(f"the state belongs to {state.game.name}, not to {self.name}")

    def move_of(self, term: GroundTerm) -> Move:
        """A term of an engine as a move, spelled as the author of the rules does."""
        if term not in self._moves:
            self._moves[term] = Move(term_text(term, self.rules.spelling), term)
        return self._moves[term]

    def _fact(self, term: GroundTerm) -> Fact:
        if term not in self._facts:
            self._facts[term] = Fact(term_text(term, self.rules.spelling), term)
        return self._facts[term]


class State:
    """One state of a game. It never changes; `next` gives a new one."""

    __slots__ = ("__weakref__", "_batch", "_engine", "_hash", "_legal", "game")

    def __init__(self, game: Game, engine: Engine[Any], batch: Any) -> None:
        self.game = game
        self._engine = engine
        self._batch = batch
        self._hash: int | None = None
        self._legal: list[tuple[Move, ...]] | None = None

    @property
    def _terms(self) -> frozenset[GroundTerm]:
        return self._engine.decode(self._batch)[0]

    def _current(self) -> State:
        """The same state on the engine that the game has now."""
        return self if self._engine is self.game.engine else self.game._state_of(self._terms)

    def encoded(self) -> tuple[Engine[Any], Any]:
        """The fastest engine that knows this state, and the state as a batch of it; for searches."""
        current = self._current()
        return current._engine, current._batch

    @property
    def facts(self) -> frozenset[Fact]:
        """Everything that holds in this state."""
        return frozenset(self.game._fact(term) for term in self._terms)

    @property
    def is_terminal(self) -> bool:
        return bool(self._engine.terminal(self._batch)[0])

    @property
    def goals(self) -> dict[Role, int | None]:
        """What each role gets; None where the rules do not give one number from 0 to 100."""
        values = self._engine.goals(self._batch)[0]
        return {role: int(value) if value >= 0 else None for role, value in zip(self.game.roles, values, strict=True)}

    def goal_values(self, role: str) -> tuple[str, ...]:
        """Every goal value that the rules give to a role, as they write it; sound rules give one."""
        index = self.game.role_index(role)
        return tuple(sorted(map(term_text, self._engine.goal_terms(self._batch)[0][index])))

    def legal_moves(self, role: str) -> tuple[Move, ...]:
        """The moves a role may make, in a fixed order; none after the end."""
        index = self.game.role_index(role)
        if self._legal is None:
            legal = [()] * len(self.game.roles) if self.is_terminal else self._engine.legal(self._batch)[0]
            self._legal = [tuple(self._moves(moves)) for moves in legal]
        return self._legal[index]

    def next(self, moves: JointMove) -> State:
        """The state after a joint move: `{role: move}`, or the moves in the order of the roles.

        Moves are given as `Move` or as text. In a mapping, roles that have only one legal move may be left out.

        >>> state = load("tictactoe").initial_state()
        >>> sorted(state.next({"x": "(mark 1 1)"}).facts - state.facts)
        [Fact('(cell 1 1 x)'), Fact('(control o)')]
        >>> state.next({"x": "(mark 4 4)"})
        Traceback (most recent call last):
            ...
        ludens.errors.IllegalMoveError: (mark 4 4) is not legal for x; legal: (mark 1 1), ...
        """
        if self.is_terminal:
            raise GameOverError("the game is over; there are no more moves")
        self.game._count_step()
        current = self._current()
        chosen = current._by_role(moves)
        joint = [current._legal_number(role, move) for role, move in zip(self.game.roles, chosen, strict=True)]
        return State(self.game, current._engine, current._engine.advance(current._batch, [joint]))

    def _moves(self, numbers: Iterable[int]) -> Iterator[Move]:
        return (self.game.move_of(self._engine.move_term(number)) for number in numbers)

    def _by_role(self, moves: JointMove) -> list[str]:
        roles = self.game.roles
        if not isinstance(moves, Mapping):
            if isinstance(moves, str) or not isinstance(moves, Sequence) or len(moves) != len(roles):
                raise MissingMoveError(f"a joint move has one move for each of {', '.join(roles)}, in this order")
            return list(moves)
        given = {self.game.role_index(role): move for role, move in moves.items()}
        for index, role in enumerate(roles):
            if index not in given:
                legal = self.legal_moves(role)
                if len(legal) != 1:
                    raise MissingMoveError(f"the move of {role} is missing; it has {len(legal)} legal moves")
                given[index] = legal[0]
        return [given[index] for index in range(len(roles))]

    def _legal_number(self, role: Role, move: str) -> int:
        legal = self._engine.legal(self._batch)[0][self.game.role_index(role)]
        try:
            number = self._engine.move_number(_ground_term(move))
        except (KeyError, RulesError):
            number = -1
        if number not in legal:
            raise IllegalMoveError(role, str(move), self.legal_moves(role))
        return number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self._terms == other._terms and self.game == other.game

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self._terms)
        return self._hash

    def __copy__(self) -> State:
        return self

    def __deepcopy__(self, memo: object) -> State:
        return self

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return _restore, (self.game, self._terms)

    def __str__(self) -> str:
        return draw_text(self)

    def __repr__(self) -> str:
        return f"<State of {self.game.name}>\n{self}"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def _restore(game: Game, terms: frozenset[GroundTerm]) -> State:
    return game._state_of(terms)


def _ground_term(text: str) -> GroundTerm:
    if isinstance(text, Move | Fact):
        return text.term
    if not isinstance(text, str):
        raise InvalidRulesError(
            [Finding("not-one-term", "error", f"{text!r} is no text", "give a term such as `(go 1)`")]
        )
    term = read_term(text)
    if not is_ground(term):
        raise InvalidRulesError([Finding("not-ground", "error", f"{text} has variables", "write words in their place")])
    return term  # type: ignore[return-value]


def _is_file(path: Path) -> bool:
    """Whether there is such a file; a whole rule sheet taken for a path is none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _has_roles(rules: Rules) -> bool:
    """Whether all roles are plain words given as facts, and one of them is not chance."""
    return len(rules.rules_for("role")) == len(rules.roles) and any(role != CHANCE for role in rules.roles)


def _errors(rules: Rules) -> list[Finding]:
    return [finding for finding in rules.validate() if finding.severity == "error"]
