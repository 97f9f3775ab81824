"""Chess, minichess and hallway once more: chess by python-chess, the others in plain Python."""

from __future__ import annotations

from collections.abc import Iterator

import chess

from tests.games.models import Joint, Place, numbers

STRAIGHT = ((1, 0), (-1, 0), (0, 1), (0, -1))
AROUND = tuple((dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy)


class Chess:
    """The board of python-chess in the words of the rule sheet."""

    roles = ("white", "black")
    last_step = 200

    def __init__(self, fen: str = chess.STARTING_FEN, step: int = 0) -> None:
        self.board = chess.Board(fen)
        self.step = step

    @property
    def mover(self) -> str:
        return "white" if self.board.turn else "black"

    def facts(self) -> frozenset[str]:
        """The facts of the state in which the sheet has this position."""
        found = {f"(control {self.mover})", f"(step {self.step})"}
        for square in chess.SQUARES:
            piece = self.board.piece_at(square)
            content = "blank" if piece is None else ("w" if piece.color else "b") + piece.symbol().lower()
            found.add(f"(cell {_words(square)} {content})")
        for colour, player in ((chess.WHITE, "white"), (chess.BLACK, "black")):
            if self.board.has_kingside_castling_rights(colour):
                found.add(f"(may_castle {player} kingside)")
            if self.board.has_queenside_castling_rights(colour):
                found.add(f"(may_castle {player} queenside)")
        if self.board.ep_square is not None:
            found.add(f"(en_passant {_words(self.board.ep_square)})")
        return frozenset(found)

    def moves(self) -> dict[str, chess.Move]:
        return {self.text(move): move for move in self.board.legal_moves}

    def text(self, move: chess.Move) -> str:
        if self.board.is_castling(move):
            return f"(castle {'king' if self.board.is_kingside_castling(move) else 'queen'}side)"
        squares = f"{_words(move.from_square)} {_words(move.to_square)}"
        return f"(promote {squares} {chess.piece_name(move.promotion)})" if move.promotion else f"(move {squares})"

    def lively_moves(self) -> list[str]:
        """Moves that random play seldom finds: special ones and checks."""
        return sorted(
            text
            for text, move in self.moves().items()
            if move.promotion
            or self.board.is_castling(move)
            or self.board.is_en_passant(move)
            or self.board.gives_check(move)
        )

    def divide(self, depth: int) -> dict[str, int]:
        """For each move the number of ways to play `depth` moves that start with it."""
        counts = {}
        for text, move in self.moves().items():
            self.board.push(move)
            counts[text] = self._perft(depth - 1)
            self.board.pop()
        return counts

    def _perft(self, depth: int) -> int:
        if depth == 0:
            return 1
        if depth == 1:
            return self.board.legal_moves.count()
        return sum(self.divide(depth).values())

    def legal(self, role: str) -> set[str]:
        return set(self.moves()) if role == self.mover else {"noop"}

    def play(self, joint: Joint) -> None:
        self.board.push(self.moves()[joint[self.mover]])
        self.step += 1

    def over(self) -> bool:
        return self.step == self.last_step or not any(self.board.legal_moves)

    def goals(self) -> dict[str, int]:
        white = 50 if not self.board.is_checkmate() else 0 if self.board.turn else 100
        return {"white": white, "black": 100 - white}


def _words(square: chess.Square) -> str:
    return " ".join(chess.square_name(square))


class Minichess:
    """The kings and the rook as places; a move is tried on the board to see whether it is allowed."""

    roles = ("white", "black")

    def __init__(self) -> None:
        self.pieces: dict[str, Place] = {"wk": (3, 1), "wr": (4, 1), "bk": (1, 4)}
        self.step = 1

    @property
    def mover(self) -> str:
        return self.roles[(self.step - 1) % 2]

    def reach(self, pieces: dict[str, Place], piece: str) -> Iterator[Place]:
        """Where a piece could go, and what it attacks."""
        x, y = pieces[piece]
        for dx, dy in STRAIGHT if piece == "wr" else AROUND:
            for distance in range(1, 4 if piece == "wr" else 2):
                to = x + distance * dx, y + distance * dy
                if 1 <= to[0] <= 4 and 1 <= to[1] <= 4:
                    yield to
                if to in pieces.values():
                    break

    def is_check(self, pieces: dict[str, Place], by: str) -> bool:
        king = pieces["bk" if by == "w" else "wk"]
        return any(king in self.reach(pieces, piece) for piece in pieces if piece[0] == by)

    def moves(self) -> dict[str, dict[str, Place]]:
        """The moves and what comes of them."""
        own, other = ("w", "b") if self.mover == "white" else ("b", "w")
        found = {}
        for piece, (x, y) in self.pieces.items():
            for to in self.reach(self.pieces, piece) if piece[0] == own else ():
                after = {name: place for name, place in self.pieces.items() if place != to} | {piece: to}
                is_own = any(name[0] == own and place == to for name, place in self.pieces.items())
                if not is_own and not self.is_check(after, other):
                    found[f"(move {piece} {'abcd'[x - 1]} {y} {'abcd'[to[0] - 1]} {to[1]})"] = after
        return found

    def legal(self, role: str) -> set[str]:
        return set(self.moves()) if role == self.mover else {"noop"}

    def play(self, joint: Joint) -> None:
        self.pieces = self.moves()[joint[self.mover]]
        self.step += 1

    def over(self) -> bool:
        return self.step == 10 or not self.moves()

    def goals(self) -> dict[str, int]:
        mate = self.mover == "black" and self.is_check(self.pieces, "w") and not self.moves()
        return {"white": 100 if mate else 0, "black": 0 if mate else 100}


class Hallway:
    """Walls as the sets of two pairs of squares that they separate."""

    roles = ("white", "black")
    far = (8, 1)

    def __init__(self) -> None:
        self.pawns: list[Place] = [(1, 4), (8, 5)]
        self.walls: list[tuple[int, int, str]] = []
        self.left = [4, 4]
        self.step = 0
        self.just_built = False

    def closed(self) -> set[frozenset[Place]]:
        return {pair for wall in self.walls for pair in self.pairs(*wall)}

    @staticmethod
    def pairs(x: int, y: int, way: str) -> list[frozenset[Place]]:
        if way == "upright":
            return [frozenset({(x, row), (x + 1, row)}) for row in (y, y + 1)]
        return [frozenset({(column, y), (column, y + 1)}) for column in (x, x + 1)]

    def neighbours(self, place: Place) -> list[Place]:
        """Squares next to this one without a wall between."""
        closed = self.closed()
        around = [(place[0] + dx, place[1] + dy) for dx, dy in STRAIGHT]
        return [to for to in around if min(to) >= 1 and max(to) <= 8 and frozenset({place, to}) not in closed]

    def places_for_walls(self) -> set[tuple[int, int, str]]:
        closed, centres = self.closed(), {wall[:2] for wall in self.walls}
        places = [(x, y, way) for x in range(1, 8) for y in range(1, 8) for way in ("upright", "level")]
        return {place for place in places if place[:2] not in centres and not closed.intersection(self.pairs(*place))}

    def legal(self, role: str) -> set[str]:
        turn = self.step % 2
        if role != self.roles[turn]:
            return {"noop"}
        moves = {f"(move {x} {y})" for x, y in self.neighbours(self.pawns[turn]) if (x, y) not in self.pawns}
        if self.left[turn]:
            moves |= {f"(build {x} {y} {way})" for x, y, way in self.places_for_walls()}
        return moves or {"noop"}

    def play(self, joint: Joint) -> None:
        turn = self.step % 2
        move = joint[self.roles[turn]]
        self.just_built = "build" in move
        if self.just_built:
            x, y = numbers(move)
            self.walls.append((x, y, "upright" if "upright" in move else "level"))
            self.left[turn] -= 1
        elif "move" in move:
            x, y = numbers(move)
            self.pawns[turn] = x, y
        self.step += 1

    def has_way(self, turn: int) -> bool:
        seen, border = {self.pawns[turn]}, [self.pawns[turn]]
        while border:
            found = set(self.neighbours(border.pop())) - seen
            seen |= found
            border += found
        return any(x == self.far[turn] for x, _ in seen)

    def winner(self) -> int | None:
        for turn in (0, 1):
            if self.pawns[turn][0] == self.far[turn]:
                return turn
        closed = self.just_built and not (self.has_way(0) and self.has_way(1))
        return self.step % 2 if closed else None

    def over(self) -> bool:
        return self.step == 200 or self.winner() is not None

    def goals(self) -> dict[str, int]:
        winner = self.winner()
        white = 50 if winner is None else 100 if winner == 0 else 0
        return {"white": white, "black": 100 - white}
