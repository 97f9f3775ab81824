"""A game table in the terminal: people type their moves, machines play the other roles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rich.columns import Columns
from rich.markup import escape

from ludens.arena.interactive import PERSON, InteractiveMatch
from ludens.arena.result import PlayedTurn
from ludens.cli.common import output
from ludens.cli.pictures import TerminalArtist
from ludens.cli.spectator import show_diagnostics, show_fault
from ludens.cli.wording import joint_text, keys, matching, result_text, short
from ludens.core import Move, Role
from ludens.game import State
from ludens.printable import printable

SHOWN_MOVES = 60
HELP = """type the number of a move, its words, or a part of them that is enough: `2`, `mark 1 2`, `1 2`
  [bold]moves[/bold]  list your moves        [bold]undo[/bold]  take back your last move
  [bold]board[/bold]  draw the board again   [bold]hint[/bold]  ask the machine for a move
  [bold]help[/bold]   show this              [bold]quit[/bold]  leave the game"""

COMMANDS = frozenset({"help", "?", "moves", "board", "hint", "undo", "quit", "exit", "q"})


def list_moves(moves: Sequence[Move], only: Sequence[Move] | None = None) -> None:
    """Print moves with what to type for each; all, or some of them."""
    chosen = set(moves if only is None else only)
    labelled = [(key, move) for key, move in zip(keys(moves), moves, strict=True) if move in chosen]
    width = max(len(key) for key, _ in labelled)
    shown = [f"[cyan]{key:>{width}}[/cyan] {escape(short(move))}" for key, move in labelled[:SHOWN_MOVES]]
    output.print(Columns(shown, padding=(0, 3), equal=True))
    if len(labelled) > SHOWN_MOVES:
        output.print(f"and {len(labelled) - SHOWN_MOVES} more; type a part of a move to find it", style="dim")


def ask_move(moves: Sequence[Move], prompt: Callable[[], str], command: Callable[[str], None] | None = None) -> Move:
    """The move that a person types after a prompt; other things that can be typed are left to `command`."""
    list_moves(moves)
    while True:
        text = output.input(prompt()).strip()
        found = matching(moves, text)
        word = text.lower() if command else ""
        if len(found) == 1 and (word not in COMMANDS or short(found[0]).lower() == word):
            return found[0]
        if command and word in COMMANDS:
            command(word)
        elif found:
            output.print(f"that can be {len(found)} moves; which one?", style="yellow")
            list_moves(moves, found)
        elif text:
            remedy = "; type `moves` to see them" if command else ""
            output.print(f"{text} is not one of your moves{remedy}", style="yellow", markup=False)


class _LeaveError(Exception):
    """The person leaves the game."""


class _UndoError(Exception):
    """The person takes a move back."""


class GameTable:
    """The terminal at which people play a match."""

    def __init__(self, match: InteractiveMatch) -> None:
        self._match, self._people = match, match.people
        self._artist = TerminalArtist.of(match.game)
        self._kept_secret = False

    def play(self) -> None:
        """Play to the end, or until the person leaves."""
        match = self._match
        self._welcome()
        try:
            with output.status("the machine gets ready"):
                match.prepare()
            while not match.is_over:
                self._turn()
        except (_LeaveError, EOFError, KeyboardInterrupt):
            output.print("\nyou left the game", style="dim")
            return
        finally:
            match.close()
        if self._kept_secret:
            self._disclose()
        output.print(f"\n[bold green]{escape(self._verdict())}[/bold green]")

    def _welcome(self) -> None:
        parts = [f"you play {' and '.join(self._people)}"]
        parts += [f"{role} is {seat}" for role, seat in self._match.seats.items() if seat != PERSON]
        name = escape(self._match.game.name)
        output.print(f"[bold]{name}[/bold]: {escape(', '.join(parts))}; type `help` for help\n")
        self._draw()

    def _draw(self, seer: Role | None = None) -> None:
        """The state, with what the last move changed; where a part of it is hidden, what one person knows.

        Of several people each is shown that only when it is asked.
        """
        match = self._match
        if match.is_unclear:
            if seer or len(self._people) == 1:
                self._draw_known(seer or self._people[0])
        elif match.turns:
            last = match.turns[-1]
            output.print(self._artist.text(match.state, last.before, last.moves))
        else:
            output.print(self._artist.text(match.state))

    def _draw_known(self, seer: Role) -> None:
        """What a person did and saw last, and what is certain to it."""
        self._kept_secret = True
        last = self._match.turns[-1]
        seen = last.before.percepts(last.moves)[seer]
        output.print(f"\n{_numbered(last.number, last.before, {seer: last.moves[seer]})}")
        output.print(f"{seer} sees {', '.join(seen) or 'nothing'}", style="cyan", markup=False)
        output.print(self._artist.common_text(self._match.known_states(seer)))

    def _turn(self) -> None:
        """Have one person, or all players, choose; show the turn if that was the last choice."""
        match, made = self._match, len(self._match.turns)
        if (role := match.asked) is None:
            who = escape(printable(" and ".join(match.thinkers)))
            if who:
                with output.status(f"{who} {'is' if len(match.thinkers) == 1 else 'are'} thinking"):
                    match.think()
            else:
                match.think()
        else:
            try:
                match.choose(role, self._ask(role))
            except _UndoError:
                match.undo()
                output.print("\nyour move is taken back", style="cyan")
                self._draw()
        for turn in match.turns[made:]:
            self._show(turn)

    def _show(self, turn: PlayedTurn) -> None:
        if not self._match.is_unclear:
            output.print(f"\n{_numbered(turn.number, turn.before, turn.moves)}")
            show_diagnostics(turn)
            for diagnostic in turn.diagnostics:
                if diagnostic.is_fault:
                    show_fault(diagnostic)
        self._draw()

    def _disclose(self) -> None:
        """After the end, what everybody moved."""
        output.print("\nno secret any more:", style="cyan")
        for turn in self._match.turns:
            output.print(_numbered(turn.number, turn.before, turn.moves))

    def _ask(self, role: Role) -> Move:
        """The move of a person."""
        if self._match.is_unclear and len(self._people) > 1:
            self._draw(role)
        moves = self._match.legal(role)
        return ask_move(moves, lambda: f"[bold]{escape(role)}[/bold]> ", lambda word: self._command(word, role))

    def _command(self, command: str, role: Role) -> None:
        match = self._match
        if command in ("quit", "exit", "q"):
            raise _LeaveError
        if command == "undo":
            if match.has_chosen:
                raise _UndoError
            output.print("there is nothing to take back", style="yellow")
        elif command == "moves":
            list_moves(match.legal(role))
        elif command == "board":
            self._draw(role)
        elif command == "hint" and match.is_unclear:
            output.print("a part of the state is hidden, also from the machine; it has no advice", style="yellow")
        elif command == "hint":
            with output.status("looking for a good move"):
                advice = match.advise(role)
            output.print(f"the machine would play {short(advice.move)}", style="cyan", markup=False)
        else:
            output.print(HELP)

    def _verdict(self) -> str:
        """The result, for a lone person in the second person."""
        goals = self._match.state.goals
        text = result_text(goals)
        mine = goals[self._people[0]]
        rivals = [goals[role] for role, seat in self._match.seats.items() if seat != PERSON]
        if len(self._people) != 1 or mine is None or not rivals or None in rivals:
            return text
        best = max(rival for rival in rivals if rival is not None)
        return f"{'you win' if mine > best else 'you lose' if mine < best else 'nobody beats you'}; {text}"


def _numbered(number: int, before: State, joint: Mapping[Role, Move]) -> str:
    return f"[bold]{number}.[/bold] {escape(joint_text(before, joint))}"
