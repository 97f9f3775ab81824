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
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from html import escape
from os import PathLike
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from ludens import games
from ludens.core import Fact, GroundTerm, Move, Playouts, Role
from ludens.engines.base import Engine
from ludens.engines.reference import ReferenceEngine
from ludens.engines.select import EngineLoader
from ludens.errors import (
    EngineError,
    Finding,
    GameNotFoundError,
    InvalidRulesError,
    NoLegalMoveError,
    NoOutcomeError,
    RulesError,
    UnknownFactError,
    UnknownRoleError,
)
from ludens.gdl.chance import NOTHING, Chance
from ludens.gdl.keywords import ARITIES, CHANCE
from ludens.gdl.rules import Rules, Syntax
from ludens.gdl.source import Source
from ludens.gdl.stochastic import MAX_DRAWS, chance_as_role, is_stochastic
from ludens.gdl.terms import term_text
from ludens.runtime.deadline import Deadline
from ludens.runtime.lazy import load_object
from ludens.state import State as State
from ludens.state import ground_term

if TYPE_CHECKING:
    from ludens.boards.artist import StateArtist

SHEET_SUFFIXES = (".kif", ".gdl", ".hrf", ".txt")
REQUIRED = ("legal", "terminal", "goal")
ARTIST = "ludens.boards.artist:StateArtist"
COMPILE_AFTER = 200
"""The number of steps after which a game is compiled in the background."""
MAX_REFERENCE_PLAYOUTS = 8
"""Up to this number of random games are played by the reference engine: they are not worth compiling for."""
SEARCHED_STEPS = 500
"""The number of random moves that are made to find out why others failed."""


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
    if isinstance(game, str) and (bundled := bundled_rules(game)) is not None:
        return bundled
    if path.is_dir():
        raise GameNotFoundError(f"{game} is a folder; name a rule sheet in it")
    close = get_close_matches(str(game).lower(), games.names(), n=3)
    hint = f"did you mean {' or '.join(close)}?" if close else f"bundled games: {', '.join(games.names())}"
    raise GameNotFoundError(f"there is neither a bundled game nor a file called {str(game)!r}; {hint}")


def load_bundled(name: str) -> Game:
    """Load a bundled game, whatever files of its name there are."""
    bundled = bundled_rules(name)
    if bundled is None:
        raise GameNotFoundError(f"there is no bundled game called {name!r}; `ludens games` lists them")
    return Game(*bundled)


def bundled_rules(name: str) -> tuple[Rules, str] | None:
    """The rules of a bundled game, and what it is called; None if there is none of this name."""
    sheet = games.find(name)
    if sheet is None:
        return None
    source = Source.from_bytes(sheet.read_bytes(), sheet.name)
    return Rules.from_source(source, "kif"), sheet.name.removesuffix(games.SUFFIX)


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

    >>> load("connectfour")
    <Game connectfour: red, yellow>
    """

    def __init__(self, rules: Rules, name: str = "untitled") -> None:
        self.rules = rules
        self.name = name
        if not _has_roles(rules) or not all(rules.rules_for(relation, ARITIES[relation]) for relation in REQUIRED):
            nobody = Finding("no-role", "error", "nobody but chance takes part", "name the players: `(role white)`")
            raise InvalidRulesError(_errors(rules) or [nobody])
        self._chance: Chance | None = chance_as_role(rules) if is_stochastic(rules) else None
        self.engine_rules = self._chance.rules if self._chance else rules
        """What engines work from: the rules, with random variables as moves of the role `random`."""
        try:
            self._reference = ReferenceEngine(self.engine_rules)
        except RulesError as error:
            raise InvalidRulesError(_errors(rules) or error.findings) from error
        self._compilation = EngineLoader(self.engine_rules, reference=self._reference)
        if self._chance and self._chance.max_draws > MAX_DRAWS:
            names = ", ".join(rules.spelling.get(name, name) for name in self._chance.variables)
            self._compilation.refuse(f"the random variables {names} have too many combinations of outcomes")
        weakref.finalize(self, self._compilation.cancel)
        self._steps = 0
        self.rule_roles: tuple[Role, ...] = tuple(Role(rules.spelling.get(role, role)) for role in rules.roles)
        """The roles of the rules, in the order in which moves are announced."""
        self.roles = (*self.rule_roles, Role(CHANCE)) if self._chance else self.rule_roles
        """The roles in the order of joint moves; where moves have random variables, `random` draws and is the last."""
        self.player_roles: tuple[Role, ...] = tuple(role for role in self.roles if role.lower() != CHANCE)
        """The roles that players take: all but the one that moves by chance."""
        self._role_index = {role.lower(): index for index, role in enumerate(self.roles)}
        self._moves: dict[GroundTerm, Move] = {}
        self._facts: dict[GroundTerm, Fact] = {}

    def __repr__(self) -> str:
        return f"<Game {self.name}: {', '.join(self.roles)}>"

    def _repr_html_(self) -> str:
        """Show the name, the roles and the first state in notebooks."""
        state = self.initial_state()
        return f"<p><b>{escape(self.name)}</b>: {escape(', '.join(self.roles))}</p>{state._repr_html_()}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self.rules == other.rules

    def __hash__(self) -> int:
        return hash(self.rules)

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.rules, self.name)

    @property
    def engine(self) -> Engine:
        """What evaluates the rules: the best engine that is ready, which at first is the reference engine.

        >>> game = load("tictactoe")
        >>> game.engine is game.reference_engine
        True
        """
        return self._compilation.engine or self._reference

    @property
    def reference_engine(self) -> ReferenceEngine:
        """What works straight from the rules; it is always there.

        >>> load("tictactoe").reference_engine.roles
        ('x', 'o')
        """
        return self._reference

    @property
    def compile_error(self) -> EngineError | None:
        """Why this game stays on the reference engine, once that is known.

        >>> game = load("tictactoe")
        >>> game.compile(), game.compile_error
        (True, None)
        """
        return self._compilation.error

    @property
    def circuit_error(self) -> EngineError | None:
        """Why this game is not evaluated as a circuit, hundreds of states at once, once that is known.

        >>> game = load("tictactoe")
        >>> game.compile(), game.circuit_error
        (True, None)
        """
        return self._compilation.circuit_error

    @property
    def engine_is_final(self) -> bool:
        """Whether it is known which engine the game has from now on: it is compiled, or never will be.

        >>> load("tictactoe").engine_is_final
        False
        """
        return self._compilation.over

    def compile(
        self,
        deadline: Deadline | None = None,
        progress: Callable[[str], None] | None = None,
        *,
        first: bool = False,
    ) -> bool:
        """Wait until it is known which engine the game has from now on; false if it is the reference engine as yet.

        That is so when the deadline passes before, or when the rules cannot be compiled; `compile_error` says why, and
        loading the game again tries again. Games are compiled in the background anyway once they are played on. The
        answers are the same with and without it, but random games with the same seed are the same only on the same
        engine. Who says `first` is content with any compiled engine, though a faster one may come.

        >>> game = load("tictactoe")
        >>> game.compile()
        True
        """
        return self._compilation.wait(deadline, progress, first=first)

    def start_compiling(self) -> None:
        """Have the compiled engine made in the background, and go on.

        >>> load("tictactoe").start_compiling()
        """
        self._compilation.start()

    def stop_compiling(self) -> None:
        """Give up a compilation that is not ready yet, and stay with the engine that there is.

        >>> load("tictactoe").stop_compiling()
        """
        self._compilation.cancel()

    @cached_property
    def artist(self) -> StateArtist:
        """What shows states as text and in notebooks. It is made when it is needed.

        >>> game = load("tictactoe")
        >>> print(game.artist.text(game.initial_state().next("mark 1 3")).splitlines()[1])
        3 │ x │ · │ · │
        """
        made: StateArtist = load_object(ARTIST)(self)
        return made

    @cached_property
    def traits(self) -> Traits:
        """What the rules say about the kind of game, without playing it.

        >>> load("connectfour").traits
        Traits(roles=2, chance=False, hidden=False)
        """
        return Traits(
            roles=len(self.player_roles),
            chance=len(self.player_roles) < len(self.roles),
            hidden=bool(self.rules.rules_for("sees")),
        )

    def initial_state(self) -> State:
        """Return the state in which the game begins.

        >>> load("tictactoe").initial_state().legal_moves("o")
        (Move('noop'),)
        """
        engine = self.engine.fork()
        return State(self, engine, engine.initial(1))

    def state(self, facts: Iterable[str | Fact]) -> State:
        """Return the state in which exactly these facts hold.

        >>> load("tictactoe").state(["cell 1 1 blank", "cell 1 2 x", "control o"]).legal_moves("o")
        (Move('(mark 1 1)'),)
        """
        return self.state_of(frozenset(ground_term(fact) for fact in facts))

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
        if wait and n <= MAX_REFERENCE_PLAYOUTS:
            engine = self._reference.fork()
            row = engine.encode([state.terms])
        else:
            if wait:
                self.compile()
            current = state if state.game is self else self.state_of(state.terms)
            engine, row = current.encoded()
        try:
            return engine.playouts(np.repeat(row, n, axis=0), rng, max_steps)
        except NoLegalMoveError as error:
            raise self._cause(state, error) from None

    def _cause(self, state: State, error: NoLegalMoveError) -> NoLegalMoveError:
        """Why nothing can be drawn where random games come to; engines do not know."""
        at, rng = state, Random(0)
        for _ in range(SEARCHED_STEPS if self._draws(error.role) else 0):
            try:
                choices = [at.legal_moves(role) for role in self.roles]
            except NoOutcomeError as cause:
                return cause
            at = at.next([*map(rng.choice, choices)]) if all(choices) else state
            at = state if at.is_terminal else at
        return error

    def base_facts(self) -> frozenset[Fact] | None:
        """Return the facts that `base` allows; None if the rules do not say.

        >>> len(load("tictactoe").base_facts())
        29
        """
        terms = self._relation("base")
        return None if terms is None else frozenset(self.fact_of(term) for term in terms)

    def input_moves(self) -> dict[Role, frozenset[Move]] | None:
        """Return the moves that `input` allows to each role of the rules; None if the rules do not say.

        >>> len(load("tictactoe").input_moves()["x"])
        10
        """
        pairs = self._relation("input")
        if pairs is None:
            return None
        moves: dict[Role, set[Move]] = {role: set() for role in self.rule_roles}
        for role, term in pairs:
            if role in self.rules.roles:
                moves[self.roles[self._role_index[role]]].add(self.move_of(term))
        return {role: frozenset(allowed) for role, allowed in moves.items()}

    def role_index(self, role: str) -> int:
        """Return the place of a role in joint moves; UnknownRoleError if there is no such role.

        >>> load("tictactoe").role_index("o")
        1
        """
        try:
            return self._role_index[role.lower()]
        except (KeyError, AttributeError):
            raise UnknownRoleError(str(role), self.roles) from None

    def announced(self, joint: Mapping[Any, str]) -> dict[Role, Move]:
        """A joint move as everybody is told: with outcomes in place of random variables, in the order of the roles.

        Where there are no random variables, or outcomes are there already, the moves are the same. PlayError if the
        move of `random` is none that draws for them.

        >>> load("tictactoe").announced({"x": "mark 1 1", "o": "noop"})
        {Role('x'): Move('(mark 1 1)'), Role('o'): Move('noop')}
        """
        terms = {self.role_index(role): ground_term(move) for role, move in joint.items()}
        if self._chance:
            outcomes = self._chance.outcomes(terms.pop(len(self.rule_roles), NOTHING))
            terms = {role: self._chance.announced(term, outcomes) for role, term in terms.items()}
        return {self.roles[role]: self.move_of(terms[role]) for role in sorted(terms)}

    def matches_announcement(self, move: Move, told: Move) -> bool:
        """Tell whether a move can be announced in this way: as it is, or with outcomes in place of random variables.

        >>> game = load("tictactoe")
        >>> game.matches_announcement(game.move_of("noop"), game.move_of(("mark", "1", "1")))
        False
        """
        if self._chance is None or move.term == told.term:
            return move.term == told.term
        return self._chance.outcomes_in(told.term, move.term) is not None

    def _draws(self, role: str) -> bool:
        """Whether the role draws for the random variables."""
        return self._chance is not None and role.lower() == CHANCE

    def _relation(self, name: str) -> frozenset[Any] | None:
        if not self.rules.rules_for(name):
            return None
        return self._reference.ask(name)

    def state_of(self, facts: frozenset[GroundTerm]) -> State:
        """Return the state with these facts, given as terms: on the compiled engine if that knows them all.

        >>> game = load("tictactoe")
        >>> game.state_of(game.initial_state().terms) == game.initial_state()
        True
        """
        engine = self.engine.fork()
        try:
            return State(self, engine, engine.encode([facts]))
        except UnknownFactError:
            engine = self._reference.fork()
            return State(self, engine, engine.encode([facts]))

    def count_steps(self, steps: int = 1) -> None:
        """Take note of steps that were made: a game that is played for long is compiled in the background.

        >>> game = load("tictactoe")
        >>> game.count_steps(1000)
        >>> game.compile()
        True
        """
        self._steps += steps
        if self._steps >= COMPILE_AFTER:
            self.start_compiling()

    def _check_own(self, state: State) -> None:
        if state.game != self:
            raise ValueError(f"the state belongs to {state.game.name}, not to {self.name}")

    def move_of(self, term: GroundTerm) -> Move:
        """Return a term of an engine as a move, spelled as the author of the rules does.

        >>> load("tictactoe").move_of(("mark", "1", "1"))
        Move('(mark 1 1)')
        """
        if term not in self._moves:
            self._moves[term] = Move(term_text(term, self.rules.spelling), term)
        return self._moves[term]

    def fact_of(self, term: GroundTerm) -> Fact:
        """Return a term of an engine as a fact, spelled as the author of the rules does.

        >>> load("tictactoe").fact_of(("control", "x"))
        Fact('(control x)')
        """
        if term not in self._facts:
            self._facts[term] = Fact(term_text(term, self.rules.spelling), term)
        return self._facts[term]


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
