"""Reading the infix syntax of GDL: `legal(W,mark(X,Y)) :- true(cell(X,Y,b)) & true(control(W))`.

Variables start with a capital letter or `_` (a lone `_` is a new variable each time); `~` negates,
`&` (or `,`) binds tighter than `|`, parentheses group, `%` starts a comment. White space alone
separates statements; a full stop after one is allowed. So that every symbol of KIF can be written,
odd ones stand in double quotes (`"+"`), and odd variables after a question mark (`?1`, `?"n++"`).
The prefix forms `not(..)`, `or(..)` and `and(..)` are read too: they can join any number of formulas.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import count
from typing import NamedTuple, NoReturn, TypeVar

from ludens.gdl.formulas import And, Atom, Clause, Formula, Not, Or
from ludens.gdl.kif import NOT_IN_SYMBOLS
from ludens.gdl.reading import CONNECTIVES, Reading, long_symbol, many_tokens, shown
from ludens.gdl.source import Source, Span
from ludens.gdl.terms import Term, Variable

Part = TypeVar("Part")

_TOKEN = re.compile(
    rf"""(?P<comment>%[^\r\n]*)
      | (?P<mark>:-|[()&|~,.])
      | (?P<name>[+-]?[0-9]+\.[0-9]+(?!\w)|[+-][0-9]+(?!\w)|\w+)
      | (?P<quoted>"(?:[^"\\\r\n]++|\\[^\r\n])*+")
      | (?P<variable>\?(?:\w+|"(?:[^"\\\r\n]++|\\[^\r\n])*+"))
      | (?P<unclosed>\??"[^\r\n]*)
      | (?P<stray>[^{NOT_IN_SYMBOLS}\w&|~,.%"?]+|[;?])
    """,
    re.VERBOSE,
)
_BARE_NAME = re.compile(r"[+-]?[0-9]+\.[0-9]+|[+-][0-9]+|\w+")
_BARE_VARIABLE = re.compile(r"\w+")
_ESCAPE = re.compile(r"\\(.)")
_COMMENT = re.compile(r"[;%][^\r\n]*")
_KIF_RULE = re.compile(r"\(\s*<=")
_LEADING = re.compile(r"(?:[\s\x1a\ufeff]+|[;%][^\r\n]*)*")
_INFIX_ONLY = re.compile(r':-|[\w"]\(|^[^;%"\n]*[~&|]', re.MULTILINE)
_OPENING = frozenset({"(", ",", "&", "|", "~", ":-"})
_CONTINUING = frozenset({")", ",", "&", "|", ".", ":-"})


class InfixToken(NamedTuple):
    """A piece of the text; the kind is that of the pattern above, or `end`."""

    kind: str
    text: str
    start: int

    @property
    def span(self) -> Span:
        return Span(self.start, self.start + max(1, len(self.text)))


def infix_tokens(text: str) -> Iterator[InfixToken]:
    """Yield all tokens of a text, comments included. A word that is a variable has that kind."""
    for match in _TOKEN.finditer(text):
        kind, word = str(match.lastgroup), match.group()
        if kind == "name" and is_variable_name(word):
            kind = "variable"
        yield InfixToken(kind, word, match.start())


def is_variable_name(word: str) -> bool:
    """Return whether a bare word is a variable: it starts with `_` or with a letter that has a lower case."""
    return word[0] == "_" or word[0].lower() != word[0]


def is_bare_name(text: str) -> bool:
    """Return whether a constant or name can stand without quotes."""
    return bool(_BARE_NAME.fullmatch(text)) and not is_variable_name(text)


def is_bare_variable(text: str) -> bool:
    """Return whether a variable can stand without its question mark."""
    return bool(_BARE_VARIABLE.fullmatch(text)) and is_variable_name(text) and text != "_"


def needs_quotes_as_variable(text: str) -> bool:
    """Return whether a variable needs quotes after its question mark."""
    return not _BARE_VARIABLE.fullmatch(text)


def quoted(text: str) -> str:
    """Return a symbol in double quotes.

    >>> print(quoted('say"cheese'))
    "say\\"cheese"
    """
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def looks_infix(text: str) -> bool:
    """Return whether a sheet seems to be in infix syntax rather than in KIF.

    KIF starts with a parenthesis. Only a sheet that starts with a word needs a closer look.
    """
    leading = _LEADING.match(text)
    start = leading.end() if leading else 0
    if start == len(text):
        return "%" in text and ";" not in text
    if text[start] == "(":
        return False
    code = _COMMENT.sub("", text[start:])
    return not _KIF_RULE.search(code) and bool(_INFIX_ONLY.search(code))


def read_infix(source: Source) -> Reading:
    """Read a rule sheet in infix syntax; raise GdlSyntaxError with all its errors."""
    reading = Reading(source)
    statements = _Statements(reading)
    while not statements.at_end():
        clause = statements.read()
        if clause:
            reading.clauses.append(clause)
    return reading.finish()


class _BrokenError(Exception):
    """A statement cannot be read on; the arguments are those of `Reading.report`."""


class _Statements:
    """A recursive-descent reader. An error ends its statement; reading goes on with the next."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.text = reading.source.text
        self.limits = reading.source.limits
        self.tokens = self._tokens()
        self.at = 0
        self.depth = 0
        self.taken = {token.text.lower().strip('?"') for token in self.tokens if token.kind == "variable"}
        self.fresh = count(1)

    def _tokens(self) -> list[InfixToken]:
        tokens: list[InfixToken] = []
        for number, token in enumerate(infix_tokens(self.text)):
            if number >= self.limits.max_tokens:
                self.reading.report("too-many-tokens", token.span, many_tokens(self.limits.max_tokens))
                tokens.clear()
                break
            if token.kind != "comment":
                tokens.append(token)
        end = tokens[-1].span.end if tokens else 0
        return [*tokens, InfixToken("end", "", end)]

    @property
    def token(self) -> InfixToken:
        return self.tokens[self.at]

    def at_end(self) -> bool:
        return self.token.kind == "end"

    def read(self) -> Clause | None:
        """Read the next statement; None after an error."""
        first = self.at
        self.depth = 0
        self.fresh = count(1)
        try:
            return self._statement()
        except _BrokenError as broken:
            self.reading.report(*broken.args)
        self.at = max(self.at, first + 1)
        while not self.at_end() and not self._starts_statement():
            self.at += 1
        return None

    def _starts_statement(self) -> bool:
        """Return whether a statement seems to start here: after a full stop, or on a new line after a whole one."""
        before = self.tokens[self.at - 1]
        if before.text == ".":
            return True
        gap = self.text[before.span.end : self.token.start]
        joins = before.text in _OPENING or self.token.text in _CONTINUING
        return not joins and ("\n" in gap or "\r" in gap)

    def _fail(self, code: str, span: Span, message: str, remedy: str = "") -> NoReturn:
        raise _BrokenError(code, span, message, remedy)

    def _skip(self, *marks: str) -> bool:
        """Pass one of these marks if it is next; return whether it was."""
        if self.token.kind == "mark" and self.token.text in marks:
            self.at += 1
            return True
        return False

    def _span_from(self, start: int) -> Span:
        return Span(start, self.tokens[self.at - 1].span.end)

    def _statement(self) -> Clause:
        start = self.token.start
        head = self._head()
        body: tuple[Formula, ...] = ()
        if self._skip(":-"):
            alternatives = self._alternatives("&", ",")
            body = (
                tuple(alternatives[0]) if len(alternatives) == 1 else (_either(alternatives, self._span_from(start)),)
            )
        clause = Clause(head, body, self._span_from(start))
        self._skip(".")
        if _kif_depth(clause) > self.limits.max_depth:
            self._too_deep(clause.head.span or self.token.span)
        return clause

    def _head(self) -> Atom:
        token = self.token
        if token.text == ")":
            self._fail("unopened", token.span, "this parenthesis was never opened", "remove it, or open it before")
        if token.text == "~":
            self._bad_head(token.span, "~")
        if token.kind == "mark":
            self._unexpected("the name of a relation", "start a rule with its head: `head :- body`")
        head = self._operand()
        if not isinstance(head, Atom) or head.name == "distinct":
            self._bad_head(token.span, token.text)
        return head

    def _bad_head(self, span: Span, operator: str) -> NoReturn:
        remedy = "the head is a single relation; move conditions into the body"
        self._fail("bad-head", span, f"`{operator}` cannot be the head of a rule", remedy)

    def _alternatives(self, *joins: str) -> list[list[Formula]]:
        """Read formulas joined by `|`, each a list of formulas joined by the given marks."""
        alternatives = [[self._operand()]]
        while True:
            if self._skip(*joins):
                alternatives[-1].append(self._operand())
            elif self._skip("|"):
                alternatives.append([self._operand()])
            else:
                return alternatives

    def _formula(self, *joins: str) -> Formula:
        start = self.token.start
        alternatives = self._alternatives(*joins)
        return _either(alternatives, self._span_from(start))

    def _operand(self) -> Formula:
        """Read an atom, a formula in parentheses, or the negation of one."""
        starts = []
        while self.token.text == "~":
            starts.append(self.token.start)
            self._descend()
            self.at += 1
        formula = self._group() if self.token.text == "(" else self._atom()
        for start in reversed(starts):
            formula = Not(formula, self._span_from(start))
        self.depth -= len(starts)
        return formula

    def _group(self) -> Formula:
        opening = self.token
        self._descend()
        self.at += 1
        formula = self._formula("&", ",")
        self._close(opening)
        return formula

    def _atom(self) -> Formula:
        token = self.token
        if token.kind == "variable":
            message = f"the variable {shown(token.text)} stands where a relation should"
            self._fail("variable-as-formula", token.span, message, "names of relations start in lower case")
        if token.kind == "name" and token.text.lower() in ("not", "or", "and"):
            self.at += 1
            return self._prefix_connective(token.text.lower(), token)
        name = self._name("a relation")
        if name in CONNECTIVES:
            self._fail("nested-rule", token.span, f"`{token.text}` cannot name a relation", "write rules with `:-`")
        arguments = self._list(self._term) if self.token.text == "(" else []
        span = self._span_from(token.start)
        if name == "distinct" and len(arguments) != 2:
            message = f"`distinct` takes two terms, here are {len(arguments)}"
            self._fail("bad-distinct", span, message, "write `distinct(X,Y)`")
        return Atom(name, tuple(arguments), span)

    def _prefix_connective(self, name: str, token: InfixToken) -> Formula:
        if self.token.text != "(":
            mark = {"not": "~", "or": "|", "and": "&"}[name]
            self._fail("stray-operator", token.span, f"`{token.text}` stands alone", f"write `{mark}`")
        parts = tuple(self._list(lambda: self._formula("&")))
        span = self._span_from(token.start)
        if name != "not":
            return Or(parts, span) if name == "or" else And(parts, span)
        if len(parts) != 1:
            self._fail("bad-not", span, f"`not` takes one formula, here are {len(parts)}", "join them by `&`")
        return Not(parts[0], span)

    def _term(self) -> Term:
        token = self.token
        if token.kind == "variable":
            return self._variable()
        name = self._name("a term")
        if self.token.text != "(":
            return name
        if name in CONNECTIVES:
            remedy = "connectives join relations, not terms"
            self._fail("operator-in-term", token.span, f"`{token.text}` inside a term", remedy)
        arguments = self._list(self._term)
        return (name, *arguments) if arguments else name

    def _list(self, read_part: Callable[[], Part]) -> list[Part]:
        """Read parts in parentheses, separated by commas; there can be none."""
        opening = self.token
        self._descend()
        self.at += 1
        parts: list[Part] = []
        if self.token.text != ")":
            parts.append(read_part())
            while self._skip(","):
                parts.append(read_part())
        self._close(opening, "`,` or `)`")
        return parts

    def _descend(self) -> None:
        self.depth += 1
        if self.depth > self.limits.max_depth:
            self._too_deep(self.token.span)

    def _too_deep(self, span: Span) -> NoReturn:
        self._fail("too-deep", span, f"nested more than {self.limits.max_depth} deep", "use fewer parentheses")

    def _close(self, opening: InfixToken, expected: str = "`&`, `|` or `)`") -> None:
        if self._skip(")"):
            self.depth -= 1
            return
        new_statement = self.token.kind in ("name", "quoted") and self._starts_statement()
        if new_statement or self.at_end() or self.token.text in (":-", "."):
            self._fail("unclosed", opening.span, "this parenthesis is never closed", "add the missing `)`")
        self._unexpected(expected)

    def _name(self, expected: str) -> str:
        """Read a symbol and return it folded."""
        token = self.token
        if token.kind not in ("name", "quoted"):
            self._unexpected(expected)
        text = self._unquoted(token.text, token) if token.kind == "quoted" else token.text
        if text.startswith("?"):
            self._fail("bad-symbol", token.span, f"the symbol {shown(token.text)} would be a variable in KIF")
        self._check_length(text, token)
        self.at += 1
        return self.reading.symbol(text)

    def _variable(self) -> Variable:
        token = self.token
        self.at += 1
        if token.text == "_":
            return Variable(next(name for name in (f"_{n}" for n in self.fresh) if name not in self.taken))
        text = token.text.removeprefix("?")
        if text.startswith('"'):
            text = self._unquoted(text, token)
        self._check_length(text, token)
        return Variable(self.reading.symbol("?" + text)[1:])

    def _check_length(self, text: str, token: InfixToken) -> None:
        if len(text) > self.limits.max_symbol:
            self._fail("symbol-too-long", token.span, long_symbol(len(text), self.limits.max_symbol))

    def _unquoted(self, text: str, token: InfixToken) -> str:
        """Return the text between the quotes, if KIF can hold it."""
        for escape in _ESCAPE.finditer(text):
            if escape.group(1) not in '"\\':
                remedy = r"only `\"` and `\\` are known"
                self._fail("bad-escape", token.span, f"the escape `{escape.group()}` is not known", remedy)
        inner = _ESCAPE.sub(r"\1", text[1:-1])
        if not inner:
            self._fail("bad-symbol", token.span, "an empty symbol")
        if odd := re.search(f"[{NOT_IN_SYMBOLS}]", inner):
            message = f"a symbol cannot contain {odd.group()!r}"
            self._fail("bad-symbol", token.span, message, "white space, parentheses and `;` have no place in symbols")
        return inner

    def _unexpected(self, expected: str, remedy: str = "") -> NoReturn:
        token = self.token
        if token.kind == "unclosed":
            self._fail("unclosed-quote", token.span, "this quote is never closed", 'add the missing `"`')
        if token.text == ";":
            remedy = "comments start with `%`"
        found = "the text ends" if token.kind == "end" else f"here is `{shown(token.text)}`"
        self._fail("unexpected", token.span, f"{expected} was expected, {found}", remedy)


def _either(alternatives: list[list[Formula]], span: Span) -> Formula:
    """Return the disjunction of conjunctions as one formula."""
    parts = [parts[0] if len(parts) == 1 else And(tuple(parts), span) for parts in alternatives]
    return parts[0] if len(parts) == 1 else Or(tuple(parts), span)


def _kif_depth(clause: Clause) -> int:
    """Return the nesting depth of the clause in KIF, whose printed form has to keep the limit as well."""

    def of_term(term: Term) -> int:
        return 1 + max(map(of_term, term[1:])) if isinstance(term, tuple) else 0

    def of_formula(formula: Formula) -> int:
        if isinstance(formula, Atom):
            return 1 + max(map(of_term, formula.args)) if formula.args else 0
        if isinstance(formula, Not):
            return 1 + of_formula(formula.body)
        return 1 + max(map(of_formula, formula.parts), default=0)

    head = of_formula(clause.head)
    return 1 + max(head, *map(of_formula, clause.body)) if clause.body else head
