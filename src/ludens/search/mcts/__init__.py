"""Monte Carlo tree search, with playouts in all lanes of the bit-sliced engine."""

from ludens.search.mcts.searcher import MctsSearcher

__all__ = ["MctsSearcher"]
