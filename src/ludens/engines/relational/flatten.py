"""Rules without compound terms, as far as that is possible: the words of a rule sheet stay, its functions go.

`(true (cell 1 2 b))` becomes a relation `true 0:cell/3` of three words, `(legal me noop)` one of two words that is not
the same as `(legal me (mark 1 2))`. Where a variable stands for terms of several kinds, a rule becomes several. What
is left of compound terms, such as lists or a word here and a term there inside a fact, is interned at run time.
Conditions that two terms are the same are solved before: a variable that has its value only from such a condition is
gone before anybody asks what it can stand for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import TypeAlias

from ludens.errors import CompileError
from ludens.gdl.dependencies import DependencyGraph
from ludens.gdl.domains import SHARED, ArgumentDomains
from ludens.gdl.formulas import Atom, Literal, Rule, Signature
from ludens.gdl.keywords import ARITIES
from ludens.gdl.terms import Term, Variable, constants, substitute, variables

ROOTS: tuple[Signature, ...] = (("init", 1), ("legal", 2), ("next", 1), ("terminal", 0), ("goal", 2), ("role", 1))
CONSTANT = "is word"
"""A relation of our own that holds for every word and no compound term; no name in a sheet has a space."""
JOINED = "any "
"""How the names of our own relations begin that hold wherever some part of a split one does."""
MAX_RULES = 20_000
MAX_TRIED = 4 * MAX_RULES
"""What is tried at one place; most of it may come to nothing."""
MAX_SHAPES = 100
MAX_SYMBOLS = 20_000
"""In one rule: equations that follow from each other can double its terms again and again."""

Functor: TypeAlias = tuple[str, int]
Shape: TypeAlias = "Functor | None"
"""A function and its number of arguments, or None for all words."""


@dataclass(frozen=True, slots=True)
class FlatRules:
    """Rules, and what the relations of the language have become in them."""

    rules: tuple[Rule, ...]
    templates: Mapping[Signature, tuple[Term, ...]]
    """For each relation with another name than in the sheet the arguments that it had there; `?0`, `?1` are its own."""

    def parts_of(self, keyword: str) -> list[Signature]:
        """The relations that `true`, `legal` and the like have become, in a fixed order."""
        found = {rule.head.signature for rule in self.rules} | {
            literal.atom.signature for rule in self.rules for literal in rule.body
        }
        return sorted(signature for signature in found if keyword_of(signature[0]) == keyword)

    def template(self, signature: Signature) -> tuple[Term, ...]:
        own = tuple(Variable(str(index)) for index in range(signature[1]))
        return self.templates.get(signature, own)


def keyword_of(name: str) -> str:
    """The name that a relation had in the sheet, if that was one of the language."""
    return name.split(" ", 1)[0]


def family_of(name: str) -> str:
    """Relations that speak of the same things, such as `next` and `true`, have a common name."""
    keyword = keyword_of(name)
    return SHARED.get(keyword, keyword) + name[len(keyword) :]


def shared_domains(rules: Iterable[Rule]) -> ArgumentDomains:
    """The words at each place, as the relations of a family have them in common."""
    return ArgumentDomains(map(_as_family, rules))


def flatten(rules: Iterable[Rule], check: Callable[[], None] = lambda: None) -> FlatRules:
    """The part of the rules that the game is played by, without the compound terms that can be avoided.

    CompileError if that gives too many rules. `check` is called again and again, and may raise to break off.
    """
    return _Flattening(_needed(rules), check).run()


def _needed(rules: Iterable[Rule]) -> list[Rule]:
    solved = (without_equations(_with_own_names(rule)) for rule in rules)
    rules = [rule for rule in solved if rule is not None]
    needed = DependencyGraph.of(rules).reachable(ROOTS)
    return [rule for rule in rules if rule.head.signature in needed]


class _Flattening:
    """Splits one place of one family of relations after the other."""

    def __init__(self, rules: list[Rule], check: Callable[[], None]) -> None:
        self.rules = rules
        self._check = check
        self.templates: dict[Signature, tuple[Term, ...]] = {}
        self._functors = _functors(rules)
        self._fresh = count()
        self._tried = 0

    def run(self) -> FlatRules:
        done: set[tuple[Signature, int]] = set()
        while True:
            domains = shared_domains(self.rules)
            place = next((place for place in self._places(domains) if place[:2] not in done), None)
            if place is None:
                return FlatRules(tuple(dict.fromkeys(self.rules)), self.templates)
            signature, index, shapes = place
            done.add((signature, index))
            self._split(signature, index, shapes, domains)
            self.rules = _needed_flat(self.rules)

    def _places(self, domains: ArgumentDomains) -> Iterator[tuple[Signature, int, list[Shape]]]:
        """What can be split: family, place, and the kinds of terms there."""
        recursive = self._recursive(domains)
        atoms = {(family_of(atom.name), len(atom.args)): atom for rule in self.rules for atom in _atoms(rule)}
        for (name, arity), atom in sorted(atoms.items()):
            if name in ("distinct", CONSTANT) or name.startswith(JOINED):
                continue
            is_whole = ":" not in name
            for index in range(arity):
                words = domains.words("relation", name, arity, index)
                functors = sorted({self._functors[word] for word in words if word in self._functors})
                shapes: list[Shape] = [*functors, *([None] if words - set(self._functors) else [])]
                must = is_whole and name in ("true", "does") and index == len(atom.args) - 1
                worthwhile = not recursive.intersection(functors) and (is_whole or len(shapes) == 1)
                if functors and len(shapes) <= MAX_SHAPES and (must or worthwhile):
                    yield (name, arity), index, shapes

    def _recursive(self, domains: ArgumentDomains) -> set[Functor]:
        """The functions whose terms can contain others of the same function."""
        inside = {
            functor: {
                self._functors[word]
                for index in range(functor[1])
                for word in domains.words("function", _marked(functor[0]), functor[1], index)
                if word in self._functors
            }
            for functor in self._functors.values()
        }
        for middle in inside:
            for parts in inside.values():
                if middle in parts:
                    parts |= inside[middle]
        return {functor for functor, parts in inside.items() if functor in parts}

    def _split(self, family: Signature, index: int, shapes: list[Shape], domains: ArgumentDomains) -> None:
        split = _Split(family, index, shapes)
        for name in split.names:
            before = self.templates.get((name, family[1])) or tuple(Variable(str(i)) for i in range(family[1]))
            for shape in shapes:
                own = split.pattern(name, shape)
                after = split.renamed(own)
                names: dict[Variable, Term] = {
                    argument: Variable(str(i))
                    for i, argument in enumerate(after.args)
                    if isinstance(argument, Variable)
                }
                new = [substitute(argument, names) for argument in own.args]
                binding: dict[Variable, Term] = {Variable(str(i)): term for i, term in enumerate(new)}
                self.templates[after.signature] = tuple(substitute(term, binding) for term in before)
        self._tried = 0
        flat: list[Rule] = []
        for rule in self.rules:
            parts = self._split_rule(rule, split, domains.values(_as_family(rule)))
            flat += islice(parts, MAX_RULES + 1 - len(flat))
            if len(flat) > MAX_RULES:
                raise CompileError(f"without compound terms there are more than {MAX_RULES:,} rules")
        self.rules = flat + _joined_again(flat, split)

    def _split_rule(self, rule: Rule, split: _Split, values: Mapping[Variable, frozenset[str]]) -> Iterator[Rule]:
        """The rule for every kind of term that its variables can stand for at this place."""
        self._check()
        self._tried += 1
        if self._tried > MAX_TRIED:
            raise CompileError("the rules have too many variables that stand for several kinds of terms")
        head = split.term(rule.head)
        open_terms = [head] + [split.term(literal.atom) for literal in rule.body if literal.positive]
        variable = next((term for term in open_terms if isinstance(term, Variable)), None)
        if variable is None:
            flat = _with_split_atoms(rule, split)
            if flat is not None:
                yield flat
            return
        words = values.get(variable)
        for shape in split.shapes:
            if words is not None and not self._fits(shape, words):
                continue
            if shape is None:
                yield from self._split_rule(_for_words(rule, variable, split), split, values)
            else:
                # No variable of a sheet has a space in its name.
                term: Term = (shape[0], *(Variable(f"{variable.name} {next(self._fresh)}") for _ in range(shape[1])))
                yield from self._split_rule(substituted(rule, {variable: term}), split, values)

    def _fits(self, shape: Shape, words: frozenset[str]) -> bool:
        if shape is None:
            return any(word not in self._functors for word in words)
        return f"{_marked(shape[0])}/{shape[1]}" in words


@dataclass(frozen=True, slots=True)
class _Split:
    """One place of a family of relations and the kinds of terms that stand there."""

    family: Signature
    index: int
    shapes: Sequence[Shape]

    @property
    def names(self) -> list[str]:
        """The relations of the family."""
        keyword = keyword_of(self.family[0])
        rest = self.family[0][len(keyword) :]
        return [name + rest for name in (keyword, *(name for name, other in SHARED.items() if other == keyword))]

    def pattern(self, name: str, shape: Shape) -> Atom:
        """An atom with a kind of term at the place, and with variables everywhere else."""
        args: list[Term] = [Variable(f"{index} before") for index in range(self.family[1])]
        if shape is not None:
            args[self.index] = (shape[0], *(Variable(f"{index} part") for index in range(shape[1])))
        return Atom(name, tuple(args))

    def joined(self, atom: Atom) -> Atom:
        """The same said of a relation of our own, which is never split."""
        return replace(atom, name=f"{JOINED}{self.index} {atom.name}")

    def term(self, atom: Atom) -> Term | None:
        """What stands at the place; None if the atom is of another relation, or was renamed already."""
        if (family_of(atom.name), len(atom.args)) != self.family:
            return None
        return atom.args[self.index]

    def shape(self, atom: Atom) -> Shape:
        term = atom.args[self.index]
        return (str(term[0]), len(term) - 1) if isinstance(term, tuple) else None

    def renamed(self, atom: Atom) -> Atom:
        if self.term(atom) is None:
            return atom
        term = atom.args[self.index]
        if not isinstance(term, tuple):
            return replace(atom, name=f"{atom.name} {self.index}:")
        args = (*atom.args[: self.index], *term[1:], *atom.args[self.index + 1 :])
        return replace(atom, name=f"{atom.name} {self.index}:{term[0]}/{len(term) - 1}", args=args)


def _with_split_atoms(rule: Rule, split: _Split) -> Rule | None:
    """All atoms renamed, where only negated ones have a variable at the place; None if the rule gives nothing."""
    if split.term(rule.head) is not None and split.shape(rule.head) not in split.shapes:
        return None
    body: list[Literal] = []
    for literal in rule.body:
        term = split.term(literal.atom)
        if term is None:
            body.append(literal)
        elif isinstance(term, Variable):
            body.append(Literal(split.joined(literal.atom), False))
        elif split.shape(literal.atom) in split.shapes:
            body.append(Literal(split.renamed(literal.atom), literal.positive))
        elif literal.positive:
            return None
    return Rule(split.renamed(rule.head), tuple(dict.fromkeys(body)), rule.span)


def _joined_again(rules: Iterable[Rule], split: _Split) -> list[Rule]:
    """Rules for the relations that hold wherever a part of a split one does, as far as conditions ask for them."""
    asked = {literal.atom.name for rule in rules for literal in rule.body}
    found: list[Rule] = []
    for name in sorted(split.names):
        joined = split.joined(Atom(name, ()))
        if joined.name in asked:
            for shape in split.shapes:
                whole = split.pattern(name, shape)
                found.append(Rule(replace(whole, name=joined.name), (Literal(split.renamed(whole)),), None))
    return found


def _for_words(rule: Rule, variable: Variable, split: _Split) -> Rule:
    """The rule where the variable is a word: its atoms are renamed, and the word is tested if nothing else does."""

    def renamed(atom: Atom) -> Atom:
        return split.renamed(atom) if split.term(atom) == variable else atom

    body = [Literal(renamed(literal.atom), literal.positive) for literal in rule.body]
    tested = any(literal.positive and split.term(literal.atom) == variable for literal in rule.body)
    if not tested:
        body.append(Literal(Atom(CONSTANT, (variable,))))
    return Rule(renamed(rule.head), tuple(body), rule.span)


def _with_own_names(rule: Rule) -> Rule:
    """Relations that have a name of the language, or begin with it, and are not meant by it, get another."""

    def atom(before: Atom) -> Atom:
        keyword = keyword_of(before.name)
        if keyword not in ARITIES or (before.name == keyword and len(before.args) == ARITIES[keyword]):
            return before
        return replace(before, name=f"other {before.name}")

    return Rule(atom(rule.head), tuple(Literal(atom(each.atom), each.positive) for each in rule.body), rule.span)


def _as_family(rule: Rule) -> Rule:
    """The rule as `ArgumentDomains` has to see it: with common names, and without tests of our own."""

    def atom(before: Atom) -> Atom:
        return replace(before, name=family_of(before.name), args=tuple(map(_with_marks, before.args)))

    body = (Literal(atom(each.atom), each.positive) for each in rule.body if each.atom.name != CONSTANT)
    return Rule(atom(rule.head), tuple(body), rule.span)


def _marked(function: str) -> str:
    """`ArgumentDomains` writes `name/arity` for a function; with a space it is no word of a sheet."""
    return f"{function} "


def _with_marks(term: Term) -> Term:
    return (_marked(str(term[0])), *map(_with_marks, term[1:])) if isinstance(term, tuple) else term


def _needed_flat(rules: list[Rule]) -> list[Rule]:
    graph = DependencyGraph.of(rules)
    roots = {name for name, _ in ROOTS}
    needed = graph.reachable([rule.head.signature for rule in rules if keyword_of(rule.head.name) in roots])
    return [rule for rule in rules if rule.head.signature in needed]


def _atoms(rule: Rule) -> Iterator[Atom]:
    yield rule.head
    for literal in rule.body:
        yield literal.atom


def _terms(rule: Rule) -> Iterator[Term]:
    for atom in _atoms(rule):
        yield from atom.args


def _functors(rules: Iterable[Rule]) -> dict[str, Functor]:
    """All functions of the rules, by their names as `ArgumentDomains` writes them."""
    found: dict[str, Functor] = {}
    waiting = [term for rule in rules for term in _terms(rule)]
    while waiting:
        term = waiting.pop()
        if isinstance(term, tuple):
            found[f"{_marked(str(term[0]))}/{len(term) - 1}"] = str(term[0]), len(term) - 1
            waiting.extend(term[1:])
    return found


# -- equations -------------------------------------------------------------------------------


def without_equations(rule: Rule) -> Rule | None:
    """The rule without each `(not (distinct ...))` that has a known side; None if two terms are never the same."""
    while (literal := _solvable(rule)) is not None:
        rest = tuple(each for each in rule.body if each != literal)
        left, right = literal.atom.args
        if isinstance(right, Variable):
            left, right = right, left
        if left == right:
            rule = Rule(rule.head, rest, rule.span)
        elif isinstance(left, Variable):
            if left in variables(right):
                return None
            rule = substituted(Rule(rule.head, rest, rule.span), {left: right})
            _check_length(rule)
        elif isinstance(left, tuple) and isinstance(right, tuple) and _same_function(left, right):
            parts = tuple(Literal(Atom("distinct", pair), False) for pair in zip(left[1:], right[1:], strict=True))
            rule = Rule(rule.head, rest + parts, rule.span)
        else:
            return None
    return rule


def substituted(rule: Rule, binding: Mapping[Variable, Term]) -> Rule:
    def atom(before: Atom) -> Atom:
        return Atom(before.name, tuple(substitute(argument, binding) for argument in before.args), before.span)

    return Rule(atom(rule.head), tuple(Literal(atom(each.atom), each.positive) for each in rule.body), rule.span)


def _solvable(rule: Rule) -> Literal | None:
    """A condition that two terms are the same, one of which is known by other conditions."""
    known = {
        variable
        for literal in rule.body
        if literal.positive and literal.atom.name != "distinct"
        for variable in literal.atom.variables()
    }
    for literal in rule.body:
        is_equation = not literal.positive and literal.atom.name == "distinct"
        if is_equation and any(known.issuperset(variables(side)) for side in literal.atom.args):
            return literal
    return None


def _same_function(left: tuple[Term, ...], right: tuple[Term, ...]) -> bool:
    return left[0] == right[0] and len(left) == len(right)


def _check_length(rule: Rule) -> None:
    terms = [term for atom in (rule.head, *(literal.atom for literal in rule.body)) for term in atom.args]
    if sum(1 for term in terms for part in (constants(term), variables(term)) for _ in part) > MAX_SYMBOLS:
        raise CompileError("a rule says of too many terms in terms that they are the same; use fewer of them")
