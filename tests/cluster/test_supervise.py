"""A command of Ray ends with whoever wanted it, and so does its folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SUPERVISE = [sys.executable, "-P", "-m", "ludens.cluster.supervise"]
SAY_FOLDER = "import sys, time; print(sys.argv[1], flush=True); time.sleep({seconds}); sys.exit(3)"


def started(seconds: int) -> tuple[subprocess.Popen[str], Path]:
    command = [*SUPERVISE, sys.executable, "-c", SAY_FOLDER.format(seconds=seconds)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout
    option, _, folder = process.stdout.readline().strip().partition("=")
    assert option == "--temp-dir"
    return process, Path(folder)


def test_it_ends_with_the_command() -> None:
    process, folder = started(0)
    assert process.wait() == 3
    process.communicate()
    assert not folder.exists()


def test_it_ends_with_its_input() -> None:
    process, folder = started(1000)
    assert folder.is_dir()
    process.communicate()
    assert process.returncode != 3
    assert not folder.exists()
