"""`ludens check`, as a person or a program uses it."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

import ludens
from ludens.analysis import playtest as dynamic
from ludens.errors import GdlSyntaxError
from ludens.gdl.rules import Rules
from ludens.gdl.validate import codes as static
from tests.cli.command import Outcome, run

GOOD = """
(role white)
(init (step 1))
(<= (legal white go) (true (step 1)))
(<= (legal white stay) (true (step 1)))
(<= (next (step 2)) (does white go))
(<= (next (step 3)) (does white stay))
(<= terminal (not (true (step 1))))
(<= (goal white 100) (true (step 2)))
(<= (goal white 0) (not (true (step 2))))
"""
UNSAFE = GOOD + "(<= (goal white ?x) (true (step 2)))\n"
ODD = GOOD + "(unused 1)\n"
STUCK = GOOD.replace("(<= terminal (not (true (step 1))))", "(<= terminal (true (step 2)))")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in which the command runs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    for name, text in {"good.kif": GOOD, "unsafe.kif": UNSAFE, "odd.kif": ODD, "stuck.kif": STUCK}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def check(*arguments: str, stdin: str = "") -> Outcome:
    return run("check", *arguments, stdin=stdin.encode())


def document(*arguments: str) -> list[dict[str, Any]]:
    """The entries of the files in the JSON document."""
    files: list[dict[str, Any]] = json.loads(check(*arguments, "--json").out)["files"]
    return files


def test_nothing_wrong(folder: Path) -> None:
    result = check("good.kif")
    assert (result.code, result.out) == (0, "good.kif: no problems, 1 role, 9 rules\n")


def test_an_error_is_shown_with_its_place(folder: Path) -> None:
    result = check("unsafe.kif")
    assert result.code == 1
    lines = result.out.splitlines()
    assert lines[0].startswith(
        "unsafe.kif:11:17: error: the variable `?x` of the head is bound by no positive condition"
    )
    assert lines[0].endswith("[unsafe-variable]")
    assert lines[1:3] == ["    (<= (goal white ?x) (true (step 2)))", "                    ^^"]
    assert lines[-1] == "unsafe.kif: 1 error, 1 role, 10 rules"


def test_warnings_count_only_when_strict(folder: Path) -> None:
    result = check("odd.kif")
    assert result.code == 0
    assert result.out.endswith("odd.kif: 1 warning, 1 role, 10 rules\n")
    assert check("odd.kif", "--strict").code == 1
    assert check("good.kif", "--strict").code == 0


def test_quiet_prints_only_findings(folder: Path) -> None:
    assert check("good.kif", "--quiet").out == ""
    assert "odd.kif: 1 warning" not in check("odd.kif", "--quiet").out
    assert "[unused-relation]" in check("odd.kif", "--quiet").out


def test_all_files_are_checked_whatever_happens_to_one(folder: Path) -> None:
    (folder / "broken.kif").write_text("(role white\n(init")
    (folder / "binary.kif").write_bytes(bytes(range(256)))
    result = check("missing.kif", "broken.kif", "binary.kif", ".", "unsafe.kif", "good.kif")
    assert result.code == 1
    for name in ("missing.kif", "broken.kif", "binary.kif", ".", "unsafe.kif"):
        assert f"\n{name}: " in "\n" + result.out
    assert "[unreadable-file]" in result.out
    assert "[unclosed]" in result.out
    assert "[not-text]" in result.out
    assert result.out.endswith("good.kif: no problems, 1 role, 9 rules\n")


def test_findings_without_a_place_name_the_file(folder: Path) -> None:
    (folder / "empty.kif").write_text("")
    assert all(line.startswith(("empty.kif: ", "    remedy: ")) for line in check("empty.kif").out.splitlines())


def test_a_missing_file_with_parentheses_is_missing(folder: Path) -> None:
    assert "[unreadable-file]" in check("sheet (1).kif").out


def test_file_names_are_no_markup(folder: Path) -> None:
    (folder / "[bold]x.kif").write_text(ODD)
    assert "\n[bold]x.kif: 1 warning" in check("[bold]x.kif").out


def test_standard_input(folder: Path) -> None:
    assert check("-", stdin=GOOD).out == "<stdin>: no problems, 1 role, 9 rules\n"
    assert check("-", stdin="\ufeff" + GOOD).code == 0
    assert "<stdin>:11:17: error" in check("-", stdin=UNSAFE).out


def test_bundled_games_by_name(folder: Path) -> None:
    result = check("tictactoe", "--play", "5")
    assert result.code == 0
    assert result.out.startswith("tictactoe: no problems, 2 roles, ")


def test_a_file_comes_before_a_bundled_game(folder: Path) -> None:
    (folder / "tictactoe").write_text(UNSAFE)
    assert check("tictactoe").code == 1


def test_syntax_can_be_forced(folder: Path) -> None:
    (folder / "x.hrf").write_text("role(white)\nlegal(white,go)\ngoal(white,50)\nterminal :- true(over)\n")
    assert "[no-next]" in check("x.hrf", "--syntax", "infix").out
    assert check("x.hrf", "--syntax", "infix").code == 0
    assert check("good.kif", "--syntax", "infix").code == 1


def test_play_finds_what_rules_hide(folder: Path) -> None:
    assert check("stuck.kif").code == 0
    result = check("stuck.kif", "--play", "20")
    assert result.code == 1
    assert "stuck.kif: error: white has no legal move" in result.out
    assert "after stay" in result.out
    assert result.out.endswith("rules, 20 plays\n")


def test_play_is_seeded(folder: Path) -> None:
    first, again, other = (check("stuck.kif", "--play", "5", "--seed", seed).out for seed in ("1", "1", "2"))
    assert first == again
    assert {check("stuck.kif", "--play", "5", "--seed", str(seed)).out for seed in range(8)} > {first}
    assert other


def test_games_of_chance_are_played(folder: Path) -> None:
    (folder / "dice.kif").write_text(GOOD + "(random dice 1 6) (<= (legal white (roll dice)) (true (step 1)))")
    result = check("dice.kif", "--play", "5")
    assert result.code == 0
    assert result.out.endswith("dice.kif: no problems, 1 role, 11 rules, 5 plays\n")
    (dice,) = document("dice.kif", "--play", "5")
    assert dice["plays"] == 5


def test_sheets_with_errors_are_not_played(folder: Path) -> None:
    assert "plays" not in check("unsafe.kif", "--play", "5").out


def test_endless_games_are_cut(folder: Path) -> None:
    text = GOOD.replace("(<= terminal (not (true (step 1))))", "(<= terminal (true (step 4)))")
    (folder / "endless.kif").write_text(text + "(<= (next (step 1)) (true (step 1)))")
    assert "after 7 moves" in check("endless.kif", "--play", "9", "--max-steps", "7").out


def test_json(folder: Path) -> None:
    good, unsafe = document("good.kif", "unsafe.kif")
    assert good == {
        "file": "good.kif",
        "roles": ["white"],
        "rules": 9,
        "plays": 0,
        "errors": 0,
        "warnings": 0,
        "findings": [],
    }
    (finding,) = unsafe["findings"]
    assert (unsafe["errors"], finding["code"], finding["severity"]) == (1, "unsafe-variable", "error")
    assert (finding["source"], finding["line"], finding["column"], finding["length"]) == ("unsafe.kif", 11, 17, 2)


def test_all_errors_are_counted_and_some_shown(folder: Path) -> None:
    (folder / "many.kif").write_text(GOOD + "\n".join(f"(<= (next (f{n} ?x)) (true (step 1)))" for n in range(30)))
    result = check("many.kif")
    assert result.out.count("[unsafe-variable]") == 20
    assert result.out.count("; and 10 more of this kind") == 1
    assert result.out.endswith("many.kif: 30 errors, 1 role, 39 rules\n")
    (many,) = document("many.kif")
    assert (many["errors"], len(many["findings"])) == (30, 30)


def test_json_has_all_moves(folder: Path) -> None:
    (stuck,) = document("stuck.kif", "--play", "20")
    findings = {finding["code"]: finding for finding in stuck["findings"]}
    assert findings["no-legal-move"]["moves"] == [["stay"]]
    assert stuck["plays"] == 20


def test_json_keeps_the_exit_code(folder: Path) -> None:
    assert check("unsafe.kif", "--json").code == 1
    assert check("missing.kif", "--json").code == 1


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["good.kif", "--play", "-1"],
        ["good.kif", "--play", "x"],
        ["good.kif", "--bad"],
        ["good.kif", "--syntax", "z"],
    ],
)
def test_wrong_use(folder: Path, arguments: list[str]) -> None:
    assert check(*arguments).code == 2


def test_progress_does_not_reach_standard_output(folder: Path) -> None:
    result = check("good.kif", "--play", "15")
    assert result.out == "good.kif: no problems, 1 role, 9 rules, 15 plays\n"
    assert result.err == ""


# The list of findings in the documentation

SOURCES = Path(ludens.__file__).parent
TABLE = Path(__file__).parents[2] / "docs" / "findings.md"
ROW = re.compile(r"^\| `([a-z-]+)` \| (\w+) \| (.+?) \| (.*?) ?\| (.+) \|$", re.MULTILINE)
MAKERS = ("report", "_fail", "finding", "Finding", "PlayFinding", "note")
CODE = re.compile(r"[a-z]+(-[a-z]+)*")


def documented() -> list[tuple[str, str, str]]:
    """Code, severity and example of each row."""
    return [(code, severity, example.strip("`")) for code, severity, _, example, _ in ROW.findall(TABLE.read_text())]


def reported() -> set[str]:
    """All codes in the source text: the first words given to whatever makes findings."""
    found: set[str] = set()
    texts = [path.read_text() for path in SOURCES.rglob("*.py")]
    for text in texts:
        if not re.search(rf"\b({'|'.join(MAKERS)})\(", text):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                code = node.args[0].value
                if name in MAKERS and isinstance(code, str):
                    found.add(code)
    return {code for code in found if CODE.fullmatch(code)}


def test_the_documentation_lists_every_code_once() -> None:
    codes = [code for code, _, _ in documented()]
    assert len(codes) == len(set(codes))
    assert set(codes) == reported() | set(static.SEVERITIES) | set(dynamic.SEVERITIES)


def test_the_documentation_has_the_severities_of_the_code() -> None:
    known = {**static.SEVERITIES, **dynamic.SEVERITIES}
    for code, severity, _ in documented():
        assert severity == known.get(code, "error"), code


@pytest.mark.parametrize(("code", "example"), [(code, example) for code, _, example in documented() if example])
def test_the_examples_of_the_documentation_earn_their_codes(code: str, example: str) -> None:
    try:
        findings = Rules.parse(example, syntax="kif" if example.startswith("(") else "infix").validate()
    except GdlSyntaxError as error:
        findings = list(error.findings)
    assert code in {finding.code for finding in findings}
