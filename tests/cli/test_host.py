"""`ludens host`: matches between players anywhere, shown, kept and resumed."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from ludens import load
from ludens.arena.store import Store
from ludens.cli.spectator import SEEDED_NODES
from tests.arena.fault_players import VOTES
from tests.arena.wire import WirePlayer, ok
from tests.child import PATIENCE, start
from tests.cli.command import Outcome, run
from tests.tiers import FULL


def host(folder: Path, *arguments: object) -> Outcome:
    return run("host", *arguments, "--store", folder / "matches.sqlite")


def test_a_match_is_shown_and_kept(tmp_path: Path) -> None:
    outcome = host(tmp_path, "tictactoe", "legal", "legal", "--id", "m1", "--seed", 1, "--record", tmp_path / "records")
    assert outcome.code == 0
    assert outcome.out.startswith("tictactoe: x is legal, o is legal")
    assert "match m1, seed 1" in outcome.out
    assert outcome.out.count("┌") == 8
    assert "\n1. x: mark 1 1\n" in outcome.out
    assert "x wins: x 100, o 0" in outcome.out
    assert re.search(r"role +player +points +faults *\nx +legal +100 +0 *\no +legal +0 +0", outcome.out)
    record = json.loads((tmp_path / "records" / "m1.json").read_text())
    assert record["isCompleted"]
    with Store(tmp_path / "matches.sqlite") as store:
        assert store.record("m1").to_json() == record


def test_several_matches_at_once(tmp_path: Path) -> None:
    arguments = ("tictactoe", "random", "random", "--matches", 3, "--id", "m", "--seed", 4)
    outcome = host(tmp_path, *arguments)
    assert outcome.code == 0
    ends = sorted(re.findall(r"m\.\d: .* \(\d moves\)", outcome.out))
    assert [end[:3] for end in ends] == ["m.1", "m.2", "m.3"]
    assert sorted(re.findall(r"m\.\d: .* \(\d moves\)", host(tmp_path / "again", *arguments).out)) == ends


def test_faults_are_shown_in_their_turn(tmp_path: Path) -> None:
    replies = [ok("((name Stubborn) (status available))"), ok("ready"), *[ok("(mark 1 1)")] * 3, ok("done")]
    with WirePlayer(replies) as player:
        outcome = host(tmp_path, "tictactoe", player.address, "legal", "--no-boards", "--max-steps", 3)
    assert "\n1. x: mark 1 1\n\n2. o: mark 1 2\nmove 2: x failed: (mark 1 1) is not legal" in outcome.out
    assert re.search(r"x +Stubborn +\? +2", outcome.out)


def test_what_a_player_answers_is_no_command_for_the_terminal(tmp_path: Path) -> None:
    evil = "\x1b[2J\x07\x9b"
    replies = [ok(f"((name {evil}) (status available))"), ok("ready"), ok(f"(mark {evil} 1)"), ok("done")]
    with WirePlayer(replies) as player:
        outcome = host(tmp_path, "tictactoe", player.address, "legal", "--no-boards", "--max-steps", 1)
    assert "x failed: ?[2J?? answered" in outcome.out
    assert re.search(r"x +\?\[2J\?\? +\? +1", outcome.out)
    assert [each for each in outcome.out + outcome.err if not each.isprintable() and each != "\n"] == []


def test_a_forfeit(tmp_path: Path) -> None:
    with WirePlayer([ok("ready"), ok("(mark 9 9)"), ok("done")]) as player:
        outcome = host(tmp_path, "tictactoe", player.address, "legal", "--forfeit", "--no-boards", "--no-info")
    assert "x forfeited; o wins: x 0, o 100" in outcome.out
    assert outcome.code == 0


def test_scrambled_rules(tmp_path: Path) -> None:
    with WirePlayer([ok("ready"), ok("nonsense"), ok("done")]) as player:
        outcome = host(tmp_path, "tictactoe", player.address, "legal", "--forfeit", "--scramble", "--no-info")
    assert outcome.code == 0
    assert "(role " in player.bodies[0]
    assert "control" not in player.bodies[0]


def test_a_match_that_is_cut(tmp_path: Path) -> None:
    outcome = host(tmp_path, "breakthrough", "legal", "legal", "--max-steps", 3, "--no-boards")
    assert "cut after 3 moves" in outcome.out
    assert outcome.code == 1


@pytest.mark.parametrize("name", ["my game", "a(b)", ".hidden;", "x" * 80])
def test_a_sheet_with_any_name_can_be_hosted(tmp_path: Path, name: str) -> None:
    sheet = tmp_path / f"{name}.kif"
    sheet.write_text(VOTES)
    outcome = host(tmp_path, sheet, "legal", "legal", "--no-boards", "--record", tmp_path / "records")
    assert (outcome.code, outcome.err) == (0, "")
    assert len(list((tmp_path / "records").glob("*.json"))) == 1


def test_a_match_whose_place_is_taken_does_not_begin(tmp_path: Path) -> None:
    host(tmp_path, "nim", "legal", "legal", "--id", "m.2", "--record", tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        seats = ("nim", f"127.0.0.1:{nobody.getsockname()[1]}", "legal", "--no-info")
        taken = host(tmp_path, *seats, "--id", "m.2")
        several = host(tmp_path, *seats, "--id", "m", "--matches", 3)
        (tmp_path / "file").write_text("")
        no_folder = host(tmp_path, *seats, "--record", tmp_path / "file")
        same_file = run("host", *seats, "--id", "m.2", "--record", tmp_path, "--store", tmp_path / "other.sqlite")
        nobody.settimeout(0.0)
        with pytest.raises(BlockingIOError):
            nobody.accept()
    place = tmp_path / "matches.sqlite"
    remedy = "give another --id, or go on with it: --resume m.2"
    assert taken.err == several.err == f"error: there is a match m.2 already in {place}; {remedy}\n"
    words = f"no records can be written to {tmp_path / 'file'}: file exists; name another folder with --record"
    assert no_folder.err == f"error: {words}\n"
    assert "m.2.json already; give another --id" in same_file.err
    assert {outcome.code for outcome in (taken, several, no_folder, same_file)} == {1}


def test_kill_9_in_start_leaves_a_match_to_go_on_with(tmp_path: Path) -> None:
    path = tmp_path / "matches.sqlite"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        seats = [f"127.0.0.1:{silent.getsockname()[1]}", "legal", "--no-info", "--id", "m1", "--store", str(path)]
        with subprocess.Popen(
            [sys.executable, "-m", "ludens", "host", "nim", *seats], stdout=subprocess.PIPE
        ) as process:
            silent.settimeout(PATIENCE)
            connection, _ = silent.accept()
            process.kill()
            connection.close()
    with Store(path) as store:
        assert store.record("m1").turns == 0
    outcome = host(tmp_path, "nim", "legal", "legal", "--resume", "m1", "--no-boards")
    assert outcome.code == 0
    with Store(path) as store:
        record = store.record("m1")
    assert record.is_completed
    assert record.player_names == ["legal", "legal"]
    assert record.notes["earlierPlayers"] == [{"players": [seats[0], "legal"], "turns": 0}]


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, *(pytest.param(number, marks=FULL) for number in (signal.SIGINT, signal.SIGHUP))]
)
def test_signals_break_a_match_off(tmp_path: Path, number: signal.Signals) -> None:
    """Players are told, the record is aborted; in the midst of START, too."""
    store = tmp_path / "matches.sqlite"
    with socket.create_server(("127.0.0.1", 0)) as slow:
        slow.settimeout(PATIENCE)
        seats = [f"127.0.0.1:{slow.getsockname()[1]}", "legal", "--no-info", "--id", "m1", "--store", str(store)]
        with start(
            [sys.executable, "-m", "ludens", "host", "nim", *seats], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            asked, _ = slow.accept()
            process.send_signal(number)
            told, _ = slow.accept()
            words = b""
            with asked, told:
                while not words.endswith(b"(ABORT m1)") and (more := told.recv(800)):
                    words += more
            shown, diagnostics = process.communicate(timeout=PATIENCE)
    assert words.endswith(b"(ABORT m1)")
    assert "broken off: m1; --resume m1 goes on" in shown
    assert (process.returncode, diagnostics) == (130, "")
    with Store(store) as opened:
        assert opened.record("m1").is_aborted


def test_going_on_with_other_settings(tmp_path: Path) -> None:
    cut = ("tictactoe", "random", "random", "--no-boards", "--seed", 5)
    host(tmp_path, *cut, "--id", "m1", "--max-steps", 3)
    resume = ("tictactoe", "random", "random", "--no-boards", "--resume", "m1")
    refused = host(tmp_path, *resume, "--seed", 6, "--forfeit", "--id", "m2", "--play", 3)
    remedy = "leave out --play, --forfeit, --seed, --id"
    assert refused.err == f"error: a match goes on with the settings that it began with; {remedy}\n"
    assert host(tmp_path, *resume).err == "error: m1 has 3 moves, as many as it may; give more with --max-steps\n"
    assert host(tmp_path, *resume, "--max-steps", 3).code == 1
    outcome = host(tmp_path, *resume, "--max-steps", 99)
    assert outcome.code == 0
    assert "\n4. " in outcome.out
    with Store(tmp_path / "matches.sqlite") as store:
        record = store.record("m1")
    assert record.is_completed
    assert record.notes["referee"]["maxSteps"] == 99
    assert record.notes["referee"]["nodes"] == SEEDED_NODES


@pytest.mark.full
def test_ctrl_c_and_going_on(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ludens", "host", "connectfour", "legal", "montecarlo", "--no-boards"]
    options = ["--start", "1", "--play", "20", "--id", "m1", "--store", str(tmp_path / "matches.sqlite")]
    with start([*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("1. "):
                break
        process.send_signal(signal.SIGINT)
        rest, diagnostics = process.communicate(timeout=15)
    assert process.returncode == 130
    assert "broken off: m1; --resume m1 goes on" in rest
    assert diagnostics == ""
    with Store(tmp_path / "matches.sqlite") as store:
        record = store.record("m1")
    assert (record.is_aborted, record.turns) == (True, 1)
    outcome = host(tmp_path, "connectfour", "random", "random", "--no-boards", "--resume", "m1")
    assert outcome.code == 0
    first = re.search(r"^(\d+)\. ", outcome.out, re.MULTILINE)
    assert first is not None
    assert int(first[1]) == record.turns + 1
    with Store(tmp_path / "matches.sqlite") as store:
        whole = store.record("m1")
    assert whole.is_completed
    assert whole.moves[: record.turns] == record.moves
    assert host(tmp_path, "connectfour", "random", "random", "--resume", "m1").err.startswith(
        "error: the match m1 is over"
    )


@pytest.mark.full
def test_going_on_after_kill_9_with_players_on_the_network(tmp_path: Path) -> None:
    """A player that still knows the match just goes on; one that was started again meanwhile is told of it."""
    store = str(tmp_path / "matches.sqlite")
    with PlayerServer() as first, PlayerServer() as second:
        seats = [first.address, second.address]
        command = [sys.executable, "-m", "ludens", "host", "tictactoe", *seats, "--no-boards", "--store", store]
        options = ["--start", "1", "--play", "0.4", "--id", "m1", "--scramble"]
        with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if line.startswith("3. "):
                    break
            process.kill()
        second.restart()
        outcome = run("host", "tictactoe", first.address, second.address, "--resume", "m1", "--store", store)
    assert outcome.code == 0
    with Store(store) as opened:
        record = opened.record("m1")
    assert record.is_completed
    assert {code for row in record.errors for code in row} == {""}
    assert len(list(record.replay(load("tictactoe")))) == record.turns + 1


class PlayerServer:
    """`ludens serve` with a player that thinks for as long as it may."""

    def __enter__(self) -> PlayerServer:
        command = [sys.executable, "-m", "ludens", "serve", "--player", "montecarlo", "--port", "0", "--quiet"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        place = re.search(r"http://[\d.:]+", self._process.stdout.readline())
        assert place is not None
        self.address = place[0]
        return self

    def __exit__(self, *reason: object) -> None:
        self._process.kill()
        self._process.communicate()

    def restart(self) -> None:
        self.__exit__()
        self.__enter__()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tictactoe", "legal"], "tictactoe needs 2 players, for x, o; 1 were given"),
        (["tictactoe", "human", "legal", "--matches", "2"], "a person plays one match at a time; leave out --matches"),
        (["tictactoe", "legal", "legal", "--id", "../../x"], "'../../x' cannot be the name of a match"),
        (["tictactoe", "legal", "deepblue"], "there is no player 'deepblue'; there are alphabeta"),
        (["tictactoe", "legal", "http://"], "is no address of a player; write it like http://127.0.0.1:9147"),
        (["tictactoe", "legal", "human"], "human seats need a terminal"),
        (["tictactoe", "legal", "127.0.0.1:1"], "the match cannot begin: 127.0.0.1:1 could not be reached: connection"),
        (["tictactoe", "legal", "legal", "--id", "a b"], "'a b' cannot be the name of a match"),
        (["tictactoe", "legal", "legal", "--play", "inf"], "a clock has to end"),
        (["tictacto", "legal", "legal"], "did you mean tictactoe"),
    ],
)
def test_bad_input(tmp_path: Path, arguments: list[str], message: str) -> None:
    outcome = host(tmp_path, *arguments)
    assert outcome.code == 1
    assert message in " ".join(outcome.err.split())
    assert "Traceback" not in outcome.err


def test_what_cannot_be_resumed(tmp_path: Path) -> None:
    assert "there is no store" in host(tmp_path, "nim", "legal", "legal", "--resume", "m1").err
    host(tmp_path, "tictactoe", "legal", "legal", "--id", "m1", "--max-steps", 2)
    assert "there is no match m2" in host(tmp_path, "nim", "legal", "legal", "--resume", "m2").err
    assert "m1 is a match of tictactoe, not of nim" in host(tmp_path, "nim", "legal", "legal", "--resume", "m1").err


if sys.platform != "win32":
    from tests.arena.test_seats import CARDS
    from tests.cli.terminal import Terminal

    def test_a_person_takes_part(tmp_path: Path) -> None:
        store = str(tmp_path / "matches.sqlite")
        arguments = ("tictactoe", "human", "legal", "--play", "20", "--store", store, "--id", "m1")
        with Terminal("host", *arguments) as terminal:
            terminal.expect("x is human, o is legal")
            terminal.expect("x (20 s)> ")
            terminal.type("mark 7 7")
            terminal.expect("mark 7 7 is not one of your moves")
            terminal.type("3 3")
            terminal.expect("1. x: mark 3 3")
            terminal.expect("2. o: mark 1 1")
            for move in ("3 2", "3 1"):
                terminal.expect("s)> ")
                terminal.type(move)
            terminal.expect("x wins: x 100, o 0")
            assert terminal.exit_code() == 0

    @pytest.mark.full
    def test_a_person_leaves_with_ctrl_d(tmp_path: Path) -> None:
        store = tmp_path / "matches.sqlite"
        with Terminal("host", "tictactoe", "human", "legal", "--store", str(store), "--id", "m1") as terminal:
            terminal.expect("s)> ")
            terminal.press_control_d()
            terminal.expect("you left the match")
            terminal.expect("broken off: m1; --resume m1 goes on")
            assert terminal.exit_code() == 130
            assert "Traceback" not in terminal.text
            assert "failed" not in terminal.text
        with Store(store) as opened:
            assert opened.record("m1").is_aborted
            assert opened.record("m1").turns == 0

    def test_two_people_are_asked_one_after_the_other_until_one_leaves(tmp_path: Path) -> None:
        store = tmp_path / "matches.sqlite"
        arguments = ("rockpaperscissors", "human", "human", "--play", "20", "--scramble", "--no-boards")
        with Terminal("host", *arguments, "--id", "m1", "--store", str(store)) as terminal:
            for role in load("rockpaperscissors").player_roles:
                before = terminal.expect(f"{role} (20 s)> ")
                assert before.count("s)> ") == 1
                assert "rock" in before
                terminal.type("rock")
            terminal.expect(" rock")
            terminal.expect("s)> ")
            terminal.press_control_c()
            terminal.expect("broken off: m1")
            assert terminal.exit_code() == 130
            assert "Traceback" not in terminal.text
        with Store(store) as opened:
            assert (opened.record("m1").is_aborted, opened.record("m1").turns) == (True, 1)

    @pytest.mark.full
    def test_a_person_sees_only_what_its_role_sees(tmp_path: Path) -> None:
        sheet = tmp_path / "cards.kif"
        sheet.write_text(CARDS)
        with Terminal("host", str(sheet), "human", "--play", "20", "--store", str(tmp_path / "s.sqlite")) as terminal:
            shown = terminal.expect("guesser sees (Given something)")
            shown += terminal.expect("s)> ")
            terminal.type("queen")
            shown += terminal.expect("2. guesser: guess queen")
            shown += terminal.expect("s)> ")
            assert "deal" not in shown, "what chance did is hidden"
            terminal.type("king")
            assert "dealt" in terminal.expect("guesser gets 50 of 100 points"), "in the end all is shown"
            assert terminal.exit_code() == 0
