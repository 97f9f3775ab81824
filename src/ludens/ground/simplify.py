"""From the rules as clingo grounds them to a `GroundProgram`: what is certain folded away, all else renumbered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ludens.core import GroundTerm
from ludens.errors import CompileError
from ludens.ground.aspif import GroundRules, reading
from ludens.ground.program import FALSE, TRUE, GroundProgram, Literals

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Outputs = dict[GroundTerm, int]
"""Terms and the atoms that tell about them; 0 for what always holds."""


@dataclass(frozen=True, slots=True)
class _Questions:
    """The atoms that a game is asked about, by their terms, in natural order."""

    roles: tuple[str, ...]
    fluents: tuple[GroundTerm, ...]
    moves: tuple[tuple[GroundTerm, ...], ...]
    init: frozenset[GroundTerm]
    true: Outputs
    next: Outputs
    does: tuple[Outputs, ...]
    legal: tuple[Outputs, ...]
    goals: tuple[Outputs, ...]
    terminal: int | None
    """None if the game never ends."""

    @classmethod
    def of(cls, rules: GroundRules, roles: Sequence[str]) -> _Questions:
        symbols = rules.symbols
        init = {arguments[0]: atom for arguments, atom in symbols.get("init", [])}
        if any(init.values()):
            raise CompileError("the initial state depends on itself; let init use only facts that never change")
        true, following = ({args[0]: atom for args, atom in symbols.get(name, [])} for name in ("true", "next"))
        does, legal, goals = (_by_role(symbols.get(name, []), roles) for name in ("does", "legal", "goal"))
        ends = [atom for _, atom in symbols.get("terminal", [])]
        return cls(
            roles=tuple(roles),
            fluents=tuple(true),
            moves=tuple(map(tuple, does)),
            init=frozenset(init),
            true=true,
            next=following,
            does=does,
            legal=legal,
            goals=goals,
            terminal=ends[0] if ends else None,
        )

    def asked(self) -> Iterable[int]:
        """Yield the atoms whose truth is asked."""
        for outputs in (self.next, *self.legal, *self.goals):
            yield from outputs.values()
        yield self.terminal or 0

    def inputs(self) -> Iterable[int]:
        """Yield the atoms of fluents and moves in the order of their final numbers."""
        yield from (self.true[fluent] for fluent in self.fluents)
        for role, moves in enumerate(self.moves):
            yield from (self.does[role][move] for move in moves)


def _by_role(symbols: Iterable[tuple[tuple[GroundTerm, ...], int]], roles: Sequence[str]) -> tuple[Outputs, ...]:
    outputs: dict[GroundTerm, Outputs] = {role: {} for role in roles}
    for (role, term), atom in symbols:
        if role in outputs:
            outputs[role][term] = atom
    return tuple(outputs[role] for role in roles)


def to_program(rules: GroundRules, roles: Sequence[str]) -> GroundProgram:
    """Return the ground program of all questions about the game."""
    with reading():
        return _number(_fold(rules), _Questions.of(rules, roles))


@dataclass(frozen=True, slots=True)
class _Folded:
    """The rules that remain, and what is certain: truth[atom] is 1 if it always holds, -1 if never, else 0."""

    heads: Numbers
    lengths: Numbers
    bodies: Numbers
    truth: npt.NDArray[np.int8]

    def rule_of_literal(self) -> Numbers:
        return np.repeat(np.arange(len(self.heads)), self.lengths)

    def without(self, rules: Flags, literals: Flags) -> _Folded:
        """Return the rules without some rules and literals."""
        owner = self.rule_of_literal()
        keep = ~literals & ~rules[owner]
        lengths = np.bincount(owner[keep], minlength=len(self.heads))[~rules]
        return replace(self, heads=self.heads[~rules], lengths=lengths, bodies=self.bodies[keep])


def _fold(rules: GroundRules) -> _Folded:
    """Fold away constants until nothing more follows."""
    bodies, heads = rules.bodies.astype(np.int64), rules.heads.astype(np.int64)
    atoms = 1 + int(max(np.abs(bodies).max(initial=0), heads.max(initial=0)))
    folded = _Folded(heads, rules.lengths.astype(np.int64), bodies, np.zeros(atoms, np.int8))
    free = np.zeros(atoms, np.bool_)
    free[heads[rules.choice]] = True
    folded = folded.without(rules.choice, np.zeros(len(bodies), np.bool_))
    while True:
        truth = folded.truth.copy()
        derived = np.zeros(atoms, np.bool_)
        derived[folded.heads] = True
        truth[~derived & ~free & (truth == 0)] = -1
        truth[folded.heads[folded.lengths == 0]] = 1
        if np.array_equal(truth, folded.truth):
            return folded
        values = np.sign(folded.bodies) * truth[np.abs(folded.bodies)]
        dead = truth[folded.heads] == 1
        dead[folded.rule_of_literal()[values == -1]] = True
        folded = replace(folded.without(dead, values == 1), truth=truth)


def _reachable(folded: _Folded, asked: Iterable[int]) -> Flags:
    """Return the atoms on which the questions depend."""
    order = np.argsort(folded.heads, kind="stable")
    body_starts = np.concatenate(([0], np.cumsum(folded.lengths)))
    atoms = np.arange(len(folded.truth) + 1)
    rule_starts = np.searchsorted(folded.heads[order], atoms)
    found = np.zeros(len(folded.truth), np.bool_)
    frontier = np.unique(np.fromiter(asked, np.int64))
    while len(frontier):
        found[frontier] = True
        mine = order[_ranges(rule_starts[frontier], rule_starts[frontier + 1])]
        used = np.abs(folded.bodies[_ranges(body_starts[mine], body_starts[mine + 1])])
        frontier = np.unique(used[~found[used]])
    return found


def _ranges(starts: Numbers, ends: Numbers) -> Numbers:
    """Return the concatenated ranges."""
    lengths = ends - starts
    shifts = np.repeat(starts - np.concatenate(([0], np.cumsum(lengths)[:-1]))[: len(starts)], lengths)
    return shifts + np.arange(lengths.sum())


def _number(folded: _Folded, questions: _Questions) -> GroundProgram:
    """Return the program with final numbers of atoms and literals of questions."""
    found = _reachable(folded, questions.asked())
    inputs = np.fromiter(questions.inputs(), np.int64)
    derived = found.copy()
    derived[inputs] = False
    derived[0] = False
    derived &= folded.truth == 0
    new = np.zeros(len(found), np.int64)
    new[inputs] = np.arange(1, len(inputs) + 1)
    new[derived] = np.arange(len(inputs) + 1, len(inputs) + 1 + np.count_nonzero(derived))
    kept = folded.without(~derived[folded.heads], np.zeros(len(folded.bodies), np.bool_))
    order = np.argsort(new[kept.heads], kind="stable")
    starts = np.concatenate(([0], np.cumsum(kept.lengths)))
    lengths = kept.lengths[order]
    bodies = kept.bodies[_ranges(starts[order], starts[order + 1])]

    def literal(atom: int | None) -> int:
        if not atom:
            return FALSE if atom is None else TRUE
        truth = int(folded.truth[atom])
        return 2 * int(new[atom]) if truth == 0 else TRUE if truth == 1 else FALSE

    def literals(atoms: Iterable[int | None]) -> Literals:
        return np.array([literal(atom) for atom in atoms], np.int32)

    goals = tuple(map(tuple, questions.goals))
    return GroundProgram(
        roles=questions.roles,
        fluents=questions.fluents,
        moves=questions.moves,
        goal_values=goals,
        atom_count=len(inputs) + 1 + int(np.count_nonzero(derived)),
        heads=new[kept.heads[order]].astype(np.int32),
        body_starts=np.concatenate(([0], np.cumsum(lengths))).astype(np.int32),
        bodies=(2 * new[np.abs(bodies)] + (bodies < 0)).astype(np.int32),
        init=np.array([fluent in questions.init for fluent in questions.fluents], np.bool_),
        next=literals(questions.next.get(fluent) for fluent in questions.fluents),
        legal=tuple(
            literals(questions.legal[role][move] for move in moves) for role, moves in enumerate(questions.moves)
        ),
        goals=tuple(literals(questions.goals[role][value] for value in values) for role, values in enumerate(goals)),
        terminal=literal(questions.terminal),
    )
