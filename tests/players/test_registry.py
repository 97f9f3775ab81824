"""Players by name: of this package, of installed packages, and of the user's own modules and files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from ludens import load
from ludens.core import Clocks
from ludens.errors import PlayError, UnknownPlayerError
from ludens.players import PLAYERS, BasePlayer, find_player, make_player, player_names
from ludens.players.registry import check_name, is_own_player
from ludens.runtime.deadline import Deadline
from ludens.web.page_service import PageService

GREEDY = """
from ludens.players import BasePlayer

class Last(BasePlayer):
    def choose(self, state, role, deadline):
        return state.legal_moves(role)[-1]

class Drawn(Last):
    def __init__(self, *, rng, nodes=7, depth=3):
        super().__init__(f"drawn-{nodes}", rng)

class Anything(Last):
    def __init__(self, **options):
        super().__init__("+".join(sorted(options)))

def make():
    return Last("made")

class Needy(Last):
    def __init__(self, table, rng):
        super().__init__()

class Broken(Last):
    def __init__(self):
        raise RuntimeError("no legs\\nto stand on")

class Blank:
    name = "blank"
    def start(self, game, role, clocks, deadline): ...
    move = stop = abort = start

class Nameless(Last):
    def __init__(self):
        super().__init__()
        self.name = None

class Unfinished(BasePlayer):
    pass

NUMBER = 7
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working directory with a file, a module and a package; what is imported from it is forgotten afterwards."""
    modules, path = set(sys.modules), list(sys.path)
    (tmp_path / "ranch.py").write_text(GREEDY)
    (tmp_path / "stable").mkdir()
    (tmp_path / "stable" / "__init__.py").write_text("")
    (tmp_path / "stable" / "horses.py").write_text("from ranch import Last as Horse\n")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if not name.startswith("ludens."):
            del sys.modules[name]


def first_move(name: str) -> str:
    player, game = make_player(name, Random(1)), load("tictactoe")
    player.start(game, "x", Clocks(5, 5), Deadline(5))
    return str(player.move(Deadline(5)).move)


@pytest.mark.parametrize("name", ["ranch.py:Last", "./ranch.py:Last", "ranch:Last", "stable.horses:Horse"])
def test_players_of_ones_own(folder: Path, name: str) -> None:
    assert first_move(name) == "(mark 3 3)"
    assert make_player(name).name == "Last"


def test_a_file_elsewhere_and_what_is_beside_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "beside.py").write_text("from ranch import Last\n")
    monkeypatch.chdir("/")
    assert first_move(f"{folder}/beside.py:Last") == "(mark 3 3)"


def test_two_files_of_one_name_are_two(folder: Path) -> None:
    (folder / "stable" / "ranch.py").write_text(GREEDY.replace("[-1]", "[1]"))
    assert [first_move(name) for name in ("ranch.py:Last", "stable/ranch.py:Last")] == ["(mark 3 3)", "(mark 1 2)"]


@pytest.mark.parametrize(
    ("name", "called"),
    [("ranch:Drawn", "drawn-5"), ("ranch:Anything", "nodes+rng"), ("ranch:make", "made"), ("ranch:Last", "Last")],
)
def test_classes_take_what_they_ask_for(folder: Path, name: str, called: str) -> None:
    assert find_player(name)(Random(1), 5).name == called


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("ranch.py:Lust", r"ranch.py:Lust cannot be loaded: AttributeError: .*'Lust'"),
        ("ranch:Lust", r"ranch:Lust cannot be loaded: AttributeError: .*'Lust'"),
        ("none.py:Last", r"FileNotFoundError: there is no file .*none.py; correct it, or the name"),
        ("nowhere.at_all:Last", "ModuleNotFoundError: No module named 'nowhere'"),
        ("ranch:Needy", "ranch:Needy wants table, which nobody gives it; it may take rng and nodes"),
        ("ranch:Broken", r"RuntimeError: no legs to stand on \(ranch.py, line \d+\); derive it from"),
        ("ranch:Blank", "ranch:Blank makes a Blank, which is no player: it has no method observe; derive it from"),
        ("ranch:Nameless", "which is no player: it has no name"),
        ("ranch:Unfinished", "TypeError: .*abstract.*choose"),
        ("ranch:NUMBER", "ranch:NUMBER is no player but 7; name a class"),
        ("faulty.py:Last", r"SyntaxError: .*faulty.py, line 2"),
        ("failing.py:Last", r"ZeroDivisionError: division by zero \(failing.py, line 3\)"),
        ("leaving.py:Last", r"leaving.py:Last cannot be loaded: SystemExit: 3 \(leaving.py, line 3\)"),
    ],
)
def test_what_is_no_player_is_told_with_place_and_remedy(folder: Path, name: str, reason: str) -> None:
    (folder / "faulty.py").write_text("\nclass Last(:\n")
    (folder / "failing.py").write_text("\n\n1 / 0\n")
    (folder / "leaving.py").write_text("import sys\n\nsys.exit(3)\n")
    with pytest.raises(PlayError, match=reason) as raised:
        make_player(name)
    assert "\n" not in str(raised.value)


def test_a_file_that_failed_can_be_corrected(folder: Path) -> None:
    (folder / "failing.py").write_text("1 / 0\n")
    with pytest.raises(PlayError, match="ZeroDivisionError"):
        make_player("failing.py:Last")
    (folder / "failing.py").write_text(GREEDY)
    assert make_player("failing.py:Last").name == "Last"


@pytest.mark.parametrize(
    ("name", "hint"), [("utc", "did you mean uct"), ("alphabet", "did you mean alphabeta"), ("deepblue", "; there are")]
)
def test_a_misspelt_name_lists_what_there_is(name: str, hint: str) -> None:
    with pytest.raises(UnknownPlayerError, match=hint) as raised:
        find_player(name)
    assert all(known in str(raised.value) for known in PLAYERS)


@pytest.mark.parametrize(
    ("name", "is_own"),
    [
        ("ranch.py:Last", True),
        ("/a b/ranch.py:Last", True),
        ("a.b.c:D.make", True),
        ("uct", False),
        ("localhost:9147", False),
        ("http://127.0.0.1:9147", False),
        ("127.0.0.1:9147", False),
        ("[::1]:9147", False),
        (":Last", False),
        ("ranch:", False),
        ("a..b:C", False),
        ("", False),
    ],
)
def test_which_names_say_where_a_player_is(name: str, is_own: bool) -> None:
    assert is_own_player(name) is is_own


# -- installed players -------------------------------------------------------------------------


@pytest.fixture
def installed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A distribution with entry points, as pip installs one."""
    site = folder / "site"
    (site / "pony-1.0.dist-info").mkdir(parents=True)
    (site / "pony-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: pony\nVersion: 1.0\n")
    (site / "pony-1.0.dist-info" / "entry_points.txt").write_text(
        "[ludens.players]\npony = pony:Last\nuct = pony:Last\nlame = pony:Gone\n"
    )
    (site / "pony.py").write_text(GREEDY)
    monkeypatch.syspath_prepend(str(site))
    return site


@pytest.mark.usefixtures("installed")
def test_installed_players_have_plain_names() -> None:
    assert player_names() == (*PLAYERS, "pony", "lame")
    assert first_move("pony") == "(mark 3 3)"
    assert find_player("uct")(Random(1), 1).name == "uct", "nobody takes the name of one of ours"
    with pytest.raises(UnknownPlayerError, match=r"did you mean pony\? There are alphabeta, .*, pony, lame"):
        find_player("ponny")
    with pytest.raises(PlayError, match=r"the player lame cannot be loaded: .*; reinstall the package pony, or remove"):
        find_player("lame")


def test_the_command_knows_installed_players_too(installed: Path) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(installed)!r}); from ludens.cli.app import main; "
        "sys.argv = 'ludens match nim pony legal --no-boards --no-keep'.split(); main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert "first is Last, second is legal" in done.stdout, done.stderr


# -- names that come from a stranger --------------------------------------------------------------


def test_a_stranger_cannot_have_code_loaded(folder: Path) -> None:
    (folder / "trap.py").write_text(f"open({str(folder / 'sprung')!r}, 'w')\n{GREEDY}")
    service = PageService(players=["ranch.py:Last"])
    for name in ("trap.py:Last", "trap:Last", f"{folder}/trap.py:Last", "os:system"):
        with pytest.raises(UnknownPlayerError, match="there is no player"):
            check_name(name)
        with pytest.raises(UnknownPlayerError, match="there is no player"):
            service.open([name, name], 1, 1, "tictactoe")
    assert not (folder / "sprung").exists()
    assert "trap" not in sys.modules


@pytest.mark.usefixtures("folder")
def test_the_browser_has_the_players_that_the_server_was_started_with() -> None:
    service = PageService(players=["ranch.py:Last"])
    service.open(["ranch.py:Last", "legal"], 1, 1, "tictactoe")
    assert service.think()["moves"] == [["(mark 3 3)", "noop"]]


def test_all_of_ours_can_be_made() -> None:
    for name in PLAYERS:
        player = make_player(name, Random(1), 10)
        assert isinstance(player, BasePlayer)
        assert player.name == name
