"""Threads: jobs in order, results in time, cancellation that is noticed."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
import weakref
from concurrent.futures import Future
from threading import Event

import pytest

from ludens.runtime import threads
from ludens.runtime.deadline import Deadline
from ludens.runtime.threads import Interrupted, SerialExecutor, map_in_threads, result_or_timeout, start_thread


def cancel_soon(deadline: Deadline) -> None:
    def cancel() -> None:
        time.sleep(0.02)
        deadline.cancel()

    start_thread(cancel)


def test_a_started_thread_is_a_daemon_with_its_name() -> None:
    begun = Event()
    thread = start_thread(begun.set, "ludens-test")
    thread.join(10)
    assert begun.is_set()
    assert (thread.daemon, thread.name) == (True, "ludens-test")


def test_jobs_run_one_after_the_other_in_the_order_given() -> None:
    executor, seen = SerialExecutor("order"), list[tuple[int, bool]]()
    busy = threading.Lock()

    def job(number: int) -> int:
        alone = busy.acquire(blocking=False)
        time.sleep(0.002)
        seen.append((number, alone))
        busy.release()
        return number

    futures = [executor.submit(job, number) for number in range(20)]
    assert [future.result(10) for future in futures] == list(range(20))
    assert seen == [(number, True) for number in range(20)]


def test_the_thread_ends_with_the_last_job_and_comes_back_with_the_next() -> None:
    executor = SerialExecutor("ludens-comes-and-goes")
    for _ in range(2):
        assert executor.submit(lambda: threading.current_thread().name).result(10) == "ludens-comes-and-goes"
        assert executor.wait(Deadline(10))
        until = Deadline(10)
        while executor.name in {thread.name for thread in threading.enumerate()}:
            assert not until.passed
            time.sleep(0.001)


def test_what_a_job_raises_is_raised_where_the_result_is_wanted_and_the_next_job_runs() -> None:
    executor = SerialExecutor("errors")
    failing = executor.submit(lambda: "".index("a"))
    leaving = executor.submit(exit)
    with pytest.raises(ValueError, match="substring"):
        result_or_timeout(failing, Deadline(10))
    with pytest.raises(SystemExit):
        result_or_timeout(leaving, Deadline(10))
    assert executor.submit(lambda: 7).result(10) == 7


def test_a_timeout_raised_by_the_job_itself_is_its_result() -> None:
    def job() -> None:
        raise TimeoutError("its own")

    with pytest.raises(TimeoutError, match="its own"):
        result_or_timeout(SerialExecutor("own").submit(job), Deadline(10))


def test_a_passed_deadline_is_a_timeout_and_a_cancelled_one_an_interruption() -> None:
    never: Future[None] = Future()
    with pytest.raises(TimeoutError):
        result_or_timeout(never, Deadline(0.01))
    cancelled = Deadline.never()
    cancel_soon(cancelled)
    with pytest.raises(Interrupted):
        result_or_timeout(never, cancelled)
    never.cancel()
    with pytest.raises(Interrupted):
        result_or_timeout(never, Deadline(10))


def test_a_result_that_is_there_counts_even_after_the_deadline() -> None:
    done: Future[int] = Future()
    done.set_result(3)
    assert result_or_timeout(done, Deadline(0)) == 3


@pytest.mark.parametrize("cancel", [False, True], ids=["timeout", "interruption"])
def test_work_that_looks_at_its_deadline_ends_and_makes_way(cancel: bool) -> None:
    executor, missed, ended = SerialExecutor("cooperative"), Event(), Event()
    deadline = Deadline.never() if cancel else Deadline(0.02)

    def work(own: Deadline) -> None:
        while not own.passed:
            time.sleep(0.001)
        missed.wait(10)
        ended.set()

    if cancel:
        cancel_soon(deadline)
    with pytest.raises(Interrupted if cancel else TimeoutError):
        executor.result_or_timeout(work, deadline)
    missed.set()
    assert executor.submit(ended.is_set).result(10)


def test_a_job_that_had_not_begun_in_time_never_does() -> None:
    executor, hold, begun = SerialExecutor("late"), Event(), Event()
    executor.submit(hold.wait)
    with pytest.raises(TimeoutError):
        executor.result_or_timeout(lambda _: begun.set(), Deadline(0.02))
    hold.set()
    assert executor.wait(Deadline(10))
    assert not begun.is_set()


def test_waiting_for_all_jobs_ends_with_the_deadline() -> None:
    executor, hold = SerialExecutor("busy"), Event()
    executor.submit(hold.wait)
    assert not executor.wait(Deadline(0.02))
    hold.set()
    assert executor.wait(Deadline(10))


def test_nothing_of_a_finished_job_is_kept_alive() -> None:
    class Held:
        pass

    executor, held = SerialExecutor("forgetful"), Held()
    dead = weakref.ref(held)
    executor.submit(lambda one: None, held).result(10)
    blocking = Event()
    executor.submit(blocking.wait)  # the thread lives on
    del held
    until = Deadline(10)
    while dead() and not until.passed:
        gc.collect()
        time.sleep(0.001)
    blocking.set()
    assert dead() is None


def test_asyncio_uses_it_like_any_executor() -> None:
    async def names() -> set[str]:
        loop = asyncio.get_running_loop()
        with SerialExecutor("ludens-async") as executor:
            return set(
                await asyncio.gather(
                    *(loop.run_in_executor(executor, lambda: threading.current_thread().name) for _ in range(5))
                )
            )

    assert asyncio.run(names()) == {"ludens-async"}


def test_after_its_end_it_takes_no_jobs_and_those_that_wait_are_cancelled() -> None:
    executor, begun, hold = SerialExecutor("closed"), Event(), Event()
    running = executor.submit(lambda: (begun.set(), hold.wait(10))[1])  # type: ignore[func-returns-value]
    waiting = executor.submit(int)
    assert begun.wait(10)
    executor.shutdown(wait=False, cancel_futures=True)
    hold.set()
    assert running.result(10)
    assert waiting.cancelled()
    with pytest.raises(RuntimeError, match="closed"):
        executor.submit(int)


def test_where_no_thread_can_be_started_the_caller_learns_of_it_and_may_try_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    executor = SerialExecutor("poor")
    with monkeypatch.context() as patch:
        patch.setattr(threads, "start_thread", refuse)
        with pytest.raises(RuntimeError, match="can't start"):
            executor.submit(int)
    assert executor.submit(lambda: 5).result(10) == 5


def test_a_map_keeps_the_order_and_uses_several_threads() -> None:
    together = threading.Barrier(3)

    def meet(number: int) -> int:
        together.wait(10)
        return -number

    assert map_in_threads(meet, range(3), threads=3) == [0, -1, -2]
    assert map_in_threads(meet, (), threads=0) == []


def test_a_map_that_fails_tells_the_others_before_it_waits_for_them() -> None:
    stopped = Event()

    def work(number: int) -> bool:
        if number == 0:
            raise ValueError("the first")
        return stopped.wait(60)

    with pytest.raises(ValueError, match="the first"):
        map_in_threads(work, range(3), threads=3, on_failure=stopped.set)
    assert stopped.is_set()
