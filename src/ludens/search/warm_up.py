"""The machine code of all searches, as `runtime.warm_up` makes it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

from ludens.core import Limit, Searcher
from ludens.engines.sliced import warm_up as engine_warm_up
from ludens.engines.sliced.tables import NARROW, WIDE
from ludens.game import Game, load
from ludens.runtime.deadline import Deadline
from ludens.runtime.warm_up import MachineCode, WarmUpPart
from ludens.search.alphabeta import AlphaBetaSearcher
from ludens.search.alphabeta.search_kernel import resume, resume_compiled
from ludens.search.flat import FlatSearcher
from ludens.search.mcts import MctsSearcher
from ludens.search.mcts.backup_kernel import attach
from ludens.search.mcts.lanes_kernel import grow_tree
from ludens.search.mcts.recycling_kernel import recycle
from ludens.search.mcts.selection_kernel import MctsOptions, select_leaves
from ludens.search.mcts.sliced import SlicedWorker
from ludens.search.mcts.tree_kernel import add_state
from ludens.search.solve import prepare as prepare_solver
from ludens.search.solve.induction_kernel import back_up_all
from ludens.search.solve.retrograde_kernel import attract
from ludens.search.view import GameView

SEARCHERS = (FlatSearcher, MctsSearcher, AlphaBetaSearcher)
OFTEN_FULL = "connectfour"
"""A game whose tree soon outgrows the least memory, so that it is recycled."""


def _make_interpreted() -> None:
    """Searches on the reference engine."""
    game = load(engine_warm_up.SMALLEST_GAME)
    for searcher in SEARCHERS:
        _search(game, searcher)


def _make_compiled() -> None:
    """Searches on compiled games."""
    game, full = _compiled(engine_warm_up.SMALLEST_GAME), _compiled(OFTEN_FULL)
    for searcher in SEARCHERS:
        _search(game, searcher)
    _search(full, partial(MctsSearcher, memory=1, expand_at=1, portion=1), nodes=5000)


def _compiled(name: str) -> Game:
    game = load(name)
    game.compile()
    return game


def _search(game: Game, make: Callable[[Game, str], Searcher], nodes: int = 100) -> None:
    state, role = game.initial_state(), game.roles[0]
    searcher = make(game, role)
    searcher.search(state, Limit.of(nodes=nodes), Random(1))
    joint = {other: state.legal_moves(other)[-1] for other in game.roles}
    searcher.advance(state.next(joint))


def _grow(width: int) -> None:
    """Grow a tree by lanes of this width, whatever would be faster."""
    state = _compiled(engine_warm_up.SMALLEST_GAME).initial_state()
    view = GameView.of(state)
    options = MctsOptions(
        exploration=0.5, expand_at=1, max_depth=10, regret=False, mixing=0.1, portion=1, portion_from=100
    )
    worker = SlicedWorker(view, options, 1, Random(1), width=width)
    worker.take_root(view.row(state), Random(1))
    worker.work(Deadline.never(), nodes=100)


MACHINE_CODE = MachineCode(
    "ludens.search.warm_up",
    kernels=(
        (grow_tree, len({NARROW, WIDE})),
        (select_leaves, 1),
        (attach, 2),
        (add_state, 1),
        (recycle, 1),
        (resume, 1),
        (resume_compiled, 1),
        (back_up_all, 1),
        (attract, 1),
    ),
    parts=(
        WarmUpPart("interpreted", _make_interpreted),
        WarmUpPart("narrow", partial(_grow, NARROW), after="engine"),
        WarmUpPart("wide", partial(_grow, WIDE), after="narrow"),
        WarmUpPart("compiled", _make_compiled, after="wide"),
        WarmUpPart("solver", prepare_solver, after="interpreted"),
    ),
    needs=(engine_warm_up.MACHINE_CODE,),
)
warm_up = MACHINE_CODE.warm_up
