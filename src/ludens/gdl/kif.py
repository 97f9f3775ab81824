"""Reading KIF, the prefix syntax of GDL: text to tokens, to nested lists, to clauses.

Every step keeps the places of what it reads, recovers from errors as well as it can, and collects them;
`read_kif` raises them all at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from ludens.gdl.formulas import And, Atom, Clause, Formula, Not, Or
from ludens.gdl.reading import CONNECTIVES, Reading, long_symbol, many_tokens, shown
from ludens.gdl.source import Source, Span
from ludens.gdl.terms import Term, Variable

ARROW = "<="
NOT_IN_SYMBOLS = r"\s\x1a\ufeff();"
"""The characters that end a symbol, as part of a regular expression; also end-of-file and byte order marks."""

_TOKEN = re.compile(rf"[()]|;[^\r\n]*|[^{NOT_IN_SYMBOLS}]+")


class Token(NamedTuple):
    """A parenthesis, a word, or (starting with a semicolon) a comment."""

    text: str
    start: int

    @property
    def span(self) -> Span:
        return Span(self.start, self.start + len(self.text))


@dataclass(slots=True)
class Word:
    text: str
    span: Span


@dataclass(slots=True)
class Group:
    """A parenthesised list."""

    items: list[Node]
    span: Span


Node: TypeAlias = Word | Group


def tokens(text: str) -> Iterator[Token]:
    """Yield all tokens of a text, comments included."""
    for match in _TOKEN.finditer(text):
        yield Token(match.group(), match.start())


def read_nodes(reading: Reading) -> list[Node]:
    """Read the nested lists of a text; report and repair broken parentheses."""
    source = reading.source
    top: list[Node] = []
    open_groups: list[Group] = []

    def unclosed(group: Group) -> None:
        reading.report("unclosed", group.span, "this parenthesis is never closed", "add the missing `)`")

    for number, token in enumerate(tokens(source.text)):
        if number >= source.limits.max_tokens:
            reading.report("too-many-tokens", token.span, many_tokens(source.limits.max_tokens))
            return []
        if token.text[0] == ";":
            continue
        if token.text == "(":
            if len(open_groups) >= source.limits.max_depth:
                reading.report(
                    "too-deep",
                    token.span,
                    f"lists nested more than {source.limits.max_depth} deep",
                    "close the parentheses before this place",
                )
                return top
            open_groups.append(Group([], token.span))
        elif token.text == ")":
            if not open_groups:
                reading.report(
                    "unopened", token.span, "this parenthesis was never opened", "remove it, or open it before"
                )
                continue
            group = open_groups.pop()
            group.span = Span(group.span.start, token.start + 1)
            (open_groups[-1].items if open_groups else top).append(group)
        else:
            if len(token.text) > source.limits.max_symbol:
                reading.report("symbol-too-long", token.span, long_symbol(len(token.text), source.limits.max_symbol))
            word = Word(token.text[: source.limits.max_symbol], token.span)
            if token.text == ARROW and len(open_groups) > 1 and not open_groups[-1].items:
                # A rule inside another: the outer one lacks its end. Report it and start afresh.
                unclosed(open_groups[0])
                open_groups = open_groups[-1:]
            (open_groups[-1].items if open_groups else top).append(word)
    for group in open_groups:
        unclosed(group)
    return top


def read_kif(source: Source) -> Reading:
    """Read a rule sheet in KIF; raise GdlSyntaxError with all its errors."""
    reading = Reading(source)
    for node in read_nodes(reading):
        clause = _clause(reading, node)
        if clause:
            reading.clauses.append(clause)
    return reading.finish()


def _clause(reading: Reading, node: Node) -> Clause | None:
    if isinstance(node, Word) or not _is_operator(node, ARROW):
        if isinstance(node, Group) and _is_operator(node, "=>"):
            reading.report("forward-arrow", node.span, "rules are written backwards", "write `(<= head body ...)`")
            return None
        head = _head(reading, node)
        return Clause(head, (), node.span) if head else None
    if len(node.items) < 2:
        reading.report("no-head", node.span, "a rule without a head", "write `(<= head body ...)`")
        return None
    head = _head(reading, node.items[1])
    body = [_formula(reading, item) for item in node.items[2:]]
    if head is None or None in body:
        return None
    return Clause(head, tuple(part for part in body if part is not None), node.span)


def _is_operator(node: Node, name: str) -> bool:
    return (
        isinstance(node, Group)
        and bool(node.items)
        and isinstance(node.items[0], Word)
        and node.items[0].text.lower() == name
    )


def _head(reading: Reading, node: Node) -> Atom | None:
    for operator in ("not", "or", "and", "distinct"):
        if _is_operator(node, operator):
            reading.report(
                "bad-head",
                node.span,
                f"`{operator}` cannot be the head of a rule",
                "the head is a single relation; move conditions into the body",
            )
            return None
    return _atom(reading, node)


def _formula(reading: Reading, node: Node) -> Formula | None:
    if _is_operator(node, "not"):
        assert isinstance(node, Group)
        if len(node.items) != 2:
            reading.report(
                "bad-not", node.span, f"`not` takes one formula, here are {len(node.items) - 1}", "join them by `and`"
            )
            return None
        body = _formula(reading, node.items[1])
        return Not(body, node.span) if body is not None else None
    for operator, kind in (("or", Or), ("and", And)):
        if _is_operator(node, operator):
            assert isinstance(node, Group)
            parts = [_formula(reading, item) for item in node.items[1:]]
            if None in parts:
                return None
            return kind(tuple(part for part in parts if part is not None), node.span)
    return _atom(reading, node)


def _atom(reading: Reading, node: Node) -> Atom | None:
    if isinstance(node, Word):
        if node.text.startswith("?"):
            reading.report(
                "variable-as-formula", node.span, f"the variable {shown(node.text)} stands where a relation should"
            )
            return None
        if node.text.lower() in CONNECTIVES:
            reading.report(
                "stray-operator", node.span, f"`{node.text}` stands alone", "put it first in a parenthesised list"
            )
            return None
        if node.text.lower() == "distinct":
            reading.report(
                "bad-distinct", node.span, "`distinct` takes two terms, here are none", "write `(distinct ?x ?y)`"
            )
            return None
        return Atom(reading.symbol(node.text), (), node.span)
    name = _name(reading, node, "relation")
    if name is None:
        return None
    if name in (ARROW, "=>"):
        reading.report("nested-rule", node.span, "a rule inside a rule", "end the outer rule before this place")
        return None
    arguments = [_term(reading, item) for item in node.items[1:]]
    if None in arguments:
        return None
    if name == "distinct" and len(arguments) != 2:
        reading.report(
            "bad-distinct",
            node.span,
            f"`distinct` takes two terms, here are {len(arguments)}",
            "write `(distinct ?x ?y)`",
        )
        return None
    return Atom(name, tuple(argument for argument in arguments if argument is not None), node.span)


def _name(reading: Reading, group: Group, kind: str) -> str | None:
    if not group.items:
        reading.report("empty-list", group.span, "an empty list", f"a list starts with the name of a {kind}")
        return None
    first = group.items[0]
    if isinstance(first, Group):
        reading.report("list-as-name", first.span, f"a list stands where the name of a {kind} should")
        return None
    if first.text.startswith("?"):
        reading.report("variable-as-name", first.span, f"the variable {shown(first.text)} cannot name a {kind}")
        return None
    return reading.symbol(first.text)


def _term(reading: Reading, node: Node) -> Term | None:
    if isinstance(node, Word):
        folded = reading.symbol(node.text)
        if not folded.startswith("?"):
            return folded
        if folded == "?":
            reading.report("nameless-variable", node.span, "a variable without a name", "write `?x`")
            return None
        return Variable(folded[1:])
    name = _name(reading, node, "function")
    if name is None:
        return None
    if name in CONNECTIVES:
        reading.report(
            "operator-in-term", node.span, f"`{name}` inside a term", "connectives join relations, not terms"
        )
        return None
    arguments = [_term(reading, item) for item in node.items[1:]]
    if None in arguments:
        return None
    return (name, *(argument for argument in arguments if argument is not None)) if arguments else name


def read_term(text: str) -> Term:
    """Read a single KIF term, such as a move: `read_term("(mark 1 2)")`."""
    reading = Reading(Source(text, "<term>").checked())
    nodes = read_nodes(reading)
    if len(nodes) != 1 and not reading.findings:
        where = Span(0, max(1, len(text)))
        reading.report("not-one-term", where, f"one term was expected, here are {len(nodes)}")
    term = _term(reading, nodes[0]) if nodes else None
    reading.finish()
    assert term is not None
    return term
