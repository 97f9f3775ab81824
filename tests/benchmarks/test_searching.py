"""The benchmark of the searches: what it counts, its puzzles, and that nobody who fails ends the run."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

import ludens
from benchmarks.catalogue import CATALOGUE
from benchmarks.comparing import Rate, Worked
from benchmarks.searching import SearchBench, main
from benchmarks.searching_proofs import HARDEST, PROOFS, ProofTask, bundled_text, eight_puzzle, small_connect_four
from benchmarks.searching_report import draw_chart
from benchmarks.searching_results import (
    ONE_THREAD,
    PLAYOUTS,
    SPIEL,
    SPIEL_SOLVER,
    TREE,
    TWO_THREADS,
    Proof,
    SearchResults,
)
from benchmarks.searching_work import open_spiel_search, pure_playouts, tree_search
from ludens.game import Game
from tests.analysis.analysed import game_of

SOLVED = "123/456/78_"


def distances() -> dict[str, int]:
    """How many moves each position of the eight puzzle is from the solved one, by plain breadth-first search."""
    found, frontier = {SOLVED: 0}, [SOLVED]
    while frontier:
        after: list[str] = []
        for position in frontier:
            gap = position.index("_")
            for other in (gap - 4, gap - 1, gap + 1, gap + 4):
                if 0 <= other < len(SOLVED) and position[other] != "/":
                    tiles = list(position)
                    tiles[gap], tiles[other] = tiles[other], "_"
                    moved = "".join(tiles)
                    if moved not in found:
                        found[moved] = found[position] + 1
                        after.append(moved)
        frontier = after
    return found


@pytest.mark.full
def test_the_hardest_positions_are_the_hardest() -> None:
    moves = distances()
    assert len(moves) == 181_440
    most = max(moves.values())
    assert {position: most for position in moves if moves[position] == most} == HARDEST


def test_a_position_of_the_eight_puzzle() -> None:
    game = ludens.load(eight_puzzle("123/456/7_8", 5))
    state = game.initial_state()
    assert set(state.legal_moves("solver")) == {"(slide 1 1)", "(slide 3 1)", "(slide 2 2)"}
    assert state.next({"solver": "(slide 3 1)"}).goals == {"solver": 100}
    for _ in range(5):
        assert not state.is_terminal
        state = state.next({"solver": state.legal_moves("solver")[0]})
    assert state.is_terminal


@pytest.mark.parametrize(("columns", "rows"), [(4, 4), (5, 4), (4, 5), (7, 6)])
def test_small_boards_of_connect_four(columns: int, rows: int) -> None:
    state = ludens.load(small_connect_four(columns, rows)).initial_state()
    assert len([fact for fact in state.facts if fact.name == "cell"]) == columns * rows
    for step in range(rows):
        mover = "red" if step % 2 == 0 else "yellow"
        assert len(state.legal_moves(mover)) == columns
        state = state.next({mover: "(drop 1)"})
    assert "(drop 1)" not in {*state.legal_moves("red"), *state.legal_moves("yellow")}


def test_the_board_of_its_usual_size_is_the_bundled_game() -> None:
    whole = ludens.load(small_connect_four(7, 6)).initial_state()
    bundled = ludens.load(bundled_text("connectfour")).initial_state()
    assert whole.facts == bundled.facts


@pytest.fixture
def tictactoe() -> Game:
    return game_of("tictactoe")


@pytest.mark.parametrize(
    "prepare",
    [
        lambda game: tree_search(game, threads=1),
        pure_playouts,
        lambda game: open_spiel_search("tic_tac_toe", solve=False),
        lambda game: open_spiel_search("tic_tac_toe", solve=True),
    ],
    ids=[TREE, PLAYOUTS, SPIEL, SPIEL_SOLVER],
)
def test_contenders_work_for_their_time(prepare: Callable[[Game], Callable[[float], Worked]], tictactoe: Game) -> None:
    worked = prepare(tictactoe)(0.1)
    assert worked.iterations > 0
    assert max(worked.seconds, worked.cpu_seconds) >= 0.1, "random games are played on all cores"
    assert worked.cpu_seconds > 0


def rates(game: str, **speeds: float) -> SearchResults:
    results = SearchResults(1, 3, "some processor", {"python": "3"})
    for name, speed in speeds.items():
        results.add(Rate.of(game, name.replace("_", "-"), [speed / 2, speed, speed * 2]))
    return results


def test_ratios_and_targets() -> None:
    results = rates("hex", mcts=50, playouts=100, openspiel=4, openspiel_solver=5, one_thread=10, two_threads=16)
    assert [(ratio.peer, ratio.ratio, ratio.target, ratio.met) for ratio in results.ratios()] == [
        (PLAYOUTS, 0.5, None, None),
        (SPIEL, 10, 10, True),
        (ONE_THREAD, 1.6, 1.7, False),
    ]
    ratio = rates("othello", mcts=30, playouts=100).ratio("othello", PLAYOUTS)
    assert ratio is not None
    assert ratio.met is False, "othello has a target for this"
    assert rates("othello", mcts=30).ratio("othello", TWO_THREADS) is None


@pytest.mark.parametrize(
    ("answer", "seconds", "target", "met"),
    [("50", 0.05, 0.1, True), ("50", 0.2, 0.1, False), ("100", 0.05, 0.1, False), ("50", 99.0, None, True)],
)
def test_a_proof_has_to_be_right_and_in_time(answer: str, seconds: float, target: float | None, met: bool) -> None:
    assert Proof("tictactoe", "50", answer, seconds, target).met is met


def test_results_and_chart_survive_a_file(tmp_path: Path) -> None:
    results = rates("hex", mcts=50, playouts=100, openspiel=4)
    results.add(Rate("hex", TWO_THREADS, problem="broken"))
    results.proofs["nim"] = Proof("nim", "100", "100", 0.01, 10)
    results.proofs["tictactoe"] = Proof("tictactoe", "50", problem="broken")
    results.write(tmp_path / "deep" / "bench.json")
    again = SearchResults.read(tmp_path / "deep" / "bench.json")
    assert again.document() == results.document()
    draw_chart(again, tmp_path / "bench.svg")
    bars = [part for part in ElementTree.parse(tmp_path / "bench.svg").iter() if part.get("class") == "c0"]
    assert len(bars) == 3, "one in the legend, one for the game, one for the proof that was made"


def test_a_run_goes_on_when_somebody_fails() -> None:
    results = SearchResults(0.1, 1, "some processor", {})
    bench = SearchBench(results, lambda words: None)

    def fail(game: Game) -> str:
        raise RuntimeError("no way\nat all")

    bench.prove(ProofTask("broken", lambda: bundled_text("nim"), fail, "100", 1.0))
    assert results.proofs["broken"].problem == "RuntimeError: no way"
    assert not results.proofs["broken"].met
    bench.measure(replace(CATALOGUE["tictactoe"], open_spiel="no_such_game"), ["speed"])
    assert results.rates["tictactoe", SPIEL].problem
    assert results.rate("tictactoe", TREE)


@pytest.mark.full
def test_a_whole_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = ["--games", "tictactoe", "--proofs", "tictactoe", "nim", "--seconds", "0.1", "--rounds", "2"]
    assert main([*few, *files_in(tmp_path)]) == 0
    document = json.loads((tmp_path / "bench.json").read_text())
    measured = {rate["contender"]: rate["per_second"] for rate in document["rates"]}
    assert set(measured) >= {TREE, PLAYOUTS, SPIEL, SPIEL_SOLVER}
    assert all(rate > 100 for rate in measured.values())
    assert {proof["task"]: proof["answer"] for proof in document["proofs"]} == {"tictactoe": "50", "nim": "100"}
    out = capsys.readouterr().out
    assert "tictactoe" in out
    assert "0.1 s" in out
    drawn = (tmp_path / "bench.svg").read_text()
    (tmp_path / "bench.svg").unlink()
    assert main(["--redraw", *files_in(tmp_path)]) == 0
    assert (tmp_path / "bench.svg").read_text() == drawn


def test_what_was_measured_before_an_interruption_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prove = SearchBench.prove

    def until_nim(bench: SearchBench, task: ProofTask) -> None:
        if task.name == "nim":
            raise KeyboardInterrupt
        prove(bench, task)

    monkeypatch.setattr(SearchBench, "prove", until_nim)
    few = ["--parts", "solving", "--proofs", "tictactoe", "nim", "--rounds", "1"]
    assert main([*few, *files_in(tmp_path)]) == 130
    assert list(SearchResults.read(tmp_path / "bench.json").proofs) == ["tictactoe"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--games", "chss"], "invalid choice: 'chss'"),
        (["--proofs", "go"], "invalid choice: 'go'"),
        (["--parts", "all"], "invalid choice: 'all'"),
        (["--rounds", "0"], "not a whole number above 0"),
        (["--seconds", "nan"], "nan is not a number above 0"),
        (["--json", "/dev/null/bench.json"], "/dev/null/bench.json cannot be written"),
        (["--chart", "/"], "/ cannot be written"),
        (["--redraw", "--json", "/missing.json"], "measure first"),
    ],
)
def test_wrong_arguments(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert words in refusal([*files_in(tmp_path), *arguments], capsys)


HEAD = '"seconds": 1, "rounds": 1, "cpu": "", "versions": {}'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        f'{{{HEAD}, "measurements": []}}',
        f'{{{HEAD}, "rates": [], "proofs": []}}',
        f'{{{HEAD}, "rates": [{{"game": "hex", "contender": "mcts", "per_second": 0}}], "proofs": []}}',
        f'{{{HEAD}, "rates": [{{"game": "hex", "speed": 1}}], "proofs": []}}',
    ],
)
def test_figures_of_others_are_refused(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = tmp_path / "bench.json"
    figures.write_text(text)
    assert "does not hold figures" in refusal(["--redraw", *files_in(tmp_path)], capsys)
    assert figures.read_text() == text
    assert list(tmp_path.iterdir()) == [figures]


def test_every_proof_has_a_game() -> None:
    for task in PROOFS.values():
        assert not task.game().initial_state().is_terminal


def files_in(folder: Path) -> list[str]:
    return ["--json", str(folder / "bench.json"), "--chart", str(folder / "bench.svg")]


def refusal(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What the program says about wrong use, which ends it."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    return capsys.readouterr().err
