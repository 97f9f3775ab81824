"""Puzzles and small games once more, in plain Python and by another way, to compare their rule sheets with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from tests.games.models import Joint, LineGame, Model, Place, numbers

SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))


def squares(width: int, height: int) -> list[Place]:
    return [(x, y) for x in range(1, width + 1) for y in range(1, height + 1)]


class PegSolitaire:
    """The pegs are a set of places, whatever is not in it is a hole."""

    roles = ("solver",)
    board = frozenset((x, y) for x, y in squares(7, 7) if 3 <= x <= 5 or 3 <= y <= 5)

    def __init__(self) -> None:
        self.pegs = self.board - {(4, 4)}

    @classmethod
    def jumps(cls, pegs: frozenset[Place]) -> Iterator[tuple[Place, Place, frozenset[Place]]]:
        """From where to where a peg can jump, and the pegs after it."""
        for x, y in pegs:
            for dx, dy in SIDES:
                over, to = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
                if over in pegs and to in cls.board and to not in pegs:
                    yield (x, y), to, pegs - {(x, y), over} | {to}

    def legal(self, role: str) -> set[str]:
        return {f"(jump {x} {y} {u} {v})" for (x, y), (u, v), _ in self.jumps(self.pegs)}

    def play(self, joint: Joint) -> None:
        x, y, u, v = numbers(joint["solver"])
        self.pegs = self.pegs - {(x, y), ((x + u) // 2, (y + v) // 2)} | {(u, v)}

    def over(self) -> bool:
        return not self.legal("solver")

    def goals(self) -> dict[str, int]:
        return {"solver": 100 if self.pegs == {(4, 4)} else max(0, 100 - 10 * len(self.pegs))}


class KnightsTour:
    roles = ("solver",)

    def __init__(self, path: Iterable[Place] = ()) -> None:
        self.path = list(path)

    def reachable(self) -> list[Place]:
        free = [place for place in squares(5, 5) if place not in self.path]
        if not self.path:
            return free
        x, y = self.path[-1]
        return [(u, v) for u, v in free if (u - x) ** 2 + (v - y) ** 2 == 5]

    def legal(self, role: str) -> set[str]:
        return {f"(visit {x} {y})" for x, y in self.reachable()}

    def play(self, joint: Joint) -> None:
        x, y = numbers(joint["solver"])
        self.path.append((x, y))

    def over(self) -> bool:
        return not self.reachable()

    def goals(self) -> dict[str, int]:
        return {"solver": 4 * len(self.path)}


class Sudoku:
    """The board is one text, row after row from the top."""

    roles = ("solver",)
    puzzle = (
        ".7.59..4.",
        ".4...1..9",
        "1...76...",
        "2...65...",
        ".13.4.59.",
        "...38...2",
        "...93...4",
        "7..6...2.",
        ".6..18.7.",
    )
    peers = tuple(
        frozenset(
            other
            for other in range(81)
            if other // 9 == index // 9
            or other % 9 == index % 9
            or (other // 27, other % 9 // 3) == (index // 27, index % 9 // 3)
        )
        for index in range(81)
    )

    def __init__(self) -> None:
        self.board = "".join(self.puzzle)

    @classmethod
    def candidates(cls, board: str, index: int) -> set[str]:
        return set("123456789") - {board[peer] for peer in cls.peers[index]}

    @classmethod
    def solutions(cls, board: str) -> Iterator[str]:
        """All ways to complete the board, at each step on the square with the fewest digits to try."""
        free = [(cls.candidates(board, index), index) for index in range(81) if board[index] == "."]
        if not free:
            yield board
            return
        digits, index = min(free, key=lambda choice: len(choice[0]))
        for digit in digits:
            yield from cls.solutions(board[:index] + digit + board[index + 1 :])

    @staticmethod
    def write(index: int, digit: str) -> str:
        return f"(write {index % 9 + 1} {9 - index // 9} {digit})"

    def legal(self, role: str) -> set[str]:
        free = [index for index in range(81) if self.board[index] == "."]
        return {self.write(index, digit) for index in free for digit in self.candidates(self.board, index)}

    def play(self, joint: Joint) -> None:
        column, row, digit = numbers(joint["solver"])
        index = 9 * (9 - row) + column - 1
        self.board = f"{self.board[:index]}{digit}{self.board[index + 1 :]}"

    def over(self) -> bool:
        return not self.legal("solver")

    def goals(self) -> dict[str, int]:
        return {"solver": 100 - 2 * self.board.count(".")}


class LightsOut:
    """The lights are the bits of a number, and so are those that a press switches."""

    roles = ("solver",)
    places = squares(5, 5)

    def __init__(self) -> None:
        self.lit = 2**25 - 1
        self.presses = 0

    @classmethod
    def mask(cls, place: Place) -> int:
        """The lights that a press switches."""
        x, y = place
        return sum(1 << bit for bit, (u, v) in enumerate(cls.places) if abs(u - x) + abs(v - y) <= 1)

    def legal(self, role: str) -> set[str]:
        return {f"(press {x} {y})" for x, y in self.places}

    def play(self, joint: Joint) -> None:
        x, y = numbers(joint["solver"])
        self.lit ^= self.mask((x, y))
        self.presses += 1

    def over(self) -> bool:
        return not self.lit or self.presses == 20

    def goals(self) -> dict[str, int]:
        return {"solver": 0 if self.lit else 100}


class Hanoi:
    """Each peg is a list of discs, the lowest first."""

    roles = ("solver",)

    def __init__(self) -> None:
        self.pegs: dict[int, list[int]] = {1: [5, 4, 3, 2, 1], 2: [], 3: []}
        self.moves = 0

    def legal(self, role: str) -> set[str]:
        tops = {peg: discs[-1] if discs else 6 for peg, discs in self.pegs.items()}
        return {f"(move {peg} {to})" for peg, disc in tops.items() for to, under in tops.items() if disc < under}

    def play(self, joint: Joint) -> None:
        peg, to = numbers(joint["solver"])
        self.pegs[to].append(self.pegs[peg].pop())
        self.moves += 1

    def over(self) -> bool:
        return len(self.pegs[3]) == 5 or self.moves == 40

    def goals(self) -> dict[str, int]:
        return {"solver": 100 if len(self.pegs[3]) == 5 else 0}


class ToeTacTic(LineGame):
    def __init__(self) -> None:
        super().__init__(["x", "o"], 3, 3, 3, 50)

    def goals(self) -> dict[str, int]:
        return {role: 100 - value for role, value in super().goals().items()}


class TreasureHunt:
    roles = ("red", "blue")

    def __init__(self) -> None:
        half = {(1, 5): 15, (4, 5): 5, (2, 4): 5, (4, 4): 10, (1, 3): 5}
        self.treasures = {(3, 3): 20, **half, **{(6 - x, 6 - y): value for (x, y), value in half.items()}}
        self.at = {"red": (1, 1), "blue": (5, 5)}
        self.found = {"red": 0, "blue": 0}
        self.turn = 0

    @property
    def mover(self) -> str:
        return self.roles[self.turn % 2]

    def legal(self, role: str) -> set[str]:
        if role != self.mover:
            return {"noop"}
        x, y = self.at[role]
        near = {(x + dx, y + dy) for dx, dy in SIDES} & set(squares(5, 5)) - set(self.at.values())
        return {f"(move {u} {v})" for u, v in near}

    def play(self, joint: Joint) -> None:
        x, y = numbers(joint[self.mover])
        self.at[self.mover] = (x, y)
        self.found[self.mover] += self.treasures.pop((x, y), 0)
        self.turn += 1

    def over(self) -> bool:
        return self.turn == 30 or not self.treasures

    def goals(self) -> dict[str, int]:
        return self.found


Wire = tuple[str, int, int]


class WirePuller:
    roles = ("puller", "fitter")
    wires = frozenset(
        [("across", x, y) for x, y in squares(4, 4)] + [("up", x, y) for x, y in squares(4, 3) if x > 1],
    )

    def __init__(self) -> None:
        self.loose = set(self.wires)
        self.fixed: set[Wire] = set()
        self.turn = 0

    @staticmethod
    def connected(wires: Iterable[Wire]) -> bool:
        """Whether battery and lamp are joined: by merging groups of junctions, wire after wire."""
        group = {(x, y): {(x, y)} for x, y in squares(5, 4)}
        rails = [((x, y), (x, y + 1)) for x in (1, 5) for y in (1, 2, 3)]
        ends = [((x, y), (x + 1, y) if direction == "across" else (x, y + 1)) for direction, x, y in wires]
        for one, other in rails + ends:
            merged = group[one] | group[other]
            group.update(dict.fromkeys(merged, merged))
        return (5, 1) in group[1, 1]

    def legal(self, role: str) -> set[str]:
        if role != self.roles[self.turn % 2]:
            return {"noop"}
        verb = "pull" if role == "puller" else "fix"
        return {f"({verb} {direction} {x} {y})" for direction, x, y in self.loose}

    def play(self, joint: Joint) -> None:
        verb, direction, x, y = joint[self.roles[self.turn % 2]].strip("()").split()
        wire = (direction, int(x), int(y))
        self.loose.remove(wire)
        if verb == "fix":
            self.fixed.add(wire)
        self.turn += 1

    def over(self) -> bool:
        return self.connected(self.fixed) or not self.connected(self.fixed | self.loose)

    def goals(self) -> dict[str, int]:
        fitter = 50 if not self.over() else 100 if self.connected(self.fixed) else 0
        return {"puller": 100 - fitter, "fitter": fitter}


MODELS: Mapping[str, Callable[[], Model]] = MappingProxyType(
    {
        "hanoi": Hanoi,
        "knightstour": KnightsTour,
        "lightsout": LightsOut,
        "pegsolitaire": PegSolitaire,
        "sudoku": Sudoku,
        "toetactic": ToeTacTic,
        "treasurehunt": TreasureHunt,
        "wirepuller": WirePuller,
    }
)
"""How to make a fresh model of each game."""
