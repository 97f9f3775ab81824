"""From rules to a `GroundProgram`: the same game without variables."""

from ludens.ground.grounder import ground
from ludens.ground.limits import GroundingLimits
from ludens.ground.program import GroundProgram

__all__ = ["GroundProgram", "GroundingLimits", "ground"]
