"""Names that are used and not defined, defined and not used, or used in two ways: mostly slips of the pen."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from ludens.errors import Finding
from ludens.gdl.formulas import Atom, Signature
from ludens.gdl.keywords import ARITIES, CHANCE, KEYWORDS
from ludens.gdl.terms import Term, Variable
from ludens.gdl.validate.keywords import RANDOM_ARITY
from ludens.gdl.validate.sheet import BUILT_IN, Sheet, counted, listed

_ASKED: frozenset[Signature] = frozenset({*ARITIES.items(), (CHANCE, RANDOM_ARITY)})
"""The relations that whoever plays the game asks for."""


def check_undefined_relations(sheet: Sheet) -> Iterator[Finding]:
    """A relation that no rule defines is false everywhere; with another number of arguments it is another relation."""
    arities: dict[str, list[int]] = {}
    for name, arity in sheet.defined:
        arities.setdefault(name, []).append(arity)
    for (name, arity), uses in sheet.used.items():
        if (name, arity) in sheet.defined or (name, arity) in BUILT_IN or name in KEYWORDS:
            continue
        written = sheet.text(name)
        if name in arities:
            numbers = " or ".join(map(str, sorted(arities[name])))
            yield sheet.finding(
                "arity-clash",
                uses[0].span,
                f"{written} has {counted(arity, 'argument')} here, but it is only defined with {numbers}",
                "use the same number of arguments; with another number it is another relation, and false",
            )
        else:
            yield sheet.finding(
                "undefined-relation",
                uses[0].span,
                f"no rule defines {written}, so it is false everywhere ({counted(len(uses), 'use')})",
                _suggestion(sheet, name, [*arities, *ARITIES]) or f"define {written}, or remove the condition",
            )


def _suggestion(sheet: Sheet, name: str, known: list[str]) -> str:
    close = get_close_matches(name, known, 1, 0.75)
    return f"did you mean {sheet.text(close[0])}?" if close else ""


def check_unused_relations(sheet: Sheet) -> Iterator[Finding]:
    """What nothing asks for, not even indirectly, has no influence on the game."""
    reached = sheet.rules.dependencies.reachable(_ASKED)
    for signature, clauses in sheet.defined.items():
        if signature not in reached and signature[0] not in KEYWORDS:
            where = "only by rules that are not used themselves" if signature in sheet.used else "nowhere"
            yield sheet.finding(
                "unused-relation",
                clauses[0].head.span,
                f"{sheet.text(signature[0])} is defined, but used {where}",
                "remove it, or use it where it was meant",
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
    reported: set[str] = set()
    for atom in sheet.all_atoms():
        if atom.name not in ("legal", "does", "goal", "sees", "input") or len(atom.args) != 2 or not roles:
            continue
        role = atom.args[0]
        if not isinstance(role, Variable) and role not in roles and str(role) not in reported:
            reported.add(str(role))
            name = role if isinstance(role, str) else str(role[0])
            yield sheet.finding(
                "unknown-role",
                sheet.span_of(name, atom),
                f"{sheet.text(role)} stands for a role in `{atom.name}`, but is none",
                _suggestion(sheet, name, list(roles)) or f"the roles are {listed(list(sheet.rules.roles))}",
            )
