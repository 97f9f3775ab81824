"""The properties of games by which the paper on Fluxplayer tells where its evaluation helps, found automatically.

They follow from the formulas of the goals, the structure of the game and states of random play, and not from words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from experiments.mobility import amounts_to_mobility
from ludens.analysis.facts import GameFacts, analyse
from ludens.analysis.states import SampledStates, sample_states, signature_of
from ludens.core import GroundTerm
from ludens.engines.sliced import SlicedEngine
from ludens.errors import CompileError, NoLegalMoveError
from ludens.evaluation.fuzzy.formulas import Formulas, GoalValue
from ludens.evaluation.fuzzy.unroll import unroll
from ludens.game import Game
from ludens.gdl.keywords import CHANCE
from ludens.runtime.deadline import Deadline

MANY_MOVES = 20
FEW_STATES = 2
"""Of a depth that was seen less often nothing can be said."""
GAMES, MAX_STEPS = 2048, 1000
"""Random games that show what ends there are, and how long they may take."""
SEED_BITS = 32


@dataclass(frozen=True, slots=True)
class Properties:
    """Which of the seven properties a game has."""

    concrete_goal: bool
    """For each role the goal is one conjunction of facts that have to hold."""
    gradual_goals: bool
    """Some role gets some points for less than the whole goal; sharing the points in a draw does not count."""
    quantity: bool
    """An amount of something speaks for the goal, or several amounts of it play a part.

    Only amounts that the state holds are seen; where the rules count what lies on the board, as in othello, they are
    not.
    """
    distance: bool
    """The place of a piece on a board with an order does, and not every place is as good as any other."""
    many_moves: bool
    """Some state has at least 20 joint moves."""
    nondescript_goal: bool
    """All that the goal depends on is the same in all states of the same depth, and changes from depth to depth."""
    mobility: bool
    """The goal or the end asks whether there is a legal move."""


def find_properties(game: Game, deadline: Deadline, rng: Random) -> Properties:
    """The properties of a game; CompileError if it cannot be compiled."""
    game.compile(deadline)
    engine = game.engine
    if not isinstance(engine, SlicedEngine):
        raise CompileError(
            f"the goals of {game.name} cannot be read: {game.compile_error or 'there is too little time'}"
        )
    facts = analyse(game, Deadline(deadline.remaining / 2), rng)
    formulas = unroll(game, facts, deadline)
    states = sample_states(game, rng, deadline)
    noise = np.random.default_rng(rng.getrandbits(SEED_BITS))
    goals = _Goals(formulas, facts)
    return Properties(
        concrete_goal=goals.are_concrete(),
        gradual_goals=any(_partial_values(formulas, facts, _ends(engine, rng))),
        quantity=_involves_quantity(states, goals, facts),
        distance=_involves_distance(states, goals, facts),
        many_moves=bool((np.maximum(states.choices, 1).prod(axis=1) >= MANY_MOVES).any()),
        nondescript_goal=_is_nondescript(states, sorted(goals.fluents)),
        mobility=amounts_to_mobility(formulas, facts, states, engine, noise),
    )


class _Goals:
    """The best goal of each role that has more than one."""

    def __init__(self, formulas: Formulas, facts: GameFacts) -> None:
        self._formulas = formulas
        chosen = [goals[-1].literal for goals in _players_of(formulas, facts) if len(goals) > 1]
        self.literals = [literal for literal in chosen if literal > 1]
        wanted, unwanted = self._fluents()
        self.wanted = wanted
        """The engine's numbers of the fluents that speak for them."""
        self.fluents = wanted | unwanted

    def are_concrete(self) -> bool:
        return bool(self.literals) and all(self._is_conjunction(literal) for literal in self.literals)

    def _is_conjunction(self, literal: int) -> bool:
        formulas, node = self._formulas, literal >> 1
        if literal & 1:
            return False
        if node < formulas.first_comparison:
            return True
        return node >= formulas.first_gate and all(map(self._is_conjunction, self._inputs(node)))

    def _inputs(self, node: int) -> list[int]:
        start, end = self._formulas.starts[node - self._formulas.first_gate :][:2]
        inputs: list[int] = self._formulas.inputs[start:end].tolist()
        return inputs

    def _fluents(self) -> tuple[set[int], set[int]]:
        """The fluents that speak for the goals, and those that speak against them; of opaque atoms all do both."""
        formulas = self._formulas
        waiting, known = list(self.literals), set[int]()
        found: tuple[set[int], set[int]] = (set(), set())
        while waiting:
            literal = waiting.pop()
            node, against = literal >> 1, literal & 1
            if literal in known:
                continue
            known.add(literal)
            if 0 < node < formulas.first_comparison:
                found[against].add(int(formulas.fluents[node - 1]))
            elif formulas.first_opaque <= node < formulas.first_gate and formulas.circuit is not None:
                cone = formulas.circuit.cone(formulas.opaque[[node - formulas.first_opaque]])
                for fluents in found:
                    fluents.update(np.flatnonzero(cone[1 : 1 + formulas.fluent_count]).tolist())
            elif node >= formulas.first_gate:
                waiting += [below ^ against for below in self._inputs(node)]
        return found


def _players_of(formulas: Formulas, facts: GameFacts) -> list[tuple[GoalValue, ...]]:
    return [goals for role, goals in zip(facts.roles, formulas.goals, strict=True) if role.lower() != CHANCE]


def _ends(engine: SlicedEngine, rng: Random) -> NDArray[np.int16]:
    """[ends, roles]: the goals where random games ended."""
    try:
        played = engine.playouts(engine.initial(GAMES), rng, MAX_STEPS)
    except NoLegalMoveError:
        return np.zeros((0, len(engine.roles)), np.int16)
    return played.goals[played.finished]


def _partial_values(formulas: Formulas, facts: GameFacts, ends: NDArray[np.int16]) -> Iterator[int]:
    """Values between the best and the worst that are not how a draw is counted."""
    players = [role for role, name in enumerate(facts.roles) if name.lower() != CHANCE]
    shared = None if facts.kind.total is None else facts.kind.total / len(facts.kind.teams)
    for role in players:
        for goal in formulas.goals[role][1:-1]:
            alike = ends[ends[:, role] == goal.value][:, players]
            is_draw = len(players) > 1 and (goal.value == shared or (len(alike) > 0 and (alike == goal.value).all()))
            if not is_draw:
                yield goal.value


def _involves_quantity(states: SampledStates, goals: _Goals, facts: GameFacts) -> bool:
    """A single amount that only speaks against the goal is that of a counter for games that lead nowhere."""
    amounts = Counter(signature_of(states.fluents[fluent]) for fluent in goals.fluents)
    wanted = {signature_of(states.fluents[fluent]) for fluent in goals.wanted}
    return any(facts.quantity(signature) and (count > 1 or signature in wanted) for signature, count in amounts.items())


def _involves_distance(states: SampledStates, goals: _Goals, facts: GameFacts) -> bool:
    """A piece that is as welcome on every place as on any other has nowhere to go: the goal only asks whether it is."""
    places = Counter(_piece_of(term, facts) for term in states.fluents)
    wanted = Counter(_piece_of(states.fluents[fluent], facts) for fluent in goals.wanted)
    return any(piece is not None and count < places[piece] for piece, count in wanted.items())


def _piece_of(term: GroundTerm, facts: GameFacts) -> tuple[GroundTerm, ...] | None:
    """What is on a place, and on which board, if the fluent tells of a piece on a board with an order."""
    board = facts.board(signature_of(term))
    if board is None or not any(axis.order for axis in board.axes):
        return None
    words = tuple(term[1 + index] for index in board.content_arguments)
    if not any(content.words == words and content.kind == "piece" for content in board.contents):
        return None
    return (term[0], *(term[1 + axis.argument] for axis in board.selectors), *words)


def _is_nondescript(states: SampledStates, fluents: Iterable[int]) -> bool:
    chosen = states.bits[:, list(fluents)]
    depths = [chosen[states.depths == depth] for depth in np.unique(states.depths)[1:]]
    told = [bits for bits in depths if len(bits) >= FEW_STATES]
    changes = chosen.shape[1] > 0 and bool((chosen != chosen[0]).any(axis=0).all())
    return changes and bool(told) and all((bits == bits[0]).all() for bits in told)
