"""What a role can know of the state where it does not see everything (GDL-II): the states that are possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import product
from math import prod
from random import Random
from typing import TypeAlias

from ludens.core import GroundTerm, Move, Role
from ludens.errors import PlayError
from ludens.game import State
from ludens.gdl.rules import Rules
from ludens.runtime.deadline import Deadline

MAX_STATES = 200
"""How many possible states are remembered."""
MAX_TRIALS = 2_000
"""How many joint moves are looked at in one turn."""
MAX_FALLBACK_STATES = 20
"""How many states are kept where none fits what was seen, and asked which moves are legal."""
NO_MOVE = "no move"
"""Stands for the move of a role that is left out; no sheet has a word with a space."""

JointMove: TypeAlias = tuple[Move, ...]
TurnChoices: TypeAlias = tuple[State, Sequence[Sequence[Move]]]
"""A state, and what each role may do in it."""


class BeliefState:
    """The states that are possible, as far as one role can tell.

    As long as they are few these are all of them, and one is the true state; if they become too many, or take too
    long to find, some of them are kept, drawn at random.
    """

    def __init__(self, state: State, role: Role, rng: Random) -> None:
        self.states: tuple[State, ...] = (state,)
        """At least one."""
        self.complete = True
        """Whether these are all that are possible."""
        self.lost = False
        """Whether none of these fits what was seen last."""
        self._game, self._role, self._rng = state.game, role, rng

    @property
    def is_certain(self) -> bool:
        """Whether there is no doubt about the state."""
        return self.complete and len(self.states) == 1

    def observe(self, state: State) -> None:
        """The role has been told everything."""
        self.states, self.complete, self.lost = (state,), True, False

    def go_on(self) -> None:
        """The match is not over."""
        self.states = tuple(state for state in self.states if not state.is_terminal) or self.states

    def perceive(self, own_move: Move, seen: Sequence[GroundTerm], deadline: Deadline) -> None:
        """Go on to the states after this move in which just this is seen.

        Where all are known and none fits, what is seen is against the rules: PlayError. Then, and where only some are
        known and none of them fits, the role is lost, and goes on with some states that follow from the move.
        """
        self.go_on()
        turns: list[TurnChoices] = []
        likely: list[TurnChoices] = []
        for state in self.states:
            if all(choices := self._choices(state, own_move)):
                turns.append((state, choices))
                if all(narrowed := self._narrowed(state, choices, frozenset(seen), deadline)):
                    likely.append((state, narrowed))
            if turns and deadline.passed:
                break
        turns = likely or turns
        exact = state is self.states[-1] and sum(prod(map(len, choices)) for _, choices in turns) <= MAX_TRIALS
        found: dict[State, None] = {}
        others: dict[State, None] = {}
        for state, joint in _all_of(turns) if exact else self._drawn(turns):
            fits = self._fits(state, joint, own_move, seen)
            if fits or len(others) < MAX_FALLBACK_STATES:
                (found if fits else others)[state.next(joint)] = None
            if deadline.passed or len(found) > MAX_STATES:
                exact = False
                break
        contradiction = self.complete and exact and not found
        self.complete = self.complete and exact and bool(found)
        self.lost = not found
        self.states = tuple(found)[:MAX_STATES] or tuple(others) or self.states
        if contradiction:
            raise PlayError(f"no state was found in which {self._role} sees what it was told after {own_move}")

    def likely_moves(self) -> list[Move]:
        """The moves of the role that are legal in most of the states, or of some of them."""
        states = self.states[:MAX_FALLBACK_STATES]
        counts = Counter(move for state in states for move in state.legal_moves(self._role))
        return [move for move, count in counts.items() if count == max(counts.values())]

    def _choices(self, state: State, own_move: Move) -> list[tuple[Move, ...]]:
        """For each role what it may have done."""
        choices = [state.legal_moves(role) for role in self._game.roles]
        own = self._game.role_index(self._role)
        choices[own] = tuple(move for move in choices[own] if self._game.matches_announcement(move, own_move))
        return choices

    def _narrowed(
        self, state: State, choices: Sequence[tuple[Move, ...]], seen: frozenset[GroundTerm], deadline: Deadline
    ) -> Sequence[Sequence[Move]]:
        """The same without moves that would have shown something else, where there are too many to try them all."""
        if prod(map(len, choices)) <= MAX_TRIALS or not self._shows_moves_apart:
            return choices
        own, nobody = self._game.role_index(self._role), [NO_MOVE] * len(choices)
        anyway = state.seen_of(nobody)[own] | seen

        def can_be(role: int, move: Move) -> bool:
            alone = [*nobody[:role], move.term, *nobody[role + 1 :]]
            return deadline.passed or state.seen_of(alone)[own] <= anyway

        return [[move for move in moves if can_be(role, move)] for role, moves in enumerate(choices)]

    @cached_property
    def _shows_moves_apart(self) -> bool:
        return shows_moves_apart(self._game.engine_rules)

    def _fits(self, state: State, joint: JointMove, own_move: Move, seen: Sequence[GroundTerm]) -> bool:
        told = self._game.announced(dict(zip(self._game.roles, joint, strict=True)))[self._role]
        if own_move.term not in (told.term, joint[self._game.role_index(self._role)].term):
            return False
        return {fact.term for fact in state.percepts(joint)[self._role]} == set(seen)

    def _drawn(self, turns: Sequence[TurnChoices]) -> Iterator[tuple[State, JointMove]]:
        for _ in range(MAX_TRIALS):
            state, choices = self._rng.choice(turns)
            yield state, tuple(map(self._rng.choice, choices))


def _all_of(turns: Sequence[TurnChoices]) -> Iterator[tuple[State, JointMove]]:
    for state, choices in turns:
        for joint in product(*choices):
            yield state, joint


def shows_moves_apart(rules: Rules) -> bool:
    """Whether what is seen of a joint move is what is seen of each move in it, taken together.

    So it is where nothing that is seen depends on two moves, nor on a move that was not made.
    """
    graph, told = rules.dependencies, {("does", 2)}
    for component in graph.components:
        if any(not told.isdisjoint(graph.uses(relation)) for relation in component):
            told.update(component)
    seen = graph.reachable([("sees", 2)])
    for rule in rules.rules:
        by_moves = [literal for literal in rule.body if literal.atom.signature in told]
        if rule.head.signature in seen and (len(by_moves) > 1 or not all(literal.positive for literal in by_moves)):
            return False
    return True
