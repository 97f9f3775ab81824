"""Rules compiled to joins over numbered words, for games that are too big to ground."""

from ludens.engines.relational.engine import RelationalEngine

__all__ = ["RelationalEngine"]
