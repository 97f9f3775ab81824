"""The reference engine.

It asks the rules directly, relation by relation, top-down with tables. No grounding is needed, so
it answers at once and for games of any size; it is what all other engines are measured against.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from ludens.core import GroundTerm, goal_number
from ludens.engines.interning import InternedEngine, Interpreter
from ludens.engines.reference.codegen import Program
from ludens.engines.reference.planner import RulePlanner, RuleStatistics
from ludens.engines.reference.recursion import call_deeply
from ludens.gdl.rules import Rules
from ludens.gdl.terms import natural_key
from ludens.runtime.process_lock import ProcessLock

Result = TypeVar("Result")

PLANNING_STATES = 20
"""How many states are counted before the rules are planned once more."""


class Position:
    """One state: its facts, and the tables of what a program has derived from them."""

    __slots__ = ("facts", "legal", "program", "tables", "terminal")

    def __init__(self, facts: frozenset[GroundTerm], program: Program) -> None:
        self.facts = facts
        self.terminal: bool | None = None
        self.legal: list[list[int]] | None = None
        self.use(program)

    def use(self, program: Program) -> None:
        """Begin with empty tables of a program."""
        self.program, self.tables = program, program.new_state(self.facts)


class ReferenceInterpreter(Interpreter[Position]):
    """Evaluates rules as they are.

    It is made at once, and planned once more after some steps, when it knows how many facts of a kind a state has.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.roles = rules.roles
        self._statistics = RuleStatistics(rules)
        self._moves: list[GroundTerm] = []
        self._numbers: dict[GroundTerm, int] = {}
        self._sort_keys: dict[int, Any] = {}
        self._lock = ProcessLock()
        self._asked: Position | None = None
        """What is asked about at the moment; in a copy of the process, what a thread of the other one was asked."""
        self._initial: frozenset[GroundTerm] = frozenset(self.ask("init"))
        self._statistics.observe([self._initial])
        self._counted: list[frozenset[GroundTerm]] | None = []
        """States to plan by; None once that is done."""
        self._compile()

    def _compile(self) -> None:
        """Plan with what is known of the sizes of relations so far, and make the functions."""
        try:
            self._make_program()
        except RecursionError:
            call_deeply(self._make_program)

    def _make_program(self) -> None:
        program = Program(RulePlanner(self.rules, self._statistics))
        self._terminal = program.query(("terminal", 0), "")
        self._legal = program.query(("legal", 2), "bf")
        self._goal = program.query(("goal", 2), "bf")
        self._next = program.step_query(("next", 1), "f")
        self._sees = program.step_query(("sees", 2), "bf")
        self._program = program

    # -- Interpreter -------------------------------------------------------------------------

    def initial(self) -> Position:
        return self.encode(self._initial)

    def encode(self, facts: frozenset[GroundTerm]) -> Position:
        with self._lock:
            return Position(facts, self._program)

    def decode(self, state: Position) -> frozenset[GroundTerm]:
        return state.facts

    def terminal(self, state: Position) -> bool:
        if state.terminal is None:
            state.terminal = self._ask(state, lambda tables: bool(self._terminal(tables)))
        return state.terminal

    def legal(self, state: Position) -> list[list[int]]:
        if state.legal is None:
            state.legal = self._ask(
                state, lambda tables: [self._in_order(self._legal(tables, role)) for role in self.roles]
            )
        return state.legal

    def goals(self, state: Position) -> list[int]:
        return list(map(single_goal, self.goal_terms(state)))

    def goal_terms(self, state: Position) -> list[frozenset[GroundTerm]]:
        return self._ask(state, lambda tables: [frozenset(self._goal(tables, role)) for role in self.roles])

    def percepts(self, state: Position, joint: Sequence[GroundTerm]) -> list[frozenset[GroundTerm]]:
        """For each role all that it sees when a joint move is made (GDL-II)."""
        moves: dict[GroundTerm, GroundTerm] = dict(zip(self.roles, joint, strict=True))

        def answer(tables: list[Any]) -> list[frozenset[GroundTerm]]:
            step = self._program.new_step(moves)
            return [frozenset(self._sees(tables, step, role)) for role in self.roles]

        return self._ask(state, answer)

    def advance(self, state: Position, joint: Sequence[int]) -> Position:
        moves: dict[GroundTerm, GroundTerm] = {
            role: self._moves[number] for role, number in zip(self.roles, joint, strict=True)
        }

        def after(tables: list[Any]) -> Position:
            facts = frozenset(self._next(tables, self._program.new_step(moves)))
            if self._counted is not None:
                self._counted.append(facts)
            return Position(facts, self._program)

        return self._ask(state, after)

    def move_term(self, number: int) -> GroundTerm:
        return self._moves[number]

    def move_number(self, term: GroundTerm) -> int:
        return self._numbers[term]

    # -- any relation ------------------------------------------------------------------------

    def ask(self, name: str, facts: Iterable[GroundTerm] = (), arity: int | None = None) -> frozenset[Any]:
        """Return all facts of a relation in a state: values for one argument, tuples for several."""
        if arity is None:
            arity = min((size for relation, size in self.rules.relations if relation == name), default=1)
        state = frozenset(facts)

        def answer() -> frozenset[Any]:
            program = Program(RulePlanner(self.rules, self._statistics))
            query = program.query((name, arity), "f" * arity)
            found = query(program.new_state(state))
            return frozenset([()] if found is True else found or ())

        try:
            return answer()
        except RecursionError:
            return call_deeply(answer)

    def _ask(self, state: Position, question: Callable[[list[Any]], Result]) -> Result:
        """Ask about a state, one thread at a time, and again with more room if the rules go very deep.

        A question that is broken off leaves tables in disorder, so they are made anew.
        """
        with self._lock:
            if self._asked:
                self._renew(self._asked)
            self._asked = state
            try:
                if self._counted and len(self._counted) >= PLANNING_STATES:
                    self._statistics.observe(self._counted)
                    self._compile()
                    self._counted = None
                if state.program is not self._program:
                    state.use(self._program)
                try:
                    return question(state.tables)
                except RecursionError:
                    self._renew(state)
                    return call_deeply(lambda: question(state.tables))
            except BaseException:
                self._renew(state)
                raise
            finally:
                self._asked = None

    def _renew(self, state: Position) -> None:
        self._compile()
        state.use(self._program)

    def _in_order(self, terms: Iterable[GroundTerm]) -> list[int]:
        """The numbers of moves in the order of their texts: the same in every run."""
        numbers = []
        for term in terms:
            number = self._numbers.get(term)
            if number is None:
                key = natural_key(term)  # which may fail: a term can be too deep at first
                number = len(self._moves)
                self._sort_keys[number] = key
                self._moves.append(term)
                self._numbers[term] = number  # as the last: a process may be copied at any moment
            numbers.append(number)
        numbers.sort(key=self._sort_keys.__getitem__)
        return numbers


class ReferenceEngine(InternedEngine[Position]):
    """The engine that is right by definition; `ask` tells what holds of any relation."""

    interpreter: ReferenceInterpreter

    def __init__(self, rules: Rules) -> None:
        super().__init__(ReferenceInterpreter(rules))
        self.rules = rules

    def ask(self, name: str, facts: Iterable[GroundTerm] = (), arity: int | None = None) -> frozenset[Any]:
        """Return all facts of a relation in a state: values for one argument, tuples for several.

        >>> rules = Rules.parse("(role a) (number 1) (number 2) (<= (pair ?x ?y) (number ?x) (number ?y))")
        >>> sorted(ReferenceEngine(rules).ask("pair"))
        [('1', '1'), ('1', '2'), ('2', '1'), ('2', '2')]
        """
        return self.interpreter.ask(name, facts, arity)


def single_goal(values: frozenset[GroundTerm]) -> int:
    """Return the goal that the rules give, as a number; -1 where they give none or several."""
    if len(values) == 1:
        (value,) = values
        return goal_number(value)
    return -1
