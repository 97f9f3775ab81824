"""Plain rules as a logic program for the grounder clingo.

Words become numbers, functions `f1`, `f2` and so on, relations `p1`, variables `V1`, so that nothing needs
escaping. Fluents and moves may hold or not: they are choices over all that `init`, `next` and `legal` allow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ludens.errors import CompileError
from ludens.gdl.formulas import Atom, Literal, Rule, Signature, with_numbered_variables
from ludens.gdl.printer import kif_clause
from ludens.gdl.rewrite import plain_rules
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Term, Variable, constants, natural_key

OUTPUTS: tuple[Signature, ...] = (("init", 1), ("next", 1), ("legal", 2), ("goal", 2), ("terminal", 0))
"""The relations that a game is asked for; others are needed only as far as these depend on them."""
INPUTS: tuple[Signature, ...] = (("true", 1), ("does", 2))
"""The relations that describe a state and a joint move."""

GROUNDING = """\
possible(F) :- init(F).
possible(F) :- next(F).
{true(F)} :- possible(F).
{does(R,M)} :- legal(R,M), player(R).
"""
"""Possible fluents and moves, and what follows from them, in one pass; for grounding, not for solving."""


@dataclass(frozen=True, slots=True)
class AspProgram:
    """The text for the grounder, and the words behind its numbers."""

    text: str
    words: tuple[str, ...]
    """In natural order, so that the order of numbers is that of words."""
    relations: Mapping[str, Signature] = field(default_factory=dict)
    """The relation of the game behind each relation of the text."""


def needed_rules(rules: Rules) -> tuple[Rule, ...]:
    """Return the plain rules that decide play, in an order that depends only on the digest of the rules.

    Raise CompileError if one of them has an unbound variable.
    """
    needed = rules.dependencies.reachable(OUTPUTS)
    for rule in rules.rules:
        if rule.head.signature in needed:
            _check(rules, rule)
    clauses = {kif_clause(clause): clause for clause in map(with_numbered_variables, rules.clauses)}
    ordered = [clauses[text] for text in sorted(clauses)]
    return tuple(rule for rule in plain_rules(ordered) if rule.head.signature in needed)


def translate(
    rules: Iterable[Rule],
    roles: Sequence[str],
    frame: str = GROUNDING,
    shown: Iterable[Signature] = OUTPUTS + INPUTS,
) -> AspProgram:
    """Return the logic program of safe rules, with a frame that says which fluents may hold and which moves be made.

    Of the relations that are `shown` the ground program tells which atom is which.
    """
    rules = list(rules)
    names = _Names(rules, roles)
    lines = [names.rule(rule) for rule in rules]
    lines += [f"player({names.term(role)})." for role in roles]
    lines += [f"#show {names.relations[signature]}/{signature[1]}." for signature in shown]
    relations = {name: signature for signature, name in names.relations.items()}
    return AspProgram("\n".join(lines) + "\n" + frame, tuple(names.words), relations)


class _Names:
    """The numbers of words and of relations."""

    def __init__(self, rules: Sequence[Rule], roles: Sequence[str]) -> None:
        words, relations = set(roles), set[Signature]()
        for rule in rules:
            for atom in (rule.head, *(literal.atom for literal in rule.body)):
                relations.add(atom.signature)
                words.update(word for argument in atom.args for word in constants(argument))
        self.words = {word: number for number, word in enumerate(sorted(words, key=natural_key))}
        self.relations = {signature: f"p{number}" for number, signature in enumerate(sorted(relations))}
        self.relations.update({signature: signature[0] for signature in OUTPUTS + INPUTS})

    def rule(self, rule: Rule) -> str:
        numbers: dict[Variable, str] = {}
        for variable in rule.variables():
            numbers.setdefault(variable, f"V{len(numbers)}")
        head = self._atom(rule.head, numbers)
        if not rule.body:
            return head + "."
        return f"{head} :- {', '.join(self._literal(literal, numbers) for literal in rule.body)}."

    def term(self, term: Term, numbers: dict[Variable, str] | None = None) -> str:
        if isinstance(term, Variable):
            return (numbers or {})[term]
        if isinstance(term, tuple):
            return f"f{self.words[str(term[0])]}({','.join(self.term(part, numbers) for part in term[1:])})"
        return str(self.words[term])

    def _literal(self, literal: Literal, numbers: dict[Variable, str]) -> str:
        if literal.atom.name == "distinct":
            left, right = (self.term(argument, numbers) for argument in literal.atom.args)
            return f"{left}{'!=' if literal.positive else '='}{right}"
        return ("" if literal.positive else "not ") + self._atom(literal.atom, numbers)

    def _atom(self, atom: Atom, numbers: dict[Variable, str]) -> str:
        name = self.relations[atom.signature]
        return f"{name}({','.join(self.term(argument, numbers) for argument in atom.args)})" if atom.args else name


def _check(rules: Rules, rule: Rule) -> None:
    """Raise CompileError for a rule that the grounder cannot read."""
    where = f"{rules.source.place(rule.span)}: " if rules.source and rule.span else ""
    if rule.head.signature in INPUTS:
        raise CompileError(f"{where}a rule defines {rule.head.name}; give the relation another name")
    bound = set[Variable]()
    for literal in rule.body:
        if literal.positive and literal.atom.name != "distinct":
            bound.update(literal.atom.variables())
    for variable in rule.variables():
        if variable not in bound:
            raise CompileError(
                f"{where}the variable {variable} is bound by no positive condition; "
                f"add a condition that lists the values of {variable}"
            )
