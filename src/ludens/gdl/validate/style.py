"""Forms that deviate from the language but mean one thing: accepted, each kind with one hint."""

from __future__ import annotations

from collections.abc import Iterator

from ludens.errors import Finding
from ludens.gdl.formulas import And, Atom, Formula, Not, Or
from ludens.gdl.infix import infix_tokens
from ludens.gdl.kif import ARROW, Token, tokens
from ludens.gdl.source import Span
from ludens.gdl.validate.sheet import Sheet, counted, listed

_FORMS = {
    "single-or": ("`or` with one part is that part", "write the part alone"),
    "empty-connective": ("`or` without parts is false, `and` without parts is true", "remove it"),
    "and-in-body": ("the conditions of a body hold together anyway; `and` is no part of GDL", "leave out the `and`"),
    "double-negation": ("`not` of `not` is the thing itself", "leave out both"),
    "negated-distinct": (
        "`(not (distinct ?a ?b))` says that two terms are equal",
        "use the same variable or term in both places",
    ),
    "negated-formula": (
        "`not` stands before more than a single relation",
        "negate the parts: `(not (or a b))` is `(not a) (not b)`",
    ),
    "empty-body": ("a rule without conditions is a fact", "write the head alone"),
    "needless-parentheses": (
        "a word without arguments is written in parentheses",
        "write it without: `terminal`, not `(terminal)`",
    ),
}


def check_forms(sheet: Sheet) -> Iterator[Finding]:
    """Connectives where the language would say the same more simply."""
    found: dict[str, list[Span | None]] = {}
    for clause in sheet.clauses:
        for part in clause.body:
            for code, formula in _deviations(part):
                found.setdefault(code, []).append(formula.span)
    yield from _hints(sheet, found)


def _deviations(formula: Formula) -> Iterator[tuple[str, Formula]]:
    if isinstance(formula, Atom):
        return
    if isinstance(formula, Not):
        inner = formula.body
        if isinstance(inner, Not):
            yield "double-negation", formula
        elif isinstance(inner, And | Or):
            yield "negated-formula", formula
        elif inner.name == "distinct":
            yield "negated-distinct", formula
        yield from _deviations(inner)
        return
    if not formula.parts:
        yield "empty-connective", formula
    elif isinstance(formula, And):
        yield "and-in-body", formula
    elif len(formula.parts) == 1:
        yield "single-or", formula
    for part in formula.parts:
        yield from _deviations(part)


def check_layout(sheet: Sheet) -> Iterator[Finding]:
    """Forms that only the text still shows: `(terminal)`, `(<= (p a))`."""
    found: dict[str, list[Span | None]] = {}
    for clause in sheet.clauses:
        stream = _kif_tokens(sheet, clause.span)
        if not clause.body and [token.text for token in stream[:2]] == ["(", ARROW]:
            found.setdefault("empty-body", []).append(clause.span)
        for opening, word, closing in zip(stream, stream[1:], stream[2:], strict=False):
            if opening.text == "(" and closing.text == ")" and word.text not in "()":
                span = Span(opening.start, closing.start + 1)
                found.setdefault("needless-parentheses", []).append(span)
    yield from _hints(sheet, found)


def _hints(sheet: Sheet, found: dict[str, list[Span | None]]) -> Iterator[Finding]:
    for code, spans in found.items():
        message, remedy = _FORMS[code]
        yield sheet.finding(code, spans[0], f"{message} ({counted(len(spans), 'time')})", remedy)


def check_case(sheet: Sheet) -> Iterator[Finding]:
    """GDL does not tell `Cell` from `cell`, but people do."""
    spellings: dict[tuple[str, int | None], dict[str, Token]] = {}
    for number, clause in enumerate(sheet.clauses):
        for token, is_variable in _words(sheet, clause.span):
            word = token.text.strip('?"') if sheet.is_infix else token.text
            scope = number if is_variable else None
            spellings.setdefault((word.lower(), scope), {}).setdefault(word, token)
    mixed = [list(ways.values()) for ways in spellings.values() if len(ways) > 1]
    if mixed:
        examples = listed(["/".join(f"`{token.text}`" for token in ways) for ways in mixed], 3)
        yield sheet.finding(
            "mixed-case",
            min(way.span for ways in mixed for way in ways[1:]),
            f"{counted(len(mixed), 'word')} in several spellings of case: {examples}",
            "they are the same to GDL; write each in one way",
        )


def _words(sheet: Sheet, span: Span | None) -> Iterator[tuple[Token, bool]]:
    """Yield the words of a clause, each with whether it is a variable."""
    if span and sheet.is_infix:
        for token in infix_tokens(sheet.source_text(span)):
            if token.kind in ("name", "quoted", "variable"):
                yield Token(token.text, token.start + span.start), token.kind == "variable"
    for word in _kif_tokens(sheet, span):
        yield word, word.text.startswith("?")


def _kif_tokens(sheet: Sheet, span: Span | None) -> list[Token]:
    """Return the tokens of a clause in the text, without comments; none where the text is not KIF."""
    text = sheet.source_text(span)
    if span is None or not text.startswith("("):
        return []
    return [Token(token.text, token.start + span.start) for token in tokens(text) if not token.text.startswith(";")]
