"""The parent's end of a worker: a contender at a game, with limits on how long it may take."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.catalogue import BenchGame
from benchmarks.contenders import CannotPlayError, Contender, Played

ROOT = Path(__file__).resolve().parent.parent
PLAY_SLACK = 60.0
"""Seconds of real time a round may take beyond its CPU time: the last game is played to its end."""


class Seat:
    """A worker process, started and heard until its first game is over; CannotPlayError tells why not."""

    def __init__(self, contender: Contender, game: BenchGame, scratch: Path, start_seconds: float) -> None:
        begin = time.monotonic()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.worker", contender.name, game.name],
            cwd=ROOT,
            env=_settings(scratch),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            start_new_session=True,
        )
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()
        try:
            ready = self._answer(start_seconds)
        except BaseException:
            self.close()
            raise
        self.first_playout_seconds: float = ready["first_playout_seconds"]
        self.first_playout_cpu_seconds: float = ready["first_playout_cpu_seconds"]
        self.with_interpreter_seconds = time.monotonic() - begin

    def play(self, seconds: float) -> Played:
        assert self._process.stdin
        begin = time.monotonic()
        try:
            self._process.stdin.write(f"{seconds}\n")
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise CannotPlayError("the process has ended") from error
        played = Played(**self._answer(seconds + PLAY_SLACK))
        return replace(played, real_seconds=time.monotonic() - begin)

    def close(self) -> None:
        """End the worker and all that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(BrokenPipeError):
            self._process.communicate()

    def _listen(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._answers.put(line)
        self._answers.put("")

    def _answer(self, seconds: float) -> dict[str, Any]:
        try:
            line = self._answers.get(timeout=seconds)
        except queue.Empty:
            raise CannotPlayError(f"no answer in {seconds:.0f} s") from None
        if not line:
            raise CannotPlayError(f"the process ended with code {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise CannotPlayError(answer["error"])
        return answer


def _settings(scratch: Path) -> dict[str, str]:
    """Temporary files go where the run removes them, and what ludens has cached of a game is not found.

    Compiled kernels are cached elsewhere and stay warm.
    """
    return {**os.environ, "TMPDIR": str(scratch), "LUDENS_CACHE": str(scratch / "cache")}
