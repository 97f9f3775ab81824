"""A match without input or output: who has to be asked, what was answered, the step, and who is told what.

>>> from ludens import Clocks, load
>>> match = Match(load("nim"), MatchSettings("nim.1", Clocks(10, 1), seed=7))
>>> match.to_ask()
(Role('first'), Role('second'))
>>> match.choosers()
(Role('first'),)
>>> match.answer(Role("first"), "(take a 1)")
Move('(take a 1)')
>>> match.step().moves
{Role('first'): Move('(take a 1)'), Role('second'): Move('noop')}
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from random import Random
from typing import TypeAlias, TypeVar

from ludens.arena.records import FORFEITED, Record
from ludens.arena.result import Diagnostic, JointMove, MatchResult, MatchSettings, PlayedTurn, check_seats
from ludens.core import Decision, GroundTerm, Move, Role
from ludens.errors import GameOverError, IllegalMoveError, MissingMoveError, NoLegalMoveError, PlayError, RulesError
from ludens.game import Game, State
from ludens.gdl.keywords import CHANCE
from ludens.players.match_view import News
from ludens.protocol import Percepts
from ludens.state import ground_term

__all__ = ["Diagnostic", "JointMove", "Match", "MatchResult", "MatchSettings", "OnTurn", "PlayedTurn"]

Value = TypeVar("Value")
OnTurn: TypeAlias = Callable[[PlayedTurn], None]

TIMED_OUT, GONE, ILLEGAL, NOT_A_MOVE = "TO", "CE", "IL", "IL null"
"""The codes of errors in records; an illegal move follows its code."""
MAX_DIAGNOSTICS = 100
"""The number of diagnostics that a record tells in words; it has the codes of all faults."""
MAX_CODE = 103
"""The length of a code: an illegal move is cut."""
DIAGNOSTICS, EARLIER_PLAYERS = "diagnostics", "earlierPlayers"


def milliseconds() -> int:
    """Return the time as records have it."""
    return time.time_ns() // 1_000_000


class Match:
    """One match, turn by turn.

    `to_ask` says whose moves are missing. `answer` takes a legal move, `fail` says that there is none; `step` makes the
    joint move as soon as everybody with a choice has answered. Chance, and moves in place of failed ones, follow from
    the seed. A refused answer, or a step that cannot be made, changes nothing.

    >>> from ludens import Clocks, Match, load
    >>> from ludens.arena.result import MatchSettings
    >>> match = Match(load("nim"), MatchSettings("nim.1", Clocks(10, 1), seed=7))
    >>> match.answer(Role("first"), "(take c 5)")
    Move('(take c 5)')
    >>> match.step().number
    1
    """

    def __init__(self, game: Game, settings: MatchSettings, clock: Callable[[], int] = milliseconds) -> None:
        self.game, self.settings = game, settings
        self._clock = clock
        self.turns: list[PlayedTurn] = []
        self.diagnostics: list[Diagnostic] = []
        self.answers: dict[Role, Move] = {}
        """The moves of this turn so far; they are nobody's business until it is made."""
        self._decisions: dict[Role, Decision] = {}
        self._codes: dict[Role, str] = {}
        """Who failed in this turn, and how."""
        self._shown_diagnostics = 0
        self._record: Record | None = None
        self._enter(game.initial_state())

    @classmethod
    def resume(
        cls, game: Game, settings: MatchSettings, record: Record, clock: Callable[[], int] = milliseconds
    ) -> Match:
        """Return the match where its record ends; RecordError if that is not what the rules say.

        >>> from ludens import Clocks, load
        >>> match = Match(load("nim"), MatchSettings("nim.1", Clocks(10, 1), seed=7))
        >>> record = match.seat(["ann", "bob"])
        >>> _ = match.follow({"first": "(take a 1)", "second": "noop"})
        >>> len(Match.resume(match.game, match.settings, record).turns)
        1
        """
        if record.match_id != settings.match_id:
            raise PlayError(f"the record is that of {record.match_id}, not of {settings.match_id}")
        if record.is_completed:
            raise PlayError(f"the match {record.match_id} is over; there is nothing to go on with")
        match = cls(game, settings, clock)
        for turn, after in enumerate(record.replay(game)):
            if turn:
                errors = record.errors[turn] if turn < len(record.errors) else ()
                failed = [role for role, code in zip(game.rule_roles, errors, strict=False) if code]
                match._append(record.joint(game, turn - 1), after, tuple(failed))
        match._record = record
        return match

    # -- where it stands ---------------------------------------------------------------------

    @property
    def is_finished(self) -> bool:
        """Whether it came to a result: the end of the game, or a forfeit.

        >>> from ludens import Clocks, load
        >>> match = Match(load("nim"), MatchSettings("nim.1", Clocks(10, 1), seed=7))
        >>> match.is_finished
        False
        """
        return self.state.is_terminal or bool(self.forfeited)

    @property
    def is_over(self) -> bool:
        """Whether no more moves are made, because it is finished or too long.

        >>> from ludens import Clocks, load
        >>> match = Match(load("nim"), MatchSettings("nim.1", Clocks(10, 1), seed=7, max_steps=1))
        >>> _ = match.follow({"first": "(take a 1)", "second": "noop"})
        >>> match.is_over, match.is_finished
        (True, False)
        """
        return self.is_finished or len(self.turns) >= self.settings.max_steps

    @property
    def forfeited(self) -> tuple[Role, ...]:
        """The roles that lost by a fault.

        >>> from ludens import Clocks, load
        >>> match = Match(load("nim"), MatchSettings("nim.1", Clocks(10, 1), seed=7, on_fault="forfeit"))
        >>> match.fail(Role("first"), "TO")
        >>> _ = match.step()
        >>> match.forfeited
        (Role('first'),)
        """
        if self.settings.on_fault != "forfeit" or not self.turns:
            return ()
        return self.turns[-1].replaced

    @property
    def record(self) -> Record:
        """All of it, as it is kept; it begins when the players are known.

        >>> from ludens import Clocks, load
        >>> match = Match(load("nim"), MatchSettings("nim.1", Clocks(10, 1), seed=7))
        >>> _ = match.seat(["ann", "bob"])
        >>> match.record.match_id, match.record.player_names
        ('nim.1', ['ann', 'bob'])
        """
        if self._record is None:
            raise PlayError("the record of a match begins when its players are known; call seat first")
        return self._record

    def check(self) -> None:
        """Raise NoLegalMoveError if the rules do not let the match go on.

        >>> from ludens import Clocks, load
        >>> stuck = load("(role a) (<= (legal a go) (true on)) (goal a 0) (<= terminal (true on))")
        >>> Match(stuck, MatchSettings("stuck.1", Clocks(10, 1), seed=7)).check()  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        ludens.errors.NoLegalMoveError: at the start, ...
        """
        if self._trouble:
            where = f"after move {len(self.turns)}" if self.turns else "at the start"
            remedy = "correct the rules: everybody needs a move until the game is over"
            raise NoLegalMoveError(self._trouble.role, f"{where}, {self._trouble}; {remedy}")

    def legal(self, role: Role) -> tuple[Move, ...]:
        """Return the legal moves of a role; NoLegalMoveError if the rules do not let the match go on.

        >>> from ludens import Clocks, load
        >>> match = Match(load("nim"), MatchSettings("nim.1", Clocks(10, 1), seed=7))
        >>> len(match.legal(Role("first"))), match.legal(Role("second"))
        (12, (Move('noop'),))
        """
        self.check()
        return self.state.legal_moves(role)

    def legal_move(self, role: Role, term: GroundTerm) -> Move | None:
        """Return the legal move of a role that is written as this term, if there is one.

        >>> from ludens import Clocks, load
        >>> match = Match(load("nim"), MatchSettings("nim.1", Clocks(10, 1), seed=7))
        >>> match.legal_move(Role("first"), ("take", "a", "1"))
        Move('(take a 1)')
        >>> match.legal_move(Role("first"), "noop") is None
        True
        """
        self.check()
        return self._by_term[role].get(term)

    def choosers(self) -> tuple[Role, ...]:
        """Return the roles of players that have more than one legal move.

        >>> from ludens import Clocks, load
        >>> match = Match(load("nim"), MatchSettings("nim.1", Clocks(10, 1), seed=7))
        >>> match.choosers()
        (Role('first'),)
        """
        return () if self.is_over else tuple(role for role in self.game.player_roles if len(self.legal(role)) > 1)

    def to_ask(self) -> tuple[Role, ...]:
        """Return the roles of players that have not answered in this turn.

        >>> from ludens import Clocks, load
        >>> match = Match(load("nim"), MatchSettings("nim.1", Clocks(10, 1), seed=7))
        >>> _ = match.answer(Role("first"), "(take a 1)")
        >>> match.to_ask()
        (Role('second'),)
        """
        self.check()
        if self.is_over:
            return ()
        return tuple(role for role in self.game.player_roles if role not in self.answers and role not in self._codes)

    @property
    def is_ready(self) -> bool:
        """Whether the step can be made: everybody who has a choice has answered.

        >>> from ludens import Clocks, load
        >>> match = Match(load("nim"), MatchSettings("nim.1", Clocks(10, 1), seed=7))
        >>> _ = match.answer(Role("first"), "(take a 1)")
        >>> match.is_ready
        True
        """
        return not self.is_over and not set(self.to_ask()) & set(self.choosers())

    # -- one turn ----------------------------------------------------------------------------

    def answer(self, role: Role, move: Move | str, decision: Decision | None = None) -> Move:
        """Take a move for this turn and return it; IllegalMoveError if it is not legal.

        >>> from ludens import Clocks, load
        >>> match = Match(load("nim"), MatchSettings("nim.1", Clocks(10, 1), seed=7))
        >>> match.answer(Role("first"), "(take a 1)")
        Move('(take a 1)')
        """
        if self.is_over:
            raise GameOverError("the game is over; there are no more moves")
        role = self._player_role(role)
        try:
            found = self.legal_move(role, ground_term(move))
        except RulesError:
            found = None
        if found is None:
            raise IllegalMoveError(role, str(move), self.legal(role))
        self.answers[role] = found
        self._codes.pop(role, None)
        if decision is not None:
            self._decisions[role] = decision
        return found

    def fail(self, role: Role, code: str, *reasons: str) -> None:
        """Note that a player made no legal move in time: a random one is made in its place.

        >>> from ludens import Clocks, load
        >>> match = Match(load("nim"), MatchSettings("nim.1", Clocks(10, 1), seed=7))
        >>> match.fail(Role("first"), "TO", "no answer in time")
        >>> match.step().replaced
        (Role('first'),)
        """
        if self.is_over:
            raise GameOverError("the game is over; there are no more moves")
        role = self._player_role(role)
        self.answers.pop(role, None)
        self._decisions.pop(role, None)
        self._codes[role] = code or GONE
        self.report(role, reasons)

    def fail_start(self, role: Role, code: str) -> None:
        """Note that a player did not get ready for the match.

        >>> from ludens import Clocks, load
        >>> match = Match(load("nim"), MatchSettings("nim.1", Clocks(10, 1), seed=7))
        >>> record = match.seat(["ann", "bob"])
        >>> match.fail_start(Role("second"), "TO")
        >>> record.errors[0]
        ['', 'TO']
        """
        self.record.errors[0][self.game.rule_roles.index(role)] = code

    def report(self, role: Role, texts: Sequence[str], when: str = "", *, is_fault: bool = True) -> None:
        """Note in words what went wrong with a player, or what it has to say.

        >>> from ludens import Clocks, load
        >>> match = Match(load("nim"), MatchSettings("nim.1", Clocks(10, 1), seed=7))
        >>> match.report(Role("first"), ["it is tired"])
        >>> print(match.diagnostics[0])
        move 1, first: it is tired
        """
        step = max(1, len(self.turns) + (not self.is_over))
        new = [Diagnostic(step, role, when + text, is_fault) for text in texts]
        self.diagnostics += new
        if new and self._record:
            words = self._record.notes.setdefault(DIAGNOSTICS, [])
            words += map(str, new[: max(0, MAX_DIAGNOSTICS - len(words))])

    def withdraw(self) -> None:
        """Forget the answers of this turn.

        >>> from ludens import Clocks, load
        >>> match = Match(load("nim"), MatchSettings("nim.1", Clocks(10, 1), seed=7))
        >>> _ = match.answer(Role("first"), "(take a 1)")
        >>> match.withdraw()
        >>> match.answers
        {}
        """
        self.answers, self._decisions, self._codes = {}, {}, {}

    def step(self) -> PlayedTurn:
        """Make the joint move; MissingMoveError if somebody with a choice has not answered.

        >>> from ludens import Clocks, load
        >>> match = Match(load("nim"), MatchSettings("nim.1", Clocks(10, 1), seed=7))
        >>> _ = match.answer(Role("first"), "(take a 1)")
        >>> match.step().moves
        {Role('first'): Move('(take a 1)'), Role('second'): Move('noop')}
        """
        if self.is_over:
            raise GameOverError("the game is over; there are no more moves")
        missing = [role for role in self.to_ask() if len(self.legal(role)) > 1]
        if missing:
            count = len(self.legal(missing[0]))
            raise MissingMoveError(f"the move of {missing[0]} is missing; it has {count} legal moves")
        joint = {role: self.answers.get(role) or self._drawn(role) for role in self.game.roles}
        announced, after = self.game.announced(joint), self.state.next(joint)
        codes, diagnostics = self._codes, tuple(self.diagnostics[self._shown_diagnostics :])
        self._shown_diagnostics = len(self.diagnostics)
        turn = self._append(announced, after, tuple(codes), joint, diagnostics)
        if self._record:
            errors = [codes.get(role, "") for role in self.game.player_roles]
            self._record.add_turn(announced, after, errors, self._clock())
        return turn

    def follow(self, announced: JointMove) -> PlayedTurn:
        """Make a turn that is known already: the moves of all roles of the rules, as they were announced.

        >>> from ludens import Clocks, load
        >>> match = Match(load("nim"), MatchSettings("nim.1", Clocks(10, 1), seed=7))
        >>> match.follow({"first": "(take a 1)", "second": "noop"}).number
        1
        """
        self.check()
        told = self.game.announced(announced)
        after = self.state.next(told)
        turn = self._append(told, after, ())
        if self._record:
            self._record.add_turn(told, after, None, self._clock())
        return turn

    def undo(self, turns: int = 1) -> None:
        """Take back the last turns, and the answers of this one.

        >>> from ludens import Clocks, load
        >>> match = Match(load("nim"), MatchSettings("nim.1", Clocks(10, 1), seed=7))
        >>> _ = match.follow({"first": "(take a 1)", "second": "noop"})
        >>> match.undo()
        >>> match.choosers()
        (Role('first'),)
        """
        if not 0 <= turns <= len(self.turns):
            raise PlayError(f"{turns} turns cannot be taken back; {len(self.turns)} were made")
        self.withdraw()
        if turns:
            first = self.turns[-turns]
            del self.turns[-turns:]
            self._forget_diagnostics(first.number)
            self._enter(first.before)
        if self._record:
            self._record.reopen(len(self.turns))

    def _forget_diagnostics(self, step: int) -> None:
        """Forget what was said from a step on, also in the record."""
        forgotten = {str(each) for each in self.diagnostics if each.step >= step}
        self.diagnostics = [each for each in self.diagnostics if each.step < step]
        self._shown_diagnostics = len(self.diagnostics)
        if self._record and forgotten:
            words = self._record.notes.pop(DIAGNOSTICS, [])
            if left := [text for text in words if text not in forgotten]:
                self._record.notes[DIAGNOSTICS] = left

    # -- who is told what --------------------------------------------------------------------

    def news(self, role: Role, turn: int | None = None) -> News:
        """Return what the player of a role is told of a turn, as messages have it; of the last one by default.

        Turn 0 stands for the beginning.

        >>> from ludens import Clocks, load
        >>> match = Match(load("nim"), MatchSettings("nim.1", Clocks(10, 1), seed=7))
        >>> _ = match.follow({"first": "(take a 1)", "second": "noop"})
        >>> match.news(Role("second"))
        (('take', 'a', '1'), 'noop')
        """
        number = len(self.turns) if turn is None else turn
        if number:
            return self.turns[number - 1].news(role)
        return Percepts(0, None, ()) if self.game.traits.hidden else None

    # -- the record --------------------------------------------------------------------------

    def seat(self, names: Sequence[str], people: Collection[Role] = ()) -> Record:
        """Write down who plays from now on, in the order of the roles; who played before stays in the record.

        >>> from ludens import Clocks, load
        >>> match = Match(load("nim"), MatchSettings("nim.1", Clocks(10, 1), seed=7))
        >>> match.seat(["ann", "bob"], people=[Role("first")]).player_names
        ['ann', 'bob']
        """
        check_seats(self.game, len(names))
        settings, roles = self.settings, self.game.player_roles
        if self._record is None:
            self._record = self._new_record(names, people)
            return self._record
        record, named = self._record, dict(zip(roles, names, strict=True))
        record.is_player_human = [role in people for role in self.game.rule_roles]
        present = [named.get(role, CHANCE) for role in self.game.rule_roles]
        if record.player_names != present:
            earlier = record.notes.setdefault(EARLIER_PLAYERS, [])
            earlier.append({"players": record.player_names, "turns": record.turns})
            record.player_names = present
        record.notes.update(settings.notes())
        record.is_aborted = False
        return record

    def _new_record(self, names: Sequence[str], people: Collection[Role]) -> Record:
        settings = self.settings
        return Record.begin(
            self.game,
            self.turns[0].before if self.turns else self.state,
            names,
            settings.clocks,
            settings.match_id,
            settings.seed,
            start_time=self._clock(),
            scrambled=settings.scramble,
            is_player_human=[role in people for role in self.game.player_roles],
            notes=settings.notes(),
        )

    def end(self) -> MatchResult:
        """Complete the record, or abort it if the match did not come to a result.

        >>> from ludens import Clocks, load
        >>> match = Match(load("nim"), MatchSettings("nim.1", Clocks(10, 1), seed=7))
        >>> record = match.seat(["ann", "bob"])
        >>> match.end().finished, record.is_aborted
        (False, True)
        """
        result = self.result()
        if result.forfeited:
            self.record.notes[FORFEITED] = list(result.forfeited)
        if result.finished:
            self.record.complete(result.goals)
        else:
            self.record.abort()
        return result

    def result(self) -> MatchResult:
        """Return how the match went so far.

        >>> from ludens import Clocks, load
        >>> match = Match(load("nim"), MatchSettings("nim.1", Clocks(10, 1), seed=7))
        >>> _ = match.seat(["ann", "bob"])
        >>> match.result().moves
        ()
        """
        moves = tuple(turn.moves for turn in self.turns)
        return MatchResult(self.state, moves, tuple(self.diagnostics), self.is_finished, self.record, self.forfeited)

    # -- within ------------------------------------------------------------------------------

    def _player_role(self, role: str) -> Role:
        known = self.game.roles[self.game.role_index(role)]
        if known not in self.game.player_roles:
            raise PlayError(f"the moves of {known} are left to chance")
        return known

    def _drawn(self, role: Role) -> Move:
        """What chance does in this turn, or a move in place of one that a player failed to make."""
        return Random(f"{self.settings.seed}/{len(self.turns)}/{role}").choice(sorted(self.legal(role)))

    def _append(
        self,
        announced: JointMove,
        after: State,
        failed: tuple[Role, ...],
        joint: JointMove | None = None,
        diagnostics: tuple[Diagnostic, ...] = (),
    ) -> PlayedTurn:
        percepts = None
        if self.game.traits.hidden:
            seen = self.state.percepts(announced if joint is None else joint)
            percepts = {role: tuple(fact.term for fact in seen[role]) for role in self.game.player_roles}
        number, decisions = len(self.turns) + 1, self._decisions
        turn = PlayedTurn(number, self.state, announced, after, percepts, decisions, failed, diagnostics)
        self._enter(after)
        self.turns.append(turn)
        self.withdraw()
        return turn

    def _enter(self, state: State) -> None:
        """Go to a state, and work out at once what is legal there."""
        trouble: NoLegalMoveError | None = None
        legal: dict[Role, dict[GroundTerm, Move]] = {}
        try:
            for role in () if state.is_terminal else self.game.roles:
                legal[role] = {move.term: move for move in state.legal_moves(role)}
                if not legal[role]:
                    raise NoLegalMoveError(role)
        except NoLegalMoveError as error:
            trouble = error
        self.state, self._by_term, self._trouble = state, legal, trouble
