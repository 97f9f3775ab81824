"""Workers that die, hang, talk nonsense or want too much memory: they cost their match and nothing else."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ludens.arena.records import Record
from ludens.arena.store import Store
from ludens.arena.tournament.plan import read_plan
from ludens.arena.tournament.runner import Tournament
from ludens.arena.tournament.worker import MatchWorker, worker_command
from ludens.errors import WorkerError
from tests.arena.tournament.processes import parent_of
from tests.tiers import FULL

BAD_WORKER = """
import json, os, signal, sys, time
folder = sys.argv[1]
for line in sys.stdin:
    order = json.loads(line)
    what = order["job"]
    with open(os.path.join(folder, "attempts"), "a") as file:
        file.write(f"{os.getpid()} {what}\\n")
    first = open(os.path.join(folder, "attempts")).read().count(what) == 1
    if what == "die":
        sys.exit("there was an accident")
    if what == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "hang" or (what == "once" and first):
        time.sleep(1000)
    if what == "nonsense":
        print("nonsense", flush=True)
        time.sleep(1000)
    if what == "silent":
        os.close(1)
        time.sleep(1000)
    if what == "fail":
        print(json.dumps({"failure": "the rules are bad"}), flush=True)
        continue
    for step in range(4):
        time.sleep(0.15 if what == "once" else 0)
        print(json.dumps({"step": step}), flush=True)
    print(json.dumps({"record": {"job": what}}), flush=True)
"""


@pytest.fixture
def bad_command(tmp_path: Path) -> list[str]:
    script = tmp_path / "bad.py"
    script.write_text(BAD_WORKER)
    return [sys.executable, str(script), str(tmp_path)]


def attempts(folder: Path) -> list[list[str]]:
    return [line.split() for line in (folder / "attempts").read_text().splitlines()]


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("die", "the worker ended with exit code 1: there was an accident"),
        ("killed", r"the worker ended with exit code -9 \(Killed\)"),
        pytest.param("hang", "the match gave no sign of life for 1 s", marks=FULL),
        ("nonsense", "the worker answered with no JSON"),
        ("silent", "the worker broke off"),
        ("fail", "the rules are bad"),
    ],
)
def test_what_goes_wrong_is_tried_twice_and_then_told(
    what: str, message: str, bad_command: list[str], tmp_path: Path
) -> None:
    async def play() -> dict[str, object]:
        worker = MatchWorker(bad_command)
        try:
            with pytest.raises(WorkerError, match=message):
                await worker.play({"job": what}, 1.0, 1.0)
            return await worker.play({"job": "good"}, 1.0, 1.0)
        finally:
            await worker.end()

    assert asyncio.run(play()) == {"job": "good"}, "and the next match is played as if nothing had happened"
    tried = attempts(tmp_path)
    assert [name for _, name in tried] == [what, what, "good"]
    assert not any(parent_of(Path(f"/proc/{pid}")) for pid, _ in tried)


def test_a_second_attempt_may_succeed_and_signs_of_life_are_heard(bad_command: list[str], tmp_path: Path) -> None:
    async def play() -> dict[str, object]:
        worker = MatchWorker(bad_command)
        try:
            return await worker.play({"job": "once"}, 0.5, 0.5)
        finally:
            await worker.end()

    assert asyncio.run(play()) == {"job": "once"}
    assert len(attempts(tmp_path)) == 2


def test_a_command_that_cannot_be_run() -> None:
    with pytest.raises(WorkerError, match="a worker cannot be started"):
        asyncio.run(MatchWorker(["/nowhere/to/be/found"]).play({}, 1.0, 1.0))


PLAN = 'games = ["tictactoe"]\nmax_steps = 20\n[players]\na = "random"\nb = "legal"\n'
SHEET = """(role solo) (init (at 1)) (legal solo go) (<= (next (at 2)) (does solo go)) (<= terminal (true (at 2)))
(goal solo 100)"""


def test_a_tournament_goes_on_without_the_matches_that_fail_and_the_next_run_tries_them_again(tmp_path: Path) -> None:
    worse = tmp_path / "worse.py"
    worse.write_text("import sys; sys.stdin.readline(); sys.exit('no way')")
    with Store(tmp_path / "store.sqlite") as store:
        tournament = Tournament(read_plan(PLAN, "bad"), store)
        asyncio.run(tournament.play(2, command=[sys.executable, str(worse)]))
        assert tournament.is_over
        assert list(tournament.standings.failures.values()) == ["the worker ended with exit code 1: no way"] * 2
        assert store.matches() == [], "what was not played is not kept"
        again = Tournament(read_plan(PLAN, "bad"), store)
        assert not again.is_over
        asyncio.run(again.play(2))
        assert (again.standings.played, again.standings.failures) == (2, {})


@pytest.mark.full
def test_too_little_memory_is_a_failure_and_more_of_it_the_remedy(tmp_path: Path) -> None:
    with Store(tmp_path / "store.sqlite") as store:
        tournament = Tournament(read_plan("memory = 60\n" + PLAN, "hungry"), store)
        asyncio.run(tournament.play(1))
        reasons = tournament.standings.failures.values()
        assert len(reasons) == 2
        assert not any("exit code -9" in reason for reason in reasons), "nobody killed it"
        assert all("emory" in reason or "exit code" in reason for reason in reasons), reasons
        again = Tournament(read_plan("memory = 4000\n" + PLAN, "hungry"), store)
        asyncio.run(again.play(1))
        assert (again.standings.played, again.standings.failures) == (2, {})


@pytest.mark.full
def test_a_sheet_that_disappears_costs_its_matches_and_nothing_else(tmp_path: Path) -> None:
    sheet = tmp_path / "mine.kif"
    sheet.write_text(SHEET)
    plan = read_plan(PLAN.replace('"tictactoe"', f'"{sheet}", "tictactoe"'), "gone")
    sheet.unlink()
    with Store(tmp_path / "store.sqlite") as store:
        tournament = Tournament(plan, store)
        asyncio.run(tournament.play(2))
    failures = tournament.standings.failures
    assert [key.split()[0] for key in failures] == ["mine", "mine"]
    assert all("mine.kif" in reason for reason in failures.values())
    assert tournament.standings.played == 2


class HastyStore(Store):
    """One that sees no match the first time it is asked, as if another run wrote it in the next moment."""

    asked = 0

    def __contains__(self, match_id: str) -> bool:
        self.asked += 1
        return self.asked % 2 == 0 and super().__contains__(match_id)


OTHER_LUCK = """
import json, sys
from ludens.arena.tournament.child import MatchRunner, MatchTask
for line in sys.stdin:
    order = MatchTask(**{**json.loads(line), "seed": 1})
    print(json.dumps(MatchRunner(lambda _: None).play(order)), flush=True)
"""


def test_two_runs_at_once_count_the_same_matches(tmp_path: Path) -> None:
    """Whoever comes second takes what is there, also where both looked before either wrote."""
    plan = read_plan(PLAN.replace("legal", "random"), "twice")
    store = HastyStore(tmp_path / "store.sqlite")
    with store:
        second = Tournament(plan, store)
        with Store(store.path) as other:
            first = Tournament(plan, other)
            asyncio.run(first.play(1))
        asyncio.run(second.play(1, command=[sys.executable, "-c", OTHER_LUCK]))
        assert store.asked == 4
        assert second.outcomes == first.outcomes
        assert len(store.matches()) == 2


def test_loading_has_more_time_than_a_move() -> None:
    script = (
        "import json, sys, time\n"
        "for line in sys.stdin:\n"
        "    for seconds, answer in zip(json.loads(line)['seconds'], ({'loaded': 'it'}, {'record': {}})):\n"
        "        time.sleep(seconds)\n"
        "        print(json.dumps(answer), flush=True)\n"
    )

    async def play() -> None:
        worker = MatchWorker([sys.executable, "-c", script])
        try:
            assert await worker.play({"seconds": [0.6, 0]}, 30, 0.5) == {}
            with pytest.raises(WorkerError, match="no sign of life"):
                await worker.play({"seconds": [0, 30]}, 30, 0.5)
        finally:
            await worker.end()

    asyncio.run(play())


def test_a_real_worker_plays_by_the_rules_and_the_seed(tmp_path: Path) -> None:
    plan = read_plan(PLAN.replace("tictactoe", "pig"), "dice")
    with Store(tmp_path / "store.sqlite") as store:
        tournament = Tournament(plan, store)
        task = tournament.task(tournament.timetable.jobs[0])

    async def play() -> list[Record]:
        records = []
        for _ in range(2):
            worker = MatchWorker(worker_command([0], 0))
            try:
                records += [Record.from_json(await worker.play(task.to_json(), 60, 60)) for _ in range(2)]
            finally:
                await worker.end()
        return records

    records = asyncio.run(play())
    assert all(record.moves == records[0].moves for record in records), "also in another process"
    assert records[0].player_names is not None
    assert [name for name in records[0].player_names if name != "random"] == ["a", "b"]
    assert (records[0].tournament, records[0].job) == ("dice", task.job)


def test_a_worker_ends_with_whoever_runs_it(tmp_path: Path) -> None:
    """Also in the middle of a thought, and without being told."""
    plan = read_plan('games = ["connectfour"]\nnodes = 1_000_000_000\n[players]\na = "uct"\nb = "uct"\n', "long")
    with Store(tmp_path / "store.sqlite") as store:
        tournament = Tournament(plan, store)
        task = tournament.task(tournament.timetable.jobs[0])

    async def begin() -> int:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*worker_command([0], 0), stdin=pipe, stdout=pipe)
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(task.to_json()).encode() + b"\n")
        for answer in ({"loaded": "connectfour"}, {"step": 0}):
            assert json.loads(await asyncio.wait_for(process.stdout.readline(), 60)) == answer
        await asyncio.sleep(0.2)
        process.stdin.close()
        await asyncio.wait_for(process.wait(), 10)
        return process.pid

    assert not parent_of(Path(f"/proc/{asyncio.run(begin())}"))


def test_rules_that_change_under_way_are_noticed(tmp_path: Path) -> None:
    sheet = tmp_path / "mine.kif"
    sheet.write_text(SHEET)
    plan = read_plan(f'games = ["{sheet}"]\n[players]\na = "random"\nb = "legal"\n', "mine")
    sheet.write_text(SHEET.replace("100", "50"))
    with Store(tmp_path / "store.sqlite") as store:
        tournament = Tournament(plan, store)
        asyncio.run(tournament.play(1))
    assert all("were changed while" in reason for reason in tournament.standings.failures.values())
    assert len(tournament.standings.failures) == 2


def test_a_server_plays_one_match_at_a_time(tmp_path: Path, bad_command: list[str]) -> None:
    """Whoever can play only one match at a time is never asked for two."""
    text = (
        'games = ["tictactoe"]\n[players]\na = "h:1"\nb = "random"\nc = "random"\nd = { seat = "h:2", at_once = 2 }\n'
    )
    script = tmp_path / "slow.py"
    script.write_text(
        "import json, sys, time\n"
        "for line in sys.stdin:\n"
        "    order = json.loads(line)\n"
        "    begun = time.time()\n"
        "    time.sleep(0.05)\n"
        f"    open({str(tmp_path / 'log')!r}, 'a').write(json.dumps([order['players'], begun, time.time()]) + '\\n')\n"
        "    print(json.dumps({'failure': 'no match'}), flush=True)\n"
    )
    with Store(tmp_path / "store.sqlite") as store:
        asyncio.run(Tournament(read_plan(text, "t"), store).play(4, command=[sys.executable, str(script)]))
    log = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    most = dict.fromkeys("abcd", 0)
    for _, begun, _ in log:
        for player in most:
            most[player] = max(most[player], sum(player in players and b <= begun < e for players, b, e in log))
    assert most["a"] == 1
    assert most["d"] <= 2
    assert max(most["b"], most["c"]) > 1, "others play several at a time"


@pytest.mark.full
def test_players_of_other_processes_take_part(tmp_path: Path) -> None:
    """A server, a child process, and a server that is not there: its moves are made for it, and counted as faults."""
    command = [sys.executable, "-m", "ludens", "serve", "--player", "legal", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as server:
        try:
            assert server.stdout
            found = re.search(rb"http://[\d.:]+", server.stdout.readline())
            assert found
            players = f'far = "{found[0].decode()}"\nchild = "process:random"\ngone = "127.0.0.1:9"\n'
            plan = read_plan(f'games = ["tictactoe"]\nclocks = {{ start = 5, play = 5 }}\n[players]\n{players}', "wide")
            with Store(tmp_path / "store.sqlite") as store:
                tournament = Tournament(plan, store)
                asyncio.run(tournament.play(2))
        finally:
            server.kill()
    faults = {line.player: line.faults for line in tournament.standings.lines}
    assert faults["gone"] >= 4 * 4
    assert faults["far"] == faults["child"] == 0
    assert not tournament.standings.failures
    assert tournament.standings.cut == 0


def test_records_tell_how_long_moves_took_and_what_the_caller_notes(tmp_path: Path) -> None:
    plan = read_plan('games = ["nim"]\n[players]\na = "legal"\nb = "random"\n', "noted")
    with Store(tmp_path / "store.sqlite") as store:
        tournament = Tournament(plan, store, {"commit": "abc"})
        assert list(tournament.records()) == []
        asyncio.run(tournament.play(1))
        played = list(tournament.records())
    assert [job for job, _ in played] == list(tournament.timetable.jobs)
    for job, record in played:
        assert (record.job, record.player_names) == (job.key, list(job.players))
        assert record.notes["commit"] == "abc"
        assert record.notes["plan"] == plan.settings()
        assert len(record.notes["longestMoves"]) == 2
        assert all(0 < seconds < 60 for seconds in record.notes["longestMoves"])
