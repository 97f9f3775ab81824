"""What is wanted of a feature: as much of it as possible, or as little."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ludens.core import GroundTerm
from ludens.evaluation.simple.features import Bits, Feature, Floats
from ludens.gdl.terms import Spelling

MARGIN = 1.0
"""So far from the least and the most that a role can get stays what is not certain."""
NARROW_SHARE = 0.25
"""Of a range that is too narrow for that, this part is left free at either end."""


@dataclass(frozen=True, slots=True)
class Heuristic:
    """Wants a feature to be high, or low."""

    feature: Feature
    maximise: bool

    def values(self, bits: Bits, worst: float, best: float) -> Floats:
        """[states]: the worth of states between what a certain loss and a certain win give, and clear of both."""
        margin = min(MARGIN, NARROW_SHARE * (best - worst))
        part = self.feature.scaled(bits)
        return worst + margin + (best - worst - 2 * margin) * (part if self.maximise else 1 - part)

    def words(self, role: GroundTerm | None = None, spelling: Spelling | None = None) -> str:
        """In words, such as `minimise own markers on cell`."""
        return f"{'maximise' if self.maximise else 'minimise'} {self.feature.words(role, spelling)}"


def heuristics_of(features: Iterable[Feature]) -> tuple[Heuristic, ...]:
    """Both heuristics of each feature."""
    return tuple(Heuristic(feature, maximise) for feature in features for maximise in (True, False))
