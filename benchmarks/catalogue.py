"""The games that are measured, what each is compared with, and the speed that is aimed at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ludens import games
from ludens.gdl.source import Source
from tests.corpus_location import corpus_folder

CORPUS = "corpus/"
MAX_STEPS = 1000
"""Where random play of ludens and of Prolog is cut; OpenSpiel plays to its own end."""


@dataclass(frozen=True, slots=True)
class BenchGame:
    """A game to measure: a bundled sheet, or one of the corpus with `corpus/` before its name."""

    name: str
    open_spiel: str | None = None
    """The same game in OpenSpiel, with its parameters."""
    open_spiel_target: float | None = None
    """How many times as fast as OpenSpiel the sliced engine should be."""
    prolog_target: float | None = None
    first_playout_target: float | None = None
    """In how many seconds from reading the rules the sliced engine should have played the first game."""
    moves_per_open_spiel_move: int = 1
    """What OpenSpiel counts as one move may be several of the sheet; the ratio allows for it."""
    note: str = ""
    native_target: float | None = None
    """How many times as fast as Prolog the native engine should be, one game after the other."""
    native_start_target: float | None = None
    """In how many seconds it should have played the first game: 2 with up to 5,000 gates, 15 with up to 100,000."""
    relational_target: float | None = None
    """How many times as fast as Prolog the relational engine should be."""

    @property
    def is_available(self) -> bool:
        return not self.name.startswith(CORPUS) or (corpus_folder() / "games" / f"{self._stem}.kif").exists()

    @property
    def _stem(self) -> str:
        return self.name.removeprefix(CORPUS)

    def source(self) -> Source:
        """Read the text of the rules."""
        if self.name.startswith(CORPUS):
            return Source.from_path(corpus_folder() / "games" / f"{self._stem}.kif")
        sheet = games.find(self.name)
        if sheet is None:
            raise FileNotFoundError(f"there is no bundled game called {self.name}")
        return Source.from_bytes(sheet.read_bytes(), sheet.name)


_GAMES = (
    BenchGame("tictactoe", "tic_tac_toe", 20, native_target=100, native_start_target=2),
    BenchGame("connectfour", "connect_four", 30, first_playout_target=0.5, native_target=100, native_start_target=2),
    BenchGame("othello", "othello", 25, native_start_target=15),
    BenchGame("breakthrough", "breakthrough", 15, native_start_target=2),
    BenchGame("dotsandboxes", "dots_and_boxes(num_rows=4,num_cols=4)", 10),
    BenchGame(
        "checkers",
        "checkers",
        5,
        first_playout_target=10,
        note="both draw after 40 moves without a jump; OpenSpiel also ends a game after 1000 moves",
        native_target=100,
        native_start_target=2,
    ),
    BenchGame(
        "pentago",
        "pentago",
        3,
        moves_per_open_spiel_move=2,
        note="OpenSpiel places and twists in one move, the sheet in two: the ratio counts turns",
    ),
    BenchGame("hex", "hex(board_size=9,num_rows=9,num_cols=9)", 2, first_playout_target=10, native_start_target=2),
    BenchGame("ninemensmorris", "nine_mens_morris", 2),
    BenchGame("amazons", "amazons", 2, note="both choose, move and shoot in three moves"),
    BenchGame(
        "chess",
        "chess",
        3,
        first_playout_target=5,
        note="the sheet ends a game after 200 moves; OpenSpiel by repetition, 50 quiet moves or too few pieces",
        native_start_target=15,
    ),
    BenchGame(f"{CORPUS}connectFour", prolog_target=4000, first_playout_target=0.5),
    BenchGame(f"{CORPUS}breakthrough", prolog_target=2000),
    BenchGame(f"{CORPUS}reversi", prolog_target=15_000, first_playout_target=3),
    BenchGame(f"{CORPUS}pentago", prolog_target=1000),
    BenchGame(f"{CORPUS}gomoku_15x15", prolog_target=3000),
    BenchGame(f"{CORPUS}checkers", prolog_target=2000, first_playout_target=10),
    BenchGame(f"{CORPUS}speedChess", prolog_target=500, first_playout_target=3),
    BenchGame(f"{CORPUS}skirmish", prolog_target=500),
    BenchGame(f"{CORPUS}chess_200", prolog_target=500, first_playout_target=5),
    BenchGame(f"{CORPUS}hex", prolog_target=300, first_playout_target=10),
)

_FOR_JOINS = (
    BenchGame(f"{CORPUS}chess", relational_target=10, note="has more than 5 million ground rules"),
    BenchGame(f"{CORPUS}merrills", note="has more than 5 million ground rules"),
    BenchGame(f"{CORPUS}amazons_8x8", relational_target=10),
    BenchGame(f"{CORPUS}amazons", note="moves and shoots in one move"),
)
"""Sheets for the relational engine: two that do not ground, and two with very many moves."""

CATALOGUE: Mapping[str, BenchGame] = MappingProxyType({game.name: game for game in (*_GAMES, *_FOR_JOINS)})
BATCHED_GAMES = tuple(game.name for game in _GAMES)
"""Games for comparing random play in batches."""
NARROW_GAMES = (
    *("tictactoe", "connectfour", "checkers", "breakthrough", "othello", "hex", "chess"),
    *(game.name for game in _FOR_JOINS),
)
"""Games for comparing random play one game after the other."""
GEOMETRIC_MEAN_TARGET = 10.0
"""How many times as fast as OpenSpiel over all games that both have."""
