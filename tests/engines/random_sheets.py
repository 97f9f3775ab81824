"""Random small games: safe and stratified, and else with as many traps for a compiler of rules as possible."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from hypothesis import strategies as st

from ludens.gdl.formulas import Atom, Clause
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Term, Variable, term_text, variables
from tests.engines.test_reference_logic import LEVELS, as_clauses, programs

WORDS = ["a", "b", "1", "f", "constant", "is", "any", "true", "does", "other", "0:f/1", "word"]
FUNCTIONS = [("f", 1), ("g", 2), ("cell", 2), ("constant", 1), ("true", 1), ("s", 1), ("t", 3)]
RELATION_NAMES = ["constant", "p", "q", "is", "any", "other", "word", "cell", "f", "true", "next", "role", "goal", "r"]
VARIABLES = [Variable(name) for name in ("x", "y", "z", "u", "0", "0_before")]
NAMES_LIKE_OURS = [Variable(f"x.{number}") for number in range(10)]
WORDS_LIKE_OURS = ["f/1", "g/2", "cell/2"]
MAX_ARGUMENTS = 4

Relation = tuple[str, int]


class RandomSheet:
    """Writes the rules of one game, layer after layer: whatever a rule negates is of a lower layer."""

    def __init__(self, seed: int, twisted: bool = False) -> None:
        """With a twist: names that look like our own, and variables that only an equation gives a value."""
        self._rng = rng = Random(seed)
        self._twisted = twisted
        self._variables = VARIABLES[:2] + NAMES_LIKE_OURS if twisted else VARIABLES
        self._words = rng.sample(WORDS + WORDS_LIKE_OURS if twisted else WORDS, rng.randint(2, 5))
        self._functions = rng.sample(FUNCTIONS, rng.randint(0, 3))
        self._roles = rng.sample(WORDS, rng.randint(1, 2))
        self._terms: list[Term] = [self._ground(rng.randint(0, 2)) for _ in range(rng.randint(3, 7))]
        self._lines: list[str] = [f"(role {role})" for role in self._roles]
        self._names = [(name, arity) for name in RELATION_NAMES for arity in range(MAX_ARGUMENTS + 1)]
        self._names = [relation for relation in self._names if relation not in _MEANT]
        rng.shuffle(self._names)
        self._static: list[Relation] = []
        self._of_state: list[Relation] = [("true", 1)]
        self._of_step: list[Relation] = [("does", 2)]

    def text(self) -> str:
        for _ in range(self._rng.randint(1, 3)):
            self._facts()
        for layer in (self._static, self._static, self._of_state, self._of_state, self._of_step):
            self._layer(layer)
        self._roots()
        return "\n".join(self._lines)

    # -- terms -------------------------------------------------------------------------------

    def _ground(self, depth: int) -> Term:
        if depth and self._functions:
            name, arity = self._rng.choice(self._functions)
            return (name, *(self._ground(self._rng.randint(0, depth - 1)) for _ in range(arity)))
        return self._rng.choice(self._words)

    def _pattern(self, depth: int = 2) -> Term:
        """A term for a condition: mostly a variable, often one that stands elsewhere too."""
        chance = self._rng.random()
        if chance < 0.65:
            return self._rng.choice(self._variables[:4] if self._rng.random() < 0.9 else self._variables)
        if chance < 0.75 or not depth or not self._functions:
            return self._rng.choice(self._terms) if chance < 0.7 else self._rng.choice(self._words)
        name, arity = self._rng.choice(self._functions)
        return (name, *(self._pattern(depth - 1) for _ in range(arity)))

    def _from(self, known: Sequence[Variable], may_wrap: bool) -> Term:
        """A term for a head or a test, of variables that have values."""
        if known and self._rng.random() < 0.75:
            variable = self._rng.choice(known)
            if not may_wrap or not self._functions or self._rng.random() < 0.7:
                return variable
            name, arity = self._rng.choice(self._functions)
            parts: list[Term] = [*known, *self._words]
            return (name, *(self._rng.choice(parts) for _ in range(arity)))
        return self._rng.choice(self._terms)

    # -- rules -------------------------------------------------------------------------------

    def _facts(self) -> None:
        name, arity = self._names.pop()
        for _ in range(self._rng.randint(1, 6)):
            self._lines.append(_atom(name, [self._rng.choice(self._terms) for _ in range(arity)]))
        self._static.append((name, arity))

    def _layer(self, layer: list[Relation]) -> None:
        """One or two relations, which may need each other."""
        lower = list(layer if layer is self._static else [*self._static, *self._of_state, *layer])
        new = [self._names.pop() for _ in range(self._rng.randint(1, 2))]
        if layer is not self._static:
            lower.append(("role", 1))
        for relation in new:
            own = [*new] if self._rng.random() < 0.5 else []
            for number in range(self._rng.randint(1, 3)):
                body, known = self._body(lower, own if number else [])
                head = [self._from(known, may_wrap=not own) for _ in range(relation[1])]
                self._rule(_atom(relation[0], head), body)
        layer.extend(new)

    def _body(self, lower: Sequence[Relation], own: Sequence[Relation] = ()) -> tuple[list[str], list[Variable]]:
        """Conditions, and the variables that they give values to."""
        rng = self._rng
        body: list[str] = []
        found: dict[Variable, None] = {}
        for _ in range(rng.choice([1, 1, 2, 2, 3])):
            name, arity = rng.choice(own if own and rng.random() < 0.5 else lower)
            args = [self._pattern() for _ in range(arity)]
            if name == "does":
                args[0] = rng.choice([*self._roles, VARIABLES[0]])
            body.append(_atom(name, args))
            found.update(dict.fromkeys(variable for term in args for variable in variables(term)))
        known = list(found)
        if self._twisted and rng.random() < 0.5:
            sides: list[Term] = [Variable("same"), self._from(known, may_wrap=not own)]
            body.append(f"(not {_atom('distinct', rng.sample(sides, 2))})")
            known.append(Variable("same"))
        body += [self._test(lower, known) for _ in range(rng.choice([0, 1, 1, 2]))]
        if rng.random() < 0.2:
            either = [self._test(lower, known) for _ in range(rng.randint(2, 3))]
            body.append(f"(or {' '.join(either)})")
        rng.shuffle(body)
        return body, known

    def _test(self, lower: Sequence[Relation], known: Sequence[Variable]) -> str:
        rng = self._rng
        chance = rng.random()
        if chance < 0.2:
            return _atom("distinct", [self._from(known, True), self._from(known, True)])
        if chance < 0.25:
            return f"(not {_atom('distinct', [self._from(known, True), self._from(known, True)])})"
        name, arity = rng.choice(lower)
        args: list[Term] = [self._from(known, True) for _ in range(arity)]
        if arity and rng.random() < 0.25:
            # A variable that stands nowhere else: no such thing at all.
            args[rng.randrange(arity)] = Variable("alone")
            if arity > 1 and rng.random() < 0.5:
                args[rng.randrange(arity)] = Variable("alone")
        return f"(not {_atom(name, args)})" if rng.random() < 0.8 or "alone" in str(args) else _atom(name, args)

    def _rule(self, head: str, body: Sequence[str]) -> None:
        self._lines.append(f"(<= {head} {' '.join(body)})")

    def _roots(self) -> None:
        rng = self._rng
        for _ in range(rng.randint(1, 4)):
            self._lines.append(_atom("init", [rng.choice(self._terms)]))
        for role in self._roles:
            self._lines += [f"(legal {role} wait)", f"(goal {role} 50)"]
        of_state, of_step = [*self._static, *self._of_state], [*self._static, *self._of_state, *self._of_step]
        for keyword, relations, most in (("init", self._static, 1), ("legal", of_state, 3), ("goal", of_state, 2)):
            for _ in range(rng.randint(0, most)):
                body, known = self._body(relations)
                head = [self._from(known, True)]
                if keyword != "init":
                    head.insert(0, rng.choice([*self._roles, *known[:1]]))
                self._rule(_atom(keyword, head), body)
        for _ in range(rng.randint(2, 5)):
            body, known = self._body([*of_step, ("legal", 2)] if rng.random() < 0.2 else of_step)
            self._rule(_atom("next", [self._from(known, True)]), body)
        if rng.random() < 0.5:
            self._rule("terminal", self._body(of_state)[0])


_MEANT = {("role", 1), ("init", 1), ("true", 1), ("does", 2), ("next", 1), ("legal", 2), ("goal", 2), ("terminal", 0)}


def _atom(name: str, args: Sequence[Term]) -> str:
    return f"({name} {' '.join(map(term_text, args))})" if args else name


def random_sheet(seed: int, twisted: bool = False) -> str:
    return RandomSheet(seed, twisted).text()


def random_recursion(rng: Random) -> Rules:
    """Rules over a handful of facts, full of recursion, of what is absent from it, and of recursion upon that."""
    facts = [f"(true {name})" for name in "abcde"]
    moves = [f"(does me {move})" for move in ("go", "stay")]
    lines = ["(role me) (legal me go) (init a) (init c) (goal me 10) (<= terminal (true a) (true e))"]
    known = list(facts)
    for layer in range(3):
        names = [f"p{layer}{number}" for number in range(rng.randrange(2, 6))]
        outside = known + moves if layer else known
        for name in names * 2:
            body = rng.choices(names, k=rng.randrange(3)) + rng.choices(outside, k=rng.randrange(1, 3))
            body += [f"(not {atom})" for atom in rng.choices(outside, k=rng.randrange(2))]
            lines.append(f"(<= {name} {' '.join(body)})")
        if layer == 0:
            lines.append(f"(<= (legal me stay) {rng.choice(names)}) (<= (goal me 90) (not {rng.choice(names)}))")
        known += names
    for fact in "abcde":
        first, second = rng.sample(known, 2)
        lines.append(f"(<= (next {fact}) {first} (not {second})) (<= (next {fact}) {rng.choice(known)})")
    return Rules.parse("\n".join(lines))


@st.composite
def random_games(draw: st.DrawFn) -> Rules:
    """Random programs as games: what they derive holds in the next state, is legal, and is worth something."""
    first, second, role = Variable("x"), Variable("y"), Variable("r")
    clauses = as_clauses(draw(programs()))
    for name, arity in [*LEVELS[1], *LEVELS[2]]:
        args = (first, second)[:arity]
        derived = (Atom(name, args),)
        clauses.append(Clause(Atom("next", (("got", name, *args),)), derived))
        clauses.append(Clause(Atom("legal", (first if args else "a", ("say", name, *args))), derived))
        clauses.append(Clause(Atom("goal", ("b", args[-1] if args else "10")), derived))
    told = (Atom("does", (role, ("say", "q", first, second))),)
    clauses.append(Clause(Atom("next", (("cell", first, second),)), told))
    clauses.append(Clause(Atom("legal", (role, "stay")), (Atom("role", (role,)),)))
    clauses.append(Clause(Atom("terminal"), (Atom("t"),)))
    clauses.append(Clause(Atom("init", (("cell", first, second),)), (Atom("e", (first,)), Atom("e", (second,)))))
    return Rules([Clause(Atom("role", ("a",))), Clause(Atom("role", ("b",))), *clauses])
