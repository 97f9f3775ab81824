"""Chess against python-chess and the published counts; minichess and hallway against models in Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import islice
from random import Random

import pytest

from ludens.analysis.perft import divide, joint_moves, perft
from ludens.errors import IllegalMoveError
from ludens.game import Game, State
from tests.analysis.analysed import game_of
from tests.games.chess_models import Chess, Hallway, Minichess
from tests.games.models import Model, Place

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

PUBLISHED = {
    "kiwipete": (KIWIPETE, [48, 2039, 97862]),
    "rook endgame": ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", [14, 191, 2812, 43238]),
    "promotions": ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", [6, 264, 9467]),
    "promotion with check": ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", [44, 1486, 62379]),
    "middle game": ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", [46, 2079, 89890]),
}

POSITIONS = {
    "capture in passing would bare the row": ("3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1", 3),
    "the same, from the other side": ("8/8/8/8/k1p4R/8/3P4/3K4 w - - 0 1", 3),
    "capture in passing, own pawn pinned on a diagonal": ("8/8/4k3/8/2p5/8/B2P1K2/8 w - - 0 1", 3),
    "capture in passing stops the check of the pawn": ("8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 3", 2),
    "capture in passing gives a discovered check": ("8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1", 2),
    "double step gives a discovered check": ("8/8/8/8/4p3/8/R2P3k/5K2 w - - 0 1", 2),
    "rights to castle get lost": ("r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1", 2),
    "castling prevented": ("r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1", 2),
    "rooks take each other in their corners": ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", 2),
    "promotion out of check": ("2K2r2/4P3/8/8/8/8/8/3k4 w - - 0 1", 3),
    "promotion by taking a rook that could castle": ("r3k2r/1P4P1/8/8/8/8/1p4p1/R3K2R w KQkq - 0 1", 2),
    "discovered and double checks": ("8/8/1P2K3/8/2n5/1q6/8/5k2 b - - 0 1", 2),
    "double check by knight and rook": ("4k3/8/8/8/4N3/8/8/4R1K1 w - - 0 1", 2),
    "pins on all eight lines": ("b2r2b1/8/2QPB3/r1NKR2r/2PQN3/8/b7/3r1k1b w - - 0 1", 1),
    "pinned pieces take the pinner": ("4k3/8/4r3/b7/7b/2N3P1/4R3/4K3 w - - 0 1", 2),
    "knights and pawns give check": ("4k3/8/3N1P2/8/8/2n2p2/8/4K3 b - - 0 1", 2),
    "stalemate near": ("K1k5/8/P7/8/8/8/8/8 w - - 0 1", 4),
}


@pytest.fixture(scope="module")
def chess_game() -> Game:
    return game_of("chess")


def position(game: Game, fen: str, step: int = 0) -> State:
    return game.state(Chess(fen, step).facts())


def compare_play(game: Game, model: Model, state: State, choose: Callable[[list[str]], str]) -> State:
    """Play to the end; in every state moves, goals and end must be those of the model."""
    assert game.roles == tuple(model.roles)
    while not model.over():
        assert not state.is_terminal
        assert state.goals == model.goals()
        legal = {str(role): set(map(str, state.legal_moves(role))) for role in game.roles}
        assert legal == {role: model.legal(role) for role in model.roles}
        joint = {role: choose(sorted(moves)) for role, moves in legal.items()}
        state = state.next(joint)
        model.play(joint)
        if isinstance(model, Chess):
            assert state.facts == model.facts()
    assert state.is_terminal
    assert state.goals == model.goals()
    return state


# -- chess ---------------------------------------------------------------------------------------


def test_chess_start(chess_game: Game) -> None:
    assert chess_game.initial_state().facts == Chess().facts()


def ways(state: State, depth: int) -> list[int]:
    """Count by perft, level by level."""
    assert state.game.compile()
    return [level.nodes for level in islice(perft(state), depth)]


def test_chess_counts(chess_game: Game) -> None:
    assert ways(chess_game.initial_state(), 4) == [20, 400, 8_902, 197_281]


@pytest.mark.parametrize("name", PUBLISHED)
def test_chess_published_positions(chess_game: Game, name: str) -> None:
    fen, counts = PUBLISHED[name]
    assert ways(position(chess_game, fen), len(counts)) == counts


@pytest.mark.parametrize("name", [*PUBLISHED, *POSITIONS])
def test_chess_move_by_move(chess_game: Game, name: str) -> None:
    fen, depth = POSITIONS[name] if name in POSITIONS else (PUBLISHED[name][0], 1)
    model = Chess(fen)
    assert model.board.is_valid()
    mover = chess_game.role_index(model.mover)
    counts = divide(position(chess_game, fen), depth)
    assert {str(joint[mover]): count for joint, count in counts.items()} == model.divide(depth)


@pytest.mark.parametrize("seed", range(6))
def test_chess_play_agrees_with_python_chess(chess_game: Game, seed: int) -> None:
    """Half of the moves are castling, captures in passing, promotions and checks, where there are any."""
    model, rng = Chess(), Random(seed)

    def choose(moves: list[str]) -> str:
        lively = model.lively_moves() if moves != ["noop"] and rng.random() < 0.5 else []
        return rng.choice(lively or moves)

    compare_play(chess_game, model, chess_game.initial_state(), choose)


@pytest.mark.parametrize(
    "fen",
    [
        "7k/5K2/8/8/8/8/Q7/8 w - - 0 1",
        "k7/8/1K6/8/8/8/1R6/8 w - - 0 1",
        "8/PPP2ppp/8/k7/7K/8/ppp2PPP/8 w - - 0 1",
        KIWIPETE,
    ],
)
def test_chess_endgames_agree_with_python_chess(chess_game: Game, fen: str) -> None:
    for seed in range(3):
        model = Chess(fen, step=140)
        compare_play(chess_game, model, position(chess_game, fen, 140), Random(seed).choice)


def test_chess_needs_no_luck_to_end_in_every_way(chess_game: Game) -> None:
    """Fool's mate, and the quickest known stalemate (Sam Loyd's)."""
    state = chess_game.initial_state()
    for text in ["f2f3", "e7e5", "g2g4", "d8h4"]:
        state = advance(state, text)
    assert state.is_terminal
    assert state.goals == {"white": 0, "black": 100}
    state = chess_game.initial_state()
    moves = "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6"
    for text in moves.split():
        assert not state.is_terminal
        state = advance(state, text)
    assert state.is_terminal
    assert state.goals == {"white": 50, "black": 50}


def advance(state: State, squares: str) -> State:
    mover = "white" if "(control white)" in state.facts else "black"
    return state.next({mover: f"(move {' '.join(squares)})"})


def test_chess_ends_after_200_moves(chess_game: Game) -> None:
    state = position(chess_game, START, 199)
    assert not state.is_terminal
    state = advance(state, "e2e4")
    assert state.is_terminal
    assert state.goals == {"white": 50, "black": 50}
    assert state.legal_moves("white") == state.legal_moves("black") == ()
    mate = advance(position(chess_game, "7k/8/6K1/8/8/8/8/R7 w - - 0 1", 199), "a1a8")
    assert mate.is_terminal
    assert mate.goals == {"white": 100, "black": 0}


@pytest.mark.parametrize(
    ("fen", "castles"),
    [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", {"kingside", "queenside"}),
        ("r3k2r/8/8/8/8/8/8/R3K2R b Kq - 0 1", {"queenside"}),
        ("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", set()),
        ("4k3/8/8/8/8/8/8/RN2K1NR w KQ - 0 1", set()),
        ("1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", {"kingside", "queenside"}),
        ("3rk3/8/8/8/8/8/8/R3K2R w KQ - 0 1", {"kingside"}),
        ("4k1r1/8/8/8/8/8/8/R3K2R w KQ - 0 1", {"queenside"}),
        ("4k3/4r3/8/8/8/8/8/R3K2R w KQ - 0 1", set()),
        ("4k3/8/8/8/8/8/4p3/R3K2R w KQ - 0 1", set()),
        ("4k3/8/8/8/8/7n/8/R3K2R w KQ - 0 1", {"queenside"}),
        ("4k2r/8/8/8/8/8/8/R3K2R w KQ - 0 1", {"kingside", "queenside"}),
    ],
)
def test_chess_castling(chess_game: Game, fen: str, castles: set[str]) -> None:
    state = position(chess_game, fen)
    legal = state.legal_moves(Chess(fen).mover)
    assert {move for move in legal if "castle" in move} == {f"(castle {side})" for side in castles}


def test_chess_refuses_what_would_leave_the_king_in_check(chess_game: Game) -> None:
    pinned = position(chess_game, "4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1")
    with pytest.raises(IllegalMoveError, match=r"\(move e 2 c 3\) is not legal for white"):
        advance(pinned, "e2c3")
    chased = position(chess_game, "4k3/8/8/8/r3K3/8/8/8 w - - 0 1")
    with pytest.raises(IllegalMoveError):
        advance(chased, "e4f4")
    with pytest.raises(IllegalMoveError):
        advance(chess_game.initial_state(), "e2e5")
    with pytest.raises(IllegalMoveError):
        chess_game.initial_state().next({"white": "(castle kingside)"})
    with pytest.raises(IllegalMoveError):
        advance(position(chess_game, "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"), "a7a8")


# -- minichess -----------------------------------------------------------------------------------


def test_minichess_play_agrees_with_a_model() -> None:
    game, rng = game_of("minichess"), Random(4)
    ends = Counter(str(compare_play(game, Minichess(), game.initial_state(), rng.choice).goals) for _ in range(60))
    assert len(ends) == 2


def minichess_ways(model: Minichess) -> list[int]:
    """The same as perft, by the model: how many ways there are to play so many moves."""
    layer, counts = Counter({tuple(model.pieces.items()): 1}), []
    for step in range(1, 10):
        following: Counter[tuple[tuple[str, Place], ...]] = Counter()
        for pieces, ways in layer.items():
            model.pieces, model.step = dict(pieces), step
            for after in model.moves().values():
                following[tuple(sorted(after.items()))] += ways
        layer = following
        counts.append(layer.total())
    return counts


def test_minichess_counts() -> None:
    levels = list(perft(game_of("minichess").initial_state()))
    assert [level.nodes for level in levels] == minichess_ways(Minichess())
    assert levels[-1].ended == levels[-1].nodes


def test_minichess_is_won_by_white_in_two_moves() -> None:
    start = game_of("minichess").initial_state()
    white = start.game.roles[0]

    def white_can_force(state: State, moves: int) -> bool:
        if state.is_terminal or moves == 0:
            return state.is_terminal and state.goals[white] == 100
        quantifier = any if "(control white)" in state.facts else all
        return quantifier(white_can_force(state.next(joint), moves - 1) for joint in joint_moves(state))

    assert not white_can_force(start, 2)
    assert white_can_force(start, 3)


@pytest.mark.parametrize(
    ("places", "black"),
    [
        ({"wk": "b 2", "wr": "d 4", "bk": "b 4"}, 0),
        ({"wk": "c 3", "wr": "b 2", "bk": "a 1"}, 100),
        ({"wk": "c 1", "wr": "b 4", "bk": "a 4"}, None),
    ],
)
def test_minichess_ends(places: dict[str, str], black: int | None) -> None:
    """Mate; stalemate, which black wins; and an unprotected rook, which can be taken."""
    pieces = {place: piece for piece, place in places.items()}
    squares = [f"{column} {row}" for column in "abcd" for row in "1234"]
    cells = [f"(cell {square} {pieces.get(square, 'blank')})" for square in squares]
    state = game_of("minichess").state([*cells, "(control black)", "(step 4)"])
    assert state.is_terminal == (black is not None)
    if black is None:
        assert "(move bk a 4 b 4)" in state.legal_moves("black")
        assert "(cell b 4 bk)" in state.next({"black": "(move bk a 4 b 4)"}).facts
    else:
        assert state.goals == {"white": 100 - black, "black": black}


# -- hallway -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_hallway_play_agrees_with_a_model(seed: int) -> None:
    """In every other game walls come only next to others, so that ways are closed."""
    game, rng, model = game_of("hallway"), Random(seed), Hallway()

    def choose(moves: list[str]) -> str:
        near = [(x + dx, y + dy) for x, y, _ in model.walls for dx in (-2, -1, 0, 1, 2) for dy in (-2, -1, 0, 1, 2)]
        crowded = [move for move in moves if any(f"(build {x} {y} " in move for x, y in near)]
        return rng.choice(crowded if crowded and seed % 2 else moves)

    compare_play(game, model, game.initial_state(), choose)


def test_hallway_walls_take_room() -> None:
    state = game_of("hallway").initial_state()
    assert len(state.legal_moves("white")) == 3 + 98
    state = state.next({"white": "(build 3 4 upright)"})
    gone = {"(build 3 3 upright)", "(build 3 4 upright)", "(build 3 5 upright)", "(build 3 4 level)"}
    assert gone.isdisjoint(state.legal_moves("black"))
    assert len(state.legal_moves("black")) == 3 + 98 - len(gone)
    state = state.next({"black": "(build 1 7 level)"})
    gone = {"(build 1 7 level)", "(build 2 7 level)", "(build 1 7 upright)"}
    assert gone.isdisjoint(state.legal_moves("white"))


def play_hallway(moves: list[str]) -> State:
    game = game_of("hallway")
    state = game.initial_state()
    for turn, move in enumerate(moves):
        assert not state.is_terminal
        state = state.next({game.roles[turn % 2]: move})
    return state


def test_hallway_a_wall_stops_a_pawn() -> None:
    state = play_hallway(["(move 1 5)", "(build 1 4 upright)"])
    assert {move for move in state.legal_moves("white") if "move" in move} == {"(move 1 4)", "(move 1 6)"}
    with pytest.raises(IllegalMoveError):
        state.next({"white": "(move 2 5)"})


@pytest.mark.parametrize(
    ("moves", "white"),
    [
        (["(build 3 1 upright)", "(build 3 3 upright)", "(build 3 5 upright)", "(build 3 7 upright)"], 100),
        (["(build 7 4 upright)", "(build 7 5 level)", "(build 7 3 level)"], 0),
        ([step for n in range(2, 9) for step in (f"(move {n} 4)", f"(move 8 {6 - n % 2})")][:-1], 100),
    ],
)
def test_hallway_ends(moves: list[str], white: int) -> None:
    """Across the whole board, around one pawn only, and by arriving."""
    state = play_hallway(moves)
    assert state.is_terminal
    assert state.goals == {"white": white, "black": 100 - white}


def test_hallway_has_four_walls_each() -> None:
    rows = [f"(build 1 {row} level)" for row in (1, 2, 3, 4)]
    others = [f"(build 5 {row} level)" for row in (1, 2, 3, 4)]
    state = play_hallway([move for pair in zip(rows, others, strict=True) for move in pair])
    assert {move for move in state.legal_moves("white") if "build" in move} == set()
    state = state.next({"white": "(move 2 4)"})
    assert {move for move in state.legal_moves("black") if "build" in move} == set()


def test_hallway_waits_in_a_dead_end_and_ends_after_200_moves() -> None:
    walls = ["(wall 3 7 upright)", "(wall 4 7 upright)", "(walls_left white 0)", "(walls_left black 0)"]
    pawns = ["(cell 4 7 white)", "(cell 4 8 black)"]
    state = game_of("hallway").state([*walls, *pawns, "(control black)", "(step 199)"])
    assert state.legal_moves("black") == ("noop",)
    assert not state.is_terminal
    state = state.next({"black": "noop"})
    assert state.is_terminal
    assert state.goals == {"white": 50, "black": 50}


def test_hallway_replies() -> None:
    """After each opening move the replies are those of the model."""
    start, total = game_of("hallway").initial_state(), 0
    for move in start.legal_moves("white"):
        model = Hallway()
        model.play({"white": str(move)})
        replies = start.next([move, "noop"]).legal_moves("black")
        assert set(replies) == model.legal("black")
        total += len(replies)
    assert total == 9_833
