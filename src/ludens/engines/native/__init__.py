"""Rules compiled to machine code: a C library of a game, and the engine for one or a few states at a time."""

from ludens.engines.native.compiled import CompiledGame
from ludens.engines.native.engine import NativeEngine

__all__ = ["CompiledGame", "NativeEngine"]
