"""Facts and moves: those that rules ask for, those that are possible, and those that are declared."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from ludens.errors import Finding
from ludens.gdl.formulas import Atom, Clause, Signature, atoms
from ludens.gdl.terms import Term, Variable, substitute
from ludens.gdl.validate.chance import random_variables
from ludens.gdl.validate.sheet import Sheet, clash
from ludens.gdl.validate.unification import TermIndex

MAX_ROLES = 20
"""With more roles than this, rules for any role are not checked for each of them."""


class _Given:
    """The facts, or the moves with their roles, that some heads give."""

    def __init__(self, heads: list[Atom]) -> None:
        self.index = TermIndex(map(_term, heads))
        self.has_any = any(isinstance(head.args[-1], Variable) for head in heads)
        self.arities: dict[str, set[int]] = {}
        for head in heads:
            name, arity = _shape(head)
            self.arities.setdefault(name, set()).add(arity)

    def lacks(self, used: Iterable[Atom]) -> Iterator[Atom]:
        """Yield the atoms that no head gives; of an unknown name and arity, only the first."""
        reported: set[Term | Signature] = set()
        for atom in used:
            term = _term(atom)
            if isinstance(term, Variable) or self.index.has_match(term):
                continue
            kind = term if self.index.has_shape(term) else _shape(atom)
            if kind not in reported:
                reported.add(kind)
                yield atom

    def other_arities(self, atom: Atom) -> set[int]:
        """Return the numbers of arguments with which the heads give a name, if none of them is that of the atom."""
        name, arity = _shape(atom)
        found = self.arities.get(name, set())
        return set() if arity in found else found


def _term(atom: Atom) -> Term:
    """Return a fact; or a move as a term of its name, the role and its arguments, so that both are compared."""
    term = atom.args[-1]
    if len(atom.args) == 1 or isinstance(term, Variable):
        return term
    return (term[0], atom.args[0], *term[1:]) if isinstance(term, tuple) else (term, atom.args[0])


def _shape(atom: Atom) -> Signature:
    """Return name and number of arguments of a fact or move."""
    term = atom.args[-1]
    return (str(term[0]), len(term) - 1) if isinstance(term, tuple) else (str(term), 0)


def _facts(sheet: Sheet) -> _Given:
    return _Given(sheet.heads("init", 1) + sheet.heads("next", 1))


def _moves(sheet: Sheet) -> _Given:
    """Return the moves as they are announced, with anything in place of a random variable."""
    names = random_variables(sheet)
    heads = sheet.heads("legal", 2)
    return _Given([Atom(head.name, (head.args[0], _announced(head.args[1], names)), head.span) for head in heads])


def _announced(move: Term, names: Container[str]) -> Term:
    if isinstance(move, tuple):
        return (move[0], *(_announced(part, names) for part in move[1:]))
    return Variable(f"outcome of {move}") if isinstance(move, str) and move in names else move


def _move_text(sheet: Sheet, atom: Atom) -> str:
    role, move = atom.args
    return sheet.text(move) if isinstance(role, Variable) else f"{sheet.text(move)} for {sheet.text(role)}"


def clashing_functions(sheet: Sheet) -> set[str]:
    """Return the names of facts or moves that are used with a number of arguments with which they never occur."""
    asked = ((_facts(sheet), ("true", 1)), (_moves(sheet), ("does", 2)))
    return {
        _shape(atom)[0]
        for given, relation in asked
        for atom in given.lacks(sheet.used.get(relation, []))
        if given.other_arities(atom)
    }


def check_fluents(sheet: Sheet) -> Iterator[Finding]:
    """A fact that neither `init` nor `next` can give is never true."""
    given = _facts(sheet)
    for atom in given.lacks(sheet.used.get(("true", 1), [])):
        if others := given.other_arities(atom):
            yield clash(sheet, atom, _shape(atom), others, "made true", "fact, and never true")
            continue
        yield sheet.finding(
            "fluent-never-true",
            atom.span,
            f"no `init` or `next` can make {sheet.text(atom.args[-1])} true",
            "check its name and arguments, or add what makes it true",
        )


def check_moves(sheet: Sheet) -> Iterator[Finding]:
    """A move that no `legal` rule allows is never made."""
    given = _moves(sheet)
    for atom in given.lacks(sheet.used.get(("does", 2), [])):
        if others := given.other_arities(atom):
            yield clash(sheet, atom, _shape(atom), others, "made legal", "move, and never legal")
            continue
        yield sheet.finding(
            "move-never-legal",
            atom.span,
            f"no `legal` rule allows the move {_move_text(sheet, atom)}",
            "check its name and arguments, or make it legal",
        )


def check_base(sheet: Sheet) -> Iterator[Finding]:
    """Where `base` is given, it lists every possible fact."""
    heads = sheet.heads("base", 1)
    for atom in _Given(heads).lacks(sheet.heads("init", 1) + sheet.heads("next", 1)) if heads else ():
        yield sheet.finding(
            "fluent-not-in-base",
            atom.span,
            f"`{atom.name}` gives {sheet.text(atom.args[-1])}, which no `base` declares",
            "declare it with `base`, or correct its name and arguments",
        )


def check_input(sheet: Sheet) -> Iterator[Finding]:
    """Where `input` is given, it lists every move that can be legal."""
    heads = sheet.heads("input", 2)
    legal = [head for clause in sheet.defined.get(("legal", 2), []) for head in _for_each_role(sheet, clause)]
    for atom in _Given(heads).lacks(legal) if heads else ():
        yield sheet.finding(
            "move-not-in-input",
            atom.span,
            f"`legal` allows {_move_text(sheet, atom)}, which no `input` declares",
            "declare it with `input`, or correct its name and arguments",
        )


def _for_each_role(sheet: Sheet, clause: Clause) -> list[Atom]:
    """Return the head of a clause, once for each role if it is for any role."""
    head, roles = clause.head, sheet.rules.roles
    role = head.args[0]
    if not isinstance(role, Variable) or len(roles) > MAX_ROLES:
        return [head]
    if any(role in atom.variables() for part in clause.body for atom, _ in atoms(part) if atom.name != "role"):
        return [head]
    return [Atom(head.name, tuple(substitute(part, {role: name}) for part in head.args), head.span) for name in roles]


def check_declared(sheet: Sheet) -> Iterator[Finding]:
    """What `base` and `input` declare without need does no harm, but may be a slip."""
    for atom in _never_given(sheet.heads("base", 1), _facts(sheet)):
        yield sheet.finding(
            "base-never-true",
            atom.span,
            f"`base` declares {sheet.text(atom.args[-1])}, but no `init` or `next` makes such a fact true",
            "remove it, or correct its name and arguments",
        )
    for atom in _never_given(sheet.heads("input", 2), _moves(sheet)):
        yield sheet.finding(
            "input-never-legal",
            atom.span,
            f"`input` declares {sheet.text(atom.args[-1])}, but no `legal` rule allows such a move",
            "remove it, or correct its name and arguments",
        )


def _never_given(declared: list[Atom], given: _Given) -> Iterator[Atom]:
    """Yield the first of each name and arity that is declared and never given."""
    first = {_shape(atom): atom for atom in reversed(declared) if not isinstance(atom.args[-1], Variable)}
    for (name, arity), atom in reversed(first.items()):
        if arity not in given.arities.get(name, ()) and not given.has_any:
            yield atom
