"""Proofs by induction of properties of all reachable states.

Base case: it holds in the initial state. Step case: there is no state in which it holds, and no joint move of legal
moves, after which it does not; the solver clingo looks for such a state among *all* sets of fluents, reachable or not,
in a process of its own. Several properties are proved together, each may be used for the others: those that a
counterexample breaks are dropped, and those for which it finds none in time, until no more are. What is left is
proved.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ludens.core import GroundTerm
from ludens.errors import CompileError
from ludens.gdl.formulas import Signature
from ludens.gdl.keywords import CHANCE
from ludens.gdl.rules import Rules
from ludens.ground.asp import AspProgram, needed_rules, translate
from ludens.ground.decompose import split_rules
from ludens.ground.limits import GroundingLimits, GroundingWatch
from ludens.ground.process import run_refuter
from ludens.runtime.deadline import Deadline

MEMORY_BYTES = 2 * 2**30
MAX_SECONDS = 3_600.0
SOLVING = 0.6
"""The share of the time for the solver; the rest is for grounding and for easy proofs at the end."""

PLAY: tuple[Signature, ...] = (("init", 1), ("next", 1), ("legal", 2), ("terminal", 0))
"""The relations that determine the reachable states."""

_FRAME = """\
{true(F)} :- fluent(F).
{does(R,M)} :- legal(R,M), player(R).
:- player(R), not 1 {does(R,M)} 1.
:- terminal.
#external on(I) : claim(I).
"""
"""Any state that is not terminal, and any joint move."""


@dataclass(frozen=True, slots=True)
class Determined:
    """The inputs of a fluent determine its outputs: never two facts with the same inputs.

    If some arguments are fixed, that is said only of facts where they are these words.
    """

    signature: Signature
    inputs: tuple[int, ...]
    fixed: tuple[tuple[int, GroundTerm], ...] = ()


@dataclass(frozen=True, slots=True)
class Exclusive:
    """Of several fluents, only one fact has the same inputs: a block is on another or on the table."""

    parts: tuple[tuple[Signature, tuple[int, ...]], ...]
    """Fluents with their inputs, as many for each."""


@dataclass(frozen=True, slots=True)
class Present:
    """There is always a fact with each combination of inputs that the initial state has."""

    signature: Signature
    inputs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Stacked:
    """Along a coordinate of a board, all after a place with the blank content are blank, too."""

    signature: Signature
    axis: int
    words: tuple[GroundTerm, ...]
    content: int
    blank: GroundTerm


@dataclass(frozen=True, slots=True)
class OnlyChooser:
    """While a fact holds, only one role has a choice, or none; chance apart."""

    fact: GroundTerm
    role: str | None


@dataclass(frozen=True, slots=True)
class Follows:
    """After one fact holds, another holds in the next state."""

    fact: GroundTerm
    after: GroundTerm


Claim = Determined | Exclusive | Present | Stacked | OnlyChooser | Follows


def prove(
    rules: Rules,
    initial: Collection[GroundTerm],
    fluents: Sequence[GroundTerm],
    claims: Sequence[Claim],
    deadline: Deadline,
) -> set[Claim]:
    """Return the claims that the induction proves.

    `initial` is the initial state, `fluents` all that can ever hold. CompileError if the rules are too large for the
    solver, or time is over.
    """
    claims = [claim for claim in claims if _holds_at_first(claim, initial)]
    if not claims:
        return set()
    deciding = rules.dependencies.reachable(PLAY)
    plain = [rule for rule in needed_rules(rules) if rule.head.signature in deciding]
    asp = translate(split_rules(plain), rules.roles, _FRAME)
    writer = _Writer(asp)
    lines = [f"budget({int(1000 * SOLVING * min(deadline.remaining, MAX_SECONDS))})."]
    lines += [f"fluent({writer.term(fluent)})." for fluent in fluents]
    for number, claim in enumerate(claims):
        lines.append(f"claim({number}).")
        lines += writer.claim(number, claim)
    limits = GroundingLimits(seconds=MAX_SECONDS, memory_bytes=MEMORY_BYTES)
    answer = run_refuter(asp.text + "\n".join(lines) + "\n", GroundingWatch.start(limits, deadline))
    words = answer.decode("ascii").split()
    if words[-1:] != ["proved"]:
        raise CompileError("the solver gave no answer; allow more seconds or memory")
    dropped = {int(word) for word in words[:-1]}
    return {claim for number, claim in enumerate(claims) if number not in dropped}


def _holds_at_first(claim: Claim, initial: Collection[GroundTerm]) -> bool:
    """Return whether a claim holds in the initial state; claims about steps and presence hold by definition."""
    if isinstance(claim, Stacked):
        return not any(_breaks(claim, one, other) for one in initial for other in initial)
    if not isinstance(claim, Determined | Exclusive):
        return True
    inputs = [
        tuple(fact[1 + index] for index in part.inputs)
        for part in _parts(claim)
        for fact in initial
        if isinstance(fact, tuple)
        and (fact[0], len(fact) - 1) == part.signature
        and all(fact[1 + index] == word for index, word in part.fixed)
    ]
    return len(set(inputs)) == len(inputs)


def _breaks(claim: Stacked, one: GroundTerm, other: GroundTerm) -> bool:
    """Return whether one fact is a blank place, and the other says that the next one is not."""
    name, arity = claim.signature
    if not all(isinstance(fact, tuple) and (fact[0], len(fact) - 1) == (name, arity) for fact in (one, other)):
        return False
    axis, content = 1 + claim.axis, 1 + claim.content
    if one[content] != claim.blank or other[content] == claim.blank:
        return False
    rest = (index for index in range(1, arity + 1) if index not in (axis, content))
    follows = (one[axis], other[axis]) in pairwise(claim.words)
    return follows and all(one[index] == other[index] for index in rest)


def _parts(claim: Determined | Exclusive) -> Sequence[Determined]:
    """Return the parts of a claim, one for each fluent."""
    return [claim] if isinstance(claim, Determined) else [Determined(*part) for part in claim.parts]


class _Writer:
    """Claims in the words of a logic program."""

    def __init__(self, asp: AspProgram) -> None:
        self._numbers = {word: number for number, word in enumerate(asp.words)}

    def term(self, term: GroundTerm) -> str:
        if isinstance(term, tuple):
            return f"f{self._numbers[str(term[0])]}({','.join(map(self.term, term[1:]))})"
        return str(self._numbers[term])

    def claim(self, number: int, claim: Claim) -> list[str]:
        """Return the program of a claim: its use as an assumption about the state, and its violation after the move."""
        if isinstance(claim, OnlyChooser):
            others = [f"R!={self.term(role)}, " for role in (claim.role, CHANCE) if role in self._numbers]
            wrong = f"true({self.term(claim.fact)}), player(R), {''.join(others)}2 {{legal(R,M)}}"
            return [f"wrong({number},0) :- on({number}), {wrong}."]
        if isinstance(claim, Follows):
            wrong = f"true({self.term(claim.fact)}), not next({self.term(claim.after)})"
            return [f"wrong({number},0) :- on({number}), {wrong}."]
        if isinstance(claim, Stacked):
            return self._stacked(number, claim)
        if isinstance(claim, Present):
            facts, source, few = [self._pattern(Determined(claim.signature, claim.inputs))], "init", "not 1"
        else:
            facts, source, few = [self._pattern(part) for part in _parts(claim)], "fluent", "2"
        arity = len(claim.inputs if not isinstance(claim, Exclusive) else claim.parts[0][1])
        inputs = ",".join([str(number), *(f"I{index}" for index in range(arity))])
        lines = [f"group({inputs}) :- {source}({fact})." for fact in facts]
        holding, following = (
            f"{few} {{{'; '.join(f'{state}({fact}) : fluent({fact})' for fact in facts)}}}"
            for state in ("true", "next")
        )
        lines.append(f":- on({number}), group({inputs}), {holding}.")
        lines.append(f"wrong({number},g({inputs})) :- on({number}), group({inputs}), {following}.")
        return lines

    def _stacked(self, number: int, claim: Stacked) -> list[str]:
        name, arity = claim.signature
        below, above = ([f"O{index}" for index in range(arity)] for _ in range(2))
        below[claim.axis], above[claim.axis] = "B", "A"
        below[claim.content], above[claim.content] = self.term(claim.blank), "C"
        blank, other = (f"f{self._numbers[name]}({','.join(arguments)})" for arguments in (below, above))
        lines = [f"above({number},{self.term(one)},{self.term(next_one)})." for one, next_one in pairwise(claim.words)]
        pairs = f"above({number},B,A), fluent({blank}), fluent({other}), C!={self.term(claim.blank)}"
        lines.append(f":- on({number}), {pairs}, true({blank}), true({other}).")
        lines.append(f"wrong({number},0) :- on({number}), {pairs}, next({blank}), next({other}).")
        return lines

    def _pattern(self, claim: Determined) -> str:
        """Return a fact with the inputs I0, I1 and so on."""
        name, arity = claim.signature
        arguments = [f"O{index}" for index in range(arity)]
        for number, index in enumerate(claim.inputs):
            arguments[index] = f"I{number}"
        for index, word in claim.fixed:
            arguments[index] = self.term(word)
        return f"f{self._numbers[name]}({','.join(arguments)})"
