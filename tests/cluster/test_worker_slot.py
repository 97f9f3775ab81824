"""How a worker is kept alive, with links that do nothing."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ludens.cluster import worker_slot
from ludens.cluster.orders import Alive, Order, Ready, Reporter, StopOrder
from ludens.cluster.worker_slot import WorkerNews, WorkerSlot
from ludens.runtime.deadline import Deadline
from tests.cluster.small import match, orders


class Paper:
    """A link that writes down what it is told."""

    pid = None
    is_over = False

    def __init__(self, report: Reporter) -> None:
        self.report = report
        self.told: list[Order | None] = []

    def send_object(self, order: Order) -> None:
        self.told.append(order)

    def kill(self) -> None:
        self.told.append(None)

    def wait(self, deadline: Deadline) -> bool:
        return True


def test_a_worker_that_was_ready_comes_back_however_often_it_dies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_slot, "MIN_PAUSE", 0.0)
    one = WorkerSlot(0, Paper, lambda news: None)
    for _ in range(50):
        one.mend(match())
        assert one.link is not None
        one.ready()
        one.lose()
    assert len(one.leave()) == 50


def test_attempts_become_rarer_until_one_has_lasted(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(worker_slot, "time", SimpleNamespace(monotonic=lambda: now))
    one = WorkerSlot(0, Paper, lambda news: None)
    pauses = []
    for _ in range(10):
        one.mend(None)
        one.lose()
        before = now
        while one.link is None:
            now += 0.25
            one.mend(None)
        pauses.append(now - before)
    assert pauses == [0.5, 1, 2, 4, 8, 16, 30, 30, 30, 30]
    one.ready()
    now += worker_slot.LASTING_SECONDS + 1
    one.lose()
    now += 0.5
    one.mend(None)
    assert one.link is not None


def test_silence_is_borne_longer_before_the_first_sign_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(worker_slot, "time", SimpleNamespace(monotonic=lambda: now))
    one = WorkerSlot(0, Paper, lambda news: None)
    one.mend(None)
    first = one.link
    assert isinstance(first, Paper)
    now += worker_slot.FIRST_SIGN_SECONDS - 1
    one.mend(None)
    assert one.link is first
    first.report(Alive(7, "here"))
    assert one.host == "here"
    now += worker_slot.SILENT_SECONDS + 1
    one.mend(None)
    assert first.told == [None]
    now += worker_slot.MIN_PAUSE
    one.mend(match())
    assert isinstance(one.link, Paper)
    assert one.link.told == [match()]


def test_a_link_that_was_replaced_says_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_slot, "MIN_PAUSE", 0.0)
    heard: list[WorkerNews] = []
    one = WorkerSlot(3, Paper, heard.append)
    one.mend(None)
    first = one.link
    assert isinstance(first, Paper)
    first.report(Ready(1))
    (news,) = heard
    assert one.is_current(news)
    one.lose()
    assert not one.is_current(news)
    one.mend(None)
    assert not one.is_current(news)
    first.report(Ready(2))
    assert heard == [news]


def test_only_who_searches_is_stopped() -> None:
    one = WorkerSlot(0, Paper, lambda news: None)
    one.mend(None)
    one.stop()
    (order,) = orders(1)
    one.tell(order)
    one.stop()
    assert isinstance(one.link, Paper)
    assert one.link.told == [order, StopOrder()]
    assert not one.is_busy


def test_who_is_slow_gets_more_and_more_time_to_give_a_first_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(worker_slot, "time", SimpleNamespace(monotonic=lambda: now))
    monkeypatch.setattr(worker_slot, "MIN_PAUSE", 0.0)
    one = WorkerSlot(0, Paper, lambda news: None)
    borne = []
    for _ in range(6):
        one.mend(None)
        begun, link = now, one.link
        while one.link is link:
            now += 10.0
            trouble = one.mend(None)
        borne.append(now - begun)
        assert trouble
        assert trouble.startswith("a worker said nothing for ")
    assert borne == [40, 70, 130, 250, 490, 490]


def test_where_nothing_can_be_started_it_is_told_and_tried_again_later() -> None:
    def refuse(report: Reporter) -> Paper:
        raise OSError("too many of them")

    one = WorkerSlot(0, refuse, lambda news: None)
    assert one.mend(None) == "a worker cannot be started: too many of them"
    assert one.mend(None) is None
    assert one.link is None
