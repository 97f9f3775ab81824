"""Writing the function of one rule: nested loops over its conditions in the planned order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ludens.engines.joins import JoinPlan, Lifetime, Lookup, LookupKind, split_args
from ludens.gdl.terms import Term, Variable, variables

if TYPE_CHECKING:
    from ludens.engines.reference.codegen import Program

CONTEXT: dict[Lifetime, tuple[str, ...]] = {
    Lifetime.GAME: (),
    Lifetime.STATE: ("S",),
    Lifetime.STEP: ("S", "D"),
}
MAX_LOOPS = 12
"""Python allows 20 nested loops in one function; the rest of a longer rule gets a function of its own."""


def packed(expressions: Sequence[str]) -> str:
    """The source of a single value, or of a tuple of none or several."""
    return expressions[0] if len(expressions) == 1 else f"({', '.join(expressions)})"


def settled(function: str) -> str:
    """The name of the function that gives all answers of a recursive relation, even inside its own recursion."""
    return f"{function}_settled"


class PythonRuleWriter:
    """Writes the function of a rule for one combination of known head arguments.

    The function returns True or False when all are known; otherwise it calls `add` with what
    it finds.
    """

    def __init__(self, program: Program, plan: JoinPlan, lifetime: Lifetime) -> None:
        self.program = program
        self.plan = plan
        self.lifetime = lifetime
        self.is_check = "f" not in plan.modes
        self.names: dict[Variable, str] = {}
        self.lines: list[str] = []
        self.loops = 0
        self.cached: dict[str, None] = {}
        self.under_not = False

    def write(self) -> str:
        """Write the function and return its name."""
        known = [f"a{index}" for index, mode in enumerate(self.plan.modes) if mode == "b"]
        for argument, value in zip(split_args(self.plan.rule.head.args, self.plan.modes)[0], known, strict=True):
            self._match(argument, value)
        self._conditions(list(self.plan.lookups))
        return self._define(known)

    def _define(self, values: Sequence[str]) -> str:
        """Define a function of the lines written so far."""
        name = self.program.fresh("r")
        start = [f"{cache} = None" for cache in self.cached]
        end = ["return False"] if self.is_check else []
        parameters = [*CONTEXT[self.lifetime], *values, *([] if self.is_check else ["add"])]
        self.program.define(name, parameters, [*start, *self.lines, *end] or ["pass"])
        return name

    def _continuation(self, is_check: bool) -> PythonRuleWriter:
        """A writer for a function of its own that knows the same variables."""
        writer = PythonRuleWriter(self.program, self.plan, self.lifetime)
        writer.is_check = is_check
        writer.names = dict(self.names)
        return writer

    def _call_of(self, continuation: PythonRuleWriter) -> str:
        """Define the function of a continuation; the source of its call."""
        values = list(dict.fromkeys(self.names.values()))
        name = continuation._define(values)
        arguments = [*CONTEXT[self.lifetime], *values, *([] if continuation.is_check else ["add"])]
        return f"{name}({', '.join(arguments)})"

    # -- statements --------------------------------------------------------------------------

    def _emit(self, line: str) -> None:
        self.lines.append("    " * self.loops + line)

    @property
    def _fail(self) -> str:
        if self.loops:
            return "continue"
        return "return False" if self.is_check else "return"

    def _require(self, condition: str) -> None:
        self._emit(f"if not ({condition}): {self._fail}")

    def _reject(self, condition: str) -> None:
        self._emit(f"if {condition}: {self._fail}")

    def _loop(self, targets: Sequence[str], values: str) -> None:
        if self.loops:  # a join may take for ever
            self._emit("W[0] += 1")
            self._emit("if W[0] > MAX_LOOPS_UNCHECKED: check(W)")
        self._emit(f"for {', '.join(targets)} in {values}:")
        self.loops += 1

    # -- terms -------------------------------------------------------------------------------

    def _value(self, term: Term) -> str:
        """The source of a term whose variables are all known."""
        if isinstance(term, Variable):
            return self.names[term]
        if isinstance(term, tuple):
            return f"({', '.join(self._value(part) for part in term)})"
        return repr(term)

    def _is_known(self, term: Term) -> bool:
        return all(variable in self.names for variable in variables(term))

    def _match(self, term: Term, value: str) -> None:
        """Compare a value with a term and bind the variables that are new."""
        if isinstance(term, Variable) and term not in self.names:
            self.names[term] = value
        elif self._is_known(term):
            self._reject(f"{value} != {self._value(term)}")
        else:
            assert isinstance(term, tuple)
            self._reject(f"type({value}) is not tuple or len({value}) != {len(term)} or {value}[0] != {term[0]!r}")
            parts = [self.program.fresh("v") for _ in term[1:]]
            self._emit(f"_, {', '.join(parts)} = {value}")
            for part, name in zip(term[1:], parts, strict=True):
                self._match(part, name)

    # -- conditions --------------------------------------------------------------------------

    def _conditions(self, lookups: list[Lookup]) -> None:
        while lookups:
            if self.loops >= MAX_LOOPS:
                self._continue_elsewhere(lookups)
                return
            lookup = lookups.pop(0)
            if not lookup.literal.positive and lookup.kind is not LookupKind.TEST:
                self._absent(lookup)
            else:
                self._present(lookup, self._used_later(lookups))
        if self.is_check:
            self._emit("return True")
        else:
            _, asked = split_args(self.plan.rule.head.args, self.plan.modes)
            self._emit(f"add({packed([self._value(argument) for argument in asked])})")

    def _used_later(self, lookups: Sequence[Lookup]) -> set[Variable]:
        used = {variable for lookup in lookups for variable in lookup.literal.atom.variables()}
        return used if self.is_check else used | set(self.plan.rule.head.variables())

    def _continue_elsewhere(self, lookups: list[Lookup]) -> None:
        continuation = self._continuation(self.is_check)
        continuation._conditions(lookups)
        call = self._call_of(continuation)
        self._emit(f"if {call}: return True" if self.is_check else call)

    def _absent(self, lookup: Lookup) -> None:
        if "f" not in lookup.modes:
            self._absent_known(lookup)
            return
        # Variables of its own: there is no value for which the atom holds.
        search = self._continuation(is_check=True)
        search.under_not = True
        search._present(lookup, set(lookup.literal.atom.variables()))
        search._emit("return True")
        self._reject(self._call_of(search))

    def _absent_known(self, lookup: Lookup) -> None:
        atom = lookup.literal.atom
        args = [self._value(argument) for argument in atom.args]
        if lookup.kind is LookupKind.FLUENT:
            self._reject(f"{args[0]} in S[0]")
        elif lookup.kind is LookupKind.DOES:
            self._reject(f"D[0].get({args[0]}) == {args[1]}")
        else:
            self.under_not = True
            self._reject(self._check(lookup))
            self.under_not = False

    def _present(self, lookup: Lookup, used: set[Variable]) -> None:
        atom = lookup.literal.atom
        if lookup.kind is LookupKind.TEST and lookup.literal.positive:
            self._require(f"{self._value(atom.args[0])} != {self._value(atom.args[1])}")
        elif lookup.kind is LookupKind.TEST:
            known, other = atom.args if lookup.modes[0] == "b" else reversed(atom.args)
            self._match(other, self._name_of(self._value(known)))
        elif lookup.kind is LookupKind.DOES:
            self._present_does(lookup)
        elif lookup.kind is LookupKind.FLUENT and not isinstance(atom.args[0], tuple):
            self._present_any_fluent(lookup)
        elif "f" not in lookup.modes:
            self._require(self._check(lookup))
        else:
            self._search(lookup, used)

    def _name_of(self, value: str) -> str:
        if value.isidentifier():
            return value
        name = self.program.fresh("v")
        self._emit(f"{name} = {value}")
        return name

    def _present_does(self, lookup: Lookup) -> None:
        role, move = lookup.literal.atom.args
        name = self.program.fresh("v")
        if lookup.modes[0] == "b":
            self._emit(f"{name} = D[0].get({self._value(role)})")
            self._reject(f"{name} is None")
        else:
            role_name = self.program.fresh("v")
            self._loop([role_name, name], "D[0].items()")
            self._match(role, role_name)
        self._match(move, name)

    def _present_any_fluent(self, lookup: Lookup) -> None:
        fluent = lookup.literal.atom.args[0]
        if lookup.modes[0] == "b":
            self._require(f"{self._value(fluent)} in S[0]")
        else:
            name = self.program.fresh("v")
            self._loop([name], "S[0]")
            self._match(fluent, name)

    # -- looking up --------------------------------------------------------------------------

    def _check(self, lookup: Lookup) -> str:
        """The source of a test, when all arguments are known."""
        atom = lookup.literal.atom
        if lookup.kind is LookupKind.FLUENT:
            return f"{self._value(atom.args[0])} in S[0]"
        key = packed([self._value(argument) for argument in atom.args])
        if lookup.kind is LookupKind.FACTS:
            return f"{key} in {self.program.facts(atom.signature, lookup.modes)}"
        if lookup.kind is LookupKind.WHOLE:
            whole = self.program.relation(atom.signature, "f" * len(lookup.modes))
            return f"{key} in {self._cached(whole, atom.signature)}"
        return self._call(lookup)

    def _call(self, lookup: Lookup) -> str:
        atom = lookup.literal.atom
        function = self.program.relation(atom.signature, lookup.modes)
        known, _ = split_args(atom.args, lookup.modes)
        context = CONTEXT[self.program.planner.lifetime(atom.signature)]
        arguments = [*context, *(self._value(argument) for argument in known)]
        if self.under_not and self.program.planner.is_recursive(atom.signature):
            function = settled(function)
        return f"{function}({', '.join(arguments)})"

    def _cached(self, function: str, signature: tuple[str, int] | None) -> str:
        """The source of a value that is worked out once in this function, at the first need."""
        lifetime = self.program.planner.lifetime(signature) if signature else Lifetime.STATE
        call = f"{function}({', '.join(CONTEXT[lifetime])})"
        if not self.loops:
            return call
        name = f"x{function}"
        self.cached[name] = None
        self._emit(f"if {name} is None: {name} = {call}")
        return name

    def _matches(self, lookup: Lookup) -> str:
        """The source of the collection of matches, when some arguments are asked for."""
        atom = lookup.literal.atom
        known, _ = split_args(self.program.planner.lookup_args(atom), lookup.modes)
        key = packed([self._value(argument) for argument in known])
        if lookup.kind is LookupKind.FLUENT:
            fluent = atom.args[0]
            assert isinstance(fluent, tuple)
            index = self._cached(self.program.fluent_index((str(fluent[0]), len(fluent) - 1), lookup.modes), None)
            return f"{index}.get({key}, ())"
        if lookup.kind is LookupKind.FACTS:
            return f"{self.program.facts(atom.signature, lookup.modes)}.get({key}, ())"
        if lookup.kind is LookupKind.WHOLE:
            index = self._cached(self.program.whole_index(atom.signature, lookup.modes), atom.signature)
            return f"{index}.get({key}, ())"
        return self._call(lookup)

    def _search(self, lookup: Lookup, used: set[Variable]) -> None:
        """Loop over the matches; where their values do not matter, only ask whether there are any."""
        _, asked = split_args(self.program.planner.lookup_args(lookup.literal.atom), lookup.modes)
        plain = [argument for argument in asked if isinstance(argument, Variable)]
        matches = self._matches(lookup)
        if len(set(plain)) == len(asked) and not used.intersection(plain):
            self._require(matches)
            return
        targets = [self.program.fresh("v") for _ in asked]
        self._loop(targets, matches)
        for argument, target in zip(asked, targets, strict=True):
            self._match(argument, target)
