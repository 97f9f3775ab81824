"""Matches that this process referees, as people see them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from signal import Signals
from statistics import mean
from threading import Lock

from rich.markup import escape
from rich.table import Table

from ludens.arena.journals import Journal
from ludens.arena.match import OnTurn
from ludens.arena.records import Record
from ludens.arena.referee import Referee
from ludens.arena.result import Diagnostic, MatchResult, MatchSettings, PlayedTurn
from ludens.arena.seats import MoveRequest, Seat, make_seat
from ludens.arena.seats.make import HUMAN
from ludens.cli.common import output, print_error
from ludens.cli.spectator import Spectator, show_diagnostics, show_fault
from ludens.cli.table import ask_move
from ludens.cli.wording import board, result_text
from ludens.core import Move
from ludens.errors import LudensError
from ludens.game import Game
from ludens.runtime.threads import SerialExecutor

STOPPING = ("SIGTERM", "SIGHUP")
"""Signals that break matches off, as Ctrl-C does; not every system has them."""


@dataclass(frozen=True)
class Hosted:
    """A match to play, or to go on with."""

    settings: MatchSettings
    journal: Journal
    record: Record | None = None


class Hosting:
    """One or more matches of a game between the same players, all at once."""

    def __init__(self, game: Game, specs: Sequence[str], hosted: Sequence[Hosted], *, boards: bool) -> None:
        self._game, self._specs, self._hosted = game, specs, hosted
        people = [role for role, spec in zip(game.player_roles, specs, strict=True) if spec == HUMAN]
        self._hides_from = people if game.traits.hidden else []
        """People who must not see what others do."""
        self._boards = boards and not self._hides_from
        self._over: set[str] = set()
        self._prompt = TerminalPrompt()
        self._seats(hosted[0].settings)  # Wrong names are told before anything begins.

    def run(self) -> bool:
        """Play all matches and print them; whether each came to its end. KeyboardInterrupt if they are broken off."""
        try:
            outcomes = asyncio.run(self._run())
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None
        results = [outcome for outcome in outcomes if outcome is not None]
        if results:
            self._show_table(results)
        return len(results) == len(outcomes) and all(result.finished for result in results)

    def say_interrupted(self) -> None:
        ids = [each.settings.match_id for each in self._hosted if each.settings.match_id not in self._over]
        with suppress(OSError):  # The terminal may be what has gone.
            output.print(f"\nbroken off: {', '.join(ids)}; --resume {ids[0]} goes on", style="yellow", markup=False)

    async def _run(self) -> list[MatchResult | None]:
        self._prompt.leave = _stopper()
        if len(self._hosted) == 1:
            return [await self._watched(self._hosted[0])]
        with SerialExecutor("rules") as steps:
            return await asyncio.gather(*(self._reported(hosted, steps) for hosted in self._hosted))

    async def _watched(self, hosted: Hosted) -> MatchResult:
        """Play a match and print all of it."""
        settings, record = hosted.settings, hosted.record
        seats = self._seats(settings)
        names = {role: seat.name for role, seat in zip(self._game.player_roles, seats, strict=True)}
        spectator = Spectator(self._game, names, boards=self._boards)
        states = [self._game.initial_state()] if record is None else list(record.replay(self._game))
        spectator.begin(states[-1], len(states) - 1)
        output.print(f"[dim]match {escape(settings.match_id)}, seed {settings.seed}[/dim]")
        visible = self._hides_from or self._game.rule_roles
        shown: set[Diagnostic] = set()

        def show_faults(faults: Sequence[Diagnostic]) -> None:
            for fault in faults:
                show_fault(fault)
            shown.update(faults)

        def show(turn: PlayedTurn) -> None:
            show_diagnostics(turn)
            spectator.show_move(turn.before, {role: turn.moves[role] for role in visible})
            show_faults([fault for fault in turn.diagnostics if fault.is_fault and fault.role in visible])
            spectator.show_state(turn.after)

        result = await self._played(hosted, seats, show=show)
        show_faults([fault for fault in result.faults if fault not in shown])
        spectator.end(result.final, _ending(result))
        return result

    async def _reported(self, hosted: Hosted, steps: Executor) -> MatchResult | None:
        """Play a match among others, and print how it ended."""
        try:
            result = await self._played(hosted, self._seats(hosted.settings), steps=steps)
        except (LudensError, OSError) as error:
            print_error(error)
            return None
        parts = [f"{len(result.moves)} moves"] + ([f"{len(result.faults)} faults"] if result.faults else [])
        output.print(f"{hosted.settings.match_id}: {_ending(result)} ({', '.join(parts)})", markup=False)
        return result

    async def _played(
        self, hosted: Hosted, seats: Sequence[Seat], *, show: OnTurn | None = None, steps: Executor | None = None
    ) -> MatchResult:
        referee = Referee(self._game, seats, hosted.settings, hosted.journal, on_turn=show, steps=steps)
        try:
            result = await (referee.play() if hosted.record is None else referee.resume(hosted.record))
        finally:
            await asyncio.gather(*(seat.close() for seat in seats))
        self._over.add(hosted.settings.match_id)
        return result

    def _seats(self, settings: MatchSettings) -> list[Seat]:
        ask = self._prompt.ask if all(stream.isatty() for stream in (sys.stdin, sys.stdout)) else None
        return [
            make_seat(spec, Random(f"{settings.seed}/seat {number}"), settings.nodes, ask)
            for number, spec in enumerate(self._specs)
        ]

    def _show_table(self, results: Sequence[MatchResult]) -> None:
        """Who got what; the mean if there was more than one match."""
        table = Table(box=None, pad_edge=False, header_style="bold")
        for heading in ("role", "player", "points", "faults"):
            table.add_column(heading, justify="right" if heading in ("points", "faults") else "left")
        names = results[0].record.player_names or []
        for role, name in zip(self._game.rule_roles, names, strict=True):
            if role in self._game.player_roles:
                points = [value for result in results if result.finished and (value := result.goals[role]) is not None]
                faults = sum(fault.role == role for result in results for fault in result.faults)
                shown = f"{mean(points):.4g}" if points else "?"
                table.add_row(escape(role), escape(name), shown, f"[yellow]{faults}[/yellow]" if faults else "0")
        output.print()
        output.print(table)


class TerminalPrompt:
    """The terminal, at which one person at a time is asked for a move."""

    def __init__(self) -> None:
        self.leave: Callable[[], object] = lambda: None
        """Breaks all matches off, from any thread."""
        self._lock = Lock()

    def ask(self, question: MoveRequest) -> Move:
        """The move that a person types at the terminal."""
        role, deadline, moves = question.role, question.deadline, question.state.legal_moves(question.role)

        def prompt() -> str:
            if deadline.passed:
                raise TimeoutError
            return f"[bold]{escape(role)}[/bold] ({deadline.remaining:.0f} s)> "

        with self._lock:
            if question.state.game.traits.hidden:
                _show_view(question)
            try:
                move = ask_move(moves, prompt)
            except TimeoutError:
                move = moves[0]
            except EOFError:
                output.print("\nyou left the match", style="dim")
                self.leave()
                raise
            if deadline.passed:
                output.print("your time is over; if that was too late, a move was made for you", style="yellow")
            return move


def _show_view(question: MoveRequest) -> None:
    """What a person knows who is not shown the match."""
    output.print(f"{question.role} sees {', '.join(question.seen) or 'nothing'}", style="cyan", markup=False)
    if question.is_certain:
        output.print(board(question.state))


def _stopper() -> Callable[[], object]:
    """What breaks off the task that runs this, from any thread; some signals do so, too. A second one ends at once."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    handled: list[Signals] = []

    def stop() -> None:
        for number in handled:
            loop.remove_signal_handler(number)
        if task:
            task.cancel()

    for number in Signals:
        if number.name in STOPPING:
            with suppress(NotImplementedError):
                loop.add_signal_handler(number, stop)
                handled.append(number)
    return lambda: loop.call_soon_threadsafe(stop)


def _ending(result: MatchResult) -> str:
    """How a match ended, in words."""
    if not result.finished:
        return f"cut after {len(result.moves)} moves"
    forfeits = f"{' and '.join(result.forfeited)} forfeited; " if result.forfeited else ""
    return forfeits + result_text(result.goals)
