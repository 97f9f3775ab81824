"""Replay all recorded play of the corpus: `python -m tests.corpus_runner [NAME ...]`.

Each game runs on each engine in a process of its own, so that one that hangs, crashes or fills the memory costs
only itself. A game that cannot be compiled for an engine is reported, but is no fault.
Exit code: 0 when all agrees, 1 when something differs or fails, 3 when all agrees as far as the time went.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ludens.errors import CompileError
from ludens.ground import GroundingLimits
from tests.corpus_location import corpus_folder, is_corpus
from tests.corpus_replay import Disagreement, Replay, load_trace, replay_game, trace_names
from tests.engines.agreement import ENGINES as ALL_ENGINES
from tests.engines.agreement import EngineName

ENGINES = tuple(engine for engine in ALL_ENGINES if engine != "backed")
"""One that is made of two others need not be replayed as well."""

GRACE = 30.0
"""Seconds that a process may take beyond its limit, for the one step it is in, before it is killed."""
MEMORY = 6 * 1024**3
"""Bytes of address space for one game."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A game whose replay ended without a result."""

    game: str
    engine: EngineName
    why: str


@dataclass(frozen=True, slots=True)
class NotCompiled:
    """A game that an engine leaves to others."""

    game: str
    engine: EngineName
    why: str


Outcome = Replay | Failure | NotCompiled


@dataclass(frozen=True, slots=True)
class Task:
    """What one process has to do."""

    corpus: Path
    game: str
    engine: EngineName
    seconds: float
    limits: GroundingLimits


@dataclass
class Job:
    """A running process and the end of the pipe on which its outcome arrives."""

    task: Task
    process: BaseProcess
    result: Connection
    killed_at: float
    stopped: bool = field(default=False, init=False)

    def outcome(self) -> Outcome:
        """What the process sent, or how it died."""
        try:
            sent: Outcome = self.result.recv()
        except EOFError:
            self.process.join()
            why = "no answer in time, even with grace" if self.stopped else f"died, {_ending(self.process)}"
            return Failure(self.task.game, self.task.engine, why)
        self.process.join()
        return sent

    def stop_when_late(self) -> None:
        if time.monotonic() > self.killed_at and not self.stopped:
            self.process.kill()
            self.stopped = True


def _ending(process: BaseProcess) -> str:
    code = process.exitcode or 0
    return f"killed by signal {-code}" if code < 0 else f"exit code {code}"


def _replay_in_child(task: Task, result: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        outcome: Outcome = replay_game(task.corpus, task.game, task.seconds, engine=task.engine, limits=task.limits)
    except CompileError as error:
        outcome = NotCompiled(task.game, task.engine, str(error))
    except Exception as error:
        lines = str(error).splitlines() or [""]
        outcome = Failure(task.game, task.engine, f"{type(error).__name__}: {lines[0]}")
    result.send(outcome)


def start_job(task: Task, target: Callable[[Task, Connection], None] = _replay_in_child) -> Job:
    """Run a function in a new process; it gets the task and the end of a pipe for its outcome."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.corpus_replay"])
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=target, args=(task, sending), daemon=True)
    process.start()
    sending.close()
    return Job(task, process, receiving, time.monotonic() + task.seconds + GRACE)


def run_all(tasks: Sequence[Task], jobs: int) -> Iterator[Outcome]:
    """The outcome of each task as it comes, with at most `jobs` processes at once."""
    waiting, running = list(reversed(tasks)), list[Job]()
    while waiting or running:
        while waiting and len(running) < jobs:
            running.append(start_job(waiting.pop()))
        answered = wait([job.result for job in running], timeout=1.0)
        for job in running:
            job.stop_when_late()
        for job in [job for job in running if job.result in answered]:
            running.remove(job)
            yield job.outcome()


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="corpus_runner", description="Replay the recorded play of the corpus.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="games to replay; all when none is given")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at once (default: cores)")
    parser.add_argument("--corpus", type=Path, default=corpus_folder(), help="folder with games and traces")
    parser.add_argument("--engine", choices=ENGINES, action="append", help="engine to use (default: each of them)")
    parser.add_argument("--max-seconds-per-game", type=float, default=900.0, metavar="S", help="default: 900")
    parser.add_argument("--grounding-seconds", type=float, default=60.0, metavar="S", help="default: 60")
    parser.add_argument("--grounding-gigabytes", type=float, default=4.0, metavar="G", help="default: 4")
    chosen = parser.parse_args(arguments)
    chosen.engine = chosen.engine or ENGINES
    bounds = (chosen.max_seconds_per_game, chosen.grounding_seconds, chosen.grounding_gigabytes)
    if chosen.jobs < 1 or not all(bound > 0 for bound in bounds):
        parser.error("--jobs and all limits must be positive")
    if not is_corpus(chosen.corpus):
        parser.error(f"{chosen.corpus} has no folders games and traces; name the corpus with --corpus")
    known = trace_names(chosen.corpus)
    if unknown := [name for name in chosen.names if name not in known]:
        parser.error(f"no recording of {', '.join(unknown)} in {chosen.corpus / 'traces'}")
    chosen.names = chosen.names or known
    return chosen


def show_progress(console: Console, outcomes: Iterator[Outcome], total: int) -> list[Outcome]:
    """All outcomes, with a bar while they come in and a line for each that is not as recorded."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    done: list[Outcome] = []
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("replaying", total=total)
        for outcome in outcomes:
            done.append(outcome)
            for line in describe(outcome):
                progress.console.print(line, markup=False, highlight=False, soft_wrap=True)
            progress.update(task, advance=1, description=outcome.game)
    return done


def describe(outcome: Outcome) -> list[str]:
    """What a person has to know about an outcome; nothing when all agrees."""
    if isinstance(outcome, NotCompiled):
        return [f"too big   {outcome.engine}: {outcome.game}: {outcome.why}"]
    if isinstance(outcome, Failure):
        return [f"failed    {outcome.engine}: {outcome.game}: {outcome.why}"]
    if not outcome.is_complete:
        rate = outcome.states / max(outcome.seconds, 1e-9)
        seen = f"{outcome.states} of {outcome.recorded} states, {rate:.1f} states/s"
        return [f"cut       {outcome.engine}: {outcome.game}: {seen}"]
    return [f"differs   {outcome.engine}: {disagreement}" for disagreement in outcome.disagreements]


def summarise(console: Console, engine: EngineName, outcomes: Sequence[Outcome], recorded: int) -> int:
    """Print the totals of an engine and return the exit code."""
    replays = [outcome for outcome in outcomes if isinstance(outcome, Replay)]
    disagreements: list[Disagreement] = [each for replay in replays for each in replay.disagreements]
    failures = sum(isinstance(outcome, Failure) for outcome in outcomes)
    not_compiled = sum(isinstance(outcome, NotCompiled) for outcome in outcomes)
    cut = sum(not replay.is_complete for replay in replays)
    states, seconds = sum(replay.states for replay in replays), sum(replay.seconds for replay in replays)
    console.print(
        f"{engine}: {len(outcomes)} games, {states:,} of {recorded:,} recorded states compared in {seconds:,.1f} CPU "
        f"seconds ({states / max(seconds, 1e-9):,.0f} states/s)\n"
        f"{len(disagreements)} disagreements, {failures} failed, {cut} cut by the time limit, "
        f"{not_compiled} too big to compile",
        highlight=False,
        soft_wrap=True,
    )
    if disagreements or failures:
        return 1
    return 3 if cut else 0


def main(arguments: Sequence[str] | None = None) -> int:
    chosen = parse_arguments(arguments)
    console = Console()
    limits = GroundingLimits(chosen.grounding_seconds, int(chosen.grounding_gigabytes * 2**30))
    recorded = sum(
        len(playout["steps"]) for name in chosen.names for playout in load_trace(chosen.corpus, name)["playouts"]
    )
    codes = set()
    for engine in chosen.engine:
        tasks = [Task(chosen.corpus, name, engine, chosen.max_seconds_per_game, limits) for name in chosen.names]
        done = show_progress(console, run_all(tasks, chosen.jobs), len(tasks))
        codes.add(summarise(console, engine, done, recorded))
    return 1 if 1 in codes else max(codes)


if __name__ == "__main__":
    sys.exit(main())
