"""The games of taking and turning once more: as OpenSpiel plays them, and checkers in plain Python."""

from __future__ import annotations

from collections.abc import Callable

from tests.games.models import Joint, Model, Place, numbers
from tests.games.spiel import SpielModel


class SpielOthello(SpielModel):
    """Our sheets value the discs at any time, not only at the end."""

    def __init__(self, misere: bool) -> None:
        super().__init__("othello", ("black", "white"), othello_move)
        self._sign = -1 if misere else 1

    def goals(self) -> dict[str, int]:
        discs = "".join(line for line in str(self.state).splitlines() if line[0].isdigit())
        lead = discs.count("x") - discs.count("o")
        black = 50 + 50 * self._sign * ((lead > 0) - (lead < 0))
        if self.over():
            assert (black > 50) - (black < 50) == self._sign * self.state.returns()[0]
        return {"black": black, "white": 100 - black}


def squares(text: str) -> list[Place]:
    """Squares as in chess, one after the other: `a3b4`."""
    return [(ord(letter) - ord("a") + 1, int(digit)) for letter, digit in zip(text[::2], text[1::2], strict=True)]


def othello_move(model: SpielModel, action: int) -> str:
    """OpenSpiel counts the rows from the top."""
    text = model.state.action_to_string(action)
    if text == "pass":
        return "pass"
    ((column, row),) = squares(text)
    return f"(place {column} {9 - row})"


def checkers_move(model: SpielModel, action: int) -> str:
    (x, y), (u, v) = squares(model.state.action_to_string(action))
    return f"({'move' if abs(v - y) == 1 else 'jump'} {x} {y} {u} {v})"


def kalah_move(model: SpielModel, action: int) -> str:
    """OpenSpiel numbers the pits around the board, from the bottom left to the right."""
    return f"(sow {action if action < 7 else 14 - action})"


RING_ROWS = {7: (1, 4, 7), 6: (2, 4, 6), 5: (3, 4, 5), 4: (1, 2, 3, 5, 6, 7), 3: (3, 4, 5), 2: (2, 4, 6), 1: (1, 4, 7)}
POINTS = [(column, row) for row, columns in RING_ROWS.items() for column in columns]
"""The points of nine men's morris in the order of OpenSpiel."""


def morris_move(model: SpielModel, action: int) -> str:
    if action < len(POINTS):
        column, row = POINTS[action]
        return f"({'remove' if 'Capture time' in str(model.state) else 'place'} {column} {row})"
    (x, y), (u, v) = (POINTS[index] for index in divmod(action - len(POINTS), len(POINTS)))
    return f"(move {x} {y} {u} {v})"


class CylinderCheckers:
    """Checkers on a cylinder; pieces are upper case when crowned, columns count from 0 inside."""

    roles = ("red", "black")

    def __init__(self) -> None:
        home = {1: "red", 2: "red", 3: "red", 6: "black", 7: "black", 8: "black"}
        self.men = {(x, y): home[y] for x in range(8) for y in home if (x + y) % 2 == 1}
        self.mover = "red"
        self.jumper: Place | None = None
        self.step = 0

    def reachable(self, place: Place, length: int) -> list[tuple[Place, Place]]:
        """The squares at a distance with those halfway (or the same ones), in the directions of the piece."""
        (x, y), piece = place, self.men[place]
        ways = [1 if piece == "red" else -1] if piece.islower() else [1, -1]
        ends = [
            (((x + side * (length - 1)) % 8, y + way * (length - 1)), ((x + side * length) % 8, y + way * length))
            for way in ways
            for side in (1, -1)
        ]
        return [(middle, end) for middle, end in ends if 1 <= end[1] <= 8 and end not in self.men]

    def own(self) -> list[Place]:
        return [place for place, piece in self.men.items() if piece.lower() == self.mover]

    def jumps_from(self, place: Place) -> list[tuple[Place, Place, Place]]:
        return [
            (place, middle, end)
            for middle, end in self.reachable(place, 2)
            if self.men.get(middle, self.mover).lower() != self.mover
        ]

    def choices(self) -> set[str]:
        starts = self.own() if self.jumper is None else [self.jumper]
        jumps = {words("jump", start, end) for place in starts for start, _, end in self.jumps_from(place)}
        return jumps or {words("move", place, end) for place in starts for _, end in self.reachable(place, 1)}

    def legal(self, role: str) -> set[str]:
        return self.choices() if role == self.mover else {"noop"}

    def play(self, joint: Joint) -> None:
        move = joint[self.mover]
        x, y, u, v = numbers(move)
        start, end = (x - 1, y), (u - 1, v)
        self.step += 1
        self.jumper = None
        crowned = self.men[start].islower() and v in (1, 8)
        if move.startswith("(jump"):
            ((_, middle, _),) = [jump for jump in self.jumps_from(start) if jump[2] == end]
            del self.men[middle]
        piece = self.men.pop(start)
        self.men[end] = piece.upper() if crowned else piece
        if move.startswith("(jump") and not crowned and self.jumps_from(end):
            self.jumper = end
        else:
            self.mover = "black" if self.mover == "red" else "red"

    def over(self) -> bool:
        return self.step == 50 or not self.choices()

    def goals(self) -> dict[str, int]:
        count = {role: sum(piece.lower() == role for piece in self.men.values()) for role in self.roles}
        if 0 in count.values():
            return {role: 100 if own else 0 for role, own in count.items()}
        lead = max(-50, min(10 * (count["red"] - count["black"]), 50))
        return {"red": 50 + lead, "black": 50 - lead}


def words(verb: str, start: Place, end: Place) -> str:
    return f"({verb} {start[0] + 1} {start[1]} {end[0] + 1} {end[1]})"


MAKERS: dict[str, Callable[[], Model]] = {
    "checkers": lambda: SpielModel("checkers", ("red", "black"), checkers_move),
    "cylindercheckers": CylinderCheckers,
    "kalah": lambda: SpielModel("mancala", ("south", "north"), kalah_move),
    "ninemensmorris": lambda: SpielModel("nine_mens_morris", ("white", "black"), morris_move),
    "nothello": lambda: SpielOthello(misere=True),
    "othello": lambda: SpielOthello(misere=False),
}
