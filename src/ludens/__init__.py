"""ludens: give it the rules of any game, and it reads, checks, simulates and plays it.

The words it uses:

- *rules* (`Rules`): a rule sheet in the Game Description Language, read and ready to be asked;
- *game* (`Game`): rules that can be played; `load` gives one;
- *role* (`Role`): who moves; every role moves in every turn, often by doing nothing (`noop`);
- *state* (`State`): a set of *facts* (`Fact`); it says which *moves* (`Move`) are legal;
- *goal*: what a role gets, from 0 to 100;
- *engine*: what evaluates the rules, a batch of states at a time.

>>> state = load("tictactoe").initial_state()
>>> while not state.is_terminal:
...     state = state.next({role: state.legal_moves(role)[0] for role in state.game.roles})
>>> state.goals
{Role('x'): 100, Role('o'): 0}
"""

from ludens.core import Fact, Move, Role
from ludens.errors import LudensError
from ludens.game import Game, State, load
from ludens.gdl.rules import Rules
from ludens.runtime.deadline import Deadline

__version__ = "0.1.0"
__all__ = ["Deadline", "Fact", "Game", "LudensError", "Move", "Role", "Rules", "State", "__version__", "load"]
