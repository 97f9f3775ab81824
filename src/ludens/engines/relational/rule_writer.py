"""Writing the conditions of a rule as nested loops, in the order of its plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from ludens.engines.joins import Lookup, LookupKind, Variant
from ludens.engines.relational.flatten import CONSTANT
from ludens.engines.relational.ir import Body, Value, word
from ludens.engines.relational.outputs import Continue, Jump, Output, PassTest
from ludens.gdl.terms import Term, Variable, is_ground, substitute, variables

if TYPE_CHECKING:
    from ludens.engines.relational.compiler import Compiler

Known: TypeAlias = dict[Variable, Value]
GoOn: TypeAlias = Callable[[Known, str], None]
"""What to do for a match, given what is known then and where to go on."""


class AssemblyRuleWriter:
    """The conditions of a rule, and the terms that it gives when they hold."""

    def __init__(
        self, compiler: Compiler, steps: Sequence[Lookup], asked: Sequence[Term], variant: Variant | None = None
    ) -> None:
        self._compiler = compiler
        self._program = compiler.program
        self._steps = steps
        self._asked = asked
        self._variant = variant

    def write(self, body: Body, number: int, known: Known, output: Output, fail: str) -> None:
        """Code for the conditions from a number on; it goes to `fail` when all possibilities are tried."""
        if number == len(self._steps):
            output.succeed(body, [self.value(body, known, term) for term in self._asked], fail)
            return
        step = self._steps[number]
        match step.kind:
            case LookupKind.TEST:
                self._test(body, number, known, output, fail)
            case LookupKind.CALL if step.literal.positive:
                self._call(body, number, known, output, fail)
            case LookupKind.CALL:
                self._call_negated(body, number, known, output, fail)
            case _ if step.literal.positive:
                self._each_match(body, number, known, output, fail)
            case _:
                after = body.label("absent")
                self._look_up(body, step, known, lambda _, __: body.jump(fail), after)
                body.start(after)
                self.write(body, number + 1, known, output, fail)

    def _each_match(self, body: Body, number: int, known: Known, output: Output, fail: str) -> None:
        def go_on(found: Known, further: str) -> None:
            self.write(body, number + 1, found, output, further)

        self._look_up(body, self._steps[number], known, go_on, fail)

    # -- terms -------------------------------------------------------------------------------

    def value(self, body: Body, known: Mapping[Variable, Value], term: Term) -> Value:
        """The number of a term whose variables are known."""
        if isinstance(term, Variable):
            return known[term]
        if is_ground(term):
            return word(self._program.terms.number(term))  # type: ignore[arg-type]
        assert isinstance(term, tuple)
        parts = [self.value(body, known, part) for part in term[1:]]
        for index, part in enumerate(parts):
            body.store(part, self._compiler.place("scratch"), index)
        functor = self._program.terms.functor(str(term[0]), len(parts))
        return Value(body.op(f"call i64 @intern(ptr %w, i64 {functor}, i64 {len(parts)})"))

    def match(self, body: Body, known: Known, term: Term, value: Value, fail: str) -> None:
        """Compare a value with a term; variables that are new get their values."""
        if isinstance(term, Variable) and term not in known:
            known[term] = value
        elif all(variable in known for variable in variables(term)):
            body.require(body.op(f"icmp eq i64 {value}, {self.value(body, known, term)}"), fail)
        else:
            assert isinstance(term, tuple)
            for part, number in zip(term[1:], self._parts(body, term, value, fail), strict=True):
                self.match(body, known, part, number, fail)

    def _parts(self, body: Body, term: tuple[Term, ...], value: Value, fail: str) -> list[Value]:
        """The arguments of a compound term, if it has the right function."""
        first, place = self._program.terms.first_compound, self._compiler.place
        body.require(body.op(f"icmp uge i64 {value}, {first}"), fail)
        found = body.op(f"sub i64 {value}, {first - 1}")
        functor = self._program.terms.functor(str(term[0]), len(term) - 1)
        body.require(body.op(f"icmp eq i64 {body.load(place('term_functors'), found)}, {functor}"), fail)
        start = body.load(place("term_starts"), found)
        return [Value(body.load(place("term_arguments") + index, start)) for index in range(len(term) - 1)]

    # -- what is looked up in tables ---------------------------------------------------------

    def _test(self, body: Body, number: int, known: Known, output: Output, fail: str) -> None:
        literal = self._steps[number].literal
        args = literal.atom.args
        known = dict(known)
        if literal.atom.name == CONSTANT:
            first = self._program.terms.first_compound
            body.require(body.op(f"icmp ult i64 {self.value(body, known, args[0])}, {first}"), fail)
        elif literal.positive:
            left, right = (self.value(body, known, term) for term in args)
            body.require(body.op(f"icmp ne i64 {left}, {right}"), fail)
        else:
            given, other = args if self._steps[number].modes[0] == "b" else reversed(args)
            self.match(body, known, other, self.value(body, known, given), fail)
        self.write(body, number + 1, known, output, fail)

    def _look_up(self, body: Body, step: Lookup, known: Known, go_on: GoOn, fail: str) -> None:
        """Code for each match of a fluent, a move or a fact; `go_on` gets what is known then."""
        if step.kind is LookupKind.DOES:
            self._look_up_does(body, step, known, go_on, fail)
            return
        atom = step.literal.atom
        given = [self.value(body, known, term) for term, mode in zip(atom.args, step.modes, strict=True) if mode == "b"]
        asked = [term for term, mode in zip(atom.args, step.modes, strict=True) if mode == "f"]

        def matched(values: list[Value], further: str) -> None:
            found = dict(known)
            for term, value in zip(asked, values, strict=True):
                self.match(body, found, term, value, further)
            go_on(found, further)

        if step.kind is LookupKind.FLUENT:
            self._compiler.fluent(atom.signature).look_up(body, step.modes, given, matched, fail)
        else:
            self._compiler.static(atom.signature, step.modes).look_up(body, given, matched, fail)

    def _look_up_does(self, body: Body, step: Lookup, known: Known, go_on: GoOn, fail: str) -> None:
        atom, place = step.literal.atom, self._compiler.place
        binding: dict[Variable, Term] = {Variable(str(index)): term for index, term in enumerate(atom.args)}
        role, move = (substitute(term, binding) for term in self._program.flat.template(atom.signature))

        def of_role(number: str, further: str) -> None:
            found = dict(known)
            if not all(variable in known for variable in variables(role)):
                self.match(body, found, role, Value(body.load(place("role_words"), number)), further)
            made = Value(body.load(place("joint"), number))
            if isinstance(move, Variable) and move not in found and " " in atom.name:
                body.require(body.op(f"icmp ult i64 {made}, {self._program.terms.first_compound}"), further)
            self.match(body, found, move, made, further)
            go_on(found, further)

        if not all(variable in known for variable in variables(role)):
            body.count_up(0, len(self._program.roles), 1, of_role, fail)
            return
        if isinstance(role, str):
            of_role(str(self._program.roles.index(role)), fail) if role in self._program.roles else body.jump(fail)
            return
        name = self.value(body, known, role)
        body.require(body.op(f"icmp ult i64 {name}, {self._program.terms.first_compound}"), fail)
        number = body.load(place("role_numbers"), name)
        body.require(body.op(f"icmp ne i64 {number}, 0"), fail)
        of_role(body.op(f"sub i64 {number}, 1"), fail)

    # -- what has to be derived --------------------------------------------------------------

    def _call(self, body: Body, number: int, known: Known, output: Output, fail: str) -> None:
        step = self._steps[number]
        strategy = self._compiler.strategy
        if self._variant and strategy.together(self._variant, step.variant):
            self._consume(body, number, known, output)
            body.jump(fail)
        elif step.variant in strategy.tabled:
            self._kept_answers(body, number, known, output, fail)
        elif step.variant.is_test:
            passed = self._asked_directly(body, step, known, "")
            body.require(body.op(f"icmp ne i64 {passed}, 0"), fail)
            self.write(body, number + 1, known, output, fail)
        else:
            stop = body.label()
            enough = self._asked_directly(body, step, known, self._continuation(body, number, known, output))
            body.branch(body.op(f"icmp ne i64 {enough}, 0"), stop, fail)
            body.start(stop)
            body.finish(1)

    def _call_negated(self, body: Body, number: int, known: Known, output: Output, fail: str) -> None:
        step = self._steps[number]
        after = body.label("absent")
        if step.variant in self._compiler.strategy.tabled:
            alone = AssemblyRuleWriter(self._compiler, [step], (), self._variant)
            alone._kept_answers(body, 0, known, Jump(fail), after)
        else:
            rest = ""
            if not step.variant.is_test:
                rest = AssemblyRuleWriter(self._compiler, [step], ())._continuation(body, 0, known, PassTest())
            passed = self._asked_directly(body, step, known, rest)
            body.branch(body.op(f"icmp ne i64 {passed}, 0"), fail, after)
        body.start(after)
        self.write(body, number + 1, known, output, fail)

    def _given(self, body: Body, step: Lookup, known: Known) -> list[Value]:
        pairs = zip(step.literal.atom.args, step.modes, strict=True)
        return [self.value(body, known, term) for term, mode in pairs if mode == "b"]

    def _asked_directly(self, body: Body, step: Lookup, known: Known, rest: str) -> str:
        listed = "".join(f", i64 {value}" for value in self._given(body, step, known))
        return body.op(f"call i64 @{self._compiler.function(step.variant)}(ptr %w{listed}{rest})")

    def _continuation(self, body: Body, number: int, known: Known, output: Output) -> str:
        """Arguments for a call: a function with the rest of the rule, and what it needs to know."""
        step = self._steps[number]
        asked = [term for term, mode in zip(step.literal.atom.args, step.modes, strict=True) if mode == "f"]
        is_last = number == len(self._steps) - 1
        if is_last and isinstance(output, Continue) and asked == list(self._asked) and _are_new(asked, known):
            return f", ptr {output.function}, ptr {output.environment}"
        needed = self._needed(number, known)
        name = self._compiler.fresh("rest")
        values = [f"%a{index}" for index in range(len(asked))]
        rest = Body(name, ["ptr %environment", *(f"i64 {value}" for value in values)], guard=self._compiler.count_work)
        numbers = [*(known[variable].text for variable in needed), *output.kept(body)]
        room = body.reserve(len(numbers))
        for index, value in enumerate(numbers):
            body.line(f"store i64 {value}, ptr {body.op(f'getelementptr i64, ptr {room}, i64 {index}')}")
        loaded = [
            rest.op(f"load i64, ptr {rest.op(f'getelementptr i64, ptr %environment, i64 {index}')}")
            for index in range(len(numbers))
        ]
        self._rest(rest, number, dict(zip(needed, loaded, strict=False)), known, values, output, loaded[len(needed) :])
        return f", ptr @{name}, ptr {room}"

    def _rest(
        self,
        rest: Body,
        number: int,
        loaded: Mapping[Variable, str],
        known: Known,
        values: Sequence[str],
        output: Output,
        kept: Sequence[str],
    ) -> None:
        """The function for what follows a condition, once for each answer."""
        step = self._steps[number]
        found = {variable: Value(text, known[variable].interval) for variable, text in loaded.items()}
        end = rest.label("end")
        places = [index for index, mode in enumerate(step.modes) if mode == "f"]
        for index, text in zip(places, values, strict=True):
            self.match(rest, found, step.literal.atom.args[index], Value(text), end)
        self.write(rest, number + 1, found, output.restored(rest, kept), end)
        rest.start(end)
        rest.finish(0)
        self._compiler.add(rest.text())

    def _needed(self, number: int, known: Known) -> list[Variable]:
        """What is known already and used after a condition, or to compare its answers with."""
        terms = [*self._asked, *self._steps[number].literal.atom.args]
        terms += [term for step in self._steps[number + 1 :] for term in step.literal.atom.args]
        used = {variable for term in terms for variable in variables(term)}
        return [variable for variable in known if variable in used]

    # -- goals with tables -------------------------------------------------------------------

    def _kept_answers(self, body: Body, number: int, known: Known, output: Output, fail: str) -> None:
        """A loop over the answers of a goal, which are all known before it begins."""
        step, place = self._steps[number], self._compiler.place
        listed = "".join(f", i64 {value}" for value in self._given(body, step, known))
        goal = body.op(f"call i64 @{self._compiler.function(step.variant)}(ptr %w{listed})")
        first = body.load(place("goal_answers"), goal)
        asked = [term for term, mode in zip(step.literal.atom.args, step.modes, strict=True) if mode == "f"]
        if not asked:
            body.require(body.op(f"icmp ne i64 {first}, 0"), fail)
            self.write(body, number + 1, known, output, fail)
            return

        def inner(answer: str, further: str) -> None:
            found = dict(known)
            start = body.load(place("answer_values"), answer)
            for column, term in enumerate(asked):
                self.match(body, found, term, Value(body.load(place("values") + column, start)), further)
            self.write(body, number + 1, found, output, further)

        body.follow(first, place("answer_nexts"), inner, fail)

    def _consume(self, body: Body, number: int, known: Known, output: Output) -> None:
        """Leave the rest of the rule to be told each answer of a goal of the same recursion."""
        step, place = self._steps[number], self._compiler.place
        given = self._given(body, step, known)
        for index, value in enumerate(given):
            body.store(value, place("scratch"), index)
        kind = self._compiler.strategy.tabled[step.variant]
        goal = body.op(f"call i64 @goal_of(ptr %w, i64 {kind}, i64 {len(given)})")
        asked = step.modes.count("f")
        body.line(f"call void @begin(ptr %w, i64 {goal})")
        needed = self._needed(number, known)
        numbers = [*(known[variable].text for variable in needed), *output.kept(body)]
        for index, text in enumerate(numbers):
            body.store(text, place("scratch"), index)
        function = self._compiler.new_consumer()
        listed = ", ".join(f"i64 {number}" for number in (goal, function, len(numbers), asked))
        body.line(f"call void @add_consumer(ptr %w, {listed})")
        rest = Body(f"consumer{function}", ["i64 %environment", "i64 %answer"], guard=self._compiler.count_work)
        loaded = [rest.load(place("environments") + index, "%environment") for index in range(len(numbers))]
        values = [rest.load(place("values") + index, "%answer") for index in range(asked)]
        self._rest(rest, number, dict(zip(needed, loaded, strict=False)), known, values, output, loaded[len(needed) :])


def _are_new(terms: Sequence[Term], known: Known) -> bool:
    """Whether all are different variables without values, so that every answer fits."""
    return all(isinstance(term, Variable) and term not in known for term in terms) and len(set(terms)) == len(terms)
