"""The use of reserved words: their arguments and places."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ludens.errors import Finding
from ludens.gdl.formulas import Atom
from ludens.gdl.keywords import ARITIES, CHANCE, KEYWORDS, RANDOM_ARITY
from ludens.gdl.terms import Term
from ludens.gdl.validate.sheet import Sheet, counted

_ARITIES = {**ARITIES, CHANCE: RANDOM_ARITY}
_SHAPES = {
    "role": "(role player)",
    "init": "(init fact)",
    "true": "(true fact)",
    "does": "(does player move)",
    "next": "(next fact)",
    "legal": "(legal player move)",
    "goal": "(goal player value)",
    "terminal": "terminal",
    "base": "(base fact)",
    "input": "(input player move)",
    "sees": "(sees player percept)",
    CHANCE: "(random name weight outcome)",
    "distinct": "(distinct term term)",
}


def check_keyword_arity(sheet: Sheet, relations: Collection[str] = tuple(_ARITIES)) -> Iterator[Finding]:
    """The relations of the language have fixed numbers of arguments."""
    for atom in sheet.all_atoms():
        if atom.name in relations and len(atom.args) != _ARITIES[atom.name]:
            arity = _ARITIES[atom.name]
            yield sheet.finding(
                "keyword-arity",
                atom.span,
                f"`{atom.name}` takes {counted(arity, 'argument')}, here it has {len(atom.args)}",
                f"write `{_SHAPES[atom.name]}`",
            )


def check_keywords_in_terms(sheet: Sheet) -> Iterator[Finding]:
    """A relation of the language inside a term is a mere function or object, which is never meant."""
    reported: set[tuple[str, bool]] = set()
    for atom in sheet.all_atoms():
        if atom.name == "sees" and len(atom.args) == ARITIES["sees"]:
            atom = Atom(atom.name, atom.args[:1], atom.span)  # a percept may well read `(does white (move 1 2))`
        for argument in atom.args:
            for word, arity in _words(argument):
                if word in KEYWORDS and word != CHANCE and (word, arity > 0) not in reported:
                    reported.add((word, arity > 0))
                    yield _keyword_in_term(sheet, atom, word, arity > 0)


def _keyword_in_term(sheet: Sheet, atom: Atom, word: str, is_function: bool) -> Finding:
    span = sheet.span_of(word, atom)
    if is_function:
        return sheet.finding(
            "keyword-in-term",
            span,
            f"the keyword `{word}` stands inside a term of `{atom.name}`, where it is a mere function",
            f"take `{_SHAPES.get(word, word)}` out into a condition of its own, or choose another name",
        )
    return sheet.finding(
        "keyword-as-constant",
        span,
        f"the keyword `{word}` names an object inside `{atom.name}`",
        "choose another name, so that no reader takes it for the keyword",
    )


def _words(term: Term) -> Iterator[tuple[str, int]]:
    """Yield the constants (0) and functions of a term with their numbers of arguments."""
    if isinstance(term, str):
        yield term, 0
    elif isinstance(term, tuple):
        yield str(term[0]), len(term) - 1
        for argument in term[1:]:
            yield from _words(argument)
