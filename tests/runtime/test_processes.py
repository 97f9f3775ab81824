"""Child processes: limits, messages, ends of all kinds; nothing is left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import Any, BinaryIO

import pytest

from ludens.runtime.deadline import Deadline
from ludens.runtime.processes import (
    AsyncChildProcess,
    ChildProcess,
    Ending,
    ProcessLimits,
    python_command,
    read_objects,
    run_command,
    script_command,
)
from ludens.runtime.threads import Interrupted, start_thread

PATIENCE = 60.0
PYTHON = (sys.executable, "-I", "-S", "-c")
SLEEP = "import time; time.sleep(600)"


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def eventually(condition: Callable[[], object]) -> bool:
    deadline = Deadline(PATIENCE)
    while not condition():
        if deadline.passed:
            return False
        time.sleep(0.005)
    return True


class Output:
    def __init__(self) -> None:
        self.data = b""

    def read(self, pipe: BinaryIO) -> None:
        while data := pipe.read(1000):
            self.data += data


def script(folder: Path, text: str) -> Path:
    path = folder / "script.py"
    path.write_text(text)
    return path


def test_what_is_sent_is_read_and_what_is_written_comes_back_whole() -> None:
    output, lines = Output(), b"".join(b"%d\n" % number for number in range(100_000))
    child = ChildProcess([*PYTHON, "import sys; sys.stdout.write(sys.stdin.read())"], output.read)
    child.send(lines)
    child.close_input()
    assert child.wait(Deadline(PATIENCE))
    assert child.ending == Ending(0, "")
    assert output.data == lines
    child.close()


def test_the_end_is_told_after_all_output_with_the_last_words() -> None:
    said: list[object] = []
    code = "import sys; print('out'); print('first', file=sys.stderr); sys.exit('last words')"
    child = ChildProcess([*PYTHON, code], lambda pipe: said.append(pipe.read()), said.append)
    assert child.wait(Deadline(PATIENCE))
    assert said == [b"out\n", Ending(1, "first\nlast words\n")]
    assert str(said[1]) == "ended with exit code 1: last words"


def test_a_child_that_does_not_end_is_killed_with_all_that_it_has_started() -> None:
    code = (
        f"import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', {SLEEP!r}]).pid, flush=True); {SLEEP}"
    )
    output = Output()
    child = ChildProcess([*PYTHON, code], output.read)
    assert eventually(lambda: output.data.endswith(b"\n"))
    assert not child.wait(Deadline(0.02))
    assert child.ending is None
    child.close()
    assert child.ending == Ending(-signal.SIGKILL, "")
    assert str(child.ending) == "ended with exit code -9 (Killed)"
    assert eventually(lambda: not is_alive(int(output.data)))


def test_a_child_that_reads_nothing_holds_up_nobody() -> None:
    child = ChildProcess([*PYTHON, SLEEP])
    child.send(b"x" * 10_000_000)
    begun = time.monotonic()
    child.close()
    assert child.is_over
    assert time.monotonic() - begun < PATIENCE


def test_a_command_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OSError, match="nowhere"):
        ChildProcess(["/nowhere/at/all"])
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(OSError, match="not known"):
        python_command("json.tool")


def test_a_command_runs_to_its_end_or_is_ended_by_its_deadline(tmp_path: Path) -> None:
    assert run_command([*PYTHON, "import os; os.mkdir('made')"], Deadline(PATIENCE), folder=tmp_path).code == 0
    assert (tmp_path / "made").is_dir()
    with pytest.raises(TimeoutError):
        run_command([*PYTHON, SLEEP], Deadline(0.1))
    deadline = Deadline(PATIENCE)

    def cancel() -> None:
        time.sleep(0.1)
        deadline.cancel()

    start_thread(cancel)
    with pytest.raises(Interrupted):
        run_command([*PYTHON, SLEEP], deadline)


@pytest.mark.parametrize("limits", [ProcessLimits(address_bytes=2**28), ProcessLimits(data_bytes=2**28)])
def test_a_limit_on_memory_is_kept_and_told(limits: ProcessLimits, tmp_path: Path) -> None:
    path = script(tmp_path, "b'x' * 2**29")
    ending = run_command(script_command(path, limits=limits, import_from=(), input_bytes=0), Deadline(PATIENCE))
    assert ending.is_out_of_memory


def test_a_limit_on_cpu_time_is_kept(tmp_path: Path) -> None:
    path = script(tmp_path, "while True: pass")
    command = script_command(path, limits=ProcessLimits(cpu_seconds=1), import_from=(), input_bytes=0)
    assert run_command(command, Deadline(PATIENCE)).code in (-signal.SIGXCPU, -signal.SIGKILL)


def test_a_script_gets_its_input_arguments_folders_and_core(tmp_path: Path) -> None:
    (tmp_path / "own_module.py").write_text("word = 'imported'")
    text = "import os, sys, own_module; print(sys.stdin.read(), sys.argv[1:], own_module.word, os.sched_getaffinity(0))"
    core = min(os.sched_getaffinity(0))
    limits, output = ProcessLimits(cores=(core,)), Output()
    path = script(tmp_path, text)
    child = ChildProcess(
        script_command(path, "a", limits=limits, import_from=[str(tmp_path)], input_bytes=5), output.read
    )
    child.send(b"12345")
    assert child.wait(Deadline(PATIENCE))
    assert output.data.decode() == f"12345 ['a'] imported {{{core}}}\n"
    child.close()


def test_a_module_is_run_as_a_program() -> None:
    output = Output()
    child = ChildProcess(python_command("json.tool", "--compact"), output.read)
    child.send(b'{"a": 1}')
    child.close_input()
    assert child.wait(Deadline(PATIENCE))
    assert output.data == b'{"a":1}\n'


def test_a_child_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    """In the midst of what it does, although it never looks at its input."""
    path = script(tmp_path, "import os, time; print(os.getpid(), flush=True); time.sleep(600)")
    code = f"""
import sys, time
from pathlib import Path
from ludens.runtime.processes import *
command = script_command(Path({str(path)!r}), limits=NO_LIMITS, import_from=(), input_bytes=0)
child = ChildProcess(command, lambda pipe: print(pipe.readline().decode(), flush=True))
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as parent:
        assert parent.stdout
        pid = int(parent.stdout.readline())
        parent.kill()
    assert eventually(lambda: not is_alive(pid))


ECHO = """
from ludens.runtime.parent_channel import ParentChannel
channel = ParentChannel()
print("this is no answer")
for value in channel.objects():
    channel.send_object(value)
"""


def test_objects_go_both_ways_and_prints_do_not_get_between_them() -> None:
    heard: SimpleQueue[Any] = SimpleQueue()
    child = ChildProcess([sys.executable, "-c", ECHO], read_objects(heard.put), heard.put)
    values = [{"a": (1, 2)}, None, "x" * 1_000_000]
    for value in values:
        child.send_object(value)
    assert [heard.get(timeout=PATIENCE) for _ in values] == values
    child.close_input()
    assert heard.get(timeout=PATIENCE) == Ending(0, "this is no answer\n")
    child.close()


def test_lines_go_both_ways_in_an_event_loop() -> None:
    code = """
from ludens.runtime.parent_channel import ParentChannel
channel = ParentChannel()
for line in channel.lines():
    channel.send_json(len(line))
"""

    async def talk() -> list[bytes]:
        child = await AsyncChildProcess.start([sys.executable, "-c", code], 1000)
        answers = []
        for word in (b"one", b"", b"three"):
            await child.send_line(word)
            answers.append(await child.read_line())
        await child.finish()
        assert not child.is_running
        with pytest.raises(EOFError):
            await child.read_line()
        assert await child.end() == "ended with exit code 0"
        return answers

    assert asyncio.run(talk()) == [b"3", b"0", b"5"]


def test_lines_that_are_too_long_and_children_that_hang_or_die() -> None:
    async def talk(code: str) -> tuple[object, str]:
        child = await AsyncChildProcess.start([*PYTHON, code], 1000)
        said: object = None
        try:
            async with asyncio.timeout(0.3 if "sleep" in code else PATIENCE):
                said = await child.read_line()
        except (ValueError, EOFError, TimeoutError) as error:
            said = type(error)
        return said, await child.end(0 if "sleep" in code else PATIENCE)

    assert asyncio.run(talk("print('x' * 2000)")) == (ValueError, "ended with exit code 0")
    assert asyncio.run(talk("raise SystemExit('why')")) == (EOFError, "ended with exit code 1: why")
    assert asyncio.run(talk(SLEEP)) == (TimeoutError, "")
