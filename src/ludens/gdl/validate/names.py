"""Names that are used and not defined, defined and not used, or used in two ways: mostly slips of the pen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from itertools import islice

from ludens.errors import Finding
from ludens.gdl.formulas import Atom, Signature
from ludens.gdl.keywords import ARITIES, CHANCE, KEYWORDS, RANDOM_ARITY
from ludens.gdl.terms import Term, Variable
from ludens.gdl.validate.fluents import clashing_functions
from ludens.gdl.validate.sheet import BUILT_IN, Sheet, clash, counted, listed

_ASKED: frozenset[Signature] = frozenset({*ARITIES.items(), (CHANCE, RANDOM_ARITY)})
"""The relations that players and referees ask for."""
_OPTIONAL: frozenset[Signature] = frozenset({("base", 1), ("input", 2)})
"""The words of the language that a sheet can do without, but not ask for then."""

MAX_HINTS = 10
MAX_KNOWN = 1000
MAX_NAME = 40


class _Hints:
    """Guesses of the intended name; only the first few, since comparing with all names takes long."""

    def __init__(self, sheet: Sheet, known: Iterable[str]) -> None:
        self.sheet = sheet
        self.known = [name for name in islice(known, MAX_KNOWN) if len(name) <= MAX_NAME]
        self.left = MAX_HINTS

    def __call__(self, name: str) -> str:
        """Return `did you mean ...?`, or nothing."""
        self.left -= 1
        if self.left < 0 or len(name) > MAX_NAME:
            return ""
        close = get_close_matches(name, [known for known in self.known if known != name], 1, 0.75)
        return f"did you mean {self.sheet.text(close[0])}?" if close else ""


def check_undefined_relations(sheet: Sheet) -> Iterator[Finding]:
    """A relation that no rule defines is false everywhere; with another number of arguments it is another relation."""
    arities: dict[str, list[int]] = {}
    for name, arity in sheet.defined:
        arities.setdefault(name, []).append(arity)
    hint = _Hints(sheet, [*ARITIES, *arities])
    for (name, arity), uses in sheet.used.items():
        if (name, arity) in sheet.defined or (name, arity) in BUILT_IN or _has_check_of_its_own(name, arity):
            continue
        written = sheet.text(name)
        if name in arities:
            yield clash(sheet, uses[0], (name, arity), arities[name], "defined", "relation, and false")
        else:
            yield sheet.finding(
                "undefined-relation",
                uses[0].span,
                f"no rule defines {written}, so it is false everywhere ({counted(len(uses), 'use')})",
                hint(name) or f"define {written}, or remove the condition",
            )


def _has_check_of_its_own(name: str, arity: int) -> bool:
    """Return whether other checks tell that a word of the language is missing or misplaced."""
    return name in KEYWORDS and (name, arity) not in _OPTIONAL


def check_unused_relations(sheet: Sheet) -> Iterator[Finding]:
    """A relation that nothing asks for, not even indirectly, has no influence on the game."""
    reached = sheet.rules.dependencies.reachable(_ASKED)
    hints = {arity: _Hints(sheet, [name for name, size in _ASKED if size == arity]) for _, arity in _ASKED}
    for (name, arity), clauses in sheet.defined.items():
        if (name, arity) not in reached and name not in KEYWORDS:
            where = "only by rules that are not used themselves" if (name, arity) in sheet.used else "nowhere"
            yield sheet.finding(
                "unused-relation",
                clauses[0].head.span,
                f"{sheet.text(name)} is defined, but used {where}",
                (hints[arity](name) if arity in hints else "") or "remove it, or use it where it was meant",
            )


def check_several_arities(sheet: Sheet) -> Iterator[Finding]:
    """The same name with different numbers of arguments means different things, which confuses people."""
    relations: dict[str, dict[int, Atom]] = {}
    functions: dict[str, dict[int, Atom]] = {}
    for atom in sheet.all_atoms():
        if atom.name not in KEYWORDS and atom.signature in sheet.defined:
            relations.setdefault(atom.name, {}).setdefault(len(atom.args), atom)
        for argument in atom.args:
            for name, arity in _functions(argument):
                functions.setdefault(name, {}).setdefault(arity, atom)
    for name in clashing_functions(sheet):
        functions.pop(name, None)
    for kind, table in (("relation", relations), ("function", functions)):
        for name, arities in table.items():
            if len(arities) > 1 and name not in KEYWORDS:
                numbers = listed([str(number) for number in sorted(arities)])
                last = list(arities.values())[-1]
                yield sheet.finding(
                    "several-arities",
                    sheet.span_of(name, last),
                    f"the {kind} {sheet.text(name)} is written with {numbers} arguments",
                    f"these are different {kind}s; give each its own name",
                )


def _functions(term: Term) -> Iterator[Signature]:
    if isinstance(term, tuple):
        yield str(term[0]), len(term) - 1
        for argument in term[1:]:
            yield from _functions(argument)


def check_role_names(sheet: Sheet) -> Iterator[Finding]:
    """Where a role is expected, any other word never matters."""
    roles = set(sheet.rules.roles)
    hint = _Hints(sheet, sheet.rules.roles)
    reported: set[Term] = set()
    for atom in sheet.all_atoms():
        if atom.name not in ("legal", "does", "goal", "sees", "input") or len(atom.args) != 2 or not roles:
            continue
        role = atom.args[0]
        if not isinstance(role, Variable) and role not in roles and role not in reported:
            reported.add(role)
            name = role if isinstance(role, str) else str(role[0])
            yield sheet.finding(
                "unknown-role",
                sheet.span_of(name, atom),
                f"{sheet.text(role)} stands for a role in `{atom.name}`, but is none",
                hint(name) or f"the roles are {listed(list(sheet.rules.roles))}",
            )
