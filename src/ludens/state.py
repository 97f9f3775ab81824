"""`State`: one state of a game, as moves and facts by their names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from ludens.core import Fact, GroundTerm, Move, Role
from ludens.engines.base import Engine
from ludens.engines.reference.engine import Position
from ludens.engines.rows import Rows
from ludens.errors import (
    EngineError,
    Finding,
    GameOverError,
    IllegalMoveError,
    InvalidRulesError,
    MissingMoveError,
    NoOutcomeError,
    PlayError,
    RulesError,
)
from ludens.gdl.keywords import CHANCE
from ludens.gdl.kif import read_term
from ludens.gdl.outcome_weights import MAX_UNITS
from ludens.gdl.stochastic import NEEDED, NON_NUMERIC, TOO_MANY, UNIT
from ludens.gdl.terms import Term, is_ground, natural_key, term_text

if TYPE_CHECKING:
    from ludens.game import Game

JointMove: TypeAlias = Mapping[Any, str] | Sequence[str] | str
"""One move for each role, by the names of the roles or in their order; or that of the only role with a choice."""


class State:
    """One state of a game. It never changes; `next` gives a new one. Threads may share it.

    It stays with the engine it was made by; only what follows from it goes over to a faster one.

    >>> from ludens import load
    >>> state = load("tictactoe").initial_state()
    >>> state.next("mark 2 2").legal_moves("o")[:2]
    (Move('(mark 1 1)'), Move('(mark 1 2)'))
    """

    __slots__ = ("__weakref__", "_engine", "_hash", "_legal", "_numbers", "_position", "_row", "_terminal", "game")

    def __init__(self, game: Game, engine: Engine, row: Rows) -> None:
        """`engine`: a fork of one of the game's engines, for this state alone."""
        self.game = game
        self._engine = engine
        self._row = row
        self._hash: int | None = None
        self._terminal: bool | None = None
        self._numbers: Sequence[Sequence[int]] | None = None
        self._legal: list[tuple[Move, ...]] | None = None
        self._position: Position | None = None

    def _current(self) -> State:
        """The same state on the engine that the game has now."""
        return self if self._engine.source is self.game.engine else self.game.state_of(self.terms)

    def encoded(self) -> tuple[Engine, Rows]:
        """Return the fastest engine that knows this state, forked for it, and its row there; for searches.

        >>> from ludens import load
        >>> engine, row = load("tictactoe").initial_state().encoded()
        >>> bool(engine.terminal(row)[0])
        False
        """
        current = self._current()
        return current._engine, current._row

    @property
    def terms(self) -> frozenset[GroundTerm]:
        """Everything that holds in this state, as terms of words in lower case.

        >>> from ludens import load
        >>> ("cell", "1", "1", "blank") in load("tictactoe").initial_state().terms
        True
        """
        return self._engine.decode(self._row)[0]

    @property
    def facts(self) -> frozenset[Fact]:
        """Everything that holds in this state.

        >>> from ludens import load
        >>> "(control x)" in load("tictactoe").initial_state().facts
        True
        """
        return frozenset(self.game.fact_of(term) for term in self.terms)

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over here.

        >>> from ludens import load
        >>> load("tictactoe").initial_state().is_terminal
        False
        """
        if self._terminal is None:
            self._terminal = bool(self._engine.terminal(self._row)[0])
        return self._terminal

    @property
    def goals(self) -> dict[Role, int | None]:
        """What each role gets; None where the rules do not give one number from 0 to 100.

        >>> from ludens import load
        >>> load("tictactoe").initial_state().goals
        {Role('x'): 50, Role('o'): 50}
        """
        values = self._engine.goals(self._row)[0]
        return {role: int(value) if value >= 0 else None for role, value in zip(self.game.roles, values, strict=True)}

    def goal_values(self, role: str) -> tuple[str, ...]:
        """Return every goal value that the rules give to a role, as they write it; sound rules give one.

        >>> from ludens import load
        >>> load("tictactoe").initial_state().goal_values("x")
        ('50',)
        """
        index = self.game.role_index(role)
        return tuple(sorted(map(term_text, self._engine.goal_terms(self._row)[0][index])))

    def legal_moves(self, role: str) -> tuple[Move, ...]:
        """Return the moves a role may make, in a fixed order; none after the end.

        >>> from ludens import load
        >>> load("tictactoe").initial_state().legal_moves("o")
        (Move('noop'),)
        """
        index = self.game.role_index(role)
        if self._legal is None:
            legal = [()] * len(self.game.roles) if self.is_terminal else self._legal_numbers()
            self._legal = [tuple(self._moves(moves)) for moves in legal]
        if not self._legal[index] and self.game._draws(role) and not self.is_terminal:
            raise self._no_outcome()
        return self._legal[index]

    @property
    def choosers(self) -> tuple[Role, ...]:
        """The roles of the rules that have more than one move to choose from; none after the end.

        >>> from ludens import load
        >>> load("tictactoe").initial_state().choosers
        (Role('x'),)
        """
        return tuple(role for role in self.game.rule_roles if len(self.announced_moves(role)) > 1)

    def announced_moves(self, role: str) -> tuple[Move, ...]:
        """Return the moves of a role as they can be announced: with the outcomes that random variables can have.

        >>> from ludens import load
        >>> load("tictactoe").initial_state().announced_moves("o")
        (Move('noop'),)
        """
        legal, chance = self.legal_moves(role), self.game._chance
        if chance is None or not legal:
            return legal
        return tuple(map(self.game.move_of, chance.forms(legal, self.legal_moves(CHANCE))))

    def next(self, moves: JointMove, *, compiles: bool = True) -> State:
        """Return the state after a joint move: `{role: move}`, or the moves in the order of the roles.

        Moves are given as `Move` or as text, with or without the outer parentheses. In a mapping, roles that have only
        one legal move may be left out. Where only one role has a choice, its move alone will do.
        A game on which many steps are made is compiled in the background; without `compiles` this one does not count,
        for those who only follow a match.

        >>> from ludens import load
        >>> state = load("tictactoe").initial_state()
        >>> state.next("mark 1 1") == state.next({"x": "(mark 1 1)", "o": "noop"})
        True
        >>> sorted(state.next({"x": "(mark 1 1)"}).facts - state.facts)
        [Fact('(cell 1 1 x)'), Fact('(control o)')]
        >>> state.next({"x": "(mark 4 4)"})
        Traceback (most recent call last):
            ...
        ludens.errors.IllegalMoveError: (mark 4 4) is not legal for x; legal: (mark 1 1), ...
        """
        if compiles:
            self.game.count_steps()
        current, joint = self._legal_joint(moves)
        return State(self.game, *current._engine.step_apart(current._row, [joint]))

    def percepts(self, moves: JointMove) -> dict[Role, tuple[Fact, ...]]:
        """Return what each role of the rules sees of a joint move (`sees`, GDL-II); nothing where the rules do not say.

        >>> from ludens import load
        >>> load("tictactoe").initial_state().percepts("mark 1 1")
        {Role('x'): (), Role('o'): ()}
        """
        current, joint = self._legal_joint(moves)
        seen = self.seen_of([current._engine.move_term(number) for number in joint])
        return {
            role: tuple(self.game.fact_of(term) for term in sorted(own, key=natural_key))
            for role, own in zip(self.game.rule_roles, seen, strict=False)
        }

    def seen_of(self, moves: Sequence[GroundTerm]) -> list[frozenset[GroundTerm]]:
        """Return what each role would see if all roles made these moves, legal or not.

        >>> from ludens import load
        >>> load("tictactoe").initial_state().seen_of([("mark", "1", "1"), "noop"])
        [frozenset(), frozenset()]
        """
        if self._position is None:
            self._position = self.game.reference_engine.interpreter.encode(self.terms)
        return self.game.reference_engine.interpreter.percepts(self._position, moves)

    def _legal_joint(self, moves: JointMove) -> tuple[State, list[int]]:
        """The same state on the engine that the game has now, and the numbers of the moves there."""
        if self.is_terminal:
            raise GameOverError("the game is over; there are no more moves")
        current = self._current()
        chosen = current._by_role(moves)
        return current, [current._legal_number(role, move) for role, move in zip(self.game.roles, chosen, strict=True)]

    def _legal_numbers(self) -> Sequence[Sequence[int]]:
        """For each role the numbers of its legal moves, also after the end."""
        if self._numbers is None:
            self._numbers = self._engine.legal(self._row)[0]
        return self._numbers

    def _moves(self, numbers: Iterable[int]) -> Iterator[Move]:
        return (self.game.move_of(self._engine.move_term(number)) for number in numbers)

    def _by_role(self, moves: JointMove) -> Sequence[str]:
        """The moves of all roles, chance included, in the order of the roles."""
        roles, announced = self.game.roles, self.game.rule_roles
        if not isinstance(moves, Mapping):
            if isinstance(moves, str):
                moves = {self._chooser(moves): moves}
            elif not isinstance(moves, Sequence) or len(moves) not in (len(roles), len(announced)):
                raise MissingMoveError(f"a joint move has one move for each of {', '.join(announced)}, in this order")
            else:
                moves = dict(zip(roles, moves, strict=False))
        given = {self.game.role_index(role): move for role, move in moves.items()}
        for index, role in enumerate(announced):
            if index not in given:
                given[index] = self._only_move(role)
        chosen = [given[index] for index in range(len(announced))]
        chance, draw = self.game._chance, len(announced)
        if chance is None:
            return chosen
        if draw in given:
            return [*chosen, given[draw]]
        told = {role: self._move_term(role, move, as_told=True) for role, move in zip(announced, chosen, strict=True)}
        legal = {role: self.legal_moves(role) for role in announced}
        return [self.game.move_of(term) for term in chance.played(told, legal, self.legal_moves(CHANCE))]

    def _chooser(self, move: str) -> Role:
        """Return the role whose move is given alone."""
        choosers = self.choosers
        if len(choosers) > 1:
            names = " and ".join((", ".join(choosers[:-1]), choosers[-1]))
            remedy = f"give them by role, as in {{{str(choosers[0])!r}: {move!r}, ...}}"
            raise MissingMoveError(f"{names} choose at the same time; {remedy}")
        chooses = (role for role in self.game.player_roles if self._is_legal(role, move))
        return choosers[0] if choosers else next(chooses, self.game.player_roles[0])

    def _is_legal(self, role: Role, move: str) -> bool:
        return self._move_term(role, move) in (legal.term for legal in self.legal_moves(role))

    def _only_move(self, role: Role) -> Move:
        legal = self.legal_moves(role)
        if len(legal) != 1:
            raise MissingMoveError(f"the move of {role} is missing; it has {len(legal)} legal moves")
        return legal[0]

    def _no_outcome(self) -> NoOutcomeError:
        """Why nothing can be drawn here."""
        reference, facts, spelling = self.game.reference_engine, self.terms, self.game.rules.spelling
        needed = reference.ask(NEEDED, facts)
        if reference.ask(TOO_MANY, facts, 0):
            names = [spelling.get(name, name) for name in sorted(needed, key=natural_key)]
            many = f"have more than {MAX_UNITS:,} combinations of outcomes"
            remedy = "let fewer of these moves be legal at once"
            return NoOutcomeError(
                names, f"legal moves need the random variables {', '.join(names)}, which {many}; {remedy}"
            )
        non_numeric = [(name, weight) for name, weight in reference.ask(NON_NUMERIC, facts, 2) if name in needed]
        if non_numeric:
            name, weight = (term_text(word, spelling) for word in min(non_numeric, key=natural_key))
            wrong = f"a weight of the random variable {name} is {weight}, which is not an integer from 0 on"
            return NoOutcomeError([name], f"{wrong}; add a condition that excludes it")
        with_units = {name for name, _, _ in reference.ask(UNIT, facts)}
        return NoOutcomeError(sorted(spelling.get(name, name) for name in needed - with_units))

    def _move_term(self, role: Role, move: str, as_told: bool = False) -> GroundTerm:
        try:
            return ground_term(move)
        except RulesError:
            legal = self.announced_moves(role) if as_told else self.legal_moves(role)
            raise IllegalMoveError(role, str(move), legal) from None

    def _legal_number(self, role: Role, move: str) -> int:
        index = self.game.role_index(role)
        legal = self._legal_numbers()[index]
        try:
            number = self._engine.move_number(index, self._move_term(role, move))
        except KeyError:
            number = -1
        if number in legal:
            return number
        if self.game._chance and not self.game._draws(role) and str(move) in self.announced_moves(role):
            remedy = f"leave out the move of {CHANCE}, or give the move as it is legal"
            raise PlayError(f"{move} of {role} has outcomes, and the move of {CHANCE} is given too; {remedy}")
        raise IllegalMoveError(role, str(move), self.legal_moves(role))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.terms == other.terms and self.game == other.game

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self.terms)
        return self._hash

    def __copy__(self) -> State:
        return self

    def __deepcopy__(self, memo: object) -> State:
        return self

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return _restore, (self.game, self.terms)

    def __str__(self) -> str:
        return self.game.artist.text(self)

    def __repr__(self) -> str:
        return f"<State of {self.game.name}>\n{self}"

    def _repr_html_(self) -> str:
        try:
            return self.game.artist.html(self)
        except EngineError:
            return f"<pre>{escape(str(self))}</pre>"


def _restore(game: Game, terms: frozenset[GroundTerm]) -> State:
    return game.state_of(terms)


def ground_term(text: str) -> GroundTerm:
    """A fact or move as a term, if it is given as text."""
    if isinstance(text, Move | Fact):
        return text.term
    if not isinstance(text, str):
        raise InvalidRulesError(
            [Finding("not-one-term", "error", f"{text!r} is no text", "give a term such as `(go 1)`")]
        )
    term = _read_move(text)
    if not is_ground(term):
        raise InvalidRulesError([Finding("not-ground", "error", f"{text} has variables", "write words in their place")])
    return term  # type: ignore[return-value]


def _read_move(text: str) -> Term:
    """Read a term whose outer parentheses may be missing."""
    try:
        return read_term(text)
    except RulesError:
        if text.lstrip().startswith("(") or not text.strip():
            raise
        with suppress(RulesError):
            return read_term(f"({text}\n)")
        raise
