"""ludens: give it the rules of any game, and it reads, checks, simulates and plays it.

The words it uses, from the rules to a match:

- *rules* (`Rules`): a rule sheet in the Game Description Language (GDL), read and ready to be asked;
- *game* (`Game`): rules that can be played; `load` gives one, by its name, file or text;
- *role* (`Role`): every role moves in every turn, often by doing nothing (`noop`); `random` moves by chance;
- *state* (`State`): a set of *facts* (`Fact`, also called fluents); it says which *moves* (`Move`) are legal;
- *joint move*: one move of each role, `{role: move}`; it leads to the next state;
- *percept*: what a role sees of a joint move, where it does not see all of it (GDL-II);
- *goal*: what a role gets in the end, from 0 to 100;
- *ground program*: the rules without variables; *circuit*: the same as logic gates, or propositional network;
- *engine*: what evaluates the rules, a batch of states at a time, each a *row* of words;
- *playout*: a game at random from a state to its end; *perft*: a count of all ways to play to a depth;
- *evaluator*: says what a state is worth that is not the end; *searcher*: looks ahead, within a `Limit`;
- *decision* (`Decision`): what a search came to: a move, values, the principal variation (`pv`);
- *player* (`Player`): plays a role of a match by its answers (`Answer`), each before a `Deadline`; `players` has them
  by name;
- *match* (`Match`, `play_match`): one play of a game between players, with its *record*;
- *errors* (`errors`): a tree below `LudensError`; each says what is wrong, where, and what to do.

>>> state = load("tictactoe").initial_state()
>>> while not state.is_terminal:
...     state = state.next({role: state.legal_moves(role)[0] for role in state.game.roles})
>>> state.goals
{Role('x'): 100, Role('o'): 0}
"""

from typing import TYPE_CHECKING, Any

from ludens import errors
from ludens.core import Answer, Clocks, Decision, Fact, Limit, Move, Player, Role
from ludens.errors import LudensError
from ludens.game import Game, State, load
from ludens.gdl.rules import Rules
from ludens.runtime.deadline import Deadline
from ludens.runtime.lazy import load_object

if TYPE_CHECKING:
    from ludens import players
    from ludens.arena.direct import play_match
    from ludens.arena.match import Match

__version__ = "0.1.0"
__all__ = [
    "Answer",
    "Clocks",
    "Deadline",
    "Decision",
    "Fact",
    "Game",
    "Limit",
    "LudensError",
    "Match",
    "Move",
    "Player",
    "Role",
    "Rules",
    "State",
    "__version__",
    "errors",
    "load",
    "play_match",
    "players",
]

_LAZY = {
    "Match": "ludens.arena.match:Match",
    "play_match": "ludens.arena.direct:play_match",
    "players": "ludens.players",
}
"""What is imported when it is first used, since most programs do not need it."""


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'ludens' has no attribute {name!r}")
    found = globals()[name] = load_object(_LAZY[name])
    return found


def __dir__() -> list[str]:
    return __all__
