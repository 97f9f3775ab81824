"""Whether the goals or the end of a game ask if there is a legal move, whatever words they use for it.

No reading of the rules tells that: a sheet may ask for an empty square, and it takes knowledge of the moves to see that
this is the same. So the formulas and the legal moves are compared in made-up states, in which pieces lie anywhere and
often all in each other's way. A part of a formula that always says what the legal moves say is taken to mean it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ludens.analysis.facts import GameFacts
from ludens.analysis.states import Bits, SampledStates
from ludens.engines.rows import pack, unpack
from ludens.engines.sliced import SlicedEngine
from ludens.engines.sliced.question import Question
from ludens.evaluation.fuzzy.formulas import Formulas
from ludens.gdl.formulas import Signature

MADE_UP = 4_000
FEWEST = 20
"""The least number of made-up states with moves, and of those without."""
SELDOM = 0.01
"""Moves that are legal in a smaller part of the made-up states may always be the only one by chance."""
MANY = 8
"""Of a fluent with more facts it only matters whether one of them holds."""
CROWD = 3.0
"""A fluent of which fewer facts hold at a time stays as it is: it tells whose turn it is, the phase, the step."""
SPREAD = 3.0
"""How different the shares of what lies on a board are: the standard deviation of their logarithms."""


def amounts_to_mobility(
    formulas: Formulas, facts: GameFacts, states: SampledStates, engine: SlicedEngine, rng: np.random.Generator
) -> bool:
    bits = made_up_states(facts, states, rng)
    truth = node_truth(formulas, bits)[formulas.first_opaque :]
    can_move = _can_move(engine, bits)
    wanted = np.column_stack([can_move, can_move.any(axis=1)])
    return any(
        FEWEST <= moves.sum() <= len(moves) - FEWEST and _is_among(moves, truth[:, where])
        for where in _situations(states, bits)
        for moves in wanted[where].T
    )


def _is_among(wanted: Bits, truth: Bits) -> bool:
    """Whether a row of `truth`, or the opposite of one, is the same."""
    agreeing = (truth == wanted).sum(axis=1)
    return bool(((agreeing == 0) | (agreeing == len(wanted))).any())


def _situations(states: SampledStates, bits: Bits) -> list[NDArray[np.intp]]:
    """The states that are alike in whose turn it is, in the phase of a turn and the like."""
    marks = [
        bits[:, columns] if len(columns) <= MANY else bits[:, columns].any(axis=1, keepdims=True)
        for columns in states.columns.values()
        if not _is_crowded(states, columns)
    ]
    if not marks:
        return [np.arange(len(bits))]
    alike = np.unique(np.hstack(marks), axis=0, return_inverse=True)[1].reshape(-1)
    return [np.flatnonzero(alike == number) for number in range(alike.max() + 1)]


def _can_move(engine: SlicedEngine, bits: Bits) -> Bits:
    """[states, roles]: whether there is a move that means something; one that is often the only one, and never one of
    several, does not.
    """
    legal = unpack(engine.legal_bits(pack(bits)), engine.circuit.gates.move_count)
    columns = []
    for own in np.split(legal, np.cumsum(engine.circuit.gates.move_counts)[:-1], axis=1):
        real = own[own.sum(axis=1) > 1].any(axis=0) | (own.mean(axis=0) < SELDOM)
        columns.append(own[:, real].any(axis=1))
    return np.stack(columns, axis=1)


def _is_crowded(states: SampledStates, columns: Sequence[int]) -> bool:
    return bool(states.bits[:, columns].sum(axis=1).mean() >= CROWD)


def made_up_states(facts: GameFacts, states: SampledStates, rng: np.random.Generator, count: int = MADE_UP) -> Bits:
    """[states, fluents]: states of play in which the facts of crowded fluents are drawn at random.

    What determines what is respected: a place still has one content, another fluent still one value.
    """
    bits = states.bits[rng.integers(len(states), size=count)].copy()
    for signature, columns in states.columns.items():
        if _is_crowded(states, columns):
            bits[:, columns] = _drawn(signature, columns, facts, states, rng, count)
    return bits


def _drawn(
    signature: Signature,
    columns: Sequence[int],
    facts: GameFacts,
    states: SampledStates,
    rng: np.random.Generator,
    count: int,
) -> Bits:
    """[states, facts of one fluent]: one fact, or none, of each group that excludes each other.

    Each output has a weight in each state, so that some states are nearly empty and others nearly full of something.
    """
    board, modes = facts.board(signature), facts.modes.get(signature)
    keys = modes.keys if modes else ()
    key = board.key if board else keys[0] if keys else None
    inputs = key.inputs if key else range(signature[1])
    arguments = [fluent[1:] for fluent in (states.fluents[column] for column in columns)]
    groups: dict[tuple[object, ...], list[int]] = {}
    outputs: dict[tuple[object, ...], int] = {}
    kinds = []
    for place, words in enumerate(arguments):
        groups.setdefault(tuple(words[index] for index in inputs), []).append(place)
        output = tuple(word for index, word in enumerate(words) if index not in inputs)
        kinds.append(outputs.setdefault(output, len(outputs)))
    weights = SPREAD * rng.standard_normal((count, 1 + len(outputs)))
    scores = weights[:, kinds] + rng.gumbel(size=(count, len(columns)))
    nothing = weights[:, -1:] + rng.gumbel(size=(count, len(groups)))
    drawn = np.zeros((count, len(columns)), np.bool_)
    for number, group in enumerate(groups.values()):
        best = scores[:, group].argmax(axis=1)
        some = np.ones(count, np.bool_) if key and key.full else scores[:, group].max(axis=1) > nothing[:, number]
        drawn[np.arange(count), np.array(group)[best]] = some
    return drawn


def node_truth(formulas: Formulas, bits: Bits) -> Bits:
    """[nodes, states]: which formulas hold, without any degrees."""
    truth = np.zeros((formulas.node_count, len(bits)), np.bool_)
    truth[1 : formulas.first_comparison] = bits.T[formulas.fluents]
    truth[formulas.first_comparison : formulas.first_opaque] = formulas.comparison_holds[:, np.newaxis]
    if formulas.circuit is not None:
        answers = Question(formulas.circuit, formulas.opaque).ask(pack(bits))
        truth[formulas.first_opaque : formulas.first_gate] = unpack(answers, len(formulas.opaque)).T
    for gate, (start, end) in enumerate(zip(formulas.starts[:-1], formulas.starts[1:], strict=True)):
        literals = formulas.inputs[start:end]
        truth[formulas.first_gate + gate] = (truth[literals >> 1] ^ (literals & 1).astype(bool)[:, np.newaxis]).all(0)
    return truth
