"""The relational engine: the rules as machine code, without grounding them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from random import Random
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ludens.core import GroundTerm, Playouts, goal_number
from ludens.engines.interning import InternedEngine, Interpreter
from ludens.engines.reference import ReferenceEngine
from ludens.engines.reference.engine import single_goal
from ludens.engines.relational import runtime
from ludens.engines.relational.code import CompiledCode
from ludens.engines.relational.compiler import Compiler
from ludens.engines.relational.flatten import flatten
from ludens.engines.relational.pool import TermPool
from ludens.engines.relational.program import analyse, columns_of
from ludens.engines.relational.samples import sample_states
from ludens.errors import CompileError, EvaluationLimitError, NoLegalMoveError, UnknownFactError
from ludens.gdl.formulas import Signature
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Variable, natural_key, substitute, term_text
from ludens.printable import shown
from ludens.runtime.deadline import Deadline
from ludens.runtime.process_lock import ProcessLock, lazy_property

State: TypeAlias = NDArray[np.uint32]
"""For each kind of facts their number, then the numbers of their arguments."""
MAX_FACTS_KNOWN = 200_000
"""The number of facts that are kept as terms."""
MAX_ROUNDS = 1 << 31
"""The number of states and questions after which the stamps begin anew."""
MAX_STEPS = 1 << 29
"""No random game is longer."""
REASONS = {
    runtime.MANY_TERMS: "the game has too many different moves or terms",
    runtime.MANY_GOALS: "too many questions come up",
    runtime.MANY_ANSWERS: "too many facts can be derived",
    runtime.MANY_CONSUMERS: "the recursion has too many steps",
    runtime.MANY_EVENTS: "the recursion has too many steps",
    runtime.MANY_FACTS: "the state has too many facts",
    runtime.MANY_MOVES: "there are too many legal moves",
    runtime.STRANGE_FACT: "the moves lead to a fact that play from the start never reaches",
    runtime.ENDLESS: "it takes too long",
}


class RelationalInterpreter(Interpreter[State]):
    """Derives what is asked for from the rules, top-down, one state at a time.

    It is made in seconds whatever the size of the game. One thread at a time gets answers.
    """

    def __init__(self, rules: Rules, start: frozenset[GroundTerm], compiler: Compiler, code: CompiledCode) -> None:
        """Take the rules, the facts of the initial state, and what was made of the rules."""
        self.rules = rules
        self.roles = rules.roles
        self._code, self._flat, self._stores, self._call = code, compiler.program.flat, compiler.stores, code.call
        self._pool = TermPool(compiler.program.terms, code)
        self._loaded: State | None = None
        self._take_up_memory()
        self._sort_keys: dict[int, Any] = {}
        self._known_moves: set[int] = set()
        self._move_numbers: dict[GroundTerm, int] = {}
        self._facts_known: dict[tuple[Signature, tuple[int, ...]], GroundTerm] = {}
        self._lock = ProcessLock()
        self._initial = self._encoded(start)

    # -- Interpreter -------------------------------------------------------------------------

    def initial(self) -> State:
        return self._initial

    def encode(self, facts: frozenset[GroundTerm]) -> State:
        """UnknownFactError for a fact that play from the start never reaches."""
        with self._lock:
            return self._encoded(facts)

    def decode(self, state: State) -> frozenset[GroundTerm]:
        with self._lock:
            return frozenset(self._facts(state))

    def terminal(self, state: State) -> bool:
        with self._lock:
            self._load(state)
            answer = bool(self._call["ask_terminal"](self._address))
            self._check()
            return answer

    def legal(self, state: State) -> list[list[int]]:
        with self._lock:
            self._load(state)
            return [self._in_order(self._asked("ask_legal", role)) for role in range(len(self.roles))]

    def goals(self, state: State) -> list[int]:
        return list(map(single_goal, self.goal_terms(state)))

    def goal_terms(self, state: State) -> list[frozenset[GroundTerm]]:
        with self._lock:
            self._load(state)
            values = [self._asked("ask_goals", role) for role in range(len(self.roles))]
            self._pool.hand_out(max((number for numbers in values for number in numbers), default=0))
            return [frozenset(map(self._pool.term, numbers)) for numbers in values]

    def percepts(self, state: State, joint: Sequence[GroundTerm]) -> list[frozenset[GroundTerm]]:
        """By the reference engine: joins are made for what every game asks for."""
        reference = self._reference.interpreter
        return reference.percepts(reference.encode(self.decode(state)), joint)

    @lazy_property
    def _reference(self) -> ReferenceEngine:
        return ReferenceEngine(self.rules)

    def advance(self, state: State, joint: Sequence[int]) -> State:
        with self._lock:
            if not self._known_moves.issuperset(joint):
                raise KeyError("one of these moves was never legal")
            self._load(state)
            self._loaded = None
            self._joint[: len(self.roles)] = joint
            self._call["ask_next"](self._address)
            self._check()
            after = self._state[: self._control[runtime.LENGTH]].copy()
            self._pool.hand_out(int(after.max(initial=0)))
            return after

    def playouts(self, states: Sequence[State], rng: Random, max_steps: int) -> Playouts:
        goals = np.full((len(states), len(self.roles)), -1, np.int16)
        lengths, finished = np.zeros(len(states), np.int32), np.zeros(len(states), np.bool_)
        for row, state in enumerate(states):
            with self._lock:
                lengths[row], finished[row] = self._play(state, rng, max_steps)
                if finished[row]:
                    goals[row] = [self._goal_number(self._asked("ask_goals", r)) for r in range(len(self.roles))]
        return Playouts(goals, lengths, finished)

    def move_term(self, number: int) -> GroundTerm:
        with self._lock:
            return self._pool.term(number)

    def move_number(self, term: GroundTerm) -> int:
        return self._move_numbers[term]

    # -- single states -----------------------------------------------------------------------

    def _load(self, state: State) -> None:
        """Take up a state, unless that was done last."""
        if self._loaded is state and self._process == os.getpid():
            return
        self._place(state)
        self._call["begin_state"](self._address)
        self._loaded = state

    def _place(self, state: State) -> None:
        """Put a state where it is taken up."""
        self._forget_what_was_asked()
        if self._control[runtime.EPOCH] > MAX_ROUNDS or self._control[runtime.ROUND] > MAX_ROUNDS:
            self._begin_rounds_anew()
        self._state[: len(state)] = state

    def _forget_what_was_asked(self) -> None:
        if self._process != os.getpid():
            # In a copy of the process no other thread is at work any more, but its work may be half done.
            self._pool.renew_memory()
            self._take_up_memory()
        self._pool.drop()
        self._loaded = None

    def _begin_rounds_anew(self) -> None:
        for name in self.memory.names:
            if name.endswith("stamps") and not name.startswith("static"):
                self.memory[name][:] = 0
        self._control[runtime.EPOCH] = self._control[runtime.ROUND] = 0

    def _check(self) -> None:
        """EvaluationLimitError if the last question could not be answered."""
        why = int(self._control[runtime.FAILED])
        if why:
            self._control[runtime.FAILED] = 0
            self._loaded = None
            raise EvaluationLimitError(f"a state cannot be evaluated: {REASONS[why]}")

    def _asked(self, question: str, role: int) -> list[int]:
        count = self._call[question](self._address, role)
        self._check()
        found: list[int] = self._moves_found[:count].tolist()
        return found

    def _goal_number(self, numbers: list[int]) -> int:
        """The same as `single_goal`; compound terms stay unknown."""
        is_word = len(numbers) == 1 and numbers[0] < self._pool.first_compound
        return goal_number(self._pool.term(numbers[0])) if is_word else -1

    def _play(self, state: State, rng: Random, max_steps: int) -> tuple[int, bool]:
        self._place(state)
        self._seed[0] = rng.getrandbits(64)
        result = self._call["play"](self._address, max(0, min(max_steps, MAX_STEPS // max(1, len(self.roles)))))
        self._check()
        steps, ending = divmod(result, 4)
        if ending == runtime.STUCK:
            raise NoLegalMoveError(self.roles[self._joint[0]])
        return steps, ending == runtime.ENDED

    # -- terms -------------------------------------------------------------------------------

    def _in_order(self, numbers: list[int]) -> list[int]:
        """Moves in the order of their texts: the same in every run."""
        for number in numbers:
            if number not in self._known_moves:
                self._pool.hand_out(number)
                self._know_move(number)
        return sorted(numbers, key=self._sort_keys.__getitem__)

    def _know_move(self, number: int) -> None:
        term = self._pool.term(number)
        try:
            self._sort_keys[number] = natural_key(term)
        except RecursionError:
            raise EvaluationLimitError(
                "a state cannot be evaluated: the terms of a move are nested too deeply"
            ) from None
        self._move_numbers[term] = number
        self._known_moves.add(number)

    def _take_up_memory(self) -> None:
        self.memory = memory = self._code.memory
        self._address = memory.address
        self._control, self._state = memory["control"], memory["state"]
        self._moves_found, self._joint, self._seed = memory["moves"], memory["joint"], memory["seed"]
        self._process = os.getpid()

    # -- facts -------------------------------------------------------------------------------

    def _encoded(self, facts: frozenset[GroundTerm]) -> State:
        self._forget_what_was_asked()
        kinds: list[list[tuple[int, ...]]] = [[] for _ in self._stores]
        for fact in facts:
            kind, row = self._row(fact)
            kinds[kind].append(row)
        numbers: list[int] = []
        for store, rows in zip(self._stores, kinds, strict=True):
            if len(rows) > store.capacity:
                raise UnknownFactError(f"a state cannot have {len(rows):,} facts of one kind")
            numbers.append(len(rows))
            for row in sorted(rows):
                numbers += row
        self._pool.keep()
        return np.array(numbers, np.uint32)

    def _row(self, fact: GroundTerm) -> tuple[int, tuple[int, ...]]:
        """The kind of a fact, and its arguments as numbers."""
        try:
            for kind, store in enumerate(self._stores):
                columns = columns_of(self._flat, store.signature, fact)
                if columns is not None:
                    row = tuple(map(self._pool.number, columns))
                    if store.can_hold(row):
                        return kind, row
        except KeyError:
            pass
        with suppress(RecursionError):
            raise UnknownFactError(f"{shown(term_text(fact))} can hold in no state that play reaches")
        raise UnknownFactError("a very deep term can hold in no state that play reaches")

    def _facts(self, state: State) -> Iterator[GroundTerm]:
        place = 0
        numbers: list[int] = state.tolist()
        for store in self._stores:
            count, arity = numbers[place], store.arity
            place += 1
            for _ in range(count):
                yield self._fact(store.signature, tuple(numbers[place : place + arity]))
                place += arity

    def _fact(self, signature: Signature, row: tuple[int, ...]) -> GroundTerm:
        key = signature, row
        if len(self._facts_known) > MAX_FACTS_KNOWN:
            self._facts_known.clear()
        if key not in self._facts_known:
            values = {Variable(str(index)): self._pool.term(number) for index, number in enumerate(row)}
            (pattern,) = self._flat.template(signature)
            self._facts_known[key] = substitute(pattern, values)  # type: ignore[assignment]
        return self._facts_known[key]


class RelationalEngine(InternedEngine[State]):
    """The relational interpreter as an engine; states beyond its limits are EvaluationLimitErrors."""

    interpreter: RelationalInterpreter

    @classmethod
    def compile(
        cls,
        rules: Rules,
        reference: ReferenceEngine | None = None,
        *,
        deadline: Deadline | None = None,
    ) -> Self:
        """The engine of a game; CompileError if its rules cannot be compiled.

        >>> rules = Rules.parse("(role me) (legal me go) (<= terminal (true done)) (<= (next done) (does me go))")
        >>> engine = RelationalEngine.compile(rules)
        >>> engine.decode(engine.step(engine.initial(1), engine.legal(engine.initial(1))[0]))
        [frozenset({'done'})]
        """

        def check() -> None:
            if deadline and deadline.passed:
                raise CompileError("the rules were not compiled in time; allow for more of it")

        check()
        reference = reference or ReferenceEngine(rules)
        check()
        (start,) = reference.decode(reference.initial(1))
        try:
            flat = flatten(rules.rules, check)
            program = analyse(flat, rules.roles, [start, *sample_states(reference, check)], check)
            compiler = Compiler(program, check)
            return cls(RelationalInterpreter(rules, start, compiler, compiler.compile()))
        except RecursionError:
            raise CompileError("the rules are too long, or depend on each other too deeply, to become joins") from None
