"""The solver on known games: published results, and other programs for the same game."""

from __future__ import annotations

from functools import cache

import pytest

from ludens import load
from ludens.core import Role
from ludens.errors import GameOverError, NoLegalMoveError
from ludens.game import State
from ludens.search.solve import Progress, Solution, SolveLimits, solve
from tests.search.solve.variants import connect_four, nim, replaced, text_of


def solved(text: str, **limits: float) -> Solution:
    return solve(load(text).initial_state(), SolveLimits(**limits))  # type: ignore[arg-type]


def replay(state: State, solution: Solution) -> State:
    for joint in solution.pv:
        state = state.next(joint)
    return state


def test_tic_tac_toe() -> None:
    solution = solved("tictactoe")
    assert (solution.outcome, solution.states, solution.depth) == ("solved", 5478, 9)
    assert solution.values == {Role("x"): 50, Role("o"): 50}
    assert solution.distance == 9
    end = replay(load("tictactoe").initial_state(), solution)
    assert end.is_terminal
    assert end.goals == {"x": 50, "o": 50}
    assert [move.values[Role("x")] for move in solution.moves] == [50] * 9


def test_an_endgame() -> None:
    state = load("tictactoe").initial_state()
    for move in ("(mark 1 1)", "(mark 1 2)"):
        state = state.next({"x" if state.legal_moves("o") == ("noop",) else "o": move})
    solution = solve(state)
    assert solution.values == {Role("x"): 100, Role("o"): 0}
    assert solution.distance == 5
    assert {str(move.move) for move in solution.moves if move.values[Role("x")] == 100} == {
        "(mark 2 1)",
        "(mark 2 2)",
        "(mark 3 1)",
    }


@pytest.mark.parametrize(
    "heaps", [(1, 0, 0), (1, 1, 0), (2, 1, 0), (1, 2, 3), (3, 3, 2), (2, 5, 7), (4, 4, 0), (3, 4, 5)]
)
def test_nim_is_won_by_the_xor_rule(heaps: tuple[int, int, int]) -> None:
    a, b, c = heaps
    solution = solved(nim(a, b, c))
    assert solution.values[Role("first")] == (100 if a ^ b ^ c else 0)
    for move in solution.moves:
        heap, taken = str(move.move).strip("()").split()[1:]
        left = dict(zip("abc", heaps, strict=True))
        left[heap] -= int(taken)
        assert move.values[Role("first")] == (0 if left["a"] ^ left["b"] ^ left["c"] else 100)


Columns = tuple[str, ...]


@cache
def brute_force(columns: Columns, rows: int) -> tuple[int, int]:
    """Connect four: what the first player gets, and in how many moves, the winner being in a hurry."""
    moves = sum(map(len, columns))
    player, other = ("r", "y") if moves % 2 == 0 else ("y", "r")
    if has_line(columns, other):
        return (100 if other == "r" else 0), 0
    free = [place for place, column in enumerate(columns) if len(column) < rows]
    if not free:
        return 50, 0
    after = [brute_force((*columns[:place], columns[place] + player, *columns[place + 1 :]), rows) for place in free]
    sign = 1 if player == "r" else -1

    def rank(result: tuple[int, int]) -> tuple[int, int]:
        own = sign * (result[0] - 50)
        return own, result[1] if own < 0 else -result[1]

    value, distance = max(after, key=rank)
    return value, distance + 1


def has_line(columns: Columns, player: str) -> bool:
    discs = {(x, y) for x, column in enumerate(columns) for y, disc in enumerate(column) if disc == player}
    return any(
        all((x + step * dx, y + step * dy) in discs for step in range(4))
        for x, y in discs
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1))
    )


@pytest.mark.parametrize(("columns", "rows"), [(4, 2), (4, 3), (5, 2), (3, 4)])
def test_small_connect_four_boards(columns: int, rows: int) -> None:
    brute_force.cache_clear()
    solution = solved(connect_four(columns, rows))
    assert (solution.values[Role("red")], solution.distance) == brute_force(("",) * columns, rows)
    assert solution.states == brute_force.cache_info().currsize


def test_connect_four_on_4_by_4() -> None:
    solution = solved(connect_four(4, 4))
    assert (solution.values[Role("red")], solution.states) == (50, 161_029)


def test_rock_paper_scissors() -> None:
    solution = solved("rockpaperscissors")
    assert solution.values == {Role("left"): 50, Role("right"): 50}
    assert solution.pv == ()
    assert [move.probability for move in solution.moves] == [pytest.approx(1 / 3)] * 6


PENNIES = """
(role a) (role b) (legal a heads) (legal a tails) (legal b heads) (legal b tails) (init open) (<= terminal (true over))
(<= (next over) (true open)) (<= (next (shown ?x ?y)) (does a ?x) (does b ?y))
(<= (goal a {}) (true (shown heads heads))) (<= (goal b {}) (true (shown heads heads)))
(<= (goal a {}) (true (shown heads tails))) (<= (goal b {}) (true (shown heads tails)))
(<= (goal a {}) (true (shown tails heads))) (<= (goal b {}) (true (shown tails heads)))
(<= (goal a {}) (true (shown tails tails))) (<= (goal b {}) (true (shown tails tails)))
"""


def test_a_matrix_with_a_mixed_equilibrium() -> None:
    """Payoffs 90 20 / 30 60: the rows mix 3 to 7, and the value is (90 * 60 - 20 * 30) / (90 + 60 - 20 - 30)."""
    solution = solved(PENNIES.format(90, 10, 20, 80, 30, 70, 60, 40))
    assert solution.values == {Role("a"): pytest.approx(48), Role("b"): pytest.approx(52)}
    probabilities = {(str(move.role), str(move.move)): move.probability for move in solution.moves}
    assert probabilities["a", "heads"] == pytest.approx(0.3)
    assert probabilities["b", "heads"] == pytest.approx(0.4)


def test_dominance_settles_the_prisoners_dilemma() -> None:
    solution = solved("prisonersdilemma")
    assert solution.outcome == "solved"
    assert len(set(solution.values.values())) == 1
    assert {str(move) for joint in solution.pv for move in joint.values()} == {"defect"}


def test_a_coordination_game_has_no_one_value() -> None:
    solution = solved(PENNIES.format(100, 100, 0, 0, 0, 0, 50, 50).replace("(goal b 50)", "(goal b 60)"))
    assert solution.outcome == "undefined"
    assert set(solution.values.values()) == {None}
    assert (solution.pv, solution.distance) == ((), None)
    assert all(move.probability is None for move in solution.moves)


def test_equal_outcomes_need_no_choice() -> None:
    solution = solved(PENNIES.format(*[70, 20] * 4))
    assert solution.values == {Role("a"): 70, Role("b"): 20}


def test_an_exception_of_the_callback_ends_it() -> None:
    def interrupt(progress: Progress) -> None:
        if progress.states > 100:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve(load("tictactoe").initial_state(), progress=interrupt)


def test_nothing_to_solve() -> None:
    game = load("(role me) (init done) (legal me go) (<= terminal (true done)) (goal me 100)")
    with pytest.raises(GameOverError, match="over"):
        solve(game.initial_state())
    stuck = load(
        "(role me) (role you) (init on) (legal me go) (<= (legal you a) (true b)) (<= terminal (true b)) (goal me 1)"
    )
    with pytest.raises(NoLegalMoveError, match="you"):
        solve(stuck.initial_state())


def test_other_words_change_nothing() -> None:
    text = replaced(text_of("nim"), "take", "grab")
    assert solved(text).values == {Role("first"): 100, Role("second"): 0}
