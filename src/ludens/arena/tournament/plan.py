"""The plan of a tournament: who plays what, how often, with how much time; read from TOML.

>>> plan = read_plan('''
... games = ["tictactoe"]
... nodes = 100
... [players]
... strong = "uct"
... weak = "random"
... ''', "example")
>>> plan.kind, list(plan.players), plan.games[0].seats
('roundrobin', ['strong', 'weak'], 2)
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from ludens.arena.seats import HttpSeat, make_seat
from ludens.arena.seats.make import PROCESS
from ludens.arena.tournament.jobs import Job
from ludens.arena.tournament.pairing import SEATING_RULES, Pair, SeatingRule, match_count
from ludens.arena.tournament.sprt import SprtBounds, elo_score
from ludens.arena.tournament.toml_table import TomlTable, shown
from ludens.core import Clocks
from ludens.errors import LudensError, PlanError, PlayError, RulesError
from ludens.game import load

KINDS = ("roundrobin", "swiss", "knockout", "sprt")
MAX_BYTES, MAX_LINE = 64 << 10, 4_000
MAX_NAME = 100
PLAYER_NAME = re.compile(r"\w[\w.+-]{0,39}")
CLOCK_START, CLOCK_PLAY = 10.0, 1.0
NODES_START, NODES_PLAY = 600.0, 300.0
"""With nodes the clocks are only there to end a player that hangs."""
MAX_STEPS, MAX_PAIRS = 1_000, 1_000
MEMORY = 8_192
MAX_MATCHES = 100_000
MAX_AT_ONCE = 256
MAX_SWISS = 200
"""Pairing more players would take too long."""
MAX_SECONDS, MAX_ELO = 86_400, 2_000
ADDED_KEYS = ("games", "players", "repeats", "pairs", "seating")
"""What may grow while a round robin is under way: none of these changes a match that was played."""
NEED_NO_TIME = ("legal", "random")
"""Players that move at once."""
KINDS_OF_KEYS = {
    "pairs": "roundrobin",
    "seating": "roundrobin",
    "rounds": "swiss",
    "tiebreaks": "knockout",
    "third_place": "knockout",
    "sprt": "sprt",
    "max_pairs": "sprt",
}
"""Keys that mean something in one kind of tournament only."""


@dataclass(frozen=True, slots=True)
class PlannedGame:
    """A game of the tournament, and how a worker finds it again."""

    name: str
    source: str
    """The name of a bundled game, or the path of a sheet."""
    roles: tuple[str, ...]
    """Those that players take."""
    digest: str
    """Of the rules, so that nobody changes them in the middle."""
    repeats: int = 1
    """How often everything is played at this game."""

    @property
    def seats(self) -> int:
        return len(self.roles)


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player of the tournament."""

    seat: str
    nodes: int | None
    at_once: int | None
    """How many matches it can play at the same time; None for any number."""
    is_remote: bool = False
    """Whether it is a server, rather than a player that is made here."""
    source: str = field(default="", compare=False)
    """How a worker makes the seat: as `seat`, with the whole path of a file beside the plan."""

    @property
    def needs_no_time(self) -> bool:
        return self.seat.removeprefix(PROCESS) in NEED_NO_TIME

    @property
    def is_timed(self) -> bool:
        """Whether it thinks as long as the clock lets it."""
        return self.nodes is None and not self.needs_no_time


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """A whole plan, checked. The players are in the order of their seeds, the strongest first."""

    name: str
    kind: str
    games: tuple[PlannedGame, ...]
    players: Mapping[str, Entrant]
    clocks: Clocks
    seed: int
    repeats: int
    """Of games that do not say it themselves."""
    pairs: tuple[Pair, ...]
    """Who meets whom in a round robin; empty if everybody meets everybody."""
    seating: SeatingRule
    scramble: bool
    on_fault: str
    max_steps: int
    parallel: int | None
    """How many matches at a time; None for as many as the cores allow."""
    cores: int
    """Of each match; its players think on them one after the other."""
    memory: int
    """Megabytes for each match."""
    rounds: int
    """Of a Swiss tournament."""
    tiebreaks: int
    """In a knock-out: how often further games are played before the better seed is through."""
    third_place: bool
    sprt: SprtBounds
    max_pairs: int
    """Of a sequential test."""

    def settings(self) -> dict[str, Any]:
        """All that the results depend on, as JSON; the order of games and players does matter."""
        return {
            "kind": self.kind,
            "games": [
                [game.name, game.digest, *([game.repeats] if game.repeats != self.repeats else [])]
                for game in self.games
            ],
            "players": [[name, entrant.seat, entrant.nodes] for name, entrant in self.players.items()],
            "clocks": [self.clocks.start, self.clocks.play],
            "seed": self.seed,
            "repeats": self.repeats,
            "scramble": self.scramble,
            "on_fault": self.on_fault,
            "max_steps": self.max_steps,
            "cores": self.cores,
            **({"pairs": [list(pair) for pair in self.pairs]} if self.pairs else {}),
            **({"seating": self.seating} if self.seating != "rotation" else {}),
            **({"rounds": self.rounds} if self.kind == "swiss" else {}),
            **({"tiebreaks": self.tiebreaks, "third_place": self.third_place} if self.kind == "knockout" else {}),
            **({"sprt": self.sprt.settings(), "max_pairs": self.max_pairs} if self.kind == "sprt" else {}),
        }

    def changes(self, earlier: Mapping[str, Any]) -> list[str]:
        """The keys that forbid to go on with what was played by earlier settings.

        A round robin may grow: its matches do not depend on other games, players or repeats.
        """
        own = self.settings()
        may_grow = self.kind == "roundrobin"
        keys = [key for key in {**own, **earlier} if not (may_grow and key in ADDED_KEYS)]
        changed = [key for key in keys if own.get(key) != earlier.get(key)]
        return changed + [key for key in ("games", "players") if may_grow and _differ(own[key], earlier.get(key))]

    def match_settings(self, job: Job) -> list[Any]:
        """All that the result of one match depends on, as JSON."""
        own, may_grow = self.settings(), self.kind == "roundrobin"
        common = {key: value for key, value in own.items() if not (may_grow and key in ADDED_KEYS)}
        entrants = [[self.players[player].seat, self.players[player].nodes] for player in job.players]
        return [self.name, common, job.key, self.game(job.game).digest, entrants]

    @property
    def is_timed(self) -> bool:
        """Whether the clock decides, so that no two runs are the same."""
        return any(entrant.is_timed for entrant in self.players.values())

    def rounds_of_games(self) -> Iterator[tuple[PlannedGame, int]]:
        """Every game with the number of the repeat, all games once before any is repeated."""
        for repeat in range(max(game.repeats for game in self.games)):
            yield from ((game, repeat) for game in self.games if repeat < game.repeats)

    def game(self, name: str) -> PlannedGame:
        return next(game for game in self.games if game.name == name)


def _differ(own: Sequence[Sequence[Any]], earlier: Any) -> bool:
    """Whether an entry of the same name, a game or a player, means something else."""
    try:
        before = {entry[0]: list(entry[1:]) for entry in earlier}
    except (TypeError, LookupError):
        return True
    named = {entry[0]: list(entry[1:]) for entry in own}
    return any(before[name][:2] != named[name][:2] for name in before.keys() & named.keys())


def load_plan(path: Path) -> TournamentPlan:
    """The plan in a file; PlanError says what is wrong with it."""
    data = path.read_bytes() if path.stat().st_size <= MAX_BYTES else b""
    if not data:
        raise PlanError(
            f"{path}: this is no plan; write one of less than {MAX_BYTES >> 10} KB that names games and players"
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise PlanError(f"{path}: this is no text in UTF-8; save the plan as such") from None
    try:
        return read_plan(text, path.stem, path.parent)
    except PlanError as error:
        raise PlanError(f"{path}: {error}") from None


def read_plan(text: str, name: str, folder: Path = Path()) -> TournamentPlan:
    """The plan that a text holds; sheets are looked for in the folder, and `name` is used where it gives none."""
    table = _parsed(text)
    kind = table.one_of("kind", KINDS, "roundrobin")
    nodes = table.maybe_whole("nodes", 1)
    players = _players(table, folder, nodes)
    repeats = table.whole("repeats", 1, 1)
    games = _games(table, folder, repeats)
    plan = TournamentPlan(
        name=table.text("name", name, MAX_NAME),
        kind=kind,
        games=games,
        players=players,
        clocks=_clocks(table.table("clocks"), players),
        seed=table.whole("seed", 1),
        repeats=repeats,
        pairs=_pairs(table, players),
        seating=table.one_of("seating", SEATING_RULES, "rotation"),
        scramble=table.flag("scramble", False),
        on_fault=table.one_of("on_fault", ("random", "forfeit"), "random"),
        max_steps=table.whole("max_steps", MAX_STEPS, 1),
        parallel=table.maybe_whole("parallel", 1, MAX_AT_ONCE),
        cores=table.whole("cores", 1, 1, MAX_AT_ONCE),
        memory=table.whole("memory", MEMORY, 1),
        rounds=table.whole("rounds", max(1, math.ceil(math.log2(len(players)))), 1),
        tiebreaks=table.whole("tiebreaks", 2, 0),
        third_place=table.flag("third_place", False),
        sprt=_sprt(table.table("sprt")),
        max_pairs=table.whole("max_pairs", MAX_PAIRS, 1),
    )
    table.end()
    _check_keys(table, kind)
    _check_together(plan)
    return plan


def _parsed(text: str) -> TomlTable:
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > MAX_LINE:
            raise PlanError(f"line {number} has more than {MAX_LINE:,} characters; break it up")
    try:
        return TomlTable(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"this is not TOML: {error}") from None
    except (ValueError, RecursionError):
        raise PlanError("a number is too long, or lists are nested too deeply; plans need no such things") from None


def _players(table: TomlTable, folder: Path, nodes: int | None) -> dict[str, Entrant]:
    entries = table.table("players")
    players = {name: _entrant(entries, name, folder, nodes) for name in table.get("players", {})}
    if len(players) < 2:
        table.refuse("players", 'a tournament has at least two; write [players] and lines such as strong = "uct"')
    return players


def _entrant(players: TomlTable, name: str, folder: Path, nodes: int | None) -> Entrant:
    """A player as `name = "uct"`, or as a table with options."""
    if not PLAYER_NAME.fullmatch(name):
        players.refuse(name, "a name has up to 40 letters, digits and . _ + -, and begins with a letter or a digit")
    is_misplaced = name in TournamentPlan.__dataclass_fields__ or name == "nodes"
    hint = "; keys of the plan go before [players]" if is_misplaced else ""
    entry = players.get(name)
    options = players.table(name) if isinstance(entry, dict) else TomlTable({"seat": entry}, players.key(name))
    seat = options.get("seat")
    if not isinstance(seat, str):
        players.refuse(name, f'{shown(entry)} is no player; write {name} = "uct" or {name} = {{ seat = "uct" }}{hint}')
    source = _seat_source(seat, folder)
    try:
        remote = isinstance(make_seat(source, Random(0)), HttpSeat)
    except PlayError as error:
        players.refuse(name, f"{error}{hint}")
    if remote and options.given("nodes"):
        options.refuse("nodes", "a server decides by itself how much it searches; leave this out")
    entrant = Entrant(
        seat=seat,
        nodes=None if remote else options.maybe_whole("nodes", 1) or nodes,
        at_once=options.maybe_whole("at_once", 1) or (1 if remote else None),
        is_remote=remote,
        source=source,
    )
    options.end()
    return entrant


def _seat_source(seat: str, folder: Path) -> str:
    """A seat as it can be made anywhere: the file of a player is looked for in the folder of the plan first.

    >>> _seat_source("process:uct", Path())
    'process:uct'
    """
    prefix = PROCESS if seat.startswith(PROCESS) else ""
    place, _, attribute = seat.removeprefix(prefix).rpartition(":")
    beside = folder / place
    return f"{prefix}{beside.resolve()}:{attribute}" if place.endswith(".py") and beside.is_file() else seat


def _pairs(table: TomlTable, players: Mapping[str, Entrant]) -> tuple[Pair, ...]:
    """The meetings that the plan names."""
    entries = table.get("pairs", [])
    if not isinstance(entries, list) or (not entries and table.given("pairs")):
        table.refuse("pairs", 'give a list of pairs, such as [["strong", "weak"]]')
    pairs: list[Pair] = []
    for entry in entries:
        if not isinstance(entry, list) or len(entry) != 2 or not all(isinstance(name, str) for name in entry):
            table.refuse("pairs", f"{shown(entry)} is no pair of players")
        first, second = entry
        for name in (first, second):
            if name not in players:
                table.refuse("pairs", f"{shown(name)} is no player of this plan; there are {', '.join(players)}")
        if first == second or (first, second) in pairs or (second, first) in pairs:
            table.refuse("pairs", f"{first} and {second} are there twice; raise repeats to play more")
        pairs.append((first, second))
    return tuple(pairs)


def _games(table: TomlTable, folder: Path, repeats: int) -> tuple[PlannedGame, ...]:
    entries = table.get("games")
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, str | dict) for entry in entries):
        table.refuse("games", 'give a list of games, such as ["tictactoe", "rules/mine.kif"]')
    games = [_game(table, entry, folder, repeats) for entry in entries]
    for index, game in enumerate(games):
        if game.name in [other.name for other in games[:index]]:
            table.refuse("games", f"there are two games called {game.name}; leave one out, or rename its file")
    return tuple(games)


def _game(table: TomlTable, entry: str | Mapping[str, Any], folder: Path, repeats: int) -> PlannedGame:
    """A game as `"chess"`, or as a table with options."""
    options = TomlTable({"game": entry} if isinstance(entry, str) else entry, "games")
    name = options.get("game")
    if not isinstance(name, str):
        table.refuse("games", f'{shown(entry)} is no game; write "chess" or {{ game = "chess", repeats = 2 }}')
    repeats = options.whole("repeats", repeats, 1)
    options.end()
    beside = folder / name
    try:
        source = str(beside.resolve()) if name.isprintable() and beside.is_file() else name
        game = load(source)
        return PlannedGame(game.name, source, tuple(map(str, game.player_roles)), game.rules.digest, repeats)
    except RulesError as error:
        fault = error.findings[0]
        table.refuse("games", f"{name} cannot be played: {fault.message}; `ludens check` tells more")
    except LudensError as error:
        table.refuse("games", f"{name} cannot be played: {error}")
    except OSError as error:
        table.refuse("games", f"{shown(name)} cannot be read: {error.strerror}")


def _clocks(table: TomlTable, players: Mapping[str, Entrant]) -> Clocks:
    timed = any(entrant.is_timed for entrant in players.values())
    start, play = (CLOCK_START, CLOCK_PLAY) if timed else (NODES_START, NODES_PLAY)
    clocks = Clocks(table.number("start", start, 0, MAX_SECONDS), table.number("play", play, 0, MAX_SECONDS))
    table.end()
    return clocks


def _sprt(table: TomlTable) -> SprtBounds:
    """Bounds by scores or by Elo; the usual question is whether the first player is better by 20 Elo."""
    if table.given("p0") or table.given("p1"):
        if table.given("elo0") or table.given("elo1"):
            table.refuse("p0", "give either p0 and p1, or elo0 and elo1")
        low, high, names = table.number("p0", 0.5, 0, 1), table.number("p1", 0.53, 0, 1), "p0"
    else:
        least, names = -MAX_ELO, "elo0"
        low = elo_score(table.number("elo0", 0, least, MAX_ELO))
        high = elo_score(table.number("elo1", 20, least, MAX_ELO))
    if low >= high:
        table.refuse(names, f"it has to be less than {names[:-1]}1; the test tells the two apart")
    bounds = SprtBounds(low, high, table.number("alpha", 0.05, 0, 0.5), table.number("beta", 0.05, 0, 0.5))
    table.end()
    return bounds


def _matches(plan: TournamentPlan) -> int:
    """How many matches there are at most; a little more where that is simpler."""
    players = len(plan.players)
    if plan.kind == "roundrobin":
        return sum(
            game.repeats * match_count(players, game.seats, plan.seating, len(plan.pairs)) for game in plan.games
        )
    repeats = sum(game.repeats for game in plan.games)
    rounds = {"swiss": plan.rounds, "knockout": 2 * (plan.tiebreaks + 1)}.get(plan.kind, 0)
    return repeats * players * rounds if rounds else 2 * plan.max_pairs


def _check_keys(table: TomlTable, kind: str) -> None:
    """Refuse what would mean nothing in this kind of tournament."""
    for key, needed in KINDS_OF_KEYS.items():
        if kind != needed and table.given(key):
            table.refuse(key, f'this needs kind = "{needed}"; here it is "{kind}", so leave it out')
    has_repeats = table.given("repeats") or any(isinstance(entry, dict) for entry in table.get("games"))
    if kind == "sprt" and has_repeats:
        table.refuse("repeats", "a sequential test goes on until it is decided; leave this out, or give max_pairs")


def _max_seats(plan: TournamentPlan, game: PlannedGame) -> int:
    """How many seats of a game one player may have to take at the same time."""
    if plan.kind == "roundrobin" and plan.seating == "alone":
        return max(1, game.seats - 1)
    in_pairs = plan.kind != "roundrobin" or plan.pairs or plan.seating == "halves"
    return math.ceil(game.seats / (2 if in_pairs else len(plan.players)))


def _check_together(plan: TournamentPlan) -> None:
    """What no single key can tell."""
    if plan.kind == "swiss" and len(plan.players) > MAX_SWISS:
        raise PlanError(f"players: a Swiss tournament has at most {MAX_SWISS}; {len(plan.players)} are given")
    if plan.kind == "sprt":
        if len(plan.players) != 2:
            raise PlanError(f"players: a sequential test is between two; {len(plan.players)} are given")
        for game in plan.games:
            if game.seats != 2:
                raise PlanError(f"games: {game.name} is played by {game.seats}; a sequential test needs games for two")
    if _matches(plan) > MAX_MATCHES:
        raise PlanError(f"games: this makes {_matches(plan):,} matches; take fewer games, players or repeats")
    for game in plan.games:
        most = _max_seats(plan, game)
        for name, entrant in plan.players.items():
            if entrant.at_once is not None and entrant.at_once < most:
                raise PlanError(
                    f"players.{name}: it takes {most} seats of {game.name} at the same time and can take "
                    f"{entrant.at_once}; give it at_once = {most}, if its server can, or more players"
                )
