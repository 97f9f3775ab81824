"""Turning plans into Python functions.

Each relation, for each combination of known arguments, becomes a function that looks into its
table and otherwise runs its rules; each rule becomes a function of nested loops. The source is
built from numbers and `repr`s of strings only, so nothing in a rule sheet can become code.

Arguments of the generated functions: `S` holds what is known about a state and `D` about a joint
move in it; relations that hold for the whole game need neither. `S[0]` is the set of fluents,
`S[1]` the recursion in progress, `S[2]` the fluents by name; `D[0]` maps roles to moves.
A relation answers with a set: of values when one argument is asked for, of tuples when several;
with a bool when all are known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ludens.core import GroundTerm
from ludens.engines.joins import Lifetime, is_fact, split_args
from ludens.engines.reference.planner import RulePlanner
from ludens.engines.reference.recursion import GoalTable, GrowingGoalTable, Recursion, check_size
from ludens.engines.reference.rule_writer import CONTEXT, PythonRuleWriter, packed, settled
from ludens.gdl.formulas import Signature
from ludens.runtime.threads import check_interrupted

RECURSION = {Lifetime.GAME: "G", Lifetime.STATE: "S[1]", Lifetime.STEP: "D[1]"}
MAX_LOOPS_UNCHECKED = 2_000
"""How many inner loops are begun between two looks at whether the evaluation is to end."""
STATE_SLOTS = 3
STEP_SLOTS = 2


class Program:
    """All generated functions of one rule sheet; made on first use."""

    def __init__(self, planner: RulePlanner) -> None:
        self.planner = planner
        self.namespace: dict[str, Any] = {
            "GoalTable": GoalTable,
            "GrowingGoalTable": GrowingGoalTable,
            "check_size": check_size,
            "check": _check,
            "W": [0],
            "MAX_LOOPS_UNCHECKED": MAX_LOOPS_UNCHECKED,
            "split": split_fluents,
            "new_step": self.new_step,
            "G": Recursion(),
        }
        self.state_slots: list[type | None] = [None] * STATE_SLOTS
        self.step_slots: list[type | None] = [None] * STEP_SLOTS
        self._relations: dict[tuple[Signature, str], str] = {}
        self._indexes: dict[tuple[object, ...], str] = {}
        self._source: list[str] = []
        self._count = 0

    def new_state(self, fluents: frozenset[GroundTerm]) -> list[Any]:
        state: list[Any] = [slot and slot() for slot in self.state_slots]
        state[0], state[1] = fluents, Recursion()
        return state

    def new_step(self, joint: dict[GroundTerm, GroundTerm]) -> list[Any]:
        step: list[Any] = [slot and slot() for slot in self.step_slots]
        step[0], step[1] = joint, Recursion()
        return step

    def query(self, signature: Signature, modes: str) -> Callable[..., Any]:
        """A function of `S` and the known arguments that asks a relation without a joint move."""
        return self._query(signature, modes, ["S"], ["D = new_step({})"])

    def step_query(self, signature: Signature, modes: str) -> Callable[..., Any]:
        """A function of `S`, `D` and the known arguments."""
        return self._query(signature, modes, ["S", "D"], [])

    def _query(
        self, signature: Signature, modes: str, context: Sequence[str], no_move: Sequence[str]
    ) -> Callable[..., Any]:
        function = self.relation(signature, modes)
        known = [f"a{index}" for index, mode in enumerate(modes) if mode == "b"]
        needed = CONTEXT[self.planner.lifetime(signature)]
        name = self.fresh("q")
        body = [*(no_move if "D" in needed else ()), f"return {function}({', '.join([*needed, *known])})"]
        self.define(name, [*context, *known], body)
        self._load()
        result: Callable[..., Any] = self.namespace[name]
        return result

    def _load(self) -> None:
        source, self._source = "\n".join(self._source), []
        exec(compile(source, "<rules>", "exec"), self.namespace)

    def fresh(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}{self._count}"

    def define(self, name: str, parameters: Sequence[str], body: Sequence[str]) -> None:
        self._source.append(f"def {name}({', '.join(parameters)}):")
        self._source.extend("    " + line for line in body)

    def slot(self, lifetime: Lifetime, kind: type | None) -> str:
        """An expression for a new place in `S` or `D`, or for a table of the whole game."""
        if lifetime is Lifetime.GAME:
            name = self.fresh("t")
            self.namespace[name] = kind() if kind else None
            return name
        slots, holder = (self.state_slots, "S") if lifetime is Lifetime.STATE else (self.step_slots, "D")
        slots.append(kind)
        return f"{holder}[{len(slots) - 1}]"

    # -- facts -------------------------------------------------------------------------------

    def facts(self, signature: Signature, modes: str) -> str:
        """The name of a dictionary from known to asked arguments, over the facts of a sheet."""
        key = ("facts", signature, modes)
        if key not in self._indexes:
            index: dict[Any, Any] = {}
            for rule in self.planner.rules.relations.get(signature, ()):
                if is_fact(rule):
                    known, asked = split_args(rule.head.args, modes)
                    index.setdefault(_pack(known), {})[_pack(asked)] = None
            self._indexes[key] = self.fresh("g")
            self.namespace[self._indexes[key]] = {known: tuple(asked) for known, asked in index.items()}
        return self._indexes[key]

    def fluent_index(self, signature: Signature, modes: str) -> str:
        """The name of a function of `S` that gives the fluents of one name by their known arguments."""
        key = ("fluents", signature, modes)
        if key not in self._indexes:
            name = self._indexes[key] = self.fresh("i")
            rows = f"(S[2] or split(S)).get(({signature[0]!r}, {signature[1] + 1}), ())"
            self._define_index(name, ["S"], self.slot(Lifetime.STATE, None), rows, modes, 1)
        return self._indexes[key]

    def whole_index(self, signature: Signature, modes: str) -> str:
        """Likewise for a derived relation that is worked out as a whole."""
        key = ("whole", signature, modes)
        if key not in self._indexes:
            name = self._indexes[key] = self.fresh("w")
            lifetime = self.planner.lifetime(signature)
            context = list(CONTEXT[lifetime])
            rows = f"{self.relation(signature, 'f' * len(modes))}({', '.join(context)})"
            self._define_index(name, context, self.slot(lifetime, None), rows, modes, 0)
        return self._indexes[key]

    def _define_index(self, name: str, context: Sequence[str], slot: str, rows: str, modes: str, offset: int) -> None:
        cells = [f"row[{index + offset}]" for index in range(len(modes))]
        known, asked = split_args(cells, modes)
        body = [f"index = {slot}", "if index is None:", f"    index = {slot} = {{}}", f"    for row in {rows}:"]
        body += [f"        index.setdefault({packed(known)}, []).append({packed(asked)})", "return index"]
        self.define(name, context, body)

    # -- relations ---------------------------------------------------------------------------

    def relation(self, signature: Signature, modes: str) -> str:
        """The name of the function that answers for a relation with these arguments known."""
        key = signature, modes
        if key not in self._relations:
            self._relations[key] = self.fresh("f")
            self._define_relation(self._relations[key], signature, modes)
        return self._relations[key]

    def _define_relation(self, name: str, signature: Signature, modes: str) -> None:
        rules = self.planner.rules.relations.get(signature, ())
        lifetime = self.planner.lifetime(signature)
        context = CONTEXT[lifetime]
        known = [f"a{index}" for index, mode in enumerate(modes) if mode == "b"]
        call = CallParts(
            name=name,
            parameters=[*context, *known],
            key=packed(known),
            table=self.slot(lifetime, dict),
            recursion=RECURSION[lifetime],
            is_check="f" not in modes,
            facts=self.facts(signature, modes) if any(map(is_fact, rules)) else None,
            rules=[
                PythonRuleWriter(self, self.planner.plan(rule, modes), lifetime).write()
                for rule in rules
                if not is_fact(rule)
            ],
        )
        if self.planner.is_recursive(signature):
            table = GrowingGoalTable if self.planner.builds_terms(signature) else GoalTable
            self._define_recursive(call, table.__name__, self.planner.component_of[signature])
        else:
            self._define_plain(call)

    def _define_plain(self, call: CallParts) -> None:
        body = [f"key = {call.key}", f"table = {call.table}", "found = table.get(key)", "if found is None:"]
        if call.is_check:
            tests = [f"key in {call.facts}"] if call.facts else []
            tests += [f"{rule}({call.arguments()})" for rule in call.rules]
            body += [f"    found = table[key] = {' or '.join(tests) or 'False'}"]
        else:
            body += [f"    found = set({call.facts}.get(key, ()))" if call.facts else "    found = set()"]
            body += [f"    {rule}({call.arguments('found.add')})" for rule in call.rules]
            body += ["    table[key] = found"]
        self.define(call.name, call.parameters, [*body, "return found"])

    def _define_recursive(self, call: CallParts, table: str, component: int) -> None:
        """Three functions: one round of the rules, the answers as a rule asks for them, and all answers for `not`."""
        evaluate = []
        if call.facts and call.is_check:
            evaluate += [f"if {call.key} in {call.facts}:", "    return add(())"]
        elif call.facts:
            evaluate += [f"for value in {call.facts}.get({call.key}, ()):", "    add(value)"]
        for rule in call.rules:
            if call.is_check:
                evaluate += [f"if {rule}({call.arguments()}):", "    return add(())"]
            else:
                evaluate += [f"{rule}({call.arguments('add')})"]
        self.define(f"{call.name}_round", [*call.parameters, "add"], evaluate or ["pass"])
        rules = f"lambda add: {call.name}_round({call.arguments('add')})"
        goal = [f"key = {call.key}", *([f"check_size({call.key})"] if table == "GrowingGoalTable" else [])]
        goal += [f"table = {call.table}", "found = table.get(key)", "if found is None:"]
        goal += [f"    found = table[key] = {table}({component}, {rules})"]
        answers = "bool({})" if call.is_check else "{}"
        for name, question in ((call.name, "ask"), (settled(call.name), "settle")):
            found = f"found.answers if found.complete else {call.recursion}.{question}(found)"
            self.define(name, call.parameters, [*goal, f"return {answers.format(found)}"])


@dataclass(frozen=True, slots=True)
class CallParts:
    """The pieces of source from which the functions of one relation are put together."""

    name: str
    parameters: Sequence[str]
    key: str
    table: str
    recursion: str
    is_check: bool
    facts: str | None
    rules: Sequence[str]

    def arguments(self, *more: str) -> str:
        return ", ".join([*self.parameters, *more])


def split_fluents(state: list[Any]) -> dict[Any, list[Any]]:
    """Group the compound fluents of a state by name and length, and keep the groups in `S[2]`."""
    groups: dict[Any, list[Any]] = {}
    for fluent in state[0]:
        if type(fluent) is tuple:
            groups.setdefault((fluent[0], len(fluent)), []).append(fluent)
    state[2] = groups
    return groups


def _check(count: list[int]) -> None:
    count[0] = 0
    check_interrupted()


def _pack(values: Sequence[Any]) -> Any:
    return values[0] if len(values) == 1 else tuple(values)
