"""The two tables of the paper about gdlcc, with ludens beside it: `python -m experiments.gdlcc_tables`.

A plain Monte Carlo player plays matches against itself. The states of a match are its early, middle and late third;
the tables tell how many states it examines, and how many random games it plays, in the move clock of a state of each
third, on average. The paper has a clock of 5 seconds on a machine of 2.4 GHz. Here the clock is shorter, and the
figures are what it would come to in 5 seconds at the same rate. Seconds are of the processor, on one core.

The player is written in C and linked with the library that `ludens compile` makes, without and with a transposition
table of 10,000 states as in the paper. Beside it there are the relational engine, which plays what cannot be grounded,
and the sliced engine, which plays a thousand games at once; both are asked from Python. The rule sheets are those
that come with ludens, and the old chess of the corpus where there is one; those of the paper may differ.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from benchmarks.arguments import INTERRUPTED, count, positive, read_figures, try_to_write
from benchmarks.catalogue import CATALOGUE
from benchmarks.machine import cpu_name, one_core, versions
from experiments.gdlcc_players import NEED_CIRCUIT, PLAYERS, Turn
from ludens.drawing import short
from ludens.errors import LudensError
from ludens.gdl.rules import Rules

FIGURES = Path(__file__).resolve().parent / "results" / "gdlcc_tables.json"
PAPER_CLOCK = 5.0
WIDEST_TABLE = 100
THIRDS = ("early", "middle", "end")
STATES, SIMULATIONS = "states examined", "simulations"
Thirds = tuple[float, float, float]
OLD_CHESS = "corpus/chess"
TITLES = {
    "tictactoe": "Tic-Tac-Toe",
    "chess": "Chess",
    OLD_CHESS: "Chess, the old sheet",
    "checkers": "Checkers",
    "connectfour": "Connect4",
}
PAPER: Mapping[str, Mapping[str, tuple[Thirds, Thirds]]] = {
    "tictactoe": {
        "YAP": ((50_935, 54_197, 52_663), (7_309, 13_212, 18_553)),
        "gdlcc": ((839_772, 896_903, 980_867), (134_932, 194_602, 194_602)),
        "gdlcc tt": ((1_197_720, 1_324_552, 1_426_093), (164_348, 268_363, 370_144)),
    },
    "chess": {
        "YAP": ((3_240, 3_170, 3_190), (22, 31, 62)),
        "gdlcc": ((5_189, 5_634, 5_963), (28, 41, 63)),
        "gdlcc tt": ((5_091, 5_353, 5_611), (28, 39, 58)),
    },
    "checkers": {
        "gdlcc": ((9_853, 10_159, 11_268), (108, 217, 1_419)),
        "gdlcc tt": ((9_879, 9_888, 54_312), (108, 208, 12_961)),
    },
    "connectfour": {
        "gdlcc": ((65_683, 57_376, 53_842), (3_308, 4_612, 6_881)),
        "gdlcc tt": ((65_683, 64_764, 65_683), (3_536, 5_367, 8_156)),
    },
}
"""What the paper tells, states and simulations, early, middle and end."""


@dataclass(frozen=True, slots=True)
class Row:
    """One player at one game: means for a state of each third, in 5 seconds."""

    game: str
    player: str
    states: Thirds | None = None
    simulations: Thirds | None = None
    turns: int = 0
    problem: str | None = None

    @classmethod
    def of(cls, game: str, player: str, matches: Sequence[Sequence[Turn]], clock: float) -> Row:
        thirds: list[list[Turn]] = [[], [], []]
        for match in matches:
            for place, turn in enumerate(match):
                thirds[3 * place // len(match)].append(turn)
        factor = PAPER_CLOCK / clock
        states = [factor * _mean([turn.states for turn in third]) for third in thirds]
        simulations = [factor * _mean([turn.simulations for turn in third]) for third in thirds]
        turns = sum(map(len, matches))
        return cls(game, player, _thirds(states), _thirds(simulations), turns)


@dataclass(slots=True)
class Tables:
    """What a run has measured."""

    clock: float
    matches: int
    seed: int
    cpu: str
    versions: Mapping[str, str]
    rows: list[Row] = field(default_factory=list)

    def write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        document = {
            "cpu": self.cpu,
            "versions": dict(self.versions),
            "clock": self.clock,
            "matches": self.matches,
            "seed": self.seed,
            "scaled_to_seconds": PAPER_CLOCK,
            "rows": [asdict(row) for row in self.rows],
            "paper": PAPER,
        }
        path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Tables:
        """What an earlier run has written; ValueError, LookupError or TypeError for other files."""
        document = json.loads(path.read_text(encoding="utf-8"))
        rows = [_row_of(entry) for entry in document["rows"]]
        if not rows:
            raise ValueError(f"{path} has no rows")
        kept = {name: document[name] for name in ("clock", "matches", "seed", "cpu", "versions")}
        return cls(**kept, rows=rows)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    chosen = parser.parse_args(arguments)
    console = Console()
    console.width = max(console.width, WIDEST_TABLE)
    if chosen.redraw:
        tables = read_figures(parser, chosen.json, Tables.read)
    else:
        try_to_write(parser, chosen.json)
        tables = Tables(chosen.clock, chosen.matches, chosen.seed, cpu_name(), versions())
        try:
            _measure(console, tables, chosen)
        except KeyboardInterrupt:
            console.print("interrupted; what was measured by then is kept, see --redraw")
            return INTERRUPTED
    show(console, tables)
    console.print(f"written: {chosen.json}", markup=False)
    return 0


def _measure(console: Console, tables: Tables, chosen: argparse.Namespace) -> None:
    """Measure row by row; each time the figures are written, so that an interrupted run loses nothing."""
    games = [game for game in dict.fromkeys(chosen.games) if CATALOGUE[game].is_available]
    with one_core(), console.status("") as status:
        for game in games:
            rules = Rules.from_source(CATALOGUE[game].source())
            for player in dict.fromkeys(chosen.players):
                if game == OLD_CHESS and player in NEED_CIRCUIT:
                    continue
                status.update(f"{TITLES[game]}: {player} gets ready")
                try:
                    with PLAYERS[player](rules) as play:
                        matches = []
                        for number in range(tables.matches):
                            status.update(f"{TITLES[game]}: {player}, match {number + 1} of {tables.matches}")
                            matches.append(play(tables.seed + number, tables.clock))
                    row = Row.of(game, player, matches, tables.clock)
                except LudensError as error:
                    row = Row(game, player, problem=str(error))
                tables.rows.append(row)
                tables.write(chosen.json)


def show(console: Console, tables: Tables) -> None:
    console.print(
        f"{tables.matches} matches with {tables.clock:g} s a move, scaled to the {PAPER_CLOCK:g} s of the paper "
        f"({tables.cpu})",
        markup=False,
    )
    for number, what in enumerate((STATES, SIMULATIONS)):
        table = Table(title=f"{what} in {PAPER_CLOCK:g} seconds", box=SIMPLE_HEAD, title_justify="left")
        for heading in ("game", "", "player"):
            table.add_column(heading, no_wrap=True)
        for heading in (*THIRDS, "times gdlcc"):
            table.add_column(heading, justify="right", no_wrap=True)
        for game in dict.fromkeys(row.game for row in tables.rows):
            _add_game(table, tables, game, number)
        console.print(table)
    for row in tables.rows:
        if row.problem:
            console.print(f"{TITLES[row.game]}, {row.player}: {row.problem}", style="yellow", markup=False)


def _add_game(table: Table, tables: Tables, game: str, number: int) -> None:
    """The figures of the paper, then ours; the last column compares with gdlcc without a transposition table."""
    paper = PAPER["chess" if game == OLD_CHESS else game]
    title = TITLES[game]
    for player, figures in paper.items():
        table.add_row(title, "paper", player, *(f"{figure:,}" for figure in figures[number]), "", style="dim")
        title = ""
    for row in tables.rows:
        measured = row.simulations if number else row.states
        if row.game == game and measured:
            ratio = fmean(own / other for own, other in zip(measured, paper["gdlcc"][number], strict=True))
            table.add_row("", "ludens", row.player, *map(short, measured), f"{ratio:,.0f}")
    table.add_section()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.gdlcc_tables", description="Reprint the tables of the paper about gdlcc."
    )
    for option, known in (("games", tuple(TITLES)), ("players", tuple(PLAYERS))):
        words = f"some of: {', '.join(known)}"
        parser.add_argument(
            f"--{option}", nargs="+", choices=known, default=known, metavar=option[:-1].upper(), help=words
        )
    parser.add_argument("--clock", type=positive, default=0.05, help="seconds for a move (default: 0.05)")
    parser.add_argument("--matches", type=count, default=2, help="matches of each player (default: 2)")
    parser.add_argument("--seed", type=int, default=1, help="where all chance comes from (default: 1)")
    parser.add_argument("--json", type=Path, metavar="FILE", default=FIGURES, help="where the figures go")
    parser.add_argument("--redraw", action="store_true", help="measure nothing; show what the JSON file has")
    return parser


def _mean(values: Sequence[int]) -> float:
    return fmean(values) if values else math.nan


def _thirds(values: Sequence[float]) -> Thirds:
    early, middle, end = map(float, values)
    return early, middle, end


def _row_of(entry: Mapping[str, Any]) -> Row:
    thirds = {what: _thirds(entry[what]) if entry[what] else None for what in ("states", "simulations")}
    if entry["game"] not in TITLES:
        raise ValueError(f"{entry['game']} is not a game of the tables")
    values: dict[str, Any] = {**entry, **thirds}
    return Row(**values)


if __name__ == "__main__":
    sys.exit(main())
