"""Rules compiled to machine code: a C library of a game, and the engine for one or a few states at a time."""

from ludens.engines.native.engine import NativeEngine
from ludens.engines.native.plan import CompiledGame

__all__ = ["CompiledGame", "NativeEngine"]
