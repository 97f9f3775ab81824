"""Stochastic GDL: the relation `random` as one more role, which draws what moves leave to chance.

`(random dice 1 6)` makes `dice` a random variable with the outcome 6 of weight 1, and in a legal move `(roll dice)` it
stands for what will be drawn. Engines and searches know chance only as the role `random` of GDL-II, whose moves all
have the same chances. So rules with random variables are rewritten:

- The role `random` moves at the same time as the players. In each state it draws one *ticket* for every variable that
  some legal move mentions there; an outcome of weight v has v tickets, divided by what all weights of the variable have
  in common. `(dice 6)` is the first ticket of an outcome, `(dice 6 2)` the second; where an outcome may have several
  weights, `(ball red 2 3)` is the second of the weight 3. `(draw (dice1 6) (dice2 3))` draws for two variables, and
  `nothing` for none.
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
from ludens.gdl.outcome_weights import MAX_TICKETS, WeightTable, lots, moves_by_chance, names_in_moves
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Term, Variable, unifiable, variables
from ludens.gdl.validate.chance import chance_errors

MAX_DRAWS = 100_000
"""With more draws than these, in all states together, rules are not compiled."""
STEPS = 4
"""How fine logarithms to the base 2 are reckoned."""
FULL_LOAD = int(STEPS * log2(MAX_TICKETS))

# Names of relations; no sheet can use them, since no symbol has a space.
PLAYER = "role of players"
ALLOWED = "legal for players"
MENTIONS = "mentions chance"
MADE = "does announced"
NEEDED = "random needed"
SHARE = "random share"
WEIGHT = "random weight"
STRANGE = "random strange"
SPOILT = "random spoilt"
TICKET = "random ticket"
COMBINATION = "random combination"
DRAWN = "random drawn"
LOAD = "random load"
CROWDED = "random crowded"

_ROLE, _MOVE, _NAME = map(Variable, ("a role", "a move", "a name"))
_OUTCOME, _WEIGHT, _NUMBER = map(Variable, ("an outcome", "a weight", "a number"))


def is_stochastic(rules: Rules) -> bool:
    """Whether the rules have random variables."""
    return bool(rules.rules_for(CHANCE, RANDOM_ARITY))


def chance_as_role(rules: Rules) -> Chance:
    """Rewrite rules with random variables; InvalidRulesError if they break the restrictions on these."""
    if found := chance_errors(rules):
        raise InvalidRulesError(found)
    names = names_in_moves(rules)
    tickets = lots(rules, names)
    together = "draw"
    while together in names:
        together += "s"
    sheet = _Rewriting(names, moves_by_chance(rules), together, tuple(_load(tickets[name].most) for name in names))
    clauses = [
        *map(sheet.clause, rules.clauses),
        *sheet.players(rules.roles),
        *sheet.needs(),
        *(clause for name in names for clause in _ticket_clauses(name, tickets[name])),
        *sheet.draws(),
        *sheet.made(),
    ]
    most_draws = prod(1 + tickets[name].most for name in names)
    return Chance(names, together, most_draws, Rules(clauses, rules.spelling, rules.source))


def _load(tickets: int) -> int:
    """Loads add up where numbers of tickets multiply."""
    return int(STEPS * log2(max(1, tickets)))


def _ticket_clauses(name: str, lots: WeightTable) -> Iterator[Clause]:
    """The tickets that there are for a variable in a state."""
    for weight, count in lots.shares.items():
        for number in range(1, count + 1):
            yield Clause(Atom(SHARE, (name, weight, str(number))))
    drawn = [Atom(CHANCE, (name, _WEIGHT, _OUTCOME))]
    sound: list[Formula] = []
    if lots.strange:
        for word in sorted(lots.numbers):
            yield Clause(Atom(WEIGHT, (word,)))
        yield Clause(Atom(STRANGE, (name, _WEIGHT)), (*drawn, Not(Atom(WEIGHT, (_WEIGHT,)))))
        yield Clause(Atom(SPOILT, (name,)), (Atom(STRANGE, (name, _WEIGHT)),))
        sound = [Not(Atom(SPOILT, (name,)))]
    share = Atom(SHARE, (name, _WEIGHT, _NUMBER))
    first = Atom(SHARE, (name, _WEIGHT, "1"))
    plain, numbered, weighed = _forms(name)
    if lots.clashing:
        yield Clause(Atom(TICKET, (name, weighed, _OUTCOME)), (*drawn, share, *sound))
        return
    yield Clause(Atom(TICKET, (name, plain, _OUTCOME)), (*drawn, first, *sound))
    if any(count > 1 for count in lots.shares.values()):
        later = (share, Atom("distinct", (_NUMBER, "1")))
        yield Clause(Atom(TICKET, (name, numbered, _OUTCOME)), (*drawn, *later, *sound))


def _forms(name: str) -> tuple[Term, Term, Term]:
    """How tickets look: the first of an outcome, another, and one of an outcome that may have several weights."""
    return (name, _OUTCOME), (name, _OUTCOME, _NUMBER), (name, _OUTCOME, _NUMBER, _WEIGHT)


# -- rules -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Rewriting:
    """The clauses of the equivalent rules."""

    names: tuple[str, ...]
    patterns: tuple[Term, ...]
    together: str
    loads: tuple[int, ...]
    """For each variable the logarithm of how many tickets it has at most."""

    def clause(self, clause: Clause) -> Clause:
        """A clause of the author: players are not chance, and moves are seen as they are announced."""
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
            return Atom(MADE, atom.args, atom.span)
        return atom

    def _is_chancy(self, move: Term) -> bool:
        """Whether a condition on moves may speak of an announced move that was left to chance, or of chance itself."""
        return any(unifiable(move, other) for other in self._by_chance)

    @cached_property
    def _by_chance(self) -> tuple[Term, ...]:
        announced = (_outcomes_as_variables(pattern, self.names)[0] for pattern in self.patterns)
        tickets = (ticket for name in self.names for ticket in _forms(name))
        draws: list[Term] = [(self.together, *_places(size)) for size in range(2, len(self.names) + 1)]
        return (*announced, NOTHING, *tickets, *draws)

    def players(self, roles: Iterable[str]) -> Iterator[Clause]:
        for role in roles:
            yield Clause(Atom(PLAYER, (role,)))
        yield Clause(Atom("role", (CHANCE,)))
        yield Clause(Atom("legal", (_ROLE, _MOVE)), (Atom(ALLOWED, (_ROLE, _MOVE)), Atom(PLAYER, (_ROLE,))))

    def needs(self) -> Iterator[Clause]:
        """A variable is drawn where a legal move mentions it."""
        for pattern in self.patterns:
            for name in dict.fromkeys(random_words(pattern, self.names)):
                yield Clause(Atom(NEEDED, (name,)), (Atom(PLAYER, (_ROLE,)), Atom(ALLOWED, (_ROLE, pattern))))

    def crowds(self) -> Iterator[Clause]:
        """Nothing is drawn in a state that needs too many combinations, so that nobody has to list them."""
        possible = {0}
        yield Clause(Atom(LOAD, ("0", "0")))
        for number, (name, load) in enumerate(zip(self.names, self.loads, strict=True), start=1):
            needed = Atom(NEEDED, (name,))
            for total in sorted(possible):
                before = Atom(LOAD, (str(number - 1), str(total)))
                fits = total + load <= FULL_LOAD
                yield Clause(Atom(LOAD, (str(number), str(total + load))) if fits else Atom(CROWDED), (before, needed))
                yield Clause(Atom(LOAD, (str(number), str(total))), (before, Not(needed)))
            possible |= {total + load for total in possible if total + load <= FULL_LOAD}

    def draws(self) -> Iterator[Clause]:
        """The moves of chance: combinations of tickets, one for each variable that is needed, in their order."""
        crowded = sum(self.loads) > FULL_LOAD
        yield from self.crowds() if crowded else ()
        yield Clause(Atom(COMBINATION, ("0",)), (Not(Atom(CROWDED)),) if crowded else ())
        largest = sum(total <= FULL_LOAD for total in accumulate(sorted(self.loads)))
        for number, name in enumerate(self.names, start=1):
            before, after, needed = str(number - 1), str(number), Atom(NEEDED, (name,))
            for size in range(min(number, largest + 1)):
                places = _places(size + 1)
                fewer = Atom(COMBINATION, (before, *places[:-1]))
                yield Clause(Atom(COMBINATION, (after, *places[:-1])), (fewer, Not(needed)))
                if size < largest:
                    ticket = Atom(TICKET, (name, places[-1], _OUTCOME))
                    yield Clause(Atom(COMBINATION, (after, *places)), (fewer, needed, ticket))
        for size in range(largest + 1):
            places = _places(size)
            draw: Term = (self.together, *places) if size > 1 else places[0] if places else NOTHING
            yield Clause(Atom("legal", (CHANCE, draw)), (Atom(COMBINATION, (str(len(self.names)), *places)),))
            for place in places:
                ticket = Atom(TICKET, (_NAME, place, _OUTCOME))
                yield Clause(Atom(DRAWN, (_NAME, _OUTCOME)), (Atom("does", (CHANCE, draw)), ticket))

    def made(self) -> Iterator[Clause]:
        """Moves as they are announced."""
        does = Atom("does", (_ROLE, _MOVE))
        plain = (does, Atom(PLAYER, (_ROLE,)), Not(Atom(MENTIONS, (_MOVE,))))
        yield Clause(Atom(MADE, (_ROLE, _MOVE)), plain)
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
            yield Clause(Atom(MADE, (_ROLE, announced)), (does, *drawn, *others))


def _mapped(formula: Formula, change: Callable[[Atom], Atom]) -> Formula:
    if isinstance(formula, Atom):
        return change(formula)
    if isinstance(formula, Not):
        return Not(_mapped(formula.body, change), formula.span)
    return type(formula)(tuple(_mapped(part, change) for part in formula.parts), formula.span)


def _places(size: int) -> tuple[Variable, ...]:
    return tuple(Variable(f"ticket {number}") for number in range(size))


def _outcomes_as_variables(pattern: Term, names: Sequence[str]) -> tuple[Term, dict[str, Variable]]:
    """A move as it is announced, with a variable of the rules for each outcome."""
    outcomes = {name: Variable(f"outcome of {name}") for name in dict.fromkeys(random_words(pattern, names))}

    def replaced(term: Term) -> Term:
        if isinstance(term, tuple):
            return (term[0], *map(replaced, term[1:]))
        return outcomes.get(term, term) if isinstance(term, str) else term

    return replaced(pattern), outcomes


def _mentioning(term: Term, names: Sequence[str]) -> Iterator[Term]:
    """The parts of a term, itself included, that mention random variables."""
    if any(random_words(term, names)):
        yield term
        if isinstance(term, tuple):
            for part in term[1:]:
                yield from _mentioning(part, names)
