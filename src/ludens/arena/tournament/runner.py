"""Playing a tournament: hands its matches to workers, and keeps what comes of them.

Nothing is remembered but the matches in the store. Each is written in one step when it is over, so a tournament that
is interrupted in any way goes on where it was; matches that were under way are played again from their seeds. One that
could not be played is not kept, so that the next run tries it again.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ludens.arena.records import Record
from ludens.arena.store import Store
from ludens.arena.tournament.child import MatchTask
from ludens.arena.tournament.jobs import Job, Outcome
from ludens.arena.tournament.plan import TournamentPlan
from ludens.arena.tournament.schedule import Timetable, schedule
from ludens.arena.tournament.standings import Standings
from ludens.arena.tournament.worker import MatchWorker, worker_command
from ludens.errors import PlanError, RecordError, StoreError, WorkerError
from ludens.runtime.cores import available_cores

PLAN = "plan"
"""The note in a record that says how the tournament was planned."""
LOADING_SECONDS = 600.0
"""How long reading the rules and compiling them may take."""
GRACE_SECONDS = 60.0
"""How long a match may be silent beyond its clocks, for working out what the rules say."""
TIMED_OUT = "TO"
NOT_IN_WORDS = re.compile(r"[^\w.-]+")
ID_DIGITS = 16

OnResult: TypeAlias = Callable[["Tournament"], None]


class Tournament:
    """A tournament as far as it was played."""

    def __init__(self, plan: TournamentPlan, store: Store, notes: Mapping[str, Any] | None = None) -> None:
        """Takes up what the store has of it; PlanError if that was played by another plan.

        `notes`: what is written beside each match that is played from now on, such as the version of the players.
        """
        self.plan = plan
        self._notes = dict(notes or {})
        self._store = store
        self._schedule = schedule(plan)
        self.outcomes: dict[str, Outcome] = {}
        for match in store.matches(tournament=plan.name):
            record = store.record(match.match_id)
            self._check_plan(record.notes.get(PLAN))
            if record.job:
                self.outcomes[record.job] = Outcome.of(record)

    def _check_plan(self, earlier: Any) -> None:
        changed = self.plan.changes(earlier if isinstance(earlier, dict) else {})
        if not changed:
            return
        raise PlanError(
            f"{self._store.path} has matches of {self.plan.name} by another plan ({', '.join(changed)} changed); "
            "give the plan another name, or forget these matches with --fresh"
        )

    @property
    def timetable(self) -> Timetable:
        return self._schedule.timetable(self.outcomes)

    def records(self) -> Iterator[tuple[Job, Record]]:
        """The matches that count and were played, as the store has them."""
        stored = {match.job: match.match_id for match in self._store.matches(tournament=self.plan.name)}
        for job in self.timetable.jobs:
            if job.key in stored:
                yield job, self._store.record(stored[job.key])

    @property
    def is_over(self) -> bool:
        return all(job.key in self.outcomes for job in self.timetable.jobs)

    @property
    def standings(self) -> Standings:
        return Standings.of(self.plan.players, self.timetable, self.outcomes)

    async def play(self, parallel: int, on_result: OnResult | None = None, command: Sequence[str] = ()) -> None:
        """Play what is missing, `parallel` matches at a time.

        `command`: how workers are started, if not in the usual way.
        """
        workers = [
            MatchWorker(command or worker_command(self._cores(number), self.plan.memory)) for number in range(parallel)
        ]
        idle = list(workers)
        running: dict[asyncio.Task[Outcome], tuple[Job, MatchWorker]] = {}
        try:
            while not self.is_over:
                for job in self._startable([job for job, _ in running.values()], len(idle)):
                    worker = idle.pop(0)
                    running[asyncio.create_task(self._played(worker, job))] = job, worker
                done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    job, worker = running.pop(task)
                    idle.append(worker)
                    self.outcomes[job.key] = task.result()
                    if on_result:
                        on_result(self)
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            await asyncio.gather(*(worker.end() for worker in workers))

    def _cores(self, number: int) -> list[int]:
        """The cores of a worker: its own, as long as there are enough."""
        cores, width = available_cores(), self.plan.cores
        return [cores[(number * width + place) % len(cores)] for place in range(min(width, len(cores)))]

    def _startable(self, running: Sequence[Job], places: int) -> list[Job]:
        """The next matches that nobody plays and whose players are free."""
        started: list[Job] = []
        under_way = {job.key for job in running}
        engaged = Counter(player for job in running for player in job.players)
        for job in self.timetable.jobs:
            if len(started) == places:
                break
            if job.key not in self.outcomes and job.key not in under_way and self._are_free(job, engaged):
                started.append(job)
                engaged.update(job.players)
        return started

    def _are_free(self, job: Job, engaged: Counter[str]) -> bool:
        seats = Counter(job.players)
        limits = {player: self.plan.players[player].at_once for player in seats}
        return all(limit is None or engaged[player] + seats[player] <= limit for player, limit in limits.items())

    async def _played(self, worker: MatchWorker, job: Job) -> Outcome:
        """Have a match played, and keep it."""
        clocks = self.plan.clocks
        # In a turn a player may have to be started again, and asked again.
        patience = len(job.players) * (clocks.start + 3 * clocks.play) + GRACE_SECONDS
        try:
            record = Record.from_json(await worker.play(self.task(job).to_json(), LOADING_SECONDS, patience))
        except (WorkerError, RecordError) as error:
            return Outcome.failed(job, str(error))
        if any(TIMED_OUT in row for row in record.errors):
            await worker.end()  # a player that hangs would go on and disturb the next match
        return Outcome.of(self._kept(record))

    def _kept(self, record: Record) -> Record:
        """Write a match down; if somebody else has done so meanwhile, theirs counts."""
        try:
            if record.match_id not in self._store:
                self._store.add(record)
        except StoreError:
            if record.match_id not in self._store:
                raise
        return self._store.record(record.match_id)

    def task(self, job: Job) -> MatchTask:
        plan, game = self.plan, self.plan.game(job.game)
        digest = hashlib.sha256(json.dumps(plan.match_settings(job)).encode()).hexdigest()
        entrants = [plan.players[player] for player in job.players]
        return MatchTask(
            match_id=f"{NOT_IN_WORDS.sub('-', plan.name)}.{digest[:ID_DIGITS]}",
            tournament=plan.name,
            job=job.key,
            source=game.source,
            digest=game.digest,
            players=list(job.players),
            seats=[entrant.source for entrant in entrants],
            nodes=[entrant.nodes for entrant in entrants],
            clocks=[plan.clocks.start, plan.clocks.play],
            seed=job.seed,
            scramble=plan.scramble,
            on_fault=plan.on_fault,
            max_steps=plan.max_steps,
            one_by_one=sum(not entrant.is_remote for entrant in entrants) > 1,
            notes={**self._notes, PLAN: plan.settings()},
        )


def parallel_matches(plan: TournamentPlan) -> int:
    """How many matches are played at a time: as many as the plan says, or as the cores allow."""
    return plan.parallel or max(1, len(available_cores()) // plan.cores)


def play_until_interrupted(tournament: Tournament, parallel: int, on_result: OnResult | None = None) -> bool:
    """Play what is missing; return false if Ctrl-C stops it.

    After a first Ctrl-C others change nothing until the processes are ended, and the caller has shown the results.
    """
    handler = signal.getsignal(signal.SIGINT)

    async def play() -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task

        def stop(*_: object) -> None:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            loop.call_soon_threadsafe(task.cancel)

        if handler is signal.default_int_handler:
            signal.signal(signal.SIGINT, stop)
        await tournament.play(parallel, on_result)

    try:
        asyncio.run(play())
    except asyncio.CancelledError:
        return False
    finally:
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, handler)
    return True
