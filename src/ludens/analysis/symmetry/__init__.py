"""Symmetries: renamings of words and rearrangements of arguments that map the rules of a game to themselves."""

from ludens.analysis.symmetry.symmetries import Symmetries, Symmetry, find_symmetries

__all__ = ["Symmetries", "Symmetry", "find_symmetries"]
