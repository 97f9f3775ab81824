"""Boards, pieces, quantities, counters and turns of games of the papers, as a person would name them."""

from __future__ import annotations

from random import Random

import pytest

from ludens import load
from ludens.analysis.facts import analyse
from ludens.runtime.deadline import Deadline
from tests.analysis.analysed import board_of, facts_of, facts_of_rules, kinds, shape, structure_of
from tests.tiers import every_game, first

ORDERED_BOARDS = {
    "breakthrough": (8, 8),
    "checkers": (8, 8),
    "cylindercheckers": (8, 8),
    "othello": (8, 8),
    "nothello": (8, 8),
    "connectfour": (7, 6),
    "chess": (8, 8),
    "minichess": (4, 4),
    "hallway": (8, 8),
    "eightpuzzle": (3, 3),
    "chinesecheckers3": (13, 9),
    "racetrackcorridor": (3, 5),
    "knightstour": (5, 5),
    "amazons": (10, 10),
    "amazonswhole": (10, 10),
    "atarigo": (7, 7),
    "gomoku": (15, 15),
    "hex": (9, 9),
    "tron": (8, 8),
    "hanoi": (5,),
    "dotsandboxes": (9, 9),
    "fourcorners": (5, 5),
    "treasurehunt": (5, 5),
    "threeway": (5, 5),
    "chinesecheckers6": (13, 9),
    "simultaneousconnectfour": (7, 6),
}
OTHER_BOARDS = {
    "lightsout": ("lit", (5, 5), "oo", ()),
    "tron": ("at", (8, 8), "oo", (0,)),
    "wirepuller": ("wire", (4, 4), "oo", (3,)),
    "toetactic": ("cell", (3, 3), "--", (2,)),
    "sudoku": ("cell", (9, 9), "--", (2,)),
}
"""The fluent, the sizes of the board, which coordinates have an order, and the arguments that are contents."""


@pytest.mark.parametrize("name", every_game(of=ORDERED_BOARDS))
def test_ordered_boards(name: str) -> None:
    board = board_of(structure_of(name), "cell")
    assert shape(board) == ORDERED_BOARDS[name]
    assert board.is_ordered
    assert board.exclusive


@pytest.mark.parametrize("name", first(3, OTHER_BOARDS))
def test_other_boards(name: str) -> None:
    fluent, sizes, ordered, contents = OTHER_BOARDS[name]
    board = board_of(structure_of(name), fluent)
    assert shape(board) == sizes
    assert "".join("o" if axis.order else "-" for axis in board.axes) == ordered
    assert board.content_arguments == contents


def test_racetrack_has_two_boards_in_one_fluent() -> None:
    """The paper: in (cell ?b ?y ?x ?c) the inputs are ?b, ?x and ?y; only the domains of ?x and ?y are ordered."""
    facts = facts_of("racetrackcorridor")
    board = board_of(facts, "cell")
    assert board.key.inputs == (0, 1, 2)
    assert board.key.evidence == "proved"
    assert board.coordinates == (1, 2)
    (lane,) = board.selectors
    assert lane.argument == 0
    assert set(lane.words) == {"white", "black"}
    assert board.content_arguments == (3,)
    assert board.places == 30
    assert kinds(facts, board) == {"runner": ("piece", None), "blank": ("blank", None)}
    (runner,) = [content for content in board.contents if content.words == ("runner",)]
    assert (runner.unique, runner.unique_evidence) == (True, "proved")


def test_pieces_of_minichess_as_in_the_paper() -> None:
    """Kuhlmann and others: rook and king are pieces, what is on several cells at a time is none."""
    facts = structure_of("minichess")
    board = board_of(facts, "cell")
    found = kinds(facts, board)
    assert found.pop("blank") == ("blank", None)
    assert {kind for kind, _ in found.values()} == {"piece"}
    assert all(content.unique for content in board.contents if content.kind == "piece")
    assert facts.counter is not None
    assert facts.counter.signature == ("step", 1)


def test_markers_of_othello() -> None:
    facts = structure_of("othello")
    found = kinds(facts, board_of(facts, "cell"))
    assert found == {"black": ("marker", "black"), "white": ("marker", "white")}


def test_unordered_board_of_tic_tac_toe() -> None:
    facts = structure_of("tictactoe")
    board = board_of(facts, "cell")
    assert shape(board) == (3, 3)
    assert not board.is_ordered
    assert kinds(facts, board) == {"blank": ("blank", None), "x": ("marker", "x"), "o": ("marker", "o")}


def test_board_of_nine_mens_morris_has_few_places() -> None:
    facts = structure_of("ninemensmorris")
    board = board_of(facts, "cell")
    assert shape(board) == (7, 7)
    assert board.places == 24
    assert kinds(facts, board) == {"white": ("piece", "white"), "black": ("piece", "black"), "blank": ("blank", None)}


@pytest.mark.full
def test_pieces_of_chess_and_their_owners() -> None:
    facts = structure_of("chess")
    found = kinds(facts, board_of(facts, "cell"))
    assert found.pop("blank") == ("blank", None)
    assert len(found) == 12
    assert all(kind == "piece" and owner and owner[0] == name[0] for name, (kind, owner) in found.items())


def test_pieces_of_checkers_and_chinese_checkers() -> None:
    checkers = structure_of("checkers")
    found = kinds(checkers, board_of(checkers, "cell"))
    assert found["red_man"] == ("piece", "red")
    assert found["black_king"] == ("piece", "black")
    chinese = structure_of("chinesecheckers3")
    found = kinds(chinese, board_of(chinese, "cell"))
    assert {name: owner for name, (kind, owner) in found.items() if kind == "piece"} == {
        name: name for name in ("red", "yellow", "purple")
    }


def test_the_cylinder_goes_round_in_columns_only() -> None:
    column, row = board_of(structure_of("cylindercheckers"), "cell").axes
    assert column.order is not None
    assert row.order is not None
    assert (column.order.wraps, row.order.wraps) == (True, False)
    assert column.order.distance("1", "8") == 1
    assert row.order.distance("1", "8") == 7
    flat_column, _ = board_of(structure_of("checkers"), "cell").axes
    assert flat_column.order is not None
    assert not flat_column.order.wraps


def test_blocks_world_has_no_board() -> None:
    facts = structure_of("blocksworld")
    assert facts.boards == ()
    assert facts.quantities == ()
    assert facts.counter is not None
    assert facts.counter.ends_at == 6


@pytest.mark.parametrize(
    ("name", "quantities"),
    first(
        5,
        [
            ("farmers", {"money": (0,), "price": (0,), "store": (0, 1)}),
            ("nim", {"heap": (0,)}),
            ("racetrackcorridor", {"walls_left": (0,)}),
            ("tictactoe", {}),
            ("rockpaperscissors", {"won": (0,)}),
            ("hallway", {"walls_left": (0,)}),
            ("kalah", {"cell": (0, 1), "store": (0,)}),
            ("biddingtictactoe", {"coins": (0,)}),
            ("chinesecheckers3", {"round": ()}),
            ("landlord", {"at": (0,), "money": (0,), "turn": ()}),
        ],
    ),
)
def test_quantities(name: str, quantities: dict[str, tuple[int, ...]]) -> None:
    found = {quantity.signature[0]: quantity.key.inputs for quantity in structure_of(name).quantities}
    assert found == quantities


@pytest.mark.parametrize(
    ("name", "ends_at"),
    [("racetrackcorridor", 20), ("eightpuzzle", 30), ("hallway", 200), ("cylindercheckers", 50), ("stepcounter", 3)],
)
def test_step_counters(name: str, ends_at: int) -> None:
    counter = structure_of(name).counter
    assert counter is not None
    assert counter.signature == ("step", 1)
    assert counter.evidence == "proved"
    assert counter.ends_at == ends_at
    assert counter.facts[ends_at] == ("step", str(ends_at))


@pytest.mark.parametrize(
    "name", first(2, ["tictactoe", "breakthrough", "connectfour", "othello", "hallway", "minichess"])
)
def test_turns_that_alternate(name: str) -> None:
    control = facts_of(name).control
    assert control is not None
    assert control.signature == ("control", 1)
    assert control.order == (0, 1)
    assert (control.evidence, control.order_evidence) == ("proved", "proved")


def test_turns_of_three_and_turns_that_are_repeated() -> None:
    chinese = facts_of("chinesecheckers3")
    assert chinese.control is not None
    assert chinese.control.evidence == "proved"
    assert [chinese.roles[role] for role in chinese.control.order] == ["red", "yellow", "purple"]
    checkers = facts_of("checkers").control
    assert checkers is not None
    assert checkers.order == ()
    assert checkers.evidence == "proved"


@pytest.mark.parametrize("name", ["racetrackcorridor", "rockpaperscissors", "blocksworld", "farmers"])
def test_no_turns(name: str) -> None:
    assert structure_of(name).control is None


def test_chance_is_nobody_who_takes_turns() -> None:
    pig = structure_of("pig")
    assert pig.control is not None
    assert {pig.roles[role] for role in pig.control.turns.values()} == set(pig.roles) - {"random"}


def test_places_in_a_circle_are_near_each_other_both_ways() -> None:
    place = structure_of("landlord").quantity(("at", 2))
    assert place is not None
    assert place.order.wraps
    assert (place.order.distance("11", "0"), place.order.distance("0", "6")) == (1, 6)


def test_pegs_are_pieces_and_holes_are_blank() -> None:
    facts = structure_of("pegsolitaire")
    assert kinds(facts, board_of(facts, "cell")) == {"peg": ("piece", None), "hole": ("blank", None)}


def test_a_disc_that_random_play_hardly_moves_is_a_piece_like_the_others() -> None:
    facts = structure_of("hanoi")
    found = kinds(facts, board_of(facts, "cell"))
    assert found.pop("blank") == ("blank", None)
    assert {name: kind for name, (kind, _) in found.items()} == dict.fromkeys("12345", "piece")


def test_marks_on_places_that_are_turned_are_no_pieces() -> None:
    facts = structure_of("pentago")
    assert {kind for kind, _ in kinds(facts, board_of(facts, "cell")).values()} == {"blank", "marker"}


def test_turns_although_nobody_has_one_at_first() -> None:
    """Backgammon: dice tell who begins."""
    facts = structure_of("backgammon")
    assert facts.control is not None
    assert facts.control.turns == {("control", "white"): 0, ("control", "black"): 1}


def test_teams() -> None:
    assert structure_of("twokeys").kind.teams == ((0, 1),)
    assert structure_of("tictactoe").kind.constant_sum


# -- sheets made for one thing ---------------------------------------------------------------

CUBE = """
(role me) (succ 1 2) (succ 2 3) (index 1) (index 2) (index 3)
(<= (init (at ?x ?y ?z empty)) (index ?x) (index ?y) (index ?z))
(<= (legal me (fill ?x ?y ?z)) (true (at ?x ?y ?z empty)) (not (beyond ?x))) (<= (beyond ?x) (index ?x) (succ ?x ?x))
(<= (next (at ?x ?y ?z full)) (does me (fill ?x ?y ?z)))
(<= (next (at ?x ?y ?z ?c)) (true (at ?x ?y ?z ?c)) (not (does me (fill ?x ?y ?z))))
(<= (near ?x ?y ?z) (true (at ?v ?y ?z full)) (succ ?v ?x)) (<= (near ?x ?y ?z) (true (at ?x ?v ?z full)) (succ ?v ?y))
(<= (near ?x ?y ?z) (true (at ?x ?y ?v full)) (succ ?v ?z))
(<= terminal (near 3 3 3)) (<= (goal me 100) (near 3 3 3)) (<= (goal me 0) (not (near 3 3 3)))
"""


def test_board_of_three_dimensions() -> None:
    board = board_of(facts_of_rules(CUBE), "at")
    assert shape(board) == (3, 3, 3)
    assert board.is_ordered
    assert board.places == 27
    assert board.key.evidence == "proved"
    assert board.blank == ("empty",)


WALKERS = """
(role me) (succ 1 2) (succ 2 3) (succ 3 4) (walker ann) (walker bob) (init (place ann 1 1)) (init (place bob 1 1))
(<= (legal me (east ?w)) (true (place ?w ?x ?y)) (succ ?x ?z))
(<= (legal me (north ?w)) (true (place ?w ?x ?y)) (succ ?y ?z))
(legal me rest)
(<= (next (place ?w ?z ?y)) (true (place ?w ?x ?y)) (does me (east ?w)) (succ ?x ?z))
(<= (next (place ?w ?x ?z)) (true (place ?w ?x ?y)) (does me (north ?w)) (succ ?y ?z))
(<= (next (place ?w ?x ?y)) (true (place ?w ?x ?y)) (not (walks ?w)))
(<= (walks ?w) (does me (east ?w))) (<= (walks ?w) (does me (north ?w)))
(<= terminal (true (place ann 4 4)))
(<= (goal me 100) (true (place ann 4 4))) (<= (goal me 0) (not (true (place ann 4 4))))
"""


def test_things_that_have_a_place_are_on_a_board_that_they_may_share() -> None:
    board = board_of(facts_of_rules(WALKERS), "place")
    assert board.coordinates == (1, 2)
    assert board.content_arguments == (0,)
    assert not board.exclusive
    assert [(content.words, content.kind, content.unique_evidence) for content in board.contents] == [
        (("ann",), "piece", "proved"),
        (("bob",), "piece", "proved"),
    ]


RAILS = """
(role me) (succ 1 2) (succ 2 3) (succ 3 4) (legal me wait)
(<= (legal me (lay ?x ?y)) (succ ?x ?y) (not (true (rail ?x ?y))))
(<= (next (rail ?x ?y)) (true (rail ?x ?y))) (<= (next (rail ?x ?y)) (does me (lay ?x ?y)))
(<= terminal (true (rail 1 2)) (true (rail 3 4))) (<= (goal me 100) (true (rail 1 2))) (init start)
"""


def test_what_all_facts_have_is_no_content() -> None:
    """A rail always leads from a place to the next: its end is determined, but says nothing about the state."""
    facts = facts_of_rules(RAILS)
    assert [key.trivial for key in facts.modes["rail", 2].keys] == [True, True]
    board = board_of(facts, "rail")
    assert (board.coordinates, board.content_arguments) == ((0, 1), ())
    assert facts.quantities == ()


PLACES = """
(role me) (succ 1 2) (succ 2 3) (succ 3 4) (index 1) (index 2) (index 3) (index 4) (fuel 1 2) (fuel 3 1)
(init (at cart 1 1)) (init (at fire 4 4)) (init (at fire 3 4))
(<= (legal me (drive ?z)) (true (at cart ?x ?y)) (succ ?x ?z)) (legal me wait)
(<= (next (at cart ?z ?y)) (does me (drive ?z)) (true (at cart ?x ?y)))
(<= (next (at cart ?x ?y)) (does me wait) (true (at cart ?x ?y)))
(<= (next (at fire ?x ?y)) (true (at fire ?x ?y))) (<= (next (at fire ?x ?z)) (true (at fire ?x ?y)) (succ ?z ?y))
(<= terminal (true (at fire 3 1)))
(<= (goal me 100) (true (at cart 4 1)) (not (true (at fire 4 1)))) (<= (goal me 0) (not (true (at cart 4 1))))
"""


def test_things_on_a_board_that_several_places_may_have() -> None:
    facts = facts_of_rules(PLACES, proofs=False)
    board = board_of(facts, "at")
    assert (board.coordinates, board.selectors, board.content_arguments) == ((1, 2), (), (0,))
    assert not board.exclusive
    assert kinds(facts, board) == {"cart": ("piece", "me"), "fire": ("marker", "me")}


GHOST = f"""
(role me) {" ".join(f"(succ {n} {n + 1})" for n in range(1, 12))} (init (cell 1 1 runner)) (init (run 1))
(mv 1) (mv 2) (mv 3) (mv 4) (mv 5) (mv 6) (mv 7) (init (cell 5 5 rock))
(<= (legal me (play ?m)) (mv ?m))
(<= (next (run ?m)) (true (run ?n)) (succ ?n ?m) (does me (play 1))) (<= (next (run 1)) (not (does me (play 1))))
(<= (next (cell ?z ?y runner)) (true (cell ?x ?y runner)) (does me (play 2)) (succ ?x ?z))
(<= (next (cell ?x ?z runner)) (true (cell ?x ?y runner)) (does me (play 3)) (succ ?y ?z))
(<= (next (cell ?x ?y runner)) (true (cell ?x ?y runner)) (not (does me (play 2))) (not (does me (play 3))))
(<= (next (cell 1 ?y ghost)) (true (run 12)) (succ ?x ?y))
(<= (next (cell ?x ?y ghost)) (true (cell ?x ?y ghost))) (<= (next (cell 5 5 rock)) (true (cell 5 5 rock)))
(<= terminal (true (cell 12 12 runner))) (goal me 50)
"""


def test_what_was_never_seen_is_not_refuted() -> None:
    """The ghost comes only after eleven right moves in a row, and then to several places."""
    facts = facts_of_rules(GHOST)
    board = board_of(facts, "cell")
    ghost, rock, runner = sorted(board.contents, key=lambda content: content.words)
    assert (ghost.kind, ghost.most, ghost.unique_evidence) == ("marker", 0, "sampled")
    assert (rock.kind, rock.unique_evidence) == ("marker", "proved")
    assert (runner.kind, runner.unique_evidence) == ("piece", "proved")


def test_a_game_that_is_not_compiled() -> None:
    """The reference engine tells the same structures, from fewer states."""
    compiled = board_of(structure_of("hallway"), "cell")
    game = load("hallway")
    game.stop_compiling()
    facts = analyse(game, Deadline(60), Random(1), proofs=False, symmetries=False)
    assert "does not become a circuit" in facts.left_out[0]
    board = board_of(facts, "cell")
    assert [axis.words for axis in board.axes] == [axis.words for axis in compiled.axes]
    assert board.places == compiled.places
