"""A game table in the terminal: people type their moves, machines play the other roles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from rich.columns import Columns
from rich.markup import escape

from ludens.cli.common import output
from ludens.cli.pictures import Artist
from ludens.cli.wording import joint_text, keys, matching, result_text, short
from ludens.core import Clocks, Move, Player, Role
from ludens.errors import NoLegalMoveError
from ludens.game import Game, State
from ludens.players import PLAYERS
from ludens.players.observers import Observers, tell
from ludens.printable import printable
from ludens.runtime.deadline import Deadline

SHOWN_MOVES = 60
ADVISER, HINT_NODES = "uct", 50_000
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
    """One game with at least one person in it."""

    def __init__(
        self, game: Game, people: Sequence[Role], machines: Mapping[Role, Player], clocks: Clocks, rng: Random
    ) -> None:
        self._game, self._people, self._machines = game, people, machines
        self._clocks, self._rng = clocks, rng
        self._past: list[tuple[State, Mapping[Role, Move]]] = []
        self._state = game.initial_state()
        self._artist = Artist.of(game)
        self._onlookers = Observers(self._state, people, rng)
        self._kept_secret = False

    def play(self) -> None:
        """Play to the end, or until the person leaves."""
        self._welcome()
        try:
            self._start_machines()
            while not self._state.is_terminal:
                self._turn()
        except (_LeaveError, EOFError, KeyboardInterrupt):
            for player in self._machines.values():
                player.abort()
            output.print("\nyou left the game", style="dim")
            return
        for player in self._machines.values():
            player.stop()
        if self._kept_secret:
            self._disclose()
        output.print(f"\n[bold green]{escape(self._verdict())}[/bold green]")

    def _welcome(self) -> None:
        parts = [f"you play {' and '.join(self._people)}"]
        parts += [f"{role} is {player.name}" for role, player in self._machines.items()]
        output.print(f"[bold]{escape(self._game.name)}[/bold]: {escape(', '.join(parts))}; type `help` for help\n")
        self._draw()

    @property
    def _is_unclear(self) -> bool:
        """Whether there is more to the state than the people may know."""
        return not self._state.is_terminal and not self._onlookers.are_certain

    def _draw(self, seer: Role | None = None) -> None:
        """The state, with what the last move changed; where a part of it is hidden, what one person knows.

        Of several people each is shown that only when it is asked.
        """
        before, last = self._past[-1] if self._past else (None, None)
        if not self._is_unclear:
            output.print(self._artist.text(self._state, before, last))
        elif seer or len(self._people) == 1:
            self._draw_known(seer or self._people[0])

    def _draw_known(self, seer: Role) -> None:
        """What a person did and saw last, and what is certain to it."""
        self._kept_secret = True
        before, joint = self._past[-1]
        seen = before.percepts(joint)[seer]
        output.print(f"\n{_numbered(len(self._past), before, {seer: joint[seer]})}")
        output.print(f"{seer} sees {', '.join(seen) or 'nothing'}", style="cyan", markup=False)
        output.print(self._artist.common_text(self._onlookers.states(seer)))

    def _start_machines(self) -> None:
        """Bring the machines to the present state, also after moves were taken back."""
        for role, player in self._machines.items():
            self._bring_up(player, role)

    def _bring_up(self, player: Player, role: Role) -> None:
        player.start(self._game, role, self._clocks, Deadline(self._clocks.start))
        for before, joint in self._past:
            tell(player, role, before, joint)

    def _turn(self) -> None:
        state = self._state
        for role in self._game.roles:
            if not state.legal_moves(role):
                raise NoLegalMoveError(role)
        try:
            joint = {role: self._ask(role) for role in self._people}
        except _UndoError:
            self._take_back()
            return
        for role in self._game.roles:
            if role not in joint:
                joint[role] = self._machine_move(role)
        joint = self._game.announced(joint)
        for role, player in self._machines.items():
            tell(player, role, state, joint)
        self._onlookers.follow(state, joint)
        self._past.append((state, joint))
        self._state = state.next(joint)
        if not self._is_unclear:
            output.print(f"\n{_numbered(len(self._past), state, joint)}")
        self._draw()

    def _disclose(self) -> None:
        """After the end, what everybody moved."""
        output.print("\nno secret any more:", style="cyan")
        for number, (before, joint) in enumerate(self._past, 1):
            output.print(_numbered(number, before, joint))

    def _machine_move(self, role: Role) -> Move:
        legal = self._state.legal_moves(role)
        if role not in self._machines:
            return self._rng.choice(legal)
        if len(legal) == 1:
            return legal[0]
        with output.status(f"{escape(printable(role))} is thinking"):
            move = self._machines[role].move(Deadline(self._clocks.play)).move
        return move if move in legal else self._rng.choice(legal)  # who does not see the state may be wrong about it

    def _ask(self, role: Role) -> Move:
        """The move of a person; without a choice it is made at once."""
        moves = self._state.legal_moves(role)
        if len(moves) == 1:
            return moves[0]
        if self._is_unclear and len(self._people) > 1:
            self._draw(role)
        return ask_move(moves, lambda: f"[bold]{escape(role)}[/bold]> ", lambda word: self._command(word, role))

    def _command(self, command: str, role: Role) -> None:
        if command in ("quit", "exit", "q"):
            raise _LeaveError
        if command == "undo":
            if any(self._had_choice(state) for state, _ in self._past):
                raise _UndoError
            output.print("there is nothing to take back", style="yellow")
        elif command == "moves":
            list_moves(self._state.legal_moves(role))
        elif command == "board":
            self._draw(role)
        elif command == "hint" and self._is_unclear:
            output.print("a part of the state is hidden, also from the machine; it has no advice", style="yellow")
        elif command == "hint":
            adviser = PLAYERS[ADVISER](self._rng, HINT_NODES)
            self._bring_up(adviser, role)
            advice = adviser.move(Deadline.never()).move
            output.print(f"the machine would play {short(advice)}", style="cyan", markup=False)
        else:
            output.print(HELP)

    def _take_back(self) -> None:
        """Back to where a person last had a choice."""
        self._state, _ = self._past.pop()
        while not self._had_choice(self._state):
            self._state, _ = self._past.pop()
        self._start_machines()
        self._onlookers = Observers(self._game.initial_state(), self._people, self._rng)
        for before, joint in self._past:
            self._onlookers.follow(before, joint)
        output.print("\nyour move is taken back", style="cyan")
        self._draw()

    def _had_choice(self, state: State) -> bool:
        return any(len(state.legal_moves(role)) > 1 for role in self._people)

    def _verdict(self) -> str:
        """The result, for a lone person in the second person."""
        goals = self._state.goals
        text = result_text(goals)
        mine = goals[self._people[0]]
        rivals = [goals[role] for role in self._machines]
        if len(self._people) != 1 or mine is None or not rivals or None in rivals:
            return text
        best = max(rival for rival in rivals if rival is not None)
        return f"{'you win' if mine > best else 'you lose' if mine < best else 'nobody beats you'}; {text}"


def _numbered(number: int, before: State, joint: Mapping[Role, Move]) -> str:
    return f"[bold]{number}.[/bold] {escape(joint_text(before, joint))}"
