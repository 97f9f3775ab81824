"""The reference engine: plays straight from the rules, and is right by definition."""

from ludens.engines.reference.engine import ReferenceEngine

__all__ = ["ReferenceEngine"]
