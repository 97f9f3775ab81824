"""Small random games of every kind: as plain data, and as rules in GDL made from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, NamedTuple

from hypothesis import strategies as st

Joint = tuple[int, ...]
"""For each role the number of its choice."""
Order = Literal["turns", "simultaneous", "mixed"]
Payoffs = Literal["constant", "free", "teams"]

ORDERS: tuple[Order, ...] = ("turns", "simultaneous", "mixed")
PAYOFFS: tuple[Payoffs, ...] = ("constant", "free", "teams")
CHANCE = "random"
PLAYERS = ("ann", "bob", "cid")
MAX_CHOICES = 3
STEP_AHEAD = 4
"""An edge goes so far ahead at most, which makes for deep graphs."""


class Position(NamedTuple):
    node: int
    step: int
    """Joint moves so far in a game that counts them, otherwise 0."""


@dataclass(frozen=True)
class Node:
    """A place in the graph of a game."""

    goals: tuple[int | None, ...]
    """For each role; None for no goal. Nodes that end nothing have goals, too, which should not matter."""
    choices: tuple[int, ...] = ()
    """For each role how many choices it has; nothing at an end."""
    after: Mapping[Joint, int] | None = None
    """The node that each joint choice leads to; None at an end."""


@dataclass(frozen=True)
class GameTree:
    """A game as a graph; it begins at node 0."""

    roles: tuple[str, ...]
    nodes: tuple[Node, ...]
    last_step: int | None = None
    """When the game ends if it has not before; None if steps are not counted."""
    teams: tuple[tuple[int, ...], ...] = ()
    """The roles, by their places, that always get the same because the game was made so; chance is left out."""

    @property
    def chance(self) -> int:
        """The place of chance among the roles, or -1."""
        return self.roles.index(CHANCE) if CHANCE in self.roles else -1

    @property
    def players(self) -> tuple[int, ...]:
        return tuple(index for index, role in enumerate(self.roles) if role != CHANCE)

    @property
    def start(self) -> Position:
        return Position(0, 0)

    def is_end(self, at: Position) -> bool:
        return self.nodes[at.node].after is None or at.step == self.last_step

    def goals(self, at: Position) -> tuple[int | None, ...]:
        return self.nodes[at.node].goals

    def choices(self, at: Position) -> tuple[int, ...]:
        return self.nodes[at.node].choices

    def joints(self, at: Position) -> Iterator[Joint]:
        return product(*map(range, self.choices(at)))

    def after(self, at: Position, joint: Joint) -> Position:
        edges = self.nodes[at.node].after
        assert edges is not None
        return Position(edges[joint], 0 if self.last_step is None else at.step + 1)

    def move(self, at: Position, role: int, choice: int) -> str:
        """A choice as a move; who has no choice waits."""
        return f"(pick {choice})" if self.choices(at)[role] > 1 else "noop"

    def joint_move(self, at: Position, joint: Joint) -> dict[str, str]:
        return {name: self.move(at, role, joint[role]) for role, name in enumerate(self.roles)}

    def facts(self, at: Position) -> frozenset[str]:
        return frozenset([f"(at {at.node})", *([] if self.last_step is None else [f"(step {at.step})"])])

    def positions(self) -> list[Position]:
        """All that play can reach, the start first."""
        found = {self.start: None}
        waiting = [self.start]
        while waiting:
            at = waiting.pop()
            for joint in () if self.is_end(at) else self.joints(at):
                after = self.after(at, joint)
                if after not in found:
                    found[after] = None
                    waiting.append(after)
        return list(found)

    @property
    def gdl(self) -> str:
        """The rules of the game."""
        lines = [f"(role {role})" for role in self.roles]
        lines.append("(init (at 0))")
        if self.last_step is not None:
            lines += ["(init (step 0))", f"(<= terminal (true (step {self.last_step})))"]
            lines += [f"(succ {step} {step + 1})" for step in range(self.last_step)]
            lines.append("(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))")
        for number in range(len(self.nodes)):
            lines += self._node_lines(number)
        return "\n".join(lines) + "\n"

    def _node_lines(self, number: int) -> Iterator[str]:
        at, node, here = Position(number, 0), self.nodes[number], f"(true (at {number}))"
        for name, goal in zip(self.roles, node.goals, strict=True):
            if goal is not None:
                yield f"(<= (goal {name} {goal}) {here})"
        if node.after is None:
            yield f"(<= terminal {here})"
            return
        for role, choices in enumerate(node.choices):
            for choice in range(choices):
                yield f"(<= (legal {self.roles[role]} {self.move(at, role, choice)}) {here})"
        for joint, after in node.after.items():
            does = " ".join(f"(does {name} {move})" for name, move in self.joint_move(at, joint).items())
            yield f"(<= (next (at {after})) {here} {does})"


@dataclass(frozen=True)
class Shape:
    """What kind of games are wanted; where it leaves something open, it is drawn for each game."""

    players: int | None = None
    """1 to 3."""
    order: Order | None = None
    chance: bool = False
    """Whether chance takes part as a role of its own, anywhere among the others."""
    payoffs: Payoffs | None = None
    """Goals that add up to 100; or any; or, if there are three players, one plays against the others for 100."""
    transpositions: bool | None = None
    """Whether several ways may lead to one node."""
    counter: bool | None = None
    """Whether steps are counted. The count may end the game, and then ways may lead back, too."""
    faults: bool = False
    """Whether goals may be missing, and roles be without a move."""
    nodes: int = 12


def game_trees(shape: Shape | None = None, **kind: object) -> st.SearchStrategy[GameTree]:
    """Random games: `game_trees(players=2, order="turns", payoffs="constant")`; see `Shape`."""
    return _game_trees(shape or Shape(**kind))  # type: ignore[arg-type]


@st.composite
def _game_trees(draw: st.DrawFn, shape: Shape) -> GameTree:
    roles = list(PLAYERS[: shape.players or draw(st.integers(1, 3))])
    if shape.chance:
        roles.insert(draw(st.integers(0, len(roles))), CHANCE)
    counter = draw(st.booleans()) if shape.counter is None else shape.counter
    transpositions = draw(st.booleans()) if shape.transpositions is None else shape.transpositions
    order = draw(st.sampled_from(ORDERS)) if shape.order is None else shape.order
    players = [index for index, role in enumerate(roles) if role != CHANCE]
    payoffs = draw(st.sampled_from(PAYOFFS)) if shape.payoffs is None else shape.payoffs
    alone = draw(st.sampled_from(players)) if payoffs == "teams" else -1
    teams = [[role] for role in players] if alone < 0 else [[alone], [role for role in players if role != alone]]
    sides = [team for team in teams if team]
    first, others = (
        Parts(_goals(len(roles), sides, payoffs, faults), _choices(len(roles), order, faults, least))
        for faults, least in ((False, 2), (shape.faults, 1))
    )
    last_step = draw(st.integers(2, 8)) if counter else None
    cycles = counter and transpositions and draw(st.booleans())
    grow = _graph if transpositions else _tree
    nodes = tuple(grow(draw, first, others, shape.nodes, cycles))
    return GameTree(tuple(roles), nodes, last_step, tuple(sorted(map(tuple, sides))))


Goals = st.SearchStrategy[tuple[int | None, ...]]


class Parts(NamedTuple):
    """What nodes are made of; the first node has no faults, and somebody has a choice there."""

    goals: Goals
    choices: st.SearchStrategy[tuple[int, ...]]


def _graph(draw: st.DrawFn, first: Parts, others: Parts, most: int, cycles: bool) -> Iterator[Node]:
    """Edges go ahead to any of the next nodes, and back if there may be cycles."""
    count = draw(st.integers(min(5, most), most))
    for number in range(count):
        if number and (number == count - 1 or draw(st.integers(0, 3)) == 3):
            yield Node(draw(others.goals))
            continue
        targets = st.integers(0 if cycles else number + 1, min(number + STEP_AHEAD, count - 1))
        goals, choices = others if number else first
        options = draw(choices)
        yield Node(draw(goals), options, {joint: draw(targets) for joint in product(*map(range, options))})


def _tree(draw: st.DrawFn, first: Parts, others: Parts, most: int, cycles: bool) -> Iterator[Node]:
    """Each edge leads to a node of its own; once there are enough, all others are ends."""
    number, known = 0, 1
    while number < known:
        if number and (known >= most or draw(st.integers(0, 2)) == 2):
            yield Node(draw(others.goals))
        else:
            goals, choices = others if number else first
            options = draw(choices)
            joints = list(product(*map(range, options)))
            yield Node(draw(goals), options, {joint: known + place for place, joint in enumerate(joints)})
            known += len(joints)
        number += 1


@st.composite
def _choices(draw: st.DrawFn, roles: int, order: Order, faults: bool, least: int) -> tuple[int, ...]:
    """How many choices each role has at a node: one or all of them have several."""
    if faults and draw(st.integers(0, 9)) == 9:
        stuck = draw(st.integers(0, roles - 1))
        return tuple(0 if role == stuck else draw(st.integers(1, MAX_CHOICES)) for role in range(roles))
    if order == "simultaneous" or (order == "mixed" and draw(st.booleans())):
        most = MAX_CHOICES if roles < 3 else 2
        return tuple(draw(st.integers(least, most)) for _ in range(roles))
    mover = draw(st.integers(0, roles - 1))
    return tuple(draw(st.integers(least, MAX_CHOICES)) if role == mover else 1 for role in range(roles))


def _goals(roles: int, teams: Sequence[Sequence[int]], payoffs: Payoffs, faults: bool) -> Goals:
    """Goals of all roles, the same within a team; chance has none."""
    goal = st.sampled_from([0, 100, 50, 25, 70, 99])
    if payoffs == "free" or len(teams) == 1:
        shares: st.SearchStrategy[Sequence[int | None]] = st.tuples(*[goal for _ in teams])
    else:
        cuts = st.lists(goal, min_size=len(teams) - 1, max_size=len(teams) - 1).map(sorted)
        shares = cuts.map(lambda cuts: [high - low for low, high in zip([0, *cuts], [*cuts, 100], strict=True)])
    if faults:
        shares = st.one_of(shares, shares, shares.map(lambda shares: [None, *shares[1:]]))

    def spread(shares: Sequence[int | None]) -> tuple[int | None, ...]:
        given = {role: share for team, share in zip(teams, shares, strict=True) for role in team}
        return tuple(given.get(role) for role in range(roles))

    return shares.map(spread)
