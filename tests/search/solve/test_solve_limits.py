"""The solver within its limits, and alpha-beta where all states are too many."""

from __future__ import annotations

import pytest

from ludens import load
from ludens.core import Role
from ludens.search.solve import Progress, Solution, SolveLimits, solve
from tests.search.solve.variants import connect_four, numbers
from tests.tiers import FULL

BATCH = 1 << 15
"""A limit of states is kept but for one batch of joint moves."""
ROOM = 5.0
"""Seconds that a busy machine may take longer."""
RARE = f"""
(role a) (role b) (init (step 0)) (init straight) {numbers("after", 30)}
(legal a left) (legal a right) (legal b wait)
(<= (next (step ?n)) (true (step ?m)) (after ?m ?n)) (<= (next straight) (true straight) (does a right))
(<= (next bent) (does a left)) (<= terminal (true (step 30)))
(<= (goal ?r 100) (role ?r) (true straight)) (<= (goal ?r 0) (role ?r) (true straight) (true bent))
(<= (goal a 60) (not (true straight)) (true bent)) (<= (goal b 40) (not (true straight)) (true bent))
(<= (goal a 40) (not (true straight)) (not (true bent))) (<= (goal b 60) (not (true straight)) (not (true bent)))
"""
"""What one wins the other loses, in all ends but one that random play does not find."""


def solved(text: str, **limits: float) -> tuple[Solution, list[Progress]]:
    seen: list[Progress] = []
    state = load(text).initial_state()
    state.game.compile()
    return solve(state, SolveLimits(**limits), seen.append), seen  # type: ignore[arg-type]


def tried_alpha_beta(seen: list[Progress]) -> bool:
    return any("alpha-beta" in progress.phase for progress in seen)


def test_a_game_too_big_is_given_up() -> None:
    solution, seen = solved("pegsolitaire", states=20_000)
    assert (solution.outcome, solution.limit) == ("unsolved", "states")
    assert 20_000 < solution.states < 20_000 + BATCH
    assert set(solution.values.values()) == {None}
    found = [progress.states for progress in seen if progress.phase == "finding states"]
    assert found == sorted(found)
    assert found[-1] == solution.states


@pytest.mark.parametrize("name", ["connectfour", "chess"])
def test_states_bound_games_of_two_sides_however_much_time_there_is(name: str) -> None:
    solution, seen = solved(name, seconds=float("inf"), states=1000)
    assert (solution.outcome, solution.limit) == ("unsolved", "states")
    assert 1000 < solution.states < 1000 + BATCH
    assert not tried_alpha_beta(seen)


def test_states_bound_alpha_beta() -> None:
    solution, seen = solved("connectfour", memory=2**20, states=20_000)
    assert (solution.outcome, solution.limit) == ("unsolved", "states")
    assert tried_alpha_beta(seen)
    assert seen[-1].states < 20_000 <= solution.states < 20_000 + BATCH


def test_seconds_bound_both() -> None:
    solution, seen = solved("connectfour", seconds=0.5)
    assert (solution.outcome, solution.limit) == ("unsolved", "seconds")
    assert tried_alpha_beta(seen)
    assert seen[-1].states < solution.states
    assert 0.5 <= solution.seconds < 0.5 + ROOM


@pytest.mark.parametrize("name", ["pegsolitaire", pytest.param("chinesecheckers3", marks=FULL)])
def test_games_of_other_kinds_have_all_the_time(name: str) -> None:
    solution, seen = solved(name, seconds=0.3)
    assert (solution.outcome, solution.limit) == ("unsolved", "seconds")
    assert not tried_alpha_beta(seen)
    assert 0.3 <= solution.seconds < 0.3 + ROOM


def test_memory() -> None:
    solution, seen = solved("pegsolitaire", memory=2**20)
    assert (solution.outcome, solution.limit) == ("unsolved", "memory")
    assert not tried_alpha_beta(seen)


def test_no_time_to_compile() -> None:
    solution = solve(load("chess").initial_state(), SolveLimits(seconds=0.01))
    assert (solution.outcome, solution.limit, solution.states) == ("unsolved", "seconds", 0)
    assert solution.values == {Role("white"): None, Role("black"): None}
    assert solution.seconds < ROOM


def test_chance_has_no_value() -> None:
    solution, _ = solved("pig", states=10)
    assert solution.outcome == "unsolved"
    assert "random" not in solution.values


@pytest.mark.parametrize("memory", [1, 2**20])
def test_alpha_beta_proves_what_does_not_fit(memory: int) -> None:
    solution, _ = solved(connect_four(4, 3), memory=memory)
    whole, _ = solved(connect_four(4, 3))
    assert (solution.outcome, solution.method, solution.limit) == ("solved", "alpha-beta", None)
    assert whole.method == "backward induction"
    assert solution.values == whole.values


def test_alpha_beta_does_not_prove_what_only_seems_to_be_of_its_kind() -> None:
    solution, seen = solved(RARE, memory=2**16)
    assert tried_alpha_beta(seen)
    assert (solution.outcome, solution.limit) == ("unsolved", "memory")
    assert solved(RARE)[0].values == {Role("a"): 100, Role("b"): 100}


@pytest.mark.parametrize("limits", [{"seconds": 0}, {"states": 0}, {"memory": -1}])
def test_bad_limits(limits: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="give more than 0"):
        SolveLimits(**limits)
