"""Working out beforehand what never changes: bottom-up, semi-naive, and given up where it gets too big."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias

from ludens.core import GroundTerm
from ludens.engines.relational.flatten import CONSTANT
from ludens.gdl.dependencies import DependencyGraph
from ludens.gdl.formulas import Literal, Rule, Signature
from ludens.gdl.terms import Term, Variable, substitute, variables

MAX_ROWS = 200_000
MAX_WORK = 400_000
MAX_WORK_IN_ALL = 1_000_000
"""Facts of one relation, and facts looked at for relations that depend on each other, and for all together.

What would need more is asked on demand.
"""
CHECK_EVERY = 10_000
MAX_ROUNDS = 1_000

Fact: TypeAlias = tuple[GroundTerm, ...]
Binding: TypeAlias = dict[Variable, Term]


class _TooMuchError(Exception):
    """The facts are too many, or cannot be listed at all."""


def static_facts(rules: Sequence[Rule], check: Callable[[], None] = lambda: None) -> dict[Signature, dict[Fact, None]]:
    """The facts of all relations that these rules define; those that are too many to list are left out.

    `check` is called again and again, and may raise to break off.
    """
    graph = DependencyGraph.of(rules)
    known: dict[Signature, dict[Fact, None]] = {}
    left = MAX_WORK_IN_ALL
    for members in graph.components:
        needed = {target for member in members for target in graph.uses(member)} - set(members)
        defined = {target for target in needed if target in graph.positive}
        if not all(target in known for target in defined):
            continue
        own = [rule for rule in rules if rule.head.signature in members]
        evaluation = _Evaluation(own, members, known, min(left, MAX_WORK), check)
        with suppress(_TooMuchError):
            known.update(evaluation.run())
        left -= evaluation.work
    return known


class _Evaluation:
    """The facts of relations that depend on each other, given those of all others."""

    def __init__(
        self,
        rules: Sequence[Rule],
        members: Sequence[Signature],
        known: Mapping[Signature, Mapping[Fact, None]],
        most_work: int,
        check: Callable[[], None],
    ) -> None:
        self._rules = rules
        self._facts: dict[Signature, Mapping[Fact, None]] = dict(known)
        self._own: dict[Signature, dict[Fact, None]] = {member: {} for member in members}
        self._facts.update(self._own)
        self._indexes: dict[tuple[Signature, tuple[int, ...]], dict[Fact, list[Fact]]] = {}
        self.work, self._most_work = 0, most_work
        self._check = check

    def run(self) -> dict[Signature, dict[Fact, None]]:
        new = {signature: list[Fact]() for signature in self._own}
        for rule in self._rules:
            self._derive(rule, _order(rule, None), None, new)
        for _ in range(MAX_ROUNDS):
            if not any(new.values()):
                return self._own
            before, new = new, {signature: [] for signature in self._own}
            for rule in self._rules:
                for literal in rule.body:
                    if literal.atom.signature in self._own:
                        self._derive(rule, _order(rule, literal), before[literal.atom.signature], new)
        raise _TooMuchError

    def _derive(
        self, rule: Rule, order: Sequence[Literal], first: list[Fact] | None, new: dict[Signature, list[Fact]]
    ) -> None:
        """Add what a rule gives, its first condition taken from a list if there is one."""
        signature = rule.head.signature
        own = self._own[signature]
        for binding in list(self._bindings(order, 0, {}, first)):
            fact: Fact = tuple(substitute(term, binding) for term in rule.head.args)  # type: ignore[misc]
            if fact not in own:
                self._add(signature, fact)
                new[signature].append(fact)

    def _add(self, signature: Signature, fact: Fact) -> None:
        self._own[signature][fact] = None
        if len(self._own[signature]) > MAX_ROWS:
            raise _TooMuchError
        for (indexed, columns), index in self._indexes.items():
            if indexed == signature:
                index.setdefault(tuple(fact[column] for column in columns), []).append(fact)

    def _bindings(
        self, order: Sequence[Literal], number: int, binding: Binding, first: list[Fact] | None
    ) -> Iterator[Binding]:
        if number == len(order):
            yield binding
            return
        self._count_work()
        literal = order[number]
        atom = literal.atom
        args = tuple(substitute(term, binding) for term in atom.args)
        if atom.name in ("distinct", CONSTANT) or not literal.positive:
            for found in self._tested(literal, args, binding):
                yield from self._bindings(order, number + 1, found, None)
            return
        facts = self._matching(atom.signature, args) if first is None else first
        for fact in facts:
            extended = dict(binding)
            if all(_unify(term, value, extended) for term, value in zip(args, fact, strict=True)):
                yield from self._bindings(order, number + 1, extended, None)
            else:
                self._count_work()

    def _count_work(self) -> None:
        self.work += 1
        if self.work > self._most_work:
            raise _TooMuchError
        if self.work % CHECK_EVERY == 0:
            self._check()

    def _tested(self, literal: Literal, args: tuple[Term, ...], binding: Binding) -> Iterator[Binding]:
        """The binding if a test is passed."""
        if literal.atom.name == CONSTANT:
            holds = isinstance(args[0], str)
        elif literal.atom.name == "distinct":
            if not literal.positive:
                known, other = args if not any(variables(args[0])) else reversed(args)
                extended = dict(binding)
                if _unify(other, known, extended):  # type: ignore[arg-type]
                    yield extended
                return
            holds = args[0] != args[1]
        else:
            facts = self._matching(literal.atom.signature, args)
            holds = not any(self._fits(args, fact, binding) for fact in facts)
        if holds:
            yield binding

    def _fits(self, args: tuple[Term, ...], fact: Fact, binding: Binding) -> bool:
        self._count_work()
        trial = dict(binding)
        return all(_unify(term, value, trial) for term, value in zip(args, fact, strict=True))

    def _matching(self, signature: Signature, args: tuple[Term, ...]) -> Sequence[Fact]:
        """The facts that have the arguments that are known."""
        columns = tuple(column for column, term in enumerate(args) if not any(variables(term)))
        key = signature, columns
        if key not in self._indexes:
            index: dict[Fact, list[Fact]] = {}
            for fact in self._facts.get(signature, ()):
                index.setdefault(tuple(fact[column] for column in columns), []).append(fact)
            self._indexes[key] = index
        known: Fact = tuple(args[column] for column in columns)  # type: ignore[misc]
        return self._indexes[key].get(known, ())


def _order(rule: Rule, first: Literal | None) -> list[Literal]:
    """The conditions, each test as soon as its variables are known, and else what shares most with what is known."""
    waiting = [literal for literal in rule.body if literal is not first]
    ordered = [first] if first else []
    known = set(first.atom.variables()) if first else set()
    binding = {variable for literal in rule.body if _binds(literal) for variable in literal.atom.variables()}
    while waiting:
        options = [(rank, literal) for literal in waiting if (rank := _rank(literal, known, binding)) is not None]
        if not options:
            raise _TooMuchError
        _, chosen = min(options, key=lambda option: option[0])
        waiting.remove(chosen)
        ordered.append(chosen)
        if _binds(chosen) or chosen.atom.name == "distinct":
            known.update(chosen.atom.variables())
    if not known.issuperset(rule.head.variables()):
        raise _TooMuchError
    return ordered


def _binds(literal: Literal) -> bool:
    return literal.positive and literal.atom.name not in ("distinct", CONSTANT)


def _rank(literal: Literal, known: set[Variable], binding: set[Variable]) -> tuple[int, int] | None:
    """The least comes first; None if it cannot be asked yet."""
    unknown = set(literal.atom.variables()) - known
    if _binds(literal):
        return len(unknown), -len(literal.atom.args)
    if literal.atom.name == "distinct" and not literal.positive:
        return (0, 0) if any(known.issuperset(variables(term)) for term in literal.atom.args) else None
    if literal.atom.name in ("distinct", CONSTANT):
        return None if unknown else (0, -1_000)
    return None if unknown & binding else (0, -1_000)


def _unify(term: Term, value: GroundTerm, binding: Binding) -> bool:
    """Whether a term, in which known variables may still stand, becomes a value."""
    if isinstance(term, Variable):
        return binding.setdefault(term, value) == value
    if isinstance(term, str) or isinstance(value, str):
        return term == value
    return (
        len(term) == len(value)
        and term[0] == value[0]
        and all(_unify(part, other, binding) for part, other in zip(term[1:], value[1:], strict=True))
    )
