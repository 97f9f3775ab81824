"""From the rules of a game to its machine code."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ludens.engines.backend.machine_code import LoadedCode
from ludens.engines.backend.memory import MemoryLayout
from ludens.engines.joins import JoinPlan, Lifetime, Lookup, LookupKind, Variant
from ludens.engines.relational import recursion, runtime
from ludens.engines.relational.code import CompiledCode, add_runtime_arrays, runtime_text
from ludens.engines.relational.flatten import keyword_of
from ludens.engines.relational.ir import Body, Value
from ludens.engines.relational.outputs import AddMove, AddNext, Continue, Keep, Output, PassTest
from ludens.engines.relational.planner import FlatPlanner
from ludens.engines.relational.program import GameProgram
from ludens.engines.relational.rule_writer import AssemblyRuleWriter, Known
from ludens.engines.relational.storage import FluentStore, StaticTable
from ludens.errors import CompileError
from ludens.gdl.formulas import Atom, Literal, Signature
from ludens.gdl.terms import Term, Variable

MAX_VARIANTS = 4_000
MAX_RULES_TOGETHER = 8
"""More rules than these become functions of their own, so that no function is very long."""
SHORT_CODE = 6_000
"""Lines of assembly; longer code is not worth the time that better machine code takes."""


class Compiler:
    """Writes the functions of a game."""

    def __init__(self, program: GameProgram, check: Callable[[], None] = lambda: None) -> None:
        """`check` is called again and again, and may raise to break off."""
        self.program = program
        self._check = check
        self.planner = FlatPlanner(program, check)
        self._layout = MemoryLayout()
        self._numbers_known = add_runtime_arrays(self._layout, program)
        self._fluents = {
            signature: FluentStore(number, program, self._layout, signature)
            for number, signature in enumerate(program.fluents)
        }
        self._layout.add("state", sum(1 + store.capacity * store.arity for store in self._fluents.values()) + 1)
        self._statics: dict[tuple[Signature, str], StaticTable] = {}
        self._functions: list[str] = []
        self._numbers: dict[Variant, int] = {}
        self._count = 0
        self._consumers = 0
        self._check_lifetimes()
        roots = [step.variant for step in self._root_steps() if step.kind is LookupKind.CALL]
        variants = self.planner.variants(list(dict.fromkeys(roots)))
        if len(variants) > MAX_VARIANTS:
            raise CompileError(f"the rules ask for relations in more than {MAX_VARIANTS:,} ways")
        self.strategy = recursion.choose(self.planner, variants)
        self._variants = variants

    def _check_lifetimes(self) -> None:
        for keyword in ("legal", "goal", "terminal"):
            for signature in self.program.flat.parts_of(keyword):
                if self.program.lifetimes.get(signature) is Lifetime.STEP:
                    raise CompileError(f"`{keyword}` depends on the moves made; let it depend on the state alone")

    def compile(self) -> CompiledCode:
        assembly = self.assembly()
        passes = 1 if assembly.count("\n") <= SHORT_CODE else 0
        self._check()
        return CompiledCode(LoadedCode(assembly, level=1, passes=passes), self._layout)

    def assembly(self) -> str:
        for variant in self._variants:
            self._check()
            self._write_variant(variant)
        self._write_dispatch()
        self._write_roots()
        self._write_state_functions()
        stores: list[FluentStore | StaticTable] = [*self._fluents.values(), *self._statics.values()]
        helpers = [text for store in stores for text in store.functions()]
        return "\n".join([*self._functions, *helpers, runtime_text(self._layout, self._numbers_known)])

    # -- for those who write parts -----------------------------------------------------------

    def add(self, text: str) -> None:
        self._functions.append(text)

    def fresh(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}{self._count}"

    def new_consumer(self) -> int:
        self._consumers += 1
        return self._consumers - 1

    def place(self, name: str) -> int:
        return self._layout.arrays[name].first

    def function(self, variant: Variant) -> str:
        """The name of the function that answers for a variant."""
        number = self._numbers.setdefault(variant, len(self._numbers))
        return f"{'ask' if variant in self.strategy.tabled else 'each'}{number}"

    @property
    def stores(self) -> list[FluentStore]:
        """The kinds of facts, in the order in which a state has them."""
        return list(self._fluents.values())

    def fluent(self, signature: Signature) -> FluentStore:
        return self._fluents[signature]

    def static(self, signature: Signature, modes: str) -> StaticTable:
        key = signature, modes
        if key not in self._statics:
            name = f"static{len(self._statics)}"
            self._statics[key] = StaticTable(name, self.program, self._layout, signature, modes)
        return self._statics[key]

    # -- variants ----------------------------------------------------------------------------

    def _write_variant(self, variant: Variant) -> None:
        known = [f"%a{index}" for index, mode in enumerate(variant.modes) if mode == "b"]
        if variant in self.strategy.tabled:
            self._write_kept(variant, known)
            return
        parameters = [f"i64 {name}" for name in known]
        output: Output = PassTest()
        if not variant.is_test:
            parameters += ["ptr %function", "ptr %environment"]
            output = Continue("%function", "%environment")
        body = Body(self.function(variant), parameters, guard=self.count_work)
        self.count_work(body)
        self._write_rules(body, variant, known, parameters[len(known) :], output)
        self.add(body.text())

    def count_work(self, body: Body, amount: object = 1) -> None:
        """Nothing takes for ever: after very many calls and turns of loops all comes to an end."""
        work = body.op(f"add i64 {body.load(self.place('control'), runtime.WORK)}, {amount}")
        enough, go_on = body.label(), body.label()
        body.branch(body.op(f"icmp ult i64 {work}, {runtime.MAX_WORK}"), go_on, enough)
        body.start(enough)
        body.line(f"call void @fail(ptr %w, i64 {runtime.ENDLESS})")
        body.finish(1)
        body.start(go_on)
        body.store(work, self.place("control"), runtime.WORK)

    def _write_rules(
        self, body: Body, variant: Variant, given: Sequence[str], others: Sequence[str], output: Output
    ) -> None:
        """The rules one after the other, for the values that are given; `others` is what the output needs."""
        plans = self.planner.plans(variant)
        for plan in plans:
            after = body.label("rule")
            if len(plans) <= MAX_RULES_TOGETHER:
                self._write_rule(body, plan, variant, given, output, after)
            else:
                names = [f"%k{index}" for index in range(len(given))]
                alone = Body(self.fresh("rule"), [*(f"i64 {name}" for name in names), *others], guard=self.count_work)
                end = alone.label("end")
                self._write_rule(alone, plan, variant, names, output, end)
                alone.start(end)
                alone.finish(0)
                self.add(alone.text())
                passed = ", ".join(["ptr %w", *(f"i64 {value}" for value in given), *others])
                enough, stop = body.op(f"call i64 @{alone.name}({passed})"), body.label()
                body.branch(body.op(f"icmp ne i64 {enough}, 0"), stop, after)
                body.start(stop)
                body.finish(1)
            body.start(after)
        body.finish(0)

    def _write_rule(
        self, body: Body, plan: JoinPlan, variant: Variant, names: Sequence[str], output: Output, fail: str
    ) -> None:
        args = plan.rule.head.args
        asked = [term for term, mode in zip(args, plan.modes, strict=True) if mode == "f"]
        given = [term for term, mode in zip(args, plan.modes, strict=True) if mode == "b"]
        writer = AssemblyRuleWriter(self, plan.lookups, asked, variant)
        known: Known = {}
        for term, name in zip(given, names, strict=True):
            writer.match(body, known, term, Value(name), fail)
        writer.write(body, 0, known, output, fail)

    def _write_kept(self, variant: Variant, known: Sequence[str]) -> None:
        """Two functions: one that gives the goal, worked out, and one that runs its rules."""
        number = self.strategy.tabled[variant]
        ask = Body(self.function(variant), [f"i64 {name}" for name in known])
        for index, name in enumerate(known):
            ask.store(name, self.place("scratch"), index)
        goal = ask.op(f"call i64 @goal_of(ptr %w, i64 {number}, i64 {len(known)})")
        ready, open_goal = ask.label(), ask.label()
        state = ask.load(self.place("goal_states"), goal)
        ask.branch(ask.op(f"icmp eq i64 {state}, {runtime.COMPLETE}"), ready, open_goal)
        ask.start(open_goal)
        if variant in self.strategy.component:
            ask.line(f"call void @settle(ptr %w, i64 {goal})")
        else:
            ask.op(f"call i64 @rules{number}(ptr %w, i64 {goal})")
            ask.store(runtime.COMPLETE, self.place("goal_states"), goal)
        ask.jump(ready)
        ask.start(ready)
        ask.finish(goal)
        self.add(ask.text())
        rules = Body(f"rules{number}", ["i64 %goal"], guard=self.count_work)
        self.count_work(rules)
        start = rules.load(self.place("goal_keys"), "%goal")
        values = [rules.load(self.place("keys") + index, start) for index in range(len(known))]
        self._write_rules(rules, variant, values, ["i64 %goal"], Keep("%goal", self.place("scratch")))
        self.add(rules.text())

    def _write_dispatch(self) -> None:
        """Functions that are called by their numbers."""
        run = Body("run_rules", ["i64 %goal"], "void")
        kind = run.load(self.place("goal_variants"), "%goal")
        numbers = sorted(self.strategy.tabled.values())
        self._switch(run, kind, [(number, f"@rules{number}(ptr %w, i64 %goal)") for number in numbers])
        resume = Body("resume", ["i64 %function", "i64 %environment", "i64 %answer"], "void")
        calls = [
            (number, f"@consumer{number}(ptr %w, i64 %environment, i64 %answer)") for number in range(self._consumers)
        ]
        self._switch(resume, "%function", calls)

    def _switch(self, body: Body, value: str, calls: Sequence[tuple[int, str]]) -> None:
        labels = {number: body.label("case") for number, _ in calls}
        other = body.label("other")
        cases = " ".join(f"i64 {number}, label %{label}" for number, label in labels.items())
        body.line(f"switch i64 {value}, label %{other} [ {cases} ]")
        for number, call in calls:
            body.start(labels[number])
            body.op(f"call i64 {call}")
            body.finish()
        body.start(other)
        body.finish()
        self.add(body.text())

    # -- what the game is asked --------------------------------------------------------------

    def _root_step(self, signature: Signature, modes: str) -> Lookup:
        kind = LookupKind.FACTS if signature in self.program.statics else LookupKind.CALL
        if signature not in self.program.rules_of:
            kind = LookupKind.FACTS
        args = tuple(Variable(str(index)) for index in range(signature[1]))
        return Lookup(Literal(Atom(signature[0], args)), kind, modes)

    def _root_steps(self) -> list[Lookup]:
        flat = self.program.flat
        steps = [self._root_step(("terminal", 0), "")]
        of_roles = [*flat.parts_of("legal"), *flat.parts_of("goal")]
        steps += [
            self._root_step(each, "b" + "f" * (each[1] - 1))
            for each in of_roles
            if isinstance(flat.template(each)[0], Variable)  # no role is a compound term
        ]
        steps += [self._root_step(each, "f" * each[1]) for each in flat.parts_of("next")]
        return steps

    def _write_roots(self) -> None:
        terminal, moves, goals = list[str](), list[str](), list[str]()
        following: list[str] = []
        for step in self._root_steps():
            signature = step.literal.atom.signature
            keyword = keyword_of(signature[0])
            template = self.program.flat.template(signature)
            role = ["i64 %role"] if step.modes.startswith("b") else []
            body = Body(self.fresh("root"), role)
            output: Output = PassTest()
            asked: Sequence[Term] = template[1:]
            if keyword == "next":
                output = AddNext(self.fluent(("true" + signature[0][len("next") :], signature[1])))
                asked = step.literal.atom.args
            elif keyword in ("legal", "goal"):
                output = AddMove()
            end = body.label("end")
            known: Known = {Variable("0"): Value("%role")} if role else {}
            AssemblyRuleWriter(self, [step], asked).write(body, 0, known, output, end)
            body.start(end)
            body.finish(0)
            self.add(body.text())
            {"terminal": terminal, "legal": moves, "goal": goals, "next": following}[keyword].append(body.name)
        self._write_terminal(terminal)
        self._write_for_role("list_moves", moves)
        self._write_for_role("list_goals", goals)
        self._write_next(following)

    def _write_terminal(self, names: Sequence[str]) -> None:
        body = Body("is_terminal")
        (name,) = names
        body.finish(body.op(f"call i64 @{name}(ptr %w)"))
        self.add(body.text())

    def _write_for_role(self, name: str, functions: Sequence[str]) -> None:
        body = Body(name, ["i64 %number"], "void")
        role = body.load(self.place("role_words"), "%number")
        for function in functions:
            body.op(f"call i64 @{function}(ptr %w, i64 {role})")
        body.finish()
        self.add(body.text())

    def _write_next(self, functions: Sequence[str]) -> None:
        body = Body("make_next", (), "void")
        for function in functions:
            body.op(f"call i64 @{function}(ptr %w)")
        place = "0"
        for store in self._fluents.values():
            place = store.write_next(body, self.place("state"), place)
        body.store(place, self.place("control"), runtime.LENGTH)
        body.finish()
        self.add(body.text())

    def _write_state_functions(self) -> None:
        body = Body("load_state", (), "void")
        place = "0"
        for store in self._fluents.values():
            place = store.read(body, self.place("state"), place)
        body.finish()
        self.add(body.text())
