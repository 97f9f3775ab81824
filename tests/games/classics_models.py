"""The classics as OpenSpiel plays them, spoken to in the words of our rule sheets."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

from tests.games.models import Joint, LineGame, Place, numbers
from tests.games.spiel import SpielModel


def place_of(action: int, size: int) -> Place:
    """Column and row of a cell; OpenSpiel counts cells along the rows, from the top."""
    row, column = divmod(action, size)
    return column + 1, size - row


class SpielPlacing(SpielModel):
    """A game in which every action puts a stone on a cell of a square board."""

    def __init__(self, name: str, roles: tuple[str, str], size: int) -> None:
        super().__init__(name, roles, lambda _, action: "(place {} {})".format(*place_of(action, size)))


class SpielHex(SpielPlacing):
    def __init__(self) -> None:
        super().__init__("hex(board_size=9)", ("red", "blue"), 9)


class SpielGomoku(SpielPlacing):
    def __init__(self) -> None:
        super().__init__("gomoku(size=15)", ("black", "white"), 15)


class SpielAtariGo(SpielModel):
    """Go up to the first capture. Suicide, which is not legal there, loses here."""

    size = 7

    def __init__(self) -> None:
        super().__init__(f"go(board_size={self.size})", ("black", "white"), lambda _, action: self.word(action))
        self.stones = 0
        self.loser: str | None = None

    def word(self, action: int) -> str:
        """Unlike in other games, rows are counted from the bottom; the last action is to pass."""
        row, column = divmod(action, self.size)
        return "pass" if row == self.size else f"(place {column + 1} {row + 1})"

    def board(self) -> str:
        """What is on the points: X, O, or + for a free one, along the rows from the bottom."""
        rows = [line.split()[1] for line in str(self.state).splitlines() if line.strip()[:1].isdigit()]
        return "".join(reversed(rows))

    def legal(self, role: str) -> set[str]:
        if role != self.mover:
            return {"noop"}
        return {self.word(action) for action, content in enumerate(self.board()) if content == "+"}

    def play(self, joint: Joint) -> None:
        mover = self.mover
        action = self.moves().get(joint[mover])
        if action is None:
            self.loser = mover
            return
        self.state.apply_action(action)
        self.stones += 1
        if self.size**2 - self.board().count("+") < self.stones:
            self.loser = self.mover

    def over(self) -> bool:
        return self.loser is not None

    def goals(self) -> dict[str, int]:
        return {role: 50 if self.loser is None else 0 if role == self.loser else 100 for role in self.roles}


class SpielAmazons(SpielModel):
    """The turns of OpenSpiel have the same three steps as ours."""

    steps = ("choose", "move", "shoot")

    def __init__(self) -> None:
        super().__init__("amazons", ("white", "black"), lambda _, action: self.word(action))

    def word(self, action: int) -> str:
        step = self.steps[self.state.move_number() % 3]
        return "({} {} {})".format(step, *place_of(action, 10))


class SpielAmazonsWhole(SpielModel):
    """The three steps of a turn as one move; the model remembers which amazon stands where."""

    def __init__(self) -> None:
        super().__init__("amazons", ("white", "black"), lambda _, action: str(action))
        homes = ("w3 1 4", "w4 10 4", "w1 4 1", "w2 7 1", "b1 1 7", "b2 10 7", "b3 4 10", "b4 7 10")
        self.amazons = {(int(x), int(y)): name for name, x, y in map(str.split, homes)}

    def turns(self) -> Iterator[tuple[str, tuple[int, int, int]]]:
        """Every whole move, with the actions that it is made of."""
        for origin in self.state.legal_actions():
            chosen = self.state.child(origin)
            name = self.amazons[place_of(origin, 10)]
            for target in chosen.legal_actions():
                place = place_of(target, 10)
                for arrow in chosen.child(target).legal_actions():
                    yield "(play {} {} {} {} {})".format(name, *place, *place_of(arrow, 10)), (origin, target, arrow)

    def legal(self, role: str) -> set[str]:
        return {move for move, _ in self.turns()} if role == self.mover else {"noop"}

    def play(self, joint: Joint) -> None:
        actions = dict(self.turns())[joint[self.mover]]
        origin, target = (place_of(action, 10) for action in actions[:2])
        self.amazons[target] = self.amazons.pop(origin)
        for action in actions:
            self.state.apply_action(action)


class SpielDotsAndBoxes(SpielModel):
    """Our sheet tells who has won as soon as one player owns more than half of the boxes."""

    def __init__(self) -> None:
        super().__init__("dots_and_boxes(num_rows=4,num_cols=4)", ("red", "blue"), lambda _, action: self.word(action))

    def word(self, action: int) -> str:
        """OpenSpiel tells horizontal from vertical lines, we count all of them on one grid."""
        text = self.state.action_to_string(self.state.current_player(), action)
        kind, row, column = text[text.index("(") + 1 : -1].split(",")
        if kind == "h":
            return f"(draw {2 * int(column) + 2} {9 - 2 * int(row)})"
        return f"(draw {2 * int(column) + 1} {8 - 2 * int(row)})"

    def goals(self) -> dict[str, int]:
        boxes = [str(self.state).count(digit) for digit in "12"]
        won = [count > 8 for count in boxes]
        if self.over():
            assert sum(boxes) == 16
            assert [win - loss for win, loss in zip(won, won[::-1], strict=True)] == self.state.returns()
        return {role: 100 if mine else 0 if any(won) else 50 for role, mine in zip(self.roles, won, strict=True)}


TWISTS = MappingProxyType(
    {
        "s": "northwest counterclockwise",
        "t": "northwest clockwise",
        "u": "northeast counterclockwise",
        "v": "northeast clockwise",
        "w": "southeast counterclockwise",
        "x": "southeast clockwise",
        "y": "southwest counterclockwise",
        "z": "southwest clockwise",
    }
)
"""What the last letters of OpenSpiel's moves in pentago mean."""


class SpielPentago(SpielModel):
    """OpenSpiel places and twists at once, and looks for a line only then; we also look between."""

    def __init__(self) -> None:
        super().__init__("pentago", ("white", "black"), lambda _, action: self.word(action))
        self.placed: Place | None = None

    def word(self, action: int) -> str:
        """First the marble; when it is there, the twists that go with it."""
        if self.placed is None:
            return "(place {} {})".format(*place_of(action // 8, 6))
        return f"(twist {TWISTS[self.state.action_to_string(action)[-1]]})"

    def moves(self) -> dict[str, int]:
        actions = self.state.legal_actions()
        wanted = [action for action in actions if self.placed in (None, place_of(action // 8, 6))]
        return {self.word(action): action for action in wanted}

    def play(self, joint: Joint) -> None:
        if self.placed is None:
            column, row = numbers(joint[self.mover])
            self.placed = column, row
        else:
            super().play(joint)
            self.placed = None

    def line_before_twist(self) -> bool:
        if self.placed is None:
            return False
        lines = LineGame(self.roles, 6, 6, 5, 50)
        lines.board = {place: self.roles["O@".index(marble)] for place, marble in self.marbles()}
        lines.board[self.placed] = self.mover
        return lines.winner() is not None

    def marbles(self) -> Iterator[tuple[Place, str]]:
        rows = [line[4:16:2] for line in str(self.state).splitlines()[2:8]]
        return ((place_of(cell, 6), marble) for cell, marble in enumerate("".join(rows)) if marble != ".")

    def over(self) -> bool:
        return self.line_before_twist() or super().over()

    def goals(self) -> dict[str, int]:
        if self.line_before_twist():
            return {role: 100 if role == self.mover else 0 for role in self.roles}
        return super().goals()
