"""Where the facts that are drawn come from: they ship with a game, were kept from an earlier run, or are found now.

However fast a machine is, a game has only two looks: that of the first moment, and that of an analysis which ended by
itself, after so many sampled states. Only where it takes long to find out whether a game becomes a circuit does it
matter for how long.
"""

from __future__ import annotations

import hashlib
import json
from importlib import resources
from pathlib import Path
from random import Random

from ludens.analysis import facts as analysis_facts
from ludens.analysis.compiled import is_circuit
from ludens.analysis.facts import GameFacts, analyse
from ludens.analysis.states import MAX_STATES, sample_states
from ludens.boards.facts_json import from_values, to_values
from ludens.boards.first_look import first_look
from ludens.game import Game
from ludens.runtime.deadline import Deadline
from ludens.runtime.sealed_cache import UNREADABLE, SealedCache

BUNDLED = "bundled"
SUFFIX, CACHED = ".json", ".board"
MAX_BYTES = 4_000_000
"""More is not read."""
FEW_STATES = 100
"""So many are sampled of a game that does not become a circuit."""
SEED = 0
COMPILE_SECONDS = 10.0
"""A circuit that takes longer is not waited for."""


def facts_to_draw(game: Game, deadline: Deadline) -> GameFacts:
    """The best that is to be had until the deadline."""
    return known_facts(game) or found_facts(game, deadline) or first_look(game)


def known_facts(game: Game) -> GameFacts | None:
    """What ships with a game, or was kept of it; None if there is neither."""
    return bundled_facts(game) or cached_facts(game)


def bundled_facts(game: Game) -> GameFacts | None:
    """What ships with a bundled game; None if it has other rules now."""
    file = resources.files("ludens.boards") / BUNDLED / f"{Path(game.name).name}{SUFFIX}"
    try:
        return from_values(game, json.loads(file.read_text(encoding="utf-8")))
    except UNREADABLE:
        return None


def found_facts(game: Game, deadline: Deadline) -> GameFacts | None:
    """Analyse a game, and keep what was found if no more could be; None if that does not end before the deadline."""
    facts, can_be_kept = _sampled(game, deadline)
    if facts and can_be_kept:
        keep_facts(game, facts)
    return facts


def sampled_facts(game: Game, deadline: Deadline) -> GameFacts | None:
    """What a fixed number of random states shows, the same on every machine; None if there is not enough time."""
    return _sampled(game, deadline)[0]


def _sampled(game: Game, deadline: Deadline) -> tuple[GameFacts | None, bool]:
    """What was found, and whether it was clear which engine is the best when the states were sampled."""
    game.compile(Deadline(min(COMPILE_SECONDS, deadline.remaining)))
    settled, best = game.engine_is_final, game.engine
    most, engine = (MAX_STATES, best) if is_circuit(best) else (FEW_STATES, game.reference_engine)
    states = sample_states(game, Random(SEED), deadline, most, engine=engine)
    facts = analyse(game, deadline, Random(SEED), proofs=False, symmetries=False, states=states)
    return None if deadline.passed else facts, settled or is_circuit(best)


def cached_facts(game: Game) -> GameFacts | None:
    """Return what was found about a game in an earlier run; None if nothing was kept."""
    cache = SealedCache.from_environment()
    return cache.load(_key(game), CACHED, lambda data: from_values(game, json.loads(data)), max_bytes=MAX_BYTES)


def keep_facts(game: Game, facts: GameFacts) -> None:
    """Keep what was found about a game if possible."""
    data = json.dumps(to_values(facts), separators=(",", ":")).encode()
    SealedCache.from_environment().store(_key(game), CACHED, data)


def _key(game: Game) -> str:
    """What the facts depend on: the rules, the code that looks at them, and this module."""
    digest = hashlib.sha256(game.rules.digest.encode())
    for path in (*sorted(Path(analysis_facts.__file__).parent.rglob("*.py")), Path(__file__)):
        digest.update(path.read_bytes())
    return digest.hexdigest()
