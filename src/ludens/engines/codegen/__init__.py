"""Rules compiled to machine code: a C library of a game, and the engine for one or a few states at a time."""

from ludens.engines.codegen.compiled import CompiledGame
from ludens.engines.codegen.engine import NativeEngine

__all__ = ["CompiledGame", "NativeEngine"]
