"""All that a page's process can be asked to do; each task takes and gives plain values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from random import Random
from typing import Any, TypeAlias

from ludens.arena.interactive import PERSON, InteractiveMatch
from ludens.arena.store import Archive
from ludens.core import Clocks, Role
from ludens.errors import CompileError, LudensError, PlayError
from ludens.game import Game, State, load_bundled
from ludens.gdl.rules import Rules
from ludens.players.registry import check_name
from ludens.runtime.deadline import Deadline
from ludens.runtime.lazy import load_object
from ludens.web import drafts, replays
from ludens.web.pictures import PageArtist, words
from ludens.web.thoughts import joint_words, thought

Values: TypeAlias = dict[str, Any]

OPPONENT = "uct"
EVALUATOR = "ludens.evaluation.fuzzy.evaluator:FuzzyEvaluator"
SMALL_GAME = "tictactoe"
EXPLAIN_SECONDS = 12.0
ASSESS_SECONDS = 0.2
"""For each turn of a game that is looked through."""
START_SECONDS = 6.0
"""How long players get ready at most before their first move."""
MIN_SECONDS, MAX_SECONDS = 0.05, 60.0
"""How long a player may be told to think."""
MAX_STEPS = 2_000
"""A game on a page ends after this number of moves, whatever the rules say."""
SHOWN_TURNS = 400
MAX_ROLES, MAX_CHOICES = 24, 20_000
"""Games with more roles flood a page; of more moves at once the first ones can be made."""


class PageService:
    """What one page plays, shows or checks."""

    def __init__(self, keep: bool = False, store: str | None = None, players: Sequence[str] = ()) -> None:
        """Keep each game that is over or given up in a store, if that is wanted; the usual one if none is named.

        `players`: names of players that may be chosen besides those that are installed.
        """
        self._problems: list[str] = []
        """What the page has not been told yet."""
        self._archive = Archive(self._problems.append, store) if keep else None
        self._players = tuple(players)
        self._session: InteractiveMatch | None = None
        self._artist: PageArtist | None = None
        self._replay: replays.Replay | None = None
        self._advice_line: list[State] = []
        self._tasks: Mapping[str, Callable[..., Any]] = {
            "open": self.open,
            "choose": self.choose,
            "late": self.late,
            "think": self.think,
            "prepare": self.prepare,
            "undo": self.undo,
            "restart": self.restart,
            "swap": self.swap,
            "hint": self.hint,
            "assess": self.assess,
            "show": self.show,
            "line": self.line,
            "explain": self.explain,
            "check": drafts.check,
            "structure": drafts.structure,
            "statistics": drafts.statistics,
            "replay": self.replay,
            "frame": self.frame,
        }

    def do(self, task: str, arguments: Values) -> Any:
        """Run a task by its name; PlayError if there is none."""
        if task not in self._tasks:
            raise PlayError(f"there is no task {task!r}")
        return self._tasks[task](**arguments)

    def close(self) -> None:
        """End the game that is played here, and what goes on for it in the background."""
        self._clear()

    def give_up(self) -> None:
        """Keep the game as far as it has come; from any thread, before the process ends."""
        if self._session:
            self._session.give_up()

    def warm_up(self) -> None:
        """Load what the first game would wait for; whatever comes of it, the service is there."""
        with suppress(LudensError):
            self.open([], 0.1, 0, SMALL_GAME)
        self._clear()

    def expect(self, task: str) -> None:
        """Expect a task: an interruption from now on is meant for it, even before it begins."""
        if self._session and task == "think":
            self._session.expect_thought()

    def interrupt(self) -> None:
        if self._session:
            self._session.interrupt()

    def _clear(self) -> None:
        """Put the game away that is shown, and end what goes on for it in the background."""
        if self._artist:
            self._artist.close()
        if self._session:
            self._session.close()
        self._session = self._artist = None

    # -- playing -----------------------------------------------------------------------------

    def open(
        self,
        seats: Sequence[str],
        seconds: float,
        seed: int,
        name: str = "",
        text: str = "",
        nodes: int | None = None,
        moves: Sequence[Sequence[str]] = (),
        match: str | None = None,
    ) -> Values:
        """Begin a game: a bundled one by its name, or a sheet by its text; `seats` may name only the first ones.

        `moves` and `match` are those of a game that goes on, as its view told them.
        """
        game = Game(Rules.parse(text, "draft"), name or "draft") if text else load_bundled(name)
        if len(game.player_roles) > MAX_ROLES:
            raise PlayError(f"the game has {len(game.player_roles)} roles; at most {MAX_ROLES} can be shown")
        usual = [PERSON, *[OPPONENT] * (len(game.player_roles) - 1)]
        given = dict(zip(game.player_roles, [*seats, *usual[len(seats) :]], strict=False))
        for seat in seats:
            if seat != PERSON:
                check_name(seat, self._players)  # the page may be a stranger's: no other code is loaded
        self._clear()
        clocks = Clocks(START_SECONDS, min(max(seconds, MIN_SECONDS), MAX_SECONDS))
        session = InteractiveMatch(game, given, clocks, seed, nodes, journal=self._archive, match_id=match)
        session.replay(moves)
        self._session = session
        self._artist = PageArtist(game)
        return self.view()

    def prepare(self) -> None:
        """Have the players ready before anybody waits for them."""
        self.session.prepare()

    def choose(self, role: str, move: int, turn: int) -> Values:
        """A person makes a move, by its number in the list of choices of a turn."""
        session = self.session
        asked = session.asked
        if asked is None or asked != role or turn != len(session.turns):
            raise PlayError("the game has gone on meanwhile; choose again")
        legal = session.legal(asked)
        if not 0 <= move < len(legal):
            raise PlayError(f"{asked} has no move number {move}")
        session.choose(asked, legal[move])
        return self.view()

    def late(self) -> Values:
        self.session.choose_for_late()
        return self.view()

    def think(self) -> Values:
        if len(self.session.turns) >= MAX_STEPS:
            raise PlayError(f"after {MAX_STEPS} moves a game is broken off here")
        self.session.think()
        return self.view()

    def undo(self) -> Values:
        self.session.undo()
        return self.view()

    def restart(self) -> Values:
        self.session.restart()
        return self.view()

    def swap(self) -> Values:
        self.session.change_sides()
        return self.view()

    def hint(self, role: str) -> Values:
        """What the adviser would do, and where its line leads."""
        session = self._clear_session()
        seat = session.game.roles[session.game.role_index(role)]
        advice = session.advise(seat)
        self._advice_line = _states_of_line(session.state, advice.decision.pv if advice.decision else ())
        return {
            "role": str(seat),
            "move": words(advice.move),
            "number": session.legal(seat).index(advice.move),
            "thought": thought(seat, advice.decision) if advice.decision else None,
        }

    def assess(self, turn: int) -> Values:
        """What the adviser thinks of a turn that was played; no values where nobody had a choice."""
        if not 0 <= turn < len(self.session.turns):
            raise PlayError(f"there is no turn {turn}")
        decision = self._clear_session().assess(turn, ASSESS_SECONDS)
        values = decision.values if decision else {}
        return {"turn": turn, "values": {str(role): float(value) for role, value in values.items()}}

    def show(self, turn: int) -> Values:
        """Return the board after a number of moves."""
        session, past = self.session, self.session.turns
        turn = min(max(turn, 0), len(past))
        if turn == len(past) or session.is_unclear:
            return {"turn": len(past), "svg": self._svg()}
        last = past[turn - 1] if turn else None
        svg = self.artist.svg([past[turn].before], last.moves if last else None, last.before if last else None)
        return {"turn": turn, "svg": svg}

    def line(self, turn: int, step: int) -> Values:
        """The board after some moves of the line that was expected in a turn; the last hint's line for turn -1."""
        past = self._clear_session().turns
        if turn < 0:
            states = self._advice_line
        elif turn < len(past) and past[turn].decisions:
            *_, decision = past[turn].decisions.values()
            states = _states_of_line(past[turn].before, decision.pv)
        else:
            states = []
        if not 0 <= step < len(states):
            raise PlayError("this line is not so long")
        return {"svg": self.artist.svg([states[step]], before=states[step - 1] if step else None)}

    def explain(self, role: str) -> Values:
        """What the state is worth to a role, in words."""
        session, deadline = self._clear_session(), Deadline(EXPLAIN_SECONDS)
        game, facts = session.game, self.artist.facts
        if facts is None or not game.compile(deadline):
            raise CompileError("this game cannot be compiled, so its goals cannot be explained")
        evaluator = load_object(EVALUATOR).build(game, facts, deadline, Random(session.seed))
        return {"words": evaluator.explain(session.state, [game.roles[game.role_index(role)]])}

    # -- what the page shows -------------------------------------------------------------------

    def view(self) -> Values:
        session, artist = self.session, self.artist
        artist.refresh()
        asked = session.asked
        goals = session.state.goals if session.match.is_finished else {}
        colours = artist.colours()
        choosers, missing = session.match.choosers(), session.match.to_ask()
        return {
            "game": session.game.name,
            "turn": len(session.turns),
            "over": session.is_over,
            "asked": asked and str(asked),
            "thinkers": [str(role) for role in session.thinkers],
            "hidden": session.is_unclear,
            "undoable": session.can_undo,
            "match": session.match.record.match_id,
            "moves": [list(map(str, turn.moves.values())) for turn in session.turns],
            "diagnostics": self._diagnostics(),
            "seats": [
                {
                    "role": str(role),
                    "seat": seat,
                    "colour": colours[number],
                    "to_move": role in choosers and role in missing,
                    "chosen": role in choosers and role not in missing and len(choosers) > 1,
                    "goal": goals.get(role),
                }
                for number, (role, seat) in enumerate(session.seats.items())
            ],
            "svg": self._svg(),
            "choices": self._choices(asked) if asked else [],
            "unlisted": max(0, len(session.legal(asked)) - MAX_CHOICES) if asked else 0,
            "history": self._history(),
            "thoughts": self._thoughts(),
        }

    def _choices(self, asked: Role) -> list[Values]:
        """Where a part of the state is hidden, moves have only the cells that they name: what they do may be secret."""
        session, legal = self.session, self.session.legal(asked)
        if len(legal) > MAX_CHOICES:
            return [{"label": words(move), "steps": (), "near": ()} for move in legal[:MAX_CHOICES]]
        artist = self.artist
        found = artist.named_choices(legal) if session.is_unclear else artist.choices(session.state, asked)
        return [{"label": choice.label, "steps": choice.steps, "near": choice.near} for choice in found]

    def _svg(self) -> str:
        session = self.session
        last = session.turns[-1] if session.turns else None
        if session.is_unclear:
            return self.artist.svg(session.known_states(self._seer()))
        return self.artist.svg([session.state], last.moves if last else None, last.before if last else None)

    def _history(self) -> list[Values]:
        """What was moved; what others did is kept to themselves as long as not everybody may see it."""
        session = self.session
        secret = session.is_unclear
        rows = []
        for number, turn in enumerate(session.turns[-SHOWN_TURNS:], max(0, len(session.turns) - SHOWN_TURNS)):
            shown = {role: move for role, move in turn.moves.items() if not secret or role == self._seer()}
            moved = [role for role in turn.choosers if role in shown]
            rows.append(
                {
                    "number": number + 1,
                    "words": joint_words(shown, moved or None),
                    "roles": [str(role) for role in session.seats if role in moved],
                    "chance": any(role not in session.seats and role in shown for role in turn.choosers),
                }
            )
        return rows

    def _diagnostics(self) -> list[str]:
        """What is to be said about the players in the last turn; nothing that could tell what is hidden."""
        session = self.session
        problems, self._problems[:] = list(self._problems), []
        if session.turns and not session.is_unclear:
            said = [each for each in session.turns[-1].diagnostics if session.seats[each.role] != PERSON]
            problems += [f"{each.role}: {each.text}" for each in said]
        return problems

    def _thoughts(self) -> list[Values]:
        session = self.session
        if session.is_unclear:
            return []
        return [
            {"turn": number, **thought(role, decision)}
            for number, turn in enumerate(session.turns)
            for role, decision in turn.decisions.items()
        ][-SHOWN_TURNS:]

    @property
    def session(self) -> InteractiveMatch:
        if self._session is None:
            raise PlayError("no game is open; open one first")
        return self._session

    def _clear_session(self) -> InteractiveMatch:
        """The session, where nothing that is told of its state is a secret."""
        if self.session.is_unclear:
            raise PlayError("a part of the state is hidden from you; this is told when the game is over")
        return self.session

    def _seer(self) -> Role:
        """The person that looks at the page now."""
        return self.session.asked or self.session.people[0]

    @property
    def artist(self) -> PageArtist:
        if self._artist is None:
            raise PlayError("no game is open; open one first")
        return self._artist

    # -- records -----------------------------------------------------------------------------

    def replay(self, record: Mapping[str, Any], rules: str = "", name: str = "", turn: int | None = None) -> Values:
        """Open the record of a match at a turn, or at its end; of a match that goes on, what is new of it."""
        self._replay = replays.Replay(record, rules, name, self._replay)
        return self._replay.summary(turn)

    def frame(self, turn: int) -> Values:
        """A moment of the record that is open."""
        if self._replay is None:
            raise PlayError("no record is open; open one first")
        return self._replay.frame(turn)


def _states_of_line(state: State, line: Any) -> list[State]:
    """The states along a line, as far as it can be followed: where chance decides it ends."""
    states = []
    for joint in line:
        try:
            state = state.next({Role(role): move for role, move in joint.items()}, compiles=False)
        except PlayError:
            break
        states.append(state)
        if state.is_terminal:
            break
    return states
