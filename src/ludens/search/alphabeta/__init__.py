"""Alpha-beta search: looking ahead move by move, and leaving out what cannot matter."""

from ludens.search.alphabeta.evaluators import EarlyPayoff
from ludens.search.alphabeta.options import Options
from ludens.search.alphabeta.searcher import AlphaBetaSearcher

__all__ = ["AlphaBetaSearcher", "EarlyPayoff", "Options"]
