"""The C library of a game, built by the C compiler of this machine: one game after the other."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from pathlib import Path

from benchmarks.catalogue import MAX_STEPS, BenchGame
from benchmarks.contenders import CannotPlayError
from benchmarks.contenders.engine import BatchRunner
from ludens.engines.native import CompiledGame
from ludens.engines.native.c_library import c_compiler, c_library, library_command
from ludens.gdl.rules import Rules

SMALLEST_BATCH, LARGEST_BATCH = 1, 1 << 12


def prepare(game: BenchGame) -> BatchRunner:
    compiler = c_compiler()
    if compiler is None:
        raise CannotPlayError("there is no C compiler")
    compiled = CompiledGame.compile(Rules.from_source(game.source()))
    with tempfile.TemporaryDirectory(prefix="ludens-library-") as folder:
        for file, text in c_library(compiled, "game", "game").items():
            Path(folder, file).write_text(text, encoding="utf-8")
        command = library_command(compiler, "game")
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
        except OSError as error:
            raise CannotPlayError(f"the C compiler {compiler[0]} cannot be run: {error.strerror}") from None
        if done.returncode:
            raise CannotPlayError(f"the C compiler failed: {next(iter(done.stderr.splitlines()), done.returncode)}")
        library = ctypes.CDLL(str(Path(folder, "libgame.so")))
    return runner(library, len(compiled.roles))


def runner(library: ctypes.CDLL, roles: int) -> BatchRunner:
    workspace = ctypes.create_string_buffer(library.game_workspace_bytes())
    state = ctypes.create_string_buffer(library.game_state_bytes())
    library.game_init(state)
    rng, steps, goals = ctypes.c_uint64(1), ctypes.c_uint32(), (ctypes.c_int32 * roles)()
    arguments = workspace, state, ctypes.byref(rng), MAX_STEPS, goals, ctypes.byref(steps)

    def play_games(games: int) -> int:
        states = 0
        for _ in range(games):
            library.game_playout(*arguments)
            states += steps.value
        return states

    return BatchRunner(play_games, SMALLEST_BATCH, LARGEST_BATCH)
