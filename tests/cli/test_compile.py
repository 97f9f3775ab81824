"""`ludens compile`: what it writes, what can be done with it, and what it says when something is missing."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.child import PATIENCE, run_make
from tests.cli.command import run, run_process

C_FILES = {"example.c", "example.py", "Makefile"}
ENDLESS = """(role me) (init (at 0)) (legal me go) (<= (next (at (s ?x))) (true (at ?x)))
(<= terminal (true (at never))) (goal me 0)"""


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def output_of(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.external
def test_library_is_written_and_built(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    outcome = run("compile", "connectfour", "-o", folder)
    assert (outcome.code, outcome.err) == (0, "")
    assert "wrote connectfour.h, connectfour.c, example.c, example.py, Makefile" in outcome.out
    assert "built libconnectfour.so" in outcome.out
    assert contents(folder).keys() == C_FILES | {"connectfour.c", "connectfour.h", "libconnectfour.so"}


@pytest.mark.external
def test_examples_play_a_game_to_its_end(tmp_path: Path) -> None:
    assert run("compile", "threeway", "-o", tmp_path).code == 0
    run_make(tmp_path, "-s")
    for played in (output_of(tmp_path / "example"), output_of(sys.executable, tmp_path / "example.py")):
        assert played.startswith("1. (mark ")
        assert "\nx gets " in played
        assert "\nz gets " in played
    first, second = (output_of(sys.executable, tmp_path / "example.py", seed) for seed in ("1", "2"))
    assert first != second
    assert first == output_of(sys.executable, tmp_path / "example.py", "1")


@pytest.mark.full
def test_the_same_rules_give_the_same_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (1, 2):
        monkeypatch.setenv("PYTHONHASHSEED", str(number))
        assert run_process("compile", "hex", "-o", tmp_path / str(number)).code == 0
    assert contents(tmp_path / "1") == contents(tmp_path / "2")


@pytest.mark.external
def test_name_is_chosen(tmp_path: Path) -> None:
    assert run("compile", "tictactoe", "-o", tmp_path, "--name", "ttt").code == 0
    assert (tmp_path / "libttt.so").exists()
    assert b"int32_t ttt_playout(" in (tmp_path / "ttt.h").read_bytes()
    assert b"tictactoe_" not in (tmp_path / "ttt.c").read_bytes()


def test_names_that_c_does_not_allow_are_refused(tmp_path: Path) -> None:
    outcome = run("compile", "tictactoe", "-o", tmp_path, "--name", "two words")
    assert outcome.code == 2
    assert "two words" in outcome.err
    assert not list(tmp_path.iterdir())


def test_without_a_compiler_the_source_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.delenv("CC", raising=False)
    outcome = run("compile", "tictactoe", "-o", tmp_path)
    assert outcome.code == 0
    assert "libtictactoe.so was not built: there is no C compiler here" in outcome.out
    assert contents(tmp_path).keys() == C_FILES | {"tictactoe.c", "tictactoe.h"}


@pytest.mark.external
def test_the_compiler_of_the_user_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = shutil.which("cc") or shutil.which("gcc")
    wrapper = tmp_path / "my cc"
    wrapper.write_text(f'#!/bin/sh\ntouch "{tmp_path}/called"\nexec {real} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("CC", f"'{wrapper}' -O0")
    assert run("compile", "nim", "-o", tmp_path / "nim").code == 0
    assert (tmp_path / "called").exists()
    assert (tmp_path / "nim" / "libnim.so").exists()


@pytest.mark.parametrize(("compiler", "complaint"), [("false", "failed"), ("no-such-compiler", "No such file")])
def test_a_compiler_that_fails_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiler: str, complaint: str
) -> None:
    monkeypatch.setenv("CC", compiler)
    outcome = run("compile", "tictactoe", "-o", tmp_path)
    assert outcome.code == 1
    assert compiler in outcome.err
    assert complaint in outcome.err


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("precious")
    for folder in (file, file / "below"):
        outcome = run("compile", "tictactoe", "-o", folder)
        assert outcome.code == 1
        assert outcome.err.startswith(f"error: {folder}") or outcome.err.startswith(f"error: {file}")
    assert file.read_text() == "precious"


@pytest.mark.parametrize(
    ("rules", "reason"),
    [(ENDLESS, "seconds"), ("(role a) (legal a go) terminal (<= (goal a 1) (does a go))", "depends on `does`")],
)
def test_rules_that_do_not_compile_get_one_error(tmp_path: Path, rules: str, reason: str) -> None:
    sheet = tmp_path / "sheet.kif"
    sheet.write_text(rules)
    outcome = run("compile", sheet, "-o", tmp_path / "out", "--seconds", "0.3")
    assert outcome.code == 1
    assert outcome.err.startswith("error: sheet cannot be compiled: ")
    assert outcome.err.count("\n") == 1
    assert reason in outcome.err
    assert not list((tmp_path / "out").iterdir())


# -- without a C compiler ----------------------------------------------------------------------


def test_machine_code_without_a_compiler_or_linker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.delenv("CC", raising=False)
    outcome = run("compile", "hex", "-o", tmp_path, "--llvm")
    assert outcome.code == 0
    assert "example.py loads hex.o without one" in outcome.out
    assert contents(tmp_path).keys() == {"hex.h", "hex.ll", "hex.o", "example.py"}
    played = output_of(sys.executable, tmp_path / "example.py", "3")
    assert "\nred gets " in played


@pytest.mark.external
def test_machine_code_plays_as_the_c_library_does(tmp_path: Path) -> None:
    assert run("compile", "connectfour", "-o", tmp_path / "c").code == 0
    assert run("compile", "connectfour", "-o", tmp_path / "llvm", "--llvm").code == 0
    linked = output_of(sys.executable, tmp_path / "llvm" / "example.py", "5")
    (tmp_path / "llvm" / "libconnectfour.so").unlink()
    loaded = output_of(sys.executable, tmp_path / "llvm" / "example.py", "5")
    assert linked == loaded == output_of(sys.executable, tmp_path / "c" / "example.py", "5")
