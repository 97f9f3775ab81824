"""The source of the facts to draw: shipped with a game, cached from an earlier run, or computed now.

On every machine a game has only two looks: that of the first moment, and that of a complete analysis of a fixed number
of sampled states. Time matters only for whether the game becomes a circuit.
"""

from __future__ import annotations

import hashlib
import json
from importlib import resources
from pathlib import Path
from random import Random

from ludens.analysis import facts as analysis_facts
from ludens.analysis.facts import GameFacts, analyse
from ludens.analysis.states import MAX_STATES, sample_states
from ludens.boards.facts_json import from_values, to_values
from ludens.boards.first_look import first_look
from ludens.game import Game
from ludens.runtime.deadline import Deadline
from ludens.runtime.sealed_cache import UNREADABLE, SealedCache

BUNDLED = "bundled"
SUFFIX, CACHE_SUFFIX = ".json", ".board"
MAX_BYTES = 4_000_000
"""The size limit of a cached file."""
UNCOMPILED_STATES = 100
"""The number of states sampled of a game that does not become a circuit."""
SEED = 0
COMPILE_SECONDS = 10.0
"""The time limit for compiling the game."""


def facts_to_draw(game: Game, deadline: Deadline) -> GameFacts:
    """Return the best facts available until the deadline."""
    return stored_facts(game) or compute_facts(game, deadline) or first_look(game)


def stored_facts(game: Game) -> GameFacts | None:
    """Return shipped or cached facts; None if there are neither."""
    return bundled_facts(game) or cached_facts(game)


def bundled_facts(game: Game) -> GameFacts | None:
    """Return the facts shipped with a bundled game; None if it has other rules now."""
    file = resources.files("ludens.boards") / BUNDLED / f"{Path(game.name).name}{SUFFIX}"
    try:
        return from_values(game, json.loads(file.read_text(encoding="utf-8")))
    except UNREADABLE:
        return None


def compute_facts(game: Game, deadline: Deadline) -> GameFacts | None:
    """Analyse a game, and cache facts that are final; None if the deadline passes before."""
    facts, cacheable = _sampled(game, deadline)
    if facts and cacheable:
        cache_facts(game, facts)
    return facts


def sampled_facts(game: Game, deadline: Deadline) -> GameFacts | None:
    """Return facts from a fixed number of random states, the same on every machine; None if time runs out."""
    return _sampled(game, deadline)[0]


def _sampled(game: Game, deadline: Deadline) -> tuple[GameFacts | None, bool]:
    """Return the facts, and whether the choice of the engine was final when the states were sampled."""
    game.compile(Deadline(min(COMPILE_SECONDS, deadline.remaining)))
    settled, best = game.engine_is_final, game.engine
    most, engine = (MAX_STATES, best) if best.circuit is not None else (UNCOMPILED_STATES, game.reference_engine)
    states = sample_states(game, Random(SEED), deadline, most, engine=engine)
    facts = analyse(game, deadline, Random(SEED), proofs=False, symmetries=False, states=states)
    return None if deadline.passed else facts, settled or best.circuit is not None


def cached_facts(game: Game) -> GameFacts | None:
    """Return facts cached in an earlier run; None if there are none."""
    cache = SealedCache.from_environment()
    return cache.load(_key(game), CACHE_SUFFIX, lambda data: from_values(game, json.loads(data)), max_bytes=MAX_BYTES)


def cache_facts(game: Game, facts: GameFacts) -> None:
    """Cache the facts about a game if possible."""
    data = json.dumps(to_values(facts), separators=(",", ":")).encode()
    SealedCache.from_environment().store(_key(game), CACHE_SUFFIX, data)


def _key(game: Game) -> str:
    """Return the cache key: a digest of the rules, the code of the analysis, and this module."""
    digest = hashlib.sha256(game.rules.digest.encode())
    for path in (*sorted(Path(analysis_facts.__file__).parent.rglob("*.py")), Path(__file__)):
        digest.update(path.read_bytes())
    return digest.hexdigest()
