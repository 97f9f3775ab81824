"""The `random` relation of stochastic GDL, and how it differs from the role of that name in GDL-II."""

from __future__ import annotations

from collections.abc import Iterator

from ludens.errors import Finding
from ludens.gdl.formulas import Atom
from ludens.gdl.keywords import CHANCE
from ludens.gdl.terms import Term, constants
from ludens.gdl.validate.keywords import RANDOM_ARITY
from ludens.gdl.validate.sheet import Sheet


def check_random_names(sheet: Sheet) -> Iterator[Finding]:
    """A random variable is a plain word, since only the referee may give it a value."""
    for head in sheet.heads(CHANCE, RANDOM_ARITY):
        if not isinstance(head.args[0], str):
            yield sheet.finding(
                "random-name",
                head.span,
                f"the random variable {sheet.text(head.args[0])} is not a plain word",
                "name it by one word, such as `dice` in `(random dice 1 6)`",
            )


def random_variables(sheet: Sheet) -> dict[str, Atom]:
    """The random variables with the first atom that defines each."""
    heads = reversed(sheet.heads(CHANCE, RANDOM_ARITY))
    return {head.args[0]: head for head in heads if isinstance(head.args[0], str)}


def check_random_variables(sheet: Sheet) -> Iterator[Finding]:
    """Players learn outcomes from moves only: a random variable stands in the moves of `legal` and nowhere else."""
    names = random_variables(sheet)
    reported: set[tuple[str, str]] = set()
    heads = [(clause.head, True) for clause in sheet.clauses]
    bodies = [(atom, False) for _, atom in sheet.body_atoms]
    for atom, is_head in heads + bodies:
        for word in _elsewhere(atom, is_head):
            if word in names and (word, atom.name) not in reported:
                reported.add((word, atom.name))
                yield sheet.finding(
                    "random-variable-misplaced",
                    sheet.span_of(word, atom),
                    f"the random variable {sheet.text(word)} stands in `{atom.name}`",
                    "use it only inside the move of `legal`; the move that is announced has the outcome in its place",
                )


def _elsewhere(atom: Atom, is_head: bool) -> Iterator[str]:
    """The words of an atom that stand where no random variable may."""
    places: tuple[Term, ...] = atom.args
    if is_head and atom.signature == (CHANCE, RANDOM_ARITY):
        places = atom.args[1:]
    elif is_head and atom.signature in (("legal", 2), ("input", 2)):
        places = atom.args[:1]
    for place in places:
        yield from constants(place)


def check_random_use(sheet: Sheet) -> Iterator[Finding]:
    """A random variable that stands in no move is never drawn."""
    used = {word for head in sheet.heads("legal", 2) for word in constants(head.args[1])}
    for name, head in random_variables(sheet).items():
        if name not in used:
            yield sheet.finding(
                "random-variable-unused",
                head.span,
                f"the random variable {sheet.text(name)} stands in no move of a `legal` rule",
                "use it in a move, such as `(legal ?player (roll dice))`, or remove it",
            )


def check_random_twofold(sheet: Sheet) -> Iterator[Finding]:
    """Two notions of chance in one sheet are hardly meant."""
    facts = [head for head in sheet.heads("role", 1) if head.args[0] == CHANCE]
    if facts and sheet.heads(CHANCE, RANDOM_ARITY):
        yield sheet.finding(
            "random-twofold",
            facts[0].span,
            "the sheet has both a role `random` and a relation `random`",
            "use one notion of chance: a role that moves at random, or random variables in moves",
        )
