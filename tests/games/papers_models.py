"""The games of the papers and their relatives once more, in plain Python and by another way."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import ClassVar

from tests.games.models import Joint, LineGame, Model, Place, numbers

DIRECTIONS = {"up": (0, 1), "down": (0, -1), "right": (1, 0), "left": (-1, 0)}


def words(move: str) -> list[str]:
    return move.strip("()").split()


def beside(place: Place, direction: str) -> Place:
    dx, dy = DIRECTIONS[direction]
    return place[0] + dx, place[1] + dy


class StepCounter:
    roles = ("player",)

    def __init__(self) -> None:
        self.lit = False
        self.step = 0

    def legal(self, role: str) -> set[str]:
        return {"switch", "noop"}

    def play(self, joint: Joint) -> None:
        self.lit ^= joint["player"] == "switch"
        self.step += 1

    def over(self) -> bool:
        return self.step == 3

    def goals(self) -> dict[str, int]:
        return {"player": 100 * self.lit}


class BlocksWorld:
    """Towers as texts, from the bottom to the top."""

    roles = ("robot",)

    def __init__(self) -> None:
        self.towers = {"ac", "b"}
        self.step = 0

    def legal(self, role: str) -> set[str]:
        down = {f"(unstack {tower[-1]} {tower[-2]})" for tower in self.towers if len(tower) > 1}
        up = {
            f"(stack {block} {tower[-1]})"
            for block in self.towers
            for tower in self.towers
            if len(block) == 1 and tower != block
        }
        return down | up

    def play(self, joint: Joint) -> None:
        action, block, other = words(joint["robot"])
        if action == "stack":
            (tower,) = (tower for tower in self.towers if tower[-1] == other)
            self.towers = self.towers - {tower, block} | {tower + block}
        else:
            (tower,) = (tower for tower in self.towers if tower[-1] == block)
            self.towers = self.towers - {tower} | {tower[:-1], block}
        self.step += 1

    def over(self) -> bool:
        return self.towers == {"cba"} or self.step == 6

    def goals(self) -> dict[str, int]:
        return {"robot": 100 if self.towers == {"cba"} else 0}


class PrisonersDilemma:
    roles = ("row", "column")
    points: ClassVar = {"cc": (3, 3), "cd": (0, 5), "dc": (5, 0), "dd": (1, 1)}

    def __init__(self) -> None:
        self.history: list[str] = []

    def legal(self, role: str) -> set[str]:
        return {"cooperate", "defect"}

    def play(self, joint: Joint) -> None:
        self.history.append(joint["row"][0] + joint["column"][0])

    def over(self) -> bool:
        return len(self.history) == 5

    def goals(self) -> dict[str, int]:
        return {role: 4 * sum(self.points[pair][side] for pair in self.history) for side, role in enumerate(self.roles)}


class RacetrackCorridor:
    roles = ("white", "black")
    bars: ClassVar = {"left": {1, 2}, "right": {2, 3}}

    def __init__(self) -> None:
        self.at = dict.fromkeys(self.roles, (1, 5))
        self.walls: dict[str, dict[int, str]] = {role: {} for role in self.roles}
        self.step = 0

    def other(self, role: str) -> str:
        return self.roles[1 - self.roles.index(role)]

    def legal(self, role: str) -> set[str]:
        column, row = self.at[role]
        wall = self.walls[role].get(row)
        moves = set() if wall and column in self.bars[wall] else {"(move forward)"}
        moves |= {"(move left)"} if column > 1 else set()
        moves |= {"(move right)"} if column < 3 else set()
        placed = self.walls[self.other(role)]
        free = {row for row in range(2, 6) if row not in placed}
        return moves | {f"(block {side} {row})" for side in self.bars for row in free if len(placed) < 4}

    def play(self, joint: Joint) -> None:
        for role, move in joint.items():
            action, *rest = words(move)
            column, row = self.at[role]
            if action == "block":
                self.walls[self.other(role)][int(rest[1])] = rest[0]
            elif rest == ["forward"]:
                self.at[role] = column, row - 1
            else:
                self.at[role] = beside((column, row), rest[0])
        self.step += 1

    def over(self) -> bool:
        return self.step == 20 or any(row == 1 for _, row in self.at.values())

    def goals(self) -> dict[str, int]:
        arrived = {role: row == 1 for role, (_, row) in self.at.items()}
        return {role: 100 if arrived[role] else 0 if any(arrived.values()) else 50 for role in self.roles}


class Farmers:
    roles = ("alice", "bob", "carol")
    crops: ClassVar = {"flour": "wheat", "cloth": "cotton"}
    costs: ClassVar = {"farm": 6, "factory": 8}

    def __init__(self) -> None:
        self.prices = {"wheat": 4, "cotton": 4, "flour": 9, "cloth": 9}
        self.money = dict.fromkeys(self.roles, 10)
        self.store = {role: dict.fromkeys(self.prices, 0) for role in self.roles}
        self.buildings: dict[str, set[str]] = {role: set() for role in self.roles}
        self.step = 0

    def legal(self, role: str) -> set[str]:
        money, store, owned = self.money[role], self.store[role], self.buildings[role]
        moves = {"noop"}
        moves |= {f"(build {building})" for building, cost in self.costs.items() if money >= cost} - {
            f"(build {building})" for building in owned
        }
        for good, price in self.prices.items():
            moves |= {f"(buy {good})"} if money >= price and store[good] < 3 else set()
            moves |= {f"(sell {good})"} if store[good] else set()
        for product_, crop in self.crops.items():
            moves |= {f"(grow {crop})"} if "farm" in owned and store[crop] < 3 else set()
            moves |= {f"(make {product_})"} if "factory" in owned and store[crop] and not store[product_] else set()
        return moves

    def play(self, joint: Joint) -> None:
        for role, move in joint.items():
            if move != "noop":
                self.act(role, *words(move))
        for good in self.prices:
            change = (f"(buy {good})" in joint.values()) - (f"(sell {good})" in joint.values())
            self.prices[good] = min(10, max(1, self.prices[good] + change))
        self.step += 1

    def act(self, role: str, action: str, thing: str) -> None:
        store = self.store[role]
        if action == "build":
            self.money[role] -= self.costs[thing]
            self.buildings[role].add(thing)
        elif action == "sell":
            self.money[role] += store[thing] * self.prices[thing]
            store[thing] = 0
        elif action == "make":
            store[thing], store[self.crops[thing]] = store[self.crops[thing]], 0
        else:
            self.money[role] -= self.prices[thing] if action == "buy" else 0
            store[thing] += 1

    def over(self) -> bool:
        return self.step == 10

    def goals(self) -> dict[str, int]:
        return {role: 100 if self.money[role] == max(self.money.values()) else 0 for role in self.roles}


Cube = tuple[int, int, int]
CUBE_STEPS: tuple[Cube, ...] = ((1, -1, 0), (1, 0, -1), (0, 1, -1), (-1, 1, 0), (-1, 0, 1), (0, -1, 1))


class ChineseCheckers:
    """The star in cube coordinates: two large triangles, one upside down, that overlap."""

    colours = ("red", "orange", "yellow", "green", "purple", "white")

    def __init__(self, players: int) -> None:
        every = 6 // players
        self.roles = self.colours[::every]
        reach = range(-4, 5)
        cubes = [(x, y, -x - y) for x, y in product(reach, reach)]
        self.places = {cube for cube in cubes if max(cube) <= 2 or min(cube) >= -2}
        self.points = [self.point(number) for number in range(6)]
        self.marbles = {
            place: role
            for number, role in enumerate(self.colours)
            if role in self.roles
            for place in self.points[number]
        }
        self.turn = 0

    def point(self, number: int) -> set[Cube]:
        """The points of the star, clockwise from the top; in each, one coordinate is beyond 2."""
        axis, sign = ((2, -1), (0, 1), (1, -1), (2, 1), (0, -1), (1, 1))[number]
        return {place for place in self.places if sign * place[axis] > 2}

    def target(self, role: str) -> set[Cube]:
        return self.points[(self.colours.index(role) + 3) % 6]

    @staticmethod
    def text(cube: Cube) -> str:
        """Column and row as the sheet counts them: columns of one row are two apart."""
        x, y, z = cube
        return f"{7 + x - y} {5 - z}"

    def jumps(self, start: Cube, others: set[Cube], found: set[Cube]) -> set[Cube]:
        for x, y, z in CUBE_STEPS:
            over = start[0] + x, start[1] + y, start[2] + z
            to = over[0] + x, over[1] + y, over[2] + z
            if over in others and to in self.places - others - found:
                found.add(to)
                self.jumps(to, others, found)
        return found

    def ways(self) -> dict[str, tuple[Cube, Cube]]:
        """The moves of the player whose turn it is, by their texts."""
        mover = self.roles[self.turn % len(self.roles)]
        found = {}
        for start in [place for place, owner in self.marbles.items() if owner == mover]:
            others = set(self.marbles) - {start}
            steps = {(start[0] + x, start[1] + y, start[2] + z) for x, y, z in CUBE_STEPS}
            for to in (steps | self.jumps(start, others, set())) & self.places - others - {start}:
                found[f"(move {self.text(start)} {self.text(to)})"] = start, to
        return found

    def legal(self, role: str) -> set[str]:
        if role != self.roles[self.turn % len(self.roles)]:
            return {"noop"}
        return set(self.ways()) or {"noop"}

    def play(self, joint: Joint) -> None:
        move = joint[self.roles[self.turn % len(self.roles)]]
        if move != "noop":
            start, to = self.ways()[move]
            self.marbles[to] = self.marbles.pop(start)
        self.turn += 1

    def home(self, role: str) -> int:
        return sum(self.marbles.get(place) == role for place in self.target(role))

    def over(self) -> bool:
        return self.turn == 30 * len(self.roles) or any(self.home(role) == 3 for role in self.roles)

    def goals(self) -> dict[str, int]:
        return {role: (0, 25, 50, 100)[self.home(role)] for role in self.roles}


class BiddingTicTacToe(LineGame):
    def __init__(self) -> None:
        super().__init__(["x", "o"], 3, 3, 3, 50)
        self.coins = {"x": 4, "o": 4}
        self.token = "x"
        self.marker: str | None = None

    def legal(self, role: str) -> set[str]:
        if self.marker is None:
            return {f"(bid {n})" for n in range(self.coins[role] + 1)}
        return {f"(mark {x} {y})" for x, y in self.free()} if role == self.marker else {"noop"}

    def play(self, joint: Joint) -> None:
        if self.marker is not None:
            self.board[self.place(joint[self.marker])] = self.marker
            self.marker = None
            return
        bids = {role: numbers(move)[0] for role, move in joint.items()}
        tied = bids["x"] == bids["o"]
        winner = self.token if tied else max(bids, key=lambda role: bids[role])
        loser = "o" if winner == "x" else "x"
        self.coins[winner] -= bids[winner]
        self.coins[loser] += bids[winner]
        self.token = loser if tied else self.token
        self.marker = winner


class SimultaneousConnectFour(LineGame):
    def __init__(self) -> None:
        super().__init__(["red", "yellow"], 7, 6, 4, 50)

    def legal(self, role: str) -> set[str]:
        return {f"(drop {x})" for x, _ in self.free()}

    def play(self, joint: Joint) -> None:
        columns = {role: numbers(move)[0] for role, move in joint.items()}
        clash = columns["red"] == columns["yellow"]
        for role, column in columns.items() if not clash else [("stone", columns["red"])]:
            self.board[min(place for place in self.free() if place[0] == column)] = role

    def lines(self) -> set[str]:
        owners = set()
        for role in self.roles:
            single = LineGame([role], self.width, self.height, self.line, self.share)
            single.board = {place: mark for place, mark in self.board.items() if mark == role}
            owners |= {role} if single.winner() else set()
        return owners

    def over(self) -> bool:
        return bool(self.lines()) or not self.free()

    def goals(self) -> dict[str, int]:
        lines = self.lines()
        return {role: 50 if len(lines) != 1 else 100 if role in lines else 0 for role in self.roles}


class Walkers:
    """Players on a board who move at the same time; those who want the same square get in each other's way."""

    roles: tuple[str, ...]
    size: int
    at: dict[str, Place]

    def is_free(self, place: Place) -> bool:
        return all(1 <= number <= self.size for number in place) and place not in self.at.values()

    def moves(self, role: str) -> set[str]:
        return {f"(move {way})" for way in DIRECTIONS if self.is_free(beside(self.at[role], way))}

    def walk(self, joint: Joint) -> dict[str, Place]:
        """Who gets where."""
        wanted = {role: beside(self.at[role], words(move)[1]) for role, move in joint.items() if move != "noop"}
        targets = list(wanted.values())
        return {role: place for role, place in wanted.items() if targets.count(place) == 1}


class Tron(Walkers):
    roles = ("red", "blue")
    size = 8

    def __init__(self) -> None:
        self.at = {"red": (2, 2), "blue": (7, 7)}
        self.walls = set(self.at.values())
        self.crashed: set[str] = set()

    def is_free(self, place: Place) -> bool:
        return super().is_free(place) and place not in self.walls

    def legal(self, role: str) -> set[str]:
        return self.moves(role) or {"noop"}

    def play(self, joint: Joint) -> None:
        moved = self.walk(joint)
        self.crashed = set(self.roles) - set(moved)
        self.at |= moved
        self.walls |= set(moved.values())

    def over(self) -> bool:
        return bool(self.crashed)

    def goals(self) -> dict[str, int]:
        return {role: 50 if len(self.crashed) != 1 else 100 * (role not in self.crashed) for role in self.roles}


class FourCorners(Walkers):
    roles = ("red", "yellow", "green", "blue")
    size = 5

    def __init__(self) -> None:
        self.at = {"red": (1, 1), "yellow": (1, 5), "green": (5, 5), "blue": (5, 1)}
        self.coins = set(product((2, 3, 4), repeat=2))
        self.score = dict.fromkeys(self.roles, 0)
        self.step = 0

    def legal(self, role: str) -> set[str]:
        return self.moves(role) | {"noop"}

    def play(self, joint: Joint) -> None:
        for role, place in self.walk(joint).items():
            self.at[role] = place
            self.score[role] += place in self.coins
            self.coins.discard(place)
        self.step += 1

    def over(self) -> bool:
        return not self.coins or self.step == 20

    def goals(self) -> dict[str, int]:
        leaders = [role for role in self.roles if self.score[role] == max(self.score.values())]
        return {role: 0 if role not in leaders else 100 if len(leaders) == 1 else 50 for role in self.roles}


class TwoKeys:
    roles = ("red", "blue")

    def __init__(self) -> None:
        self.at = {"red": 3, "blue": 3}
        self.keys: set[str] = set()
        self.turned: set[str] = set()
        self.step = 0

    def legal(self, role: str) -> set[str]:
        other = "blue" if role == "red" else "red"
        open_door = self.at[other] == 1
        here = self.at[role]
        moves = {"noop"} | ({"turn"} if here == 3 and role in self.keys else set())
        moves |= {"(move left)"} if here in (2, 3, 4) or (here == 5 and open_door) else set()
        return moves | ({"(move right)"} if here in (1, 2, 3) or (here == 4 and open_door) else set())

    def play(self, joint: Joint) -> None:
        for role, move in joint.items():
            self.at[role] += {"(move left)": -1, "(move right)": 1}.get(move, 0)
            self.keys |= {role} if self.at[role] == 5 else set()
            self.turned |= {role} if move == "turn" else set()
        self.step += 1

    def over(self) -> bool:
        return bool(self.turned) or self.step == 20

    def goals(self) -> dict[str, int]:
        value = {0: 25 * len(self.keys), 1: 0, 2: 100}[len(self.turned)]
        return dict.fromkeys(self.roles, value)


MODELS: dict[str, Callable[[], Model]] = {
    "biddingtictactoe": BiddingTicTacToe,
    "blocksworld": BlocksWorld,
    "chinesecheckers3": lambda: ChineseCheckers(3),
    "chinesecheckers6": lambda: ChineseCheckers(6),
    "farmers": Farmers,
    "fourcorners": FourCorners,
    "prisonersdilemma": PrisonersDilemma,
    "racetrackcorridor": RacetrackCorridor,
    "simultaneousconnectfour": SimultaneousConnectFour,
    "stepcounter": StepCounter,
    "tron": Tron,
    "twokeys": TwoKeys,
}
"""How to make a fresh model of each game."""
