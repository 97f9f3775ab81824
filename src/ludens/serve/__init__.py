"""Players as servers: anything that plays can be entered in matches over the network.

>>> from random import Random
>>> from ludens.players import RandomPlayer
>>> with serving(lambda: RandomPlayer(Random(1))) as server:
...     server.address.startswith("http://127.0.0.1:")
True
"""

from ludens.serve.server import HOST, PORT, PlayerServer, ServerLimits, serve_player, serving

__all__ = ["HOST", "PORT", "PlayerServer", "ServerLimits", "serve_player", "serving"]
