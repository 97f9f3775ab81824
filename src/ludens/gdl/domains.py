"""The words of argument positions: an upper bound, from the rules alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Literal as OneOf
from typing import TypeAlias

from ludens.gdl.formulas import Rule
from ludens.gdl.terms import Term, Variable

Kind = OneOf["relation", "function"]
Position: TypeAlias = tuple[Kind, str, int, int]
"""An argument position: of a relation or a function, its name, number of arguments, and the index."""

SHARED = {"init": "true", "next": "true", "base": "true", "legal": "does", "input": "does"}
"""The relations that get their arguments from these heads."""


@dataclass
class _Flow:
    """The flow of words in one rule, from the positions of its body to those of its head."""

    head: list[tuple[Position, Term]]
    sources: dict[Variable, list[Position]] = field(default_factory=dict)

    @classmethod
    def of(cls, rule: Rule) -> _Flow:
        flow = cls(list(argument_positions("relation", rule.head.name, rule.head.args)))
        for literal in rule.body:
            if literal.positive and literal.atom.name != "distinct":
                for position, term in argument_positions("relation", literal.atom.name, literal.atom.args):
                    if isinstance(term, Variable):
                        flow.sources.setdefault(term, []).append(position)
        return flow


class ArgumentDomains:
    """For each argument position the words that can stand there; a compound term counts as `name/arity`.

    >>> from ludens.gdl.rules import Rules
    >>> sheet = "(size 1) (size 2) (<= (init (cell ?x ?x blank)) (size ?x)) (role robot)"
    >>> sorted(ArgumentDomains(Rules.parse(sheet).rules).words("function", "cell", 3, 1))
    ['1', '2']
    """

    def __init__(self, rules: Iterable[Rule], max_work: float = inf) -> None:
        """With a bound on the work, `complete` tells whether it was enough; if not, words are missing."""
        self._words: dict[Position, set[str]] = {}
        self._left = max_work
        flows = [_Flow.of(rule) for rule in rules]
        readers: dict[Position, list[int]] = {}
        for number, flow in enumerate(flows):
            for position in dict.fromkeys(position for group in flow.sources.values() for position in group):
                readers.setdefault(position, []).append(number)
        waiting = dict.fromkeys(range(len(flows)))
        while waiting and self.complete:
            number = next(iter(waiting))
            del waiting[number]
            for position in self._carry(flows[number]):
                waiting.update(dict.fromkeys(readers.get(position, ())))

    @property
    def complete(self) -> bool:
        return self._left >= 0

    def values(self, rule: Rule) -> dict[Variable, frozenset[str]]:
        """Return the possible values of the variables in positive conditions; a compound term is `name/arity`."""
        return {name: frozenset(self._common(places)) for name, places in _Flow.of(rule).sources.items()}

    def words(self, kind: Kind, name: str, arity: int, index: int) -> frozenset[str]:
        return frozenset(self._words.get((kind, name, arity, index), ()))

    def size(self, kind: Kind, name: str, arity: int, index: int) -> int:
        """Return the number of words of a position, at least 1."""
        return max(1, len(self._words.get((kind, name, arity, index), ())))

    def _carry(self, flow: _Flow) -> Iterator[Position]:
        """Apply one rule; yield the positions that got new words."""
        for position, term in flow.head:
            words = self._common(flow.sources.get(term, ())) if isinstance(term, Variable) else {_word(term)}
            known = self._words.setdefault(position, set())
            self._left -= 1 + len(words)
            if not words <= known:
                known |= words
                yield position

    def _common(self, positions: Sequence[Position]) -> set[str]:
        words = [self._words.get(position, set()) for position in positions]
        return set.intersection(*words) if words else set()


def argument_positions(kind: Kind, name: str, args: Sequence[Term]) -> Iterator[tuple[Position, Term]]:
    """Yield all argument positions of an atom, those inside compound terms included."""
    for index, argument in enumerate(args):
        yield (kind, SHARED.get(name, name), len(args), index), argument
        if isinstance(argument, tuple):
            yield from argument_positions("function", str(argument[0]), argument[1:])


def _word(term: Term) -> str:
    return f"{term[0]}/{len(term) - 1}" if isinstance(term, tuple) else str(term)
