"""`ludens show --engines`: which engines a game has, what each is used for, and how fast it is here."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field

from rich.markup import escape
from rich.table import Table

from ludens.circuit import optimised_circuit
from ludens.cli.common import errors, output, print_json
from ludens.engines.base import Engine
from ludens.engines.fallback import FallbackEngine
from ludens.engines.native import NativeEngine
from ludens.engines.reference import ReferenceEngine
from ludens.engines.relational import RelationalEngine
from ludens.engines.sliced import SlicedEngine
from ludens.engines.sliced.warm_up import SMALLEST_GAME, warm_up
from ludens.engines.speed import Speed, measure
from ludens.errors import EngineError
from ludens.game import MAX_REFERENCE_PLAYOUTS, Game
from ludens.gdl.rules import Rules
from ludens.ground import ground
from ludens.runtime.deadline import Deadline

MEASURED_SECONDS = 0.4
"""For each figure."""
MACHINE_CODE_SECONDS = 300.0
MAX_GAMES = {"reference": 1, "sliced": 1 << 16, "native": 8, "relational": 1 << 10}
"""How many playouts each engine gets at once, as suits its use."""
COMPILED = ("sliced", "native", "relational")
CAPTION = "ready: seconds from the rules to the engine, with what is kept on disk; then states a second"
STANDARD = "it is there at once, and right by definition"


@dataclass(frozen=True, slots=True)
class EngineRow:
    """What there is to say about one engine."""

    name: str
    ready: float | None = None
    """Seconds from the rules to the engine."""
    speed: Speed | None = None
    used_for: str = ""
    why: str = ""
    problem: str | None = None
    """Why there is no such engine."""


@dataclass(slots=True)
class EngineSurvey:
    """Makes the engines of a game one after the other and measures them."""

    game: Game
    progress: Callable[[str], None]
    rows: dict[str, EngineRow] = field(default_factory=dict)

    def run(self) -> list[EngineRow]:
        """The engines in the order in which they come to be used."""
        refused = str(self.game.compile_error) if self.game.compile_error else None
        self._add("reference", self._reference)
        if refused:
            self.rows |= {name: EngineRow(name, problem=refused) for name in COMPILED}
        else:
            self._load_packages()
            self._add_circuit()
            self._add("relational", self._relational)
        self._add_uses()
        return list(self.rows.values())

    def _load_packages(self) -> None:
        """Import everything, and have the kernels loaded, so that no engine pays for what another one uses too."""
        self.progress("loading")
        rules = Rules.parse(SMALLEST_GAME)
        NativeEngine.compile(rules).prepare()
        RelationalEngine.compile(rules)

    def _add_circuit(self) -> None:
        """The two engines that have the circuit; each counts the time that it takes."""
        begun = time.perf_counter()
        try:
            program = ground(self.game.engine_rules, progress=self._report)
            circuit = optimised_circuit(program, lambda phase, _: self._report(phase, program.rule_count))
        except (EngineError, MemoryError) as error:
            problem = str(error) or "there is not enough memory for the circuit"
            self.rows |= {name: EngineRow(name, problem=problem) for name in COMPILED[:2]}
            return
        seconds = time.perf_counter() - begun
        self._add("sliced", lambda: SlicedEngine(program, circuit), seconds)
        self._add("native", lambda: NativeEngine(program, circuit).prepare(), seconds)

    def _add(self, name: str, make: Callable[[], Engine], seconds_before: float = 0.0) -> None:
        self.progress(f"{name}: getting ready")
        begun = time.perf_counter()
        try:
            engine = make()
            seconds = seconds_before + time.perf_counter() - begun
            self.progress(f"{name}: measuring")
            self.rows[name] = EngineRow(name, seconds, measure(engine, MEASURED_SECONDS, MAX_GAMES[name]))
        except (EngineError, MemoryError) as error:
            self.rows[name] = EngineRow(name, problem=str(error) or "there is not enough memory for it")

    def _reference(self) -> ReferenceEngine:
        return ReferenceEngine(self.game.engine_rules)

    def _relational(self) -> Engine:
        """With the reference engine behind it, as a game has it."""
        return FallbackEngine(RelationalEngine.compile(self.game.engine_rules), self._reference())

    def _report(self, phase: str, done: int) -> None:
        self.progress(f"circuit: {phase}, {done:,} rules" if done else f"circuit: {phase}")

    def _add_uses(self) -> None:
        circuit, joins = not self.rows["sliced"].problem, not self.rows["relational"].problem
        few = f"the first steps, up to {MAX_REFERENCE_PLAYOUTS} random games, facts that play never reaches"
        uses = {
            "reference": (few if circuit or joins else "everything", STANDARD),
            "sliced": ("many states or games at once: search, `simulate`", "it has hundreds of them in each pass"),
            "native": ("one state at a time: `State.next`, referees", "it evaluates only what a move changes"),
            "relational": (
                ("only while the circuit is long in coming", "the circuit is there")
                if circuit
                else ("everything else", "the rules do not become a circuit")
            ),
        }
        for name, row in self.rows.items():
            used_for, why = ("", "") if row.problem else uses[name]
            self.rows[name] = EngineRow(name, row.ready, row.speed, used_for, why, row.problem)


def show_engines(game: Game, as_json: bool) -> None:
    with errors.status("preparing machine code") as status:
        warm_up(Deadline(MACHINE_CODE_SECONDS))
        rows = EngineSurvey(game, lambda words: status.update(escape(words))).run()
    if as_json:
        print_json({"game": game.name, "digest": game.rules.digest, "engines": [asdict(row) for row in rows]})
        return
    output.print(f"[bold]{escape(game.name)}[/bold]")
    output.print(_table(rows))
    output.print(f"[dim]{CAPTION}[/dim]\n")
    for row in rows:
        words = f"not available: {row.problem}" if row.problem else f"{row.used_for}; {row.why}"
        output.print(f"  [cyan]{row.name:<10}[/cyan] {escape(words)}")


def _table(rows: list[EngineRow]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("engine")
    for heading in ("ready", "one by one", "random games"):
        table.add_column(heading, justify="right")
    for row in rows:
        speed = row.speed or Speed(None, None)
        ready = "–" if row.ready is None else f"{row.ready:.2f} s"
        table.add_row(row.name, ready, _number(speed.single), _number(speed.games))
    return table


def _number(rate: float | None) -> str:
    """Three digits are as many as a short measurement tells."""
    return "–" if rate is None else f"{float(f'{rate:.3g}'):,.0f}"
