"""The rules of a game as a coloured graph, whose automorphisms are the symmetries of the rules.

The words of the game, its relations, its functions and their arguments are vertices of the same colour each, so an
automorphism may rename them and rearrange arguments. What the language itself says has colours of its own.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from ludens.analysis.symmetry.typed import Typed, TypedRules
from ludens.core import goal_number
from ludens.gdl.domains import SHARED, Position
from ludens.gdl.formulas import Atom, Rule, Signature
from ludens.gdl.keywords import ARITIES, CHANCE
from ludens.gdl.terms import Term, Variable

Word = tuple[str, int]
"""A word and its type."""


@dataclass(frozen=True)
class Slot:
    """An argument of a relation or function."""

    symbol: Hashable
    index: int


@dataclass
class RuleGraph:
    """Colours of vertices, edges between them, and what stands behind those that a symmetry can exchange."""

    colours: list[Hashable] = field(default_factory=list)
    edges: list[tuple[int, int]] = field(default_factory=list)
    words: dict[Word, int] = field(default_factory=dict)
    functions: dict[Signature, int] = field(default_factory=dict)
    relations: dict[Signature | Typed, int] = field(default_factory=dict)
    slots: dict[Slot, int] = field(default_factory=dict)

    @property
    def symbols(self) -> list[int]:
        """The vertices that a symmetry is about; all others go along."""
        return [*self.words.values(), *self.functions.values(), *self.relations.values(), *self.slots.values()]


def rule_graph(typed: TypedRules, with_init: bool, max_vertices: int) -> RuleGraph | None:
    """Return the graph of the rules, with or without the initial state; None if it is too large."""
    builder = _RuleGraphBuilder(typed)
    for number, rule in enumerate(typed.rules):
        if with_init or rule.head.name != "init":
            builder.add_rule(number, rule)
            if len(builder.graph.colours) > max_vertices:
                return None
    builder.add_static_rows()
    return builder.graph if len(builder.graph.colours) <= max_vertices else None


class _RuleGraphBuilder:
    def __init__(self, typed: TypedRules) -> None:
        self.typed = typed
        self.graph = RuleGraph()
        self._rule = 0
        self._variables: dict[Variable, int] = {}
        self._fixed = typed.position_type(("relation", "goal", 2, 1))

    def add_rule(self, number: int, rule: Rule) -> None:
        self._rule, self._variables = number, {}
        top = self._vertex("rule")
        self._atom(top, "head", rule.head)
        for literal in rule.body:
            self._atom(top, "if" if literal.positive else "unless", literal.atom)

    def add_static_rows(self) -> None:
        for relation, symbol in list(self.graph.relations.items()):
            if isinstance(relation[0], tuple):
                types = relation[1]
                assert isinstance(types, tuple)
                for row in self.typed.rows(relation):
                    fact = self._vertex("fact", symbol)
                    for index, (word, kind) in enumerate(zip(row, types, strict=True)):
                        self._argument(fact, symbol, Slot(relation, index), len(row), self._word(word, kind))

    def _atom(self, parent: int, place: str, atom: Atom) -> None:
        if atom.name == "distinct":
            vertex = self._vertex((place, "distinct"), parent)
            kinds = [self.typed.variable_type(self._rule, term) for term in atom.args if isinstance(term, Variable)]
            for term in atom.args:
                self._edge(vertex, self._term(term, kinds[0] if kinds else -1, 0))
        elif ARITIES.get(atom.name) == len(atom.args):
            vertex = self._vertex((place, atom.name), parent)
            for index, term in enumerate(atom.args):
                position: Position = ("relation", SHARED.get(atom.name, atom.name), len(atom.args), index)
                argument = self._vertex((atom.name, index), vertex)
                self._edge(argument, self._term(term, self.typed.position_type(position), 0))
        else:
            self._game_atom(self._vertex((place, "atom"), parent), atom)

    def _game_atom(self, vertex: int, atom: Atom) -> None:
        """Add an atom of a relation that belongs to the game."""
        arity = len(atom.args)
        if atom.signature in self.typed.static:
            types = self.typed.static_types(self._rule, atom)
            relation: Signature | Typed = (atom.signature, types)
        else:
            places: list[Position] = [("relation", atom.name, arity, index) for index in range(arity)]
            types = tuple(map(self.typed.position_type, places))
            relation = atom.signature
        if relation not in self.graph.relations:
            self.graph.relations[relation] = self._vertex(("relation", arity))
        symbol = self.graph.relations[relation]
        self._edge(vertex, symbol)
        for index, (term, kind) in enumerate(zip(atom.args, types, strict=True)):
            self._argument(vertex, symbol, Slot(relation, index), arity, self._term(term, kind, 0))

    def _term(self, term: Term, kind: int, depth: int) -> int:
        if isinstance(term, Variable):
            if term not in self._variables:
                self._variables[term] = self._vertex("variable")
            return self._variables[term]
        if isinstance(term, str):
            return self._word(term, kind)
        name, arity = str(term[0]), len(term) - 1
        if (name, arity) not in self.graph.functions:
            self.graph.functions[name, arity] = self._vertex(("function", arity))
        function = self.graph.functions[name, arity]
        vertex = self._vertex(("term", depth), function)
        for index, part in enumerate(term[1:]):
            inner = self.typed.position_type(("function", name, arity, index))
            slot = Slot(("function", name, arity), index)
            self._argument(vertex, function, slot, arity, self._term(part, inner, depth + 1))
        return vertex

    def _argument(self, parent: int, symbol: int, slot: Slot, arity: int, term: int) -> None:
        if arity == 1:
            self._edge(self._vertex("argument", parent), term)
            return
        if slot not in self.graph.slots:
            self.graph.slots[slot] = self._vertex("slot", symbol)
        argument = self._vertex("argument", parent)
        self._edge(argument, self.graph.slots[slot])
        self._edge(argument, term)

    def _word(self, word: str, kind: int) -> int:
        if (word, kind) not in self.graph.words:
            is_fixed = word == CHANCE or (kind == self._fixed and goal_number(word) >= 0)
            self.graph.words[word, kind] = self._vertex(("fixed", word) if is_fixed else "word")
        return self.graph.words[word, kind]

    def _vertex(self, colour: Hashable, neighbour: int | None = None) -> int:
        self.graph.colours.append(colour)
        vertex = len(self.graph.colours) - 1
        if neighbour is not None:
            self._edge(vertex, neighbour)
        return vertex

    def _edge(self, one: int, other: int) -> None:
        self.graph.edges.append((one, other))
