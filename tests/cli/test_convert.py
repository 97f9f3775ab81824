"""`ludens convert`, as people call it."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from ludens.gdl.rules import Rules
from ludens.gdl.scramble import scramble
from tests.cli.command import run

KIF = "; made up\n\n(role White)  ; a role\n(<= (legal ?w go) (role ?w) (not (true (over 1))))\n"
INFIX = "% made up\n\nrole(white)  % a role\nlegal(W,go) :- role(W) & ~true(over(1))\n"


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    path = tmp_path / "sheet.kif"
    path.write_text(KIF)
    return path


def test_to_infix_and_back(sheet: Path, tmp_path: Path) -> None:
    outcome = run("convert", sheet)
    assert (outcome.code, outcome.out, outcome.err) == (0, INFIX, "")
    other = tmp_path / "sheet.gdl"
    assert run("convert", sheet, "-o", other).out == ""
    assert other.read_text() == INFIX
    back = run("convert", other)
    assert back.out == KIF.replace("White", "white").replace("?w", "?W")
    assert Rules.parse(back.out) == Rules.parse(KIF)


def test_standard_input() -> None:
    assert run("convert", "-", "--to", "infix", stdin=KIF.encode("utf-16")).out == INFIX


def test_to_the_same_syntax(sheet: Path) -> None:
    assert run("convert", sheet, "--to", "kif").out == KIF


def test_forced_syntax(tmp_path: Path) -> None:
    path = tmp_path / "words"
    path.write_text("Here be words")
    assert run("convert", path, "--to", "kif").out == "Here be words\n"
    forced = run("convert", path, "--from", "infix")
    assert forced.code == 1
    assert "the variable Here stands where a relation should" in forced.err


def test_scrambling(sheet: Path, tmp_path: Path) -> None:
    word_map = tmp_path / "map.json"
    outcome = run("convert", sheet, "--scramble", 5, "--map", word_map)
    assert outcome.code == 0
    expected = scramble(Rules.parse(KIF), Random(5))
    assert outcome.out == expected.rules.to_kif()
    assert "made up" not in outcome.out
    words = json.loads(word_map.read_text())
    assert words == {"forward": dict(expected.forward), "backward": dict(expected.backward)}
    infix = run("convert", sheet, "--scramble", 5, "--to", "infix").out
    assert Rules.parse(infix, syntax="infix") == expected.rules


def test_the_result_can_replace_the_sheet(sheet: Path) -> None:
    assert run("convert", sheet, "-o", sheet).code == 0
    assert sheet.read_text() == INFIX


def test_output_to_a_device_writes_into_it(sheet: Path) -> None:
    assert run("convert", sheet, "-o", "/dev/null").code == 0
    assert Path("/dev/null").is_char_device()


def test_faults(sheet: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.kif"
    broken.write_text("(role me")
    nowhere = tmp_path / "no" / "folder" / "out.gdl"
    cases: list[tuple[list[object], str]] = [
        ([broken], "never closed"),
        ([tmp_path], str(tmp_path)),
        ([tmp_path / "missing.kif"], "missing.kif"),
        ([sheet, "-o", nowhere], str(nowhere)),
        ([sheet, "-o", tmp_path], str(tmp_path)),
        ([sheet, "--scramble", "1", "--map", nowhere], str(nowhere)),
    ]
    for arguments, message in cases:
        outcome = run("convert", *arguments)
        assert (outcome.code, outcome.out) == (1, ""), arguments
        assert message in outcome.err


@pytest.mark.parametrize(
    "arguments", [[], ["x.kif", "--to", "latin"], ["x.kif", "--map", "m.json"], ["x.kif", "--scramble", "many"]]
)
def test_wrong_use(arguments: list[str]) -> None:
    assert run("convert", *arguments).code == 2
