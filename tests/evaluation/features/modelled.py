"""Games, their facts and atoms that several tests look at, each made once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ludens.analysis.facts import GameFacts
from ludens.engines.sliced import SlicedEngine
from ludens.evaluation.features.atoms import Atoms, derive_atoms
from ludens.evaluation.features.candidates import CandidateDomains
from ludens.evaluation.features.feature_set import Feature, FeatureSet
from ludens.evaluation.features.interpretations import Measure, Sum, measures
from ludens.evaluation.features.patterns import Pattern
from ludens.game import Game
from ludens.gdl.rules import Rules
from ludens.gdl.terms import term_text
from ludens.runtime.deadline import Deadline
from tests.analysis.analysed import facts_of_game, game_of, structure_of, unproved_facts_of

ENOUGH = 600.0
"""Seconds that are never needed."""

RANKS = """
(role red) (role black)
(next_rank rank1 rank2) (next_rank rank2 rank3) (next_rank rank3 rank4) (next_rank rank4 rank5)
(next_rank rank5 rank6) (next_rank rank6 rank7) (next_rank rank7 rank8)
(init (cell a rank2 red_piece)) (init (cell f rank5 red_piece)) (init (cell b rank1 red_piece))
(<= (legal red (advance ?x)) (true (cell ?x ?y red_piece)) (next_rank ?y ?z))
(legal red stay) (legal black stay)
(<= (next (cell ?x ?z red_piece)) (does red (advance ?x)) (true (cell ?x ?y red_piece)) (next_rank ?y ?z))
(<= (next (cell ?x ?y red_piece)) (true (cell ?x ?y red_piece)) (not (does red (advance ?x))))
(<= crowned (true (cell ?x rank8 red_piece)))
(<= terminal crowned)
(<= (goal red 100) crowned) (<= (goal red 0) (not crowned)) (goal black 50)
"""
"""The paper's example of a distance: pieces on their way to rank8."""

FOUR = """
(role red) (role black) (place 1) (place 2) (place 3) (place 4) (after red black) (after black red)
(init (control red))
(<= (legal ?p (mark ?n)) (true (control ?p)) (place ?n) (not (marked ?n)))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (marked ?n) (true (cell ?n ?p)))
(<= (next (cell ?n ?p)) (does ?p (mark ?n))) (<= (next (cell ?n ?p)) (true (cell ?n ?p)))
(<= (next (control ?q)) (true (control ?p)) (after ?p ?q))
(<= (row ?p) (role ?p) (true (cell 1 ?p)) (true (cell 2 ?p)) (true (cell 3 ?p)) (true (cell 4 ?p)))
(<= full (marked 1) (marked 2) (marked 3) (marked 4))
(<= begun (or (marked 1) (marked 2) (marked 3) (marked 4)))
(<= terminal full begun) (<= (goal ?p 100) (row ?p)) (<= (goal ?p 0) (role ?p) (not (row ?p)))
"""
"""Four in a row, on a board of four places."""


@dataclass(frozen=True, eq=False)
class Modelled:
    game: Game
    facts: GameFacts
    atoms: Atoms
    measures: tuple[Measure, ...]

    @property
    def engine(self) -> SlicedEngine:
        assert isinstance(self.game.engine, SlicedEngine)
        return self.game.engine

    def value(self, measure: Measure, facts: set[str]) -> float:
        """The value of a measure in the state where these facts hold."""
        known = {term_text(fluent): fluent for fluent in self.engine.circuit.fluents}
        rows = self.engine.encode([frozenset(known[fact] for fact in facts)])
        values: NDArray[np.float64] = FeatureSet(self.atoms, [Feature(measure)]).values(rows)
        return float(values[0, 0])

    def find(self, interpretation: str, pattern: Pattern) -> Measure:
        return next(
            measure
            for measure in self.measures
            if measure.interpretation == interpretation
            and measure.pattern.table == pattern.table
            and self.atoms.columns(measure.pattern) == self.atoms.columns(pattern)
        )


def counted(word: str, against: str | None = None) -> Feature:
    """The number of something that is in no game, or the difference to that of another."""
    own, other = (
        Measure("cardinality", Pattern("function", word, (side,)), Sum((sum(f"{word}{side}".encode()),), (1.0,)))
        for side in ("own", against or "own")
    )
    return Feature(own, other if against else None)


def modelled(game: Game, facts: GameFacts) -> Modelled:
    assert isinstance(game.engine, SlicedEngine)
    atoms = derive_atoms(game.engine.circuit, facts, Deadline(ENOUGH))
    found, _ = measures(facts, atoms, CandidateDomains(facts, atoms.tables), Deadline.never())
    return Modelled(game, facts, atoms, tuple(found))


@cache
def of_sheet(sheet: str) -> Modelled:
    game = Game(Rules.parse(sheet))
    return modelled(game, facts_of_game(game, proofs=False))


@cache
def of_game(name: str, symmetries: bool = True) -> Modelled:
    return modelled(game_of(name), unproved_facts_of(name) if symmetries else structure_of(name))
