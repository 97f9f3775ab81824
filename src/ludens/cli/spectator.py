"""A match between machines, printed move by move."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from random import Random

from rich.markup import escape

from ludens.arena.direct import play_match
from ludens.arena.records import new_match_id
from ludens.arena.result import Diagnostic, PlayedTurn
from ludens.arena.store import Archive
from ludens.cli.common import output
from ludens.cli.stores import say_kept
from ludens.cli.wording import board, joint_text, result_text, short
from ludens.core import Clocks, Decision, Move, Player, Role
from ludens.game import Game, State
from ludens.gdl.keywords import CHANCE

START_SECONDS = 10.0
SEEDED_NODES = 10_000
"""How much the machine searches when play has to be repeatable: no clock is the same twice."""
SHOWN_LINE = 8
"""The number of joint moves of a line that are shown."""
BARS = "▁▂▃▄▅▆▇█"
BEST = 100


class Spectator:
    """Prints a match as it is played."""

    def __init__(self, game: Game, names: Mapping[Role, str], *, boards: bool = True) -> None:
        self._game, self._names, self._boards = game, names, boards
        self._step = 0

    def begin(self, state: State | None = None, step: int = 0) -> None:
        """Say who plays, and from which state on."""
        self._step = step
        names = ", ".join(f"{role} is {name}" for role, name in self._names.items())
        output.print(f"[bold]{escape(self._game.name)}[/bold]: {escape(names)}")
        if self._boards:
            output.print()
            output.print(board(state or self._game.initial_state()))

    def show_move(self, before: State, joint: Mapping[Role, Move]) -> None:
        self._step += 1
        output.print(f"\n[bold]{self._step}.[/bold] {escape(joint_text(before, joint))}")

    def show_state(self, state: State) -> None:
        if self._boards:
            output.print(board(state))

    def end(self, final: State, words: str) -> None:
        """Say how it ended; the last state is shown now if none was before."""
        if not self._boards:
            output.print()
            output.print(board(final))
        output.print(f"\n[bold green]{escape(words)}[/bold green]")


def show_fault(fault: Diagnostic) -> None:
    output.print(f"[yellow]move {fault.step}: {escape(fault.role)} failed: {escape(fault.text)}[/yellow]")


def show_diagnostics(turn: PlayedTurn) -> None:
    """Show what players say about how they play."""
    for diagnostic in turn.diagnostics:
        if not diagnostic.is_fault:
            output.print(f"{diagnostic.role}: {diagnostic.text}", style="dim", markup=False, highlight=False)


def show_match(
    game: Game,
    players: Mapping[Role, Player],
    clocks: Clocks,
    rng: Random,
    *,
    boards: bool = True,
    thoughts: bool = False,
    archive: Archive | None = None,
) -> None:
    """Play a match and print it, with `thoughts` also what the players expect; the archive keeps it."""
    spectator = Spectator(game, {role: player.name for role, player in players.items()}, boards=boards)
    spectator.begin()
    expected: dict[Role, list[float]] = defaultdict(list)

    def show_turn(turn: PlayedTurn) -> None:
        status.update("thinking")
        show_diagnostics(turn)
        spectator.show_move(turn.before, turn.moves)
        for role, decision in turn.decisions.items() if thoughts else ():
            expected[role].append(decision.values[role])
            _show_thought(players[role].name, turn.before, decision)
        spectator.show_state(turn.after)

    with output.status("the players get ready") as status:
        seated, match_id = list(players.values()), new_match_id(game.name)
        result = play_match(game, seated, clocks, rng, show_turn, match_id=match_id, journal=archive)
    for fault in result.faults:
        show_fault(fault)
    spectator.end(result.final, result_text(result.goals))
    for role, values in expected.items():
        output.print(f"what {escape(players[role].name)} expected as {escape(role)}: {bars(values)}", highlight=False)
    say_kept(result.record, archive)


def _show_thought(name: str, before: State, decision: Decision) -> None:
    output.print(f"   [cyan]{escape(name)}[/cyan]: {escape(thought_text(decision))}", highlight=False)
    for line in (line_text(before, decision.pv), *decision.explanation):
        if line:
            output.print(f"   [dim]{escape(line)}[/dim]", highlight=False)


def thought_text(decision: Decision) -> str:
    """What a search expects, and what it took to find out."""
    values = ", ".join(f"{role} {value:.0f}" for role, value in decision.values.items() if role.lower() != CHANCE)
    parts = [f"expects {values}" + (" for certain" if decision.proven else "")]
    parts += [f"{decision.nodes:,} nodes"]
    parts += [f"{decision.playouts:,} playouts"] if decision.playouts else []
    parts += [f"depth {decision.depth}"]
    parts += [f"table {decision.hashfull:.0%} full"] if decision.hashfull >= 0.005 else []
    return ", ".join([*parts, f"{decision.seconds:.2f} s"])


def line_text(state: State, line: Sequence[Mapping[Role, Move]]) -> str:
    """The moves of a line one after the other, without the names of the roles."""
    words = []
    for joint in line[:SHOWN_LINE]:
        if state.is_terminal:
            break
        told = state.game.announced(joint)
        choosing = [role for role in told if len(state.legal_moves(role)) > 1] or list(told)[:1]
        words.append(" + ".join(short(told[role]) for role in choosing))
        state = state.next(joint, compiles=False)
    return ", ".join(words) + (", ..." if len(line) > SHOWN_LINE else "")


def bars(values: Sequence[float]) -> str:
    """Values from 0 to 100 as a row of bars.

    >>> bars([0, 50, 100])
    '▁▅█'
    """
    return "".join(BARS[min(len(BARS) - 1, int(value / BEST * len(BARS)))] for value in values)
