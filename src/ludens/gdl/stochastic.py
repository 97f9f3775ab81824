"""Stochastic GDL: the relation `random` as one more role, which draws what moves leave to chance.

`(random dice 1 6)` makes `dice` a random variable with the outcome 6 of weight 1, and in a legal move `(roll dice)` it
stands for the outcome to be drawn. Engines and searches know chance only as the role `random` of GDL-II, whose moves
are equally likely. So rules with random variables are rewritten:

- The role `random` moves at the same time as the players. In each state it draws one *unit* for every variable that
  some legal move mentions there; an outcome of weight v has v units, divided by the greatest common divisor of all
  weights of the variable. `(dice 6)` is the first unit of an outcome, `(dice 6 2)` the second; where an outcome may
  have several weights, `(ball red 2 3)` is the second of the weight 3. `(draw (dice1 6) (dice2 3))` draws for two
  variables, and `nothing` for none.
- What rules see of the moves, by `does`, are the moves with the outcomes in place of the variables.

Several variables are independent of each other. A variable that stands twice in the moves of one turn has one value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, combinations
from math import log2, prod

from ludens.errors import InvalidRulesError
from ludens.gdl.chance import NOTHING, Chance, random_words
from ludens.gdl.formulas import Atom, Clause, Formula, Not
from ludens.gdl.keywords import CHANCE, RANDOM_ARITY
from ludens.gdl.outcome_weights import MAX_UNITS, WeightTable, moves_by_chance, names_in_moves, weight_tables
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Term, Variable, unifiable, variables
from ludens.gdl.validate.chance import chance_errors

MAX_DRAWS = 100_000
"""Rules with more possible draws than this, in all states together, are not compiled."""
LOG_STEPS = 4
"""The resolution of logarithms to the base 2."""
MAX_LOG_SIZE = int(LOG_STEPS * log2(MAX_UNITS))

# Names of relations; no sheet can use them, since no symbol has a space.
PLAYER = "role of players"
ALLOWED = "legal for players"
MENTIONS = "mentions chance"
ANNOUNCED = "does announced"
NEEDED = "random needed"
SHARE = "random share"
WEIGHT = "random weight"
NON_NUMERIC = "random non-numeric"
UNDRAWABLE = "random undrawable"
UNIT = "random unit"
COMBINATION = "random combination"
DRAWN = "random drawn"
LOG_SIZE = "random log size"
TOO_MANY = "random too many"

_ROLE, _MOVE, _NAME = map(Variable, ("a role", "a move", "a name"))
_OUTCOME, _WEIGHT, _NUMBER = map(Variable, ("an outcome", "a weight", "a number"))


def is_stochastic(rules: Rules) -> bool:
    """Return whether the rules have random variables."""
    return bool(rules.rules_for(CHANCE, RANDOM_ARITY))


def chance_as_role(rules: Rules) -> Chance:
    """Rewrite rules with random variables; InvalidRulesError if they break the restrictions on these."""
    if found := chance_errors(rules):
        raise InvalidRulesError(found)
    names = names_in_moves(rules)
    weights = weight_tables(rules, names)
    joint_name = "draw"
    while joint_name in names:
        joint_name += "s"
    sheet = _Rewriting(
        names, moves_by_chance(rules), joint_name, tuple(_log_size(weights[name].max_units) for name in names)
    )
    clauses = [
        *map(sheet.clause, rules.clauses),
        *sheet.players(rules.roles),
        *sheet.needs(),
        *(clause for name in names for clause in _unit_clauses(name, weights[name])),
        *sheet.draws(),
        *sheet.made(),
    ]
    max_draws = prod(1 + weights[name].max_units for name in names)
    return Chance(names, joint_name, max_draws, Rules(clauses, rules.spelling, rules.source))


def _log_size(units: int) -> int:
    """Return a logarithm: these add up where numbers of units multiply."""
    return int(LOG_STEPS * log2(max(1, units)))


def _unit_clauses(name: str, table: WeightTable) -> Iterator[Clause]:
    """Yield the clauses for the units of a variable in a state."""
    for weight, count in table.units.items():
        for number in range(1, count + 1):
            yield Clause(Atom(SHARE, (name, weight, str(number))))
    drawn = [Atom(CHANCE, (name, _WEIGHT, _OUTCOME))]
    sound: list[Formula] = []
    if table.non_numeric:
        for word in sorted(table.numbers):
            yield Clause(Atom(WEIGHT, (word,)))
        yield Clause(Atom(NON_NUMERIC, (name, _WEIGHT)), (*drawn, Not(Atom(WEIGHT, (_WEIGHT,)))))
        yield Clause(Atom(UNDRAWABLE, (name,)), (Atom(NON_NUMERIC, (name, _WEIGHT)),))
        sound = [Not(Atom(UNDRAWABLE, (name,)))]
    share = Atom(SHARE, (name, _WEIGHT, _NUMBER))
    first = Atom(SHARE, (name, _WEIGHT, "1"))
    plain, numbered, weighed = _forms(name)
    if table.ambiguous:
        yield Clause(Atom(UNIT, (name, weighed, _OUTCOME)), (*drawn, share, *sound))
        return
    yield Clause(Atom(UNIT, (name, plain, _OUTCOME)), (*drawn, first, *sound))
    if any(count > 1 for count in table.units.values()):
        later = (share, Atom("distinct", (_NUMBER, "1")))
        yield Clause(Atom(UNIT, (name, numbered, _OUTCOME)), (*drawn, *later, *sound))


def _forms(name: str) -> tuple[Term, Term, Term]:
    """Return the forms of units: the first of an outcome, another, and one of an outcome with ambiguous weight."""
    return (name, _OUTCOME), (name, _OUTCOME, _NUMBER), (name, _OUTCOME, _NUMBER, _WEIGHT)


# -- rules -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Rewriting:
    """The clauses of the equivalent rules."""

    names: tuple[str, ...]
    patterns: tuple[Term, ...]
    joint_name: str
    log_sizes: tuple[int, ...]
    """For each variable the logarithm of the largest number of its units."""

    def clause(self, clause: Clause) -> Clause:
        """Return a clause of the author rewritten: players exclude chance, and moves are seen as announced."""
        head = clause.head
        if head.signature == ("legal", 2):
            head = Atom(ALLOWED, head.args, head.span)
        return Clause(head, tuple(_mapped(part, self._condition) for part in clause.body), clause.span)

    def _condition(self, atom: Atom) -> Atom:
        if atom.signature == ("role", 1):
            return Atom(PLAYER, atom.args, atom.span)
        if atom.signature == ("legal", 2):
            return Atom(ALLOWED, atom.args, atom.span)
        if atom.signature == ("does", 2) and self._is_chancy(atom.args[1]):
            return Atom(ANNOUNCED, atom.args, atom.span)
        return atom

    def _is_chancy(self, move: Term) -> bool:
        """Return whether a condition on moves may match an announced move with outcomes, or a move of chance."""
        return any(unifiable(move, other) for other in self._by_chance)

    @cached_property
    def _by_chance(self) -> tuple[Term, ...]:
        announced = (_outcomes_as_variables(pattern, self.names)[0] for pattern in self.patterns)
        units = (unit for name in self.names for unit in _forms(name))
        draws: list[Term] = [(self.joint_name, *_places(size)) for size in range(2, len(self.names) + 1)]
        return (*announced, NOTHING, *units, *draws)

    def players(self, roles: Iterable[str]) -> Iterator[Clause]:
        for role in roles:
            yield Clause(Atom(PLAYER, (role,)))
        yield Clause(Atom("role", (CHANCE,)))
        yield Clause(Atom("legal", (_ROLE, _MOVE)), (Atom(ALLOWED, (_ROLE, _MOVE)), Atom(PLAYER, (_ROLE,))))

    def needs(self) -> Iterator[Clause]:
        """Yield the clauses that say which variables legal moves mention."""
        for pattern in self.patterns:
            for name in dict.fromkeys(random_words(pattern, self.names)):
                yield Clause(Atom(NEEDED, (name,)), (Atom(PLAYER, (_ROLE,)), Atom(ALLOWED, (_ROLE, pattern))))

    def combination_limit(self) -> Iterator[Clause]:
        """Yield the clauses that forbid any draw in a state with too many combinations to list."""
        possible = {0}
        yield Clause(Atom(LOG_SIZE, ("0", "0")))
        for number, (name, log_size) in enumerate(zip(self.names, self.log_sizes, strict=True), start=1):
            needed = Atom(NEEDED, (name,))
            for total in sorted(possible):
                before = Atom(LOG_SIZE, (str(number - 1), str(total)))
                fits = total + log_size <= MAX_LOG_SIZE
                yield Clause(
                    Atom(LOG_SIZE, (str(number), str(total + log_size))) if fits else Atom(TOO_MANY), (before, needed)
                )
                yield Clause(Atom(LOG_SIZE, (str(number), str(total))), (before, Not(needed)))
            possible |= {total + log_size for total in possible if total + log_size <= MAX_LOG_SIZE}

    def draws(self) -> Iterator[Clause]:
        """Yield the moves of chance: combinations of units, one for each variable that is needed, in their order."""
        too_many = sum(self.log_sizes) > MAX_LOG_SIZE
        yield from self.combination_limit() if too_many else ()
        yield Clause(Atom(COMBINATION, ("0",)), (Not(Atom(TOO_MANY)),) if too_many else ())
        largest = sum(total <= MAX_LOG_SIZE for total in accumulate(sorted(self.log_sizes)))
        for number, name in enumerate(self.names, start=1):
            before, after, needed = str(number - 1), str(number), Atom(NEEDED, (name,))
            for size in range(min(number, largest + 1)):
                places = _places(size + 1)
                fewer = Atom(COMBINATION, (before, *places[:-1]))
                yield Clause(Atom(COMBINATION, (after, *places[:-1])), (fewer, Not(needed)))
                if size < largest:
                    unit = Atom(UNIT, (name, places[-1], _OUTCOME))
                    yield Clause(Atom(COMBINATION, (after, *places)), (fewer, needed, unit))
        for size in range(largest + 1):
            places = _places(size)
            draw: Term = (self.joint_name, *places) if size > 1 else places[0] if places else NOTHING
            yield Clause(Atom("legal", (CHANCE, draw)), (Atom(COMBINATION, (str(len(self.names)), *places)),))
            for place in places:
                unit = Atom(UNIT, (_NAME, place, _OUTCOME))
                yield Clause(Atom(DRAWN, (_NAME, _OUTCOME)), (Atom("does", (CHANCE, draw)), unit))

    def made(self) -> Iterator[Clause]:
        """Yield the clauses for moves as they are announced."""
        does = Atom("does", (_ROLE, _MOVE))
        plain = (does, Atom(PLAYER, (_ROLE,)), Not(Atom(MENTIONS, (_MOVE,))))
        yield Clause(Atom(ANNOUNCED, (_ROLE, _MOVE)), plain)
        overlap = any(unifiable(one, other) for one, other in combinations(self.patterns, 2))
        for pattern in self.patterns:
            does = Atom("does", (_ROLE, pattern))
            mentions = _mentioning(pattern, self.names) if overlap else [pattern]
            for term in mentions:
                yield Clause(Atom(MENTIONS, (term,)), (does,))
            announced, names = _outcomes_as_variables(pattern, self.names)
            drawn = [Atom(DRAWN, (name, outcome)) for name, outcome in names.items()]
            # A variable of one pattern must not stand for a random variable that another has in its place.
            others = (
                [Not(Atom(MENTIONS, (variable,))) for variable in dict.fromkeys(variables(pattern))] if overlap else []
            )
            yield Clause(Atom(ANNOUNCED, (_ROLE, announced)), (does, *drawn, *others))


def _mapped(formula: Formula, change: Callable[[Atom], Atom]) -> Formula:
    if isinstance(formula, Atom):
        return change(formula)
    if isinstance(formula, Not):
        return Not(_mapped(formula.body, change), formula.span)
    return type(formula)(tuple(_mapped(part, change) for part in formula.parts), formula.span)


def _places(size: int) -> tuple[Variable, ...]:
    return tuple(Variable(f"unit {number}") for number in range(size))


def _outcomes_as_variables(pattern: Term, names: Sequence[str]) -> tuple[Term, dict[str, Variable]]:
    """Return a move as it is announced, with a variable of the rules for each outcome."""
    outcomes = {name: Variable(f"outcome of {name}") for name in dict.fromkeys(random_words(pattern, names))}

    def replaced(term: Term) -> Term:
        if isinstance(term, tuple):
            return (term[0], *map(replaced, term[1:]))
        return outcomes.get(term, term) if isinstance(term, str) else term

    return replaced(pattern), outcomes


def _mentioning(term: Term, names: Sequence[str]) -> Iterator[Term]:
    """Yield the parts of a term, itself included, that mention random variables."""
    if any(random_words(term, names)):
        yield term
        if isinstance(term, tuple):
            for part in term[1:]:
                yield from _mentioning(part, names)
