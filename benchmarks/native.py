"""One state at a time: the native engine, and the C library, against SWI-Prolog; and how long compiling takes.

`python -m benchmarks.native [--seconds S] [GAME ...]` plays random games one after the other and prints a table.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from benchmarks.catalogue import MAX_STEPS, BenchGame
from benchmarks.contenders import CannotPlayError
from benchmarks.contenders.swi_prolog import prepare as prepare_prolog
from ludens.circuit import optimise, translate
from ludens.engines.codegen import NativeEngine
from ludens.engines.codegen.c_library import c_library
from ludens.engines.codegen.compiled import CompiledGame
from ludens.game import load
from ludens.ground import ground

GAMES = ("tictactoe", "connectfour", "checkers", "breakthrough", "othello", "hex", "chess", "amazonswhole")
GAMES_A_CALL = 50
ROUNDS = 5


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", default=GAMES)
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU seconds for each measurement")
    options = parser.parse_args(arguments)
    print(f"{'game':<14}{'gates':>8}{'ready s':>9}{'native/s':>12}{'C/s':>12}{'gcc s':>7}{'Prolog/s':>10}{'times':>7}")
    for name in options.games:
        print(_row(name, options.seconds), flush=True)


def _row(name: str, seconds: float) -> str:
    rules = load(name).engine_rules
    program = ground(rules)
    circuit = optimise(translate(program))
    begin = time.perf_counter()
    engine = NativeEngine(program, circuit)
    play = _native(engine)
    play(1)
    ready = time.perf_counter() - begin
    native = _rate(play, seconds)
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        play_c = _c(CompiledGame.compile(rules), Path(folder), len(program.roles))
        building = time.perf_counter() - begin
        library = _rate(play_c, seconds)
    prolog = float("nan")
    with suppress(CannotPlayError):
        runner = prepare_prolog(BenchGame(name))
        runner.settle()
        played = runner.play(seconds)
        runner.close()
        prolog = played.states / played.cpu_seconds
    return (
        f"{name:<14}{circuit.gate_count:>8,}{ready:>9.2f}{native:>12,.0f}{library:>12,.0f}{building:>7.1f}"
        f"{prolog:>10,.0f}{native / prolog:>7.0f}"
    )


def _rate(play: Callable[[int], int], seconds: float) -> float:
    """States in a second of CPU time: the median of a few rounds."""
    rates = []
    for _ in range(ROUNDS):
        states, begin = 0, time.process_time()
        while time.process_time() - begin < seconds / ROUNDS:
            states += play(GAMES_A_CALL)
        rates.append(states / (time.process_time() - begin))
    return float(np.median(rates))


def _native(engine: NativeEngine) -> Callable[[int], int]:
    rows, rng = engine.initial(GAMES_A_CALL), np.array([1], np.uint64)
    goals = np.empty((GAMES_A_CALL, len(engine.roles)), np.int32)
    steps, results = np.empty(GAMES_A_CALL, np.uint32), np.empty(GAMES_A_CALL, np.uint8)

    def play(games: int) -> int:
        after = goals.ctypes.data, steps.ctypes.data, results.ctypes.data
        with engine.frame() as frame:
            frame.call["playouts"](frame.address, rows.ctypes.data, rng.ctypes.data, games, MAX_STEPS, *after)
        return int(steps[:games].sum())

    return play


def _c(game: CompiledGame, folder: Path, roles: int) -> Callable[[int], int]:
    for file, text in c_library(game, "game", "game").items():
        (folder / file).write_text(text, encoding="utf-8")
    subprocess.run(["cc", "-std=c99", "-O2", "-fPIC", "-shared", "game.c", "-o", "game.so"], cwd=folder, check=True)
    library = ctypes.CDLL(str(folder / "game.so"))
    workspace = ctypes.create_string_buffer(library.game_workspace_bytes())
    state = ctypes.create_string_buffer(library.game_state_bytes())
    library.game_init(state)
    rng, steps, goals = ctypes.c_uint64(1), ctypes.c_uint32(), (ctypes.c_int32 * roles)()
    arguments = workspace, state, ctypes.byref(rng), MAX_STEPS, goals, ctypes.byref(steps)

    def play(games: int) -> int:
        states = 0
        for _ in range(games):
            library.game_playout(*arguments)
            states += steps.value
        return states

    return play


if __name__ == "__main__":
    main()
