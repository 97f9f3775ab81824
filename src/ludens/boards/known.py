"""Where the facts that are drawn come from: they ship with a game, were kept from an earlier run, or are found now.

However fast a machine is, a game has only two looks: that of the first moment, and that of an analysis which ended by
itself, after so many sampled states. Only where it takes long to find out whether a game becomes a circuit does it
matter for how long.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from random import Random

from ludens.analysis import facts as analysis_facts
from ludens.analysis.compiled import is_circuit
from ludens.analysis.facts import GameFacts, analyse
from ludens.analysis.states import MOST_STATES, sample_states
from ludens.boards.first_look import first_look
from ludens.boards.found import from_values, to_values
from ludens.core import Deadline
from ludens.game import Game
from ludens.ground.cache import GroundCache
from ludens.ground.kept import UNREADABLE, read_kept, sealed, unsealed, write_kept

BUNDLED = "bundled"
SUFFIX = ".json"
MOST_BYTES = 4_000_000
"""More is neither kept nor read."""
MOST_FILES = 200
"""When there are more, those go that were used longest ago."""
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
    return bundled_facts(game) or FactsCache.from_environment().load(game)


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
        FactsCache.from_environment().store(game, facts)
    return facts


def sampled_facts(game: Game, deadline: Deadline) -> GameFacts | None:
    """What a fixed number of random states shows, the same on every machine; None if there is not enough time."""
    return _sampled(game, deadline)[0]


def _sampled(game: Game, deadline: Deadline) -> tuple[GameFacts | None, bool]:
    """What was found, and whether it was clear which engine is the best when the states were sampled."""
    game.compile(Deadline(min(COMPILE_SECONDS, deadline.remaining)))
    settled, best = game.is_settled, game.engine
    most, engine = (MOST_STATES, best) if is_circuit(best) else (FEW_STATES, game.reference_engine)
    states = sample_states(game, Random(SEED), deadline, most, engine=engine)
    facts = analyse(game, deadline, Random(SEED), proofs=False, symmetries=False, states=states)
    return None if deadline.passed else facts, settled or is_circuit(best)


@dataclass(frozen=True, slots=True)
class FactsCache:
    """A folder with what was found about games; without a folder nothing is kept. Whatever is wrong with it, the
    answer is to analyse a game anew.
    """

    folder: Path | None
    most_files: int = MOST_FILES

    @classmethod
    def from_environment(cls) -> FactsCache:
        """Beside the ground programs that are kept."""
        folder = GroundCache.from_environment().folder
        return cls(folder and folder / "boards")

    def load(self, game: Game) -> GameFacts | None:
        if self.folder is None:
            return None
        try:
            key = _key(game)
            data = read_kept(self.folder / f"{key}{SUFFIX}", MOST_BYTES)
            return from_values(game, json.loads(unsealed(key, data)))
        except UNREADABLE:
            return None

    def store(self, game: Game, facts: GameFacts) -> None:
        if self.folder is None:
            return
        with suppress(*UNREADABLE):
            key = _key(game)
            data = sealed(key, json.dumps(to_values(facts), separators=(",", ":")).encode())
            if len(data) <= MOST_BYTES:
                write_kept(self.folder / f"{key}{SUFFIX}", data)
                self._make_room(self.folder)

    def _make_room(self, folder: Path) -> None:
        files = sorted(folder.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in files[self.most_files :]:
            with suppress(OSError):
                path.unlink()


def _key(game: Game) -> str:
    """What the facts depend on: the rules, the code that looks at them, and this module."""
    digest = hashlib.sha256(game.rules.digest.encode())
    for path in (*sorted(Path(analysis_facts.__file__).parent.rglob("*.py")), Path(__file__)):
        digest.update(path.read_bytes())
    return digest.hexdigest()
