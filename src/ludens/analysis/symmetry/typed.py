"""Rules in which a word has a type, so that a row 1 and a column 1 can be told apart.

Types are the parts of the domain graph that are left when static relations connect nothing: the same successor
relation may order rows and columns, but no variable is both. Static relations are replaced by what they hold for, once
for each combination of types that they are used with; so it does not matter how they are written, and the order of
columns can be turned around while that of rows stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ludens.analysis.domain_graph import DomainGraph
from ludens.analysis.extensions import Extensions
from ludens.core import GroundTerm
from ludens.gdl.domains import SHARED, ArgumentDomains, Position, argument_positions
from ludens.gdl.formulas import Atom, Rule, Signature
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Variable
from ludens.ground.asp import OUTPUTS

MAX_ROWS = 2_000
"""A static relation with more rows is treated like one that depends on the state."""

ROLE_POSITIONS: tuple[Position, ...] = (
    ("relation", "role", 1, 0),
    ("relation", "does", 2, 0),
    ("relation", "goal", 2, 0),
    ("relation", "sees", 2, 0),
)
"""The argument positions of roles in the language itself."""

Context = tuple[Signature, tuple[int | None, ...]]
"""A static relation, and the types of its arguments as far as they are known."""
Node = Position | tuple[int, Variable] | tuple[Context, int]
Row = tuple[str, ...]
Typed = tuple[Signature, tuple[int, ...]]
"""A static relation, used with arguments of these types."""


@dataclass
class TypedRules:
    """The rules that decide play, with a type for every word in them."""

    rules: tuple[Rule, ...]
    static: Mapping[Signature, frozenset[Row]]
    """The rows of the static relations."""
    words: Mapping[int, frozenset[str]]
    """The words that can occur with each type; a type that is not here can have any."""
    _types: _Types

    def position_type(self, position: Position) -> int:
        return self._types.of(position)

    def variable_type(self, rule: int, variable: Variable) -> int:
        return self._types.of((rule, variable))

    def static_types(self, rule: int, atom: Atom) -> tuple[int, ...]:
        """Return the types of the arguments of a static atom.

        A word, and a variable that occurs nowhere else, have a type for just such an atom.
        """
        types: list[int | None] = [
            self._types.of((rule, term))
            if isinstance(term, Variable) and (rule, term) not in self._types.single
            else None
            for term in atom.args
        ]
        context = atom.signature, tuple(types)
        return tuple(self._types.of((context, index)) if kind is None else kind for index, kind in enumerate(types))

    def rows(self, typed: Typed) -> Iterator[Row]:
        """Yield the rows of a static relation, as far as its types have the words."""
        signature, types = typed
        allowed = [self.words.get(kind) for kind in types]
        for row in sorted(self.static[signature]):
            if all(words is None or word in words for word, words in zip(row, allowed, strict=True)):
                yield row


def typed_rules(
    rules: Rules,
    extensions: Extensions,
    graph: DomainGraph,
    domains: ArgumentDomains,
    terms: Iterable[GroundTerm] | None,
) -> TypedRules:
    """Return the typed rules of a game; `terms` are all its fluents and moves, if they are known."""
    needed = rules.dependencies.reachable((*OUTPUTS, ("role", 1), ("sees", 2)))
    static = dict(_static(extensions, needed))
    left = tuple(rule for rule in rules.rules if rule.head.signature in needed - static.keys())
    types = _Types(static.keys())
    types.join_all(ROLE_POSITIONS)
    for number, rule in enumerate(left):
        types.learn(number, rule)
    words: dict[int, set[str]] = {}
    written = _written(left, terms)
    for position in graph.neighbours:
        if position[0] == "function" or position[1:3] not in static:
            found = written[position] if position in written else domains.words(*position)
            words.setdefault(types.of(position), set()).update(found)
    return TypedRules(left, static, {kind: frozenset(found) for kind, found in words.items()}, types)


def _static(extensions: Extensions, needed: frozenset[Signature]) -> Iterator[tuple[Signature, frozenset[Row]]]:
    """Yield the static relations that are small, and relate words only."""
    for signature in extensions.signatures:
        if signature in needed and signature[1]:
            rows = extensions.rows(signature, MAX_ROWS)
            if rows is not None:
                plain = frozenset(tuple(word for word in row if isinstance(word, str)) for row in rows)
                if all(len(row) == signature[1] for row in plain):
                    yield signature, plain


def _written(rules: Iterable[Rule], terms: Iterable[GroundTerm] | None) -> dict[Position, set[str]]:
    """Return the words in each argument of each function that occurs in fluents and moves only."""
    elsewhere = {
        position
        for rule in rules
        for atom in (rule.head, *(literal.atom for literal in rule.body))
        if SHARED.get(atom.name, atom.name) not in ("true", "does")
        for position, _ in argument_positions("relation", atom.name, atom.args)
    }
    found: dict[Position, set[str]] = {}
    for term in terms or ():
        for position, part in argument_positions("relation", "", (term,)):
            if position[0] == "function" and position not in elsewhere:
                found.setdefault(position, set()).update([part] if isinstance(part, str) else [])
    return found


@dataclass
class _Types:
    """Positions and variables that have the same type."""

    static: Collection[Signature]
    single: set[tuple[int, Variable]] = field(default_factory=set)
    """Variables that occur but once, in a static atom; each with the number of its rule."""
    _parents: dict[Node, Node] = field(default_factory=dict)
    _numbers: dict[Node, int] = field(default_factory=dict)

    def of(self, node: Node) -> int:
        return self._numbers.setdefault(self._root(node), len(self._numbers))

    def learn(self, number: int, rule: Rule) -> None:
        """Join the nodes that one rule connects."""
        occurrences = Counter(rule.variables())
        self.single |= {(number, variable) for variable, count in occurrences.items() if count == 1}
        for atom in (rule.head, *(literal.atom for literal in rule.body)):
            if atom.name == "distinct":
                self.join_all((number, term) for term in atom.args if isinstance(term, Variable))
            elif atom.signature not in self.static:
                for position, term in argument_positions("relation", atom.name, atom.args):
                    if isinstance(term, Variable):
                        self._join(position, (number, term))
                        self.single.discard((number, term))

    def join_all(self, nodes: Iterable[Node]) -> None:
        nodes = list(nodes)
        for node in nodes[1:]:
            self._join(nodes[0], node)

    def _join(self, one: Node, other: Node) -> None:
        self._parents[self._root(one)] = self._root(other)

    def _root(self, node: Node) -> Node:
        while (parent := self._parents.setdefault(node, node)) != node:
            self._parents[node] = self._parents.setdefault(parent, parent)
            node = parent
        return node
