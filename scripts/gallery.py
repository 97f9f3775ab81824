"""Draws the pictures of the browser's gallery: each bundled game after a few moves, so that there is something to see.

The pictures follow from the rules, the hints, the facts that `board_facts.py` found and a fixed seed. `make docs`
draws them again after a change.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

from ludens import games
from ludens.game import load
from ludens.web.pictures import PageArtist

FOLDER = Path(__file__).resolve().parent.parent / "src" / "ludens" / "web" / "gallery"
MOVES = 6
PART = 3
"""Not more than one of so many moves of the game is made."""


def picture(name: str) -> str:
    """The SVG of a game after some random moves, or after fewer if it would soon be over."""
    game, rng = load(name), Random(1)
    states = [game.initial_state()]
    while len(states) <= PART * MOVES and not states[-1].is_terminal:
        states.append(states[-1].next({role: rng.choice(states[-1].legal_moves(role)) for role in game.roles}))
    state = states[min(MOVES, (len(states) - 1) // PART)]
    return PageArtist(game).svg([state], boards_only=True) + "\n"


def main(names: list[str]) -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in names or games.names():
        (FOLDER / f"{name}.svg").write_text(picture(name), encoding="utf-8")
        print(name)


if __name__ == "__main__":
    main(sys.argv[1:])
