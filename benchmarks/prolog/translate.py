"""A rule sheet as a Prolog program: clause for clause, as the papers on general game playing did it.

`or` becomes a disjunction, `not` negation as failure and `distinct` `\\=`; fluents and moves are dynamic facts.
Two things are not quite as the sheet has them. A test moves to where its variables first have values, because
Prolog asks from left to right. And `(true (cell 1 2 x))` is a predicate `true cell` with three arguments instead
of one with a compound argument, which lets Prolog index them; in most games tried that was faster.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from ludens.gdl.formulas import And, Atom, Clause, Formula, Not, Signature, atoms, bound_variables
from ludens.gdl.rules import Rules
from ludens.gdl.terms import GroundTerm, Term, Variable

DRIVER = Path(__file__).with_name("driver.pl")
BUILT_IN = {("true", 1), ("does", 2), ("distinct", 2)}
ASKED = {("init", 1), ("next", 1), ("legal", 2), ("goal", 2), ("terminal", 0)}
NO_VARIABLES: frozenset[Variable] = frozenset()


def prolog_program(rules: Rules, tabled: bool) -> str:
    """The whole program of a game. With tables, recursive relations remember their answers within a state.

    Recursion that can walk in circles ends only with tables; elsewhere they may help or hinder.
    """
    mentioned = {atom.signature for atom in _atoms(rules)} | ASKED
    undefined = sorted(mentioned - set(rules.relations) - BUILT_IN)
    lines = [
        ":- set_prolog_flag(optimise, true).",
        ":- style_check(-singleton).",
        ":- style_check(-no_effect).",
        *(f":- dynamic {_predicate(name)}/{arity}." for name, arity in undefined),
        *_state_store(rules),
        *_tables(rules if tabled else None),
        f"roles([{', '.join(map(quoted, rules.roles))}]).",
        *(_clause(clause) for clause in sorted(rules.clauses, key=lambda clause: clause.head.signature)),
    ]
    return "\n".join(lines) + "\n\n" + DRIVER.read_text(encoding="utf-8")


def has_recursion(rules: Rules) -> bool:
    return bool(rules.dependencies.recursive)


def quoted(word: str) -> str:
    r"""A word as a Prolog atom, whatever its characters.

    >>> print(quoted("it's"), quoted("back\\slash"))
    'it\'s' 'back\\slash'
    """
    return "'" + word.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


def prolog_term(term: Term | GroundTerm) -> str:
    """A term in Prolog; variables get names that Prolog takes for variables.

    >>> print(prolog_term(("cell", "1", Variable("x+"))))
    'cell'('1',V_x_2b_)
    """
    if isinstance(term, Variable):
        return "V_" + "".join(char if char.isascii() and char.isalnum() else f"_{ord(char):x}_" for char in term.name)
    if isinstance(term, str):
        return quoted(term)
    return _applied(quoted(str(term[0])), map(prolog_term, term[1:]))


def _state_store(rules: Rules) -> Iterator[str]:
    """Predicates to store, list and forget the facts of a state, by the names of the fluents."""
    facts = {_fluent(atom) for atom in _atoms(rules) if atom.name in ("true", "next", "init")}
    if ("", -1) in facts:
        raise ValueError("a fluent is given by a variable alone, which this translation does not cover")
    forget = ["true"]
    for name, arity in sorted(facts):
        arguments = [f"A{number}" for number in range(arity)]
        fact, stored = _applied(quoted(name), arguments), _applied(quoted(f"true {name}"), arguments)
        yield f":- dynamic {quoted(f'true {name}')}/{arity}."
        yield f"store({fact}) :- assertz({stored})."
        yield f"current({fact}) :- {stored}."
        forget.append(f"retractall({_applied(quoted(f'true {name}'), '_' * arity)})")
    yield f"forget_state :- {', '.join(forget)}."


def _tables(rules: Rules | None) -> Iterator[str]:
    """Tables for the recursive relations; what follows from the state is forgotten with it."""
    forget = ["true"]
    for name, arity in sorted(rules.dependencies.recursive) if rules else ():
        yield f":- table {_predicate(name)}/{arity}."
        if rules and rules.dependencies.reachable([(name, arity)]) & BUILT_IN - {("distinct", 2)}:
            forget.append(f"abolish_table_subgoals({_applied(_predicate(name), '_' * arity)})")
    yield f"forget_tables :- {', '.join(forget)}."


def _atoms(rules: Rules) -> Iterator[Atom]:
    for clause in rules.clauses:
        for formula in (clause.head, *clause.body):
            yield from (atom for atom, _ in atoms(formula))


def _fluent(atom: Atom) -> Signature:
    """The name and number of arguments of the fact in `true`, `next` or `init`; no name for a variable."""
    (fact,) = atom.args
    if isinstance(fact, tuple):
        return str(fact[0]), len(fact) - 1
    return (fact, 0) if isinstance(fact, str) else ("", -1)


def _clause(clause: Clause) -> str:
    body = _conjunction(clause.body, NO_VARIABLES)
    return f"{_atom(clause.head)} :- {body}." if clause.body else f"{_atom(clause.head)}."


def _conjunction(parts: Iterable[Formula], bound: frozenset[Variable]) -> str:
    """The parts in their order, but each test as soon as its variables have values, at the latest at the end."""
    parts = list(parts)
    tests = [part for part in parts if _is_test(part)]
    goals: list[str] = []

    def add_tests() -> None:
        for test in tests.copy():
            if {variable for atom, _ in atoms(test) for variable in atom.variables()} <= bound:
                tests.remove(test)
                goals.append(_formula(test, bound))

    add_tests()
    for part in parts:
        if not _is_test(part):
            goals.append(_formula(part, bound))
            bound |= bound_variables(part)
            add_tests()
    goals += [_formula(test, bound) for test in tests]
    return ", ".join(goals) or "true"


def _is_test(formula: Formula) -> bool:
    return isinstance(formula, Not) or (isinstance(formula, Atom) and formula.name == "distinct")


def _formula(formula: Formula, bound: frozenset[Variable]) -> str:
    if isinstance(formula, Atom):
        return _atom(formula)
    if isinstance(formula, Not):
        return f"\\+ ({_formula(formula.body, bound)})"
    if isinstance(formula, And):
        return f"({_conjunction(formula.parts, bound)})"
    return f"({' ; '.join(_formula(part, bound) for part in formula.parts)})" if formula.parts else "fail"


def _atom(atom: Atom) -> str:
    if atom.name == "distinct":
        return f"{prolog_term(atom.args[0])} \\= {prolog_term(atom.args[1])}"
    if atom.name == "true":
        (fact,) = atom.args
        arguments = fact[1:] if isinstance(fact, tuple) else ()
        return _applied(quoted(f"true {_fluent(atom)[0]}"), map(prolog_term, arguments))
    return _applied(_predicate(atom.name), map(prolog_term, atom.args))


def _predicate(relation: str) -> str:
    """The predicate of a relation, which no predicate of Prolog or of the driver is called."""
    return quoted(f"gdl {relation}")


def _applied(name: str, arguments: Iterable[str]) -> str:
    listed = ",".join(arguments)
    return f"{name}({listed})" if listed else name
