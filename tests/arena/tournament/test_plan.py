"""Plans: what may stand in them, and one clear sentence for every mistake."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

from ludens.arena.tournament.plan import Entrant, load_plan, read_plan
from ludens.arena.tournament.schedule import schedule
from ludens.core import Clocks
from ludens.errors import PlanError

PLAYERS = '[players]\na = "uct"\nb = "random"\n'
GAMES = 'games = ["tictactoe"]\n'


def test_a_plan_with_everything() -> None:
    plan = read_plan(
        """
        name = "autumn"
        kind = "swiss"
        games = ["tictactoe", "connectfour", "hanoi"]
        seed = 7
        repeats = 3
        nodes = 500
        scramble = true
        on_fault = "forfeit"
        parallel = 2
        cores = 2
        memory = 2000
        rounds = 5
        max_steps = 60
        clocks = { start = 20, play = 2.5 }
        [players]
        strong = "uct"
        weak = { seat = "process:uct", nodes = 10 }
        far = "http://127.0.0.1:9147"
        near = { seat = "localhost:9148", at_once = 3 }
        """,
        "unused",
    )
    assert (plan.name, plan.kind, plan.seed, plan.repeats, plan.rounds) == ("autumn", "swiss", 7, 3, 5)
    assert [(game.name, game.seats) for game in plan.games] == [
        ("tictactoe", 2),
        ("connectfour", 2),
        ("hanoi", 1),
    ]
    assert plan.players == {
        "strong": Entrant("uct", 500, None),
        "weak": Entrant("process:uct", 10, None),
        "far": Entrant("http://127.0.0.1:9147", None, 1, is_remote=True),
        "near": Entrant("localhost:9148", None, 3, is_remote=True),
    }
    assert plan.clocks == Clocks(20, 2.5)
    assert (plan.scramble, plan.on_fault, plan.parallel, plan.cores, plan.memory) == (True, "forfeit", 2, 2, 2000)
    assert plan.is_timed, "servers think by the clock"


def test_what_need_not_be_said() -> None:
    plan = read_plan(GAMES + PLAYERS, "mine")
    assert (plan.name, plan.kind, plan.repeats, plan.rounds, plan.clocks) == ("mine", "roundrobin", 1, 1, Clocks(10, 1))
    assert plan.is_timed
    by_nodes = read_plan("nodes = 10\n" + GAMES + PLAYERS, "mine")
    assert not by_nodes.is_timed
    assert by_nodes.clocks.play >= 60, "with nodes the clock only ends players that hang"


def test_sheets_are_looked_for_beside_the_plan(tmp_path: Path) -> None:
    sheet = "(role solo) (init (at 1)) (<= (legal solo go) (true (at 1))) (<= (next (at 2)) (does solo go))"
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "mine.kif").write_text(f"{sheet} (<= terminal (true (at 2))) (goal solo 100)")
    (tmp_path / "plan.toml").write_text('games = ["rules/mine.kif"]\n' + PLAYERS)
    plan = load_plan(tmp_path / "plan.toml")
    assert plan.name == "plan"
    assert (plan.games[0].name, plan.games[0].roles) == ("mine", ("solo",))
    assert Path(plan.games[0].source).is_absolute()
    before = plan.settings()
    (tmp_path / "rules" / "mine.kif").write_text(f"{sheet} (<= terminal (true (at 2))) (goal solo 50)")
    assert load_plan(tmp_path / "plan.toml").settings() != before, "other rules are another tournament"


def test_players_of_ones_own_are_looked_for_beside_the_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", [*sys.path])
    (tmp_path / "mine.py").write_text("from ludens.players import LegalPlayer\n")
    names = ("mine.py:LegalPlayer", "process:mine.py:LegalPlayer", "tests.players.own_player:Own")
    text = GAMES + "[players]\n" + "".join(f'{key} = "{name}"\n' for key, name in zip("abc", names, strict=True))
    (tmp_path / "plan.toml").write_text(text)
    plan = load_plan(tmp_path / "plan.toml")
    file = (tmp_path / "mine.py").resolve()
    assert [entrant.source for entrant in plan.players.values()] == [
        f"{file}:LegalPlayer",
        f"process:{file}:LegalPlayer",
        "tests.players.own_player:Own",
    ]
    assert ["a", "mine.py:LegalPlayer", None] in plan.settings()["players"], "wherever the folder is"
    (tmp_path / "plan.toml").write_text(text.replace("mine.py:LegalPlayer", "mine.py:Legal"))
    with pytest.raises(PlanError, match=r"players.a: the player .*mine.py:Legal cannot be loaded: AttributeError"):
        load_plan(tmp_path / "plan.toml")


def test_what_does_not_change_results_is_no_other_plan() -> None:
    plans = [
        read_plan(f"{more}\n{GAMES}{PLAYERS}", "mine") for more in ("", "parallel = 2", "memory = 100", "repeats = 1")
    ]
    assert all(plan.settings() == plans[0].settings() for plan in plans)
    others = ["seed = 2", "repeats = 2", "nodes = 5", "scramble = true", "max_steps = 9", 'kind = "swiss"', "cores = 2"]
    for more in others:
        assert read_plan(f"{more}\n{GAMES}{PLAYERS}", "mine").settings() != plans[0].settings(), more
    other_seeds = read_plan(GAMES + '[players]\nb = "random"\na = "uct"\n', "mine")
    assert other_seeds.settings() != plans[0].settings()


def test_who_meets_whom_how_often_and_in_which_roles() -> None:
    plan = read_plan(
        """
        games = ["tictactoe", { game = "threeway", repeats = 4 }, { game = "hanoi" }]
        repeats = 2
        pairs = [["b", "a"], ["b", "c"]]
        seating = "alone"
        [players]
        a = "legal"
        b = "random"
        c = "legal"
        """,
        "mine",
    )
    jobs = schedule(plan).timetable({}).jobs
    counts = Counter((job.game, frozenset(job.players)) for job in jobs)
    pairs = [frozenset(("a", "b")), frozenset(("b", "c"))]
    assert counts == {
        **{("tictactoe", pair): 4 for pair in pairs},
        **{("threeway", pair): 12 for pair in pairs},
        **{("hanoi", frozenset((player,))): 2 for player in "abc"},
    }
    assert all(job.players.count("b") == 1 for job in jobs if job.game == "threeway"), "the first is alone"
    assert len({job.key for job in jobs}) == len(jobs)
    plain = read_plan(GAMES + PLAYERS, "mine").settings()
    assert not {"pairs", "seating"} & plain.keys(), "plans that say nothing of it are as before"


SPRT = 'kind = "sprt"\n' + GAMES + PLAYERS
MANY = "".join(f'p{number} = "random"\n' for number in range(201))

MISTAKES = [
    ("", "players: a tournament has at least two"),
    ("games = [", "this is not TOML"),
    (PLAYERS, "games: give a list of games, such as"),
    ('games = "tictactoe"\n' + PLAYERS, "games: give a list"),
    ("games = []\n" + PLAYERS, "games: give a list"),
    ("games = [1]\n" + PLAYERS, "games: give a list"),
    ('games = ["tictacto"]\n' + PLAYERS, "games: tictacto cannot be played: .* did you mean tictactoe"),
    ('games = ["tictactoe", "tictactoe"]\n' + PLAYERS, "games: there are two games called tictactoe; leave one out"),
    ('games = ["(role x)"]\n' + PLAYERS, r"games: \(role x\) cannot be played"),
    ('games = ["a\\u0000b"]\n' + PLAYERS, "games: .* cannot be played"),
    (GAMES + '[players]\na = "uct"', "players: a tournament has at least two"),
    (GAMES + "players = 3", "players: 3 is no table"),
    (GAMES + '[players]\na = "uct"\nb = "deepblue"', "players.b: there is no player 'deepblue'; there are alphabeta, "),
    (GAMES + '[players]\na = "uct"\nb = "human"', "players.b: there is nobody here to ask for moves"),
    (GAMES + '[players]\na = "uct"\nb = "process:human"', "players.b: there is no player 'human'"),
    (GAMES + '[players]\na = "uct"\nb = "http://"', "players.b: 'http://' is no address of a player"),
    (
        GAMES + '[players]\na = "uct"\nb = "no.such:Player"',
        "players.b: .* cannot be loaded: ModuleNot.*'no'; correct",
    ),
    (GAMES + '[players]\na = "uct"\nb = "ludens.core:Playr"', "players.b: .* cannot be loaded: AttributeError"),
    (GAMES + '[players]\na = "uct"\nb = 3', 'players.b: 3 is no player; write b = "uct"'),
    (GAMES + '[players]\na = "uct"\nb = 2025-01-31', "players.b: 2025-01-31 is no player"),
    (GAMES + '[players]\na = "uct"\nb = { nodes = 3 }', 'players.b: .* is no player; .* b = { seat = "uct" }'),
    (GAMES + PLAYERS + "seed = 5", r"players.seed: 5 is no player; .*; keys of the plan go before \[players\]"),
    (
        GAMES + PLAYERS + 'kind = "swiss"',
        r"players.kind: there is no player .*; keys of the plan go before \[players\]",
    ),
    (GAMES + '[players]\na = "uct"\nb = { seat = "uct", node = 3 }', "players.b.node: .* did you mean nodes?"),
    (GAMES + '[players]\na = "uct"\nb = { seat = "uct", nodes = 0 }', "players.b.nodes: 0 does not fit; .* from 1 on"),
    (GAMES + '[players]\na = "uct"\nb = { seat = "h:1", nodes = 5 }', "players.b.nodes: a server decides by itself"),
    (GAMES + '[players]\na = "uct"\n"b c" = "uct"', "players.b c: a name has up to 40 letters"),
    (GAMES + '[players]\na = "uct"\n"=b" = "uct"', "players.=b: a name has up to 40 letters"),
    ('kind = "cup"\n' + GAMES + PLAYERS, "kind: 'cup' is not known; choose one of roundrobin, swiss, knockout, sprt"),
    ("kind = []\n" + GAMES + PLAYERS, "kind: .* is not known"),
    ("repeats = 0\n" + GAMES + PLAYERS, "repeats: 0 does not fit; give a whole number from 1 on"),
    ("repeats = true\n" + GAMES + PLAYERS, "repeats: true does not fit"),
    ("repeats = 1.5\n" + GAMES + PLAYERS, "repeats: 1.5 does not fit"),
    ('seed = "a"\n' + GAMES + PLAYERS, "seed: 'a' does not fit"),
    ("name = 3\n" + GAMES + PLAYERS, "name: 3 is no text"),
    ('name = " "\n' + GAMES + PLAYERS, "name: ' ' is no text"),
    ('name = "a\\u0007"\n' + GAMES + PLAYERS, "name: .* is no text in one line"),
    ("scramble = 1\n" + GAMES + PLAYERS, "scramble: 1 is neither true nor false"),
    ("round = 3\n" + GAMES + PLAYERS, "round: this key is not known; did you mean rounds?"),
    ("colour = 3\n" + GAMES + PLAYERS, "colour: this key is not known; there are kind, "),
    ("clocks = 3\n" + GAMES + PLAYERS, "clocks: 3 is no table; write \\[clocks\\]"),
    ("clocks = { play = 0 }\n" + GAMES + PLAYERS, "clocks.play: 0 does not fit; give a number between 0 and 86400"),
    ("clocks = { play = nan }\n" + GAMES + PLAYERS, "clocks.play: nan does not fit"),
    ("clocks = { plya = 1 }\n" + GAMES + PLAYERS, "clocks.plya: this key is not known; did you mean play?"),
    (
        'kind = "sprt"\ngames = ["hanoi"]\n' + PLAYERS,
        "games: hanoi is played by 1; a sequential test needs games for two",
    ),
    ('kind = "sprt"\n' + GAMES + PLAYERS + 'c = "legal"', "players: a sequential test is between two; 3 are given"),
    (SPRT + "[sprt]\nelo0 = 9\nelo1 = 9", "sprt.elo0: it has to be less than elo1"),
    (SPRT + "[sprt]\np0 = 0.6\np1 = 0.5", "sprt.p0: it has to be less than p1"),
    (SPRT + "[sprt]\np0 = 0.6\nelo1 = 5", "sprt.p0: give either p0 and p1, or elo0 and elo1"),
    (SPRT + "[sprt]\nalpha = 0.5", "sprt.alpha: 0.5 does not fit; give a number between 0 and 0.5"),
    (SPRT + "[sprt]\nbet = 0.5", "sprt.bet: this key is not known; did you mean beta?"),
    ("repeats = 1000000\n" + GAMES + PLAYERS, "games: this makes 2,000,000 matches; take fewer"),
    ('kind = "swiss"\nrounds = 1000000\n' + GAMES + PLAYERS, "games: this makes 2,000,000 matches"),
    ('games = ["threeway"]\n[players]\na = "uct"\nb = "h:1"', "players.b: it takes 2 seats of threeway .* at_once = 2"),
    ("rounds = 3\n" + GAMES + PLAYERS, 'rounds: this needs kind = "swiss"; here it is "roundrobin"'),
    ('kind = "swiss"\nthird_place = true\n' + GAMES + PLAYERS, 'third_place: this needs kind = "knockout"'),
    ("tiebreaks = 1\n" + SPRT, 'tiebreaks: this needs kind = "knockout"'),
    ("max_pairs = 5\n" + GAMES + PLAYERS, 'max_pairs: this needs kind = "sprt"'),
    (GAMES + PLAYERS + "[sprt]\nelo1 = 9", 'sprt: this needs kind = "sprt"'),
    ("games = [[1]]\n" + PLAYERS, "games: give a list"),
    ("games = [{ repeats = 2 }]\n" + PLAYERS, 'games: .* is no game; write "chess" or { game = "chess", repeats = 2 }'),
    ('games = [{ game = "nim", repeats = 0 }]\n' + PLAYERS, "games.repeats: 0 does not fit"),
    ('games = [{ game = "nim", repeat = 3 }]\n' + PLAYERS, "games.repeat: .* did you mean repeats?"),
    ('kind = "sprt"\ngames = [{ game = "nim", repeats = 3 }]\n' + PLAYERS, "repeats: a sequential test goes on"),
    ("pairs = []\n" + GAMES + PLAYERS, "pairs: give a list of pairs"),
    ('pairs = "a"\n' + GAMES + PLAYERS, "pairs: give a list of pairs"),
    ('pairs = [["a"]]\n' + GAMES + PLAYERS, r"pairs: \['a'\] is no pair of players"),
    ('pairs = [["a", 2]]\n' + GAMES + PLAYERS, r"pairs: \['a', 2\] is no pair of players"),
    ('pairs = [["a", "c"]]\n' + GAMES + PLAYERS, "pairs: 'c' is no player of this plan; there are a, b"),
    ('pairs = [["a", "a"]]\n' + GAMES + PLAYERS, "pairs: a and a are there twice"),
    ('pairs = [["a", "b"], ["b", "a"]]\n' + GAMES + PLAYERS, "pairs: b and a are there twice; raise repeats"),
    ('pairs = [["a", "b"]]\n' + SPRT, 'pairs: this needs kind = "roundrobin"'),
    ('seating = "thirds"\n' + GAMES + PLAYERS, "seating: 'thirds' is not known; choose one of rotation, alone, halves"),
    ('seating = "halves"\n' + SPRT, 'seating: this needs kind = "roundrobin"'),
    (
        'seating = "halves"\nrepeats = 6000\ngames = ["chinesecheckers6"]\n' + PLAYERS,
        "games: this makes 120,000 matches",
    ),
    (
        'seating = "alone"\ngames = ["chinesecheckers6"]\n[players]\na = "uct"\nb = "h:1"',
        "players.b: it takes 5 seats of chinesecheckers6",
    ),
    ("repeats = 2\n" + SPRT, "repeats: a sequential test goes on until it is decided"),
    ("parallel = 257\n" + GAMES + PLAYERS, "parallel: 257 does not fit; give a whole number from 1 to 256"),
    ("cores = 1000000000\n" + GAMES + PLAYERS, "cores: 1000000000 does not fit; give a whole number from 1 to 256"),
    ("seed = 2025-01-31\n" + GAMES + PLAYERS, "seed: 2025-01-31 does not fit"),
    (f"name = '{'a' * 101}'\n" + GAMES + PLAYERS, "name: .* is too long; give at most 100 characters"),
    ("a = " + "[" * 3000 + "]" * 900, "lists are nested too deeply|this is not TOML: Unclosed array"),
    ("seed = " + "9" * 3990 + "\n" + GAMES + PLAYERS, "seed: .* does not fit"),
    ("seed = 0x" + "f" * 3990 + "\n" + GAMES + PLAYERS, "seed: a value that is too long to be shown does not fit"),
    ("seed = [0x" + "f" * 3980 + "]\n" + GAMES + PLAYERS, "seed: a value that is too long to be shown does not fit"),
    (".".join("a" * 1900) + " = 1\n" + GAMES + PLAYERS, "a: this key is not known"),
    (".".join("a" * 20_000) + " = 1\n" + GAMES + PLAYERS, "line 1 has more than 4,000 characters; break it up"),
    (f"games = ['{'a' * 3000}']\n" + PLAYERS, "games: 'a+... cannot be read: File name too long"),
    (f'kind = "swiss"\n{GAMES}[players]\n{MANY}', "players: a Swiss tournament has at most 200; 201 are given"),
]


@pytest.mark.parametrize(("text", "message"), MISTAKES)
def test_mistakes(text: str, message: str) -> None:
    with pytest.raises(PlanError, match=message) as caught:
        read_plan(text, "mine")
    assert str(caught.value)[0].islower()


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"", "this is no plan"), (b"\xff\xfe", "no text in UTF-8"), (b"# \n" * 30_000, "less than 64 KB")],
)
def test_files_that_are_no_plans(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_bytes(data)
    with pytest.raises(PlanError, match=message) as caught:
        load_plan(path)
    assert str(path) in str(caught.value)
