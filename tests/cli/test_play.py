"""`ludens play`: at a real (pseudo-)terminal, through a pipe, and as a demonstration."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from ludens.arena.store import Store
from tests.cli.command import run
from tests.tiers import FULL
from tests.web.sheets import COIN

if sys.platform == "win32":
    pytest.skip("there are no pseudo-terminals here", allow_module_level=True)

from tests.cli.terminal import Terminal


def test_a_person_plays_a_whole_game() -> None:
    with Terminal("play", "--player", "legal", "--seed", "1") as terminal:
        terminal.expect("you play x, o is legal")
        terminal.expect("x> ")
        terminal.type("3 3")
        terminal.expect("1. x: mark 3 3")
        terminal.expect("2. o: mark 1 1")
        terminal.expect("x> ")
        terminal.type("mark 3 2")
        terminal.expect("4. o: mark 1 2")
        terminal.expect("x> ")
        terminal.type("(mark 3 1)")
        terminal.expect("5. x: mark 3 1")
        terminal.expect("1 │ o │ · │ x │")
        terminal.expect("you win; x wins: x 100, o 0")
        assert terminal.exit_code() == 0
        assert "Traceback" not in terminal.text


def test_commands_and_mistakes() -> None:
    typed = ["help", "undo", "mark 7 7", "mark 2", "hint", "5", "undo", "", "1", "quit"]
    outcome = run("play", "tictactoe", "--role", "x", "--seed", 1, stdin="\n".join(typed).encode())
    assert outcome.code == 0
    shown = iter(outcome.out.split("x> ")[1:])
    for expected in (
        ("take back your last move",),
        ("there is nothing to take back",),
        ("mark 7 7 is not one of your moves",),
        ("that can be 3 moves; which one?", "6 mark 2 3"),
        ("the machine would play mark ",),
        ("1. x: mark 2 2", "2. o: "),
        ("your move is taken back", " · │ · │ · "),
        ("",),
        ("1. x: mark 1 1", "2. o: "),
        ("you left the game",),
    ):
        answer = next(shown)
        assert all(words in answer for words in expected), answer
    assert next(shown, None) is None


def test_control_d_leaves() -> None:
    with Terminal("play", "--player", "legal") as terminal:
        terminal.expect("x> ")
        terminal.press_control_d()
        terminal.expect("you left the game")
        assert terminal.exit_code() == 0


def test_control_c_leaves_even_while_the_machine_thinks() -> None:
    with Terminal("play", "connectfour", "--seconds", "20") as terminal:
        terminal.expect("red> ")
        terminal.type("4")
        terminal.expect("yellow is thinking")
        terminal.press_control_c()
        terminal.expect("you left the game")
        assert terminal.exit_code() == 0
        assert "Traceback" not in terminal.text


def test_the_second_role_and_numbers_of_moves() -> None:
    out = run("play", "connectfour", "--role", "YELLOW", "--player", "legal", stdin=b"7\n7\nquit\n").out
    before, *answers, _ = out.split("yellow> ")
    assert "1. red: drop 1" in before
    for number, answer in zip((2, 4), answers, strict=True):
        assert f"{number}. yellow: drop 7" in answer


def test_people_play_all_roles_at_the_same_time() -> None:
    outcome = run("play", "rockpaperscissors", "--role", "all", stdin=b"rock\nscissors\n" * 5)
    assert outcome.code == 0
    assert re.findall(r"(left|right)> ", outcome.out) == ["left", "right"] * 5
    for number, turn in enumerate(outcome.out.split("right> ")[1:], 1):
        assert f"{number}. left: show rock, right: show scissors" in turn
    assert "left wins: left 100, right 0" in outcome.out


def test_a_puzzle_and_chance() -> None:
    puzzle = run("play", "eightpuzzle", "--role", "solver", stdin=b"2 3\n").out
    assert re.search(r"you play solver;.*1\. solver: slide 2 3", puzzle, re.DOTALL)
    options = ("--role", "red", "--player", "random", "--seed", 4)
    race = run("play", "dicerace", *options, stdin=b"b\n").out
    assert re.search(r"1\. random: roll .*red> .*2\. red: run b", race, re.DOTALL)


@pytest.mark.full
def test_a_match_to_watch_at_a_terminal() -> None:
    with Terminal("play", "nim", "--watch", "--player", "random", "--player", "legal", "--seed", "2") as terminal:
        terminal.expect("first is random, second is legal")
        terminal.expect("wins: first ")
        assert terminal.exit_code() == 0


def test_without_a_terminal_there_is_a_demonstration() -> None:
    outcome = run("play", "--seed", "3")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("tictactoe: x is uct, o is uct")
    assert "\n1. x: mark " in outcome.out
    assert "\n2. o: mark " in outcome.out
    assert outcome.out.rstrip().splitlines()[-1].startswith(("x wins: ", "o wins: ", "a draw: "))
    assert "\x1b" not in outcome.out


@pytest.mark.parametrize(
    "game", ["rockpaperscissors", "dicerace", *(pytest.param(game, marks=FULL) for game in ("threeway", "eightpuzzle"))]
)
def test_the_same_seed_shows_the_same_match(game: str) -> None:
    options = ("play", game, "--watch", "--player", "random", "--seed", 11)
    first = run(*options)
    assert first.code == 0
    assert run(*options).out == first.out
    assert run(*options[:-1], 12).out != first.out


def test_the_clock_is_kept_without_a_seed() -> None:
    outcome = run("play", "nim", "--seconds", 0.02)
    assert outcome.code == 0
    assert "wins: first " in outcome.out


def test_moves_come_through_a_pipe_when_a_role_is_named() -> None:
    outcome = run("play", "nim", "--role", "first", "--player", "legal", "--seed", 1, stdin=b"take a 3\nquit\n")
    assert outcome.code == 0
    assert "1. first: take a 3" in outcome.out
    assert outcome.out.endswith("you left the game\n")


def test_a_person_is_not_shown_what_its_role_cannot_see(tmp_path: Path) -> None:
    sheet = tmp_path / "coin.kif"
    sheet.write_text(COIN, encoding="utf-8")
    options = ("play", sheet, "--player", "random", "--seed", 1)
    outcome = run(*options, "--role", "guesser", stdin=b"hint\nboard\nsay heads\n")
    before, asked, after = outcome.out.partition("guesser> ")
    assert (outcome.code, asked) == (0, "guesser> ")
    assert "1. guesser: noop\nguesser sees nothing\n" in before
    during, _, end = after.rpartition("guesser> ")
    assert "has no advice" in during
    for secret in ("toss", "coin ", "heads ·", "tails ·"):
        assert secret not in before.removeprefix("coin: ") + during
    assert "1. random: toss " in end
    assert "\n2. guesser: say heads\n" in end
    assert "1. random: toss " in run(*options, "--role", "keeper", stdin=b"").out, "it sees how the coin falls"


def test_of_several_people_each_is_shown_what_it_knows_when_it_is_asked(tmp_path: Path) -> None:
    sheet = tmp_path / "coin.kif"
    sheet.write_text(COIN, encoding="utf-8")
    out = run("play", sheet, "--role", "all", "--seed", 1, stdin=b"say heads\n").out
    before, _, end = out.partition("guesser> ")
    assert "guesser sees nothing" in before
    assert "keeper sees" not in out
    assert "toss" not in before
    assert "1. random: toss " in end


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("nowhere",), 1, "neither a bundled game nor a file"),
        (("nim", "--role", "third"), 1, "there is no role 'third'; the roles are first, second, all"),
        (("nim", "--player", "grandmaster"), 2, "there is no player 'grandmaster'"),
        (("nim", "--seconds", "0"), 2, "--seconds"),
    ],
)
def test_mistakes_on_the_command_line(options: tuple[str, ...], code: int, message: str) -> None:
    outcome = run("play", *options)
    assert (outcome.code, outcome.out) == (code, "")
    assert message in outcome.err.replace("│", "").replace("\n", " ")


def kept(store: Path) -> list[tuple[str, tuple[str | None, ...], int]]:
    with Store(store) as opened:
        return [(match.status, match.players, match.turns) for match in opened.matches()]


def test_games_at_the_terminal_are_kept(tmp_path: Path) -> None:
    store = tmp_path / "matches.sqlite"
    options = ("play", "tictactoe", "--role", "x", "--player", "legal", "--seed", 1, "--store", store)
    assert run(*options, stdin=b"quit\n").code == 0
    assert run(*options, "--no-keep", stdin=b"3 3\nquit\n").code == 0
    assert not store.exists()
    assert "you win" in run(*options, stdin=b"3 3\n3 2\n3 1\n").out
    assert run(*options, stdin=b"3 3\nundo\n2 2\nquit\n").code == 0
    assert kept(store) == [("completed", ("person", "legal"), 5), ("aborted", ("person", "legal"), 2)]


def test_a_store_that_cannot_be_written_is_told_after_the_game(tmp_path: Path) -> None:
    options = ("play", "tictactoe", "--role", "x", "--player", "legal", "--store", tmp_path)
    outcome = run(*options, stdin=b"3 3\n3 2\n3 1\n")
    assert outcome.code == 0
    assert "you win" in outcome.out
    assert outcome.err.count("matches are not kept") == 1


def test_a_person_at_the_terminal_is_told_how_to_see_the_match_again() -> None:
    with Terminal("play", "nim", "--watch", "--player", "legal") as terminal:
        terminal.expect("`ludens replay nim.")
        assert terminal.exit_code() == 0
