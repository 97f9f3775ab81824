"""`ludens play`: at a real (pseudo-)terminal, through a pipe, and as a demonstration."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.command import run, run_process
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
    with Terminal("play", "tictactoe", "--seed", "1") as terminal:
        terminal.expect("x> ")
        terminal.type("help")
        terminal.expect("take back your last move")
        terminal.type("undo")
        terminal.expect("there is nothing to take back")
        terminal.type("mark 7 7")
        terminal.expect("mark 7 7 is not one of your moves")
        terminal.type("mark 2")
        terminal.expect("that can be 3 moves; which one?")
        terminal.expect("6 mark 2 3")
        terminal.type("hint")
        terminal.expect("the machine would play mark ")
        terminal.type("5")
        terminal.expect("1. x: mark 2 2")
        terminal.expect("x> ")
        terminal.type("undo")
        terminal.expect("your move is taken back")
        shown = terminal.expect("x> ")
        assert shown.count("·") == 9
        terminal.type("")
        terminal.expect("x> ")
        terminal.type("1")
        terminal.expect("1. x: mark 1 1")
        terminal.expect("2. o: ")
        terminal.expect("x> ")
        terminal.type("quit")
        terminal.expect("you left the game")
        assert terminal.exit_code() == 0


def test_control_d_leaves() -> None:
    with Terminal("play") as terminal:
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
    with Terminal("play", "connectfour", "--role", "YELLOW", "--player", "legal") as terminal:
        terminal.expect("1. red: drop 1")
        for turn in range(2):
            terminal.expect("yellow> ")
            terminal.type("7")
            terminal.expect(f"{2 * turn + 2}. yellow: drop 7")


def test_people_play_all_roles_at_the_same_time() -> None:
    with Terminal("play", "rockpaperscissors", "--role", "all") as terminal:
        for number in range(1, 6):
            terminal.expect("left> ")
            terminal.type("rock")
            terminal.expect("right> ")
            terminal.type("scissors")
            terminal.expect(f"{number}. left: show rock, right: show scissors")
        terminal.expect("left wins: left 100, right 0")
        assert terminal.exit_code() == 0


def test_a_puzzle_and_chance() -> None:
    with Terminal("play", "eightpuzzle") as terminal:
        terminal.expect("you play solver;")
        terminal.type("2 3")
        terminal.expect("1. solver: slide 2 3")
    with Terminal("play", "dicerace", "--player", "random", "--seed", "4") as terminal:
        terminal.expect("1. random: roll ")
        terminal.expect("red> ")
        terminal.type("b")
        terminal.expect("2. red: run b")


def test_a_match_to_watch_at_a_terminal() -> None:
    with Terminal("play", "nim", "--watch", "--player", "random", "--player", "legal", "--seed", "2") as terminal:
        terminal.expect("first is random, second is legal")
        terminal.expect("wins: first ")
        assert terminal.exit_code() == 0


def test_without_a_terminal_there_is_a_demonstration() -> None:
    outcome = run_process("play", "--seed", "3")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("tictactoe: x is uct, o is uct")
    assert "\n1. x: mark " in outcome.out
    assert "\n2. o: mark " in outcome.out
    assert outcome.out.rstrip().splitlines()[-1].startswith(("x wins: ", "o wins: ", "a draw: "))
    assert "\x1b" not in outcome.out


@pytest.mark.parametrize("game", ["threeway", "rockpaperscissors", "dicerace", "eightpuzzle"])
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
