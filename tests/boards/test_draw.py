"""Pictures of states: everything is in them, and every rendering shows it."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from rich.cells import cell_len

from ludens import load
from ludens.boards import Hints, Picture, draw, draw_common, draw_facts, make_layout, to_html, to_svg, to_text
from ludens.boards.canvas import text_width
from ludens.boards.compose import MAX_NAMES
from ludens.boards.first_look import first_look
from ludens.boards.lines import WALL
from ludens.boards.picture import Amount, Cell, Gauge, Panel
from ludens.boards.svg import EDGE, UNIT
from ludens.boards.text import NOTHING
from ludens.core import Move, Role
from ludens.gdl.keywords import CHANCE
from ludens.web.pictures import PageArtist
from tests.boards.drawn import HEAD, bundled, hinted, layout_of, picture

SVG = "{http://www.w3.org/2000/svg}"


def cell(drawn: Picture, name: str, grid: int = 0) -> Cell:
    return next(cell for cell in drawn.grids[grid].cells if cell.plan.name == name)


def test_the_last_move_is_marked() -> None:
    drawn = picture("breakthrough", {"white": "(move 1 2 2 3)"})
    assert [cell.plan.name for cell in drawn.grids[0].cells if cell.last] == ["1 2", "2 3"]


def test_a_move_that_names_no_cell_is_marked_where_it_changed_something() -> None:
    drawn = picture("connectfour", {"red": "(drop 4)"}, {"yellow": "(drop 4)"})
    assert [cell.plan.name for cell in drawn.grids[0].cells if cell.last] == ["4 2"]


def test_whose_turn_it_is() -> None:
    assert picture("tictactoe").caption == "x to move"
    assert picture("tictactoe", {"x": "(mark 2 2)"}).caption == "o to move"
    assert picture("rockpaperscissors").caption == "left and right to move"


def test_how_the_game_ended() -> None:
    moves = [{"x": "(mark 1 1)"}, {"o": "(mark 2 1)"}, {"x": "(mark 1 2)"}, {"o": "(mark 2 2)"}, {"x": "(mark 1 3)"}]
    assert picture("tictactoe", *moves).caption == "the game is over: x 100, o 0"


def test_the_same_kind_of_thing_has_one_shape_in_the_colours_of_the_roles() -> None:
    game, layout = bundled("chess")
    drawn = draw(layout, game.initial_state())
    shapes = set()
    for column in "abcdefgh":
        white, black = (cell(drawn, f"{column} {row}").things[0] for row in (1, 8))
        assert white.shape == black.shape
        assert white.paint == drawn.roles[0].paint
        assert black.paint == drawn.roles[1].paint
        shapes.add(white.shape)
    assert len(shapes) == 5


def test_things_of_one_kind_carry_no_letters() -> None:
    drawn = picture("connectfour", {"red": "(drop 4)"})
    (thing,) = cell(drawn, "4 1").things
    assert (thing.shape, thing.mark, thing.role) == ("disc", "", 0)


def test_numbers_are_written_on_tiles() -> None:
    drawn = picture("eightpuzzle")
    things = {cell.things[0].mark for cell in drawn.grids[0].cells if cell.things}
    assert things == set("12345678")
    assert {cell.things[0].shape for cell in drawn.grids[0].cells if cell.things} == {"tile"}


def test_several_things_of_one_role_are_counted() -> None:
    drawn = picture("backgammon")
    (thing,) = cell(drawn, "1 1").things
    assert (thing.count, thing.role) == (5, 1)


def test_amounts_on_a_board() -> None:
    drawn = picture("kalah")
    pits = {cell.plan.name: cell.amounts[0] for cell in drawn.grids[0].cells}
    assert {(amount.text, amount.count) for name, amount in pits.items() if " " in name} == {("4", 4)}
    assert {name: amount.text for name, amount in pits.items() if " " not in name} == {"south": "0", "north": "0"}


def test_stores_are_at_both_ends_of_their_board() -> None:
    cells = picture("kalah").grids[0].plan.cells
    by_name = {cell.name: cell for cell in cells}
    assert by_name["north"].x < min(cell.x for cell in cells if " " in cell.name)
    assert by_name["south"].x > max(cell.x for cell in cells if " " in cell.name)


def test_amounts_beside_the_board() -> None:
    (heaps,) = picture("nim").panels
    assert [(gauge.label, gauge.amount.text, gauge.amount.part) for gauge in heaps.gauges] == [
        ("a", "3", 0.6),
        ("b", "4", 0.8),
        ("c", "5", 1.0),
    ]


def test_numbers_of_the_same_words_are_one_table() -> None:
    svg = to_svg(picture("farmers"))
    assert [svg.count(f">{word}<") for word in ("alice", "store", "money", "wheat")] == [2, 1, 1, 2]


def test_the_titles_of_a_table_do_not_run_into_each_other() -> None:
    panels = [
        Panel(title, tuple(Gauge(word, Amount("0", 0.0), None, (word,)) for word in ("white", "black")))
        for title in ("on the bar", "borne off")
    ]
    svg = ElementTree.fromstring(to_svg(replace(picture("nim"), panels=tuple(panels))))
    starts = {text.text: float(text.attrib["x"]) for text in svg.iter(f"{SVG}text")}
    assert starts["borne off"] > starts["on the bar"] + text_width("on the bar", 12) + 5


def test_a_small_board_stands_in_the_middle_above_what_is_wider() -> None:
    wide = replace(picture("tictactoe"), facts=(("fact", ("a" * 80,)),))
    svg = ElementTree.fromstring(to_svg(wide))
    shift = svg.find(f"{SVG}g")
    assert shift is not None
    left = float(shift.attrib["transform"].split("(")[1].split()[0])
    width = float(svg.attrib["viewBox"].split()[2])
    assert abs(left + EDGE + 1.5 * UNIT - width / 2) < EDGE
    assert "translate(38.0" in to_svg(picture("tictactoe")), "alone it begins at the edge"


def test_small_amounts_are_heaps_of_stones() -> None:
    assert to_svg(picture("nim")).count('class="lb-stone"') == 3 + 4 + 5


def test_blocks_stand_on_each_other() -> None:
    drawn = picture("blocksworld")
    spots = {cell.plan.name: (cell.plan.x, cell.plan.y) for cell in drawn.grids[0].cells}
    assert spots["c"] == (spots["a"][0], spots["a"][1] - 1)
    assert spots["b"][1] == spots["a"][1]
    after = picture("blocksworld", {"robot": "(unstack c a)"})
    assert len({cell.plan.y for cell in after.grids[0].cells}) == 1


def test_what_stands_on_each_other_in_a_circle_is_drawn_once() -> None:
    _, layout = bundled("blocksworld")
    drawn = draw_facts(layout, [("on", "a", "b"), ("on", "b", "c"), ("on", "c", "a")])
    assert len({(cell.plan.x, cell.plan.y) for cell in drawn.grids[0].cells}) == 3


def test_walls_are_between_the_cells_that_they_separate() -> None:
    drawn = picture("hallway", {"white": "(build 3 5 upright)"}, {"black": "(build 6 2 level)"})
    squares = {cell.plan.name: cell.plan for cell in drawn.grids[0].cells if cell.plan.width == 1}
    walls = [(cell, cell.things[0]) for cell in drawn.grids[0].cells if cell.things and cell.things[0].extent]
    upright, level = sorted(walls, key=lambda wall: wall[0].plan.name)
    assert upright[0].plan.x == (squares["3 5"].x + squares["4 5"].x) / 2
    assert upright[0].plan.y == (squares["3 5"].y + squares["3 6"].y) / 2
    assert upright[1].extent == (WALL, 2)
    assert level[1].extent == (2, WALL)
    assert to_svg(drawn).count('class="lb-wall"') == 2


def test_lines_join_their_ends() -> None:
    plan = picture("wirepuller").grids[0].plan
    assert plan.lined
    assert len(plan.posts) == 5 * 4
    lines = {cell.name: cell for cell in plan.cells}
    assert lines["across 1 1"].width > lines["across 1 1"].height
    assert lines["up 2 1"].height > lines["up 2 1"].width
    ends = [
        (lines["across 1 1"].x - lines["across 1 1"].width / 2),
        (lines["across 1 1"].x + lines["across 1 1"].width / 2),
    ]
    assert any(abs(x - ends[0]) < 0.3 and abs(y - lines["across 1 1"].y) < 0.01 for x, y in plan.posts)
    assert any(abs(x - ends[1]) < 0.3 and abs(y - lines["across 1 1"].y) < 0.01 for x, y in plan.posts)


def test_posts_that_never_change_make_lines_and_boxes() -> None:
    cells = {cell.name: cell for cell in picture("dotsandboxes").grids[0].plan.cells}
    assert cells["2 2"].width == cells["2 2"].height == 1
    assert cells["2 1"].width == 1 > 3 * cells["2 1"].height / 2
    assert max(cells["1 1"].width, cells["1 1"].height) < 0.5


def test_points_carry_the_names_that_moves_have_for_them() -> None:
    plan = picture("backgammon").grids[0].plan
    tags = {cell.name: [tag.text for tag in cell.tags] for cell in plan.cells}
    assert tags["12 1"] == ["1", "24"]
    assert tags["1 2"] == ["13", "12"]
    assert sorted(int(names[0]) for names in tags.values()) == list(range(1, 25))
    assert not any(cell.tags for cell in picture("kalah").grids[0].plan.cells)


def test_the_names_of_points_are_neither_cut_off_nor_covered() -> None:
    game = bundled("backgammon")[0]
    svg = ElementTree.fromstring(PageArtist(game).svg([game.initial_state()]))
    board = svg.find(f".//{SVG}g[@transform]/{SVG}g[@class='lb-cell']/..")
    assert board is not None
    top = float(board.attrib["transform"].removesuffix(")").split()[1]) - float(svg.attrib["viewBox"].split()[1])
    for point in board.iter(f"{SVG}g"):
        names = [float(tag.attrib["y"]) for tag in point.findall(f"{SVG}rect[@class='lb-seat']")]
        pile = [float(thing.attrib["transform"].split(")")[0].split()[1]) for thing in point.findall(f"{SVG}path")]
        assert all(top + y > 0 for y in names)
        assert all(abs(y + 5.5 - middle) > 0.41 * UNIT + 5.5 for y in names for middle in pile)


def test_what_is_counted_piles_up() -> None:
    assert to_svg(picture("backgammon")).count("<path") == 30


def test_a_track_that_goes_round_is_a_ring() -> None:
    cells = picture("landlord").grids[0].plan.cells
    assert len(cells) == 12
    steps = [abs(one.x - two.x) + abs(one.y - two.y) for one, two in zip(cells, (*cells[1:], cells[0]), strict=True)]
    assert steps == [1.0] * 12


def test_figures_stand_on_fields() -> None:
    drawn = picture("tron")
    field, figure = cell(drawn, "2 2").things
    assert field.field
    assert cell(drawn, "2 2").figures == (figure,)


def test_steps_are_counted() -> None:
    drawn = picture("lightsout", {"solver": "(press 1 1)"})
    assert [gauge.amount.text for gauge in drawn.panels[0].gauges] == ["1 of 20"]


def test_a_role_can_be_shown_what_it_knows() -> None:
    game, layout = bundled("tictactoe")
    known = [term for term in game.initial_state().terms if term[1:3] != ("1", "1")]
    drawn = draw_facts(layout, known, turn=[1])
    assert drawn.caption == "o to move"
    assert len(drawn.grids[0].cells) == 9


def test_chance_has_no_seat() -> None:
    assert all(role.name.lower() != CHANCE for role in picture("pig").roles)


def test_hostile_names_do_no_harm() -> None:
    name = "\x9b2J<script>&"
    game = load(HEAD + f"(init go) (init (at {name})) (<= (next go) (true (at ?x)))")
    drawn = draw(layout_of(game), game.initial_state())
    ElementTree.fromstring(to_svg(drawn))
    assert "<script" not in to_html(drawn)
    assert "\x9b" not in to_svg(drawn) + to_text(drawn)


def test_states_show_themselves_in_notebooks() -> None:
    html = load("tictactoe").initial_state()._repr_html_()
    assert "<svg" in html
    assert "x to move" in html


def test_pictures_show_themselves() -> None:
    drawn = picture("nim")
    assert drawn._repr_html_() == to_html(drawn)
    assert drawn._repr_svg_() == to_svg(drawn)
    assert str(drawn) == to_text(drawn)


def test_small_boards_as_text() -> None:
    drawn = picture("tictactoe", {"x": "(mark 1 1)"}, {"o": "(mark 3 2)"})
    assert to_text(drawn).splitlines() == [
        "  ┌───┬───┬───┐",
        "3 │ · │ · │ · │",
        "  ├───┼───┼───┤",
        "2 │ · │ · │ o │",
        "  ├───┼───┼───┤",
        "1 │ x │ · │ · │",
        "  └───┴───┴───┘",
        "    1   2   3",
        "x to move",
    ]


def test_hexagons_as_text() -> None:
    lines = to_text(picture("hex", {"red": "(place 1 9)"})).splitlines()
    assert lines[:3] == ["9 r · · · · · · · ·", "8  · · · · · · · · ·", "7   · · · · · · · · ·"]


def test_chess_shows_chess_pieces() -> None:
    game, layout = hinted("chess")
    drawn = draw(layout, game.initial_state())
    assert cell(drawn, "e 1").things[0].shape == "king"
    assert cell(drawn, "e 1").things[0].name == "white king"
    assert "8 │ ♜ ♞ ♝ ♛ ♚ ♝ ♞ ♜ │" in to_text(drawn)


def test_a_wrong_move_marks_nothing() -> None:
    game, layout = bundled("tictactoe")
    drawn = draw(layout, game.initial_state(), {Role("x"): Move("(mark 9 9)", ("mark", "9", "9"))})
    assert not any(cell.last for cell in drawn.grids[0].cells)


def test_roles_called_as_colours_have_these() -> None:
    game, _ = bundled("connectfour")
    layout = layout_of(game)
    assert layout.styles.role_paint(1).fill == "#f0c22b"
    assert layout_of(game, Hints()).styles.role_paint(1).fill != "#f0c22b"


def test_wide_letters_keep_the_frame_straight() -> None:
    hints = Hints.from_toml("[things.x]\nglyph = '馬'\nname = '馬'")
    game, plain = bundled("tictactoe")
    layout = make_layout(game, plain.facts, hints)
    drawn = draw(layout, game.initial_state().next({"x": "(mark 2 2)", "o": "noop"}))
    frame = to_text(drawn).splitlines()[:7]
    assert "│ · │ 馬 │" in frame[3].replace("  ", " ")
    assert {cell_len(line) for line in frame} == {cell_len(frame[0])}


def test_a_state_without_facts_is_not_shown_as_an_empty_text() -> None:
    game = load(HEAD + "(init go)")
    layout = make_layout(game, first_look(game))
    assert to_text(draw_facts(layout, [])) == NOTHING
    assert to_text(draw_facts(layout, ["go"])) == "go"


def test_facts_of_very_many_names_are_counted() -> None:
    game = load(HEAD + " ".join(f"(init fact{number})" for number in range(300)))
    drawn = draw_facts(make_layout(game, first_look(game)), game.initial_state().terms)
    assert len(drawn.facts) == MAX_NAMES + 1
    assert to_text(drawn).splitlines()[-1] == "and 200 more facts"
    assert "and 200 more facts" in to_svg(drawn)


def test_what_several_states_have_in_common() -> None:
    game, layout = bundled("tictactoe")
    first = game.initial_state()
    two = [first.next({"x": move, "o": "noop"}) for move in first.legal_moves("x")[:2]]
    assert not any(cell.things for cell in draw_common(layout, two).grids[0].cells)
    assert draw_common(layout, two[:1]) == draw(layout, two[0])
