"""Where the corpus of real rule sheets and recorded play is, for the tests and tools that read it."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "LUDENS_CORPUS"
REPOSITORY = Path(__file__).resolve().parent.parent


def corpus_folder() -> Path:
    """The folder that the environment names, or the one that lies next to the repository; it may be absent."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else REPOSITORY.parent / "shared" / "corpus"


def is_corpus(folder: Path) -> bool:
    return (folder / "games").is_dir() and (folder / "traces").is_dir()
