"""Alpha-beta search: iterative deepening, and pruning of what cannot matter."""

from ludens.search.alphabeta.evaluators import EarlyPayoff
from ludens.search.alphabeta.options import AlphaBetaOptions
from ludens.search.alphabeta.searcher import AlphaBetaSearcher

__all__ = ["AlphaBetaOptions", "AlphaBetaSearcher", "EarlyPayoff"]
