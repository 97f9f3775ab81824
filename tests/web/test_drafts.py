"""What people are told about their drafts."""

from __future__ import annotations

from xml.etree import ElementTree

from ludens import games
from ludens.gdl.dependencies import DependencyGraph
from ludens.gdl.rules import Rules
from ludens.web.dependency_graph import dependency_svg
from ludens.web.draft_markup import MAX_CHARACTERS, statistics_html
from ludens.web.drafts import check, statistics, structure
from ludens.web.pages.write import MAX_DRAFTS, Drafts

SVG = "{http://www.w3.org/2000/svg}"


def sheet(name: str) -> str:
    found = games.find(name)
    assert found
    return found.read_text(encoding="utf-8")


def test_a_good_sheet_has_no_findings_and_a_graph_of_all_its_relations() -> None:
    text = sheet("tictactoe")
    found = check(text)
    assert found["findings"] == []
    assert found["roles"] == ["x", "o"]
    drawn = ElementTree.fromstring(found["graph"])
    graph = DependencyGraph.of(Rules.parse(text).rules)
    nodes = {*graph.positive, *(used for node in graph.positive for used in graph.uses(node))}
    assert {node.get("data-name") for node in drawn.iter(f"{SVG}g")} == {f"{name}/{arity}" for name, arity in nodes}
    edges = {(edge.get("data-from"), edge.get("data-to")) for edge in drawn.iter(f"{SVG}path")}
    assert edges == {
        (f"{name}/{arity}", f"{used}/{size}")
        for name, arity in graph.positive
        for used, size in graph.uses((name, arity))
    }


def test_what_is_wrong_is_told_with_its_line() -> None:
    found = check("(role x)\n(init (a 1)\n")
    assert [(finding["severity"], finding["line"]) for finding in found["findings"]] == [("error", 2)]
    assert found["graph"] == ""


def test_the_graph_is_left_out_where_nobody_could_read_it() -> None:
    rules = Rules.parse("(role x) " + " ".join(f"(fact{number} 1)" for number in range(200)))
    assert dependency_svg(rules) == ""


def test_structure_names_the_board() -> None:
    found = structure(sheet("connectfour"))
    boards = [words for label, words in found["lines"] if label == "board"]
    assert any(words.startswith("cell: 7 × 6") for words in boards)
    assert found["svg"].count('class="lb-cell"') == 42


def test_statistics_of_a_game_that_the_first_player_wins() -> None:
    found = statistics(
        "(role a) (role b) (legal a go) (legal b go) (init start) (<= terminal (true over)) "
        "(<= (next over) (true start)) (goal a 100) (goal b 0)"
    )
    assert found["length"] == {"least": 1, "mean": 1.0, "most": 1}
    assert found["balance"]["a"] == {"mean": 100.0, "wins": found["plays"], "games": found["plays"]}
    assert found["balance"]["b"]["wins"] == 0


def test_chance_is_nobody_to_win_against() -> None:
    found = statistics(
        "(role solo) (role random) (init start) (legal solo go) (legal random a) (legal random b) "
        "(<= (next over) (true start)) (<= (next (lucky)) (does random a)) (<= terminal (true over)) "
        "(<= (goal solo 100) (true (lucky))) (<= (goal solo 0) (not (true (lucky))))"
    )
    assert list(found["balance"]) == ["solo"]
    assert found["balance"]["solo"]["wins"] is None
    assert 0 < found["balance"]["solo"]["mean"] < 100
    assert "wins" not in statistics_html(found)


def test_drafts_are_kept_by_keys_and_within_bounds() -> None:
    drafts = Drafts()
    first = drafts.add("(role x)")
    assert drafts.text(first) == "(role x)"
    assert drafts.text("unknown") == ""
    keys = [drafts.add("x" * (MAX_CHARACTERS + 1)) for _ in range(MAX_DRAFTS)]
    assert len({first, *keys}) == MAX_DRAFTS + 1
    assert drafts.text(first) == ""
    assert len(drafts.text(keys[-1])) == MAX_CHARACTERS
