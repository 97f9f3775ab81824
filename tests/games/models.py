"""The bundled games once more, in plain Python and by another way, to compare the rule sheets with.

A model is what its rules say and nothing else: boards are dictionaries, moves are the texts of the sheets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

Place = tuple[int, int]
Joint = Mapping[str, str]


class Model(Protocol):
    @property
    def roles(self) -> Sequence[str]: ...
    def legal(self, role: str) -> set[str]: ...
    def play(self, joint: Joint) -> None: ...
    def over(self) -> bool: ...
    def goals(self) -> dict[str, int]: ...


def numbers(move: str) -> list[int]:
    return [int(word) for word in move.strip("()").split() if word.isdigit()]


class LineGame:
    """Marks on a board, the same number of own ones in a line win."""

    def __init__(self, roles: Sequence[str], width: int, height: int, line: int, share: int) -> None:
        self.roles = roles
        self.width, self.height, self.line, self.share = width, height, line, share
        self.board: dict[Place, str] = {}
        self.turn = 0

    @property
    def mover(self) -> str:
        return self.roles[self.turn % len(self.roles)]

    def free(self) -> list[Place]:
        places = [(x, y) for x in range(1, self.width + 1) for y in range(1, self.height + 1)]
        return [place for place in places if place not in self.board]

    def legal(self, role: str) -> set[str]:
        return {f"(mark {x} {y})" for x, y in self.free()} if role == self.mover else {"noop"}

    def place(self, move: str) -> Place:
        x, y = numbers(move)
        return x, y

    def play(self, joint: Joint) -> None:
        self.board[self.place(joint[self.mover])] = self.mover
        self.turn += 1

    def winner(self) -> str | None:
        for (x, y), mark in self.board.items():
            for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                if all(self.board.get((x + step * dx, y + step * dy)) == mark for step in range(self.line)):
                    return mark
        return None

    def over(self) -> bool:
        return self.winner() is not None or not self.free()

    def goals(self) -> dict[str, int]:
        winner = self.winner()
        return {role: self.share if winner is None else 100 if role == winner else 0 for role in self.roles}


class ConnectFour(LineGame):
    def __init__(self) -> None:
        super().__init__(["red", "yellow"], 7, 6, 4, 50)

    def legal(self, role: str) -> set[str]:
        return {f"(drop {x})" for x, _ in self.free()} if role == self.mover else {"noop"}

    def place(self, move: str) -> Place:
        (column,) = numbers(move)
        return min(place for place in self.free() if place[0] == column)


class Breakthrough:
    roles = ("white", "black")

    def __init__(self) -> None:
        home = {1: "white", 2: "white", 7: "black", 8: "black"}
        self.pawns: dict[Place, str] = {(x, y): owner for x in range(1, 9) for y, owner in home.items()}
        self.turn = 0

    def steps(self) -> list[tuple[Place, Place]]:
        mover, forward = self.roles[self.turn % 2], 1 - 2 * (self.turn % 2)
        found = []
        for (x, y), owner in self.pawns.items():
            for side in (-1, 0, 1):
                to = (x + side, y + forward)
                blocked = to in self.pawns if side == 0 else self.pawns.get(to) == mover
                if owner == mover and 1 <= to[0] <= 8 and 1 <= to[1] <= 8 and not blocked:
                    found.append(((x, y), to))
        return found

    def legal(self, role: str) -> set[str]:
        if role != self.roles[self.turn % 2]:
            return {"noop"}
        return {f"(move {x} {y} {u} {v})" for (x, y), (u, v) in self.steps()}

    def play(self, joint: Joint) -> None:
        x, y, u, v = numbers(joint[self.roles[self.turn % 2]])
        self.pawns[u, v] = self.pawns.pop((x, y))
        self.turn += 1

    def winner(self) -> str | None:
        owners = set(self.pawns.values())
        if len(owners) == 1:
            return owners.pop()
        if any(self.pawns.get((x, 8)) == "white" for x in range(1, 9)):
            return "white"
        return "black" if any(self.pawns.get((x, 1)) == "black" for x in range(1, 9)) else None

    def over(self) -> bool:
        return self.winner() is not None

    def goals(self) -> dict[str, int]:
        return {role: 50 if not self.over() else 100 if role == self.winner() else 0 for role in self.roles}


class Nim:
    roles = ("first", "second")

    def __init__(self) -> None:
        self.heaps = {"a": 3, "b": 4, "c": 5}
        self.turn = 0

    def legal(self, role: str) -> set[str]:
        if role != self.roles[self.turn % 2]:
            return {"noop"}
        return {f"(take {heap} {n})" for heap, size in self.heaps.items() for n in range(1, size + 1)}

    def play(self, joint: Joint) -> None:
        _, heap, count = joint[self.roles[self.turn % 2]].strip("()").split()
        self.heaps[heap] -= int(count)
        self.turn += 1

    def over(self) -> bool:
        return not any(self.heaps.values())

    def goals(self) -> dict[str, int]:
        last = self.roles[(self.turn - 1) % 2]
        return {role: 50 if not self.over() else 100 if role == last else 0 for role in self.roles}


class EightPuzzle:
    roles = ("solver",)
    solved = "12345678_"

    def __init__(self) -> None:
        self.tiles = "_12345678"
        self.step = 0

    @staticmethod
    def neighbours(tiles: str) -> dict[Place, str]:
        """Places of the tiles that can slide (column, row from the bottom), and what comes of it."""
        gap = tiles.index("_")
        row, column = divmod(gap, 3)
        found = {}
        for r, c in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 0 <= r < 3 and 0 <= c < 3:
                other = 3 * r + c
                swapped = list(tiles)
                swapped[gap], swapped[other] = swapped[other], swapped[gap]
                found[c + 1, 3 - r] = "".join(swapped)
        return found

    def legal(self, role: str) -> set[str]:
        return {f"(slide {x} {y})" for x, y in self.neighbours(self.tiles)}

    def play(self, joint: Joint) -> None:
        x, y = numbers(joint["solver"])
        self.tiles = self.neighbours(self.tiles)[x, y]
        self.step += 1

    def over(self) -> bool:
        return self.tiles == self.solved or self.step == 30

    def goals(self) -> dict[str, int]:
        return {"solver": 100 if self.tiles == self.solved else 0}


class RockPaperScissors:
    roles = ("left", "right")
    hands = ("rock", "paper", "scissors")

    def __init__(self) -> None:
        self.lead = 0
        self.rounds = 0

    def legal(self, role: str) -> set[str]:
        return {f"(show {hand})" for hand in self.hands}

    def play(self, joint: Joint) -> None:
        left, right = (self.hands.index(joint[role].strip("()").split()[1]) for role in self.roles)
        self.lead += (0, 1, -1)[(left - right) % 3]
        self.rounds += 1

    def over(self) -> bool:
        return self.rounds == 5

    def goals(self) -> dict[str, int]:
        left = 50 if self.lead == 0 else 100 if self.lead > 0 else 0
        return {"left": left, "right": 100 - left}


class DiceRace:
    roles = ("red", "blue", "random")

    def __init__(self) -> None:
        self.at = {"red": {"a": 0, "b": 0}, "blue": {"a": 0, "b": 0}}
        self.die = 0
        self.turn = 0

    def legal(self, role: str) -> set[str]:
        if role == "random":
            return {"noop"} if self.die else {f"(roll {n})" for n in range(1, 7)}
        if not self.die or role != self.roles[self.turn % 2]:
            return {"noop"}
        return {f"(run {runner})" for runner, square in self.at[role].items() if square < 12}

    def play(self, joint: Joint) -> None:
        if not self.die:
            (self.die,) = numbers(joint["random"])
            return
        mover = self.roles[self.turn % 2]
        runner = joint[mover].strip("()").split()[1]
        square = min(12, self.at[mover][runner] + self.die)
        self.at[mover][runner] = {3: 6, 7: 10}.get(square, square)
        self.die = 0
        self.turn += 1

    def over(self) -> bool:
        return any(set(squares.values()) == {12} for squares in self.at.values())

    def goals(self) -> dict[str, int]:
        home = {role: set(squares.values()) == {12} for role, squares in self.at.items()}
        values = {role: 50 if not self.over() else 100 if home[role] else 0 for role in home}
        return {**values, "random": 0}


MODELS: Mapping[str, Callable[[], Model]] = MappingProxyType(
    {
        "tictactoe": lambda: LineGame(["x", "o"], 3, 3, 3, 50),
        "threeway": lambda: LineGame(["x", "o", "z"], 5, 5, 3, 33),
        "connectfour": ConnectFour,
        "breakthrough": Breakthrough,
        "nim": Nim,
        "eightpuzzle": EightPuzzle,
        "rockpaperscissors": RockPaperScissors,
        "dicerace": DiceRace,
    }
)
"""How to make a fresh model of each game."""
