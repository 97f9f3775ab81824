"""From a `GroundProgram` to a `Circuit`: what a state asks for, as gates."""

from ludens.circuit.cache import optimised_circuit
from ludens.circuit.circuit import Circuit, CircuitStats
from ludens.circuit.optimise import PASSES, optimise
from ludens.circuit.translate import translate

__all__ = ["PASSES", "Circuit", "CircuitStats", "optimise", "optimised_circuit", "translate"]
