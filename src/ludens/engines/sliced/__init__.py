"""The bit-sliced engine: rules compiled to a circuit, and hundreds of games in each pass over its gates."""

from ludens.engines.sliced.engine import SlicedEngine

__all__ = ["SlicedEngine"]
