"""Who learns what of a game in which roles see only a part: people at a table, and the players beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random

from ludens.core import Move, Player, Role
from ludens.game import State
from ludens.players.belief_state import BeliefState
from ludens.runtime.deadline import Deadline

PERCEPTION_SECONDS = 1.0


class Observers:
    """What some roles can tell about the state, from a first state on that all of them know."""

    def __init__(self, first: State, roles: Iterable[Role], rng: Random) -> None:
        hidden = first.game.traits.hidden
        self._beliefs = {role: BeliefState(first, role, Random(rng.random())) for role in roles} if hidden else {}

    @property
    def are_certain(self) -> bool:
        """Whether none of them has any doubt about the state."""
        return all(belief.is_certain for belief in self._beliefs.values())

    def states(self, role: Role) -> tuple[State, ...]:
        """The states that are possible as far as a role can tell; only where it does not see everything."""
        return self._beliefs[role].states

    def follow(self, before: State, joint: Mapping[Role, Move]) -> None:
        """Learn of a joint move what can be seen of it."""
        seen = before.percepts(joint) if self._beliefs else {}
        for role, belief in self._beliefs.items():
            belief.perceive(joint[role], [fact.term for fact in seen[role]], Deadline(PERCEPTION_SECONDS))


def tell(player: Player, role: Role, before: State, joint: Mapping[Role, Move]) -> None:
    """Say to the player of a role what it may know of a joint move."""
    if before.game.traits.hidden:
        player.perceive(joint[role], tuple(fact.term for fact in before.percepts(joint)[role]))
    else:
        player.observe(joint)
