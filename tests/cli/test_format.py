"""`ludens format`, as people call it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.child import PATIENCE
from tests.cli.command import run, run_process
from tests.tiers import FULL

UGLY = "; made up\n( role  me )\n(<= terminal\n(true done)) ; the end"
PRETTY = "; made up\n(role me)\n(<= terminal\n    (true done))  ; the end\n"
INFIX_UGLY = "% made up\nrole( me )\nterminal:-true( done )"
INFIX_PRETTY = "% made up\nrole(me)\nterminal :- true(done)\n"


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    path = tmp_path / "sheet.kif"
    path.write_text(UGLY)
    return path


def test_prints_the_sheet_and_leaves_the_file(sheet: Path) -> None:
    outcome = run("format", sheet)
    assert (outcome.code, outcome.out, outcome.err) == (0, PRETTY, "")
    assert sheet.read_text() == UGLY


def test_in_a_process_of_its_own(sheet: Path) -> None:
    """The one test of what every command does with standard streams and its exit code."""
    outcome = run_process("format", "-", sheet.with_name("missing.kif"), stdin=UGLY.encode())
    assert (outcome.code, outcome.out) == (1, PRETTY)
    assert "missing.kif" in outcome.err
    assert "Traceback" not in outcome.err


def test_infix(tmp_path: Path) -> None:
    path = tmp_path / "sheet.gdl"
    path.write_text(INFIX_UGLY)
    assert run("format", path).out == INFIX_PRETTY


def test_several_sheets(sheet: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.kif"
    other.write_text("(role you)")
    assert run("format", sheet, other).out == PRETTY + "(role you)\n"


def test_write(sheet: Path) -> None:
    outcome = run("format", "--write", sheet)
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err == f"formatted {sheet}\n"
    assert sheet.read_text() == PRETTY
    again = run("format", "-w", sheet)
    assert (again.code, again.out, again.err) == (0, "", "")
    assert [path.name for path in sheet.parent.iterdir()] == [sheet.name]


def test_write_keeps_permissions_and_links(sheet: Path) -> None:
    sheet.chmod(0o640)
    link = sheet.with_name("link.kif")
    link.symlink_to(sheet.name)
    assert run("format", "-w", link).code == 0
    assert link.is_symlink()
    assert sheet.read_text() == PRETTY
    assert sheet.stat().st_mode & 0o777 == 0o640


def test_write_leaves_a_good_file_untouched(sheet: Path) -> None:
    sheet.write_text(PRETTY)
    os.utime(sheet, ns=(1, 1))
    run("format", "-w", sheet)
    assert sheet.stat().st_mtime_ns == 1


@pytest.mark.parametrize(
    ("encoding", "line_end"), [("utf-8", "\n"), ("utf-8-sig", "\r\n"), ("latin-1", "\r\n"), ("utf-16", "\n")]
)
def test_write_keeps_encoding_and_line_ends(tmp_path: Path, encoding: str, line_end: str) -> None:
    path = tmp_path / "sheet.kif"
    path.write_bytes(f"; é{line_end}( role é ){line_end}".encode(encoding))
    assert run("format", "-w", path).code == 0
    assert path.read_bytes() == f"; é{line_end}(role é){line_end}".encode(encoding)


def test_check(sheet: Path) -> None:
    outcome = run("format", "--check", sheet)
    assert (outcome.code, outcome.out, outcome.err) == (1, "", f"would format {sheet}\n")
    assert sheet.read_text() == UGLY
    sheet.write_text(PRETTY)
    outcome = run("format", "--check", sheet)
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")


def test_diff(sheet: Path) -> None:
    outcome = run("format", "--diff", sheet)
    assert outcome.code == 0
    assert outcome.out.splitlines() == [
        f"--- {sheet}",
        f"+++ {sheet} (formatted)",
        "@@ -1,4 +1,4 @@",
        " ; made up",
        "-( role  me )",
        "+(role me)",
        " (<= terminal",
        "-(true done)) ; the end",
        "\\ No newline at end of file",
        "+    (true done))  ; the end",
    ]
    assert run("format", "--diff", "--check", sheet).code == 1


def test_broken_sheets_are_reported_and_left_alone(sheet: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.kif"
    broken.write_text("(role me\n(p ?)")
    outcome = run("format", "-w", broken, sheet)
    assert outcome.code == 1
    assert f"{broken}:1:1: error: this parenthesis is never closed [unclosed]" in outcome.err
    assert broken.read_text() == "(role me\n(p ?)"
    assert sheet.read_text() == PRETTY


def test_missing_file_folder_and_binary_file(tmp_path: Path) -> None:
    (tmp_path / "binary.kif").write_bytes(b"\x7fELF\x00\x01")
    for name in ("missing.kif", "", "binary.kif"):
        outcome = run("format", tmp_path / name)
        assert outcome.code == 1
        assert outcome.out == ""
        assert str(tmp_path / name) in outcome.err


def test_write_protected_file(sheet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write anywhere
    outcome = run("format", "-w", sheet)
    assert outcome.code == 1
    assert "write-protected" in outcome.err
    assert sheet.read_text() == UGLY


@pytest.mark.parametrize(
    "arguments", [[], ["--write", "--check", "x.kif"], ["-w", "--diff", "x.kif"], ["-w", "-"], ["--wrong", "x.kif"]]
)
def test_wrong_use(arguments: list[str]) -> None:
    assert run("format", *arguments).code == 2


def test_a_reader_that_stops_early_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "long.kif"
    path.write_text("(role me)\n" * 10_000)
    command = [sys.executable, "-m", "ludens", "format", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


def test_the_syntax_can_be_forced(tmp_path: Path) -> None:
    facts = tmp_path / "facts.hrf"
    facts.write_text("p( a )\n")
    assert run("format", facts).out == run("format", "--syntax", "infix", facts).out == "p(a)\n"
    assert run("format", "--syntax", "kif", facts).out == "p (a)\n"


@pytest.mark.parametrize(
    ("encoding", "command"),
    [
        pytest.param(encoding, command, marks=() if (encoding, command) == ("ascii", "check") else FULL)
        for encoding in ("utf-8:strict", "latin-1", "ascii")
        for command in ("check", "format --diff", "show")
    ],
)
def test_any_words_and_file_names_can_be_shown_anywhere(tmp_path: Path, encoding: str, command: str) -> None:
    odd = os.fsencode(tmp_path) + b"/y\xff.kif"
    with open(odd, "w", encoding="utf-8") as file:
        file.write("(role 猫)   (p é (")
    done = subprocess.run(
        [sys.executable, "-m", "ludens", *command.split(), odd],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert b"never closed" in done.stdout + done.stderr
