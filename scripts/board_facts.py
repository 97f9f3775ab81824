"""Finds out what is drawn of each bundled game, so that nobody has to wait for it: one file of facts for each.

The facts follow from the rules and a fixed seed. `make docs` finds them again after a change of the rules or of
the analysis; with `--check` it only says which files are out of date.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from ludens import games
from ludens.boards.facts_cache import BUNDLED, SUFFIX, sampled_facts
from ludens.boards.facts_json import to_values
from ludens.game import load
from ludens.runtime.deadline import Deadline

FOLDER = Path(__file__).resolve().parent.parent / "src" / "ludens" / "boards" / BUNDLED


def document(name: str) -> str:
    game = load(name)
    game.compile()
    facts = sampled_facts(game, Deadline.never())
    assert facts is not None
    return json.dumps(to_values(facts), separators=(",", ":")) + "\n"


def main(names: list[str], check: bool) -> int:
    """Write the files, or count those that are not as they would be written."""
    FOLDER.mkdir(exist_ok=True)
    stale = 0
    for name in names or games.names():
        path, text = FOLDER / f"{name}{SUFFIX}", document(name)
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        print(f"{name} is out of date" if check else name, flush=True)
        if not check:
            path.write_text(text, encoding="utf-8")
    return stale


if __name__ == "__main__":
    arguments = sys.argv[1:]
    wrong = main([name for name in arguments if name != "--check"], "--check" in arguments)
    sys.exit(1 if wrong and "--check" in arguments else 0)
